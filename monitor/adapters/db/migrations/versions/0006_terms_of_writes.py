"""What a write does to the compare-at price, the kill switch, locked products, and the shop's own numbers.

Revision ID: 0006
Revises: 0005
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_ADDED = ("compare_at_action", "compare_at", "is_compare_at_known", "expected_compare_at", "tax_included")


def upgrade() -> None:
    """Add columns and tables; a write stored before keeps the compare-at price, as it did."""
    op.add_column("writes", sa.Column("compare_at_action", sa.Text(), nullable=False, server_default="keep"))
    op.add_column("writes", sa.Column("compare_at", sa.BigInteger()))
    op.add_column("writes", sa.Column("is_compare_at_known", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("writes", sa.Column("expected_compare_at", sa.BigInteger()))
    op.add_column("writes", sa.Column("tax_included", sa.Boolean()))
    op.create_table(
        "write_stops",
        sa.Column("id", _KEY, primary_key=True, autoincrement=True),
        sa.Column("is_stopped", sa.Boolean(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text()),
        sa.Column("at", sa.BigInteger(), nullable=False),
    )
    _locks()
    op.create_table(
        "shop_refs",
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("sku", sa.Text(), nullable=False),
        sa.Column("ref", sa.Text(), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("channel", "sku", name="pk_shop_refs"),
    )


def _locks() -> None:
    op.create_table(
        "price_locks",
        sa.Column("id", _KEY, primary_key=True, autoincrement=True),
        sa.Column("sku", sa.Text(), nullable=False),
        sa.Column("until", sa.BigInteger()),
        sa.Column("reason", sa.Text()),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("released_at", sa.BigInteger()),
        sa.Column("released_by", sa.Text()),
    )
    is_open = sa.text("released_at IS NULL")
    op.create_index(
        "uq_price_locks_open", "price_locks", ["sku"], unique=True, sqlite_where=is_open, postgresql_where=is_open
    )


def downgrade() -> None:
    """Remove them; for development."""
    for table in ("shop_refs", "price_locks", "write_stops"):
        op.drop_table(table)
    for column in _ADDED:
        op.drop_column("writes", column)

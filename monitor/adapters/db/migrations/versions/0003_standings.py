"""Where our prices stand among the rivals', by night.

Revision ID: 0003
Revises: 0002
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables."""
    op.create_table(
        "standings",
        sa.Column("run_id", sa.Text(), sa.ForeignKey("runs.id", name="fk_standings_run_id_runs"), nullable=False),
        sa.Column("sku", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("own", sa.BigInteger(), nullable=False),
        sa.Column("lowest", sa.BigInteger()),
        sa.Column("lowest_seller", sa.Text()),
        sa.Column("median", sa.BigInteger()),
        sa.Column("position", sa.Integer()),
        sa.Column("usable", sa.Integer(), nullable=False),
        sa.Column("tracked", sa.Integer(), nullable=False),
        sa.Column("weekly_units", sa.BigInteger()),
        sa.Column("brand", sa.Text()),
        sa.Column("category", sa.Text()),
        sa.Column("rule", sa.Text()),
        sa.Column("reason", sa.Text()),
        sa.PrimaryKeyConstraint("run_id", "sku", name="pk_standings"),
    )
    op.create_index("ix_standings_sku", "standings", ["sku"])
    op.create_table(
        "portfolios",
        sa.Column("run_id", sa.Text(), sa.ForeignKey("runs.id", name="fk_portfolios_run_id_runs"), nullable=False),
        sa.Column("figures", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", name="pk_portfolios"),
    )


def downgrade() -> None:
    """Remove them; for development."""
    op.drop_table("portfolios")
    op.drop_table("standings")

"""Matches between our products and competitors' listings, and who decided them.

Revision ID: 0007
Revises: 0006
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add the tables."""
    op.create_table(
        "matches",
        sa.Column("id", _KEY, primary_key=True, autoincrement=True),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("competitor", "sku", "url", "variant", "state")),
        sa.Column("score", sa.Integer(), nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("basis", "reason", "title")),
        *(sa.Column(name, sa.Text()) for name in ("brand", "their_sku", "their_gtin")),
        sa.Column("price", sa.BigInteger()),
        sa.Column("currency", sa.Text()),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("evidence", "doubts", "by")),
        sa.Column("suggested_at", sa.BigInteger(), nullable=False),
        sa.Column("decided_at", sa.BigInteger()),
        sa.UniqueConstraint("competitor", "sku", "url", "variant", name="uq_matches_competitor_sku_url_variant"),
    )
    op.create_index("ix_matches_state_score", "matches", ["state", "score"])
    op.create_index("ix_matches_sku", "matches", ["sku"])
    confirmed = sa.text("state = 'confirmed'")
    op.create_index(
        "uq_matches_confirmed",
        "matches",
        ["competitor", "sku"],
        unique=True,
        sqlite_where=confirmed,
        postgresql_where=confirmed,
    )
    op.create_table(
        "match_decisions",
        sa.Column("id", _KEY, primary_key=True, autoincrement=True),
        sa.Column("match_id", sa.BigInteger(), sa.ForeignKey("matches.id"), nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("state", "by", "reason")),
        sa.Column("at", sa.BigInteger(), nullable=False),
    )
    op.create_index("ix_match_decisions_match_id", "match_decisions", ["match_id"])


def downgrade() -> None:
    """Remove them; for development."""
    op.drop_table("match_decisions")
    op.drop_table("matches")

"""Which later nights proposed the same from the same inputs, so that the proposal stayed and was not asked twice.

Revision ID: 0009
Revises: 0008
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "renewals",
        sa.Column("action_id", sa.BigInteger(), sa.ForeignKey("actions.id"), primary_key=True),
        sa.Column("run_id", sa.Text(), sa.ForeignKey("runs.id"), primary_key=True),
        sa.Column("at", sa.BigInteger(), nullable=False),
    )
    op.create_index("ix_renewals_run_id", "renewals", ["run_id"])


def downgrade() -> None:
    """Remove it; for development."""
    op.drop_table("renewals")

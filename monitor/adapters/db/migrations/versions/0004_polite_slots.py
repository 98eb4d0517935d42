"""Who is visiting a shop, and pages kept for the shop to confirm.

Revision ID: 0004
Revises: 0003
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add a column that may be empty, and a table."""
    op.add_column("hosts", sa.Column("holder", sa.BigInteger()))
    op.create_table(
        "kept_pages",
        sa.Column("competitor", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("final_url", sa.Text(), nullable=False),
        sa.Column("etag", sa.Text()),
        sa.Column("last_modified", sa.Text()),
        sa.Column("asked_with", sa.Text(), nullable=False),
        sa.Column("content_type", sa.Text()),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("fetched_at", sa.BigInteger(), nullable=False),
        sa.Column("confirmed_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("competitor", "url", name=op.f("pk_kept_pages")),
    )
    op.create_index("ix_kept_pages_digest", "kept_pages", ["digest"])


def downgrade() -> None:
    """Remove them; for development."""
    op.drop_index("ix_kept_pages_digest", "kept_pages")
    op.drop_table("kept_pages")
    op.drop_column("hosts", "holder")

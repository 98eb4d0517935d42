"""Who sends a mail, and which worker is being stopped, so that a death is seen and told from a deploy.

Revision ID: 0008
Revises: 0007
"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns."""
    op.add_column("mails", sa.Column("owner", sa.Text()))
    op.add_column("workers", sa.Column("draining_at", sa.BigInteger()))


def downgrade() -> None:
    """Remove them; for development."""
    op.drop_column("workers", "draining_at")
    op.drop_column("mails", "owner")

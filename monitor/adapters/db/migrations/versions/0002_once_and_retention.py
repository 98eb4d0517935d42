"""Effects with a lease, and what is kept of a step whose result was forgotten.

Revision ID: 0002
Revises: 0001
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; every one may be empty, so no row is rewritten."""
    op.add_column("effects", sa.Column("lease_until", sa.BigInteger()))
    op.add_column("effects", sa.Column("error", sa.Text()))
    op.create_index("ix_effects_owner", "effects", ["owner"])
    op.add_column("steps", sa.Column("result_hash", sa.Text()))
    op.add_column("steps", sa.Column("result_bytes", sa.Integer()))
    op.create_index("ix_artifacts_hash", "artifacts", ["hash"])


def downgrade() -> None:
    """Remove them; for development."""
    op.drop_index("ix_artifacts_hash", "artifacts")
    op.drop_column("steps", "result_bytes")
    op.drop_column("steps", "result_hash")
    op.drop_index("ix_effects_owner", "effects")
    op.drop_column("effects", "error")
    op.drop_column("effects", "lease_until")

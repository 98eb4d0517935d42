"""People who sign in, tokens of programs, the record of the door, and how a decision was authorised.

Revision ID: 0005
Revises: 0004
"""

import sqlalchemy as sa
from alembic import op

from monitor.adapters.db.triggers import append_only, dropped

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add the tables and the columns; the columns may be empty, so no decision is rewritten."""
    op.add_column("decisions", sa.Column("nonce", sa.Text()))
    op.add_column("decisions", sa.Column("session", sa.Text()))
    _users()
    op.create_table(
        "api_tokens",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("scopes", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("last_used_at", sa.BigInteger()),
        sa.Column("revoked_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("name", name="pk_api_tokens"),
        sa.UniqueConstraint("hash", name="uq_api_tokens_hash"),
    )
    op.create_table(
        "throttles",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("failed_at", sa.BigInteger(), nullable=False),
        sa.Column("blocked_until", sa.BigInteger()),
        sa.PrimaryKeyConstraint("key", name="pk_throttles"),
    )
    _events()


def _users() -> None:
    op.create_table(
        "users",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("password_set_at", sa.BigInteger(), nullable=False),
        sa.Column("disabled_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("name", name="pk_users"),
    )
    op.create_table(
        "sessions",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("user", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("network", sa.Text()),
        sa.Column("agent", sa.Text()),
        sa.Column("revoked_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id", name="pk_sessions"),
        sa.ForeignKeyConstraint(["user"], ["users.name"], name="fk_sessions_user_users"),
    )
    op.create_index("ix_sessions_user", "sessions", ["user"])


def _events() -> None:
    op.create_table(
        "access_events",
        sa.Column("id", _KEY, autoincrement=True, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("network", sa.Text()),
        sa.Column("agent", sa.Text()),
        sa.Column("words", sa.Text()),
        sa.PrimaryKeyConstraint("id", name="pk_access_events"),
    )
    op.create_index("ix_access_events_name", "access_events", ["name"])
    connection = op.get_bind()
    for statement in append_only("access_events")[connection.dialect.name]:
        connection.exec_driver_sql(statement)


def downgrade() -> None:
    """Remove them; for development."""
    connection = op.get_bind()
    for statement in dropped("access_events")[connection.dialect.name]:
        connection.exec_driver_sql(statement)
    for table in ("access_events", "throttles", "api_tokens", "sessions", "users"):
        op.drop_table(table)
    op.drop_column("decisions", "session")
    op.drop_column("decisions", "nonce")

"""Who may look and decide: users, sessions, tokens, and what happened at the door."""

from sqlalchemy import Column, ForeignKey, Index, Integer, Table

from monitor.adapters.db.columns import BigKey, Instant, Json, Text, Word
from monitor.adapters.db.schema.base import metadata
from monitor.domain.access import AccessEventKind, Role

users = Table(
    "users",
    metadata,
    Column("name", Text, primary_key=True),
    Column("role", Word(Role), nullable=False),
    Column("password_hash", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("password_set_at", Instant, nullable=False),
    Column("disabled_at", Instant),
)

sessions = Table(
    "sessions",
    metadata,
    Column("id", Text, primary_key=True),
    Column("user", Text, ForeignKey("users.name"), nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("seen_at", Instant, nullable=False),
    Column("expires_at", Instant, nullable=False),
    Column("network", Text),
    Column("agent", Text),
    Column("revoked_at", Instant),
    Index("ix_sessions_user", "user"),
)

api_tokens = Table(
    "api_tokens",
    metadata,
    Column("name", Text, primary_key=True),
    Column("hash", Text, nullable=False, unique=True),
    Column("scopes", Json, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("last_used_at", Instant),
    Column("revoked_at", Instant),
)

throttles = Table(
    "throttles",
    metadata,
    Column("key", Text, primary_key=True),
    Column("failures", Integer, nullable=False),
    Column("failed_at", Instant, nullable=False),
    Column("blocked_until", Instant),
)

access_events = Table(
    "access_events",
    metadata,
    Column("id", BigKey, primary_key=True, autoincrement=True),
    Column("kind", Word(AccessEventKind), nullable=False),
    Column("name", Text, nullable=False),
    Column("by", Text, nullable=False),
    Column("at", Instant, nullable=False),
    Column("network", Text),
    Column("agent", Text),
    Column("words", Text),
    Index("ix_access_events_name", "name"),
)

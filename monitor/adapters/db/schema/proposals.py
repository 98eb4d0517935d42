"""Proposed price changes, who decided them, and the links by which they were asked."""

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Integer, Table, UniqueConstraint, text

from monitor.adapters.db.columns import Amount, BigKey, Instant, Json, Text, Word
from monitor.adapters.db.schema.base import metadata
from monitor.domain.action import ActionState, Verb

actions = Table(
    "actions",
    metadata,
    Column("id", BigKey, primary_key=True, autoincrement=True),
    Column("key", Text, nullable=False, unique=True),
    Column("run_id", Text, ForeignKey("runs.id"), nullable=False),
    Column("channel", Text, nullable=False),
    Column("sku", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("state", Word(ActionState), nullable=False),
    Column("content_hash", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("currency", Text, nullable=False),
    Column("old_price", Amount, nullable=False),
    Column("new_price", Amount, nullable=False),
    Column("rule_id", Text, nullable=False),
    Column("words", Text, nullable=False),
    Column("facts", Json, nullable=False),
    Column("expires_at", Instant, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("decided_at", Instant),
    Column("snoozed_until", Instant),
    Column("superseded_by", BigInteger),
    Index("ix_actions_channel_sku", "channel", "sku"),
    Index("ix_actions_run_id", "run_id"),
    Index("ix_actions_state_expires_at", "state", "expires_at"),
)

renewals = Table(  # later nights that proposed the same from the same inputs
    "renewals",
    metadata,
    Column("action_id", BigInteger, ForeignKey("actions.id"), primary_key=True),
    Column("run_id", Text, ForeignKey("runs.id"), primary_key=True),
    Column("at", Instant, nullable=False),
    Index("ix_renewals_run_id", "run_id"),
)

decisions = Table(
    "decisions",
    metadata,
    Column("id", BigKey, primary_key=True, autoincrement=True),
    Column("action_id", BigInteger, ForeignKey("actions.id"), nullable=False),
    Column("version", Integer, nullable=False),
    Column("verb", Word(Verb), nullable=False),
    Column("actor_kind", Text, nullable=False),
    Column("actor_name", Text, nullable=False),
    Column("link", Text),
    Column("address", Text),
    Column("agent", Text),
    Column("reason", Text),
    Column("figures", Json, nullable=False),
    Column("batch", Text, nullable=False),
    Column("decided_at", Instant, nullable=False),
    Column("nonce", Text),
    Column("session", Text),
    Index("ix_decisions_batch", "batch"),
    Index("ix_decisions_action_id", "action_id"),
    Index(
        "uq_decisions_live",
        "action_id",
        "version",
        unique=True,
        sqlite_where=text("verb IN ('approve', 'reject')"),
        postgresql_where=text("verb IN ('approve', 'reject')"),
    ),
)

links = Table(
    "links",
    metadata,
    Column("id", Text, primary_key=True),
    Column("run_id", Text, ForeignKey("runs.id"), nullable=False),
    Column("recipient", Text, nullable=False),
    Column("purpose", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant, nullable=False),
    Column("revoked_at", Instant),
    Column("revoke_reason", Text),
    Column("code_hash", Text),
    Column("code_tries", Integer, nullable=False, default=0),
    Column("locked_until", Instant),
    Column("first_get_at", Instant),
    Column("get_count", Integer, nullable=False, default=0),
    Column("first_post_at", Instant),
    UniqueConstraint("run_id", "recipient", "purpose"),
)

nonces = Table(
    "nonces",
    metadata,
    Column("hash", Text, primary_key=True),
    Column("link_id", Text, ForeignKey("links.id"), nullable=False),
    Column("issued_at", Instant, nullable=False),
    Column("expires_at", Instant, nullable=False),
    Column("used_at", Instant),
    Column("batch", Text),
    Column("results", Json),
    Index("ix_nonces_link_id_batch", "link_id", "batch"),
)

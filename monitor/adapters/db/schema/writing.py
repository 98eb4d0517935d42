"""Approved prices on their way into the shop: writes, every attempt, and what holds them back."""

from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Index, Integer, Table, UniqueConstraint, false, text

from monitor.adapters.db.columns import Amount, BigKey, Instant, Json, Text, Word
from monitor.adapters.db.schema.base import metadata
from monitor.domain.action import WriteState
from monitor.domain.shop_price import CompareAtAction

_LIVE = "state IN ('queued', 'claimed', 'calling', 'unknown', 'dry_run')"

writes = Table(
    "writes",
    metadata,
    Column("id", Text, primary_key=True),
    Column("action_id", BigInteger, ForeignKey("actions.id"), nullable=False),
    Column("version", Integer, nullable=False),
    Column("channel", Text, nullable=False),
    Column("sku", Text, nullable=False),
    Column("currency", Text, nullable=False),
    Column("target_price", Amount, nullable=False),
    Column("expected_price", Amount, nullable=False),
    Column("idempotency_key", Text, nullable=False, unique=True),
    Column("state", Word(WriteState), nullable=False),
    Column("not_before", Instant, nullable=False),
    Column("fence", BigInteger, nullable=False, default=0),
    Column("owner", Text),
    Column("lease_until", Instant),
    Column("attempts", Integer, nullable=False, default=0),
    Column("before", Json),
    Column("after", Json),
    Column("error", Text),
    Column("created_at", Instant, nullable=False),
    Column("finished_at", Instant),
    Column("compare_at_action", Word(CompareAtAction), nullable=False, server_default="keep"),
    Column("compare_at", Amount),
    Column("is_compare_at_known", Boolean, nullable=False, server_default=false()),
    Column("expected_compare_at", Amount),
    Column("tax_included", Boolean),
    UniqueConstraint("action_id", "version"),
    Index("ix_writes_state_not_before", "state", "not_before"),
    Index(
        "uq_writes_live",
        "channel",
        "sku",
        unique=True,
        sqlite_where=text(_LIVE),
        postgresql_where=text(_LIVE),
    ),
)

write_attempts = Table(
    "write_attempts",
    metadata,
    Column("id", BigKey, primary_key=True, autoincrement=True),
    Column("write_id", Text, ForeignKey("writes.id"), nullable=False),
    Column("n", Integer, nullable=False),
    Column("started_at", Instant, nullable=False),
    Column("ended_at", Instant),
    Column("outcome", Text),
    Column("answer", Text),
    UniqueConstraint("write_id", "n"),
)

write_stops = Table(
    "write_stops",
    metadata,
    Column("id", BigKey, primary_key=True, autoincrement=True),
    Column("is_stopped", Boolean, nullable=False),
    Column("by", Text, nullable=False),
    Column("reason", Text),
    Column("at", Instant, nullable=False),
)

price_locks = Table(
    "price_locks",
    metadata,
    Column("id", BigKey, primary_key=True, autoincrement=True),
    Column("sku", Text, nullable=False),
    Column("until", Instant),
    Column("reason", Text),
    Column("by", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("released_at", Instant),
    Column("released_by", Text),
    Index(
        "uq_price_locks_open",
        "sku",
        unique=True,
        sqlite_where=text("released_at IS NULL"),
        postgresql_where=text("released_at IS NULL"),
    ),
)

shop_refs = Table(
    "shop_refs",
    metadata,
    Column("channel", Text, primary_key=True),
    Column("sku", Text, primary_key=True),
    Column("ref", Text, nullable=False),
    Column("seen_at", Instant, nullable=False),
)

"""What people are told: mails, alerts, reports."""

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Integer, LargeBinary, Table

from monitor.adapters.db.columns import BigKey, Instant, Json, Text, Word
from monitor.adapters.db.schema.base import metadata
from monitor.domain.message import AlertKind, MailState

mails = Table(
    "mails",
    metadata,
    Column("id", BigKey, primary_key=True, autoincrement=True),
    Column("dedupe_key", Text, nullable=False, unique=True),
    Column("run_id", Text),
    Column("recipient", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("content", LargeBinary, nullable=False),
    Column("message_id", Text, nullable=False),
    Column("state", Word(MailState), nullable=False),
    Column("attempts", Integer, nullable=False, default=0),
    Column("not_before", Instant, nullable=False),
    Column("fence", BigInteger, nullable=False, default=0),
    Column("lease_until", Instant),
    Column("error", Text),
    Column("created_at", Instant, nullable=False),
    Column("sent_at", Instant),
    Column("owner", Text),
    Index("ix_mails_state_not_before", "state", "not_before"),
)

alerts = Table(
    "alerts",
    metadata,
    Column("key", Text, primary_key=True),
    Column("kind", Word(AlertKind), nullable=False),
    Column("run_id", Text),
    Column("words", Text, nullable=False),
    Column("raised_at", Instant, nullable=False),
    Index("ix_alerts_run_id", "run_id"),
)

reports = Table(
    "reports",
    metadata,
    Column("run_id", Text, ForeignKey("runs.id"), primary_key=True),
    Column("model", Json, nullable=False),
    Column("html", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
)

"""What is stored. The same tables on SQLite and PostgreSQL; `migrations` builds exactly these.

Instants are UTC microseconds, amounts 1/10,000 of the currency's main unit (see `columns`).
Uniqueness is where "once" is decided: runs by (schedule, date), jobs by (run, kind, key), actions by key,
writes by (action, version), mails and alerts by their dedupe key, effects by key.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    UniqueConstraint,
    false,
    text,
)

from monitor.adapters.db.columns import Amount, BigKey, Day, Instant, Json, Text, Word
from monitor.domain.access import AccessEventKind, Role
from monitor.domain.action import ActionState, Verb, WriteState
from monitor.domain.catalogue import MatchState
from monitor.domain.durability import EffectState
from monitor.domain.extraction import Availability, Outcome
from monitor.domain.match import Basis
from monitor.domain.message import AlertKind, MailState
from monitor.domain.run import JobKind, JobState, RunState, StepState
from monitor.domain.shop_price import CompareAtAction

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

runs = Table(
    "runs",
    metadata,
    Column("id", Text, primary_key=True),
    Column("schedule", Text, nullable=False),
    Column("local_date", Day, nullable=False),
    Column("zone", Text, nullable=False),
    Column("state", Word(RunState), nullable=False),
    Column("due_at", Instant, nullable=False),
    Column("deadline_at", Instant, nullable=False),
    Column("partial", Boolean, nullable=False, default=False),
    Column("open_jobs", Integer, nullable=False),
    Column("origin", Text, nullable=False),
    Column("catalogue_hash", Text, nullable=False),
    Column("settings_hash", Text, nullable=False),
    Column("token_cap", BigInteger, nullable=False),
    Column("tokens_used", BigInteger, nullable=False, default=0),
    Column("tokens_reserved", BigInteger, nullable=False, default=0),
    Column("started_at", Instant, nullable=False),
    Column("ended_at", Instant),
    UniqueConstraint("schedule", "local_date"),
    Index("ix_runs_state", "state"),
)

jobs = Table(
    "jobs",
    metadata,
    Column("id", BigKey, primary_key=True, autoincrement=True),
    Column("run_id", Text, ForeignKey("runs.id"), nullable=False),
    Column("kind", Word(JobKind), nullable=False),
    Column("key", Text, nullable=False),
    Column("state", Word(JobState), nullable=False),
    Column("run_at", Instant, nullable=False),
    Column("woken_at", Instant),
    Column("attempts", Integer, nullable=False, default=0),
    Column("next_seq", Integer, nullable=False, default=1),
    Column("calls_used", Integer, nullable=False, default=0),
    Column("calls_limit", Integer, nullable=False),
    Column("requests_used", Integer, nullable=False, default=0),
    Column("fence", BigInteger, nullable=False, default=0),
    Column("owner", Text),
    Column("lease_until", Instant),
    Column("error", Text),
    Column("started_at", Instant),
    Column("ended_at", Instant),
    UniqueConstraint("run_id", "kind", "key"),
    Index("ix_jobs_state_run_at", "state", "run_at"),
    Index("ix_jobs_owner", "owner"),
)

steps = Table(
    "steps",
    metadata,
    Column("job_id", BigInteger, ForeignKey("jobs.id"), primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("fence", BigInteger, nullable=False),
    Column("tool", Text, nullable=False),
    Column("args", Json, nullable=False),
    Column("state", Word(StepState), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("cost", Integer, nullable=False),
    Column("started_at", Instant, nullable=False),
    Column("ended_at", Instant),
    Column("result", Json),
    Column("error", Text),
    Column("result_hash", Text),
    Column("result_bytes", Integer),
)

workers = Table(
    "workers",
    metadata,
    Column("id", Text, primary_key=True),
    Column("role", Text, nullable=False),
    Column("host", Text, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("started_at", Instant, nullable=False),
    Column("heartbeat_at", Instant, nullable=False),
    Column("draining_at", Instant),
)

recoveries = Table(
    "recoveries",
    metadata,
    Column("id", BigKey, primary_key=True, autoincrement=True),
    Column("run_id", Text, nullable=False),
    Column("job_id", BigInteger, nullable=False),
    Column("seq", Integer, nullable=False),
    Column("cause", Text, nullable=False),
    Column("lost_at", Instant, nullable=False),
    Column("resumed_at", Instant),
    Index("ix_recoveries_job_id", "job_id"),
)

blobs = Table(
    "blobs",
    metadata,
    Column("hash", Text, primary_key=True),
    Column("body", LargeBinary, nullable=False),
    Column("size", Integer, nullable=False),
    Column("created_at", Instant, nullable=False),
)

artifacts = Table(
    "artifacts",
    metadata,
    Column("id", BigKey, primary_key=True, autoincrement=True),
    Column("run_id", Text, nullable=False),
    Column("job_id", BigInteger),
    Column("kind", Text, nullable=False),
    Column("hash", Text, nullable=False),
    Column("ref", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    UniqueConstraint("run_id", "kind", "ref"),
    Index("ix_artifacts_hash", "hash"),
)

observations = Table(
    "observations",
    metadata,
    Column("run_id", Text, ForeignKey("runs.id"), primary_key=True),
    Column("competitor", Text, primary_key=True),
    Column("sku", Text, primary_key=True),
    Column("url", Text, nullable=False),
    Column("outcome", Word(Outcome), nullable=False),
    Column("reason", Text, nullable=False),
    Column("words", Text, nullable=False),
    Column("observed_at", Instant, nullable=False),
    Column("price", Amount),
    Column("currency", Text),
    Column("list_price", Amount),
    Column("availability", Word(Availability), nullable=False),
    Column("shipping", Amount),
    Column("name", Text),
    Column("evidence", Text),
    Index("ix_observations_competitor_sku_observed_at", "competitor", "sku", "observed_at"),
)

spans = Table(
    "spans",
    metadata,
    Column("id", BigKey, primary_key=True, autoincrement=True),
    Column("competitor", Text, nullable=False),
    Column("sku", Text, nullable=False),
    Column("price", Amount, nullable=False),
    Column("currency", Text, nullable=False),
    Column("list_price", Amount),
    Column("availability", Word(Availability), nullable=False),
    Column("first_seen_at", Instant, nullable=False),
    Column("last_seen_at", Instant, nullable=False),
    Column("first_run_id", Text, nullable=False),
    Column("last_run_id", Text, nullable=False),
    Index("ix_spans_competitor_sku_id", "competitor", "sku", "id"),
    Index("ix_spans_sku", "sku"),
)

hosts = Table(
    "hosts",
    metadata,
    Column("bucket", Text, primary_key=True),
    Column("next_at", Instant, nullable=False),
    Column("cool_until", Instant),
    Column("cool_reason", Text),
    Column("holder", BigInteger),
)

kept_pages = Table(
    "kept_pages",
    metadata,
    Column("competitor", Text, primary_key=True),
    Column("url", Text, primary_key=True),
    Column("final_url", Text, nullable=False),
    Column("etag", Text),
    Column("last_modified", Text),
    Column("asked_with", Text, nullable=False),
    Column("content_type", Text),
    Column("digest", Text, nullable=False),
    Column("fetched_at", Instant, nullable=False),
    Column("confirmed_at", Instant, nullable=False),
    Index("ix_kept_pages_digest", "digest"),
)

robots = Table(
    "robots",
    metadata,
    Column("origin", Text, primary_key=True),
    Column("verdict", Json, nullable=False),
    Column("fetched_at", Instant, nullable=False),
)

facts = Table(
    "facts",
    metadata,
    Column("competitor", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("value", Json, nullable=False),
    Column("learned_at", Instant, nullable=False),
)

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

effects = Table(
    "effects",
    metadata,
    Column("key", Text, primary_key=True),
    Column("state", Word(EffectState), nullable=False),
    Column("intent", Json, nullable=False),
    Column("result", Json),
    Column("fence", BigInteger, nullable=False),
    Column("owner", Text),
    Column("created_at", Instant, nullable=False),
    Column("done_at", Instant),
    Column("lease_until", Instant),
    Column("error", Text),
    Index("ix_effects_owner", "owner"),
)

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

standings = Table(
    "standings",
    metadata,
    Column("run_id", Text, ForeignKey("runs.id"), primary_key=True),
    Column("sku", Text, primary_key=True),
    Column("title", Text, nullable=False),
    Column("currency", Text, nullable=False),
    Column("own", Amount, nullable=False),
    Column("lowest", Amount),
    Column("lowest_seller", Text),
    Column("median", Amount),
    Column("position", Integer),
    Column("usable", Integer, nullable=False),
    Column("tracked", Integer, nullable=False),
    Column("weekly_units", Amount),
    Column("brand", Text),
    Column("category", Text),
    Column("rule", Text),
    Column("reason", Text),
    Index("ix_standings_sku", "sku"),
)

portfolios = Table(
    "portfolios",
    metadata,
    Column("run_id", Text, ForeignKey("runs.id"), primary_key=True),
    Column("figures", Json, nullable=False),
)

matches = Table(
    "matches",
    metadata,
    Column("id", BigKey, primary_key=True, autoincrement=True),
    Column("competitor", Text, nullable=False),
    Column("sku", Text, nullable=False),
    Column("url", Text, nullable=False),
    Column("variant", Text, nullable=False, default=""),
    Column("state", Word(MatchState), nullable=False),
    Column("score", Integer, nullable=False),
    Column("basis", Word(Basis), nullable=False),
    Column("reason", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("brand", Text),
    Column("their_sku", Text),
    Column("their_gtin", Text),
    Column("price", Amount),
    Column("currency", Text),
    Column("evidence", Json, nullable=False),
    Column("doubts", Json, nullable=False),
    Column("by", Text, nullable=False),
    Column("suggested_at", Instant, nullable=False),
    Column("decided_at", Instant),
    UniqueConstraint("competitor", "sku", "url", "variant"),
    Index("ix_matches_state_score", "state", "score"),
    Index("ix_matches_sku", "sku"),
    Index(
        "uq_matches_confirmed",
        "competitor",
        "sku",
        unique=True,
        sqlite_where=text("state = 'confirmed'"),
        postgresql_where=text("state = 'confirmed'"),
    ),
)

match_decisions = Table(
    "match_decisions",
    metadata,
    Column("id", BigKey, primary_key=True, autoincrement=True),
    Column("match_id", BigInteger, ForeignKey("matches.id"), nullable=False),
    Column("state", Word(MatchState), nullable=False),
    Column("by", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("at", Instant, nullable=False),
    Index("ix_match_decisions_match_id", "match_id"),
)

"""The night: runs, their jobs and steps, the processes that work on them, and effects made once."""

from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Index, Integer, Table, UniqueConstraint

from monitor.adapters.db.columns import BigKey, Day, Instant, Json, Text, Word
from monitor.adapters.db.schema.base import metadata
from monitor.domain.durability import EffectState
from monitor.domain.run import JobKind, JobState, RunState, StepState

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

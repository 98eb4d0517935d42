"""Runs, jobs and steps: their states and what is known of them from outside the process."""

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any


class RunState(StrEnum):
    """Where a night is."""

    COLLECTING = "collecting"  #: competitor jobs are open
    SYNTHESISING = "synthesising"  #: the synthesis job exists and has not ended
    REPORTED = "reported"  #: a report is stored
    FAILED = "failed"  #: the synthesis ended without a report


class JobKind(StrEnum):
    """What a job does."""

    COMPETITOR = "competitor"  #: visits one competitor
    SYNTHESIS = "synthesis"  #: proposes and reports; at most one per run


class JobState(StrEnum):
    """Where a job is."""

    QUEUED = "queued"  #: waits for a worker, or for its `run_at`
    RUNNING = "running"  #: a worker holds its lease
    DONE = "done"  #: its plan is finished
    FAILED = "failed"  #: it could not go on; `error` says why
    LATE = "late"  #: the report was made without it


class StepState(StrEnum):
    """Where a step is."""

    STARTED = "started"  #: charged and under way, or interrupted
    DONE = "done"  #: its result is the checkpoint
    ERROR = "error"  #: the tool said that it cannot succeed


#: States in which a job never changes again.
ENDED = frozenset({JobState.DONE, JobState.FAILED, JobState.LATE})


#: What began a run that repeats a night which has ended.
AGAIN = "again"


#: States in which a run never changes again.
ENDED_RUN = frozenset({RunState.REPORTED, RunState.FAILED})


@dataclass(frozen=True, slots=True)
class Run:
    """One night. Unique per (schedule, local date); its id is `schedule-date`."""

    id: str
    schedule: str
    local_date: date
    zone: str
    state: RunState
    due_at: datetime
    deadline_at: datetime
    partial: bool
    open_jobs: int
    origin: str  #: what began it: `schedule`, `manual`, `api`, `again`
    started_at: datetime
    ended_at: datetime | None
    catalogue_hash: str  #: blob with the frozen catalogue
    settings_hash: str  #: blob with the frozen plan (budgets, rules, channel …)


@dataclass(frozen=True, slots=True)
class Job:
    """One competitor of one run, or the synthesis of a run."""

    id: int
    run_id: str
    kind: JobKind
    key: str  #: competitor id; empty for the synthesis
    state: JobState
    attempts: int
    next_seq: int
    calls_used: int
    calls_limit: int
    requests_used: int
    fence: int
    owner: str | None
    lease_until: datetime | None
    run_at: datetime
    error: str | None
    started_at: datetime | None
    ended_at: datetime | None

    @property
    def name(self) -> str:
        """`run/competitor`, as people write it; the synthesis is `run/synthesis`."""
        return f"{self.run_id}/{self.key or 'synthesis'}"


@dataclass(frozen=True, slots=True)
class Step:
    """One tool call of a job and its checkpoint."""

    seq: int  #: from 1
    tool: str
    args: dict[str, Any]
    state: StepState
    attempts: int  #: how often it was started
    cost: int  #: tool calls charged per start; 0 for robots.txt
    started_at: datetime
    ended_at: datetime | None
    result: dict[str, Any] | None
    error: str | None
    result_hash: str | None = None  #: SHA-256 of a result that retention took
    result_bytes: int | None = None  #: and its size as JSON


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to work on a job until the lease ends; every write proves its fence."""

    job: Job
    owner: str
    fence: int

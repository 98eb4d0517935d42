"""When things happened within a night: bars on one scale, for the jobs of a run and the steps of a job."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from monitor.domain.run import JobState, Step, StepState
from monitor.domain.status import JobLine, RunStatus

#: Units of the scale; bars are drawn with attributes, since the content policy forbids inline styles.
SCALE = 1000
_LEAST = 4


@dataclass(frozen=True, slots=True)
class Bar:
    """One stretch of time on the scale."""

    label: str
    level: str  #: `good`, `bad`, `warn` or empty while it goes on
    start: int
    width: int
    words: str


@dataclass(frozen=True, slots=True)
class Timeline:
    """Bars in order, and what the whole scale stands for."""

    bars: tuple[Bar, ...]
    span: str


def of_run(run: RunStatus, now: datetime, names: dict[str, str]) -> Timeline:
    """Return when each job of a run was worked on, the earliest first."""
    jobs = sorted((job for job in run.jobs if job.started_at), key=lambda job: (job.started_at or now, job.competitor))
    end = max((job.ended_at or now for job in jobs), default=now)
    begin = min((job.started_at or now for job in jobs), default=now)
    bars = (
        _bar(_called(job, names), _job_level(job), job.started_at or now, job.ended_at or end, begin, end)
        for job in jobs
    )
    return Timeline(tuple(bars), _length(end - begin))


def of_steps(steps: Iterable[Step], now: datetime) -> Timeline:
    """Return when each step of a job ran."""
    found = tuple(steps)
    end = max((step.ended_at or now for step in found), default=now)
    begin = min((step.started_at for step in found), default=now)
    bars = (
        _bar(f"{step.seq} {step.tool}", _step_level(step), step.started_at, step.ended_at or end, begin, end)
        for step in found
    )
    return Timeline(tuple(bars), _length(end - begin))


def _bar(label: str, level: str, start: datetime, stop: datetime, begin: datetime, end: datetime) -> Bar:
    whole = max((end - begin).total_seconds(), 0.001)
    left = round((start - begin).total_seconds() / whole * SCALE)
    width = max(_LEAST, round((stop - start).total_seconds() / whole * SCALE))
    return Bar(label, level, min(left, SCALE - _LEAST), min(width, SCALE), _length(stop - start))


def _called(job: JobLine, names: dict[str, str]) -> str:
    return names.get(job.competitor, job.competitor) or "synthesis"


def _job_level(job: JobLine) -> str:
    return job.level or {JobState.DONE: "good", JobState.FAILED: "bad", JobState.LATE: "warn"}.get(job.state, "")


def _step_level(step: Step) -> str:
    return {StepState.DONE: "good", StepState.ERROR: "bad"}.get(step.state, "")


def _length(spent: timedelta) -> str:
    seconds = max(spent.total_seconds(), 0.0)
    if seconds < 10:
        return f"{seconds:.1f} s"
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"

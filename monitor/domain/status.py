"""How far a night is, as facts for people: one view for the pages, the API and the command line.

`status_of` only counts what it is given. Counts by outcome or state leave out what did not occur.
`as_json` is the form of the HTTP API and of `--json`: times are ISO 8601 with offset,
amounts decimal strings with the digits of their currency.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any

from monitor.domain.action import ActionState
from monitor.domain.extraction import Outcome
from monitor.domain.message import Alert, Mail
from monitor.domain.money import amount_text
from monitor.domain.observation import Observation
from monitor.domain.run import ENDED, Job, JobKind, JobState, Run, RunState, Step
from monitor.domain.unread import Rest, Result, counted_kinds


@dataclass(frozen=True, slots=True)
class JobLine:
    """One job in a list."""

    id: int
    competitor: str  #: empty for the synthesis
    kind: JobKind
    state: JobState
    attempts: int
    steps: int  #: checkpoints so far
    calls_used: int
    calls_limit: int
    requests_used: int
    started_at: datetime | None
    ended_at: datetime | None
    waits_until: datetime | None  #: when a queued job goes on, if that is later than now
    error: str | None
    watches_asked: int = 0  #: of this competitor, with a result so far
    watches_read: int = 0
    unread_words: str = ""  #: how many gave no reading, and the commonest reason; empty when all were read

    @property
    def is_cut(self) -> bool:
        """True when the budget of tool calls is spent."""
        return self.kind is JobKind.COMPETITOR and self.calls_used >= self.calls_limit

    @property
    def level(self) -> str:
        """How a visit that came to its end went: `bad` when nothing was read, `warn` with gaps; else empty."""
        if self.state is not JobState.DONE or not self.unread_words:
            return ""
        return "warn" if self.watches_read else "bad"

    @property
    def state_words(self) -> str:
        """The state for people: a visit that came to its end and read nothing is not done with."""
        return {"warn": "done, gaps", "bad": "nothing read"}.get(self.level, self.state.value)


@dataclass(frozen=True, slots=True)
class AlertLine:
    """One alert in a list."""

    kind: str
    words: str
    raised_at: datetime


@dataclass(frozen=True, slots=True)
class RunStatus:
    """One night, how far it is and what it found."""

    run: str
    date: date
    zone: str
    state: RunState
    partial: bool
    origin: str
    due_at: datetime
    deadline_at: datetime
    started_at: datetime
    ended_at: datetime | None
    jobs_total: int
    jobs_ended: int
    jobs_failed: int
    tool_calls: int
    observations: Mapping[str, int]  #: by outcome
    proposals: Mapping[str, int]  #: by state
    mails: Mapping[str, int]  #: by state
    report: bool  #: a report is stored
    jobs: tuple[JobLine, ...]
    alerts: tuple[AlertLine, ...]
    readings: Mapping[str, int] = field(default_factory=dict)  #: `observations` in the words of the report

    @property
    def jobs_empty(self) -> int:
        """How many visits came to their end and read nothing."""
        return sum(job.level == "bad" for job in self.jobs)

    @property
    def is_open(self) -> bool:
        """True while the night is under way."""
        return self.state in (RunState.COLLECTING, RunState.SYNTHESISING)


def status_of(
    run: Run,
    *,
    now: datetime,
    jobs: Sequence[Job],
    results: Mapping[str, Sequence[Result]] | None = None,
    proposals: Mapping[ActionState, int] | None = None,
    mails: Iterable[Mail] = (),
    alerts: Iterable[Alert] = (),
    report: bool = False,
) -> RunStatus:
    """Return the view of one run from what is stored about it; `results` are those of each competitor."""
    found = results or {}
    seen = [(one.outcome, one.reason, one.count) for each in found.values() for one in each]
    visits = [job for job in jobs if job.kind is JobKind.COMPETITOR]
    return RunStatus(
        run=run.id,
        date=run.local_date,
        zone=run.zone,
        state=run.state,
        partial=run.partial,
        origin=run.origin,
        due_at=run.due_at,
        deadline_at=run.deadline_at,
        started_at=run.started_at,
        ended_at=run.ended_at,
        jobs_total=len(visits),
        jobs_ended=sum(job.state in ENDED for job in visits),
        jobs_failed=sum(job.state is JobState.FAILED for job in visits),
        tool_calls=sum(job.calls_used for job in visits),
        observations=_by_outcome(seen),
        proposals={state.value: count for state, count in sorted((proposals or {}).items())},
        mails=_counted(mail.state for mail in mails),
        report=report,
        jobs=tuple(job_line(job, now, Rest.of(found.get(job.key, ()))) for job in jobs),
        alerts=tuple(AlertLine(alert.kind.value, alert.words, alert.raised_at) for alert in alerts),
        readings=counted_kinds(seen),
    )


def _by_outcome(seen: Iterable[tuple[Outcome, str, int]]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for outcome, _, count in seen:
        counts[outcome.value] += count
    return dict(sorted(counts.items()))


def _counted(words: Iterable[StrEnum]) -> dict[str, int]:
    return dict(sorted(Counter(word.value for word in words).items()))


def job_line(job: Job, now: datetime, rest: Rest | None = None) -> JobLine:
    """Return one job as it stands in a list, with what came of its watches."""
    rest = rest or Rest()
    is_waiting = job.state is JobState.QUEUED and job.run_at > now
    return JobLine(
        id=job.id,
        competitor=job.key,
        kind=job.kind,
        state=job.state,
        attempts=job.attempts,
        steps=job.next_seq - 1,
        calls_used=job.calls_used,
        calls_limit=job.calls_limit,
        requests_used=job.requests_used,
        started_at=job.started_at,
        ended_at=job.ended_at,
        waits_until=job.run_at if is_waiting else None,
        error=job.error,
        watches_asked=rest.asked,
        watches_read=rest.read,
        unread_words=rest.words,
    )


@dataclass(frozen=True, slots=True)
class Interruption:
    """One time a job lost its worker."""

    seq: int  #: the step it went on with
    cause: str
    lost_at: datetime
    resumed_at: datetime | None  #: None: nobody has taken it up yet


@dataclass(frozen=True, slots=True)
class ActionLine:
    """One proposed price change in a list."""

    key: str
    version: int
    state: ActionState
    sku: str


@dataclass(frozen=True, slots=True)
class ArtifactLine:
    """Where something that a job left is kept."""

    kind: str
    hash: str
    ref: str
    bytes: int | None  #: None when retention took them


@dataclass(frozen=True, slots=True)
class TokenLine:
    """How much of its token cap a night has spent."""

    used: int
    reserved: int
    cap: int


@dataclass(frozen=True, slots=True)
class JobStatus:
    """One job with every step that it took: its plan so far, its checkpoints and what it spent."""

    job: JobLine
    run: str
    plan: tuple[Step, ...]
    observations: tuple[Observation, ...] = ()  #: what it read; `evidence` names the stored page excerpt
    interruptions: tuple[Interruption, ...] = ()  #: when it lost its worker
    facts: Mapping[str, Any] = field(default_factory=dict)  #: what was learnt of this competitor, by name
    actions: tuple[ActionLine, ...] = ()  #: of the synthesis: proposed changes that are not settled
    artifacts: tuple[ArtifactLine, ...] = ()  #: stored bytes it left: evidence, pages, the report
    tokens: TokenLine | None = None  #: of the whole night, when models may be used


def as_json(view: RunStatus | JobStatus | JobLine) -> dict[str, Any]:
    """Return the JSON form of a view; the names are those of its fields."""
    plain: dict[str, Any] = _plain(asdict(view))
    return plain


def summary_json(view: RunStatus) -> dict[str, Any]:
    """Return the JSON form of a run in a list: without its jobs and alerts."""
    return {name: value for name, value in as_json(view).items() if name not in ("jobs", "alerts")}


def _plain(value: Any, currency: str | None = None) -> Any:
    """Return a value as JSON has it; an amount is written with the digits of the currency that stands beside it."""
    if isinstance(value, Mapping):
        given = value.get("currency")
        beside = given if isinstance(given, str) else currency
        return {str(key): _plain(item, beside) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, currency) for item in value]
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, Decimal):
        return amount_text(value, currency)
    return value if value is None or isinstance(value, bool | int | str) else str(value)

"""Runs, jobs, steps and workers: what makes a night durable.

Rules kept by every implementation: a job is claimed by a conditional update that raises its fence;
every later write of the claimant names that fence and hits one row or raises `LeaseLost`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Protocol

from monitor.domain.durability import Cause
from monitor.domain.night import Night
from monitor.domain.plan import Schedule
from monitor.domain.run import Claim, Job, JobState, Run, RunState, Step
from monitor.domain.status import Interruption


@dataclass(frozen=True, slots=True)
class NewRun:
    """A run that is about to begin, with one job per competitor."""

    schedule: Schedule
    night: Night
    origin: str
    catalogue_hash: str
    settings_hash: str
    token_cap: int
    competitors: Mapping[str, int]  #: competitor id -> its budget of tool calls
    grace: timedelta = timedelta(0)  #: a run begun after its deadline still gets this long


class Runs(Protocol):
    """The nights."""

    def begin(self, new: NewRun) -> tuple[Run, bool]:
        """Insert the run and its jobs, or return the run there is; the flag says whether it is new."""

    def get(self, run_id: str) -> Run | None:
        """Return one run."""

    def of_date(self, schedule: str, day: date) -> Run | None:
        """Return the run of one local date."""

    def latest(self, limit: int = 1) -> tuple[Run, ...]:
        """Return the newest runs by local date, newest first; of one date the last that was run again comes first."""

    def later(self, run: Run) -> tuple[Run, ...]:
        """Return the runs of nights that were due after that of `run`, oldest first."""

    def open(self) -> tuple[Run, ...]:
        """Return the runs that are neither reported nor failed, oldest first."""

    def close(self, run_id: str, state: RunState) -> None:
        """Move a run that is synthesising to `reported` or `failed`."""

    def start_synthesis(self, run_id: str, *, partial: bool) -> bool:
        """Insert the run's one synthesis job if there is none; say whether this call did."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """How much of its token cap a night has spent."""

    used: int
    reserved: int  #: by calls under way, or by ones whose process died
    cap: int

    @property
    def spent(self) -> int:
        """What counts against the cap."""
        return self.used + self.reserved


@dataclass(frozen=True, slots=True)
class Closed:
    """A step that ran, as its checkpoint keeps it."""

    seq: int
    result: dict[str, Any] | None  #: JSON values
    error: str | None = None
    requests: int = 0  #: HTTP requests it made


@dataclass(frozen=True, slots=True)
class Begun:
    """A step that is about to run, or to run again."""

    seq: int
    tool: str
    args: dict[str, Any]  #: JSON values
    cost: int  #: tool calls


class Jobs(Protocol):
    """The jobs of the runs and their steps."""

    def get(self, job_id: int) -> Job | None:
        """Return one job."""

    def find(self, run_id: str, key: str) -> Job | None:
        """Return the job of one competitor (or of the synthesis, key '') in one run."""

    def of_run(self, run_id: str) -> tuple[Job, ...]:
        """Return a run's jobs, competitors in order of their ids, the synthesis last."""

    def due(self, limit: int, *, silent_for: timedelta) -> tuple[int, ...]:
        """Return queued jobs whose time has come and that were not rung for `silent_for`, recovered ones first."""

    def ringing(self, *, silent_for: timedelta) -> int:
        """Count queued jobs that were rung within `silent_for`: wake-ups that are still on their way."""

    def rung(self, job_ids: Sequence[int]) -> None:
        """Note that these jobs were rung now."""

    def claim(self, job_id: int, owner: str, lease: timedelta) -> Claim | None:
        """Take a job that is queued and due, or whose lease has ended; None when another has it or it ended."""

    def steps(self, job_id: int) -> tuple[Step, ...]:
        """Return the steps in order."""

    def results(self, run_id: str, tool: str) -> tuple[tuple[str, dict[str, Any]], ...]:
        """Return what one tool gave in a run, each with the competitor, in order of competitor and step."""

    def checkpoint(self, claim: Claim, closed: Closed | None, begun: Begun | None, lease: timedelta) -> None:
        """Close the step that ran, write the next one as started and charge it, and renew the lease; all or nothing.

        Raises:
            BudgetExhausted: the charge would pass the job's limit; the transaction must not be committed.
            LeaseLost: the fence is not ours any more, or this very checkpoint was committed before.
        """

    def start(self, claim: Claim, seq: int, tool: str, args: dict[str, Any], cost: int, lease: timedelta) -> None:
        """Write a step as started, with nothing to close; see `checkpoint`."""

    def finish(
        self,
        claim: Claim,
        seq: int,
        *,
        result: dict[str, Any] | None,
        error: str | None,
        requests: int,
        lease: timedelta,
    ) -> None:
        """Close the started step `seq`, with nothing to start; see `checkpoint`."""

    def defer(self, claim: Claim, run_at: datetime) -> None:
        """Give the job back until `run_at`; its attempts do not count as deaths. Raises LeaseLost."""

    def end(self, claim: Claim, state: JobState, error: str | None = None) -> None:
        """End a job and count it off its run; the one that reads zero starts the synthesis. Raises LeaseLost."""

    def renew(self, owner: str, job_ids: Sequence[int], lease: timedelta) -> int:
        """Renew the leases of these jobs as far as this worker still holds them; return how many."""

    def recover(self, limit: int) -> tuple[int, ...]:
        """Queue again the jobs whose lease has ended; return them."""

    def recover_from(self, owner: str, cause: Cause) -> tuple[int, ...]:
        """Queue again every job of a worker that is known to be dead; return them.

        Wake-ups that it had taken died with it, so every queued job may be rung again at once.
        """

    def interruptions(self, job_id: int) -> tuple[Interruption, ...]:
        """Return when a job lost its worker, oldest first."""

    def reserve_tokens(self, claim: Claim, tokens: int) -> bool:
        """Reserve model tokens of the night's cap; False when it would be passed.

        A reservation that nobody settles, because the process died in the call, stays spent.
        """

    def settle_tokens(self, claim: Claim, reserved: int, used: int) -> None:
        """Turn a reservation into what was really used. Raises LeaseLost."""

    def token_use(self, run_id: str) -> Tokens:
        """Return how much of its token cap a night has spent."""


@dataclass(frozen=True, slots=True)
class WorkerRow:
    """One incarnation of a working process."""

    id: str
    role: str
    host: str
    pid: int
    started_at: datetime
    heartbeat_at: datetime
    draining_at: datetime | None = None  #: when it was asked to end


class Workers(Protocol):
    """The living processes."""

    def register(self, worker_id: str, role: str, host: str, pid: int) -> None:
        """Write a new incarnation."""

    def heartbeat(self, worker_id: str, *, is_draining: bool = False) -> None:
        """Say that it lives, and whether it was asked to end."""

    def all(self) -> tuple[WorkerRow, ...]:
        """Return every registered incarnation."""

    def remove(self, worker_id: str) -> None:
        """Forget one that ended or was found dead: what it was doing to the outside world is nobody's any more."""

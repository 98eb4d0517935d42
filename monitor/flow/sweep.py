"""Repair and wake, every second, in every working process.

Each part is a plain bounded function that a test can call. The sweep is no job of the queue it repairs. Running
it twice at once is harmless: every part is a conditional update, and a job rung twice is claimed once.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from monitor.domain.durability import Cause
from monitor.domain.message import Alert, AlertKind
from monitor.domain.night import Night, owed
from monitor.domain.plan import Schedule
from monitor.domain.run import JobState, Run, RunState
from monitor.durable import every_part
from monitor.ports.store import Store, Unit
from monitor.ports.world import Doorbell

#: Rows that one part handles in one sweep.
LIMIT = 100
#: A queued job is rung again after this long without being claimed.
SILENT_FOR = timedelta(seconds=10)


class Liveness(Protocol):
    """Knows which incarnations are dead; see `adapters.liveness`."""

    def is_dead(self, worker_id: str) -> bool:
        """Say whether the holder of this lock is gone."""

    def forget(self, worker_id: str) -> None:
        """Remove the lock of a dead incarnation."""


@dataclass(frozen=True, slots=True)
class Swept:
    """What one sweep did, for the log."""

    recovered: tuple[int, ...] = ()  #: jobs taken from dead workers and ended leases
    rung: tuple[int, ...] = ()  #: jobs that were rung
    cut_off: tuple[str, ...] = ()  #: runs whose synthesis was started
    failed: tuple[str, ...] = ()  #: runs that have no report and will get none


def recover_dead(store: Store, liveness: Liveness, own_id: str) -> tuple[int, ...]:
    """Queue again the jobs of every registered worker whose lock is free; return them."""
    with store.read() as unit:
        others = [row for row in unit.workers.all() if row.id != own_id]
    recovered: list[int] = []
    for row in others:
        if not liveness.is_dead(row.id):
            continue
        with store.write() as unit:
            cause = Cause.DIED if row.draining_at is None else Cause.STOPPED
            recovered += unit.jobs.recover_from(row.id, cause)
            unit.workers.remove(row.id)
        liveness.forget(row.id)
    return tuple(recovered)


def recover_expired(store: Store) -> tuple[int, ...]:
    """Queue again the jobs whose lease has ended: their host is lost, or their process stopped; return them."""
    with store.write() as unit:
        return unit.jobs.recover(LIMIT)


def ring_due(store: Store, bell: Doorbell, *, room: int = LIMIT) -> tuple[int, ...]:
    """Ring for queued jobs whose time has come, interrupted ones first; return them.

    Args:
        room: most wake-ups on their way at once, so that thousands of jobs do not sit in the prefetch of one process.
    """
    with store.read() as unit:
        if not unit.jobs.due(1, silent_for=SILENT_FOR):
            return ()
    with store.write() as unit:
        free = max(room - unit.jobs.ringing(silent_for=SILENT_FOR), 0)
        due = unit.jobs.due(min(free, LIMIT), silent_for=SILENT_FOR) if free else ()
        unit.jobs.rung(due)
    for job_id in due:
        bell.ring(job_id)
    return due


def settle_runs(store: Store) -> tuple[str, ...]:
    """Start the synthesis of runs past their deadline, and of those whose jobs have all ended; return their ids.

    The second is a net: the job that ends last starts the synthesis itself.
    """
    with store.read() as unit:
        waiting = [run for run in unit.runs.open() if run.state is RunState.COLLECTING]
        overdue = [run for run in waiting if run.open_jobs == 0 or unit.now >= run.deadline_at]
    for run in overdue:
        with store.write() as unit:
            _start_synthesis(unit, run)
    return tuple(run.id for run in overdue)


def _start_synthesis(unit: Unit, run: Run) -> None:
    is_partial = run.open_jobs > 0
    if unit.runs.start_synthesis(run.id, partial=is_partial) and is_partial:
        words = (
            f"The report of {run.local_date} was made at its deadline with {run.open_jobs} competitors still open. "
            "What they find later is kept and shown, and does not change the report."
        )
        unit.alerts.raise_once(Alert(f"deadline:{run.id}", AlertKind.DEADLINE, run.id, words, unit.now))


def close_stranded(store: Store) -> tuple[str, ...]:
    """Mark runs failed whose synthesis job failed, and say so; return their ids."""
    with store.read() as unit:
        runs = [run for run in unit.runs.open() if run.state is RunState.SYNTHESISING]
        failed = [run for run in runs if (job := unit.jobs.find(run.id, "")) and job.state is JobState.FAILED]
    for run in failed:
        with store.write() as unit:
            unit.runs.close(run.id, RunState.FAILED)
            see = f"See: monitor job show {run.id}/synthesis"
            words = f"The night of {run.local_date} has no report: its synthesis failed. {see}"
            unit.alerts.raise_once(Alert(f"failed:{run.id}", AlertKind.DEADLINE, run.id, words, unit.now))
    return tuple(run.id for run in failed)


def owed_night(store: Store, schedule: Schedule, now: datetime) -> Night | None:
    """Return the night that is due and has no run yet, or None."""
    night = owed(now, schedule)
    if night is None:
        return None
    with store.read() as unit:
        return None if unit.runs.of_date(schedule.name, night.local_date) else night


def sweep(store: Store, bell: Doorbell, liveness: Liveness, own_id: str, *, room: int = LIMIT) -> Swept:
    """Do every part once, also when one before it fails."""
    recovered: list[int] = []
    rung: list[int] = []
    cut_off: list[str] = []
    failed: list[str] = []
    every_part(
        lambda: recovered.extend(recover_dead(store, liveness, own_id)),
        lambda: recovered.extend(recover_expired(store)),
        lambda: cut_off.extend(settle_runs(store)),
        lambda: failed.extend(close_stranded(store)),
        lambda: rung.extend(ring_due(store, bell, room=room)),
    )
    return Swept(tuple(recovered), tuple(rung), tuple(cut_off), tuple(failed))

"""The nights: begun once per local date, closed once."""

from collections.abc import Sequence
from datetime import date
from itertools import starmap
from typing import Any

from sqlalchemy import Row, bindparam, case, func, select, update

from monitor.adapters.db.prepared import Prepared
from monitor.adapters.db.schema import jobs, runs
from monitor.adapters.db.transaction import Transaction
from monitor.domain.run import AGAIN, JobKind, JobState, Run, RunState
from monitor.ports.jobs import NewRun

#: A synthesis makes no tool calls unless a model writes prose; its budget is for those.
SYNTHESIS_CALLS = 4

_RUN = tuple(runs.c[name] for name in Run.__dataclass_fields__)
_GET = Prepared(select(*_RUN).where(runs.c.id == bindparam("run")))
_STATE = runs.c.state
_OPEN = Prepared(
    select(*_RUN).where((_STATE == RunState.COLLECTING) | (_STATE == RunState.SYNTHESISING)).order_by(runs.c.due_at)
)


class RunTable:
    """`monitor.ports.jobs.Runs` on SQL."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    def begin(self, new: NewRun) -> tuple[Run, bool]:
        """Insert the run and its jobs, or return the run there is."""
        run_id = f"{new.schedule.name}-{new.night.local_date.isoformat()}"
        is_new = self._tx.insert_once(runs, self._values(run_id, new))
        if is_new and new.competitors:
            self._tx.run(jobs.insert(), [self._job(run_id, key, calls) for key, calls in new.competitors.items()])
        if is_new and not new.competitors:
            self.start_synthesis(run_id, partial=False)
        run = self.of_date(new.schedule.name, new.night.local_date)
        if run is None:
            raise LookupError(f"{run_id}: neither inserted nor found; the runs table was changed by hand")
        return run, is_new

    def _values(self, run_id: str, new: NewRun) -> dict[str, Any]:
        return {
            "id": run_id,
            "schedule": new.schedule.name,
            "local_date": new.night.local_date,
            "zone": new.schedule.zone,
            "state": RunState.COLLECTING,
            "due_at": new.night.due_at,
            "deadline_at": max(new.night.deadline_at, self._tx.now + new.grace),
            "partial": False,
            "open_jobs": len(new.competitors),
            "origin": new.origin,
            "catalogue_hash": new.catalogue_hash,
            "settings_hash": new.settings_hash,
            "token_cap": new.token_cap,
            "tokens_used": 0,
            "tokens_reserved": 0,
            "started_at": self._tx.now,
        }

    def _job(self, run_id: str, key: str, calls: int, kind: JobKind = JobKind.COMPETITOR) -> dict[str, Any]:
        return {
            "run_id": run_id,
            "kind": kind,
            "key": key,
            "state": JobState.QUEUED,
            "run_at": self._tx.now,
            "attempts": 0,
            "next_seq": 1,
            "calls_used": 0,
            "calls_limit": calls,
            "requests_used": 0,
            "fence": 0,
        }

    def get(self, run_id: str) -> Run | None:
        """Return one run."""
        row = _GET.one(self._tx, {"run": run_id})
        return None if row is None else Run(*row)

    def of_date(self, schedule: str, day: date) -> Run | None:
        """Return the run of one local date."""
        query = select(runs).where(runs.c.schedule == schedule, runs.c.local_date == day)
        return _one(self._tx.run(query).all())

    def latest(self, limit: int = 1) -> tuple[Run, ...]:
        """Return the newest runs by local date, newest first; of one date the last that was run again comes first."""
        again = case((runs.c.origin == AGAIN, func.length(runs.c.schedule)), else_=0)  # nightly.9 before nightly.10
        last = case((runs.c.origin == AGAIN, runs.c.schedule), else_="")
        newest = (runs.c.local_date.desc(), again.desc(), last.desc(), runs.c.id)
        return tuple(_run(row) for row in self._tx.run(select(runs).order_by(*newest).limit(limit)).all())

    def later(self, run: Run) -> tuple[Run, ...]:
        """Return the runs of nights that were due after that of `run`, oldest first."""
        query = select(runs).where(runs.c.due_at > run.due_at).order_by(runs.c.due_at, runs.c.id)
        return tuple(_run(row) for row in self._tx.run(query).all())

    def open(self) -> tuple[Run, ...]:
        """Return the runs that are neither reported nor failed, oldest first."""
        return tuple(starmap(Run, _OPEN.rows(self._tx, {})))

    def close(self, run_id: str, state: RunState) -> None:
        """Move a run that is synthesising to its last state."""
        self._tx.run(
            update(runs)
            .where(runs.c.id == run_id, runs.c.state == RunState.SYNTHESISING)
            .values(state=state, ended_at=self._tx.now)
        )

    def start_synthesis(self, run_id: str, *, partial: bool) -> bool:
        """Insert the run's one synthesis job and move the run on, unless it has one."""
        moved = self._tx.run(
            update(runs)
            .where(runs.c.id == run_id, runs.c.state == RunState.COLLECTING)
            .values(state=RunState.SYNTHESISING, partial=partial)
        )
        if moved.rowcount != 1:
            return False
        return self._tx.insert_once(jobs, self._job(run_id, "", SYNTHESIS_CALLS, JobKind.SYNTHESIS))


def _one(rows: Sequence[Row[Any]]) -> Run | None:
    return _run(rows[0]) if rows else None


def _run(row: Row[Any]) -> Run:
    values = row._mapping
    return Run(**{name: values[name] for name in Run.__dataclass_fields__})

"""Jobs and their steps: fenced claims, charged starts, checkpoints and the fan-in.

Every write of a claimant goes through `_fenced` or `checkpoint`, one conditional UPDATE that must hit one row. That
is what stops a zombie: its fence is old, so the row count is zero and its transaction is rolled back.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import starmap
from typing import Any

from sqlalchemy import Integer, Row, and_, bindparam, func, or_, select, update

from monitor.adapters.db.prepared import Prepared
from monitor.adapters.db.repositories.checkpoints import checkpoint, held
from monitor.adapters.db.repositories.recoveries import (
    forget_rings,
    interruptions,
    lease_ended,
    requeue,
    resumed,
)
from monitor.adapters.db.repositories.runs import RunTable
from monitor.adapters.db.schema import jobs, runs, steps
from monitor.adapters.db.transaction import Transaction
from monitor.domain.durability import Cause
from monitor.domain.run import Claim, Job, JobKind, JobState, RunState, Step, StepState
from monitor.domain.status import Interruption
from monitor.errors import LeaseLost
from monitor.ports.jobs import Begun, Closed, Tokens

# Written once: what every claim and every end runs. Writing a statement costs more than running it.
_JOB = tuple(jobs.c[name] for name in Job.__dataclass_fields__)
_STEP = tuple(steps.c[name] for name in Step.__dataclass_fields__)
_TAKE = Prepared(
    update(jobs)
    .where(jobs.c.id == bindparam("job"), jobs.c.state == JobState.QUEUED, jobs.c.run_at <= bindparam("now"))
    .values(
        state=JobState.RUNNING,
        fence=jobs.c.fence + 1,
        owner=bindparam("claimant"),
        lease_until=bindparam("until"),
        attempts=jobs.c.attempts + 1,
        started_at=func.coalesce(jobs.c.started_at, bindparam("now", type_=jobs.c.started_at.type)),
    )
    .returning(*_JOB)
)
#: Asked when a job could not be taken, mostly because it is worked on or ended: freeing it is dear even in vain.
_IS_LEFT = Prepared(
    select(jobs.c.id).where(
        jobs.c.id == bindparam("job"), jobs.c.state == JobState.RUNNING, jobs.c.lease_until < bindparam("now")
    )
)
#: Asked every second; freeing in vain would look at every job's steps.
_IS_ANY_LEFT = Prepared(
    select(jobs.c.id).where(jobs.c.state == JobState.RUNNING, jobs.c.lease_until < bindparam("now")).limit(1)
)
_STEPS = Prepared(select(*_STEP).where(steps.c.job_id == bindparam("job")).order_by(steps.c.seq))
_DUE = Prepared(
    select(jobs.c.id)
    .where(
        jobs.c.state == JobState.QUEUED,
        jobs.c.run_at <= bindparam("now"),
        or_(jobs.c.woken_at.is_(None), jobs.c.woken_at <= bindparam("silent", type_=jobs.c.woken_at.type)),
    )
    .order_by((jobs.c.attempts == 0).cast(Integer), jobs.c.run_at, jobs.c.id)
    .limit(bindparam("limit", type_=Integer()))
)
_RINGING = Prepared(select(func.count()).where(jobs.c.state == JobState.QUEUED, jobs.c.woken_at > bindparam("silent")))
_COUNT_OFF = Prepared(
    update(runs)
    .where(runs.c.id == bindparam("run"))
    .values(open_jobs=runs.c.open_jobs - 1)
    .returning(runs.c.open_jobs, runs.c.state)
)
_END = Prepared(
    update(jobs)
    .where(jobs.c.id == bindparam("job"), jobs.c.fence == bindparam("held"), jobs.c.state == JobState.RUNNING)
    .values(state=bindparam("ended"), error=bindparam("why"), ended_at=bindparam("now"), owner=None, lease_until=None)
)


class JobTable:
    """`monitor.ports.jobs.Jobs` on SQL."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    def get(self, job_id: int) -> Job | None:
        """Return one job."""
        row = self._tx.run(select(jobs).where(jobs.c.id == job_id)).one_or_none()
        return None if row is None else _job(row)

    def find(self, run_id: str, key: str) -> Job | None:
        """Return the job of one competitor, or of the synthesis (key '')."""
        row = self._tx.run(select(jobs).where(jobs.c.run_id == run_id, jobs.c.key == key)).one_or_none()
        return None if row is None else _job(row)

    def of_run(self, run_id: str) -> tuple[Job, ...]:
        """Return a run's jobs, competitors in order of their ids, the synthesis last."""
        query = select(jobs).where(jobs.c.run_id == run_id).order_by(jobs.c.kind, jobs.c.key)
        return tuple(_job(row) for row in self._tx.run(query).all())

    def due(self, limit: int, *, silent_for: timedelta) -> tuple[int, ...]:
        """Return queued, due and long enough unrung jobs; those that were interrupted come first."""
        asked = {"now": self._tx.now, "silent": self._tx.now - silent_for, "limit": limit}
        return tuple(job_id for (job_id,) in _DUE.rows(self._tx, asked))

    def ringing(self, *, silent_for: timedelta) -> int:
        """Count wake-ups that are still on their way."""
        ((count,),) = _RINGING.rows(self._tx, {"silent": self._tx.now - silent_for})
        return int(count)

    def rung(self, job_ids: Sequence[int]) -> None:
        """Note that these jobs were rung now."""
        if job_ids:
            self._tx.run(update(jobs).where(jobs.c.id.in_(job_ids)).values(woken_at=self._tx.now))

    def claim(self, job_id: int, owner: str, lease: timedelta) -> Claim | None:
        """Take a job that is queued and due, or whose lease has ended."""
        job = self._take(job_id, owner, lease)
        if job is None and _IS_LEFT.one(self._tx, {"job": job_id, "now": self._tx.now}) is not None:
            requeue(self._tx, and_(jobs.c.id == job_id, lease_ended(self._tx)), Cause.SILENT, 1)
            job = self._take(job_id, owner, lease)
        if job is None:
            return None
        if job.fence > 1:
            resumed(self._tx, job_id)
        return Claim(job, owner, job.fence)

    def _take(self, job_id: int, owner: str, lease: timedelta) -> Job | None:
        now = self._tx.now
        values = {"job": job_id, "claimant": owner, "now": now, "until": now + lease}
        row = _TAKE.one(self._tx, values)
        return None if row is None else Job(*row)

    def steps(self, job_id: int) -> tuple[Step, ...]:
        """Return the steps in order."""
        return tuple(starmap(Step, _STEPS.rows(self._tx, {"job": job_id})))

    def results(self, run_id: str, tool: str) -> tuple[tuple[str, dict[str, Any]], ...]:
        """Return what one tool gave in a run, each with the competitor; results that retention took are left out."""
        query = (
            select(jobs.c.key, steps.c.result)
            .join(steps, steps.c.job_id == jobs.c.id)
            .where(jobs.c.run_id == run_id, steps.c.tool == tool, steps.c.state == StepState.DONE)
            .order_by(jobs.c.key, steps.c.seq)
        )
        return tuple((row.key, row.result) for row in self._tx.run(query) if row.result is not None)

    def checkpoint(self, claim: Claim, closed: Closed | None, begun: Begun | None, lease: timedelta) -> None:
        """Close one step and start the next in at most three statements."""
        checkpoint(self._tx, claim, closed, begun, lease)

    def start(self, claim: Claim, seq: int, tool: str, args: dict[str, Any], cost: int, lease: timedelta) -> None:
        """Write a step as started, or started again, and charge it."""
        checkpoint(self._tx, claim, None, Begun(seq, tool, args, cost), lease)

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
        """Close a started step, count its HTTP requests and renew the lease."""
        checkpoint(self._tx, claim, Closed(seq, result, error, requests), None, lease)

    def defer(self, claim: Claim, run_at: datetime) -> None:
        """Give the job back until `run_at`; a polite wait is no attempt, more than one attempt means a death."""
        self._fenced(
            claim,
            state=JobState.QUEUED,
            run_at=run_at,
            owner=None,
            lease_until=None,
            woken_at=None,
            attempts=jobs.c.attempts - 1,
        )

    def end(self, claim: Claim, state: JobState, error: str | None = None) -> None:
        """End a job; the one that brings its run's open jobs to zero starts the synthesis."""
        late = False
        if claim.job.kind is JobKind.COMPETITOR:
            late = self._count_off(claim.job.run_id)
        ended = JobState.LATE if late and state is JobState.DONE else state
        values = {"job": claim.job.id, "held": claim.fence, "ended": ended, "why": error, "now": self._tx.now}
        if _END.hits(self._tx, values) != 1:
            raise LeaseLost(claim.job.name, claim.fence)

    def _count_off(self, run_id: str) -> bool:
        """Count one job off its run; say whether the report was begun without it."""
        ((open_jobs, state),) = _COUNT_OFF.rows(self._tx, {"run": run_id})
        if state is RunState.COLLECTING and open_jobs == 0:
            RunTable(self._tx).start_synthesis(run_id, partial=False)
        return state is not RunState.COLLECTING

    def renew(self, owner: str, job_ids: Sequence[int], lease: timedelta) -> int:
        """Renew the leases of these jobs as far as this worker still holds them."""
        if not job_ids:
            return 0
        mine = and_(jobs.c.id.in_(job_ids), jobs.c.owner == owner, jobs.c.state == JobState.RUNNING)
        return self._tx.run(update(jobs).where(mine).values(lease_until=self._tx.now + lease)).rowcount

    def recover(self, limit: int) -> tuple[int, ...]:
        """Queue again the jobs whose lease has ended."""
        if _IS_ANY_LEFT.one(self._tx, {"now": self._tx.now}) is None:
            return ()
        return requeue(self._tx, lease_ended(self._tx), Cause.SILENT, limit)

    def recover_from(self, owner: str, cause: Cause) -> tuple[int, ...]:
        """Queue again every job of a dead worker, and let those be rung again whose wake-up it may have had."""
        forget_rings(self._tx)
        return requeue(self._tx, and_(jobs.c.state == JobState.RUNNING, jobs.c.owner == owner), cause, 10_000)

    def interruptions(self, job_id: int) -> tuple[Interruption, ...]:
        """Return when a job lost its worker, oldest first."""
        return interruptions(self._tx, job_id)

    def reserve_tokens(self, claim: Claim, tokens: int) -> bool:
        """Reserve model tokens of the night's cap."""
        fits = runs.c.tokens_used + runs.c.tokens_reserved + tokens <= runs.c.token_cap
        reserved = update(runs).where(runs.c.id == claim.job.run_id, fits)
        return self._tx.run(reserved.values(tokens_reserved=runs.c.tokens_reserved + tokens)).rowcount == 1

    def settle_tokens(self, claim: Claim, reserved: int, used: int) -> None:
        """Turn a reservation into what was used."""
        self._fenced(claim, owner=claim.owner)
        self._tx.run(
            update(runs)
            .where(runs.c.id == claim.job.run_id)
            .values(tokens_reserved=runs.c.tokens_reserved - reserved, tokens_used=runs.c.tokens_used + used)
        )

    def token_use(self, run_id: str) -> Tokens:
        """Return how much of its token cap a night has spent."""
        query = select(runs.c.tokens_used, runs.c.tokens_reserved, runs.c.token_cap).where(runs.c.id == run_id)
        row = self._tx.run(query).one()
        return Tokens(row.tokens_used, row.tokens_reserved, row.token_cap)

    def _fenced(self, claim: Claim, **values: Any) -> None:
        if self._tx.run(update(jobs).where(held(claim)).values(**values)).rowcount != 1:
            raise LeaseLost(claim.job.name, claim.fence)


def _job(row: Row[Any]) -> Job:
    values = row._mapping
    return Job(**{name: values[name] for name in Job.__dataclass_fields__})

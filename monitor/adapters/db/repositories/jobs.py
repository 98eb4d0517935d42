"""Jobs and their steps: fenced claims, charged starts, checkpoints and the fan-in.

Every write of a claimant goes through `_fenced`, one conditional UPDATE that must hit one row. That
is what stops a zombie: its fence is old, so the row count is zero and its transaction is rolled back.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Integer, Row, and_, func, or_, select, update

from monitor.adapters.db.repositories.runs import RunTable
from monitor.adapters.db.schema import jobs, recoveries, runs, steps
from monitor.adapters.db.transaction import Transaction
from monitor.domain.run import Claim, Job, JobKind, JobState, RunState, Step, StepState
from monitor.errors import BudgetExhausted, LeaseLost


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
        query = (
            select(jobs.c.id)
            .where(
                jobs.c.state == JobState.QUEUED,
                jobs.c.run_at <= self._tx.now,
                or_(jobs.c.woken_at.is_(None), jobs.c.woken_at <= self._tx.now - silent_for),
            )
            .order_by((jobs.c.attempts == 0).cast(Integer), jobs.c.run_at, jobs.c.id)
            .limit(limit)
        )
        return tuple(self._tx.run(query).scalars())

    def ringing(self, *, silent_for: timedelta) -> int:
        """Count wake-ups that are still on their way."""
        rung = jobs.c.woken_at > self._tx.now - silent_for
        counted = select(func.count()).where(jobs.c.state == JobState.QUEUED, rung)
        return int(self._tx.run(counted).scalar_one())

    def rung(self, job_ids: Sequence[int]) -> None:
        """Note that these jobs were rung now."""
        if job_ids:
            self._tx.run(update(jobs).where(jobs.c.id.in_(job_ids)).values(woken_at=self._tx.now))

    def claim(self, job_id: int, owner: str, lease: timedelta) -> Claim | None:
        """Take a job that is queued and due, or whose lease has ended."""
        free = or_(
            and_(jobs.c.state == JobState.QUEUED, jobs.c.run_at <= self._tx.now),
            and_(jobs.c.state == JobState.RUNNING, jobs.c.lease_until < self._tx.now),
        )
        taken = (
            update(jobs)
            .where(jobs.c.id == job_id, free)
            .values(
                state=JobState.RUNNING,
                fence=jobs.c.fence + 1,
                owner=owner,
                lease_until=self._tx.now + lease,
                attempts=jobs.c.attempts + 1,
            )
            .returning(*jobs.c)
        )
        row = self._tx.run(taken).one_or_none()
        if row is None:
            return None
        job = _job(row)
        if job.started_at is None:
            self._tx.run(update(jobs).where(jobs.c.id == job_id).values(started_at=self._tx.now))
        else:
            self._tx.run(
                update(recoveries)
                .where(recoveries.c.job_id == job_id, recoveries.c.resumed_at.is_(None))
                .values(resumed_at=self._tx.now)
            )
        return Claim(job, owner, job.fence)

    def steps(self, job_id: int) -> tuple[Step, ...]:
        """Return the steps in order."""
        query = select(steps).where(steps.c.job_id == job_id).order_by(steps.c.seq)
        return tuple(_step(row) for row in self._tx.run(query).all())

    def start(self, claim: Claim, seq: int, tool: str, args: dict[str, Any], cost: int, lease: timedelta) -> None:
        """Write a step as started, or started again (as the plan of this version asks for it), and charge it."""
        self._charge(claim, tool, cost, lease)
        again = self._tx.run(
            update(steps)
            .where(steps.c.job_id == claim.job.id, steps.c.seq == seq)
            .values(tool=tool, args=args, fence=claim.fence, attempts=steps.c.attempts + 1, started_at=self._tx.now)
        )
        if again.rowcount == 0:
            self._tx.run(
                steps.insert(),
                {
                    "job_id": claim.job.id,
                    "seq": seq,
                    "fence": claim.fence,
                    "tool": tool,
                    "args": args,
                    "state": StepState.STARTED,
                    "attempts": 1,
                    "cost": cost,
                    "started_at": self._tx.now,
                },
            )

    def _charge(self, claim: Claim, tool: str, cost: int, lease: timedelta) -> None:
        affordable = jobs.c.calls_used + cost <= jobs.c.calls_limit
        charged = self._tx.run(
            update(jobs)
            .where(_held(claim), affordable if cost else True)  # type: ignore[arg-type]  # a plain True is allowed
            .values(calls_used=jobs.c.calls_used + cost, lease_until=self._tx.now + lease)
        )
        if charged.rowcount == 1:
            return
        self._fenced(claim, lease_until=self._tx.now + lease)  # raises when it was not the money
        raise BudgetExhausted(claim.job.name, tool, claim.job.calls_limit)

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
        self._fenced(
            claim,
            jobs.c.next_seq == seq,  # zero rows too when this very checkpoint was committed before the connection broke
            next_seq=seq + 1,
            requests_used=jobs.c.requests_used + requests,
            lease_until=self._tx.now + lease,
        )
        self._tx.run(
            update(steps)
            .where(steps.c.job_id == claim.job.id, steps.c.seq == seq, steps.c.state == StepState.STARTED)
            .values(
                state=StepState.DONE if error is None else StepState.ERROR,
                ended_at=self._tx.now,
                result=result,
                error=error,
                fence=claim.fence,
            )
        )

    def defer(self, claim: Claim, run_at: datetime) -> None:
        """Give the job back until `run_at`."""
        self._fenced(claim, state=JobState.QUEUED, run_at=run_at, owner=None, lease_until=None, woken_at=None)

    def end(self, claim: Claim, state: JobState, error: str | None = None) -> None:
        """End a job; the one that brings its run's open jobs to zero starts the synthesis."""
        late = False
        if claim.job.kind is JobKind.COMPETITOR:
            late = self._count_off(claim.job.run_id)
        self._fenced(
            claim,
            state=JobState.LATE if late and state is JobState.DONE else state,
            error=error,
            ended_at=self._tx.now,
            owner=None,
            lease_until=None,
        )

    def _count_off(self, run_id: str) -> bool:
        """Count one job off its run; say whether the report was begun without it."""
        counted = (
            update(runs)
            .where(runs.c.id == run_id)
            .values(open_jobs=runs.c.open_jobs - 1)
            .returning(runs.c.open_jobs, runs.c.state)
        )
        run = self._tx.run(counted).one()
        if run.state is RunState.COLLECTING and run.open_jobs == 0:
            RunTable(self._tx).start_synthesis(run_id, partial=False)
        return bool(run.state is not RunState.COLLECTING)

    def renew(self, owner: str, job_ids: Sequence[int], lease: timedelta) -> int:
        """Renew the leases of these jobs as far as this worker still holds them."""
        if not job_ids:
            return 0
        held = and_(jobs.c.id.in_(job_ids), jobs.c.owner == owner, jobs.c.state == JobState.RUNNING)
        return self._tx.run(update(jobs).where(held).values(lease_until=self._tx.now + lease)).rowcount

    def recover(self, limit: int) -> tuple[int, ...]:
        """Queue again the jobs whose lease has ended."""
        ended = and_(jobs.c.state == JobState.RUNNING, jobs.c.lease_until < self._tx.now)
        return self._requeue(ended, "lease ended", limit)

    def recover_from(self, owner: str, cause: str) -> tuple[int, ...]:
        """Queue again every job of a dead worker."""
        return self._requeue(and_(jobs.c.state == JobState.RUNNING, jobs.c.owner == owner), cause, 10_000)

    def _requeue(self, which: ColumnElement[bool], cause: str, limit: int) -> tuple[int, ...]:
        chosen = select(jobs.c.id).where(which).order_by(jobs.c.id).limit(limit)
        freed = (
            update(jobs)
            .where(jobs.c.id.in_(chosen), which)
            .values(state=JobState.QUEUED, run_at=self._tx.now, owner=None, lease_until=None, woken_at=None)
            .returning(jobs.c.id, jobs.c.run_id, jobs.c.next_seq)
        )
        rows = self._tx.run(freed).all()
        lost = [
            {"run_id": row.run_id, "job_id": row.id, "seq": row.next_seq, "cause": cause, "lost_at": self._tx.now}
            for row in rows
        ]
        if lost:
            self._tx.run(recoveries.insert(), lost)
        return tuple(sorted(row.id for row in rows))

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

    def _fenced(self, claim: Claim, *conditions: ColumnElement[bool], **values: Any) -> None:
        if self._tx.run(update(jobs).where(_held(claim), *conditions).values(**values)).rowcount != 1:
            raise LeaseLost(claim.job.name, claim.fence)


def _held(claim: Claim) -> ColumnElement[bool]:
    return and_(jobs.c.id == claim.job.id, jobs.c.fence == claim.fence, jobs.c.state == JobState.RUNNING)


def _job(row: Row[Any]) -> Job:
    values = row._mapping
    return Job(**{name: values[name] for name in Job.__dataclass_fields__})


def _step(row: Row[Any]) -> Step:
    values = row._mapping
    return Step(**{name: values[name] for name in Step.__dataclass_fields__})

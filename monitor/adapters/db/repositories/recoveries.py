"""Interruptions: which job lost its worker when, and when another took it up.

`lost_at` is the best that can be known of the moment of death. While somebody sweeps, a death is seen within a
second of it, and that moment is taken. When nobody did (the only process died, the host was down), the last sign
of life is: the worker's last heartbeat or the start of the step it died in.
"""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Row, and_, func, select, update

from monitor.adapters.db.schema import jobs, recoveries, steps, workers
from monitor.adapters.db.transaction import Transaction
from monitor.domain.durability import Cause
from monitor.domain.run import JobState
from monitor.domain.status import Interruption

#: A living process gives a sign of life at least this often: a heartbeat every 4 s and some slack.
SIGN_OF_LIFE = timedelta(seconds=6)


def lease_ended(tx: Transaction) -> ColumnElement[bool]:
    """Return the condition that a job's worker did not renew in time."""
    return and_(jobs.c.state == JobState.RUNNING, jobs.c.lease_until < tx.now)


def requeue(tx: Transaction, which: ColumnElement[bool], cause: Cause, limit: int) -> tuple[int, ...]:
    """Queue running jobs again and note that each was interrupted; return them."""
    alive = select(func.max(steps.c.started_at)).where(steps.c.job_id == jobs.c.id).scalar_subquery()
    heard = func.coalesce(
        select(workers.c.heartbeat_at).where(workers.c.id == jobs.c.owner).scalar_subquery(), jobs.c.started_at
    )
    chosen = select(jobs.c.id, alive.label("began"), heard.label("heard")).where(which).order_by(jobs.c.id).limit(limit)
    signs = {row.id: row for row in tx.run(chosen).all()}
    if not signs:
        return ()
    freed = (
        update(jobs)
        .where(jobs.c.id.in_(signs), which)
        .values(state=JobState.QUEUED, run_at=tx.now, owner=None, lease_until=None, woken_at=None)
        .returning(jobs.c.id, jobs.c.run_id, jobs.c.next_seq)
    )
    lost = [_interruption(row, signs[row.id], cause, tx.now) for row in tx.run(freed).all()]
    if lost:
        tx.run(recoveries.insert(), lost)
    return tuple(sorted(each["job_id"] for each in lost))


def _interruption(row: Row[Any], signs: Row[Any], cause: Cause, now: datetime) -> dict[str, Any]:
    last = max((sign for sign in (signs.began, signs.heard) if sign), default=now)
    lost_at = now if now - last <= SIGN_OF_LIFE else last
    return {"run_id": row.run_id, "job_id": row.id, "seq": row.next_seq, "cause": cause.value, "lost_at": lost_at}


def forget_rings(tx: Transaction) -> None:
    """Let every queued job be rung again: wake-ups that a dead process had taken from the broker died with it."""
    tx.run(update(jobs).where(jobs.c.state == JobState.QUEUED, jobs.c.woken_at.is_not(None)).values(woken_at=None))


def resumed(tx: Transaction, job_id: int) -> None:
    """Note that an interrupted job was taken up again now."""
    tx.run(
        update(recoveries)
        .where(recoveries.c.job_id == job_id, recoveries.c.resumed_at.is_(None))
        .values(resumed_at=tx.now)
    )


def interruptions(tx: Transaction, job_id: int) -> tuple[Interruption, ...]:
    """Return when a job lost its worker, oldest first."""
    columns = (recoveries.c.seq, recoveries.c.cause, recoveries.c.lost_at, recoveries.c.resumed_at)
    query = select(*columns).where(recoveries.c.job_id == job_id).order_by(recoveries.c.id)
    return tuple(Interruption(**row._mapping) for row in tx.run(query).all())

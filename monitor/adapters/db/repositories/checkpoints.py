"""The checkpoint: one fenced update of the job, one of the step that ran, one row for the step that begins.

This is what every step of every night waits for, so the statements are written once and only filled in.
"""

from datetime import timedelta
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Executable, and_, bindparam, select, update
from sqlalchemy.dialects import postgresql, sqlite

from monitor.adapters.db.schema import jobs, steps
from monitor.adapters.db.transaction import Transaction
from monitor.domain.run import Claim, JobState, StepState
from monitor.errors import BudgetExhausted, LeaseLost
from monitor.ports.jobs import Begun, Closed

_OURS = and_(jobs.c.id == bindparam("job"), jobs.c.fence == bindparam("held"), jobs.c.state == JobState.RUNNING)
_RENEWAL = {
    "calls_used": jobs.c.calls_used + bindparam("cost"),
    "requests_used": jobs.c.requests_used + bindparam("requests"),
    "lease_until": bindparam("until"),
}
_AFFORDABLE = jobs.c.calls_used + bindparam("cost") <= jobs.c.calls_limit
_UNPAID = bindparam("cost") == 0

_START = update(jobs).where(_OURS, _UNPAID | _AFFORDABLE).values(_RENEWAL)
#: The seq is named too: no row when this very checkpoint was committed before the connection broke.
_ADVANCE = (
    update(jobs)
    .where(_OURS, jobs.c.next_seq == bindparam("seq"), _UNPAID | _AFFORDABLE)
    .values(_RENEWAL | {"next_seq": bindparam("seq") + 1})
)
_CLOSE = (
    update(steps)
    .where(steps.c.job_id == bindparam("job"), steps.c.seq == bindparam("closed"), steps.c.state == StepState.STARTED)
    .values(
        state=bindparam("ended"),
        ended_at=bindparam("at"),
        result=bindparam("outcome"),
        error=bindparam("why"),
        fence=bindparam("held"),
    )
)


def held(claim: Claim) -> ColumnElement[bool]:
    """Return the condition that the claimant still holds its job."""
    return and_(jobs.c.id == claim.job.id, jobs.c.fence == claim.fence, jobs.c.state == JobState.RUNNING)


def checkpoint(tx: Transaction, claim: Claim, closed: Closed | None, begun: Begun | None, lease: timedelta) -> None:
    """Close a step, start the next and charge it. See `monitor.ports.jobs.Jobs.checkpoint`."""
    _move(tx, claim, closed, begun, lease)
    if closed is not None:
        _close(tx, claim, closed)
    if begun is not None:
        _begin(tx, claim, begun)


def _move(tx: Transaction, claim: Claim, closed: Closed | None, begun: Begun | None, lease: timedelta) -> None:
    values: dict[str, Any] = {
        "job": claim.job.id,
        "held": claim.fence,
        "cost": begun.cost if begun else 0,
        "requests": closed.requests if closed else 0,
        "until": tx.now + lease,
    }
    moved = tx.run(_START, values) if closed is None else tx.run(_ADVANCE, values | {"seq": closed.seq})
    if moved.rowcount == 1:
        return
    at = tx.run(select(jobs.c.next_seq).where(held(claim))).scalar_one_or_none()
    if at is None or begun is None or (closed is not None and at != closed.seq):
        raise LeaseLost(claim.job.name, claim.fence)
    raise BudgetExhausted(claim.job.name, begun.tool, claim.job.calls_limit)


def _close(tx: Transaction, claim: Claim, closed: Closed) -> None:
    tx.run(
        _CLOSE,
        {
            "job": claim.job.id,
            "closed": closed.seq,
            "ended": StepState.DONE if closed.error is None else StepState.ERROR,
            "at": tx.now,
            "outcome": closed.result,
            "why": closed.error,
            "held": claim.fence,
        },
    )


def _begin(tx: Transaction, claim: Claim, begun: Begun) -> None:
    """Write the step, or count another start of it, as the plan of this version asks for it."""
    tx.run(
        _started(tx.connection.dialect.name),
        {
            "job_id": claim.job.id,
            "seq": begun.seq,
            "fence": claim.fence,
            "tool": begun.tool,
            "args": begun.args,
            "state": StepState.STARTED,
            "attempts": 1,
            "cost": begun.cost,
            "started_at": tx.now,
        },
    )


@cache
def _started(dialect: str) -> Executable:
    """Return the upsert of a started step; written once, because writing it costs more than running it."""
    row = sqlite.insert(steps) if dialect == "sqlite" else postgresql.insert(steps)
    again = {name: row.excluded[name] for name in ("tool", "args", "cost", "fence", "started_at")}
    return row.on_conflict_do_update(index_elements=["job_id", "seq"], set_={**again, "attempts": steps.c.attempts + 1})

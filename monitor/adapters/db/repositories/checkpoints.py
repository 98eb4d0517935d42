"""The checkpoint: one fenced update of the job, one of the step that ran, one row for the step that begins.

This is what every step of every night waits for, so the statements are prepared. On PostgreSQL, where each statement
is a round trip, the three are one: each part reads what the part before it changed, so one that hits no row ends all.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import CTE, ColumnElement, Executable, Update, and_, bindparam, literal, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.dml import Insert

from monitor.adapters.db.prepared import Prepared
from monitor.adapters.db.schema import jobs, steps
from monitor.adapters.db.transaction import Transaction
from monitor.domain.run import Claim, JobState, StepState
from monitor.errors import BudgetExhausted, LeaseLost
from monitor.ports.jobs import Begun, Closed

_OURS = and_(jobs.c.id == bindparam("job"), jobs.c.fence == bindparam("held"), jobs.c.state == JobState.RUNNING)
_PAYABLE = (bindparam("cost") == 0) | (jobs.c.calls_used + bindparam("cost") <= jobs.c.calls_limit)
_RENEWAL = {
    "calls_used": jobs.c.calls_used + bindparam("cost"),
    "requests_used": jobs.c.requests_used + bindparam("requests"),
    "lease_until": bindparam("until"),
}
_RENEW = update(jobs).where(_OURS, _PAYABLE).values(_RENEWAL)
#: The seq is named too: no row when this very checkpoint was committed before the connection broke.
_ADVANCE = (
    update(jobs)
    .where(_OURS, jobs.c.next_seq == bindparam("closed"), _PAYABLE)
    .values(_RENEWAL | {"next_seq": bindparam("closed") + 1})
)
_BEGUN: dict[str, ColumnElement[Any]] = {
    "job_id": bindparam("job", type_=steps.c.job_id.type),
    "seq": bindparam("begun", type_=steps.c.seq.type),
    "fence": bindparam("held", type_=steps.c.fence.type),
    "tool": bindparam("tool", type_=steps.c.tool.type),
    "args": bindparam("args", type_=steps.c.args.type),
    "state": literal(StepState.STARTED, steps.c.state.type),
    "attempts": literal(1, steps.c.attempts.type),
    "cost": bindparam("cost", type_=steps.c.cost.type),
    "started_at": bindparam("now", type_=steps.c.started_at.type),
}


def _close(job: ColumnElement[int]) -> Update:
    this = and_(steps.c.job_id == job, steps.c.seq == bindparam("closed"), steps.c.state == StepState.STARTED)
    ended = {"state": "ended", "ended_at": "now", "result": "outcome", "error": "why", "fence": "held"}
    return update(steps).where(this).values({column: bindparam(name) for column, name in ended.items()})


def _begin(row: "sqlite.Insert | postgresql.Insert", before: CTE | None = None) -> Insert:
    """Write a step, or count another start of it, as the plan of this version asks for it."""
    if before is None:
        filled = row.values(_BEGUN)
    else:
        filled = row.from_select([*_BEGUN], select(*_BEGUN.values()).select_from(before), include_defaults=False)
    again = {name: row.excluded[name] for name in ("tool", "args", "cost", "fence", "started_at")}
    return filled.on_conflict_do_update(
        index_elements=["job_id", "seq"], set_={**again, "attempts": steps.c.attempts + 1}
    )


def _at_once(move: Update, *, closes: bool, begins: bool) -> Executable:
    """Return all parts as one statement of PostgreSQL whose row count is that of the last part."""
    moved = move.returning(jobs.c.id).cte("moved")
    close = _close(moved.c.id)
    if not begins:
        return close
    closed = close.returning(steps.c.job_id).cte("closed") if closes else moved
    return _begin(postgresql.insert(steps), closed)


#: What to run for (is a step closed, is one begun), on either database; each statement must hit one row.
_AT_ONCE = {
    (True, True): (Prepared(_at_once(_ADVANCE, closes=True, begins=True)),),
    (True, False): (Prepared(_at_once(_ADVANCE, closes=True, begins=False)),),
    (False, True): (Prepared(_at_once(_RENEW, closes=False, begins=True)),),
}
_ADVANCES, _RENEWS = Prepared(_ADVANCE), Prepared(_RENEW)
_CLOSES, _BEGINS = Prepared(_close(bindparam("job", type_=steps.c.job_id.type))), Prepared(_begin(sqlite.insert(steps)))
_ONE_BY_ONE = {
    (True, True): (_ADVANCES, _CLOSES, _BEGINS),
    (True, False): (_ADVANCES, _CLOSES),
    (False, True): (_RENEWS, _BEGINS),
}


def held(claim: Claim) -> ColumnElement[bool]:
    """Return the condition that the claimant still holds its job."""
    return and_(jobs.c.id == claim.job.id, jobs.c.fence == claim.fence, jobs.c.state == JobState.RUNNING)


def checkpoint(tx: Transaction, claim: Claim, closed: Closed | None, begun: Begun | None, lease: timedelta) -> None:
    """Close a step, start the next and charge it. See `monitor.ports.jobs.Jobs.checkpoint`."""
    values = _values(tx, claim, closed, begun, lease)
    for part in _parts(tx, closed, begun):
        if part.hits(tx, values) != 1:
            _refuse(tx, claim, closed, begun)


def _parts(tx: Transaction, closed: Closed | None, begun: Begun | None) -> Sequence[Prepared]:
    parts = _ONE_BY_ONE if tx.connection.dialect.name == "sqlite" else _AT_ONCE
    return parts[closed is not None, begun is not None]


def _values(
    tx: Transaction, claim: Claim, closed: Closed | None, begun: Begun | None, lease: timedelta
) -> dict[str, Any]:
    values: dict[str, Any] = {
        "job": claim.job.id,
        "held": claim.fence,
        "cost": begun.cost if begun else 0,
        "requests": closed.requests if closed else 0,
        "now": tx.now,
        "until": tx.now + lease,
    }
    if closed is not None:
        ended = StepState.DONE if closed.error is None else StepState.ERROR
        values |= {"closed": closed.seq, "ended": ended, "outcome": closed.result, "why": closed.error}
    if begun is not None:
        values |= {"begun": begun.seq, "tool": begun.tool, "args": begun.args}
    return values


def _refuse(tx: Transaction, claim: Claim, closed: Closed | None, begun: Begun | None) -> None:
    at = tx.run(select(jobs.c.next_seq).where(held(claim))).scalar_one_or_none()
    if at is None or begun is None or (closed is not None and at != closed.seq):
        raise LeaseLost(claim.job.name, claim.fence)
    raise BudgetExhausted(claim.job.name, begun.tool, claim.job.calls_limit)

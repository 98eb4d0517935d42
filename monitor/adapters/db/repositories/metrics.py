"""Counts of `monitor.domain.durability` over the stored nights, each one query.

An interruption counts once its night has ended, so that a job which was interrupted a second ago is no failure. A
repeated effect is a price write that the shop took more than once for one approved version, counted from the
attempts, or a mail for which the server's acceptance was recorded twice, which the outbox excludes by its state.

A night that somebody ran once more is one night, with a report when one of its runs has one; what was interrupted in
any of them counts.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, distinct, func, or_, select, true

from monitor.adapters.db.schema import actions, mails, recoveries, runs, write_attempts, writes
from monitor.adapters.db.transaction import Transaction
from monitor.domain.action import WriteState
from monitor.domain.durability import Counted
from monitor.domain.message import MailState
from monitor.domain.run import RunState

_NIGHTS = select(func.count(distinct(runs.c.local_date)))
_ENDED = runs.c.state.in_([RunState.REPORTED, RunState.FAILED])


class MetricTable:
    """`monitor.ports.metrics.Metrics` on SQL."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    def counted(self, *, since: datetime | None = None, run_id: str | None = None) -> Counted:
        """Count over the nights that were due since then, or over one night, or over all."""
        wanted = and_(
            runs.c.due_at >= since if since is not None else true(),
            runs.c.id == run_id if run_id is not None else true(),
        )
        over = or_(_ENDED, runs.c.deadline_at < self._tx.now)
        stopped = select(func.count()).select_from(recoveries.join(runs, runs.c.id == recoveries.c.run_id))
        interrupted = stopped.where(wanted, _ENDED)
        applied, versions = self._written(wanted)
        return Counted(
            nights=self._one(_NIGHTS.where(wanted, over)),
            completed=self._one(_NIGHTS.where(wanted, runs.c.state == RunState.REPORTED)),
            interruptions=self._one(interrupted),
            resumed=self._one(interrupted.where(recoveries.c.resumed_at.is_not(None))),
            effects=versions + self._mailed(wanted),
            repeated=applied - versions,
            waits=self._waits(wanted),
        )

    def _one(self, query: Select[Any]) -> int:
        return int(self._tx.run(query).scalar_one())

    def _written(self, wanted: ColumnElement[bool]) -> tuple[int, int]:
        """Return how many calls changed a price, and for how many approved versions."""
        joined = write_attempts.join(writes, writes.c.id == write_attempts.c.write_id)
        joined = joined.join(actions, actions.c.id == writes.c.action_id).join(runs, runs.c.id == actions.c.run_id)
        versions = func.count(distinct(write_attempts.c.write_id)).label("versions")
        counted = select(func.count().label("calls"), versions).select_from(joined)
        row = self._tx.run(counted.where(wanted, write_attempts.c.outcome == WriteState.APPLIED.value)).one()
        return int(row.calls), int(row.versions)

    def _mailed(self, wanted: ColumnElement[bool]) -> int:
        sent = select(func.count()).select_from(mails.join(runs, runs.c.id == mails.c.run_id))
        return self._one(sent.where(wanted, mails.c.state == MailState.SENT))

    def _waits(self, wanted: ColumnElement[bool]) -> tuple[Any, ...]:
        seen = select(recoveries.c.lost_at, recoveries.c.resumed_at)
        seen = seen.select_from(recoveries.join(runs, runs.c.id == recoveries.c.run_id))
        rows = self._tx.run(seen.where(wanted, recoveries.c.resumed_at.is_not(None))).all()
        return tuple(row.resumed_at - row.lost_at for row in rows)

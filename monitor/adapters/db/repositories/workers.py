"""The living processes, one row per incarnation."""

from itertools import starmap
from typing import Any

from sqlalchemy import delete, func, literal, select, update

from monitor.adapters.db.prepared import Prepared
from monitor.adapters.db.schema import effects, mails, workers, writes
from monitor.adapters.db.transaction import Transaction
from monitor.domain.action import WriteState
from monitor.domain.durability import EffectState
from monitor.domain.message import MailState
from monitor.ports.jobs import WorkerRow

#: What a worker may be in the middle of when it dies; the lease of each is over with it.
_UNDER_WAY = (
    (effects, (EffectState.INTENDED,)),
    (mails, (MailState.SENDING,)),
    (writes, (WriteState.CLAIMED, WriteState.CALLING)),
)
_ALL = Prepared(select(*(workers.c[name] for name in WorkerRow.__dataclass_fields__)).order_by(workers.c.started_at))


class WorkerTable:
    """`monitor.ports.jobs.Workers` on SQL."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    def register(self, worker_id: str, role: str, host: str, pid: int) -> None:
        """Write a new incarnation; one that was wrongly given up comes back."""
        now = self._tx.now
        row = {"id": worker_id, "role": role, "host": host, "pid": pid, "started_at": now, "heartbeat_at": now}
        if not self._tx.insert_once(workers, row):
            self.heartbeat(worker_id)

    def heartbeat(self, worker_id: str, *, is_draining: bool = False) -> None:
        """Say that it lives, and whether it was asked to end."""
        now = literal(self._tx.now, workers.c.heartbeat_at.type)
        values: dict[str, Any] = {"heartbeat_at": now}
        if is_draining:
            values["draining_at"] = func.coalesce(workers.c.draining_at, now)
        self._tx.run(update(workers).where(workers.c.id == worker_id).values(**values))

    def all(self) -> tuple[WorkerRow, ...]:
        """Return every registered incarnation."""
        return tuple(starmap(WorkerRow, _ALL.rows(self._tx, {})))

    def remove(self, worker_id: str) -> None:
        """Forget one; nobody is at the effects, mails and price writes any more that it was making."""
        now = self._tx.now
        for table, states in _UNDER_WAY:
            mine = update(table).where(table.c.owner == worker_id, table.c.state.in_(states))
            self._tx.run(mine.where(table.c.lease_until > now).values(lease_until=now))
        self._tx.run(delete(workers).where(workers.c.id == worker_id))

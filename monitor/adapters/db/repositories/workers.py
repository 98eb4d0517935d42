"""The living processes, one row per incarnation."""

from sqlalchemy import delete, select, update

from monitor.adapters.db.schema import effects, workers
from monitor.adapters.db.transaction import Transaction
from monitor.ports.jobs import WorkerRow


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

    def heartbeat(self, worker_id: str) -> None:
        """Say that it lives."""
        self._tx.run(update(workers).where(workers.c.id == worker_id).values(heartbeat_at=self._tx.now))

    def all(self) -> tuple[WorkerRow, ...]:
        """Return every registered incarnation."""
        query = select(workers).order_by(workers.c.started_at)
        return tuple(WorkerRow(**row._mapping) for row in self._tx.run(query).all())

    def remove(self, worker_id: str) -> None:
        """Forget one; nobody is at the effects any more that it was making."""
        left = update(effects).where(effects.c.owner == worker_id, effects.c.lease_until > self._tx.now)
        self._tx.run(left.values(lease_until=self._tx.now))
        self._tx.run(delete(workers).where(workers.c.id == worker_id))

"""Reads what is kept about proposals; changes nothing."""

from datetime import datetime

from sqlalchemy import select

from monitor.adapters.db.repositories.actions import ActionTable
from monitor.adapters.db.repositories.write_rows import SHOWN, price_write
from monitor.adapters.db.schema import renewals, write_attempts, writes
from monitor.adapters.db.transaction import Transaction
from monitor.domain.action import Action
from monitor.ports.audit import AttemptRow, Trail, WriteTrail

_ATTEMPT = [write_attempts.c[name] for name in AttemptRow.__dataclass_fields__]


class AuditTable:
    """`monitor.ports.audit.Audit` on SQL."""

    def __init__(self, tx: Transaction) -> None:
        self._tx, self._actions = tx, ActionTable(tx)

    def of_sku(self, sku: str, limit: int) -> tuple[Trail, ...]:
        """Return the trails of a product, newest proposal first."""
        return tuple(map(self._trail, self._actions.of_sku(sku)[:limit]))

    def of_action(self, named: str | int) -> Trail | None:
        """Return the trail of one action, by its key or its number."""
        found = self._actions.get(named) if isinstance(named, int) else self._actions.find(named)
        return None if found is None else self._trail(found)

    def _trail(self, action: Action) -> Trail:
        return Trail(action, self._actions.decisions(action.id), self._writes(action.id), self._renewals(action.id))

    def _renewals(self, action_id: int) -> tuple[tuple[datetime, str], ...]:
        found = select(renewals.c.at, renewals.c.run_id).where(renewals.c.action_id == action_id)
        return tuple((row.at, row.run_id) for row in self._tx.run(found.order_by(renewals.c.at)))

    def _writes(self, action_id: int) -> tuple[WriteTrail, ...]:
        of_action = writes.c.action_id == action_id
        kept = {
            row.id: (row.before, row.after)
            for row in self._tx.run(select(writes.c.id, writes.c.before, writes.c.after).where(of_action))
        }
        rows = self._tx.run(select(*SHOWN).where(of_action).order_by(writes.c.version)).all()
        found = (price_write(row) for row in rows)
        return tuple(WriteTrail(write, *kept[write.id], self._attempts(write.id)) for write in found)

    def _attempts(self, write_id: str) -> tuple[AttemptRow, ...]:
        found = select(*_ATTEMPT).where(write_attempts.c.write_id == write_id).order_by(write_attempts.c.n)
        return tuple(AttemptRow(**row._mapping) for row in self._tx.run(found))

"""The kill switch, locked products and the numbers under which the shop keeps our SKUs."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from itertools import starmap
from typing import Any

from sqlalchemy import Integer, Row, bindparam, delete, or_, select, update

from monitor.adapters.db.prepared import Prepared
from monitor.adapters.db.schema import price_locks, shop_refs, write_stops
from monitor.adapters.db.transaction import Transaction
from monitor.domain.lock import PriceLock, WriteStop

#: So many SKUs are asked for in one statement; SQLite takes 32,766 parameters.
_AT_ONCE = 1000
_THROWS = Prepared(
    select(*(write_stops.c[name] for name in WriteStop.__dataclass_fields__))
    .order_by(write_stops.c.id.desc())
    .limit(bindparam("limit", type_=Integer()))
)


class HoldTable:
    """`monitor.ports.holds.Holds` on SQL."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    def stop(self) -> WriteStop | None:
        """Return the latest throw of the switch when it stopped."""
        latest = self.throws(1)
        return latest[0] if latest and latest[0].is_stopped else None

    def throw(self, *, is_stopped: bool, by: str, reason: str | None) -> WriteStop:
        """Append a throw of the switch."""
        thrown = WriteStop(is_stopped, by, reason, self._tx.now)
        self._tx.run(write_stops.insert().values(is_stopped=is_stopped, by=by, reason=reason, at=thrown.at))
        return thrown

    def throws(self, limit: int) -> tuple[WriteStop, ...]:
        """Return the latest throws."""
        return tuple(starmap(WriteStop, _THROWS.rows(self._tx, {"limit": limit})))

    def lock(self, sku: str, *, by: str, until: datetime | None, reason: str | None) -> PriceLock:
        """Put a lock in place of the one there is."""
        values: dict[str, Any] = {"sku": sku, "by": by, "until": until, "reason": reason, "created_at": self._tx.now}
        while True:
            self.release(sku, by=by)
            if self._tx.insert_once(price_locks, values):
                return _lock(self._tx.run(select(price_locks).where(_is_open(sku))).one())

    def release(self, sku: str, *, by: str) -> PriceLock | None:
        """Close the open lock of a product."""
        released = (
            update(price_locks)
            .where(_is_open(sku))
            .values(released_at=self._tx.now, released_by=by)
            .returning(*price_locks.c)
        )
        row = self._tx.run(released).one_or_none()
        return None if row is None else _lock(row)

    def locks(self, skus: Iterable[str] | None = None) -> dict[str, PriceLock]:
        """Return what is locked now."""
        now = self._tx.now
        holding = select(price_locks).where(
            price_locks.c.released_at.is_(None), or_(price_locks.c.until.is_(None), price_locks.c.until > now)
        )
        if skus is None:
            return {row.sku: _lock(row) for row in self._tx.run(holding)}
        found: dict[str, PriceLock] = {}
        for some in _portions(skus):
            found |= {row.sku: _lock(row) for row in self._tx.run(holding.where(price_locks.c.sku.in_(some)))}
        return found

    def history(self, limit: int) -> tuple[PriceLock, ...]:
        """Return the latest locks."""
        latest = select(price_locks).order_by(price_locks.c.id.desc()).limit(limit)
        return tuple(map(_lock, self._tx.run(latest)))


class RefTable:
    """The shop's own numbers by SKU."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    def get(self, channel: str, skus: Iterable[str]) -> dict[str, str]:
        """Return the known numbers."""
        found: dict[str, str] = {}
        for some in _portions(skus):
            known = select(shop_refs.c.sku, shop_refs.c.ref).where(
                shop_refs.c.channel == channel, shop_refs.c.sku.in_(some)
            )
            found |= {row.sku: row.ref for row in self._tx.run(known)}
        return found

    def put(self, channel: str, refs: Mapping[str, str]) -> None:
        """Remember these."""
        rows = [{"channel": channel, "sku": sku, "ref": ref, "seen_at": self._tx.now} for sku, ref in refs.items()]
        if not rows:
            return
        insert = self._tx.insert(shop_refs)
        put = insert.on_conflict_do_update(
            index_elements=[shop_refs.c.channel, shop_refs.c.sku],
            set_={"ref": insert.excluded.ref, "seen_at": insert.excluded.seen_at},
        )
        self._tx.run(put, rows)

    def forget(self, channel: str, sku: str) -> None:
        """Forget one."""
        self._tx.run(delete(shop_refs).where(shop_refs.c.channel == channel, shop_refs.c.sku == sku))


def _is_open(sku: str) -> Any:
    return (price_locks.c.sku == sku) & price_locks.c.released_at.is_(None)


def _portions(skus: Iterable[str]) -> Iterable[list[str]]:
    wanted = list(dict.fromkeys(skus))
    return (wanted[start : start + _AT_ONCE] for start in range(0, len(wanted), _AT_ONCE))


def _lock(row: Row[Any]) -> PriceLock:
    return PriceLock(**row._mapping)

"""Wrong tries that are slowed down, and the append-only record of who came in."""

from dataclasses import asdict
from datetime import datetime, timedelta

from sqlalchemy import bindparam, delete, func, select, update

from monitor.adapters.db.prepared import Prepared
from monitor.adapters.db.schema import access_events, throttles
from monitor.adapters.db.transaction import Transaction
from monitor.domain.access import TRIES_FORGOTTEN, AccessEvent, wait_after

_EVENT = [access_events.c[name] for name in AccessEvent.__dataclass_fields__]

#: Asked every second, and mostly in vain.
_IS_FORGOTTEN = Prepared(select(throttles.c.key).where(throttles.c.failed_at < bindparam("old")).limit(1))


class DoorRecord:
    """The part of `monitor.ports.access.Access` that counts and records."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    def blocked_until(self, *keys: str) -> datetime | None:
        """Return until when tries under any of these keys are not looked at, None when they are."""
        now = self._tx.now
        found = select(func.max(throttles.c.blocked_until)).where(
            throttles.c.key.in_(keys), throttles.c.blocked_until > now
        )
        until: datetime | None = self._tx.run(found).scalar_one()
        return until

    def failed(self, *keys: str) -> None:
        """Count a wrong try under each key, in order of key so that two tries never wait for each other in a circle."""
        now = self._tx.now
        for key in sorted(keys):
            self._tx.insert_once(throttles, {"key": key, "failures": 0, "failed_at": now})
            mine = throttles.c.key == key
            stale = update(throttles).where(mine, throttles.c.failed_at < now - TRIES_FORGOTTEN)
            self._tx.run(stale.values(failures=0))
            counted = update(throttles).where(mine).values(failures=throttles.c.failures + 1, failed_at=now)
            failures = self._tx.run(counted.returning(throttles.c.failures)).scalar_one()
            wait = wait_after(failures)
            if wait:
                self._tx.run(update(throttles).where(mine).values(blocked_until=now + wait))

    def succeeded(self, *keys: str) -> None:
        """Forget the wrong tries under these keys."""
        self._tx.run(delete(throttles).where(throttles.c.key.in_(keys)))

    def allow(self, key: str, every: timedelta) -> bool:
        """Say whether something may happen now that may happen once in a while, and count it if so."""
        now = self._tx.now
        if self._tx.insert_once(throttles, {"key": key, "failures": 1, "failed_at": now, "blocked_until": now + every}):
            return True
        again = update(throttles).where(throttles.c.key == key, throttles.c.blocked_until <= now)
        return self._tx.run(again.values(failed_at=now, blocked_until=now + every)).rowcount == 1

    def record(self, event: AccessEvent) -> None:
        """Append a line to the record."""
        self._tx.run(access_events.insert().values(asdict(event)))

    def events(self, limit: int, name: str | None = None) -> tuple[AccessEvent, ...]:
        """Return the newest lines, newest first."""
        found = select(*_EVENT).order_by(access_events.c.id.desc()).limit(limit)
        if name is not None:
            found = found.where(access_events.c.name == name)
        return tuple(AccessEvent(**row._mapping) for row in self._tx.run(found))

    def _forget_tries(self, limit: int) -> int:
        old = self._tx.now - TRIES_FORGOTTEN
        if _IS_FORGOTTEN.one(self._tx, {"old": old}) is None:
            return 0
        first = select(throttles.c.key).where(throttles.c.failed_at < old).limit(limit).scalar_subquery()
        return self._tx.run(delete(throttles).where(throttles.c.key.in_(first))).rowcount

"""What is remembered of the visited hosts: pacing, robots.txt and learnt facts."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import or_, select, update

from monitor.adapters.db.schema import facts, hosts, robots
from monitor.adapters.db.transaction import Transaction
from monitor.domain.robots import RobotsVerdict


class ShopTable:
    """`monitor.ports.history.Shops` on SQL."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    def take_slot(self, bucket: str, delay: timedelta) -> timedelta:
        """Take the host's next request slot, or say how long to wait before asking again."""
        now = self._tx.now
        if self._tx.insert_once(hosts, {"bucket": bucket, "next_at": now + delay}):
            return timedelta(0)
        free = or_(hosts.c.cool_until.is_(None), hosts.c.cool_until <= now)
        taken = self._tx.run(
            update(hosts)
            .where(hosts.c.bucket == bucket, hosts.c.next_at <= now, free)
            .values(next_at=now + delay, cool_until=None, cool_reason=None)
        )
        if taken.rowcount == 1:
            return timedelta(0)
        row = self._tx.run(select(hosts.c.next_at, hosts.c.cool_until).where(hosts.c.bucket == bucket)).one()
        free_at: datetime = max(row.next_at, row.cool_until or row.next_at)
        return free_at - now

    def cool(self, bucket: str, until: datetime, reason: str) -> None:
        """Let nobody visit this host until then; a longer cool-down stays as it is."""
        row = {"bucket": bucket, "next_at": self._tx.now, "cool_until": until, "cool_reason": reason}
        statement = self._tx.insert(hosts).values(**row)
        self._tx.run(
            statement.on_conflict_do_update(
                index_elements=["bucket"],
                set_={"cool_until": until, "cool_reason": reason},
                where=or_(hosts.c.cool_until.is_(None), hosts.c.cool_until < until),
            )
        )

    def cooling(self, bucket: str) -> tuple[datetime, str] | None:
        """Return until when and why a host is left alone."""
        query = select(hosts.c.cool_until, hosts.c.cool_reason).where(
            hosts.c.bucket == bucket, hosts.c.cool_until > self._tx.now
        )
        row = self._tx.run(query).one_or_none()
        return None if row is None else (row.cool_until, row.cool_reason)

    def robots(self, origin: str, max_age: timedelta) -> RobotsVerdict | None:
        """Return what the robots.txt of an origin said, if that is young enough."""
        query = select(robots.c.verdict).where(robots.c.origin == origin, robots.c.fetched_at >= self._tx.now - max_age)
        stored = self._tx.run(query).scalar_one_or_none()
        return None if stored is None else RobotsVerdict.from_json(stored)

    def keep_robots(self, origin: str, verdict: RobotsVerdict) -> None:
        """Store what a robots.txt said."""
        values = {"verdict": verdict.as_json(), "fetched_at": self._tx.now}
        statement = self._tx.insert(robots).values(origin=origin, **values)
        self._tx.run(statement.on_conflict_do_update(index_elements=["origin"], set_=values))

    def facts(self, competitor: str) -> dict[str, Any]:
        """Return what earlier nights learnt of a competitor."""
        query = select(facts.c.name, facts.c.value).where(facts.c.competitor == competitor)
        return {row.name: row.value for row in self._tx.run(query).all()}

    def learn(self, competitor: str, name: str, value: Any) -> None:
        """Remember one fact."""
        values = {"value": value, "learned_at": self._tx.now}
        statement = self._tx.insert(facts).values(competitor=competitor, name=name, **values)
        self._tx.run(statement.on_conflict_do_update(index_elements=["competitor", "name"], set_=values))

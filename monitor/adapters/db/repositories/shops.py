"""What is remembered of the visited hosts: pacing, robots.txt, pages kept for confirmation, and learnt facts."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import BigInteger, Integer, and_, bindparam, cast, delete, or_, select, update

from monitor.adapters.db.inserting import Inserting, keeping_first, replacing
from monitor.adapters.db.prepared import Prepared
from monitor.adapters.db.repositories.blobs import BlobTable
from monitor.adapters.db.schema import blobs, facts, hosts, jobs, kept_pages, robots
from monitor.adapters.db.transaction import Transaction
from monitor.domain.pacing import BUSY_WAIT, Slot
from monitor.domain.page import KeptPage
from monitor.domain.robots import RobotsVerdict
from monitor.domain.run import JobState

_JOB = bindparam("job", type_=BigInteger())
#: Another job that runs has this bucket; one that waits, ended or lost its worker has given it back by that.
_IS_BUSY = and_(
    hosts.c.holder.is_not(None),
    hosts.c.holder != _JOB,
    select(jobs.c.id).where(jobs.c.id == hosts.c.holder, jobs.c.state == JobState.RUNNING).exists(),
)
_TAKE = Prepared(
    update(hosts)
    .where(
        hosts.c.bucket == bindparam("key"),
        hosts.c.next_at <= bindparam("at", type_=hosts.c.next_at.type),
        or_(hosts.c.cool_until.is_(None), hosts.c.cool_until <= bindparam("at", type_=hosts.c.next_at.type)),
        ~_IS_BUSY,
    )
    .values(next_at=bindparam("next", type_=hosts.c.next_at.type), cool_until=None, cool_reason=None, holder=_JOB)
)
_LOOK = Prepared(
    select(hosts.c.next_at, hosts.c.cool_until, cast(_IS_BUSY, Integer).label("is_busy")).where(
        hosts.c.bucket == bindparam("key")
    )
)
_FIRST = Inserting(hosts, ("bucket", "next_at", "holder"), keeping_first)
_KEEP_ROBOTS = Inserting(robots, ("origin", "verdict", "fetched_at"), replacing(("origin",), ("verdict", "fetched_at")))
_LEARN = Inserting(
    facts, ("competitor", "name", "value", "learned_at"), replacing(("competitor", "name"), ("value", "learned_at"))
)
# Written once: what every visit asks when it begins.
_ROBOTS = Prepared(
    select(robots.c.verdict).where(
        robots.c.origin == bindparam("origin"),
        robots.c.fetched_at >= bindparam("since", type_=robots.c.fetched_at.type),
    )
)
_FACTS = Prepared(select(facts.c.name, facts.c.value).where(facts.c.competitor == bindparam("competitor")))
_PAGE = ("final_url", "etag", "last_modified", "asked_with", "content_type")
_KEPT_PAGE = (*_PAGE, "digest", "fetched_at")
_KEPT = Prepared(
    select(*(kept_pages.c[name] for name in ("url", *_KEPT_PAGE)))
    .join(blobs, blobs.c.hash == kept_pages.c.digest)
    .where(kept_pages.c.competitor == bindparam("competitor"))
)


class ShopTable:
    """`monitor.ports.history.Shops` on SQL."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    def take_slot(self, slot: Slot, job_id: int) -> timedelta:
        """Take a shop's next request slot for a job, or say how long to wait before asking again."""
        if slot.shared is not None:
            return self._take_both(slot, slot.shared, job_id)
        now = self._tx.now
        asked = {"key": slot.bucket, "job": job_id, "at": now, "next": now + slot.delay}
        if _TAKE.hits(self._tx, asked) == 1 or self._is_first(slot.bucket, now + slot.delay, job_id):
            return timedelta(0)
        return self._wait(slot.bucket, job_id)

    def _take_both(self, slot: Slot, shared: str, job_id: int) -> timedelta:
        """Take both buckets or neither; the shop's own row is always locked first, so that two never wait crosswise."""
        now = self._tx.now
        self._is_first(slot.bucket, now, None)
        self._is_first(shared, now, None)
        locked = select(hosts.c.bucket).where(hosts.c.bucket.in_([slot.bucket, shared]))
        self._tx.run(locked.order_by(hosts.c.bucket == shared).with_for_update()).all()
        wait = max(self._wait(slot.bucket, job_id), self._wait(shared, None))
        if wait > timedelta(0):
            return wait
        for bucket, delay, holder in ((slot.bucket, slot.delay, job_id), (shared, slot.shared_delay, None)):
            values = {"next_at": now + delay, "cool_until": None, "cool_reason": None, "holder": holder}
            self._tx.run(update(hosts).where(hosts.c.bucket == bucket).values(values))
        return timedelta(0)

    def _is_first(self, bucket: str, next_at: datetime, job_id: int | None) -> bool:
        return _FIRST.hits(self._tx, {"bucket": bucket, "next_at": next_at, "holder": job_id}) == 1

    def _wait(self, bucket: str, job_id: int | None) -> timedelta:
        """Return how long a bucket is not free for this job; another job's visit has no known end."""
        ((next_at, cool_until, is_busy),) = _LOOK.rows(self._tx, {"key": bucket, "job": job_id})
        moments: list[datetime] = [moment for moment in (next_at, cool_until) if moment is not None]
        wait = max(max(moments) - self._tx.now, timedelta(0))
        return max(wait, BUSY_WAIT) if is_busy else wait

    def leave(self, bucket: str, job_id: int) -> None:
        """Give a shop's bucket back while the job runs on elsewhere."""
        mine = (hosts.c.bucket == bucket, hosts.c.holder == job_id)
        self._tx.run(update(hosts).where(*mine).values(holder=None))

    def space(self, bucket: str, delay: timedelta) -> None:
        """Leave at least this much between now and a shop's next slot."""
        until = self._tx.now + delay
        early = (hosts.c.bucket == bucket, hosts.c.next_at < until)
        self._tx.run(update(hosts).where(*early).values(next_at=until))

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
        row = _ROBOTS.one(self._tx, {"origin": origin, "since": self._tx.now - max_age})
        return None if row is None else RobotsVerdict.from_json(row[0])

    def keep_robots(self, origin: str, verdict: RobotsVerdict) -> None:
        """Store what a robots.txt said."""
        _KEEP_ROBOTS.hits(self._tx, {"origin": origin, "verdict": verdict.as_json(), "fetched_at": self._tx.now})

    def kept_pages(self, competitor: str) -> dict[str, KeptPage]:
        """Return the pages that were kept of a competitor's addresses, as far as their bodies are still there."""
        rows = _KEPT.rows(self._tx, {"competitor": competitor})
        return {url: KeptPage(**dict(zip(_KEPT_PAGE, kept, strict=True))) for url, *kept in rows}

    def keep_page(self, competitor: str, url: str, kept: KeptPage, body: bytes) -> None:
        """Keep a page that was read right, in place of the one before."""
        now = self._tx.now
        values = {
            **{name: getattr(kept, name) for name in _PAGE},
            "digest": BlobTable(self._tx).put(body),
            "fetched_at": now,
            "confirmed_at": now,
        }
        statement = self._tx.insert(kept_pages).values(competitor=competitor, url=url, **values)
        self._tx.run(statement.on_conflict_do_update(index_elements=["competitor", "url"], set_=values))

    def confirm_page(self, competitor: str, url: str) -> None:
        """Note that the shop confirmed the kept page now."""
        this = (kept_pages.c.competitor == competitor, kept_pages.c.url == url)
        self._tx.run(update(kept_pages).where(*this).values(confirmed_at=self._tx.now))

    def drop_page(self, competitor: str, url: str) -> None:
        """Keep none of this address any more."""
        this = (kept_pages.c.competitor == competitor, kept_pages.c.url == url)
        self._tx.run(delete(kept_pages).where(*this))

    def facts(self, competitor: str) -> dict[str, Any]:
        """Return what earlier nights learnt of a competitor."""
        return dict(_FACTS.rows(self._tx, {"competitor": competitor}))

    def learn(self, competitor: str, name: str, value: Any) -> None:
        """Remember one fact."""
        row = {"competitor": competitor, "name": name, "value": value, "learned_at": self._tx.now}
        _LEARN.hits(self._tx, row)

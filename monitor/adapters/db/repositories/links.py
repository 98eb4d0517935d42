"""Review links and the one-time numbers (nonces) of their forms.

A link may be opened as often as its reader likes; what happens once is the spending of a form's
nonce, a conditional UPDATE. The results of a form are kept beside its nonce, so that a repeat of the
same post is answered with the same page. Nothing here knows a token or a code, only ids and hashes.
"""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Row, and_, bindparam, case, delete, func, literal, or_, select, update

from monitor.adapters.db.columns import Instant
from monitor.adapters.db.prepared import Prepared
from monitor.adapters.db.schema import links, nonces
from monitor.adapters.db.transaction import Transaction
from monitor.ports.review import Link

#: Asked every second, and mostly in vain.
_IS_PAST = Prepared(select(nonces.c.hash).where(nonces.c.expires_at <= bindparam("now")).limit(1))


class LinkTable:
    """`monitor.ports.review.Links` on SQL."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    def issue(self, link: Link) -> Link:
        """Store a link, or return the one there is for this run, recipient and purpose."""
        self._tx.insert_once(links, asdict(link))
        same = (
            links.c.run_id == link.run_id,
            links.c.recipient == link.recipient,
            links.c.purpose == link.purpose,
        )
        return _link(self._tx.run(select(links).where(*same)).one())

    def get(self, link_id: str) -> Link | None:
        """Return one link."""
        row = self._tx.run(select(links).where(links.c.id == link_id)).one_or_none()
        return None if row is None else _link(row)

    def of_run(self, run_id: str) -> tuple[Link, ...]:
        """Return the links of a run, in order of recipient."""
        found = select(links).where(links.c.run_id == run_id).order_by(links.c.recipient, links.c.purpose)
        return tuple(map(_link, self._tx.run(found)))

    def seen(self, link_id: str) -> None:
        """Count a GET."""
        self._touch(link_id, links.c.first_get_at, get_count=links.c.get_count + 1)

    def posted(self, link_id: str) -> None:
        """Note when the first form came back."""
        self._touch(link_id, links.c.first_post_at)

    def _touch(self, link_id: str, first: ColumnElement[datetime | None], **more: Any) -> None:
        values = {str(first.key): func.coalesce(first, _at(self._tx.now))} | more
        self._tx.run(update(links).where(links.c.id == link_id).values(values))

    def revoke(self, run_ids: Sequence[str], reason: str, *, at: datetime | None = None) -> int:
        """Revoke the links of these runs from `at` on, by default now; return how many were open beyond that."""
        end = at or self._tx.now
        revoked = (
            update(links)
            .where(links.c.run_id.in_(list(run_ids)), or_(links.c.revoked_at.is_(None), links.c.revoked_at > end))
            .values(revoked_at=end, revoke_reason=reason)
        )
        return self._tx.run(revoked).rowcount

    def revoke_of(self, recipient: str, reason: str, *, besides: str | None = None) -> int:
        """Revoke every open link to an address, or all but one; return how many decided until now."""
        now = self._tx.now
        mine = func.lower(links.c.recipient) == recipient.lower()
        is_open = and_(links.c.expires_at > now, or_(links.c.revoked_at.is_(None), links.c.revoked_at > now))
        revoked = update(links).where(mine, is_open, links.c.id != (besides or ""))
        return self._tx.run(revoked.values(revoked_at=now, revoke_reason=reason)).rowcount

    def wrong_code(self, link_id: str, lock: timedelta, tries: int) -> int:
        """Count a wrong code and lock the link after `tries`; the count begins anew when a lock has passed."""
        now = self._tx.now
        is_unlocked_again = and_(links.c.locked_until.is_not(None), links.c.locked_until <= now)
        count = case((is_unlocked_again, 1), else_=links.c.code_tries + 1)
        counted = (
            update(links)
            .where(links.c.id == link_id)
            .values(
                code_tries=count,
                locked_until=case((count >= tries, _at(now + lock)), else_=None),
            )
            .returning(links.c.code_tries)
        )
        return int(self._tx.run(counted).scalar_one())

    def issue_nonce(self, link_id: str, digest: str, lifetime: timedelta) -> None:
        """Store the hash of a form's nonce."""
        now = self._tx.now
        row = {"hash": digest, "link_id": link_id, "issued_at": now, "expires_at": now + lifetime}
        self._tx.run(nonces.insert().values(row))

    def use_nonce(self, link_id: str, digest: str, batch: str, min_age: timedelta) -> str | None:
        """Spend a nonce: `batch` when this call spent it, the earlier batch of a repeat, None when it is not valid."""
        now = self._tx.now
        spent = (
            update(nonces)
            .where(
                nonces.c.hash == digest,
                nonces.c.link_id == link_id,
                nonces.c.used_at.is_(None),
                nonces.c.expires_at > now,
                nonces.c.issued_at <= now - min_age,
            )
            .values(used_at=now, batch=batch)
        )
        if self._tx.run(spent).rowcount == 1:
            return batch
        return self.spent(link_id, digest)

    def is_unspent(self, link_id: str, digest: str) -> bool:
        """Say whether a nonce was issued for this link and can still be spent."""
        mine = and_(nonces.c.hash == digest, nonces.c.link_id == link_id)
        is_open = and_(nonces.c.used_at.is_(None), nonces.c.expires_at > self._tx.now)
        return self._tx.run(select(nonces.c.hash).where(mine, is_open)).one_or_none() is not None

    def spent(self, link_id: str, digest: str) -> str | None:
        """Return the batch for which a nonce was spent, or None."""
        mine = and_(nonces.c.hash == digest, nonces.c.link_id == link_id)
        found: str | None = self._tx.run(select(nonces.c.batch).where(mine)).scalar_one_or_none()
        return found

    def keep_results(self, link_id: str, batch: str, results: Sequence[dict[str, Any]]) -> None:
        """Keep what became of each row of a form, for its result page."""
        mine = and_(nonces.c.link_id == link_id, nonces.c.batch == batch)
        self._tx.run(update(nonces).where(mine).values(results=list(results)))

    def results(self, link_id: str, batch: str) -> tuple[dict[str, Any], ...] | None:
        """Return what became of each row of a form, or None when this link has no such form."""
        mine = and_(nonces.c.link_id == link_id, nonces.c.batch == batch)
        found = self._tx.run(select(nonces.c.results).where(mine)).scalar_one_or_none()
        return None if found is None else tuple(found)

    def prune(self, limit: int) -> int:
        """Forget nonces past their time: unspent ones at once, spent ones with the link they belong to."""
        now = self._tx.now
        if _IS_PAST.one(self._tx, {"now": now}) is None:
            return 0
        link_is_over = nonces.c.link_id.in_(select(links.c.id).where(links.c.expires_at <= now))
        is_over = and_(nonces.c.expires_at <= now, or_(nonces.c.used_at.is_(None), link_is_over))
        first = select(nonces.c.hash).where(is_over).limit(limit).scalar_subquery()
        return self._tx.run(delete(nonces).where(nonces.c.hash.in_(first))).rowcount


def _at(moment: datetime) -> ColumnElement[datetime]:
    """Return an instant as a value with its column type, which a function or a case does not pass on."""
    return literal(moment, Instant())


def _link(row: Row[Any]) -> Link:
    return Link(
        id=row.id,
        run_id=row.run_id,
        recipient=row.recipient,
        purpose=row.purpose,
        created_at=row.created_at,
        expires_at=row.expires_at,
        revoked_at=row.revoked_at,
        code_hash=row.code_hash,
        code_tries=row.code_tries,
        locked_until=row.locked_until,
    )

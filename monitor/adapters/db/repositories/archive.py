"""What is stored and grows old: counting it, and removing it in small batches."""

import hashlib
import json
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Table, and_, bindparam, delete, func, or_, select, update

from monitor.adapters.db.schema import artifacts, blobs, effects, jobs, kept_pages, mails, nonces, runs, steps
from monitor.adapters.db.transaction import Transaction
from monitor.domain.message import MailState
from monitor.domain.page import MAX_CONFIRMED
from monitor.domain.retention import Kept
from monitor.domain.run import ENDED

#: Kinds of artifacts that are pages or what was read of them, and those that are messages of models.
_EVIDENCE, _TRANSCRIPTS = ("evidence", "page"), ("transcript",)


class ArchiveTable:
    """`monitor.ports.retention.Archive` on SQL."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    def count(self, kind: Kept, before: datetime) -> int:
        """Count what is older than that."""
        table, old = _table(kind), _old(kind, before)
        return int(self._tx.run(select(func.count()).select_from(table).where(old)).scalar_one())

    def remove(self, kind: Kept, before: datetime, limit: int) -> int:
        """Remove the oldest of it."""
        if kind is Kept.STEP_RESULTS:
            return self._forget_results(before, limit)
        if kind is Kept.LETTERS:
            return self._empty_letters(before, limit)
        table = _table(kind)
        key = next(iter(table.primary_key))
        some = select(key).where(_old(kind, before)).limit(limit)
        return self._tx.run(delete(table).where(key.in_(some))).rowcount

    def _forget_results(self, before: datetime, limit: int) -> int:
        """Keep of each result its hash and size; the step's tool, state and times stay as they are."""
        old = select(steps.c.job_id, steps.c.seq, steps.c.result).where(_old(Kept.STEP_RESULTS, before)).limit(limit)
        forgotten = [_forgotten(row.job_id, row.seq, row.result) for row in self._tx.run(old).all()]
        if forgotten:
            one = and_(steps.c.job_id == bindparam("job"), steps.c.seq == bindparam("n"))
            values: dict[str, Any] = {
                "result": None,
                "result_hash": bindparam("hash"),
                "result_bytes": bindparam("size"),
            }
            self._tx.run(update(steps).where(one).values(values), forgotten)
        return len(forgotten)

    def _empty_letters(self, before: datetime, limit: int) -> int:
        some = select(mails.c.id).where(_old(Kept.LETTERS, before)).limit(limit)
        return self._tx.run(update(mails).where(mails.c.id.in_(some)).values(content=b"")).rowcount

    def give_back(self, pages: int) -> None:
        """Shrink the SQLite file; PostgreSQL's autovacuum does it by itself."""
        if self._tx.connection.dialect.name != "sqlite":
            return
        free = int(self._tx.connection.exec_driver_sql("PRAGMA freelist_count").scalar_one())
        for _ in range(min(free, pages)):
            # Python's sqlite3 takes one step of a statement without columns, and one step frees one page.
            self._tx.connection.exec_driver_sql("PRAGMA incremental_vacuum(1)")


def _forgotten(job_id: int, seq: int, result: Any) -> dict[str, Any]:
    body = json.dumps(result, ensure_ascii=False, separators=(",", ":"), default=str).encode()
    return {"job": job_id, "n": seq, "hash": hashlib.sha256(body).hexdigest(), "size": len(body)}


def _table(kind: Kept) -> Table:
    tables = {
        Kept.STEP_RESULTS: steps,
        Kept.EVIDENCE: artifacts,
        Kept.TRANSCRIPTS: artifacts,
        Kept.LETTERS: mails,
        Kept.NONCES: nonces,
        Kept.EFFECTS: effects,
        Kept.BLOBS: blobs,
    }
    return tables[kind]


def _old(kind: Kept, before: datetime) -> ColumnElement[bool]:
    """Return the condition that a row of this kind is past its age."""
    if kind is Kept.STEP_RESULTS:
        # A JSON null is stored as SQL NULL, so what is kept as text is a result.
        ended = select(jobs.c.id).where(jobs.c.id == steps.c.job_id, jobs.c.state.in_(ENDED)).exists()
        return and_(steps.c.ended_at < before, steps.c.result.is_not(None), ended)
    if kind is Kept.LETTERS:
        sent = and_(mails.c.state == MailState.SENT, mails.c.sent_at < before)
        given_up = and_(mails.c.state.in_([MailState.FAILED, MailState.UNKNOWN]), mails.c.created_at < before)
        return and_(mails.c.content != b"", or_(sent, given_up))
    if kind is Kept.NONCES:
        return nonces.c.expires_at < before
    if kind is Kept.EFFECTS:
        return effects.c.done_at < before
    if kind is Kept.BLOBS:
        return and_(blobs.c.created_at < before, ~_is_used(before))
    kinds = _EVIDENCE if kind is Kept.EVIDENCE else _TRANSCRIPTS
    return and_(artifacts.c.created_at < before, artifacts.c.kind.in_(kinds))


def _is_used(before: datetime) -> ColumnElement[bool]:
    referred = select(artifacts.c.id).where(artifacts.c.hash == blobs.c.hash).exists()
    frozen = select(runs.c.id).where(or_(runs.c.catalogue_hash == blobs.c.hash, runs.c.settings_hash == blobs.c.hash))
    offered = and_(kept_pages.c.digest == blobs.c.hash, kept_pages.c.fetched_at >= before - MAX_CONFIRMED)
    kept = select(kept_pages.c.url).where(offered).exists()
    return or_(referred, frozen.exists(), kept)

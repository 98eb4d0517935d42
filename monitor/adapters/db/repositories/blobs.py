"""Bytes stored once under their SHA-256, compressed, and what each is for."""

import hashlib
import zlib
from datetime import timedelta

from sqlalchemy import select, update

from monitor.adapters.db.schema import artifacts, blobs
from monitor.adapters.db.transaction import Transaction
from monitor.domain.status import ArtifactLine

#: Bytes stored so recently are not old by any setting.
_FRESH = timedelta(hours=12)


class BlobTable:
    """`monitor.ports.history.Blobs` on SQL."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    def put(self, body: bytes) -> str:
        """Store and return the hash."""
        digest = hashlib.sha256(body).hexdigest()
        stored_at = self._tx.run(select(blobs.c.created_at).where(blobs.c.hash == digest)).scalar_one_or_none()
        if stored_at is not None and self._tx.now - stored_at > _FRESH:
            self._renew(digest)
        if stored_at is None:
            row = {"hash": digest, "body": zlib.compress(body, 6), "size": len(body), "created_at": self._tx.now}
            self._tx.insert_once(blobs, row)
        return digest

    def _renew(self, digest: str) -> None:
        """Keep retention from taking old bytes that somebody is about to refer to again."""
        self._tx.run(update(blobs).where(blobs.c.hash == digest).values(created_at=self._tx.now))

    def get(self, digest: str) -> bytes | None:
        """Return the bytes, or None."""
        body = self._tx.run(select(blobs.c.body).where(blobs.c.hash == digest)).scalar_one_or_none()
        return None if body is None else zlib.decompress(body)

    def refer(self, run_id: str, job_id: int | None, kind: str, digest: str, ref: str) -> None:
        """Note what a blob is for; the latest hash of one (run, kind, ref) wins."""
        row = {
            "run_id": run_id,
            "job_id": job_id,
            "kind": kind,
            "hash": digest,
            "ref": ref,
            "created_at": self._tx.now,
        }
        statement = self._tx.insert(artifacts).values(**row)
        self._tx.run(
            statement.on_conflict_do_update(
                index_elements=["run_id", "kind", "ref"], set_={"hash": digest, "created_at": self._tx.now}
            )
        )

    def of_job(self, run_id: str, job_id: int | None) -> tuple[ArtifactLine, ...]:
        """Return what a job left, or what a run left that is of no job."""
        joined = artifacts.outerjoin(blobs, blobs.c.hash == artifacts.c.hash)
        columns = (artifacts.c.kind, artifacts.c.hash, artifacts.c.ref, blobs.c.size.label("bytes"))
        mine = (artifacts.c.run_id == run_id, artifacts.c.job_id == job_id)
        query = select(*columns).select_from(joined).where(*mine).order_by(artifacts.c.kind, artifacts.c.ref)
        return tuple(ArtifactLine(**row._mapping) for row in self._tx.run(query).all())

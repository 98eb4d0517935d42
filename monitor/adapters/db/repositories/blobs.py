"""Bytes stored once under their SHA-256, compressed, and what each is for.

Packed with zstd, which takes a sixth of zlib's time for a page; what older versions packed with zlib is still read.
"""

import hashlib
import zlib
from datetime import timedelta

import zstandard
from sqlalchemy import bindparam, select, update

from monitor.adapters.db.inserting import Inserting, keeping_first, replacing
from monitor.adapters.db.prepared import Prepared
from monitor.adapters.db.schema import artifacts, blobs
from monitor.adapters.db.transaction import Transaction
from monitor.domain.status import ArtifactLine

#: Bytes stored so recently are not old by any setting.
_FRESH = timedelta(hours=12)
#: From this size on, looking first is cheaper than packing for nothing.
_LARGE = 20_000
_ZSTD = b"\x28\xb5\x2f\xfd"

_PUT = Inserting(blobs, ("hash", "body", "size", "created_at"), keeping_first)
_KNOWN = Prepared(select(blobs.c.size).where(blobs.c.hash == bindparam("hash")))
#: Keeps retention from taking old bytes that somebody is about to refer to again.
_RENEW = Prepared(
    update(blobs)
    .where(blobs.c.hash == bindparam("hash"), blobs.c.created_at < bindparam("long_ago", type_=blobs.c.created_at.type))
    .values(created_at=bindparam("created_at", type_=blobs.c.created_at.type))
)
_REFER = Inserting(
    artifacts,
    ("run_id", "job_id", "kind", "hash", "ref", "created_at"),
    replacing(("run_id", "kind", "ref"), ("hash", "created_at")),
)


def _packed(body: bytes) -> bytes:
    return zstandard.ZstdCompressor(level=3).compress(body)


def _unpacked(stored: bytes) -> bytes:
    return zstandard.decompress(stored) if stored.startswith(_ZSTD) else zlib.decompress(stored)


class BlobTable:
    """`monitor.ports.history.Blobs` on SQL."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    def put(self, body: bytes) -> str:
        """Store and return the hash."""
        digest, now = hashlib.sha256(body).hexdigest(), self._tx.now
        known = {"hash": digest, "created_at": now, "long_ago": now - _FRESH}
        is_large = len(body) > _LARGE  # worth asking before it is packed
        if is_large and _KNOWN.one(self._tx, known) is not None:
            _RENEW.hits(self._tx, known)
            return digest
        row = {"hash": digest, "body": _packed(body), "size": len(body), "created_at": now}
        if _PUT.hits(self._tx, row) != 1:
            _RENEW.hits(self._tx, known)
        return digest

    def get(self, digest: str) -> bytes | None:
        """Return the bytes, or None."""
        body = self._tx.run(select(blobs.c.body).where(blobs.c.hash == digest)).scalar_one_or_none()
        return None if body is None else _unpacked(body)

    def refer(self, run_id: str, job_id: int | None, kind: str, digest: str, ref: str) -> None:
        """Note what a blob is for; the latest hash of one (run, kind, ref) wins."""
        row = {"run_id": run_id, "job_id": job_id, "kind": kind, "hash": digest, "ref": ref}
        _REFER.hits(self._tx, row | {"created_at": self._tx.now})

    def of_job(self, run_id: str, job_id: int | None) -> tuple[ArtifactLine, ...]:
        """Return what a job left, or what a run left that is of no job."""
        joined = artifacts.outerjoin(blobs, blobs.c.hash == artifacts.c.hash)
        columns = (artifacts.c.kind, artifacts.c.hash, artifacts.c.ref, blobs.c.size.label("bytes"))
        mine = (artifacts.c.run_id == run_id, artifacts.c.job_id == job_id)
        query = select(*columns).select_from(joined).where(*mine).order_by(artifacts.c.kind, artifacts.c.ref)
        return tuple(ArtifactLine(**row._mapping) for row in self._tx.run(query).all())

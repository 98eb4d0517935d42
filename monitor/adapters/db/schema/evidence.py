"""Stored bytes and what they are for."""

from sqlalchemy import BigInteger, Column, Index, Integer, LargeBinary, Table, UniqueConstraint

from monitor.adapters.db.columns import BigKey, Instant, Text
from monitor.adapters.db.schema.base import metadata

blobs = Table(
    "blobs",
    metadata,
    Column("hash", Text, primary_key=True),
    Column("body", LargeBinary, nullable=False),
    Column("size", Integer, nullable=False),
    Column("created_at", Instant, nullable=False),
)

artifacts = Table(
    "artifacts",
    metadata,
    Column("id", BigKey, primary_key=True, autoincrement=True),
    Column("run_id", Text, nullable=False),
    Column("job_id", BigInteger),
    Column("kind", Text, nullable=False),
    Column("hash", Text, nullable=False),
    Column("ref", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    UniqueConstraint("run_id", "kind", "ref"),
    Index("ix_artifacts_hash", "hash"),
)

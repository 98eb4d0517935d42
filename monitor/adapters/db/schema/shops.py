"""What is known of shops: pacing, pages worth asking for conditionally, robots.txt, learnt facts."""

from sqlalchemy import BigInteger, Column, Index, Table

from monitor.adapters.db.columns import Instant, Json, Text
from monitor.adapters.db.schema.base import metadata

hosts = Table(
    "hosts",
    metadata,
    Column("bucket", Text, primary_key=True),
    Column("next_at", Instant, nullable=False),
    Column("cool_until", Instant),
    Column("cool_reason", Text),
    Column("holder", BigInteger),
)

kept_pages = Table(
    "kept_pages",
    metadata,
    Column("competitor", Text, primary_key=True),
    Column("url", Text, primary_key=True),
    Column("final_url", Text, nullable=False),
    Column("etag", Text),
    Column("last_modified", Text),
    Column("asked_with", Text, nullable=False),
    Column("content_type", Text),
    Column("digest", Text, nullable=False),
    Column("fetched_at", Instant, nullable=False),
    Column("confirmed_at", Instant, nullable=False),
    Index("ix_kept_pages_digest", "digest"),
)

robots = Table(
    "robots",
    metadata,
    Column("origin", Text, primary_key=True),
    Column("verdict", Json, nullable=False),
    Column("fetched_at", Instant, nullable=False),
)

facts = Table(
    "facts",
    metadata,
    Column("competitor", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("value", Json, nullable=False),
    Column("learned_at", Instant, nullable=False),
)

"""Which listing of a competitor is which of our products, and who said so."""

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Integer, Table, UniqueConstraint, text

from monitor.adapters.db.columns import Amount, BigKey, Instant, Json, Text, Word
from monitor.adapters.db.schema.base import metadata
from monitor.domain.catalogue import MatchState
from monitor.domain.match import Basis

matches = Table(
    "matches",
    metadata,
    Column("id", BigKey, primary_key=True, autoincrement=True),
    Column("competitor", Text, nullable=False),
    Column("sku", Text, nullable=False),
    Column("url", Text, nullable=False),
    Column("variant", Text, nullable=False, default=""),
    Column("state", Word(MatchState), nullable=False),
    Column("score", Integer, nullable=False),
    Column("basis", Word(Basis), nullable=False),
    Column("reason", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("brand", Text),
    Column("their_sku", Text),
    Column("their_gtin", Text),
    Column("price", Amount),
    Column("currency", Text),
    Column("evidence", Json, nullable=False),
    Column("doubts", Json, nullable=False),
    Column("by", Text, nullable=False),
    Column("suggested_at", Instant, nullable=False),
    Column("decided_at", Instant),
    UniqueConstraint("competitor", "sku", "url", "variant"),
    Index("ix_matches_state_score", "state", "score"),
    Index("ix_matches_sku", "sku"),
    Index(
        "uq_matches_confirmed",
        "competitor",
        "sku",
        unique=True,
        sqlite_where=text("state = 'confirmed'"),
        postgresql_where=text("state = 'confirmed'"),
    ),
)

match_decisions = Table(
    "match_decisions",
    metadata,
    Column("id", BigKey, primary_key=True, autoincrement=True),
    Column("match_id", BigInteger, ForeignKey("matches.id"), nullable=False),
    Column("state", Word(MatchState), nullable=False),
    Column("by", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("at", Instant, nullable=False),
    Index("ix_match_decisions_match_id", "match_id"),
)

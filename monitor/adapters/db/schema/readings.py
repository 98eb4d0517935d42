"""What shops showed: every night's readings, price history as spans, and where our prices stood."""

from sqlalchemy import Column, ForeignKey, Index, Integer, Table

from monitor.adapters.db.columns import Amount, BigKey, Instant, Json, Text, Word
from monitor.adapters.db.schema.base import metadata
from monitor.domain.extraction import Availability, Outcome

observations = Table(
    "observations",
    metadata,
    Column("run_id", Text, ForeignKey("runs.id"), primary_key=True),
    Column("competitor", Text, primary_key=True),
    Column("sku", Text, primary_key=True),
    Column("url", Text, nullable=False),
    Column("outcome", Word(Outcome), nullable=False),
    Column("reason", Text, nullable=False),
    Column("words", Text, nullable=False),
    Column("observed_at", Instant, nullable=False),
    Column("price", Amount),
    Column("currency", Text),
    Column("list_price", Amount),
    Column("availability", Word(Availability), nullable=False),
    Column("shipping", Amount),
    Column("name", Text),
    Column("evidence", Text),
    Index("ix_observations_competitor_sku_observed_at", "competitor", "sku", "observed_at"),
)

spans = Table(
    "spans",
    metadata,
    Column("id", BigKey, primary_key=True, autoincrement=True),
    Column("competitor", Text, nullable=False),
    Column("sku", Text, nullable=False),
    Column("price", Amount, nullable=False),
    Column("currency", Text, nullable=False),
    Column("list_price", Amount),
    Column("availability", Word(Availability), nullable=False),
    Column("first_seen_at", Instant, nullable=False),
    Column("last_seen_at", Instant, nullable=False),
    Column("first_run_id", Text, nullable=False),
    Column("last_run_id", Text, nullable=False),
    Index("ix_spans_competitor_sku_id", "competitor", "sku", "id"),
    Index("ix_spans_sku", "sku"),
)

standings = Table(
    "standings",
    metadata,
    Column("run_id", Text, ForeignKey("runs.id"), primary_key=True),
    Column("sku", Text, primary_key=True),
    Column("title", Text, nullable=False),
    Column("currency", Text, nullable=False),
    Column("own", Amount, nullable=False),
    Column("lowest", Amount),
    Column("lowest_seller", Text),
    Column("median", Amount),
    Column("position", Integer),
    Column("usable", Integer, nullable=False),
    Column("tracked", Integer, nullable=False),
    Column("weekly_units", Amount),
    Column("brand", Text),
    Column("category", Text),
    Column("rule", Text),
    Column("reason", Text),
    Index("ix_standings_sku", "sku"),
)

portfolios = Table(
    "portfolios",
    metadata,
    Column("run_id", Text, ForeignKey("runs.id"), primary_key=True),
    Column("figures", Json, nullable=False),
)

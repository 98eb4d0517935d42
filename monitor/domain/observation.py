"""What one night learnt about one watch, and the price history made of it.

History is kept as spans: a row when something changed, otherwise the last-seen time moves. So
history grows with changes and not with nights.
"""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from monitor.domain.extraction import Availability, Outcome


@dataclass(frozen=True, slots=True)
class Observation:
    """The reading of one watch in one run; unique per (run, competitor, sku)."""

    run_id: str
    competitor: str
    sku: str
    url: str
    outcome: Outcome
    reason: str
    words: str
    observed_at: datetime
    price: Decimal | None = None
    currency: str | None = None
    list_price: Decimal | None = None
    availability: Availability = Availability.UNKNOWN
    shipping: Decimal | None = None
    name: str | None = None
    evidence: str | None = None  #: hash of the stored evidence blob


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of time in which an offer did not change."""

    competitor: str  #: a competitor id, or `own` for our own price
    sku: str
    price: Decimal
    currency: str
    list_price: Decimal | None
    availability: Availability
    first_seen_at: datetime
    last_seen_at: datetime
    first_run_id: str = ""  #: the night that opened it
    last_run_id: str = ""  #: the night that last saw it


#: The competitor id under which our own prices are kept in history.
OWN = "own"

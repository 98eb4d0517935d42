"""What one catalogue call brought back: products as the shop lists them, before anybody looks for a watch.

Every platform's answer is read into the same values. An amount is a Decimal in main units, above zero; what a shop
writes for "no price" (zero, empty, null, "N/A") is None. A currency is None when the answer names none: it is then
the one that the same run verified, never a guess.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any

from monitor.domain.extraction import Availability


@dataclass(frozen=True, slots=True)
class Variant:
    """One thing that can be bought."""

    id: str
    title: str | None = None  #: None for a product's only variant
    sku: str | None = None
    gtin: str | None = None
    price: Decimal | None = None
    list_price: Decimal | None = None  #: the former price, always above the price
    currency: str | None = None
    availability: Availability = Availability.UNKNOWN
    low: Decimal | None = None  #: cheapest and dearest of variants that the answer does not list one by one;
    high: Decimal | None = None  #: both or none, and then there is no price
    url: str | None = None  #: of this variant, where the shop gives it one
    options: Mapping[str, str] = field(default_factory=dict)  #: `{"color": "blue"}`, names in lower case
    note: str = ""  #: what is odd about it, in words: why there is no price, why a sale does not count
    may_be: tuple[str, ...] = ()  #: currencies that the sign of its price may mean, where the answer names none

    @property
    def is_range(self) -> bool:
        """Whether only the ends of a range are known."""
        return self.price is None and self.low is not None and self.high is not None


@dataclass(frozen=True, slots=True)
class Item:
    """One product of a catalogue, with its variants."""

    id: str
    title: str = ""
    slug: str | None = None  #: how the shop's addresses call it: handle, url_key
    url: str | None = None  #: whole, or a path on the shop's own host
    brand: str | None = None
    variants: tuple[Variant, ...] = ()
    sku: str | None = None  #: of the product as a whole, where its variants have their own
    availability: Availability = Availability.UNKNOWN  #: of the product as a whole


class Problem(StrEnum):
    """Why an answer holds no items."""

    OFF = "off"  #: the endpoint is switched off, closed or somewhere else; asking again tonight is useless
    PASSING = "passing"  #: a fault that may pass
    ADJUST = "adjust"  #: the shop says what to ask instead; `learned` holds it
    CLOSED = "closed"  #: the whole shop is closed: its password page came


@dataclass(frozen=True, slots=True)
class Listing:
    """One answer of a catalogue: its items, or why there are none."""

    items: tuple[Item, ...] = ()
    problem: Problem | None = None
    words: str = ""  #: of the problem
    more: bool = False  #: whether the next page may hold more
    cursor: str | None = None  #: where the next page begins, for platforms that count so
    warnings: tuple[str, ...] = ()  #: what was read all the same: a repaired fault, a currency that is no more
    learned: Mapping[str, Any] = field(default_factory=dict)  #: JSON values worth remembering: a page size
    loss: str = ""  #: what of the answer could not be read, in words; "" when all of it was


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back, as a platform's reader sees it."""

    body: bytes
    at: datetime  #: when; a sale counts only inside its dates
    content_type: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)  #: lower-case names
    url: str = ""  #: as asked
    post: str | None = None  #: the question, where it was no GET
    wanted: frozenset[str] | None = None  #: addresses and numbers of the watches; None: every item is wanted

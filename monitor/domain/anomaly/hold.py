"""What is held and by what it is judged: the values of `monitor.domain.anomaly`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any

from monitor.domain.money import amount_text
from monitor.domain.observation import Span

#: A watch as the rest of the program names it: (competitor, sku).
WatchKey = tuple[str, str]


class HoldCode(StrEnum):
    """Why a reading is held."""

    PLACEHOLDER = "PLACEHOLDER"  #: an amount that no shop asks: zero, the smallest coin, all nines
    VARIANT = "VARIANT"  #: the page names another size, pack or product than before
    CURRENCY = "CURRENCY"  #: another currency, or the old amount in another currency
    SCALE = "SCALE"  #: ten, a hundred or a thousand times the price before, or that part of it
    TAX = "TAX"  #: the price before with tax put on or taken off
    STEP = "STEP"  #: too far from the price before
    UNUSUAL = "UNUSUAL"  #: far outside how this price has moved so far
    PEERS = "PEERS"  #: too far from what the other shops ask tonight
    IMPLAUSIBLE = "IMPLAUSIBLE"  #: a first price too far from our own
    SITE_SHIFT = "SITE_SHIFT"  #: most prices of the shop moved by one factor at once


#: Codes that only a person, or the return of the price before, can settle.
NEVER_CONFIRMED = frozenset({HoldCode.PLACEHOLDER, HoldCode.VARIANT, HoldCode.SITE_SHIFT})


@dataclass(frozen=True, slots=True)
class Doubts:
    """When a reading is too odd to be used at once; keys of `[anomalies]` in `rules.toml`."""

    step_factor: Decimal = Decimal("1.35")  #: further from the last good price, up or down, is held
    own_factor: Decimal = Decimal(5)  #: a first price further from our own, up or down, is held
    peer_pct: Decimal = Decimal(40)  #: a new price further from the median of three or more other shops is held
    same_within_pct: Decimal = Decimal(1)  #: a second reading this close confirms
    site_shift_pct: Decimal = Decimal(50)  #: more of one shop's prices moved by one factor: all of them are held
    site_shift_least: int = 4  #: prices that must move alike before it counts as the whole shop
    tax_pct: tuple[Decimal, ...] = (Decimal(19), Decimal(20), Decimal(21))  #: taxes that may be put on or taken off
    second_look: timedelta = timedelta(hours=2)  #: after this long the same night looks again; zero: never


@dataclass(frozen=True, slots=True)
class Held:
    """A reading that waits to be confirmed."""

    competitor: str
    sku: str
    code: HoldCode
    words: str
    price: Decimal
    currency: str
    since: datetime
    before: Decimal | None = None  #: the last good price; None for a first one
    name: str | None = None  #: how the page named the product before it named another

    @property
    def key(self) -> WatchKey:
        """(competitor, sku)."""
        return self.competitor, self.sku


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What a reading is judged by, besides its own history."""

    run_id: str = ""  #: tonight
    own: Mapping[str, tuple[Decimal, str]] = field(default_factory=dict)  #: by SKU our price, where it may be compared
    peers: Mapping[str, Mapping[str, tuple[Decimal, str]]] = field(default_factory=dict)  #: by SKU and competitor
    worth: Mapping[tuple[str, str], Decimal] = field(default_factory=dict)  #: of one unit of a currency in another
    compared: Mapping[str, int] = field(default_factory=dict)  #: by competitor, prices read tonight and before
    accepted: Mapping[WatchKey, tuple[Decimal, str]] = field(default_factory=dict)  #: prices that a person accepted
    standing: Mapping[WatchKey, Held] = field(default_factory=dict)  #: holds of earlier nights that need a person
    names: Mapping[WatchKey, tuple[str, str]] = field(default_factory=dict)  #: of the product, before and tonight

    def in_currency(self, amount: Decimal, currency: str, wanted: str) -> Decimal | None:
        """Return an amount in another currency, or None without a rate."""
        if currency == wanted:
            return amount
        rate = self.worth.get((currency, wanted))
        return None if rate is None else amount * rate


#: Spans of each watch, oldest first, tonight's included.
History = Mapping[WatchKey, Sequence[Span]]


def held_as(seen: Span, code: HoldCode, words: str, good: Span | None) -> Held:
    """Return a reading as held; `good` is the last one that was not odd."""
    before = None if good is None else good.price
    return Held(seen.competitor, seen.sku, code, words, seen.price, seen.currency, seen.first_seen_at, before)


def said(span: Span) -> str:
    """Return the price of a span with its currency."""
    return f"{amount_text(span.price, span.currency)} {span.currency}"


def is_apart(one: Decimal, other: Decimal, factor: Decimal) -> bool:
    """Say whether one amount is more than a factor away from the other, up or down."""
    return max(one, other) > factor * min(one, other)


def held_json(held: Held) -> dict[str, Any]:
    """Return a held reading as JSON values, as a checkpoint and the command line keep it."""
    return {
        "competitor": held.competitor,
        "sku": held.sku,
        "code": held.code.value,
        "words": held.words,
        "price": amount_text(held.price, held.currency),
        "currency": held.currency,
        "before": None if held.before is None else amount_text(held.before, held.currency),
        "name": held.name,
        "since": held.since.isoformat(),
    }


def held_from(stored: Mapping[str, Any]) -> Held:
    """Read back what `held_json` wrote."""
    return Held(
        competitor=stored["competitor"],
        sku=stored["sku"],
        code=HoldCode(stored["code"]),
        words=stored["words"],
        price=Decimal(stored["price"]),
        currency=stored["currency"],
        since=datetime.fromisoformat(stored["since"]),
        before=None if stored["before"] is None else Decimal(stored["before"]),
        name=stored.get("name"),
    )

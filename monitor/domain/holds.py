"""Holds that need a person, and what a person accepted, as facts remembered of a competitor.

A hold is remembered while the shop shows that price; an acceptance counts for exactly the price that was accepted.
Neither changes a reading; both only say whether it may feed a proposal.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

from monitor.domain.anomaly import NEVER_CONFIRMED, Held, WatchKey, held_from
from monitor.domain.money import amount_text

_HELD = "held:"
_ACCEPTED = "accepted:"

#: By competitor the facts that are remembered of it.
Remembered = Mapping[str, Mapping[str, Any]]


def hold_name(sku: str) -> str:
    """Return the name of the fact that a reading of a product is held until a person accepts it."""
    return f"{_HELD}{sku}"


def acceptance_name(sku: str) -> str:
    """Return the name of the fact that a person accepted a price."""
    return f"{_ACCEPTED}{sku}"


def acceptance(held: Held, *, by: str, at: datetime) -> dict[str, str]:
    """Return what is remembered of an acceptance."""
    price = amount_text(held.price, held.currency)
    return {"price": price, "currency": held.currency, "code": held.code.value, "by": by, "at": at.isoformat()}


def standing_in(remembered: Remembered) -> dict[WatchKey, Held]:
    """Return the holds that are remembered, by watch."""
    return {
        (competitor, name.removeprefix(_HELD)): held_from(value)
        for competitor, facts in remembered.items()
        for name, value in facts.items()
        if name.startswith(_HELD) and value
    }


def accepted_in(remembered: Remembered) -> dict[WatchKey, tuple[Decimal, str]]:
    """Return the prices that persons accepted, by watch."""
    return {
        (competitor, name.removeprefix(_ACCEPTED)): (Decimal(value["price"]), value["currency"])
        for competitor, facts in remembered.items()
        for name, value in facts.items()
        if name.startswith(_ACCEPTED) and value
    }


def to_remember(held: Iterable[Held], standing: Mapping[WatchKey, Held]) -> list[Held]:
    """Return the holds of tonight that need a person and are not remembered yet."""
    return [one for one in held if one.code in NEVER_CONFIRMED and standing.get(one.key) != one]


def to_forget(held: Iterable[Held], standing: Mapping[WatchKey, Held]) -> list[WatchKey]:
    """Return the remembered holds that no longer hold anything: the shop shows another price, or it was accepted."""
    return sorted(standing.keys() - {one.key for one in held})

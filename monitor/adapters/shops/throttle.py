"""Shopify's cost of a query, and how long to wait until the bucket holds it.

A query has a cost in points; the bucket of an app in a shop refills by `restoreRate` points a second up to
`maximumAvailable`. Both differ by plan, so nothing is assumed: each answer says them (`extensions.cost`).
Source: shopify.dev, "Shopify API limits", version 2026-10.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

#: Wait when an answer says "throttled" and not until when.
UNTOLD = timedelta(seconds=2)
#: No answer may ask for a longer wait than this; even the smallest bucket is full by then.
LONGEST = timedelta(minutes=2)


@dataclass(frozen=True, slots=True)
class Cost:
    """What one answer says about its cost and the bucket, in points."""

    requested: Decimal
    actual: Decimal | None  #: None when the query was not run
    available: Decimal
    maximum: Decimal
    restore_per_s: Decimal

    def wait(self) -> timedelta:
        """Return the time until the bucket holds the requested cost.

        >>> Cost(Decimal(400), None, Decimal(300), Decimal(1000), Decimal(50)).wait().total_seconds()
        2.0
        """
        return _until(self.requested - self.available, self.restore_per_s)


def cost_of(document: object) -> Cost | None:
    """Read `extensions.cost` of an answer; None when it is missing or has another form."""
    try:
        cost = document["extensions"]["cost"]  # type: ignore[index]  # any JSON value; another form is told below
        status = cost["throttleStatus"]
        return Cost(
            requested=_points(cost, "requestedQueryCost"),
            actual=None if cost.get("actualQueryCost") is None else _points(cost, "actualQueryCost"),
            available=_points(status, "currentlyAvailable"),
            maximum=_points(status, "maximumAvailable"),
            restore_per_s=_points(status, "restoreRate"),
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _points(of: Mapping[str, Any], name: str) -> Decimal:
    value = of[name]
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise ValueError(name)
    return Decimal(value)


def _until(missing: Decimal, restore_per_s: Decimal) -> timedelta:
    if missing <= 0:
        return timedelta(0)
    if restore_per_s <= 0:
        return LONGEST
    return min(timedelta(seconds=float(missing / restore_per_s)), LONGEST)


@dataclass(slots=True)
class Bucket:
    """The bucket as the last answer left it, refilling since."""

    cost: Cost | None = None
    at: datetime | None = None

    def told(self, cost: Cost | None, now: datetime) -> None:
        """Remember what an answer said."""
        if cost is not None:
            self.cost, self.at = cost, now

    def wait_for(self, points: Decimal, now: datetime) -> timedelta:
        """Return how long to wait before a query of so many points; nothing while nothing is known."""
        if self.cost is None or self.at is None:
            return timedelta(0)
        refilled = Decimal(max((now - self.at).total_seconds(), 0)) * self.cost.restore_per_s
        available = min(self.cost.available + refilled, self.cost.maximum)
        return _until(min(points, self.cost.maximum) - available, self.cost.restore_per_s)

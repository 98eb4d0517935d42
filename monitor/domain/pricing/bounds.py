"""How low and how high one price may go: the product's own bounds and the limits of one change.

Steps 3, 8 and 9 of `docs/pricing.md`. The limits of one change are rounded inwards to the minor unit, so that a
price inside them is inside each of them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from monitor.domain.catalogue import Product
from monitor.domain.pricing.codes import Note
from monitor.domain.pricing.exact import (
    Ticks,
    amount_of,
    lowered,
    minor_unit,
    raised,
    ticks_of,
    times,
    with_percent,
    without_percent,
)
from monitor.domain.pricing.rule import Guardrails


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit and the name under which it is noted when it binds."""

    code: Note
    ticks: Ticks

    @property
    def amount(self) -> Fraction:
        """The limit in currency units."""
        return amount_of(self.ticks)


@dataclass(frozen=True, slots=True)
class Interval:
    """The prices that keep every limit, both ends included; prices are whole minor units."""

    lower: Limit
    upper: Limit | None
    unit: int  #: ticks in the minor unit of the currency

    @property
    def least(self) -> int:
        """The lowest price in ticks."""
        return raised(self.lower.ticks, self.unit)

    @property
    def most(self) -> int | None:
        """The highest price in ticks; None when nothing limits it."""
        return None if self.upper is None else lowered(self.upper.ticks, self.unit)

    @property
    def is_empty(self) -> bool:
        """True when no price keeps every limit."""
        most = self.most
        return most is not None and self.least > most

    def binding(self, ticks: Ticks) -> Limit | None:
        """Return the limit that an amount breaks, or None."""
        if ticks < self.lower.ticks:
            return self.lower
        return self.upper if self.upper is not None and ticks > self.upper.ticks else None

    def nearest(self, price: int) -> int:
        """Return the price inside the interval that is closest to this one."""
        most = self.most
        return max(self.least, price if most is None else min(price, most))


def floors(product: Product, guardrails: Guardrails) -> list[Limit]:
    """Return the product's lower bounds, in the order in which equal ones are named."""
    found = []
    if product.min_price is not None:
        found.append(Limit(Note.MIN_PRICE, ticks_of(product.min_price)))
    if guardrails.min_margin_pct is not None and product.cost is not None:
        lowest = times(ticks_of(product.cost), without_percent(-guardrails.min_margin_pct))
        found.append(Limit(Note.MARGIN_FLOOR, raised(lowest, minor_unit(product.currency))))
    if guardrails.respect_map and product.map is not None:
        found.append(Limit(Note.MAP_FLOOR, ticks_of(product.map)))
    return found


def ceilings(product: Product) -> list[Limit]:
    """Return the product's upper bounds, in the order in which equal ones are named."""
    found = []
    if product.max_price is not None:
        found.append(Limit(Note.MAX_PRICE, ticks_of(product.max_price)))
    if product.msrp is not None:
        found.append(Limit(Note.MSRP, ticks_of(product.msrp)))
    return found


def highest(limits: Iterable[Limit]) -> Limit | None:
    """Return the highest limit, of equal ones the first."""
    return max(limits, key=lambda limit: limit.ticks, default=None)


def lowest(limits: Iterable[Limit]) -> Limit | None:
    """Return the lowest limit, of equal ones the first."""
    return min(limits, key=lambda limit: limit.ticks, default=None)


def allowed(product: Product, guardrails: Guardrails) -> Interval:
    """Return the prices that one change may end at."""
    return narrowed(product, guardrails, floor=highest(floors(product, guardrails)), ceiling=lowest(ceilings(product)))


def narrowed(product: Product, guardrails: Guardrails, *, floor: Limit | None, ceiling: Limit | None) -> Interval:
    """Narrow the product's own bounds by the limits of one change.

    A price is at least one minor unit, also where the limits would let it fall to nothing.
    """
    unit, price = minor_unit(product.currency), ticks_of(product.price)
    if guardrails.max_decrease_pct is not None:
        least = raised(times(price, with_percent(-guardrails.max_decrease_pct)), unit)
        floor = Limit(Note.MAX_DECREASE, least) if floor is None or least > floor.ticks else floor
    if guardrails.max_increase_pct is not None:
        most = lowered(times(price, with_percent(guardrails.max_increase_pct)), unit)
        ceiling = Limit(Note.MAX_INCREASE, most) if ceiling is None or most < ceiling.ticks else ceiling
    if floor is None or floor.ticks < unit:
        floor = Limit(Note.MIN_PRICE, unit)
    return Interval(floor, ceiling, unit)

"""How low and how high one price may go: the product's own bounds and the limits of one change.

Steps 3, 8 and 9 of `docs/pricing.md`. Limits are rounded inwards to the minor unit, so that a price
inside them is inside each of them.
"""

from dataclasses import dataclass
from fractions import Fraction

from monitor.domain.catalogue import Product
from monitor.domain.pricing.codes import Note
from monitor.domain.pricing.exact import lowered, minor_unit, percent_of, raised
from monitor.domain.pricing.rule import Guardrails


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit and the name under which it is noted when it binds."""

    code: Note
    amount: Fraction


@dataclass(frozen=True, slots=True)
class Interval:
    """The prices that keep every limit, both ends included."""

    lower: Limit
    upper: Limit | None

    @property
    def is_empty(self) -> bool:
        """True when no price keeps every limit."""
        return self.upper is not None and self.lower.amount > self.upper.amount

    def binding(self, amount: Fraction) -> Limit | None:
        """Return the limit that `amount` breaks, or None."""
        if amount < self.lower.amount:
            return self.lower
        if self.upper is not None and amount > self.upper.amount:
            return self.upper
        return None


def floors(product: Product, guardrails: Guardrails) -> tuple[Limit, ...]:
    """Return the product's lower bounds, in the order in which equal ones are named."""
    found = []
    if product.min_price is not None:
        found.append(Limit(Note.MIN_PRICE, Fraction(product.min_price)))
    if guardrails.min_margin_pct is not None and product.cost is not None:
        lowest = Fraction(product.cost) / (1 - percent_of(guardrails.min_margin_pct))
        found.append(Limit(Note.MARGIN_FLOOR, raised(lowest, minor_unit(product.currency))))
    if guardrails.respect_map and product.map is not None:
        found.append(Limit(Note.MAP_FLOOR, Fraction(product.map)))
    return tuple(found)


def ceilings(product: Product) -> tuple[Limit, ...]:
    """Return the product's upper bounds, in the order in which equal ones are named."""
    found = []
    if product.max_price is not None:
        found.append(Limit(Note.MAX_PRICE, Fraction(product.max_price)))
    if product.msrp is not None:
        found.append(Limit(Note.MSRP, Fraction(product.msrp)))
    return tuple(found)


def highest(limits: tuple[Limit, ...]) -> Limit | None:
    """Return the highest limit, of equal ones the first."""
    return max(limits, key=lambda limit: limit.amount, default=None)


def lowest(limits: tuple[Limit, ...]) -> Limit | None:
    """Return the lowest limit, of equal ones the first."""
    return min(limits, key=lambda limit: limit.amount, default=None)


def allowed(product: Product, guardrails: Guardrails) -> Interval:
    """Return the prices that one change may end at.

    A price is at least one minor unit, also where the limits would let it fall to nothing.
    """
    unit, price = minor_unit(product.currency), Fraction(product.price)
    low, high = floors(product, guardrails), ceilings(product)
    if guardrails.max_decrease_pct is not None:
        low += (Limit(Note.MAX_DECREASE, price * (1 - percent_of(guardrails.max_decrease_pct))),)
    if guardrails.max_increase_pct is not None:
        high += (Limit(Note.MAX_INCREASE, price * (1 + percent_of(guardrails.max_increase_pct))),)
    lower = highest(tuple(Limit(limit.code, raised(limit.amount, unit)) for limit in low))
    upper = lowest(tuple(Limit(limit.code, lowered(limit.amount, unit)) for limit in high))
    if lower is None or lower.amount < unit:
        lower = Limit(Note.MIN_PRICE, unit)
    return Interval(lower, upper)

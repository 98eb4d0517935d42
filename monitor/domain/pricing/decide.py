"""Decide one product: a proposal that keeps every limit of its rule at once, or a reason for none.

The twelve steps of `docs/pricing.md`, in their order; the first that yields a reason ends it. One rule
decides alone; a later one is asked only when the first has `fallback = "next"` and too little market data.
Pure and exact: the same facts give the same decision, whatever the order of the offers.

Nothing here changes a price; a proposal waits for a person.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from monitor.domain.catalogue import Product
from monitor.domain.pricing.bounds import Interval, Limit, ceilings, floors, highest, lowest, narrowed
from monitor.domain.pricing.codes import TOO_LITTLE_KNOWN, BreakerCode, Note, Reason, fallback_note
from monitor.domain.pricing.endings import finished
from monitor.domain.pricing.exact import (
    Ticks,
    amount_of,
    decimal_of,
    percent_of,
    price_of,
    ticks_of,
    times,
    with_percent,
)
from monitor.domain.pricing.offers import (
    Comparable,
    Ignored,
    Market,
    Offer,
    Reference,
    duration,
    market_of,
    reference_in,
    shortage,
)
from monitor.domain.pricing.rule import BelowFloor, Compare, Direction, Fallback, ReferenceKind, Rule, Rules

_NOTHING = Decimal(0)
#: What a decision knows of the market when no offer was looked at.
NOTHING_SEEN = Market()


@dataclass(frozen=True, slots=True)
class Tripped:
    """One breaker that asks for a second look at a proposal; see `breakers.py`."""

    code: BreakerCode
    words: str  #: a sentence without its full stop


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided for one product and everything that led there."""

    product: Product
    rule: Rule | None = None  #: the rule that decided; None for NO_RULE
    reason: Reason | None = None  #: why nothing is proposed; None for a proposal
    result: Decimal | None = None  #: where the rule led, whether worth proposing or not
    aim_ticks: Ticks | None = None  #: the exact target before limits and price endings
    reference: Reference | None = None
    bound: Limit | None = None  #: the limit that moved the target
    trail: tuple[str, ...] = ()  #: notes in the order made
    market: Market = NOTHING_SEEN  #: empty when no offer was looked at
    guard: str = ""  #: what stopped the proposal after the twelve steps, in words; see `guards.py`
    second_look: tuple[Tripped, ...] = ()  #: why it is approved by itself only

    @property
    def is_proposal(self) -> bool:
        """True when a new price waits for approval."""
        return self.result is not None and self.reason is None

    @property
    def price(self) -> Decimal | None:
        """The proposed price; None when nothing is proposed."""
        return self.result if self.reason is None else None

    @property
    def aim(self) -> Fraction | None:
        """The exact target before limits and price endings, in currency units."""
        return None if self.aim_ticks is None else amount_of(self.aim_ticks)

    @property
    def target(self) -> Decimal | None:
        """The target before limits and price endings, rounded half up to four places."""
        return None if self.aim_ticks is None else decimal_of(amount_of(self.aim_ticks), 4)

    @property
    def usable(self) -> tuple[Comparable, ...]:
        """The offers that counted, cheapest first."""
        return self.market.usable

    @property
    def ignored(self) -> tuple[Ignored, ...]:
        """The offers that did not count, by seller."""
        return self.market.ignored


def decide(
    product: Product,
    offers: Iterable[Offer],
    rules: Rules,
    *,
    rates: Mapping[str, Fraction] | None = None,
    since_change: timedelta | None = None,
) -> Decision:
    """Decide the price of one product.

    Args:
        product: our own facts; every limit is in its currency.
        offers: rivals' offers for it, at most one per seller, in any order.
        rules: the rules in force.
        rates: the worth of one unit of each foreign currency in the product's currency; by default
            from the exchange rates of the rules.
        since_change: how long ago our own price last changed; None is long ago.
    """
    rates = rules.rates.into(product.currency) if rates is None else rates
    asked, offers = rules.asked_about(product), tuple(offers)
    rule = next(asked, None)
    trail: tuple[str, ...] = ()
    while rule is not None:
        decision = _by_rule(product, rule, offers, rates, since_change, trail)
        following = next(asked, None) if _passes_on(decision, rule) else None
        if following is None:
            return decision
        rule, trail = following, (*trail, fallback_note(rule.id))
    return Decision(product, reason=Reason.NO_RULE)


def _passes_on(decision: Decision, rule: Rule) -> bool:
    return rule.fallback is Fallback.NEXT and decision.reason in TOO_LITTLE_KNOWN


def _by_rule(
    product: Product,
    rule: Rule,
    offers: tuple[Offer, ...],
    rates: Mapping[str, Fraction],
    since_change: timedelta | None,
    trail: tuple[str, ...],
) -> Decision:
    """Steps 2 to 5: check the product, then the market."""
    floor, ceiling = highest(floors(product, rule.guardrails)), lowest(ceilings(product))
    reason = _product_check(product, rule, since_change)
    if reason is None and floor is not None and ceiling is not None and floor.ticks > ceiling.ticks:
        reason = Reason.BOUNDS_CONFLICT
    if reason is not None:
        return Decision(product, rule, reason, trail=trail)
    if rule.target.reference is ReferenceKind.COST:
        reference, market = Reference(ticks_of(product.cost or _NOTHING)), NOTHING_SEEN
    else:
        market = market_of(product, offers, rule, rates)
        missing, found = shortage(market, rule), reference_in(market, rule)
        if missing is not None or found is None:
            return Decision(product, rule, missing or Reason.REFERENCE_MISSING, trail=trail, market=market)
        reference = found
    return _aimed(_Draft(product, rule, reference, market, trail), floor, ceiling)


def _product_check(product: Product, rule: Rule, since_change: timedelta | None) -> Reason | None:
    """Step 2: say why this product is left alone, or None."""
    guardrails = rule.guardrails
    if product.locked:
        return Reason.LOCKED
    if guardrails.skip_own_out_of_stock and product.stock is not None and product.stock <= 0:
        return Reason.OWN_OUT_OF_STOCK
    if guardrails.skip_on_sale and product.compare_at is not None and product.compare_at > product.price:
        return Reason.ON_SALE
    if since_change is not None and since_change < duration(guardrails.cooldown_hours):
        return Reason.COOL_DOWN
    needs_cost = guardrails.min_margin_pct is not None or rule.target.reference is ReferenceKind.COST
    return Reason.COST_MISSING if needs_cost and product.cost is None else None


class _Draft(NamedTuple):
    """A decision under way, once it has a reference."""

    product: Product
    rule: Rule
    reference: Reference
    market: Market
    trail: tuple[str, ...]

    def ended(self, reason: Reason, aim: Ticks | None = None) -> Decision:
        """Return the decision that proposes nothing."""
        product, rule, reference, market, trail = self
        return Decision(product, rule, reason, None, aim, reference, trail=trail, market=market)


def _aimed(draft: _Draft, floor: Limit | None, ceiling: Limit | None) -> Decision:
    """Steps 6 to 8: the target, the floor policy and the allowed interval."""
    product, guardrails = draft.product, draft.rule.guardrails
    aim = _target(product, draft.rule, draft.reference.ticks)
    if aim is None:
        return draft.ended(Reason.IN_BAND)
    if floor is not None and aim < floor.ticks and guardrails.below_floor is BelowFloor.SKIP:
        return draft.ended(Reason.BELOW_FLOOR, aim)
    interval = narrowed(product, guardrails, floor=floor, ceiling=ceiling)
    if interval.is_empty:
        return draft.ended(Reason.GUARDRAIL_CONFLICT, aim)
    return _placed(draft, aim, interval)


def _target(product: Product, rule: Rule, reference: Ticks) -> Ticks | None:
    """Step 6: where the price should be, or None when it is inside the rule's band."""
    of_market = rule.target.reference is not ReferenceKind.COST
    is_landed = rule.compare is Compare.LANDED and of_market and product.shipping
    shipping: Ticks = ticks_of(product.shipping or _NOTHING) if is_landed else 0
    aim, target = reference, rule.target
    if target.band is not None:
        own: Ticks = ticks_of(product.price) + shipping
        low, high = times(reference, percent_of(target.band.low)), times(reference, percent_of(target.band.high))
        if low <= own <= high:
            return None
        aim = high if own > high else low
    elif target.adjust_amount is not None:
        aim = reference + ticks_of(target.adjust_amount)
    elif target.adjust_percent is not None:
        aim = times(reference, with_percent(target.adjust_percent))
    return aim - shipping


def _placed(draft: _Draft, aim: Ticks, interval: Interval) -> Decision:
    """Steps 9 to 12: clamp, round to an ending, check once more and propose."""
    product, rule, notes = draft.product, draft.rule, draft.trail
    bound = interval.binding(aim)
    if bound is not None:
        notes = (*notes, bound.code.value)
    price, ending_fits = finished(bound.ticks if bound else aim, interval, rule.rounding)
    if not ending_fits:
        notes = (*notes, Note.NO_ENDING_FITS.value)
    reason = _last_check(ticks_of(product.price), price, rule)
    if reason is None and product.compare_at is not None and price >= ticks_of(product.compare_at):
        notes = (*notes, Note.COMPARE_AT_INVALID.value)
    result = price_of(price, product.currency)
    return Decision(product, rule, reason, result, aim, draft.reference, bound, notes, draft.market)


def _last_check(own: Ticks, price: int, rule: Rule) -> Reason | None:
    """Step 11: say why the result is not worth proposing, or None."""
    guardrails = rule.guardrails
    change: Ticks = price - own if price > own else own - price
    if not change:
        return Reason.NO_CHANGE
    forbidden = Direction.DOWN if price > own else Direction.UP
    if guardrails.direction is forbidden:
        return Reason.DIRECTION
    is_small = guardrails.min_change_amount and change < ticks_of(guardrails.min_change_amount)
    if is_small or (guardrails.min_change_pct and change < times(own, percent_of(guardrails.min_change_pct))):
        return Reason.TOO_SMALL
    return None

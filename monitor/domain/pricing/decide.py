"""Decide one product: a proposal that keeps every limit of its rule at once, or a reason for none.

The twelve steps of `docs/pricing.md`, in their order; the first that yields a reason ends it. One rule
decides alone; a later one is asked only when the first has `fallback = "next"` and too little market data.
Pure and exact: the same facts give the same decision, whatever the order of the offers.

Nothing here changes a price; a proposal waits for a person.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

from monitor.domain.catalogue import Product
from monitor.domain.pricing.bounds import Interval, Limit, allowed, ceilings, floors, highest, lowest
from monitor.domain.pricing.codes import TOO_LITTLE_KNOWN, Note, Reason, fallback_note
from monitor.domain.pricing.endings import finished
from monitor.domain.pricing.exact import decimal_of, in_currency, minor_unit, percent_of
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

#: What a decision knows of the market when no offer was looked at.
NOTHING_SEEN = Market()


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided for one product and everything that led there."""

    product: Product
    rule: Rule | None = None  #: the rule that decided; None for NO_RULE
    reason: Reason | None = None  #: why nothing is proposed; None for a proposal
    result: Decimal | None = None  #: where the rule led, whether worth proposing or not
    aim: Fraction | None = None  #: the exact target before limits and price endings
    reference: Reference | None = None
    bound: Limit | None = None  #: the limit that moved the target
    trail: tuple[str, ...] = ()  #: notes in the order made
    market: Market = NOTHING_SEEN  #: empty when no offer was looked at

    @property
    def is_proposal(self) -> bool:
        """True when a new price waits for approval."""
        return self.result is not None and self.reason is None

    @property
    def price(self) -> Decimal | None:
        """The proposed price; None when nothing is proposed."""
        return self.result if self.reason is None else None

    @property
    def target(self) -> Decimal | None:
        """The target before limits and price endings, rounded half up to four places."""
        return None if self.aim is None else decimal_of(self.aim, 4)

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
    matching, offers = rules.matching(product), tuple(offers)
    trail: tuple[str, ...] = ()
    for position, rule in enumerate(matching, start=1):
        decision = _by_rule(Decision(product, rule, trail=trail), rule, offers, rates, since_change)
        passes_on = rule.fallback is Fallback.NEXT and decision.reason in TOO_LITTLE_KNOWN
        if not passes_on or position == len(matching):
            return decision
        trail += (fallback_note(rule.id),)
    return Decision(product, reason=Reason.NO_RULE)


def _by_rule(
    draft: Decision,
    rule: Rule,
    offers: tuple[Offer, ...],
    rates: Mapping[str, Fraction],
    since_change: timedelta | None,
) -> Decision:
    """Steps 2 to 5: check the product, then the market."""
    product = draft.product
    reason = _product_check(product, rule, since_change) or _bounds_check(product, rule)
    if reason:
        return replace(draft, reason=reason)
    if rule.target.reference is ReferenceKind.COST:
        reference: Reference | None = Reference(Fraction(product.cost or 0))
    else:
        market = market_of(product, offers, rule, rates)
        draft = replace(draft, market=market)
        reason, reference = shortage(market, rule), reference_in(market, rule)
    if reason or reference is None:
        return replace(draft, reason=reason)
    return _aimed(replace(draft, reference=reference), rule, reference)


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


def _bounds_check(product: Product, rule: Rule) -> Reason | None:
    """Step 3: say whether the product's own bounds leave no price."""
    floor, ceiling = highest(floors(product, rule.guardrails)), lowest(ceilings(product))
    if floor is not None and ceiling is not None and floor.amount > ceiling.amount:
        return Reason.BOUNDS_CONFLICT
    return None


def _aimed(draft: Decision, rule: Rule, reference: Reference) -> Decision:
    """Steps 6 to 8: the target, the floor policy and the allowed interval."""
    product = draft.product
    aim = _target(product, rule, reference.amount)
    if aim is None:
        return replace(draft, reason=Reason.IN_BAND)
    draft = replace(draft, aim=aim)
    floor = highest(floors(product, rule.guardrails))
    if floor is not None and aim < floor.amount and rule.guardrails.below_floor is BelowFloor.SKIP:
        return replace(draft, reason=Reason.BELOW_FLOOR)
    interval = allowed(product, rule.guardrails)
    if interval.is_empty:
        return replace(draft, reason=Reason.GUARDRAIL_CONFLICT)
    return _placed(draft, rule, aim, interval)


def _target(product: Product, rule: Rule, reference: Fraction) -> Fraction | None:
    """Step 6: where the price should be, or None when it is inside the rule's band."""
    of_market = rule.target.reference is not ReferenceKind.COST
    shipping = Fraction(product.shipping or 0) if rule.compare is Compare.LANDED and of_market else Fraction(0)
    aim, target = reference, rule.target
    if target.band is not None:
        own = Fraction(product.price) + shipping
        low, high = reference * percent_of(target.band.low), reference * percent_of(target.band.high)
        if low <= own <= high:
            return None
        aim = high if own > high else low
    elif target.adjust_amount is not None:
        aim = reference + Fraction(target.adjust_amount)
    elif target.adjust_percent is not None:
        aim = reference * (1 + percent_of(target.adjust_percent))
    return aim - shipping


def _placed(draft: Decision, rule: Rule, aim: Fraction, interval: Interval) -> Decision:
    """Steps 9 to 12: clamp, round to an ending, check once more and propose."""
    product, notes = draft.product, list(draft.trail)
    bound = interval.binding(aim)
    if bound is not None:
        notes.append(bound.code.value)
    unit = minor_unit(product.currency)
    amount, ending_fits = finished(bound.amount if bound else aim, interval, rule.rounding, unit)
    if not ending_fits:
        notes.append(Note.NO_ENDING_FITS.value)
    reason = _last_check(Fraction(product.price), amount, rule)
    if reason is None and product.compare_at is not None and amount >= product.compare_at:
        notes.append(Note.COMPARE_AT_INVALID.value)
    result = in_currency(amount, product.currency)
    return replace(draft, reason=reason, result=result, bound=bound, trail=tuple(notes))


def _last_check(price: Fraction, amount: Fraction, rule: Rule) -> Reason | None:
    """Step 11: say why the result is not worth proposing, or None."""
    guardrails, change = rule.guardrails, abs(amount - price)
    if not change:
        return Reason.NO_CHANGE
    forbidden = Direction.DOWN if amount > price else Direction.UP
    if guardrails.direction is forbidden:
        return Reason.DIRECTION
    if change < guardrails.min_change_amount or change < price * percent_of(guardrails.min_change_pct):
        return Reason.TOO_SMALL
    return None

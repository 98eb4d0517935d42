"""Say a decision in one line of English, for the report, the review page and the command line.

    Match the lowest in-stock rival: Acme 24.90 EUR (seen 02:04); raised to your minimum 25.00.

The words follow from the decision alone; they never carry a number that it does not.
"""

from datetime import UTC, tzinfo
from decimal import Decimal
from fractions import Fraction

from monitor.domain.money import amount_text
from monitor.domain.pricing.codes import Note, OfferCode
from monitor.domain.pricing.decide import Decision
from monitor.domain.pricing.exact import amount_of, half_up, minor_unit
from monitor.domain.pricing.offers import Comparable, Ignored, Offer
from monitor.domain.pricing.quiet import reason_in_words
from monitor.domain.pricing.rule import Compare, ReferenceKind, Rule
from monitor.domain.pricing.wording import money, number, reference_name

_BOUND = {
    Note.MIN_PRICE: "raised to your minimum {}",
    Note.MARGIN_FLOOR: "raised to {} to keep a margin of {margin} %",
    Note.MAP_FLOOR: "raised to the minimum advertised price {}",
    Note.MAX_DECREASE: "held at {}, at most {decrease} % down in one change",
    Note.MAX_PRICE: "capped at your maximum {}",
    Note.MSRP: "capped at the suggested retail price {}",
    Note.MAX_INCREASE: "held at {}, at most {increase} % up in one change",
}

_IGNORED = {
    OfferCode.NOT_CONFIRMED: "nobody has confirmed that it is the same product",
    OfferCode.CONDITION: "not new but {condition}",
    OfferCode.SELLER_EXCLUDED: "the rule does not look at this seller",
    OfferCode.HELD: "suspicious, waits for confirmation",
    OfferCode.STALE: "seen {hours} hours ago, too old",
    OfferCode.OUT_OF_STOCK: "out of stock",
    OfferCode.STOCK_UNKNOWN: "the page does not say whether it is in stock",
    OfferCode.NO_FX_RATE: "no exchange rate for {currency}",
    OfferCode.SHIPPING_UNKNOWN: "delivery cost not known",
    OfferCode.BELOW_MAP: "below the minimum advertised price",
    OfferCode.OUTLIER: "too far from the other offers",
}


def in_words(decision: Decision, *, zone: tzinfo = UTC) -> str:
    """Return one line that explains a proposal, or why there is none.

    Args:
        decision: what was decided.
        zone: the time zone in which "seen 02:04" is said.
    """
    if decision.reason is not None:
        return reason_in_words(decision)
    return "; ".join([_strategy(decision, zone), *_clauses(decision)]) + "."


def ignored_in_words(ignored: Ignored) -> str:
    """Return one line about an offer that did not count: `Birch 33.00 EUR: seen 60 hours ago, too old`."""
    offer = ignored.offer
    hours = round(offer.age.total_seconds() / 3600)
    why = _IGNORED[ignored.code].format(hours=hours, condition=offer.condition, currency=offer.currency)
    return f"{offer.called} {_asked(offer)}: {why}"


def _strategy(decision: Decision, zone: tzinfo) -> str:
    """What the rule does and what it measured against."""
    rule, reference = decision.rule, decision.reference
    if rule is None or reference is None:
        return "No reference"
    seen = reference.offers[0] if len(reference.offers) == 1 else None
    currency = decision.product.currency
    amount = f"{money(reference.amount, currency)} {currency}"
    if seen is None or rule.target.reference in {ReferenceKind.AVERAGE, ReferenceKind.MEDIAN}:
        return f"{_move(rule, decision)}: {amount}"
    return f"{_move(rule, decision)}: {_offer(seen, rule, zone)}{_conversion(seen, amount, currency)}"


def _move(rule: Rule, decision: Decision) -> str:
    target, name, currency = rule.target, reference_name(decision), decision.product.currency
    if target.band is not None:
        own_is_above = decision.aim is not None and decision.aim < decision.product.price
        edge = target.band.high if own_is_above else target.band.low
        return f"Come {'down' if own_is_above else 'up'} to {number(edge)} % of {name}"
    step = target.adjust_amount if target.adjust_amount is not None else target.adjust_percent
    if not step:
        return f"Match {name}" if target.reference is not ReferenceKind.COST else f"Sell at {name}"
    size = f"{number(abs(step))} %" if target.adjust_amount is None else amount_text(abs(step), currency)
    return f"Go {size} {'below' if step < 0 else 'above'} {name}"


def _offer(seen: Comparable, rule: Rule, zone: tzinfo) -> str:
    offer = seen.offer
    delivery = ""
    if rule.compare is Compare.LANDED and offer.shipping:
        delivery = f" plus {amount_text(offer.shipping, offer.currency)} delivery"
    remarks = [f"seen {offer.seen_at.astimezone(zone):%H:%M}"] if offer.seen_at else []
    if offer.in_stock is None:
        remarks.append("stock not stated")
    if offer.in_stock is False:
        remarks.append("out of stock")
    name = "" if rule.target.reference is ReferenceKind.SELLER else f"{offer.called} "
    return f"{name}{_asked(offer)}{delivery}" + (f" ({', '.join(remarks)})" if remarks else "")


def _conversion(seen: Comparable, amount: str, currency: str) -> str:
    """Say what an offer comes to when currency, tax, pack or delivery make it another amount."""
    is_same = seen.amount == seen.offer.price and seen.offer.currency == currency
    return "" if is_same else f", comparable {amount}"


def _asked(offer: Offer) -> str:
    return f"{amount_text(offer.price, offer.currency)} {offer.currency}"


def _clauses(decision: Decision) -> list[str]:
    """What happened between the target and the price."""
    currency, price = decision.product.currency, decision.price
    clauses = [f"rule {note.partition(':')[2]} had too little to go on" for note in decision.trail if ":" in note]
    said = _said_amount(decision)
    if decision.bound is not None:
        clauses.append(_bound(decision))
    if price is not None and Fraction(price) != said:
        ended = Note.NO_ENDING_FITS not in decision.trail and decision.rule and decision.rule.rounding.bands
        clauses.append(f"{'price ending ' if ended else 'that is '}{amount_text(price, currency)}")
    if Note.NO_ENDING_FITS in decision.trail:
        clauses.append("no price ending lies within your limits")
    if Note.COMPARE_AT_INVALID in decision.trail:
        was = amount_text(decision.product.compare_at or Decimal(0), currency)
        clauses.append(f"the struck-through price {was} would not be higher any more")
    return clauses


def _said_amount(decision: Decision) -> Fraction | None:
    """Return the last amount that the line has named before the price itself."""
    if decision.bound is not None:
        return decision.bound.amount
    if decision.reference is None:
        return None
    unit = minor_unit(decision.product.currency)
    return amount_of(half_up(decision.reference.ticks, unit))


def _bound(decision: Decision) -> str:
    bound, rule = decision.bound, decision.rule
    if bound is None or rule is None:
        return ""
    currency, limits = decision.product.currency, rule.guardrails
    if bound.code is Note.MIN_PRICE and bound.amount != decision.product.min_price:
        return f"raised to {money(bound.amount, currency)}, the smallest price there is"
    return _BOUND[bound.code].format(
        money(bound.amount, currency),
        margin=number(limits.min_margin_pct),
        decrease=number(limits.max_decrease_pct),
        increase=number(limits.max_increase_pct),
    )

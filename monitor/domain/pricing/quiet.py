"""Say in one line why nothing is proposed for a product."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

from monitor.domain.pricing.bounds import Limit, allowed, ceilings, floors, highest, lowest
from monitor.domain.pricing.codes import Note, Reason
from monitor.domain.pricing.decide import Decision
from monitor.domain.pricing.rule import Compare, Guardrails, ReferenceKind, Rule
from monitor.domain.pricing.wording import counted, money, number, ordinal, reference_name, sentence

_LIMITS = {
    Note.MIN_PRICE: "your minimum {}",
    Note.MARGIN_FLOOR: "the margin floor {}",
    Note.MAP_FLOOR: "the minimum advertised price {}",
    Note.MAX_DECREASE: "the limit of {} for one change",
    Note.MAX_PRICE: "your maximum {}",
    Note.MSRP: "the suggested retail price {}",
    Note.MAX_INCREASE: "the limit of {} for one change",
}


def reason_in_words(decision: Decision) -> str:
    """Return one line; empty for a proposal."""
    if decision.reason is None:
        return ""
    if decision.guard:
        return decision.guard
    if decision.rule is None:
        return "No rule is for this product; widen the scope of one in rules.toml or add one."
    return _SAYINGS[decision.reason](decision, decision.rule)


def _locked(decision: Decision, rule: Rule) -> str:
    return "A person locked this price."


def _own_out_of_stock(decision: Decision, rule: Rule) -> str:
    return "You have none in stock."


def _on_sale(decision: Decision, rule: Rule) -> str:
    was = _own(decision, decision.product.compare_at or Decimal(0))
    return f"On sale at {_own(decision, decision.product.price)}, was {was}; rule {rule.id} leaves sale prices alone."


def _cool_down(decision: Decision, rule: Rule) -> str:
    hours = number(rule.guardrails.cooldown_hours)
    return f"Your price changed less than {hours} hours ago; rule {rule.id} lets it rest."


def _cost_missing(decision: Decision, rule: Rule) -> str:
    return f"The catalogue has no cost for this product, and rule {rule.id} needs it."


def _bounds_conflict(decision: Decision, rule: Rule) -> str:
    floor = highest(floors(decision.product, rule.guardrails))
    ceiling = lowest(ceilings(decision.product))
    bounds = f"{limit_in_words(decision, floor)} is above {limit_in_words(decision, ceiling)}"
    return f"{sentence(bounds)}; correct the catalogue or the rule."


def _coverage_low(decision: Decision, rule: Rule) -> str:
    market, asked = decision.market, number(rule.offers.min_coverage_pct)
    fresh = f"{market.fresh} of {counted(market.tracked, 'tracked offer')}"
    return f"Only {fresh} can be trusted tonight, fresh and not held; rule {rule.id} asks for {asked} %."


def _too_few_offers(decision: Decision, rule: Rule) -> str:
    found = counted(len(decision.usable), "usable offer") if decision.usable else "No usable offer"
    ignored = f", {len(decision.ignored)} ignored" if decision.ignored else ""
    return f"{found}{ignored}; rule {rule.id} asks for {rule.offers.min_offers}."


def _reference_missing(decision: Decision, rule: Rule) -> str:
    if rule.target.reference is ReferenceKind.SELLER:
        return f"{rule.target.seller} has no usable offer, and rule {rule.id} follows only that seller."
    wanted = ordinal(rule.target.n or 1)
    return f"{counted(len(decision.usable), 'usable offer')}; rule {rule.id} follows the {wanted} lowest."


def _in_band(decision: Decision, rule: Rule) -> str:
    reference, band, product = decision.reference, rule.target.band, decision.product
    if reference is None or band is None:
        return f"Your price is where rule {rule.id} wants it."
    own = Fraction(product.price)
    if rule.compare is Compare.LANDED:
        own += Fraction(product.shipping or 0)
    index = f"{_percent(own / reference.amount)} %" if reference.amount else "no share"
    name, amount = reference_name(decision), money(reference.amount, product.currency)
    return f"Your price is {index} of {name} ({amount}), inside {number(band.low)} to {number(band.high)} %."


def _below_floor(decision: Decision, rule: Rule) -> str:
    floor = highest(floors(decision.product, rule.guardrails))
    below = limit_in_words(decision, floor)
    return f"{_market(decision)}, below {below}; rule {rule.id} does not follow the market there."


def _guardrail_conflict(decision: Decision, rule: Rule) -> str:
    interval = allowed(decision.product, rule.guardrails)
    least, most = limit_in_words(decision, interval.lower), limit_in_words(decision, interval.upper)
    return f"No price keeps every limit: {least} is above {most}."


def _no_change(decision: Decision, rule: Rule) -> str:
    if decision.bound is not None:
        return f"{_market(decision)}, but {limit_in_words(decision, decision.bound)} keeps your price where it is."
    return f"{_market(decision)}, which leads to the price you have."


def _direction(decision: Decision, rule: Rule) -> str:
    way = rule.guardrails.direction.value
    own, wanted = _own(decision, decision.product.price), _own(decision, decision.result or Decimal(0))
    return f"{_market(decision)}; rule {rule.id} moves prices only {way}, and not from {own} to {wanted}."


def _too_small(decision: Decision, rule: Rule) -> str:
    wanted, price = decision.result or Decimal(0), decision.product.price
    change = f"{_own(decision, price)} to {_own(decision, wanted)}"
    return (
        f"A change from {change} is too small for rule {rule.id}, which asks for {_least(rule.guardrails, decision)}."
    )


def _least(limits: Guardrails, decision: Decision) -> str:
    asked = []
    if limits.min_change_amount:
        asked.append(_own(decision, limits.min_change_amount))
    if limits.min_change_pct:
        asked.append(f"{number(limits.min_change_pct)} %")
    return " and ".join(asked)


def _market(decision: Decision) -> str:
    rule, reference, currency = decision.rule, decision.reference, decision.product.currency
    if rule is None or reference is None or decision.aim is None:
        return "The target"
    name = sentence(reference_name(decision))
    if rule.target.reference in {ReferenceKind.LOWEST, ReferenceKind.NTH}:
        name = f"{name} ({reference.offers[0].offer.called})"
    aimed = "" if decision.aim == reference.amount else f", the target is {money(decision.aim, currency)}"
    return f"{name} is at {money(reference.amount, currency)}{aimed}"


def limit_in_words(decision: Decision, limit: Limit | None) -> str:
    """Return a limit with its amount, `your minimum 25.00`; empty for none."""
    return "" if limit is None else _LIMITS[limit.code].format(money(limit.amount, decision.product.currency))


def _own(decision: Decision, amount: Decimal) -> str:
    return money(amount, decision.product.currency)


def _percent(share: Fraction) -> str:
    return number(Decimal(round(share * 1000)) / 10)


_SAYINGS: dict[Reason, Callable[[Decision, Rule], str]] = {
    Reason.LOCKED: _locked,
    Reason.OWN_OUT_OF_STOCK: _own_out_of_stock,
    Reason.ON_SALE: _on_sale,
    Reason.COOL_DOWN: _cool_down,
    Reason.COST_MISSING: _cost_missing,
    Reason.BOUNDS_CONFLICT: _bounds_conflict,
    Reason.COVERAGE_LOW: _coverage_low,
    Reason.TOO_FEW_OFFERS: _too_few_offers,
    Reason.REFERENCE_MISSING: _reference_missing,
    Reason.IN_BAND: _in_band,
    Reason.BELOW_FLOOR: _below_floor,
    Reason.GUARDRAIL_CONFLICT: _guardrail_conflict,
    Reason.NO_CHANGE: _no_change,
    Reason.DIRECTION: _direction,
    Reason.TOO_SMALL: _too_small,
}

"""A decision from evidence to rounding, step by step, for a person who asks why.

One entry for each of the twelve steps of `docs/pricing.md` that was reached, then the guards of the night. The numbers
are those of the decision; nothing is decided here.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from monitor.domain.money import amount_text
from monitor.domain.pricing.bounds import Limit, allowed, ceilings, floors
from monitor.domain.pricing.codes import Note, Reason
from monitor.domain.pricing.decide import Decision
from monitor.domain.pricing.quiet import limit_in_words, reason_in_words
from monitor.domain.pricing.rule import Compare, ReferenceKind, Rule, Rules
from monitor.domain.pricing.wording import counted, money, number, reference_name, sentence

#: In which step a reason ends a decision; the guards come after the twelfth.
_ENDS_IN = {
    Reason.NO_RULE: 1,
    Reason.LOCKED: 2,
    Reason.OWN_OUT_OF_STOCK: 2,
    Reason.ON_SALE: 2,
    Reason.COOL_DOWN: 2,
    Reason.COST_MISSING: 2,
    Reason.BOUNDS_CONFLICT: 3,
    Reason.COVERAGE_LOW: 5,
    Reason.TOO_FEW_OFFERS: 5,
    Reason.REFERENCE_MISSING: 5,
    Reason.IN_BAND: 6,
    Reason.BELOW_FLOOR: 7,
    Reason.GUARDRAIL_CONFLICT: 8,
    Reason.NO_CHANGE: 11,
    Reason.DIRECTION: 11,
    Reason.TOO_SMALL: 11,
}
_GUARDS = 13


@dataclass(frozen=True, slots=True)
class Line:
    """One step of a derivation."""

    step: int  #: 1 to 12; 13 are the guards of the night
    name: str
    words: str

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {"step": self.step, "name": self.name, "words": self.words}


def derivation(decision: Decision, rules: Rules) -> tuple[Line, ...]:
    """Return the steps that led to a decision, in their order, down to the one that ended it."""
    last = _last_step(decision)
    lines = [line for line in _steps(decision, rules) if line.step <= last]
    if decision.reason is not None and last < _GUARDS:
        ended = Line(last, "ends here", f"{decision.reason.value}: {reason_in_words(decision)}")
        return (*lines, ended)
    if decision.guard and decision.reason is not None:
        return (*lines, Line(_GUARDS, "guards of the night", f"{decision.reason.value}: {decision.guard}"))
    asked = (Line(_GUARDS, "second look", f"{one.code.value}: {one.words}.") for one in decision.second_look)
    return (*lines, *asked)


def _last_step(decision: Decision) -> int:
    if decision.reason is None:
        return 12
    if decision.reason is Reason.DO_NOT_TOUCH:
        return 0
    return _ENDS_IN.get(decision.reason, _GUARDS)


def _steps(decision: Decision, rules: Rules) -> Iterator[Line]:
    rule = decision.rule
    yield Line(1, "rule", _rule_words(decision, rules))
    if rule is None:
        return
    yield Line(2, "product", "Nothing stops it: lock, stock, sale, rest and cost, as far as the rule asks for them.")
    yield Line(3, "bounds", _bounds(decision, rule))
    if rule.target.reference is not ReferenceKind.COST:
        yield from _market(decision, rule)
    if decision.reference is not None:
        yield Line(6, "target", _target(decision, rule))
    if decision.aim is not None:
        yield Line(7, "floor policy", f"below_floor is {rule.guardrails.below_floor.value}.")
        yield Line(8, "allowed interval", _interval(decision, rule))
    if decision.result is not None:
        yield from _placing(decision, rule)


def _rule_words(decision: Decision, rules: Rules) -> str:
    matching = [rule.id for rule in rules.asked_about(decision.product)]
    passed = [note.partition(":")[2] for note in decision.trail if note.startswith("FALLBACK:")]
    words = (
        f"Of {counted(len(rules.asked), 'enabled rule')}, these are for this product: {', '.join(matching) or 'none'}."
    )
    if decision.rule is not None:
        words += f" {decision.rule.id} (priority {decision.rule.priority}) decides."
    return words + (f" Passed on with too little market data: {', '.join(passed)}." if passed else "")


def _bounds(decision: Decision, rule: Rule) -> str:
    low = [limit_in_words(decision, limit) for limit in floors(decision.product, rule.guardrails)]
    high = [limit_in_words(decision, limit) for limit in ceilings(decision.product)]
    return f"Floor: {_listed(low, 'highest')}. Ceiling: {_listed(high, 'lowest')}."


def _listed(limits: list[str], which: str) -> str:
    """Return the limits with which of several counts; one alone needs no choice."""
    return f"the {which} of {', '.join(limits)}" if len(limits) > 1 else limits[0] if limits else "none"


def _market(decision: Decision, rule: Rule) -> Iterator[Line]:
    market, currency = decision.market, decision.product.currency
    how = "price plus delivery" if rule.compare is Compare.LANDED else "price"
    usable = ", ".join(f"{one.offer.called} {money(one.amount, currency)}" for one in market.usable)
    ignored = ", ".join(f"{one.offer.called} {one.code.value}" for one in market.ignored)
    tax = ", without tax" if any(one.offer.tax_included_pct for one in market.usable) else ""
    words = f"Usable by {how}{tax}, for our pack, in {currency}: {usable or 'none'}. Ignored: {ignored or 'none'}."
    yield Line(4, "offers", words)
    asked = rule.offers
    enough = (
        f"{market.fresh} of {counted(market.tracked, 'tracked offer')} fresh and not held (asked for: "
        f"{number(asked.min_coverage_pct)} %), {len(market.usable)} usable (asked for: {asked.min_offers})."
    )
    yield Line(5, "enough data", enough)


def _target(decision: Decision, rule: Rule) -> str:
    reference, currency, target = decision.reference, decision.product.currency, rule.target
    if reference is None:
        return ""
    name = sentence(reference_name(decision))
    start = f"{name}: {money(reference.amount, currency)} {currency}"
    if target.band is not None:
        start += f"; band {number(target.band.low)} to {number(target.band.high)} %"
    elif target.adjust_amount is not None:
        start += f"; adjusted by {amount_text(target.adjust_amount, currency)}"
    elif target.adjust_percent is not None:
        start += f"; adjusted by {number(target.adjust_percent)} %"
    if rule.compare is Compare.LANDED and decision.product.shipping and target.reference is not ReferenceKind.COST:
        start += f"; without our delivery of {amount_text(decision.product.shipping, currency)}"
    return start + (f". Target {decision.target}." if decision.target is not None else ".")


def _interval(decision: Decision, rule: Rule) -> str:
    interval = allowed(decision.product, rule.guardrails)
    upper = "without an upper end" if interval.upper is None else f"to {_end(decision, interval.upper)}"
    return f"From {_end(decision, interval.lower)} {upper}."


def _end(decision: Decision, limit: Limit) -> str:
    return f"{money(limit.amount, decision.product.currency)} ({limit.code.value})"


def _placing(decision: Decision, rule: Rule) -> Iterator[Line]:
    currency, bound, result = decision.product.currency, decision.bound, decision.result or Decimal(0)
    if bound is None:
        yield Line(9, "clamp", "The target lies inside.")
    else:
        yield Line(9, "clamp", f"Moved to {money(bound.amount, currency)} by {bound.code.value}.")
    yield Line(10, "rounding", f"{_rounding(decision, rule)} gives {amount_text(result, currency)}.")
    own = amount_text(decision.product.price, currency)
    yield Line(
        11, "last checks", f"From {own} to {amount_text(result, currency)}, direction {rule.guardrails.direction}."
    )
    noted = (
        " The struck-through price would not be higher any more." if Note.COMPARE_AT_INVALID in decision.trail else ""
    )
    yield Line(12, "proposal", f"{amount_text(result, currency)} {currency}.{noted}")


def _rounding(decision: Decision, rule: Rule) -> str:
    if not rule.rounding.bands:
        return "Half up to the minor unit"
    endings = sorted({str(ending) for band in rule.rounding.bands for ending in band.endings})
    if Note.NO_ENDING_FITS in decision.trail:
        return f"None of the endings {', '.join(endings)} fits the interval; half up to the minor unit"
    return f"Mode {rule.rounding.mode} with endings {', '.join(endings)}"

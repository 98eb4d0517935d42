"""What a person may make of a proposal besides yes and no: another price, the old price again, a fresh start.

Each gives a new proposal that is decided like any other, so the executor needs to know nothing of it: it compares with
the price that the proposal expects and stays inside the same rails. `amended` among its facts says what was done.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from monitor.domain.action import Action, Actor, Proposal
from monitor.domain.money import Money, UnreadableAmount, amount_text, digits, plain_amount
from monitor.domain.plan import NightPlan
from monitor.domain.pricing import rules_from_text
from monitor.domain.pricing.endings import period
from monitor.domain.shop_price import CLEAR, CompareAtAction, compare_at_of, expected_compare_at, set_to
from monitor.errors import Misconfigured

#: Digits before the decimal dot of a price that a person types.
_MOST_DIGITS = 7
_TYPED = re.compile(rf"\d{{1,{_MOST_DIGITS}}}(?:\.\d{{1,4}})?")


class PriceRefused(ValueError):
    """A price that a person typed is outside what may be approved; the words say which bound and what fits."""


def typed_price(text: str, action: Action, plan: NightPlan) -> Decimal:
    """Return the price that a person wants instead, checked against every bound.

    Raises:
        PriceRefused: no plain amount, or outside the limits of the rule, the step, the ending or the compare-at price.
    """
    shown = action.proposal
    try:
        price = plain_amount(text) if _TYPED.fullmatch(text.strip()) and text.isascii() else None
    except UnreadableAmount:
        price = None
    example = amount_text(shown.new_price, shown.currency)
    if price is None or price <= 0:
        raise PriceRefused(f"{text[:20]!r} is no price; write it with a dot, for example {example}")
    if len(amount_text(price).partition(".")[2]) > digits(shown.currency):
        raise PriceRefused(f"{price} has more decimals than {shown.currency} has, which is {digits(shown.currency)}")
    problem = _outside(price, action) or _too_far(price, action, plan) or _wrong_ending(price, action, plan)
    if problem:
        raise PriceRefused(f"{Money(price, shown.currency)} {problem}")
    return price


def _outside(price: Decimal, action: Action) -> str | None:
    shown = action.proposal
    if price == shown.old_price:
        return "is the price it has already; reject the proposal to keep it"
    limits = shown.facts.get("limits")
    for side, word in (("lower", "below the lowest"), ("upper", "above the highest")):
        limit = limits.get(side) if isinstance(limits, Mapping) else None
        bound = plain_amount(limit["amount"]) if limit else None
        if bound is not None and (price < bound if side == "lower" else price > bound):
            return f"is {word} price that its rule allows, {Money(bound, shown.currency)}"
    is_known, compare_at = expected_compare_at(shown.facts)
    is_kept = compare_at_of(shown.facts).action is CompareAtAction.KEEP
    if is_known and is_kept and compare_at is not None and price >= compare_at:
        return f"is not below the compare-at price of {Money(compare_at, shown.currency)}, which is kept"
    return None


def _too_far(price: Decimal, action: Action, plan: NightPlan) -> str | None:
    old, most = action.proposal.old_price, plan.writes.max_step_pct
    if abs(price - old) * 100 <= most * old:
        return None
    return f"is more than {most.normalize():f} % away from {Money(old, action.proposal.currency)} (writes.max_step_pct)"


def _wrong_ending(price: Decimal, action: Action, plan: NightPlan) -> str | None:
    endings = _endings(price, action, plan)
    if not endings or any((price - one) % period(one) == 0 for one in endings):
        return None
    shown = ", ".join(amount_text(one, action.proposal.currency) for one in endings)
    return f"does not end in {shown}, as its rule {action.proposal.rule_id!r} asks"


def _endings(price: Decimal, action: Action, plan: NightPlan) -> tuple[Decimal, ...]:
    """Return the endings of the rule that proposed; none when the rule is not there any more."""
    try:
        rules = rules_from_text(plan.rules, where="rules.toml")
    except Misconfigured:
        return ()
    rule = next((rule for rule in rules.rules if rule.id == action.proposal.rule_id), None)
    bands = rule.rounding.bands if rule is not None else ()
    return next((band.endings for band in bands if band.below is None or price < band.below), ())


def edited(action: Action, price: Decimal, actor: Actor) -> Proposal:
    """Return the proposal at the price that a person chose instead."""
    shown = action.proposal
    facts = shown.facts | {
        "price": amount_text(price, shown.currency),
        "weekly_effect": _scaled(shown, price),
        "amended": {
            "how": "edited",
            "by": actor.name,
            "from_version": action.version,
            "from_price": amount_text(shown.new_price, shown.currency),
        },
    }
    words = f"Set by {actor.name} instead of {Money(shown.new_price, shown.currency)}. {shown.words}"
    return replace(shown, new_price=price, words=words, facts=facts)


def _scaled(shown: Proposal, price: Decimal) -> str | None:
    """Return the weekly effect of another price: it grows with the step, at constant volume."""
    effect, step = shown.facts.get("weekly_effect"), shown.new_price - shown.old_price
    if effect is None or not step:
        return None
    exact = Decimal(str(effect)) * (price - shown.old_price) / step
    return amount_text(exact.quantize(Decimal(1).scaleb(-digits(shown.currency))), shown.currency)


def renewed(action: Action, current: Money, actor: Actor, *, expires_at: datetime) -> Proposal | None:
    """Return the same target on top of what the shop charges now; None when nothing is left to change.

    A shop that changed its currency cannot be proposed to from here: the next night does.
    """
    shown = action.proposal
    if current.currency != shown.currency or current.amount == shown.new_price or current.amount <= 0:
        return None
    facts = {name: value for name, value in shown.facts.items() if name not in ("compare_at", "weekly_effect")}
    facts["amended"] = {
        "how": "renewed",
        "by": actor.name,
        "from_version": action.version,
        "from_old_price": amount_text(shown.old_price, shown.currency),
    }
    words = f"Proposed afresh from {current}, what the shop charges now. {shown.words}"
    return replace(shown, old_price=current.amount, words=words, facts=facts, expires_at=expires_at)


def reverted(action: Action, before: Mapping[str, Any], actor: Actor, *, expires_at: datetime) -> Proposal | None:
    """Return the proposal that gives an applied price back, with the compare-at price that stood beside it.

    Args:
        action: it was applied.
        before: what the shop said right before it was written, as the write keeps it.
        actor: who wants the old price again.
        expires_at: until when it may be written.

    Returns:
        None when the price before is not known, or was the same.
    """
    shown = action.proposal
    if before.get("price") is None or before.get("currency") != shown.currency:
        return None
    price = plain_amount(str(before["price"]))
    if price in (shown.new_price, Decimal(0)):
        return None
    facts: dict[str, Any] = {name: shown.facts[name] for name in ("cost", "tax_included") if name in shown.facts}
    facts["limits"] = _limits_around(shown.facts.get("limits"), price)
    facts["revert_of"] = action.id
    facts["amended"] = {"how": "reverted", "by": actor.name, "from_version": action.version}
    change = compare_at_of(shown.facts)
    if change.action is not CompareAtAction.KEEP:
        stood = before.get("compare_at")
        facts["compare_at_change"] = (CLEAR if stood is None else set_to(plain_amount(str(stood)))).as_json(
            shown.currency
        )
    words = f"{actor.name} wants the price from before {Money(shown.new_price, shown.currency)} again."
    return replace(
        shown,
        old_price=shown.new_price,
        new_price=price,
        rule_id="revert",
        words=words,
        facts=facts,
        expires_at=expires_at,
    )


def _limits_around(limits: Any, price: Decimal) -> dict[str, Any] | None:
    """Return the limits of the rule without a side that this price is beyond: the shop charged it all the same."""
    if not isinstance(limits, Mapping):
        return None
    lower, upper = limits.get("lower"), limits.get("upper")
    return {
        "lower": lower if lower and price >= plain_amount(lower["amount"]) else None,
        "upper": upper if upper and price <= plain_amount(upper["amount"]) else None,
    }


def inputs_of(proposal: Proposal) -> tuple[Any, ...]:
    """Return what a decision rested on, so that the next night can tell whether anything changed.

    Not the hashes of the pages: they change every night without anything having changed.
    """
    reference = proposal.facts.get("reference") or {}
    offers = reference.get("offers", ()) if isinstance(reference, Mapping) else ()
    return (
        proposal.channel,
        proposal.sku,
        proposal.currency,
        proposal.old_price,
        proposal.new_price,
        proposal.rule_id,
        proposal.facts.get("cost"),
        proposal.facts.get("compare_at"),
        tuple((one.get("seller"), one.get("price"), one.get("shipping"), one.get("in_stock")) for one in offers),
    )

"""The guards of a whole night: what one product alone may do and all of them together may not.

They come after the twelve steps. Guards only ever take a proposal away, each with its own reason and words; the price
that the rule led to stays visible. Each product is asked by itself first (do not touch, emergency, held rival, price
war); the breakers then mark what needs a second look; what is left shares the caps of the night, larger changes of
earlier rules first.

Deterministic: the same decisions and circumstances give the same answer, whatever their order.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from decimal import Decimal
from fractions import Fraction

from monitor.domain.money import amount_text
from monitor.domain.observation import Span
from monitor.domain.pricing.breakers import NOTHING_WATCHED, Coverage, Movement, marked
from monitor.domain.pricing.codes import OfferCode, Reason
from monitor.domain.pricing.decide import Decision
from monitor.domain.pricing.exact import lowered, minor_unit, price_of, ticks_of, times, with_percent
from monitor.domain.pricing.own import decreases, price_before
from monitor.domain.pricing.rule import Emergency, PriceWar, Rules, RunGuards
from monitor.domain.pricing.wording import counted, number


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What the guards know of the night besides its decisions."""

    day: date  #: the local date of the night
    now: datetime
    zone: tzinfo = UTC
    own: Mapping[str, tuple[Span, ...]] = field(default_factory=dict)  #: by SKU the history of our price
    moved: Mapping[str, Movement] = field(default_factory=dict)  #: by competitor
    coverage: Coverage = NOTHING_WATCHED


def guarded(decided: Iterable[Decision], rules: Rules, night: Circumstances) -> list[Decision]:
    """Return the decisions in their order, every proposal that a guard forbids taken away, odd ones marked."""
    return guarded_together([guarded_alone(one, rules, night) for one in decided], rules, night)


def guarded_alone(decision: Decision, rules: Rules, night: Circumstances) -> Decision:
    """Return a decision after the guards that look at one product; of `night` only the day and our own prices count."""
    return _alone(decision, rules.guards, night)


def guarded_together(
    alone: Sequence[Decision], rules: Rules, night: Circumstances, *, besides: int = 0
) -> list[Decision]:
    """Return the decisions after the guards that look at all of a night, in their order.

    Args:
        alone: every proposal of the night, after `guarded_alone`; decisions that propose nothing may be left out.
        besides: how many of those left out had offers that count.
    """
    guards = rules.guards
    looked_at = marked(alone, guards.breaker, night.moved, night.coverage, besides=besides)
    refused = _beyond_caps([one for one in looked_at if one.is_proposal], guards)
    return [refused.get(id(one), one) for one in looked_at]


def _stopped(decision: Decision, reason: Reason, words: str) -> Decision:
    return replace(decision, reason=reason, guard=words)


def _alone(decision: Decision, guards: RunGuards, night: Circumstances) -> Decision:
    """Ask the guards that look at one product."""
    listed = guards.do_not_touch.listed(decision.product)
    if listed is not None:
        words = f"do_not_touch in rules.toml names {listed}; nothing is proposed for this product."
        return _stopped(decision, Reason.DO_NOT_TOUCH, words)
    if not decision.is_proposal:
        return decision
    is_raise = decision.price is not None and decision.price > decision.product.price
    if is_raise:
        return _capped(decision, guards, night) or _unsure(decision) or decision
    return _at_war(decision, guards.price_war, night) or decision


def _capped(decision: Decision, guards: RunGuards, night: Circumstances) -> Decision | None:
    """Refuse a raise above the ceiling of an emergency that is in force."""
    for emergency in guards.emergencies:
        if emergency.since <= night.day <= emergency.until and emergency.scope.covers(decision.product):
            refused = _over(decision, emergency, night)
            if refused is not None:
                return refused
    return None


def _over(decision: Decision, emergency: Emergency, night: Circumstances) -> Decision | None:
    product, price = decision.product, decision.price
    began = datetime.combine(emergency.since, time.min, night.zone)
    known = price_before(_own(decision, night), began)
    base = product.price if known is None else known.price
    unit = minor_unit(product.currency)
    ceiling = price_of(lowered(times(ticks_of(base), with_percent(emergency.max_increase_pct)), unit), product.currency)
    if price is None or price <= ceiling:
        return None
    whose = (
        "your price now" if known is None or known.first_seen_at >= began else f"your price before {emergency.since}"
    )
    words = (
        f"A raise to {_said(price, decision)} would pass {_said(ceiling, decision)}, the ceiling of emergency "
        f"{emergency.id} until {emergency.until}: {number(emergency.max_increase_pct)} % above "
        f"{_said(base, decision)}, {whose}."
    )
    return _stopped(decision, Reason.EMERGENCY_CAP, words)


def _unsure(decision: Decision) -> Decision | None:
    """Refuse a raise while a rival's reading is held: that rival may be the cheapest."""
    held = sorted(one.offer.called for one in decision.ignored if one.code is OfferCode.HELD)
    if not held or decision.price is None:
        return None
    words = (
        f"A raise to {_said(decision.price, decision)} waits: the reading of {', '.join(held)} is not confirmed yet."
    )
    return _stopped(decision, Reason.RIVAL_HELD, words)


def _at_war(decision: Decision, war: PriceWar | None, night: Circumstances) -> Decision | None:
    """Refuse one more decrease after several in a row."""
    if war is None or decision.price is None:
        return None
    history = _own(decision, night)
    recent = [span for span in decreases(history) if span.first_seen_at >= night.now - timedelta(days=war.days)]
    if len(recent) < war.decreases:
        return None
    first = history[len(history) - len(recent) - 1].price
    sequence = ", ".join(_said(price, decision) for price in (first, *(span.price for span in recent)))
    words = (
        f"Lowered {counted(len(recent), 'time')} in a row within {war.days} days ({sequence}); a further decrease to "
        f"{_said(decision.price, decision)} is not proposed. Change the price yourself, or price_war in rules.toml."
    )
    return _stopped(decision, Reason.PRICE_WAR, words)


def _beyond_caps(proposals: Sequence[Decision], guards: RunGuards) -> dict[int, Decision]:
    """Share the caps of the night; return the refused decisions by the identity of the ones they stand for."""
    refused: dict[int, Decision] = {}
    if guards.max_proposals is None and guards.max_weekly_effect is None:
        return refused
    count, spent = 0, dict.fromkeys((one.product.currency for one in proposals), Decimal(0))
    for one in sorted(proposals, key=_standing_first):
        currency, effect = one.product.currency, abs(_weekly_effect(one))
        if guards.max_proposals is not None and count >= guards.max_proposals:
            words = f"The night proposes at most {counted(guards.max_proposals, 'change')}, and others came first."
            refused[id(one)] = _stopped(one, Reason.RUN_CAP, words)
        elif guards.max_weekly_effect is not None and spent[currency] + effect > guards.max_weekly_effect:
            words = (
                f"{_said(effect, one)} {currency} of weekly margin would bring the night to "
                f"{_said(spent[currency] + effect, one)}, above max_weekly_effect "
                f"{_said(guards.max_weekly_effect, one)}; others came first."
            )
            refused[id(one)] = _stopped(one, Reason.EFFECT_CAP, words)
        else:
            count, spent[currency] = count + 1, spent[currency] + effect
    return refused


def _standing_first(decision: Decision) -> tuple[int, Fraction, str]:
    """Order by the priority of the rule, then the largest change in percent, then the SKU."""
    own, price = Fraction(decision.product.price), Fraction(decision.price or 0)
    priority = decision.rule.priority if decision.rule is not None else 0
    return priority, -abs(price - own) / own, decision.product.sku


def _weekly_effect(decision: Decision) -> Decimal:
    """Return the weekly effect of a proposal; one of unknown volume counts as nothing and is left to the other cap."""
    price, sold = decision.price, decision.product.weekly_units
    return Decimal(0) if price is None or sold is None else (price - decision.product.price) * sold


def _own(decision: Decision, night: Circumstances) -> tuple[Span, ...]:
    product = decision.product
    return tuple(span for span in night.own.get(product.sku, ()) if span.currency == product.currency)


def _said(amount: Decimal, decision: Decision) -> str:
    return amount_text(amount, decision.product.currency)

"""The guards of a whole night: what one product alone may do and all of them together may not.

They come after the twelve steps and only ever take a proposal away, each with its own reason and words; the price
that the rule led to stays visible. Each product is asked by itself first (do not touch, emergency, held rival, price
war, breakers); what is left shares the caps of the night, larger changes of earlier rules first.

Deterministic: the same decisions and circumstances give the same answer, whatever their order.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from decimal import Decimal
from fractions import Fraction

from monitor.domain.money import amount_text
from monitor.domain.observation import Span
from monitor.domain.pricing.codes import OfferCode, Reason
from monitor.domain.pricing.decide import Decision
from monitor.domain.pricing.exact import lowered, minor_unit, price_of, ticks_of, times, with_percent
from monitor.domain.pricing.own import decreases, price_before
from monitor.domain.pricing.rule import Emergency, PriceWar, Rules, RunGuards
from monitor.domain.pricing.wording import counted, number


@dataclass(frozen=True, slots=True)
class Movement:
    """How many prices a night could compare with the ones before, and how many of them had moved."""

    compared: int = 0
    moved: int = 0

    def __add__(self, other: "Movement") -> "Movement":
        return Movement(self.compared + other.compared, self.moved + other.moved)

    def is_beyond(self, share_pct: Decimal | None, least: int) -> bool:
        """Say whether more than this share moved; False with too few prices to tell."""
        if share_pct is None or self.compared < least:
            return False
        return self.moved * 100 > self.compared * share_pct


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What the guards know of the night besides its decisions."""

    day: date  #: the local date of the night
    now: datetime
    zone: tzinfo = UTC
    own: Mapping[str, tuple[Span, ...]] = field(default_factory=dict)  #: by SKU the history of our price
    moved: Mapping[str, Movement] = field(default_factory=dict)  #: by competitor


def guarded(decided: Iterable[Decision], rules: Rules, night: Circumstances) -> list[Decision]:
    """Return the decisions in their order, with every proposal that a guard forbids taken away."""
    guards = rules.guards
    alone = [_alone(decision, guards, night) for decision in decided]
    refused = _beyond_caps([one for one in alone if one.is_proposal], guards)
    return [refused.get(id(one), one) for one in alone]


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
        return _capped(decision, guards, night) or _unsure(decision) or _broken(decision, guards, night) or decision
    return _at_war(decision, guards.price_war, night) or _broken(decision, guards, night) or decision


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


def _broken(decision: Decision, guards: RunGuards, night: Circumstances) -> Decision | None:
    """Refuse what rests on a market, or on a competitor, of which too much moved at once."""
    breaker = guards.breaker
    if not decision.market.usable:
        return None
    total = sum(night.moved.values(), Movement())
    if total.is_beyond(breaker.market_pct, breaker.least_prices):
        words = f"{_moved('All shops together', total, breaker.market_pct)}; nothing is proposed tonight."
        return _stopped(decision, Reason.MARKET_BREAKER, words)
    for one in sorted(decision.market.usable, key=lambda usable: usable.offer.seller):
        found = night.moved.get(one.offer.seller, Movement())
        if found.is_beyond(breaker.competitor_pct, breaker.least_prices):
            words = f"{_moved(one.offer.called, found, breaker.competitor_pct)}; what rests on it waits a night."
            return _stopped(decision, Reason.COMPETITOR_BREAKER, words)
    return None


def tripped(rules: Rules, moved: Mapping[str, Movement], names: Mapping[str, str]) -> list[str]:
    """Return in words which breakers a night tripped; empty for an ordinary night."""
    breaker, total = rules.guards.breaker, sum(moved.values(), Movement())
    found = []
    if total.is_beyond(breaker.market_pct, breaker.least_prices):
        found.append(_moved("All shops together", total, breaker.market_pct))
    for competitor, one in sorted(moved.items()):
        if one.is_beyond(breaker.competitor_pct, breaker.least_prices):
            found.append(_moved(names.get(competitor, competitor), one, breaker.competitor_pct))
    return found


def _moved(who: str, found: Movement, share_pct: Decimal | None) -> str:
    return f"{who} moved {found.moved} of {counted(found.compared, 'price')} at once, more than {number(share_pct)} %"


def _beyond_caps(proposals: Sequence[Decision], guards: RunGuards) -> dict[int, Decision]:
    """Share the caps of the night; return the refused decisions by the identity of the ones they stand for."""
    refused: dict[int, Decision] = {}
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

"""What other rules would have proposed in nights that have passed: counts, effects, and a comparison with what was.

Effects are at constant volume and unapproved: each night stands for itself, with the prices we really had. The price
index is our comparable price in percent of the median of the usable offers, here the plain mean over the products that
have one; `after` puts every proposed price in place of ours.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, tzinfo
from decimal import Decimal
from fractions import Fraction
from typing import Any

from monitor.domain.money import amount_text
from monitor.domain.pricing.decide import Decision, Tripped
from monitor.domain.pricing.exact import Ticks, decimal_of, ticks_of
from monitor.domain.pricing.facts import change_pct, weekly_effect
from monitor.domain.pricing.offers import median_ticks
from monitor.domain.pricing.replay import ReplayedNight
from monitor.domain.pricing.rule import Compare
from monitor.domain.pricing.words import in_words

#: Price that was proposed in a night, by SKU, as it is stored.
Then = Mapping[str, Decimal]


@dataclass(frozen=True, slots=True)
class SimulatedNight:
    """One night under other rules."""

    run_id: str
    day: date
    decisions: tuple[Decision, ...]
    held: int
    tripped: tuple[Tripped, ...]
    then: Then
    zone: tzinfo = UTC

    @property
    def proposals(self) -> list[Decision]:
        """What would have been proposed."""
        return [one for one in self.decisions if one.is_proposal]


def simulated(one: ReplayedNight, then: Then) -> SimulatedNight:
    """Return a replayed night beside what was proposed at the time."""
    run, found = one.night.run, one.found
    return SimulatedNight(run.id, run.local_date, found.decisions, len(found.held), found.tripped, then, one.facts.zone)


class Simulation:
    """Adds up nights one by one, so that ninety of them need the memory of one."""

    def __init__(self) -> None:
        self._nights: list[dict[str, Any]] = []
        self._changes: list[dict[str, Any]] = []
        self._reasons: Counter[str] = Counter()
        self._bound: Counter[str] = Counter()
        self._rules: Counter[str] = Counter()
        self._then: Counter[str] = Counter()
        self._last: dict[str, Decimal] = {}
        self._distinct = 0
        self._newest: list[Decision] = []
        self._zone: tzinfo = UTC

    def add(self, night: SimulatedNight) -> None:
        """Add one night; they come oldest first."""
        proposals = night.proposals
        self._reasons.update(one.reason.value for one in night.decisions if one.reason is not None)
        self._bound.update(one.bound.code.value for one in proposals if one.bound is not None)
        self._rules.update(one.rule.id for one in proposals if one.rule is not None)
        self._then.update(_compared(proposals, night.then))
        prices = {one.product.sku: one.price for one in proposals if one.price is not None}
        self._distinct += sum(self._last.get(sku) != price for sku, price in prices.items())
        self._last, self._newest, self._zone = prices, proposals, night.zone
        self._nights.append(_night_json(night))
        self._changes += (_change_json(night, one) for one in proposals)

    def as_json(self) -> dict[str, Any]:
        """Return the result as JSON values: amounts are decimal strings, rates percent with one decimal.

        `words` are those of the newest night; the others are read by nobody in that number.
        """
        return {
            "nights": self._nights,
            "totals": {
                "nights": len(self._nights),
                "proposals": len(self._changes),
                "distinct": self._distinct,
                "down": sum(one["change_pct"].startswith("-") for one in self._changes),
                "up": sum(not one["change_pct"].startswith("-") for one in self._changes),
                "margin_effect": _sums(self._nights),
                "index_before": _mean_text(self._nights, "index_before"),
                "index_after": _mean_text(self._nights, "index_after"),
                "bound": dict(sorted(self._bound.items())),
                "reasons": dict(sorted(self._reasons.items())),
                "rules": dict(sorted(self._rules.items())),
                "compared_with_then": {key: self._then[key] for key in _COMPARISONS},
            },
            "proposals": self._changes,
            "words": {one.product.sku: in_words(one, zone=self._zone) for one in self._newest},
        }


#: How a night's proposals compare with those that are stored of it.
_COMPARISONS = ("same", "other_price", "only_now", "only_then")


def _compared(proposals: Iterable[Decision], then: Then) -> Iterable[str]:
    now = {one.product.sku: one.price for one in proposals}
    for sku in sorted(now.keys() | then.keys()):
        if sku in now and sku in then:
            yield "same" if now[sku] == then[sku] else "other_price"
        else:
            yield "only_now" if sku in now else "only_then"


def _night_json(night: SimulatedNight) -> dict[str, Any]:
    proposals = night.proposals
    before, after = _indices(night.decisions)
    return {
        "run": night.run_id,
        "date": night.day.isoformat(),
        "products": len(night.decisions),
        "proposals": len(proposals),
        "proposed_then": len(night.then),
        "held": night.held,
        "margin_effect": _effects(proposals),
        "volume_unknown": sum(one.product.weekly_units is None for one in proposals),
        "index_before": None if before is None else str(before),
        "index_after": None if after is None else str(after),
        "breakers": [one.words for one in night.tripped],
    }


def _change_json(night: SimulatedNight, one: Decision) -> dict[str, Any]:
    currency, effect, change = one.product.currency, weekly_effect(one), change_pct(one)
    return {
        "date": night.day.isoformat(),
        "sku": one.product.sku,
        "currency": currency,
        "price": amount_text(one.product.price, currency),
        "proposed": amount_text(one.price or Decimal(0), currency),
        "change_pct": str(change),
        "weekly_effect": None if effect is None else amount_text(effect, currency),
        "rule": one.rule.id if one.rule is not None else None,
        "bound": one.bound.code.value if one.bound is not None else None,
    }


def _effects(proposals: Iterable[Decision]) -> dict[str, str]:
    """Return the summed weekly margin effect by currency; proposals of unknown volume add nothing."""
    sums: dict[str, Decimal] = {}
    for one in proposals:
        effect = weekly_effect(one)
        if effect is not None:
            currency = one.product.currency
            sums[currency] = sums.get(currency, Decimal(0)) + effect
    return {currency: amount_text(total, currency) for currency, total in sorted(sums.items())}


def _sums(nights: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    sums: dict[str, Decimal] = {}
    for night in nights:
        for currency, effect in night["margin_effect"].items():
            sums[currency] = sums.get(currency, Decimal(0)) + Decimal(effect)
    return {currency: amount_text(total, currency) for currency, total in sorted(sums.items())}


def _indices(decisions: Iterable[Decision]) -> tuple[Decimal | None, Decimal | None]:
    """Return the mean price index of the products that have a market, with our prices and with the proposed ones."""
    before = after = count = 0
    for one in decisions:
        middle = median_ticks(one.usable) if one.usable else 0
        if middle:
            own = _own(one, one.product.price)
            count, before = count + 1, before + _millionths(own, middle)
            after += _millionths(own if one.price is None else _own(one, one.price), middle)
    return (_percent(before, count), _percent(after, count)) if count else (None, None)


def _own(one: Decision, price: Decimal) -> Ticks:
    landed = one.rule is not None and one.rule.compare is Compare.LANDED and one.product.shipping is not None
    return ticks_of(price) + (ticks_of(one.product.shipping or Decimal(0)) if landed else 0)


def _millionths(own: Ticks, middle: Ticks) -> int:
    """Return a share in millionths, which is plenty for a rate with one decimal."""
    return int(own * 10**6 // middle)


def _percent(millionths: int, count: int) -> Decimal:
    return decimal_of(Fraction(millionths, count * 10**4), 1)


def _mean_text(nights: Iterable[Mapping[str, Any]], key: str) -> str | None:
    known = [Decimal(night[key]) for night in nights if night[key] is not None]
    return str(decimal_of(Fraction(sum(known, Decimal(0))) / len(known), 1)) if known else None

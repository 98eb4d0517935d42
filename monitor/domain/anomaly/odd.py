"""The tests of one reading: against the price before, its own habit, the other shops, and our own price.

Sources: `docs/pricing.md`; the modified z-score is that of Iglewicz and Hoaglin, How to Detect and Handle Outliers
(1993).
"""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from decimal import Decimal
from statistics import median

from monitor.domain.anomaly.hold import Doubts, Held, HoldCode, Knowledge, held_as, is_apart, said
from monitor.domain.money import amount_text, digits, rounded
from monitor.domain.observation import Span

_SCALES = tuple(map(Decimal, ("10", "100", "1000")))
_SCALE_WITHIN = Decimal("0.03")
_RATE_WITHIN = Decimal("0.005")
#: A rate this close to one says nothing: prices move that much by themselves.
_RATE_LEAST = Decimal("0.02")
_CHOSEN_ENDINGS = frozenset({0, 5, 9})
#: Fewer nights, or a smaller step than this, are no ground for statistics.
_NIGHTS_FOR_STATISTICS = 8
_NIGHTS_LOOKED_AT = 20
_SMALL_STEP = Decimal("0.05")
#: Modified z-score beyond which a value is an outlier (Iglewicz and Hoaglin, 1993), and its constant.
_MOST_Z = Decimal("3.5")
_Z_CONSTANT = Decimal("0.6745")
_LEAST_SPREAD = Decimal("0.01")
_ENOUGH_PEERS = 3
_HUNDRED = Decimal(100)


def ours(span: Span, knowledge: Knowledge) -> Decimal | None:
    """Return our own price in the currency of a reading, where both can be compared."""
    ours = knowledge.own.get(span.sku)
    return None if ours is None else knowledge.in_currency(*ours, span.currency)


def odd(seen: Span, good: Span | None, before: Sequence[Span], knowledge: Knowledge, doubts: Doubts) -> Held | None:
    found = against(seen, good, knowledge, doubts)
    if found is None and good is not None:
        found = _against_habit(seen, good, before)
    return found or _against_peers(seen, good, knowledge, doubts)


def against(seen: Span, good: Span | None, knowledge: Knowledge, doubts: Doubts) -> Held | None:
    return _first(seen, knowledge, doubts) if good is None else _against_history(seen, good, knowledge, doubts)


def _against_history(seen: Span, last: Span, knowledge: Knowledge, doubts: Doubts) -> Held | None:
    if seen.currency != last.currency:
        words = f"{said(seen)} after {said(last)}: another currency than before"
        return held_as(seen, HoldCode.CURRENCY, words, last)
    why = _ratio(seen, last, knowledge, doubts)
    if why is None:
        return None
    code, words = why
    told = f"{amount_text(seen.price, seen.currency)} {seen.currency} after {amount_text(last.price, last.currency)}"
    return held_as(seen, code, f"{told}: {words}", last)


def _ratio(seen: Span, last: Span, knowledge: Knowledge, doubts: Doubts) -> tuple[HoldCode, str] | None:
    """Name what the step from one price to the next looks like, or None for an ordinary one."""
    price, before = seen.price, last.price
    if not before or price == before:
        return None
    high, low = max(price, before), min(price, before)
    for scale in _SCALES:
        if abs(high - scale * low) <= _SCALE_WITHIN * scale * low:
            return HoldCode.SCALE, f"about {scale} times {'more' if price > before else 'less'}, like a slipped point"
    other = _other_currency(seen, last, knowledge)
    if other is not None:
        return HoldCode.CURRENCY, f"by your exchange rates the amount before in {other}"
    tax = next((pct for pct in doubts.tax_pct if _is_tax(seen, last, pct)), None)
    if tax is not None:
        return (
            HoldCode.TAX,
            f"the price before with {amount_text(tax)} % tax {'put on' if price > before else 'taken off'}",
        )
    return (HoldCode.STEP, "too large a step to use at once") if is_apart(price, before, doubts.step_factor) else None


def _other_currency(seen: Span, last: Span, knowledge: Knowledge) -> str | None:
    """Return the currency that a step looks like: to the smallest coin, or nearly and with an ending no sale has.

    Rates of a few percent from one are the size of ordinary sales, which end in a 0, 5 or 9.
    """
    currency, coin = seen.currency, _coin(seen)
    for (one, other), rate in sorted(knowledge.worth.items()):
        if currency not in (one, other) or abs(rate - 1) <= _RATE_LEAST:
            continue
        expected = last.price * rate
        nearly = abs(seen.price - expected) <= _RATE_WITHIN * expected and not _is_made_up(seen)
        if nearly or abs(seen.price - expected) * 2 <= coin:
            return other if one == currency else one
    return None


def _coin(span: Span) -> Decimal:
    """Return the smallest amount of a reading's currency."""
    return Decimal(1).scaleb(-digits(span.currency))


def _is_made_up(span: Span) -> bool:
    """Say whether a price ends as shops choose them, in a 0, 5 or 9, and not as a calculation leaves it."""
    return int(span.price / _coin(span)) % 10 in _CHOSEN_ENDINGS


def _is_tax(seen: Span, last: Span, pct: Decimal) -> bool:
    """Say whether one amount is the other with tax, to the smallest coin.

    Two prices that both end in a 9 or 5 are a step between chosen prices: 59.99 and 49.99 are 20 % apart too.
    """
    high, low = max(seen.price, last.price), min(seen.price, last.price)
    if all(int(one.price / _coin(one)) % 10 in (9, 5) for one in (seen, last)):
        return False
    return abs(low * (1 + pct / 100) - high) <= _coin(seen)


def _against_habit(seen: Span, good: Span, before: Sequence[Span]) -> Held | None:
    """Hold a price far outside how it has moved so far; a history that never moves has no spread to measure by.

    Readings are counted by night, so that most histories are constant and their median deviation is zero: those are
    left to the step alone. The deviation is at least one percent of the median, or a cent would be an outlier.
    """
    if abs(seen.price - good.price) <= _SMALL_STEP * good.price:
        return None
    readings = _nightly([span for span in before if span.currency == seen.currency])
    if len(readings) < _NIGHTS_FOR_STATISTICS:
        return None
    middle = median(readings)
    spread = median(abs(one - middle) for one in readings)
    if not spread or _Z_CONSTANT * abs(seen.price - middle) <= _MOST_Z * max(spread, _LEAST_SPREAD * middle):
        return None
    usual = amount_text(middle.quantize(Decimal("0.0001")).normalize(), seen.currency)
    words = f"{said(seen)} after {said(good)}: far outside its usual range around {usual} of {len(readings)} readings"
    return held_as(seen, HoldCode.UNUSUAL, words, good)


def _nightly(spans: Iterable[Span]) -> list[Decimal]:
    """Return the newest readings, one a night, from spans that only keep when a price began and was last seen."""
    readings: list[Decimal] = []
    for span in spans:
        nights = (span.last_seen_at - span.first_seen_at + timedelta(hours=12)) // timedelta(days=1) + 1
        readings += [span.price] * min(max(nights, 1), _NIGHTS_LOOKED_AT)
    return readings[-_NIGHTS_LOOKED_AT:]


def _against_peers(seen: Span, good: Span | None, knowledge: Knowledge, doubts: Doubts) -> Held | None:
    """Hold a new price far from what at least three other shops ask tonight in the same currency."""
    if good is not None and abs(seen.price - good.price) <= _SMALL_STEP * good.price:
        return None
    others = _peers(seen, knowledge)
    if len(others) < _ENOUGH_PEERS:
        return None
    middle = median(others)
    if abs(seen.price - middle) * _HUNDRED <= doubts.peer_pct * middle:
        return None
    words = (
        f"{said(seen)}, while {len(others)} other shops ask around {amount_text(middle, seen.currency)}: more than "
        f"{amount_text(doubts.peer_pct)} % apart"
    )
    return held_as(seen, HoldCode.PEERS, words, good)


def _peers(seen: Span, knowledge: Knowledge) -> list[Decimal]:
    asked = knowledge.peers.get(seen.sku, {})
    found = (knowledge.in_currency(*offer, seen.currency) for shop, offer in asked.items() if shop != seen.competitor)
    return [price for price in found if price is not None]


def _first(seen: Span, knowledge: Knowledge, doubts: Doubts) -> Held | None:
    """Judge a first price by our own; without one of ours nothing is proposed on it."""
    own = ours(seen, knowledge)
    if own is None or not is_apart(seen.price, own, doubts.own_factor):
        return None
    words = (
        f"first price {said(seen)} is more than {amount_text(doubts.own_factor)} times away from our "
        f"{amount_text(rounded(own, seen.currency), seen.currency)}; no earlier reading to compare it with, and the "
        "watch may be wrong"
    )
    return held_as(seen, HoldCode.IMPLAUSIBLE, words, None)

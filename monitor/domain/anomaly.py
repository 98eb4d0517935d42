"""Readings that are too odd to price with: held, shown, and used once a second night confirms them.

A held reading is stored like any other and feeds no proposal; the price before it feeds none either, since the
shop no longer shows it. It is confirmed when the next night reads the same price again, and forgotten when that
reads the price before. A real 60 % sale costs one
night of waiting; a decimal slip costs nothing.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

from monitor.domain.extraction import Outcome
from monitor.domain.money import amount_text
from monitor.domain.observation import Observation, Span

#: A price further from the last good one than this factor, up or down, is held.
MOST_STEP = Decimal("1.35")
#: A first price further from our own than this factor, up or down, is held.
MOST_DISTANCE = Decimal(5)
#: A second night confirms a held price when it reads one that differs by at most this share of it.
SAME_WITHIN = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class Held:
    """A reading that waits for a second night."""

    competitor: str
    sku: str
    code: str  #: `STEP` against its own history, `IMPLAUSIBLE` against our own price
    words: str


def held_tonight(
    run_id: str,
    observations: Iterable[Observation],
    history: Mapping[tuple[str, str], tuple[Span, ...]],
    own: Mapping[str, tuple[Decimal, str]],
) -> tuple[Held, ...]:
    """Return tonight's readings that are held.

    Args:
        run_id: tonight.
        observations: tonight's; only `ok` ones can be held.
        history: by (competitor, SKU) the spans, oldest first, tonight's included.
        own: by SKU our own price and currency, where it may be compared.
    """
    found = (_judged(run_id, one, history.get((one.competitor, one.sku), ()), own) for one in observations)
    return tuple(held for held in found if held is not None)


def _judged(
    run_id: str, seen: Observation, spans: tuple[Span, ...], own: Mapping[str, tuple[Decimal, str]]
) -> Held | None:
    if seen.outcome is not Outcome.OK or seen.price is None or not spans:
        return None
    before = [span for span in spans if span.first_run_id != run_id and span.currency == seen.currency]
    if before and abs(before[-1].price - seen.price) <= SAME_WITHIN * before[-1].price:
        return None  # the night before read it too: confirmed, or never odd
    good = _last_good(before, seen, own)
    return _against_own(seen, seen.price, own) if good is None else _against_history(seen, seen.price, good)


def _last_good(before: Iterable[Span], seen: Observation, own: Mapping[str, tuple[Decimal, str]]) -> Span | None:
    """Return the newest span that was not odd itself: a glitch of one night is no measure for the next."""
    good: Span | None = None
    for span in before:
        as_seen = replace(seen, price=span.price)
        if good is None:
            is_odd = _against_own(as_seen, span.price, own) is not None
        else:
            is_odd = _against_history(as_seen, span.price, good) is not None
        if not is_odd or span.first_run_id != span.last_run_id:
            good = span
    return good


def _against_history(seen: Observation, price: Decimal, last: Span) -> Held | None:
    if max(price, last.price) <= MOST_STEP * min(price, last.price):
        return None
    words = (
        f"{amount_text(price, seen.currency)} {seen.currency} after {amount_text(last.price, last.currency)}: "
        "too large a step to use at once; used tomorrow if it is read again"
    )
    return Held(seen.competitor, seen.sku, "STEP", words)


def _against_own(seen: Observation, price: Decimal, own: Mapping[str, tuple[Decimal, str]]) -> Held | None:
    ours, currency = own.get(seen.sku, (None, None))
    if ours is None or currency != seen.currency or max(price, ours) <= MOST_DISTANCE * min(price, ours):
        return None
    words = (
        f"first price {amount_text(price, currency)} {currency} is more than {MOST_DISTANCE} times away from our "
        f"{amount_text(ours, currency)}; used tomorrow if it is read again, unless the watch is wrong"
    )
    return Held(seen.competitor, seen.sku, "IMPLAUSIBLE", words)

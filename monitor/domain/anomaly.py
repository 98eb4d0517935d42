"""Readings that are too odd to price with: held, shown, and used once a second night confirms them.

A held reading is stored like any other and feeds no proposal; the price before it feeds none either, since the
shop no longer shows it. It is confirmed when the next night reads the same price again, and forgotten when that
reads the price before. A real 60 % sale costs one
night of waiting; a decimal slip costs nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from monitor.domain.money import amount_text
from monitor.domain.observation import Span

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


def held_now(
    history: Mapping[tuple[str, str], tuple[Span, ...]], own: Mapping[str, tuple[Decimal, str]]
) -> tuple[Held, ...]:
    """Return the readings that are held, by competitor and SKU.

    A watch that could not be read tonight stays held with the price of the night before.

    Args:
        history: by (competitor, SKU) the spans, oldest first, tonight's included; those whose latest span was seen in
            two nights may be left out.
        own: by SKU our own price and currency, where it may be compared.
    """
    found = (_judged(spans[-1], spans[:-1], own) for _, spans in sorted(history.items()) if spans)
    return tuple(held for held in found if held is not None)


def _judged(latest: Span, earlier: Sequence[Span], own: Mapping[str, tuple[Decimal, str]]) -> Held | None:
    run_id, currency = latest.first_run_id, latest.currency
    before = [span for span in earlier if span.first_run_id != run_id and span.currency == currency]
    if _is_confirmed(latest, before[-1] if before else None):
        return None
    return _odd(latest, _last_good(before, own), own)


def _is_confirmed(span: Span, before: Span | None) -> bool:
    """Say whether two nights read this price: in one span, or in two that differ in stock or by very little."""
    if span.first_run_id != span.last_run_id:
        return True
    return before is not None and abs(before.price - span.price) <= SAME_WITHIN * before.price


def _last_good(before: Sequence[Span], own: Mapping[str, tuple[Decimal, str]]) -> Span | None:
    """Return the newest span that was not odd itself: a glitch of one night is no measure for the next."""
    good: Span | None = None
    for last, span in zip((None, *before), before, strict=False):
        if _is_confirmed(span, last) or _odd(span, good, own) is None:
            good = span
    return good


def _odd(seen: Span, good: Span | None, own: Mapping[str, tuple[Decimal, str]]) -> Held | None:
    return _against_own(seen, own) if good is None else _against_history(seen, good)


def _against_history(seen: Span, last: Span) -> Held | None:
    price = seen.price
    if max(price, last.price) <= MOST_STEP * min(price, last.price):
        return None
    words = (
        f"{amount_text(price, seen.currency)} {seen.currency} after {amount_text(last.price, last.currency)}: "
        "too large a step to use at once; used once a second night reads it"
    )
    return Held(seen.competitor, seen.sku, "STEP", words)


def _against_own(seen: Span, own: Mapping[str, tuple[Decimal, str]]) -> Held | None:
    price = seen.price
    ours, currency = own.get(seen.sku, (None, None))
    if ours is None or currency != seen.currency or max(price, ours) <= MOST_DISTANCE * min(price, ours):
        return None
    words = (
        f"first price {amount_text(price, currency)} {currency} is more than {MOST_DISTANCE} times away from our "
        f"{amount_text(ours, currency)}; used once a second night reads it, unless the watch is wrong"
    )
    return Held(seen.competitor, seen.sku, "IMPLAUSIBLE", words)

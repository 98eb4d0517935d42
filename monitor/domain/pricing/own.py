"""What the history of our own price says: decreases in a row, the price before a day, the lowest of thirty days.

Histories are the spans of our own price of one product in one currency, oldest first; an empty one says nothing.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal

from monitor.domain.observation import Span

#: How far back the lowest price reaches that an announced reduction must show (Directive 98/6/EC, Article 6a).
REFERENCE_DAYS = 30


def decreases(history: Sequence[Span]) -> tuple[Span, ...]:
    """Return the newest changes of our price as far as all of them lowered it, oldest first."""
    found: list[Span] = []
    for before, after in zip(reversed(history[:-1]), reversed(history[1:]), strict=True):
        if after.price >= before.price:
            break
        found.append(after)
    return tuple(reversed(found))


def price_before(history: Sequence[Span], when: datetime) -> Span | None:
    """Return our price just before an instant, or the oldest that is known; None without a history."""
    earlier = [span for span in history if span.first_seen_at < when]
    return earlier[-1] if earlier else next(iter(history), None)


def lowest_since(history: Sequence[Span], since: datetime) -> Decimal | None:
    """Return our lowest price from an instant on, the one in force at it included; None without a history."""
    last = price_before(history, since)
    asked = {span.price for span in history if span.first_seen_at >= since}
    return min(asked | ({last.price} if last is not None else set()), default=None)


def lowest_of_30_days(history: Sequence[Span], now: datetime) -> Decimal | None:
    """Return the lowest price of the last thirty days, today's included; None without a history."""
    return lowest_since(history, now - timedelta(days=REFERENCE_DAYS))

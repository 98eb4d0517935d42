"""Price history drawn with characters, for a terminal: a column per stretch of days, a row per step of price.

A picture is no source of figures: the table beside it has them. Prices of other currencies than ours are left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from monitor.domain.observation import OWN, Span

#: One mark per seller, ours first; further sellers share the last one.
OURS, RIVALS = "━", "abcdefghijklmnopqrstuvwxyz*"
#: Two sights further apart than this have a night between them that saw nothing.
_A_NIGHT = timedelta(hours=36)


@dataclass(frozen=True, slots=True)
class Curve:
    """A drawing: lines from the top, each with the price at its left or none, and what each mark is."""

    lines: tuple[tuple[Decimal | None, str], ...]
    marks: tuple[tuple[str, str], ...]  #: mark and seller, ours as `own`
    since: datetime
    until: datetime


def drawn(spans: Sequence[Span], currency: str, since: datetime, until: datetime, *, width: int, height: int) -> Curve:
    """Draw the history of one product.

    Args:
        spans: oldest first, of every seller.
        currency: whose prices are drawn.
        since: left edge; a price seen before still stands there when it lasted.
        until: right edge, after `since`.
        width: columns of the drawing.
        height: rows, at least 2.
    """
    shown = [span for span in spans if span.currency == currency and span.last_seen_at >= since]
    sellers = sorted({span.competitor for span in shown}, key=lambda seller: (seller != OWN, seller))
    rivals = [seller for seller in sellers if seller != OWN]
    marks = {seller: RIVALS[min(n, len(RIVALS) - 1)] for n, seller in enumerate(rivals)} | {OWN: OURS}
    if not shown:
        return Curve((), (), since, until)
    low, high = min(span.price for span in shown), max(span.price for span in shown)
    grid = [[" "] * width for _ in range(height)]
    for seller in reversed(sellers):  # ours is drawn last, over the others
        for span, end in _stretches([one for one in shown if one.competitor == seller], until):
            row = _row(span.price, low, high, height)
            for column in range(
                _column(span.first_seen_at, since, until, width), _column(end, since, until, width) + 1
            ):
                grid[row][column] = marks[seller]
    lines = tuple((_label(n, low, high, height), "".join(cells).rstrip()) for n, cells in enumerate(grid))
    return Curve(lines, tuple((marks[seller], seller) for seller in sellers), since, until)


def _stretches(spans: Sequence[Span], until: datetime) -> list[tuple[Span, datetime]]:
    """Return each span with where its line ends: at the next one, unless nights between them saw nothing."""
    found = []
    for n, span in enumerate(spans):
        following = spans[n + 1].first_seen_at if n + 1 < len(spans) else until
        is_joined = following - span.last_seen_at <= _A_NIGHT
        found.append((span, following if is_joined else span.last_seen_at))
    return found


def _column(at: datetime, since: datetime, until: datetime, width: int) -> int:
    share = (min(max(at, since), until) - since) / (until - since)
    return min(int(share * width), width - 1)


def _row(price: Decimal, low: Decimal, high: Decimal, height: int) -> int:
    if high == low:
        return height // 2
    return int((high - price) * (height - 1) / (high - low) + Decimal("0.5"))


def _label(row: int, low: Decimal, high: Decimal, height: int) -> Decimal | None:
    """Return the price at the left of a row: at the top, in the middle and at the bottom."""
    if high == low:
        return high if row == height // 2 else None
    if row not in (0, (height - 1) // 2, height - 1):
        return None
    return high - (high - low) * row / (height - 1)

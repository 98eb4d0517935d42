"""Prices of a whole shop that move by one factor in one night: tax, currency or a mistake for all of them at once."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import NamedTuple

from monitor.domain.anomaly.hold import Doubts, Held, History, HoldCode, held_as, said
from monitor.domain.observation import Span

#: Factors of two moves count as the same within this.
_SAME_FACTOR = Decimal("0.005")
_HUNDRED = Decimal(100)


class Moved(NamedTuple):
    """A price that differs tonight from the one before."""

    factor: Decimal
    seen: Span
    before: Span


def moved_in(history: History, run_id: str) -> Iterator[Moved]:
    """Yield the prices that moved in this night, in the order of the history."""
    for spans in filter(None, history.values()):
        latest = spans[-1]
        before = next((one for one in reversed(spans[:-1]) if one.first_run_id != latest.first_run_id), None)
        if latest.first_run_id != run_id or before is None or before.currency != latest.currency:
            continue
        if before.price and before.price != latest.price:
            yield Moved(latest.price / before.price, latest, before)


def shifts(moved: Iterable[Moved], compared: Mapping[str, int], doubts: Doubts) -> Iterator[Held]:
    """Yield the readings of shops of which most prices moved by one factor tonight.

    Args:
        moved: every price of the night that moved; a part of them would tell less of a shop than there is.
        compared: by competitor, prices read tonight and before.
        doubts: how many of them are most.
    """
    moves: dict[str, list[Moved]] = defaultdict(list)
    for one in moved:
        moves[one.seen.competitor].append(one)
    for competitor, mine in sorted(moves.items()):
        yield from _shift(mine, compared.get(competitor, len(mine)), doubts)


def _shift(moved: list[Moved], compared: int, doubts: Doubts) -> list[Held]:
    middle = sorted(factor for factor, _, _ in moved)[len(moved) // 2]
    alike = [(seen, last) for factor, seen, last in moved if abs(factor - middle) <= _SAME_FACTOR * middle]
    if len(alike) < doubts.site_shift_least or len(alike) * _HUNDRED <= doubts.site_shift_pct * compared:
        return []
    return [_shifted(seen, last, middle, len(alike)) for seen, last in alike]


def _shifted(seen: Span, last: Span, factor: Decimal, count: int) -> Held:
    words = (
        f"{count} prices of this shop moved by the factor {factor:.3f} in one night, this one from {said(last)} to "
        f"{said(seen)}; accept them if the shop really did that"
    )
    return held_as(seen, HoldCode.SITE_SHIFT, words, last)

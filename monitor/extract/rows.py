"""Rows and cards that each have their own price and control that buys: sizes of one product, or products of a list.

None of them is the price of the page. A table of prices by quantity has one control for all of its rows, and so is no
such choice. Asked only of pages that declare nothing.
"""

from collections.abc import Sequence

from monitor.domain.extraction import Role
from monitor.extract.former import Choice, row
from monitor.extract.names import shape
from monitor.extract.standing import Anchor, Seen

ROWS = 3  #: rows from which they are sizes to choose from
CARDS = 2  #: cards from which they are products of a list
NEXT_CARD = 600  #: characters within which another card of a list stands
BUY_WITHIN = 150  #: characters behind the last of them in which its control stands


def is_one_of_rows(choice: Choice, seen: Sequence[Seen], buys: Sequence[int]) -> bool:
    """Say whether a shown price is one of several rows, each with its own control that buys: sizes."""
    at = choice.seen
    if at is None or row(at) is None or len(buys) < ROWS:
        return False
    alike = [s for s in seen if s.role is Role.CURRENT and s.place.tags[:4] == at.place.tags[:4] and row(s) is not None]
    bought = _bought(alike, buys)
    return at in bought and len({row(s) for s in bought}) >= ROWS and len({s.value for s in bought}) >= ROWS


def is_one_of_cards(choice: Choice, seen: Sequence[Seen], anchor: Anchor) -> bool:
    """Say whether a shown price stands in one of several cards of one markup that leave the heading out."""
    at = choice.seen
    if at is None or len(anchor.buys) < CARDS:
        return False
    bought = _bought([s for s in seen if s.role is Role.CURRENT and _markup(s) == _markup(at)], anchor.buys)
    around, heading = set(at.place.ids), anchor.heading or 0
    return at in bought and any(
        s.value != at.value
        and abs(s.amount.start - at.amount.start) < NEXT_CARD
        and (s.amount.start < heading) is (at.amount.start < heading)
        and anchor.around.isdisjoint(around.difference(s.place.ids))
        for s in bought
    )


def _markup(s: Seen) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return s.place.tags[:4], tuple(map(shape, s.place.names[:3]))


def _bought(alike: Sequence[Seen], buys: Sequence[int]) -> list[Seen]:
    """Return those amounts that have a control that buys behind them, before the next amount."""
    ends = [*(s.amount.start for s in alike[1:]), *(s.amount.end + BUY_WITHIN for s in alike[-1:])]
    return [s for s, end in zip(alike, ends, strict=True) if any(s.amount.end <= buy < end for buy in buys)]

"""Rows and cards that each have their own price and control that buys: sizes of one product, or products of a list.

None of them is the price of the page. A table of prices by quantity has one control for all of its rows, and so is no
such choice. Asked only of pages that declare nothing.
"""

from bisect import bisect_right
from collections.abc import Sequence

from monitor.domain.extraction import Role
from monitor.extract.former import RIVALS, Choice, row
from monitor.extract.names import shape
from monitor.extract.standing import ITEMS, Anchor, Seen

ROWS = 3  #: rows from which they are sizes to choose from
CARDS = 2  #: cards from which they are products of a list
NEXT_CARD = 600  #: characters within which another card of a list stands
#: A choice among sizes, or a column of a price table.
_ROW_TAGS = frozenset({"tr", "td", "th", "label", "option"})
BUY_WITHIN = 150  #: characters behind the last of them in which its control stands


def is_one_of_rows(choice: Choice, seen: Sequence[Seen], buys: Sequence[int]) -> bool:
    """Say whether a shown price is one of several rows, each with its own control that buys: sizes."""
    at = choice.seen
    if at is None or row(at) is None or len(buys) < ROWS:
        return False
    alike = [s for s in seen if s.role is Role.CURRENT and s.place.tags[:4] == at.place.tags[:4] and row(s) is not None]
    bought = _bought(alike, buys)
    return at in bought and len({row(s) for s in bought}) >= ROWS and len({s.value for s in bought}) >= ROWS


def is_one_of_cards(choice: Choice, seen: Sequence[Seen], anchor: Anchor, *, listed: bool) -> bool:
    """Say whether the price that stands most clearly stands in one of several cards that leave the heading out.

    Args:
        choice: the price that would be given, or that several stand alike.
        seen: the amounts of the page.
        anchor: where its product would stand.
        listed: the address calls the page a list, so that rows may be cards, as those of a wishlist, and amounts that
            stand alike are theirs; on other pages they are sizes or editions of one product.
    """
    if choice.seen is None and not (choice.reason == RIVALS and listed):
        return False
    current = [s for s in seen if s.role is Role.CURRENT and s.value > 0]
    at = choice.seen or max(current, key=lambda s: s.score, default=None)
    if at is None or len(anchor.buys) < CARDS:
        return False
    alike = [s for s in current if s is at or _in_other_card(s, at, anchor, rows=listed)]
    bought = _bought(alike, anchor.buys)
    heading = anchor.heading or 0
    return at in bought and any(
        s.value != at.value
        and abs(s.amount.start - at.amount.start) < NEXT_CARD
        and (s.amount.start < heading) is (at.amount.start < heading)
        for s in bought
    )


def _in_other_card(s: Seen, at: Seen, anchor: Anchor, *, rows: bool) -> bool:
    """Say whether two amounts stand in elements of one kind beside each other, neither of them around the heading."""
    shared = next((identity for identity in at.place.ids if identity in s.place.ids), None)
    mine, other = (one.place.ids.index(shared) if shared else len(one.place.ids) for one in (at, s))
    mine, other = mine - 1, other - 1
    if mine < 0 or other < 0 or not anchor.around.isdisjoint((at.place.ids[mine], s.place.ids[other])):
        return False
    tag = at.place.tags[mine]
    if tag != s.place.tags[other] or (tag in _ROW_TAGS and not rows):
        return False
    ours, theirs = (set(shape(names).split()) for names in (at.place.names[mine], s.place.names[other]))
    shares = len(ours & theirs)
    return ours == theirs or shares * 2 > len(ours | theirs) or (shares > 0 and tag in ITEMS)


def _bought(alike: Sequence[Seen], buys: Sequence[int]) -> list[Seen]:
    """Return those amounts that have a control that buys behind them, before the next amount."""
    ends = [*(s.amount.start for s in alike[1:]), *(s.amount.end + BUY_WITHIN for s in alike[-1:])]
    return [s for s, end in zip(alike, ends, strict=True) if any(s.amount.end <= buy < end for buy in buys)]


def is_of_outside(buy: int, seen: Sequence[Seen], within: int) -> bool:
    """Say whether the last amount before a buy control stands outside the product, as in a card of a carousel.

    Args:
        buy: offset of the control.
        seen: the amounts of the page, in document order.
        within: characters before the control in which its amount stands.
    """
    at = bisect_right(seen, buy, key=lambda s: s.amount.start) - 1
    return at >= 0 and buy - seen[at].amount.start < within and seen[at].reason.startswith("stands outside")

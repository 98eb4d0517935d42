"""Sizes that a page offers in rows, each with its own price and its own control that buys: none of them is the price.

A table of prices by quantity has one control for all of its rows, and so is no such choice.
"""

from collections.abc import Sequence

from monitor.domain.extraction import Role
from monitor.extract.former import Choice, row
from monitor.extract.standing import Seen

ROWS = 3  #: rows with a price and a control that buys of their own, from which they are sizes to choose from
BUY_WITHIN = 150  #: characters behind the last of them in which its control stands


def is_one_of_rows(choice: Choice, seen: Sequence[Seen], buys: Sequence[int]) -> bool:
    """Say whether a shown price is the first of three rows or more, each with its own control that buys: sizes."""
    at = choice.seen
    if at is None or row(at) is None or len(buys) < ROWS:
        return False
    alike = [s for s in seen if s.role is Role.CURRENT and s.place.tags[:4] == at.place.tags[:4] and row(s) is not None]
    followed = [
        s
        for s, end in zip(alike, [*(s.amount.start for s in alike[1:]), alike[-1].amount.end + BUY_WITHIN], strict=True)
        if any(s.amount.end <= buy < end for buy in buys)
    ]
    return len({row(s) for s in followed}) >= ROWS and len({s.value for s in followed}) >= ROWS and at in followed

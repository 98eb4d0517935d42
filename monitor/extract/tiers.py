"""Find the price for one piece where prices stand by quantity, in the columns of a table or in its rows.

The words beside such an amount are a quantity, that of another column often. What more pieces cost is no price of the
page, nor is a "from" price that only they have.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from monitor.domain.extraction import Role
from monitor.extract.former import row
from monitor.extract.roles import PER_PIECE
from monitor.extract.standing import LARGER, Seen

MOST = 12  #: prices by quantity looked at in one table
LONGEST = 40  #: characters of a line that may be a quantity
FOR_ONE = "the price for one piece"  #: reason

#: A quantity alone on its line, lower case: `1 - 14`, `10+`, `ab 100 stück`, `bis 9`.
_QUANTITY = re.compile(
    r"(?:qty:? ?|x ?)?(?P<to>(?:bis|up to|jusqu['’]à|tot|fino a|hasta|do) )?"
    r"(?P<from>(?:ab|from|from qty|vanaf|dès|à partir de|desde|da|od|от|fra|från) )?"
    r"(?P<first>[0-9]{1,5})(?: ?(?:[-–—]|to|bis) ?[0-9]{1,6}"
    r"|(?P<more> ?\+| (?:or|and|&) (?:more|up|over)| oder mehr| et plus| (?:y|o|e) (?:más|più|mais)| of meer))?"
    r" ?(?:pcs?|pieces?|units?|st(?:k|ück|\.)?|szt|ks|шт|pièces?|piezas?|pezzi|stuks?)?\.?"
)
#: A number of pieces alone before an amount.
_SEVERAL = re.compile(
    r"([2-9]) ?(?:kpl|szt|ks|шт|db|buc|stuks|pz|pezzi|uds|unidades|pièces|adet|st|stk|stück|pcs)\.?:?"
)
_COUNT = re.compile(r"(?<![\w.,])(?:[2-9]|1[0-2])(?![\w.,%])")
#: Directly behind an amount: it is that of one piece.
_EACH = re.compile(
    r"[\s\x1f(]{0,2}(?:each\b|apiece|cada un|(?:/ ?|a |per |je |pro |par |por |al |za |l['’])(?:bottle|unit|piece|stück"
    r"|flasche|flacon|pièce|unité|unidad|unità|pezzo|stuk|fles|szt|kus))"
)
_LABEL = re.compile(r"[^\W\d_][^\d\n]{0,30}")
_BETWEEN = " *\n"


def priced_by_quantity(judged: Sequence[Seen], lower: str) -> list[Seen]:
    """Return the amounts with those of larger quantities marked, and the one for a single piece as current.

    Args:
        judged: the amounts in document order.
        lower: the visible text in lower case.
    """
    out = _without_shares(judged, lower)
    at = 0
    while at < len(out) - 1:
        pieces = _by_quantity(out, at, lower) if _may_be_paid(out[at]) and _begins_line(out[at], lower) else []
        for index, count in enumerate(pieces, at):
            role, reason = (Role.CURRENT, FOR_ONE) if count <= 1 else (Role.OTHER, LARGER)
            out[index] = replace(out[index], role=role, reason=reason)
        if pieces and out[at].role is Role.CURRENT:
            out = [_unless_for_more(s, out[at]) for s in out]
        at += len(pieces) or 1
    return out


def _without_shares(judged: Sequence[Seen], lower: str) -> list[Seen]:
    """Mark what one piece of a set costs, told behind the price of the set in its row: `3 bottles $99, $33 each`."""
    return [
        replace(s, role=Role.OTHER, reason=LARGER)
        if s.role is Role.CURRENT and _is_of_several(s, judged)
        else replace(s, role=Role.UNIT, reason=PER_PIECE)
        if s.role is Role.CURRENT and _EACH.match(lower, s.amount.end) and _has_whole(s, judged[:at], lower)
        else s
        for at, s in enumerate(judged)
    ]


def _is_of_several(s: Seen, judged: Sequence[Seen]) -> bool:
    """Say whether a number of pieces is all that its line says before an amount, and another is that of one piece.

    Or a number among other words, and the amount is just so many times one before it: `349 each; set of 4: 1396`.
    """
    count = _SEVERAL.fullmatch(s.line)
    if count is not None:
        return any(o.value < s.value <= o.value * int(count[1]) for o in judged)
    times = set(map(int, _COUNT.findall(s.line)))
    return any(
        o.amount.start < s.amount.start and o.value * n == s.value and row(o) is row(s) is None
        for n in times
        for o in judged
    )


def _has_whole(s: Seen, before: Sequence[Seen], lower: str) -> bool:
    """Say whether a higher amount stands before one in its row or on its line."""
    own = row(s)
    return any(
        o.role is Role.CURRENT
        and o.value > s.value
        and ("\n" not in lower[o.amount.end : s.amount.start] if own is None else row(o) == own)
        for o in before
    )


def _by_quantity(seen: Sequence[Seen], at: int, lower: str) -> list[int]:
    return _pieces(_over(seen, at, lower)) or _pieces(_before(seen, at, lower))


def _begins_line(s: Seen, lower: str) -> bool:
    return lower[max(0, s.amount.start - 2) : s.amount.start].rstrip(" ").endswith("\n")


def _may_be_paid(s: Seen) -> bool:
    return s.role is Role.CURRENT or s.reason == LARGER


def _unless_for_more(s: Seen, one: Seen) -> Seen:
    is_for_more = s.role is Role.RANGE_END and s.value < one.value
    return replace(s, role=Role.OTHER, reason=LARGER) if is_for_more else s


def _over(seen: Sequence[Seen], at: int, lower: str) -> list[str]:
    """Return the lines over the amounts from `at` on, as many as stand below each other: the heads of a table."""
    count = 1
    for one, two in pairwise(seen[at : at + MOST]):
        between = lower[one.amount.end : two.amount.start]
        if "\n" not in between or between.strip(_BETWEEN):
            break
        count += 1
    lines = _lines_before(seen[at], lower, count + 1) if count > 1 else []
    heads = lines[:-1] if lines and _LABEL.fullmatch(lines[-1]) else lines
    return heads[-count:] if len(heads) >= count else []


def _before(seen: Sequence[Seen], at: int, lower: str) -> list[str]:
    """Return the lines before the amounts from `at` on, as far as they are quantities."""
    heads = _lines_before(seen[at], lower, 1)
    if not heads or not _QUANTITY.fullmatch(heads[0]):
        return []
    for one, two in pairwise(seen[at : at + MOST]):
        between = lower[one.amount.end : two.amount.start].rstrip(_BETWEEN)
        head = between.rsplit("\n", 1)[-1].strip(_BETWEEN)
        if not _QUANTITY.fullmatch(head):
            break
        heads.append(head)
    return heads


def _lines_before(s: Seen, lower: str, count: int) -> list[str]:
    """Return the last lines before an amount that begins a line itself."""
    before = lower[max(0, s.amount.start - LONGEST * count) : s.amount.start].rstrip(" ")
    if not before.endswith("\n"):
        return []
    return [line.strip(_BETWEEN) for line in before.rstrip("\n").rsplit("\n", count)[-count:]]


def _pieces(heads: Sequence[str]) -> list[int]:
    """Return how many pieces must be bought at each of these quantities; nothing when they are none.

    The last has no end, and each begins behind the one before. Numbers alone may be pages or litres, and ranges that
    end may be ages.
    """
    found = [quantity for quantity in map(_QUANTITY.fullmatch, heads) if quantity]
    if len(found) < 2 or len(found) < len(heads) or not (found[-1]["more"] or found[-1]["from"]):
        return []
    pieces = [1 if quantity["to"] else int(quantity["first"]) for quantity in found]
    return pieces if all(one < two for one, two in pairwise(pieces)) else []

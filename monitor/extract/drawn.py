"""Find a declared amount that a page draws in pieces: whole part, point and cents in elements of their own.

`amounts.py` reads such numbers where a sign or a name tells that the pieces belong together. This module knows
what to look for, so that it needs neither: the digits of one declared amount, in their order, with nothing but
separators between them. It is asked only when no amount that was read is the declared one.
"""

import re
from collections.abc import Sequence
from decimal import Decimal

from monitor.extract.amounts import Amount

MAX_SOUGHT = 3  #: declared amounts looked for
FEWEST_DIGITS = 3  #: shorter numbers stand everywhere

_GAP = r"[\s\x1f.,'’·]"


def drawn_in_pieces(
    found: Sequence[Amount], text: str, declared: frozenset[Decimal], low: int, high: int
) -> list[Amount]:
    """Return the amounts with those declared ones that stand in pieces between two offsets, in order.

    An amount that was read from a piece of one is left out.
    """
    if not declared or any(a.value in declared for a in found):
        return list(found)
    drawn = [a for value in sorted(declared)[:MAX_SOUGHT] if (a := _drawn(text, value, low, high))]
    apart = [a for a in found if not any(a.start < d.end and d.start < a.end for d in drawn)]
    return sorted([*apart, *drawn], key=lambda a: a.start)


def _drawn(text: str, value: Decimal, low: int, high: int) -> Amount | None:
    whole, _, cents = format(value, "f").partition(".")
    cents = cents.ljust(2, "0")[:2]
    if cents == "00" or len(whole) + len(cents) < FEWEST_DIGITS or len(whole) > 9:
        return None
    grouped = f"{int(whole):,}".replace(",", f"{_GAP}{{0,3}}")
    found = re.compile(rf"(?<![0-9])(?<![0-9][.,]){grouped}{_GAP}{{1,4}}{cents}(?![0-9]|[.,%][0-9])").search(
        text, low, high
    )
    return Amount(value, None, None, found.start(), found.end(), 2) if found else None

"""A price with the same in brackets behind it, with tax or in euros: `1,500円 (税込1,650円)`, `16.90 лв (8.64 €)`."""

from collections.abc import Sequence
from dataclasses import replace

from monitor.domain.extraction import Role
from monitor.extract.former import is_converted
from monitor.extract.roles import PART_OR_NET
from monitor.extract.standing import Seen, is_taxed
from monitor.extract.vocabulary import plain
from monitor.extract.words import GROSS_AFTER

LONGEST = 24  #: characters between the two
_PAID = frozenset({Role.CURRENT, Role.MEMBER, Role.LIST})
_OPENS = ("(", "（")
_AGAIN = (*_OPENS, "/", "|", "–")
_CLOSES = frozenset(")）\n")


def told_again(judged: Sequence[Seen], text: str) -> list[Seen]:
    """Give an amount that says the one before it again its role, and mark that one where it was without tax."""
    out = list(judged)
    for at in range(len(out) - 1):
        one, two = out[at], out[at + 1]
        if two.amount.start - one.amount.end > LONGEST or two.role is not Role.CURRENT:
            continue
        between = text[one.amount.end : two.amount.start].strip("\x1f \xa0")
        if between in _AGAIN and is_converted(two, one):
            out[at + 1] = replace(two, role=one.role, reason=one.reason)
        elif one.role in _PAID and _is_with_tax(one, two, between):
            out[at] = replace(one, role=Role.OTHER, reason=PART_OR_NET)
            out[at + 1] = replace(two, role=one.role, reason=one.reason)
    return out


def _is_with_tax(one: Seen, two: Seen, between: str) -> bool:
    if not between.startswith(_OPENS) or not _CLOSES.isdisjoint(between) or not is_taxed(one.value, two.value):
        return False
    return GROSS_AFTER.found(two.then if between in _OPENS else plain(between)) is not None

"""A price with the same with tax in brackets behind it: `1,500円 (税込1,650円)`, `50,00 € (inkl. MwSt. 59,50 €)`."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from monitor.domain.extraction import Role
from monitor.extract.roles import PART_OR_NET
from monitor.extract.standing import Seen, is_taxed
from monitor.extract.vocabulary import plain
from monitor.extract.words import GROSS_AFTER

LONGEST = 24  #: characters between the two
_PAID = frozenset({Role.CURRENT, Role.MEMBER, Role.LIST})
_OPENS = ("(", "（")
_CLOSES = frozenset(")）\n")


def without_net(judged: Sequence[Seen], text: str) -> list[Seen]:
    """Mark an amount as the one before tax where that with tax follows it in brackets, which takes its role."""
    out = list(judged)
    for at, (one, two) in enumerate(pairwise(judged)):
        if two.amount.start - one.amount.end > LONGEST or one.role not in _PAID or two.role is not Role.CURRENT:
            continue
        between = text[one.amount.end : two.amount.start].strip("\x1f \xa0")
        if not between.startswith(_OPENS) or not _CLOSES.isdisjoint(between) or not is_taxed(one.value, two.value):
            continue
        if GROSS_AFTER.found(two.then if between in _OPENS else plain(between)):
            out[at] = replace(one, role=Role.OTHER, reason=PART_OR_NET)
            out[at + 1] = replace(two, role=one.role, reason=one.reason)
    return out

"""Prices with their words below them: `<div><b>28 €</b><i>price</i></div> <div><b>25 €</b><i>with a card</i></div>`.

Two elements of one kind, side by side, hold an amount each and then its words. Read line by line those of the first
would announce the second amount.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from monitor.domain.extraction import Role
from monitor.extract.document import Document
from monitor.extract.names import shape
from monitor.extract.roles import FOR_SOME, ONE_PAYMENT
from monitor.extract.standing import Seen
from monitor.extract.vocabulary import plain
from monitor.extract.words import MEMBER_AROUND, PAYMENT_AROUND

LONGEST = 60  #: characters of the words below an amount
INNER = 4  #: elements around an amount of which one may be its own


def told_below(judged: Sequence[Seen], document: Document) -> list[Seen]:
    """Return the amounts; those that words below them leave to some shoppers, or to one way of paying, as such."""
    told: dict[int, Seen] = {}
    text = document.text
    for one, two in pairwise(judged):
        at = _side_by_side(one, two) if text[two.amount.end : two.amount.end + 1] == "\n" else None
        if at is None:
            continue
        below = [_below(document, s, own) for s, own in zip((one, two), at, strict=True)]
        if not all(below):
            continue
        for s, words in zip((one, two), below, strict=True):
            if s.role is Role.CURRENT and MEMBER_AROUND.found(words):
                told[id(s)] = replace(s, role=Role.MEMBER, reason=FOR_SOME)
            elif s.role is Role.CURRENT and PAYMENT_AROUND.found(words):
                told[id(s)] = replace(s, role=Role.MEMBER, reason=ONE_PAYMENT)
    return [told.get(id(s), s) for s in judged] if told else list(judged)


def _side_by_side(one: Seen, two: Seen) -> tuple[int, int] | None:
    """Return the elements of one kind beside each other that hold one amount each, None when there are none."""
    ids, others = one.place.ids, two.place.ids
    for at in range(1, INNER):
        if at + 1 >= len(ids) or ids[at] in others[:at]:
            return None
        if len(others) > at + 1 and ids[at + 1] == others[at + 1]:
            alike = shape(one.place.names[at]) == shape(two.place.names[at]) and ids[at] != others[at]
            return (ids[at], others[at]) if alike else None
    return None


def _below(document: Document, s: Seen, own: int) -> str:
    """Return the words in the lines below an amount that stand in its own element."""
    text, end = document.text, s.amount.end
    found = ""
    while text[end : end + 1] == "\n" and len(found) < LONGEST:
        if own not in document.place(end + 1).ids:
            break
        line = text.find("\n", end + 1)
        line = line if line >= 0 else len(text)
        found += text[end:line]
        end = line
    return plain(found[:LONGEST])

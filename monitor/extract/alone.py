"""Former prices that stand alone: the price itself where names lie, and no price where a reduction is told beside them.

Some shops call the only price regular or old. Others draw the lower one by script or in a way that is not read, and
then a saving or a percentage beside the former one gives it away.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

from monitor.domain.extraction import Role
from monitor.extract import part_words, words
from monitor.extract.names import votes
from monitor.extract.roles import A_SAVING, LIST_ALONE, NAMED_FORMER, ONE_PAYMENT
from monitor.extract.standing import NEAR, Seen, is_no_deal, together
from monitor.extract.vocabulary import plain

BESIDE = 60  #: characters around an amount in which a percentage is its own reduction: two lines before, one behind
NOT_FAR = 400  #: the same for a saving as an amount
#: Names of an element that is drawn struck through; unlike "old" and "regular" they do not lie.
_STRUCK_NAME = re.compile(r"strike|striked|crossed|line-?through|tachado|barr[eé]")
_LONE_SIGN = re.compile(r"\n[^\w\n%]*(?=\n)")
_PERCENT = re.compile(r"[1-9][0-9]?(?:[.,][0-9]+)?\s?%")
#: An amount in these is what a choice changes.
_OF_CHOICES = frozenset({"label", "option"})


def promoted(scored: list[Seen], declared: frozenset[Decimal], text: str, undrawn: Callable[[int], bool]) -> list[Seen]:
    """Take an amount that only a class name calls former as current when no current one stands near it.

    Not when one lower amount is declared, or a reduction is told beside it: the lower one may be drawn in a way that is
    not read. Nor where a place for the price is empty.

    Args:
        scored: the amounts of the page.
        declared: those that it declares.
        text: what it shows.
        undrawn: says whether an empty place for a price stands around an offset.
    """
    lower = next(iter(declared)) if len(declared) == 1 else None
    current = [s for s in scored if s.role in (Role.CURRENT, Role.MEMBER, Role.RANGE_END) and s.value > 0]
    public = [c for c in current if c.role is not Role.MEMBER or c.reason == ONE_PAYMENT]
    named = [s for s in scored if s.reason == NAMED_FORMER and not _is_drawn_struck(s)]
    named = [s for s in named if not any(together(c, s) and not is_no_deal(c, s) for c in public)]
    public += named  # a class lies sooner than words: of `retail-price` and "RRP" the class does
    listed = [s for s in scored if s.reason == LIST_ALONE and not any(_may_be_paid(c, s) for c in public)]
    paid = [s for s in (*named, *listed) if lower is None or lower >= s.value]
    alone = {id(s) for s in paid if declared or not undrawn(s.amount.start)}
    return [_judged_alone(s, scored, text) if id(s) in alone else _judged_current(s, scored, text) for s in scored]


def _judged_alone(s: Seen, seen: list[Seen], text: str) -> Seen:
    return s if _is_lowered(s, seen, text) else replace(s, role=Role.CURRENT, reason="the only price there")


def _judged_current(s: Seen, seen: list[Seen], text: str) -> Seen:
    is_former = s.role is Role.CURRENT and _is_lowered_former(s, seen, text)
    return replace(s, role=Role.LIST, reason=NAMED_FORMER) if is_former else s


def _is_lowered_former(s: Seen, seen: list[Seen], text: str) -> bool:
    """Say whether one name calls an amount former and another current, and it is the higher one of a reduction."""
    if not s.place.names or "list" not in votes(s.place.names[0]) or not _is_lowered(s, seen, text):
        return False
    return not any(o.value > s.value and together(o, s) for o in seen)


def _is_lowered(s: Seen, seen: list[Seen], text: str) -> bool:
    """Say whether a saving stands beside an amount, as an amount or as a percentage, that is not only for some."""
    before = "\n".join(text[max(0, s.amount.start - BESIDE) : s.amount.start].rsplit("\n", 3)[-3:])
    then = _LONE_SIGN.sub("", text[s.amount.end : s.amount.end + BESIDE])  # of a number that a script draws
    behind = "\n".join(then.split("\n", 2)[:2])
    if words.MEMBER_AROUND.found(plain(before)) or words.MEMBER_AROUND.found(plain(behind)):
        return False
    savings = (o for o in seen if o.reason == A_SAVING and abs(o.amount.start - s.amount.start) < NOT_FAR)
    told = any(o.value < s.value and _OF_CHOICES.isdisjoint(o.place.tags[:4]) for o in savings)
    return told or any(_is_saved(percent) for side in (before, behind) for percent in _PERCENT.finditer(side))


def _is_saved(percent: re.Match[str]) -> bool:
    """Say whether a minus or words of saving stand at a percentage."""
    text = percent.string
    before, after = plain(text[: percent.start()])[-25:], plain(text[percent.end() :])[:25]
    return before.endswith(("-", "−", "–")) or bool(
        part_words.SAVING_BEFORE.found(before) or part_words.SAVED_AFTER.found(after)
    )


def _is_drawn_struck(s: Seen) -> bool:
    return any(_STRUCK_NAME.search(names) for names in s.place.names[:3])


def _may_be_paid(c: Seen, listed: Seen) -> bool:
    """Say whether an amount stands about as near as one that is called the list price, and may be the price itself.

    Not where words call it something else, as `Gift wrap £4` below `Regular price £48`.
    """
    return c.score >= min(NEAR, listed.score - 1.5) and not is_no_deal(c, listed)

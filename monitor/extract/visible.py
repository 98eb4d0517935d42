"""Amounts a shopper sees, each with the role its surroundings give it and a score as the main price.

The reader knows words and class names, never sites. It does not decide: a high score says that an amount
stands where the page's own price stands. `reconcile.py` weighs it against what the page declares.
"""

import re
from dataclasses import replace
from decimal import Decimal
from functools import partial
from itertools import islice, pairwise

from monitor.domain.extraction import Role
from monitor.extract.alone import promoted
from monitor.extract.amounts import Amount, amounts, places_of
from monitor.extract.below import told_below
from monitor.extract.bracketed import told_again
from monitor.extract.choices import other_choice
from monitor.extract.columns import column_heads
from monitor.extract.document import Document
from monitor.extract.drawn import drawn_in_pieces, drawn_without_sign, with_own_cents
from monitor.extract.names import votes, votes_together
from monitor.extract.others import begins
from monitor.extract.own_words import AFTER, BEFORE, digit_offset, leads_on, name_end, own_after, own_end, own_words
from monitor.extract.pieces import A_PIECE, put_together
from monitor.extract.prose import without_mentions
from monitor.extract.roles import PART_OR_NET, STRUCK_TAGS, role_of
from monitor.extract.standing import CLEAR, NEAR, Anchor, Seen, is_taxed, scored, together
from monitor.extract.tiers import priced_by_quantity
from monitor.extract.undrawn import is_undrawn
from monitor.extract.vocabulary import plain
from monitor.extract.words import LIST_BEFORE, MEMBER_AROUND, OTHER_AFTER

GRID = 3  #: places of one markup with different amounts that may be the cards of a list
WIDE_GRID = 4  #: so many of them around the name: more of the page would only show more cards
FEW = 20  #: characters of words for tax between an amount without it and one with it
LED_BY = 20  #: characters before an amount that are shown with it as evidence
MAX_SEEN = 40  #: amounts judged in one part of a page; more of them tell nothing new
#: Characters before and after the product's name in which its price is looked for, one after the other; in the
#: first only where one declared price is expected to stand.
_RINGS = (200, 800), (700, 3_000)

_LASTING = frozenset({Role.LIST, Role.MEMBER, Role.INSTALMENT, Role.UNIT})


def seen_amounts(document: Document, anchor: Anchor, declared: frozenset[Decimal], *, sure: bool) -> list[Seen]:
    """Return the visible amounts in document order: those around the product's name when one is clearly its price.

    All of the page is read when no amount there stands clearly as the price, except where they are a grid of cards.

    Args:
        document: the page.
        anchor: where its product stands.
        declared: the amounts that the page declares.
        sure: the page declares one product that fits it, so that a grid beside it is something else.
    """
    end = len(document.text)
    if anchor.heading is None:
        return _weighed(_judge(document, anchor, declared, 0, end), document, anchor, declared)
    low = high = anchor.heading
    judged: list[Seen] = []
    for before, behind in _RINGS if sure else _RINGS[1:]:
        inner, (low, high) = (low, high), _lines_around(document.text, anchor.heading, before, behind)
        judged = _judged_around(judged, document, anchor, declared, (low, inner[0], inner[1], high))
        if declared and not any(s.value in declared for s in judged):
            continue
        near = _weighed(judged, document, anchor, declared)
        repeated = max((s.repeated for s in near), default=0)
        if any(_is_clear(s, declared) for s in near) and (sure or repeated < GRID):
            return near
        if repeated >= WIDE_GRID:
            return near
    judged = _judged_around(judged, document, anchor, declared, (0, low, high, end))
    return _weighed(judged, document, anchor, declared)


def _lines_around(text: str, heading: int, before: int, behind: int) -> tuple[int, int]:
    """Return where the lines begin and end that hold so many characters before and behind the product's name."""
    end = text.find("\n", heading + behind)
    return max(0, text.rfind("\n", 0, max(0, heading - before))), len(text) if end < 0 else end


def _judged_around(
    judged: list[Seen], document: Document, anchor: Anchor, declared: frozenset[Decimal], at: tuple[int, int, int, int]
) -> list[Seen]:
    """Return the amounts of a part of the page with those before it and behind it.

    Args:
        at: offsets at which what is asked begins, the part begins and ends, and what is asked ends.
    """
    if at[1] == at[2]:
        return _judge(document, anchor, declared, at[0], at[3])
    before, behind = (_judge(document, anchor, declared, *ends) for ends in (at[:2], at[2:]))
    return [*before, *judged, *behind]


def _is_clear(s: Seen, declared: frozenset[Decimal]) -> bool:
    return s.role is Role.CURRENT and s.score >= CLEAR and s.value > 0 and (s.value in declared or not declared)


def _weighed(judged: list[Seen], document: Document, anchor: Anchor, declared: frozenset[Decimal]) -> list[Seen]:
    if not judged:
        return []
    text = document.text
    named = document.run_end(anchor.heading) if anchor.heading is not None else 0
    others = begins(document.lower, anchor.heading, anchor.buys, judged[-1].amount.start)
    taxed = _net_only(_net_again(_echoes(judged, text)), declared, text)
    plain_ones = _without_conversions(_with_ranges(priced_by_quantity(taxed, document.lower), text))
    if anchor.linked and not declared:
        plain_ones = without_mentions(plain_ones, text)
    weighed = promoted(
        scored(plain_ones, anchor, others, alone=not declared, named=named),
        declared,
        text,
        partial(is_undrawn, document, anchor=anchor),
    )
    return _named_amounts(weighed, anchor, named) if named else weighed


def _led_by(text: str) -> str:
    """Return the last words before an amount, with a sign where something was left out."""
    if len(text) <= LED_BY:
        return text
    cut = text[-LED_BY:]
    whole = cut if text[-LED_BY - 1].isspace() else "".join(re.split(r"(\s)", cut, maxsplit=1)[1:])
    return f"… {whole}"


def _judge(document: Document, anchor: Anchor, declared: frozenset[Decimal], low: int, high: int) -> list[Seen]:
    """Return the amounts between two offsets with what the words and names around each make of it."""
    text = document.text
    every = amounts(text, bare=_as_written(declared), low=low, high=high) if low < high else ()
    found = list(islice((a for a in every if a.sign or _bare_price(document, a, declared)), MAX_SEEN))
    found = drawn_without_sign(document, [with_own_cents(document, a, declared) for a in found], declared, low, high)
    found = drawn_in_pieces(found, text, declared, low, high)
    whole = put_together(document, found)
    found = whole.amounts
    named = document.run_end(anchor.heading) if anchor.heading is not None else 0
    name = text[anchor.heading or 0 : named]
    heads = column_heads(document, found)
    judged: list[Seen] = []
    owned = 0  # where words end that belong to the amount before
    for at, amount in enumerate(found):
        following = found[at + 1] if at + 1 < len(found) else None
        ends = own_end(document, amount, following) if following else amount.end
        before_it = max(found[at - 1].end if at else 0, amount.start - BEFORE)
        before_it = max(before_it, name_end(text, name, named, amount))  # the name's own words are no label
        after_it = min(found[at + 1].start if at + 1 < len(found) else len(text), amount.end + AFTER)
        leads = ends == amount.end and leads_on(text, amount, following)
        between = text[max(before_it, owned) : amount.start]
        between = f"\n{heads[amount.start]}: " if amount.start in heads else between
        between = "" if judged and _tells_of(judged[-1], between) else between
        said = own_words(between) if at else between
        place = document.place(digit_offset(text, amount))
        role, reason = role_of(
            said, own_after(text[amount.end : after_it], leads), place, anchor, leads=leads, fine=_is_fine(amount)
        )
        other = other_choice(document, amount.start, place, said) if role is Role.CURRENT else None
        role, reason = (Role.OTHER, other) if other else (role, reason)
        reason = A_PIECE if role is Role.CURRENT and amount.start in whole.broken else reason
        shown = " ".join((_led_by(between) + text[amount.start : amount.end]).split())
        line = plain(between.rpartition("\n")[2])
        then = "" if leads else plain(text[amount.end : after_it].partition("\n")[0])
        judged.append(Seen(amount, place, role, reason, text=shown, label=plain(said), line=line, then=then))
        owned = ends
    return told_below(told_again(judged, text), document)


def _tells_of(last: Seen, between: str) -> bool:
    """Say whether words behind an amount, whose element is named as a price for some, tell who they are."""
    named = last.role is Role.MEMBER and "member" in votes_together(last.place.names[:1])
    return named and MEMBER_AROUND.found(plain(between)) is not None


def _is_fine(amount: Amount) -> bool:
    return amount.decimals >= 3 and amount.value < 1 and amount.decimals > (places_of(amount.currency) or 0)


def _echoes(judged: list[Seen], text: str) -> list[Seen]:
    """Give an amount that repeats the one just before it, for eyes or for screen readers, the same role."""
    out: list[Seen] = []
    for s in judged:
        last = out[-1] if out else None
        is_echo = last and last.value == s.value and not text[last.amount.end : s.amount.start].strip("\x1f\n ")
        is_struck = last and not STRUCK_TAGS.isdisjoint(last.place.tags[:4])
        if last and is_echo and not is_struck and s.role is Role.CURRENT and last.role in _LASTING:
            s = replace(s, role=last.role, reason=last.reason)
        out.append(s)
    return out


def _net_again(judged: list[Seen]) -> list[Seen]:
    """Give an amount that was called net beside its gross one the same role where a price list repeats it."""
    pairs = [pair for one, two in pairwise(judged) if _is_block(one, two) for pair in ((one, two), (two, one))]
    net = {
        a.value for a, b in pairs if a.reason == PART_OR_NET and b.role is Role.CURRENT and is_taxed(a.value, b.value)
    }
    return [
        replace(s, role=Role.OTHER, reason=PART_OR_NET) if s.value in net and s.role is Role.CURRENT else s
        for s in judged
    ]


def _is_block(one: Seen, two: Seen) -> bool:
    """Say whether few words part two amounts, or one block holds them: a neighbour may be a quarter dearer too."""
    return len(two.label) <= FEW or not set(one.place.ids[:5]).isdisjoint(two.place.ids[:5])


def _net_only(judged: list[Seen], declared: frozenset[Decimal], text: str) -> list[Seen]:
    """Take a declared amount with words for net behind it as the price where none with tax stands beside it."""
    net = [s for s in judged if s.value in declared and _is_net(s, text)]
    if not net or any(
        s.role is Role.CURRENT and is_taxed(n.value, s.value) and together(s, n) for s in judged for n in net
    ):
        return judged
    prices = {id(n) for n in net}
    former = {id(s) for s in judged if _is_net(s, text) and "list" in votes_together(s.place.names[:3])} - prices
    return [
        replace(s, role=Role.CURRENT, reason="the declared amount, shown without tax")
        if id(s) in prices
        else replace(s, role=Role.LIST, reason="the former price, shown without tax")
        if id(s) in former
        else s
        for s in judged
    ]


def _is_net(s: Seen, text: str) -> bool:
    behind = text[s.amount.end : s.amount.end + AFTER].split("\n")[0]
    return s.reason == PART_OR_NET and OTHER_AFTER.found(plain(behind)) is not None


def _as_written(declared: frozenset[Decimal]) -> frozenset[str]:
    """Return declared amounts in the spellings without a sign that pages show."""
    whole = {format(d.normalize(), "f") for d in declared}
    grouped = {
        f"{int(d):,}".replace(",", mark) for d in declared if d == d.to_integral_value() for mark in ", .’\u00a0"
    }
    return frozenset(whole | grouped)


def _without_conversions(judged: list[Seen]) -> list[Seen]:
    """Mark a list of one amount in three or more currencies as conversions."""
    codes: dict[tuple[str, ...], set[str]] = {}
    for s in judged:
        if s.amount.currency:
            codes.setdefault(s.place.names[:3], set()).add(s.amount.currency)
    many = {names for names, found in codes.items() if len(found) >= 3}
    return [
        replace(s, role=Role.OTHER, reason="a conversion to another currency") if s.place.names[:3] in many else s
        for s in judged
    ]


def _named_amounts(scored: list[Seen], anchor: Anchor, end: int) -> list[Seen]:
    """Mark amounts that belong to the product's name, as of a coin of 10 euros, when another one may be its price."""
    if anchor.heading is None:
        return scored
    inside = {s.value for s in scored if anchor.heading <= s.amount.start < end}
    others = [s for s in scored if s.value not in inside and s.role is Role.CURRENT and s.score >= NEAR]
    if not inside or not others:
        return scored
    return [
        replace(s, role=Role.OTHER, reason="part of the product's name")
        if s.value in inside and s.role is Role.CURRENT
        else s
        for s in scored
    ]


def _bare_price(document: Document, amount: Amount, declared: frozenset[Decimal]) -> bool:
    """Say whether a number without a sign stands alone in an element that is named as a price, declared or struck."""
    if amount.value <= 0 or (amount.decimals != 2 and amount.value not in declared):
        return False
    node = document.node_at(amount.start)
    text = (node.text_content or "").strip() if node is not None else ""
    rest = len(text) - (amount.end - amount.start)
    if rest > LED_BY or (rest > 4 and not LIST_BEFORE.found(plain(text[:rest]))):
        return False
    place = document.place(amount.start)
    if amount.decimals == 2 and (amount.value in declared or not STRUCK_TAGS.isdisjoint(place.tags[:3])):
        return True
    return any("price" in votes(names) for names in place.names[:3])


def _with_ranges(judged: list[Seen], text: str) -> list[Seen]:
    """Mark both ends of "18.00 – 42.00"."""
    out = list(judged)
    for at in range(len(out) - 1):
        one, two = out[at], out[at + 1]
        between = text[one.amount.end : two.amount.start]
        if (
            len(between) <= 12
            and re.fullmatch(r"[\s\x1f]*(?:[-–—~]|to|bis|до|à)[\s\x1f]*", between)
            and one.value < two.value
        ):
            for index in (at, at + 1):
                if out[index].role is Role.CURRENT:
                    out[index] = replace(out[index], role=Role.RANGE_END, reason="one end of a range")
    return out

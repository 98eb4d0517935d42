"""Amounts a shopper sees, each with the role its surroundings give it and a score as the main price.

The reader knows words and class names, never sites. It does not decide: a high score says that an amount
stands where the page's own price stands. `reconcile.py` weighs it against what the page declares.
"""

import re
from dataclasses import replace
from decimal import Decimal
from itertools import islice

from monitor.domain.extraction import Role
from monitor.extract import words
from monitor.extract.amounts import Amount, amounts
from monitor.extract.document import Document, Place
from monitor.extract.names import elsewhere, is_buy_box, votes
from monitor.extract.standing import CLEAR, Anchor, Seen, scored

GRID = 3  #: places of one markup with different amounts that may be the cards of a list
WIDE_GRID = 8  #: so many of them and nothing declared: more of the page would only show more cards
MAX_SEEN = 300  #: amounts judged per page
AHEAD, BEHIND = 700, 3_000  #: characters before and after the product's name in which its price is looked for first
BEFORE, AFTER = 60, 40  #: characters of text looked at around an amount

_STRUCK = frozenset({"del", "s", "strike"})
#: Reason of an amount that only a class name calls the former price; class names lie when it stands alone.
NAMED_FORMER = "named as the former price"
_CENTS = re.compile(r"cent|fraction|decimal|sup|penn|kopeck|small|minor")
_LASTING = frozenset({Role.LIST, Role.MEMBER, Role.INSTALMENT, Role.UNIT})
_OUTSIDE = frozenset({"nav", "header", "footer", "aside"})


def seen_amounts(document: Document, anchor: Anchor, declared: frozenset[Decimal], *, sure: bool) -> list[Seen]:
    """Return the visible amounts in document order: those around the product's name when one is clearly its price.

    All of the page is read when no amount there stands clearly as the price, or when they look like a grid.

    Args:
        document: the page.
        anchor: where its product stands.
        declared: the amounts that the page declares.
        sure: the page declares one product that fits it, so that a grid beside it is something else.
    """
    text = document.text
    if anchor.heading is None:
        return _weighed(_judge(document, anchor, declared, 0, len(text)), text, anchor)
    low = max(0, text.rfind("\n", 0, max(0, anchor.heading - AHEAD)))
    high = text.find("\n", anchor.heading + BEHIND)
    high = len(text) if high < 0 else high
    judged = _judge(document, anchor, declared, low, high)
    near = _weighed(judged, text, anchor)
    repeated = max((s.repeated for s in near), default=0)
    if any(_is_clear(s, declared) for s in near) and (sure or repeated < GRID):
        return near
    if not declared and repeated >= WIDE_GRID:
        return near
    around = _judge(document, anchor, declared, 0, low), judged, _judge(document, anchor, declared, high, len(text))
    return _weighed([s for part in around for s in part][:MAX_SEEN], text, anchor)


def _is_clear(s: Seen, declared: frozenset[Decimal]) -> bool:
    return s.role is Role.CURRENT and s.score >= CLEAR and s.value > 0 and (s.value in declared or not declared)


def _weighed(judged: list[Seen], text: str, anchor: Anchor) -> list[Seen]:
    return _promoted(scored(_without_conversions(_with_ranges(_echoes(judged, text), text)), anchor))


def _judge(document: Document, anchor: Anchor, declared: frozenset[Decimal], low: int, high: int) -> list[Seen]:
    """Return the amounts between two offsets with what the words and names around each make of it."""
    text = document.text
    every = amounts(text, bare=_as_written(declared), low=low, high=high) if low < high else ()
    found = list(islice((a for a in every if a.sign or _bare_price(document, a, declared)), MAX_SEEN))
    found = [_whole(document, a, declared) for a in found]
    judged = []
    for at, amount in enumerate(found):
        before_it = max(found[at - 1].end if at else 0, amount.start - BEFORE)
        after_it = min(found[at + 1].start if at + 1 < len(found) else len(text), amount.end + AFTER)
        leads = at + 1 < len(found) and found[at + 1].start <= after_it  # the words behind announce the next amount
        between = text[before_it : amount.start]
        said = _own_words(between) if at else between
        place = document.place(_digit_offset(text, amount))
        role, reason = role_of(said, text[amount.end : after_it], place, anchor, leads=leads)
        shown = " ".join((between[-20:] + text[amount.start : amount.end]).split())
        judged.append(Seen(amount, place, role, reason, text=shown, label=words.plain(between)))
    return judged


def _own_words(between: str) -> str:
    """Drop the rest of the line that the amount before stands in: in `£80 ex VAT / £96` the words belong to £80."""
    end = between.find("\n")
    return between[end:] if end > 0 and between[:end].strip("\x1f ") else between


def _echoes(judged: list[Seen], text: str) -> list[Seen]:
    """Give an amount that repeats the one just before it, for eyes or for screen readers, the same role."""
    out: list[Seen] = []
    for s in judged:
        last = out[-1] if out else None
        is_echo = last and last.value == s.value and not text[last.amount.end : s.amount.start].strip("\x1f\n ")
        is_struck = last and any(tag in _STRUCK for tag in last.place.tags[:4])
        if last and is_echo and not is_struck and s.role is Role.CURRENT and last.role in _LASTING:
            s = replace(s, role=last.role, reason=last.reason)
        out.append(s)
    return out


def _together(one: Seen, other: Seen) -> bool:
    return abs(one.amount.start - other.amount.start) < 60 or bool(set(one.place.ids[:5]) & set(other.place.ids[:5]))


def _as_written(declared: frozenset[Decimal]) -> frozenset[str]:
    """Return declared amounts in the spellings without a sign that pages show."""
    whole = {format(d.normalize(), "f") for d in declared}
    grouped = {
        f"{int(d):,}".replace(",", mark) for d in declared if d == d.to_integral_value() for mark in ", .’\u00a0"
    }
    return frozenset(whole | grouped)


def _whole(document: Document, amount: Amount, declared: frozenset[Decimal]) -> Amount:
    """Join cents that stand in an element of their own: 299 and 99 are 299.99."""
    if not amount.sign or amount.decimals or amount.value <= 0:
        return amount
    cents = re.match(r"\x1f([0-9]{2})(?![0-9])", document.text[amount.end : amount.end + 4])
    if not cents:
        return amount
    joined = amount.value + Decimal(cents.group(1)).scaleb(-2)
    place = document.place(amount.end + 1)
    if (
        joined in declared
        or any(tag in ("sup", "sub", "small", "cents") for tag in place.tags[:2])
        or _CENTS.search(" ".join(place.names[:2]))
    ):
        return replace(amount, value=joined, end=amount.end + cents.end(), decimals=2)
    return amount


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


def _promoted(scored: list[Seen]) -> list[Seen]:
    """Take an amount that only a class name calls former as current when no current one stands near it."""
    current = [s for s in scored if s.role in (Role.CURRENT, Role.MEMBER, Role.RANGE_END) and s.value > 0]
    out = []
    for s in scored:
        alone = s.reason == NAMED_FORMER and not any(_together(c, s) for c in current)
        out.append(replace(s, role=Role.CURRENT, reason="the only price there") if alone else s)
    return out


def _digit_offset(text: str, amount: Amount) -> int:
    for offset in range(amount.start, amount.end):
        if text[offset].isdigit():
            return offset
    return amount.start


def _bare_price(document: Document, amount: Amount, declared: frozenset[Decimal]) -> bool:
    """Say whether a number without a sign stands alone in an element named as a price."""
    if amount.value <= 0 or (amount.decimals != 2 and amount.value not in declared):
        return False
    node = document.node_at(amount.start)
    text = (node.text_content or "").strip() if node is not None else ""
    if len(text) > amount.end - amount.start + 4:
        return False
    return any("price" in votes(names) for names in document.place(amount.start).names[:3])


def role_of(before: str, after: str, place: Place, anchor: Anchor, *, leads: bool = False) -> tuple[Role, str]:
    """Return what an amount means, judged by the words beside it and the names around it."""
    outside = _outside(place, anchor)
    if outside:
        return Role.OTHER, f"stands outside the product ({outside})"
    near = frozenset().union(*(votes(n) for n in place.names[:3]))
    wide = near.union(
        *(votes(n) for n, i in zip(place.names[3:6], place.ids[3:6], strict=False) if i not in anchor.around)
    )
    label = words.plain(before[before.rfind("\n", 0, max(0, len(before) - 1)) + 1 :])
    said, then = words.plain(before), words.plain(after.split("\n")[0])
    if "unit" in near or words.UNIT_AFTER.found(then):
        return Role.UNIT, "a price per unit of measure"
    if "instalment" in wide or words.INSTALMENT_AFTER.found(then) or words.INSTALMENT_BEFORE.found(label):
        return Role.INSTALMENT, "one payment of several"
    if "shipping" in wide or words.SHIPPING_AFTER.found(then) or words.SHIPPING_BEFORE.found(label):
        return Role.SHIPPING, "delivery, or the order value that makes it free"
    if "saving" in near or words.SAVING_BEFORE.found(label) or re.search(r"(?:^|[^\w\s])\s?[-−–]$", before.rstrip(" ")):
        return Role.OTHER, "a saving"
    if before.rstrip(" ").endswith("+") or "option" in place.tags[:3]:
        return Role.OTHER, "the surcharge of an option"
    former = _is_list(said, place)
    if former and not _only_named(said, place):
        return Role.LIST, "struck through or called the former price"
    if "before_tax" in near or words.OTHER_BEFORE.found(said) or words.OTHER_AFTER.found(then):
        return Role.OTHER, "a surcharge, a part or an amount before tax"
    if former:
        return Role.LIST, NAMED_FORMER
    if (
        "member" in wide
        or words.MEMBER_AROUND.found(label[-40:])
        or (not leads and words.MEMBER_AROUND.found(then[:25]))
    ):
        return Role.MEMBER, "only for members, subscribers or card holders"
    if words.FROM_BEFORE.found(label) or words.FROM_AFTER.found(then):
        return Role.RANGE_END, 'a "from" price'
    return Role.CURRENT, "shown as a price"


def _outside(place: Place, anchor: Anchor) -> str | None:
    """Return the tag or name that places an amount outside the product, None when it stands inside."""
    if any("itemprop=price" in names for names in place.names[:2]) and any(
        "itemprop=offers" in n for n in place.names[:6]
    ):
        return None
    for tag, names, identity in zip(place.tags, place.names, place.ids, strict=True):
        if identity in anchor.around:
            return None
        if tag in _OUTSIDE and not (tag == "aside" and is_buy_box(names)):
            return tag
        found = elsewhere(names) if anchor.heading is not None and "price" not in votes(names) else None
        if found and not (tag == "aside" and is_buy_box(names)):
            return found
    return None


def _only_named(said: str, place: Place) -> bool:
    return not any(tag in _STRUCK for tag in place.tags[:4]) and not words.LIST_BEFORE.found(said)


def _is_list(said: str, place: Place) -> bool:
    if any(tag in _STRUCK for tag in place.tags[:4]) or words.LIST_BEFORE.found(said):
        return True
    for names in place.names[:3]:
        kinds = votes(names)
        if "list" in kinds:
            return "current" not in kinds or "line-through" in names
        if "current" in kinds:
            return False
    return False


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

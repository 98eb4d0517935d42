"""Amounts a shopper sees, each with the role its surroundings give it and a score as the main price.

The reader knows words and class names, never sites. It does not decide: a high score says that an amount
stands where the page's own price stands. `reconcile.py` weighs it against what the page declares.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from monitor.domain.extraction import Role
from monitor.extract import words
from monitor.extract.amounts import Amount, amounts
from monitor.extract.document import Document, Place
from monitor.extract.facts import Facts

MAX_SEEN = 600  #: amounts judged per page
BEFORE, AFTER = 60, 40  #: characters of text looked at around an amount

_STRUCK = frozenset({"del", "s", "strike"})
_OUTSIDE = frozenset({"nav", "header", "footer", "aside"})


@dataclass(frozen=True, slots=True)
class Seen:
    """One visible amount."""

    amount: Amount
    place: Place
    role: Role
    reason: str  #: in words, why it has this role
    score: float = 0.0
    repeated: int = 1  #: places with the same markup around and another amount
    text: str = ""

    @property
    def value(self) -> Decimal:
        """The number alone."""
        return self.amount.value


@dataclass(frozen=True, slots=True)
class Anchor:
    """Where the product stands in the visible text."""

    heading: int | None  #: offset of its name
    around: frozenset[int]  #: elements that hold the heading
    buys: tuple[int, ...]  #: offsets of buy controls


def seen_amounts(document: Document, anchor: Anchor, facts: Facts, declared: frozenset[Decimal]) -> list[Seen]:
    """Return the visible amounts in document order."""
    text = document.text
    found = [a for a in amounts(text) if a.sign or _bare_price(document, a, declared)][:MAX_SEEN]
    judged = []
    for at, amount in enumerate(found):
        low = max(found[at - 1].end if at else 0, amount.start - BEFORE)
        high = min(found[at + 1].start if at + 1 < len(found) else len(text), amount.end + AFTER)
        offset = _digit_offset(text, amount)
        place = document.place(offset)
        before, after = text[low : amount.start], text[amount.end : high]
        role, reason = role_of(before, after, place, anchor)
        judged.append(
            Seen(amount, place, role, reason, text=" ".join(text[max(low, amount.start - 20) : amount.end].split()))
        )
    return _scored(_with_ranges(judged, text), anchor)


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
    return any(words.PRICE_CLASS.search(names) for names in document.place(amount.start).names[:3])


def role_of(before: str, after: str, place: Place, anchor: Anchor) -> tuple[Role, str]:
    """Return what an amount means, judged by the words beside it and the names around it."""
    near = " ".join(place.names[:3])
    wide = " ".join(n for n, i in zip(place.names[:6], place.ids[:6], strict=False) if i not in anchor.around)
    label = before[before.rfind("\n", 0, max(0, len(before) - 1)) + 1 :]
    if words.UNIT_AFTER.search(after) or words.UNIT_CLASS.search(near):
        return Role.UNIT, "a price per unit of measure"
    if (
        words.INSTALMENT_AFTER.search(after)
        or words.INSTALMENT_BEFORE.search(label)
        or words.INSTALMENT_CLASS.search(wide)
    ):
        return Role.INSTALMENT, "one payment of several"
    if words.SHIPPING_AFTER.search(after) or words.SHIPPING_BEFORE.search(label) or words.SHIPPING_CLASS.search(wide):
        return Role.SHIPPING, "delivery, or the order value that makes it free"
    if (
        words.SAVING_BEFORE.search(label)
        or words.SAVING_CLASS.search(near)
        or re.search(r"[-−–]\s?$", before.replace("\x1f", "")[-2:])
    ):
        return Role.OTHER, "a saving"
    if words.OTHER_BEFORE.search(before) or words.EX_TAX_AFTER.search(after):
        return Role.OTHER, "a surcharge, a part or an amount before tax"
    outside = _outside(place, anchor)
    if outside:
        return Role.OTHER, f"stands outside the product ({outside})"
    if _is_list(before, place):
        return Role.LIST, "struck through or named as the former price"
    if (
        words.MEMBER_CLASS.search(wide)
        or words.MEMBER_AROUND.search(label[-40:])
        or words.MEMBER_AROUND.search(after[:25])
    ):
        return Role.MEMBER, "only for members, subscribers or card holders"
    return Role.CURRENT, "shown as a price"


def _outside(place: Place, anchor: Anchor) -> str | None:
    for tag, names, identity in zip(place.tags, place.names, place.ids, strict=True):
        if identity in anchor.around:
            return None
        if tag in _OUTSIDE:
            return tag
        found = words.ELSEWHERE_CLASS.search(names)
        if found:
            return found.group().strip(" -_")
    return None


def _is_list(before: str, place: Place) -> bool:
    if any(tag in _STRUCK for tag in place.tags[:4]) or words.LIST_BEFORE.search(before):
        return True
    for names in place.names[:3]:
        if words.LIST_CLASS.search(names):
            return not words.CURRENT_CLASS.search(names) or "line-through" in names
        if words.CURRENT_CLASS.search(names):
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


def _scored(judged: Sequence[Seen], anchor: Anchor) -> list[Seen]:
    marks = Counter((s.place.tags[:3], s.place.names[:3]) for s in judged)
    values = {(s.place.tags[:3], s.place.names[:3], s.value) for s in judged}
    distinct = Counter((tags, names) for tags, names, _ in values)
    repeats = Counter(s.value for s in judged if s.role is Role.CURRENT)
    out = []
    for s in judged:
        key = (s.place.tags[:3], s.place.names[:3])
        repeated = min(marks[key], distinct[key])
        score = _score(s, anchor) - (2.5 if repeated >= 4 else 0) + min(1.0, 0.5 * (repeats[s.value] - 1))
        out.append(replace(s, score=score, repeated=repeated))
    return out


def _score(s: Seen, anchor: Anchor) -> float:
    near, names = " ".join(s.place.names[:2]), " ".join(s.place.names[:4])
    score = 0.0
    score += 2 if "itemprop=price" in near else 0
    score += 2 if words.PRICE_CLASS.search(names) else 0
    score += 1 if words.CURRENT_CLASS.search(names) else 0
    score += _nearness(s.amount.start, anchor)
    score -= 2 if "display-none" in names or "hidden-attribute" in names else 0
    score -= 1.5 if "a" in s.place.tags[:3] else 0
    score += 1 if s.amount.sign else -1
    return score


def _nearness(offset: int, anchor: Anchor) -> float:
    score = 0.0
    if anchor.heading is not None:
        distance = offset - anchor.heading
        if distance >= 0:
            score += 3 if distance < 700 else 2 if distance < 2500 else 0.5 if distance < 6000 else -2
        else:
            score += 1 if distance > -700 else -3
    if anchor.buys:
        gap = min(abs(buy - offset) for buy in anchor.buys)
        score += 2 if gap < 400 else 1 if gap < 1500 else 0
    return score

"""Read amounts that a page draws in pieces: whole part, point and cents in elements of their own.

`amounts.py` reads such numbers where a sign stands with the pieces. `with_own_cents` joins what the names of the
elements, or a declared amount, tell to belong together. `drawn_in_pieces` knows what to look for, so that it needs
neither: the digits of one declared amount, in their order, with nothing but separators between them. It is asked only
when no amount that was read is the declared one.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal

from monitor.extract.amounts import Amount, amounts, number, visible_characters
from monitor.extract.document import Document
from monitor.extract.names import votes_together
from monitor.extract.notation import DASHES

MAX_SOUGHT = 3  #: declared amounts looked for
FEWEST_DIGITS = 3  #: shorter numbers stand everywhere

_CENTS = re.compile(r"(?<!per)cent|fraction|decimal|sup|penn|kopeck|small|minor")
#: Two digits in an element of their own, and the whole part that may stand before them.
_TWO_DIGITS = re.compile(r"\x1f[0-9]{2}(?=[\n\x1f]|$)")
_WHOLE_ALONE = re.compile(r"[\n\x1f]([0-9]{1,3}(?:[., ][0-9]{3})?)$")
LABELLED = 3  #: elements around an amount whose labels are read
LONGEST_LABEL = 80  #: characters of a label
_CENTS_TAGS = frozenset({"sup", "sub", "small", "cents"})
#: An amount with its cents behind the sign: a page that writes one so writes `89` and `€90` in two elements.
_BEHIND_SIGNS = re.compile("[0-9]€[0-9]{2}(?![0-9])")
_WHOLE_BEFORE = re.compile(r"(?<![0-9.,])([0-9]{1,3}(?:[.,  ’'][0-9]{3})*)[.,]?\x1f$")
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


def drawn_without_sign(
    document: Document, found: Sequence[Amount], declared: frozenset[Decimal], low: int, high: int
) -> list[Amount]:
    """Return the amounts with those whose cents stand raised behind the whole part and whose sign nobody draws.

    A label for those who hear the page tells the amount with its sign; else names must call it a price, and the page
    declare none.
    """
    pieces = _TWO_DIGITS.finditer(document.text, low, high)
    drawn = [a for piece in pieces if (a := _raised(document, piece.start(), declared))]
    apart = [a for a in drawn if not any(a.start < f.end and f.start < a.end for f in found)]
    return sorted([*found, *apart], key=lambda a: a.start) if apart else list(found)


def _raised(document: Document, end: int, declared: frozenset[Decimal]) -> Amount | None:
    """Return the amount whose whole part ends at an offset, None when nothing says that two digits are its cents."""
    text = document.text
    whole = _WHOLE_ALONE.search(text, max(0, end - 9), end)
    value = number(whole.group(1)) if whole else None
    place = document.place(end + 1)
    if whole is None or value is None or not (place.tags[:1] == ("sup",) or _CENTS.search(" ".join(place.names[:1]))):
        return None
    value += Decimal(text[end + 1 : end + 3]).scaleb(-2)
    heard = next((a for label in _labels(document, end) for a in amounts(label) if a.value == value), None)
    if heard is None and (declared or "price" not in votes_together(place.names[:4])):
        return None
    sign, currency = (heard.sign, heard.currency) if heard else (None, None)
    return Amount(value, sign, currency, whole.start(1), end + 3, 2)


def _labels(document: Document, offset: int) -> Iterator[str]:
    """Yield what the nearest elements around a text are called for those who hear the page."""
    node = document.node_at(offset)
    for _ in range(LABELLED):
        node = node.parent if node is not None else None
        if node is not None and (label := node.attributes.get("aria-label")):
            yield visible_characters(label[:LONGEST_LABEL])


def with_own_cents(document: Document, amount: Amount, declared: frozenset[Decimal]) -> Amount:
    """Join cents that stand in an element of their own: 299 and 99 are 299.99."""
    if not amount.sign or amount.decimals or document.text[amount.end - 1] in DASHES:
        return amount
    if amount.value < 100:
        amount = _cents_of(document, amount) or amount
    if amount.decimals or amount.value <= 0:
        return amount
    behind_sign = not document.text[amount.end - 1].isdigit() and "\x1f" in document.text[amount.start : amount.end]
    gap = "\x1f?" if behind_sign else "\x1f"  # `79<sup>€90</sup>`
    cents = re.match(rf"{gap}([0-9]{{2}})(?![0-9]| ?%)", document.text[amount.end : amount.end + 5])
    if not cents:
        return amount
    joined = amount.value + Decimal(cents.group(1)).scaleb(-2)
    place = document.place(amount.end + 1)
    if (
        joined in declared
        or any(tag in _CENTS_TAGS for tag in place.tags[:2])
        or _CENTS.search(" ".join(place.names[:2]))
        or (gap == "\x1f?" and cents.start(1) == 0 and _BEHIND_SIGNS.search(document.text))
    ):
        return replace(amount, value=joined, end=amount.end + cents.end(), decimals=2)
    return amount


def _cents_of(document: Document, amount: Amount) -> Amount | None:
    """Return an amount whose sign stands behind its cents, as in `149<sup>00</sup> €`, None when it is not one."""
    whole = _WHOLE_BEFORE.search(document.text, max(0, amount.start - 12), amount.start)
    if whole is None:
        return None
    shown = document.text[amount.start : amount.start + 3]
    place = document.place(amount.start)
    if not re.match(r"[0-9]{2}(?![0-9])", shown):
        return None
    if not any(tag in _CENTS_TAGS for tag in place.tags[:2]) and not _CENTS.search(" ".join(place.names[:2])):
        return None
    value = number(whole.group(1))
    joined = value + Decimal(shown[:2]).scaleb(-2) if value is not None else None
    return replace(amount, value=joined, start=whole.start(1), decimals=2) if joined is not None else None

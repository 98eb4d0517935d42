"""Numbers that a page draws in pieces that nothing names: `<b>79</b><b>99</b>`, or each digit in an element of its own.

A piece of a number read as an amount would be a wrong price. So whatever stands beside digits that nothing parts from
it is either put together, where there is one way to read it, or left out.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import takewhile

from monitor.extract.amounts import Amount, number, places_of
from monitor.extract.currency import iso_code
from monitor.extract.document import Document, Place
from monitor.extract.names import votes_together
from monitor.extract.notation import DIGIT, DIGITS
from monitor.extract.own_sign import own_sign
from monitor.extract.own_words import digit_offset
from monitor.extract.part_words import UNIT_AFTER
from monitor.extract.vocabulary import plain
from monitor.extract.words import GROSS_AFTER

#: Reason of an amount whose number goes on in the elements beside it.
A_PIECE = "shown as a price, but its number goes on in the elements beside it"
MOST_PIECES = 16  #: digits and marks drawn one by one; more are the wheels of a counter
LONGEST = 14  #: characters before an amount in which a piece may stand
NEAR = 4  #: elements around a piece in which the others stand

_GROUPED = r"[0-9]{1,3}(?:[.,'’\s][0-9]{3})+[.,]?"
_PART = r"[0-9]{1,4}[.,'’]?|[.,'’][0-9]{0,2}"  # with a mark inside it is a number of its own, as a rating of 4.5
_BEHIND = re.compile(rf"[\x1f\n]{{1,2}}(?:{_PART})(?=[\x1f\n]|$)")
_AHEAD = re.compile(rf"(?:^|[\x1f\n])(?:{_GROUPED}|{_PART})[\x1f\n]{{1,2}}$")
_BIT = re.compile(rf"{_GROUPED}|{_PART}|")
_IS_ROUND = re.compile(r"[0-9][.,] ?[-–—]")  # 79,-
#: Behind a currency in letters stand no cents, behind its sign they may; two digits with either may be a whole price.
_ENDS_IN_WORD = re.compile(r"[0-9]\s?[^\W\d_]+\.?\s?$")
_ENDS_IN_SIGN = re.compile(r"[0-9]\s?[^\w\s.,'’]\s?$")
_ENDS_IN_EITHER = re.compile(r"^(?!00)[0-9]{2}\s?(?:[^\W\d_]+\.?|[^\w\s.,'’])\s?$")
_OWN = re.compile(r"[0-9](?:[0-9.,'’\s]*[0-9])?[.,]?")
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")
_WHOLE = re.compile(r"[0-9]{1,3}(?:[.,'’\s][0-9]{3})+|[0-9]{1,7}")
_WITH_CENTS = re.compile(rf"(?:{_WHOLE.pattern})[.,][0-9]{{2}}")
_CENTS = re.compile(r"[0-9]{2}")
#: Elements that hold a number of their own: a size to choose, a cell, the former price and the new one.
_APART = frozenset({"li", "button", "a", "label", "option", "td", "th", "dd", "dt", "del", "s", "strike", "ins"})

#: What names call a number beside a price that is another one, or the same again for who does not see.
_OTHER = frozenset({"list", "hidden"})


@dataclass(frozen=True, slots=True)
class Whole:
    """Amounts after those that stand in pieces were put together, and where those begin that could not be."""

    amounts: list[Amount]
    broken: frozenset[int]


def put_together(document: Document, found: Sequence[Amount]) -> Whole:
    """Put amounts together whose number goes on in the elements beside it."""
    whole: list[Amount] = []
    broken: set[int] = set()
    for amount in found:
        signed = own_sign(document, amount)
        bits = _bits(document, signed) if signed else None
        made = _made(signed, bits) if signed and bits else signed
        if made is None:
            broken.add(amount.start)
        made = made or amount
        if whole and made.start < whole[-1].end:  # a piece of the one before
            broken.discard(amount.start)
            continue
        whole.append(made)
    return Whole(whole, frozenset(broken))


@dataclass(frozen=True, slots=True)
class _Bits:
    """The pieces of one number in order."""

    shown: tuple[str, ...]
    start: int  #: of the first in the text of the page
    end: int  #: of the last
    is_alike: bool  #: they stand in the same elements: none of them is drawn as cents
    is_unclear: bool  #: the last of them may count something, as in `12 left`, or not belong to the price


def _bits(document: Document, amount: Amount) -> _Bits | None:
    """Return the pieces around an amount that stand with it in an element that holds nothing else, None for none."""
    text = document.text
    is_led = text[amount.start] not in DIGIT  # a sign parts it from what stands before
    ahead = None if is_led else _AHEAD.search(text, max(0, amount.start - LONGEST), amount.start)
    if not (ahead or (not amount.decimals and _BEHIND.match(text, amount.end))):
        return None
    at = document.piece_at(digit_offset(text, amount))
    piece = document.piece(at)
    if (amount.decimals and len(piece) > 1) or _IS_ROUND.search(piece):
        return None  # `3` beside `9.99 €` counts something
    first, last = _run(document, at)
    first, last = at if is_led else first, at if _ENDS_IN_WORD.search(piece) else last
    last -= last > at and _is_footnote(document, last)
    own = _OWN.search(piece)
    around = _around(document, first, last)
    if first == last or own is None or around is None:
        return None
    told = last > at and _says_more(document, last + 1, around)
    unclear = told and last == first + 1 and _CENTS.fullmatch(document.piece(last)) is not None
    last -= told and not unclear  # a number of their own, as `3 bids`
    if first == last:
        return None
    unclear = unclear or (_ENDS_IN_SIGN if last > at else _ENDS_IN_EITHER).search(piece) is not None
    return _joined(document, own.group(), at, range(first, last + 1), around, unclear=unclear)


def _is_footnote(document: Document, piece: int) -> bool:
    return len(document.piece(piece)) == 1 and document.place(document.starts[piece]).tags[:1] == ("sup",)


def _joined(document: Document, own: str, at: int, pieces: range, around: int, *, unclear: bool) -> _Bits:
    """Return what stands in pieces, of which that of the amount is one, below an element."""
    shown = tuple(own if n == at else document.piece(n) for n in pieces)
    places = [document.place(document.starts[n]) for n in pieces]
    tags = {_tags_below(place, around) for place, bit in zip(places, shown, strict=True) if bit}
    priced = [n for n, place in zip(pieces, places, strict=True) if "price" in _votes_below(place, around)]
    start, last = document.starts[pieces[0]] + 1, pieces[-1]
    end = document.starts[last] + 1 + len(document.piece(last))
    return _Bits(shown, start, end, is_alike=len(tags) == 1, is_unclear=unclear or priced == [at])


def _run(document: Document, at: int) -> tuple[int, int]:
    """Return the first and the last of the pieces near one that hold digits, marks or nothing."""
    own = frozenset(document.place(document.starts[at]).ids[:NEAR])

    def goes_on(piece: int) -> bool:
        if not 0 <= piece < len(document.starts) or not _BIT.fullmatch(document.piece(piece)):
            return False
        return not own.isdisjoint(document.place(document.starts[piece]).ids[:NEAR])

    first = last = at
    while last - first < MOST_PIECES and goes_on(first - 1):
        first -= 1
    while last - first < MOST_PIECES and goes_on(last + 1):
        last += 1
    while first < at and not document.piece(first):
        first += 1
    while last > at and not document.piece(last):
        last -= 1
    return first, last


def _around(document: Document, first: int, last: int) -> int | None:
    """Return the identity of the element in which pieces of text stand close together, None where they do not.

    Nor where another number stands in it before them.
    """
    places = [document.place(document.starts[n]) for n in range(first, last + 1)]
    around = next((i for i in places[0].ids[:NEAR] if i in places[-1].ids[:NEAR]), None)
    if around is None or any(_is_apart(place, around) for place in places):
        return None
    before = first > 0 and DIGITS.search(document.piece(first - 1))
    return None if before and around in document.place(document.starts[first - 1]).ids else around


def _says_more(document: Document, piece: int, around: int) -> bool:
    """Say whether a text behind the pieces, on the same line and in the same element, has words of something else."""
    said = plain(document.piece(piece))
    if not said or document.text[document.starts[piece]] == "\n":
        return False
    if not _LETTER_OR_DIGIT.search(said) or GROSS_AFTER.found(said) or UNIT_AFTER.found(said):
        return False
    return iso_code(said.strip(" .()")) is None and around in document.place(document.starts[piece]).ids


def _votes_below(place: Place, around: int) -> frozenset[str]:
    """Return what the names between a piece and the element around all of them say."""
    return votes_together(place.names[: len(_tags_below(place, around))])


def _tags_below(place: Place, around: int) -> tuple[str, ...]:
    """Return the tags between a piece and the element around all of them."""
    return place.tags[: place.ids.index(around)] if around in place.ids else place.tags


def _is_apart(place: Place, around: int) -> bool:
    """Say whether one of the elements between a piece and the one around all of them holds a number of its own."""
    return not _APART.isdisjoint(_tags_below(place, around)) or not _OTHER.isdisjoint(_votes_below(place, around))


def _made(amount: Amount, bits: _Bits) -> Amount | None:
    """Return the amount that pieces make, None where they can be read in more than one way."""
    if bits.is_unclear:
        return None
    shown = "".join(bits.shown)
    places = places_of(amount.currency)
    value: Decimal | None = None
    decimals = 0
    if _WITH_CENTS.fullmatch(shown) and _is_one_number(bits.shown):
        value, decimals = number(shown, places), 2
    elif len(bits.shown) == 2 and places != 0 and _is_price(*bits.shown):
        whole = number(bits.shown[0], places)
        value, decimals = (whole + Decimal(bits.shown[1]).scaleb(-2), 2) if whole is not None else (None, 0)
    elif len(shown) > 2 and bits.is_alike and all(len(bit) < 2 for bit in bits.shown) and _WHOLE.fullmatch(shown):
        value = number(shown, places)
    if value is None:
        return None
    start, end = min(amount.start, bits.start), max(amount.end, bits.end)
    return replace(amount, value=value, start=start, end=end, decimals=decimals)


def _is_one_number(shown: Sequence[str]) -> bool:
    """Say whether pieces before the point are one number: one piece, or single digits."""
    whole = [bit for bit in takewhile(lambda bit: not re.match("[.,]", bit), shown) if bit]
    return len(whole) < 2 or all(len(bit) == 1 for bit in whole)


def _is_price(whole: str, cents: str) -> bool:
    """Say whether two numbers are a price and its cents; twice the same may be said once more for who does not see."""
    return bool(_WHOLE.fullmatch(whole) and _CENTS.fullmatch(cents)) and whole != cents

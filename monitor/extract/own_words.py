"""Which of the words between two amounts belong to the first, and which to the second."""

import re

from monitor.extract.amounts import Amount
from monitor.extract.document import Document

BEFORE, AFTER = 60, 40  #: characters of text looked at around an amount
SHORTEST = 3  #: characters; a longer name is looked for before each amount

#: Words parted by markup from the amount before them and by none from the amount behind.
_NEXT_ONES = re.compile(r" ?\x1f[^\x1f\n]*[^\W\d_][^\x1f\n]*$")
_PIECE = re.compile(r"[^\x1f]+")
_LETTER = re.compile(r"[^\W\d_]")


def own_end(document: Document, one: Amount, two: Amount) -> int:
    """Return where the words end that stand in one element with the first of two amounts and without the second.

    As in `<b>38 € <i>for members</i></b> <b>44 €</b>`; where the first amount ends when there are none.
    """
    text = document.text
    if two.start - one.end > BEFORE or "\n" in text[one.end : two.start]:
        return one.end
    if not _LETTER.search(text, one.end, two.start):
        return one.end
    first, second = (document.place(digit_offset(text, amount)) for amount in (one, two))
    if first is second:
        return one.end
    apart, end = set(first.ids).difference(second.ids), one.end
    for piece in _PIECE.finditer(text, one.end, two.start):
        word = _LETTER.search(text, piece.start(), piece.end())
        if word and not apart.isdisjoint(document.place(word.start()).ids):
            end = piece.end()
    return end


def own_after(after: str, leads: bool) -> str:
    """Drop words that stand in one element with the next amount, as in `<b>12 €</b> <i>ex VAT 10 €</i>`."""
    return "" if leads and _NEXT_ONES.match(after) else after


def leads_on(text: str, amount: Amount, following: Amount | None) -> bool:
    """Say whether the words behind an amount announce the next one: both stand on one line.

    What an amount in brackets or one by measure follows belongs to the one before: `£2.75 with a card £6.88 / kg`.
    """
    return (
        following is not None
        and following.start <= amount.end + AFTER
        and "\n" not in (between := text[amount.end : following.start])
        and not between.rstrip().endswith("(")
        and not text[following.end : following.end + 3].lstrip(" \x1f").startswith("/")
    )


def own_words(between: str) -> str:
    """Drop the rest of the line that the amount before stands in: in `£80 ex VAT / £96` the words belong to £80."""
    end = between.find("\n")
    return between[end:] if end > 0 and between[:end].strip("\x1f ") else between


def digit_offset(text: str, amount: Amount) -> int:
    """Return where the first digit of an amount stands, its start where it has none."""
    for offset in range(amount.start, amount.end):
        if text[offset].isdigit():
            return offset
    return amount.start


def name_end(text: str, name: str, named: int, amount: Amount) -> int:
    """Return where the product's name ends before an amount: in the heading, or again directly before it.

    Args:
        text: the visible text.
        name: the product's, as it stands in the heading; it may hold words that call an amount something else.
        named: where it ends there.
        amount: the amount.
    """
    again = text.rfind(name, max(0, amount.start - BEFORE - len(name)), amount.start) if len(name) > SHORTEST else -1
    return again + len(name) if again >= 0 else named if named <= amount.start else 0

"""Which of two numbers a sign that stands between them belongs to.

`amounts.py` gives a sign in an element of its own to the number before it: `<b>12</b> <i>€</i>`. Where a number follows
the sign directly, as in `<a>12</a> <bdi><i>€</i>79</bdi>`, the elements tell.
"""

import re
from dataclasses import replace

from monitor.extract.amounts import Amount, leads, number, places_of
from monitor.extract.currency import iso_code, tenders
from monitor.extract.document import Document
from monitor.extract.names import votes_together
from monitor.extract.notation import AFTER, DIGIT, NUMBER

_GAP = re.compile(r"[^\S\n\x1f]?\x1f{0,2}[^\S\n\x1f]?")  # a space that does not break leaves an empty text
_ENDS = re.compile(r"[^\S\n\x1f]?(?:[\n\x1f]|$)")
_MAY_BE_CENTS = 2  #: digits


def own_sign(document: Document, amount: Amount) -> Amount | None:
    """Return the amount that the sign of a given one belongs to: itself or the number behind its sign.

    Joined with the cents behind its sign where these three are all that an element holds. None where it cannot be told:
    nothing holds the sign with either, or the number behind may be cents and nothing names it a price.
    """
    text = document.text
    start, end = amount.start, amount.end
    if amount.decimals > 1 or "\x1f" not in text[start:end] or text[start] not in DIGIT or text[end - 1] in DIGIT:
        return amount
    behind = _number_behind(text, end)
    value = number(behind.group(), places_of(amount.currency)) if behind else None
    if behind is None or value is None:
        return amount
    at = end - len(amount.sign or "")
    before, sign, after = (document.place(offset) for offset in (start, at, behind.start()))
    own = [n for n, i in zip(sign.names, sign.ids, strict=True) if i in after.ids and i not in before.ids]
    if not own and any(i in before.ids and i not in after.ids for i in sign.ids):
        return amount
    is_alone = not own and document.piece_at(at) != document.piece_at(behind.start())
    may_be_cents = len(behind.group()) == _MAY_BE_CENTS and not amount.decimals
    if is_alone and may_be_cents and _is_all(document, start, behind.end()):
        return replace(amount, value=amount.value + value.scaleb(-2), end=behind.end(), decimals=2)
    is_priced = "\x1f" in behind.group() or "price" in votes_together(tuple(own))
    if not is_priced and (may_be_cents or is_alone):
        return None
    places = value.as_tuple().exponent
    return replace(amount, value=value, start=at, end=behind.end(), decimals=-places if isinstance(places, int) else 0)


def _number_behind(text: str, end: int) -> re.Match[str] | None:
    """Return the number that stands alone behind a sign which ends at an offset, and has none of its own behind it."""
    gap = _GAP.match(text, end)
    behind = NUMBER.match(text, gap.end()) if gap else None
    return behind if behind and _ENDS.match(text, behind.end()) and not _is_signed(text, behind) else None


def _is_signed(text: str, found: re.Match[str]) -> bool:
    """Say whether a number has a sign or a code of its own behind it."""
    after = AFTER.match(text, found.end())
    if after is None or leads(text, found, after):
        return False
    return after.group(1) is not None or iso_code(after.group(2)) in tenders()


def _is_all(document: Document, start: int, end: int) -> bool:
    """Say whether the texts between two offsets are all that an element holds, the nearest around both ends."""
    first, last = document.piece_at(start), document.piece_at(end - 1)
    outer = document.place(end - 1).ids
    nearest = next((i for i in document.place(start).ids if i in outer), None)
    if nearest is None or document.starts[first] + 1 != start or document.piece(last)[-1:] != document.text[end - 1]:
        return False
    beside = (n for n in (first - 1, last + 1) if 0 <= n < len(document.starts))
    return not any(nearest in document.place(document.starts[n]).ids for n in beside)

"""Which of two numbers a sign that stands between them belongs to.

`amounts.py` gives a sign in an element of its own to the number before it: `<b>12</b> <i>€</i>`. Where a number follows
the sign directly, as in `<a>12</a> <bdi><i>€</i>79</bdi>`, the elements tell.
"""

import re
from dataclasses import replace

from monitor.extract.amounts import Amount, number, places_of
from monitor.extract.document import Document
from monitor.extract.names import votes_together
from monitor.extract.notation import DIGIT

#: A number alone behind a sign, in the same element or the next one.
_BEHIND = re.compile(
    r"[^\S\n\x1f]?\x1f?[^\S\n\x1f]?([0-9]{1,3}(?:[.,'’\s][0-9]{3})*|[0-9]{4,7})[^\S\n\x1f]?(?=[\n\x1f]|$)"
)
_MAY_BE_CENTS = 2  #: digits


def own_sign(document: Document, amount: Amount) -> Amount | None:
    """Return the amount that the sign of a given one belongs to: itself or the number behind its sign.

    None where that cannot be told: the number behind has two digits, which may be cents, and nothing names it a price.
    """
    text = document.text
    start, end = amount.start, amount.end
    if amount.decimals > 1 or "\x1f" not in text[start:end] or text[end - 1] in DIGIT:
        return amount
    behind = _BEHIND.match(text, end)
    value = number(behind.group(1), places_of(amount.currency)) if behind else None
    if behind is None or value is None:
        return amount
    before, sign, after = (document.place(at) for at in (start, end - 1, behind.start(1)))
    own = [n for n, i in zip(sign.names, sign.ids, strict=True) if i in after.ids and i not in before.ids]
    if not own:
        return amount
    if len(behind.group(1)) == _MAY_BE_CENTS and "price" not in votes_together(tuple(own)):
        return None
    at = end - len(amount.sign or "")
    return replace(amount, value=value, start=at, end=behind.end(1), decimals=0)

"""Read one price string, as a recipe, a form or a feed hands it over."""

import re
from decimal import Decimal

from monitor.extract.amounts import Amount, amounts, number, places_of, visible_characters
from monitor.extract.currency import meaning_of

MAX_TEXT = 2000  #: characters looked at

_DATE = re.compile(r"\b[0-9]{1,4}[./-][0-9]{1,2}[./-][0-9]{2,4}\b")
_PAIR = re.compile(r"[0-9]{1,2}-[0-9]{2}")
_NEGATIVE = re.compile(r"\s*[-−]\s?[^\w\s]?\s?[0-9](?![0-9]?\s?%)")
_NOW = re.compile(r"\b(?:now|jetzt|ahora|maintenant|nur|only|agora|ora)\b[\s:]*$", re.IGNORECASE)
_MINIMUM = re.compile(r"(?:мин\.?\s*заказ|min(?:imum)?\.?\s*order)\s*:?\s*$", re.IGNORECASE)
_LETTER_SIGN = re.compile(r"[^\W\d_]{1,4}\.?$|\$|€|£|¥")


def read_price(text: str, hint: str | None = None) -> tuple[Decimal | None, str | None]:
    """Return amount and ISO 4217 currency of a price string; each is None when the text does not tell.

    Args:
        text: as shown to a shopper.
        hint: a code, a sign or a sentence that may name the currency. The text's own sign wins.

    A sign that several currencies share gives no currency. Never raises.
    """
    shown = visible_characters(str(text or "")[:MAX_TEXT])
    hinted = _currency_in(hint)
    found = _chosen(shown)
    if found is None:
        return None, _currency_in(shown) or hinted
    value = found.value
    if found.sign is None and hinted and places_of(hinted) == 3:
        value = number(shown[found.start : found.end], 3) or value
    return value, found.currency or (None if found.sign and not hinted else hinted)


def _chosen(shown: str) -> Amount | None:
    if _PAIR.fullmatch(shown.strip()) or _NEGATIVE.match(shown):
        return None
    shown = _DATE.sub(lambda found: "x" * len(found.group()), shown)
    every = [a for a in amounts(shown) if not _MINIMUM.search(shown[: a.start])]
    signed = [a for a in every if a.sign]
    now = [a for a in signed if _NOW.search(shown[: a.start])]
    return next(iter([*now, *signed, *every]), None)


def _currency_in(hint: str | None) -> str | None:
    """Return the one currency a hint names, as a code, as a sign, or beside an amount in it."""
    if not hint:
        return None
    text = visible_characters(hint[:MAX_TEXT])
    whole = meaning_of(text.strip())
    if whole:
        return whole
    return next((a.currency for a in amounts(text) if a.currency), None) or _sign_in(text)


def _sign_in(text: str) -> str | None:
    for word in re.findall(r"[^\s\d]+", text)[:40]:
        code = meaning_of(word) if _LETTER_SIGN.search(word) and len(word) <= 6 else None
        if code and (not word.isalpha() or word.isupper() or len(word) > 3):
            return code
    return None

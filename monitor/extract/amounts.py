"""Read amounts of money out of text in any notation, with where they stood.

Separators: with two kinds the last is the decimal one; one separator before exactly three digits groups
thousands (129.900, 73,460) unless the whole part is zero or the currency has three decimals (TND, KWD);
dates, versions and telephone numbers are not amounts. Full-width and Arabic digits are read, invisible
characters (zero width, bidi controls) are dropped first. Bounded: at most MAX_AMOUNTS per text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from functools import lru_cache

from monitor.domain.money import digits
from monitor.extract.currency import iso_code, meaning_of, tenders
from monitor.extract.notation import (
    AFTER,
    BEFORE,
    BEYOND_WORDS,
    CENTS_AFTER_SIGN,
    CENTS_IN_WORDS,
    CENTS_ONLY,
    DASH,
    DECIMALS,
    DIGIT,
    DIGITS,
    ENDS,
    ENDS_OF_WORDS,
    EXPONENT,
    GAPS,
    GROUPING,
    LAST_RUNS,
    LEADING,
    LONE_MARK,
    MONEY_LIKE,
    NEVER_BEFORE,
    NUMBER,
    OWN_NUMBER,
    PENCE_BEHIND,
    POINT_MARKS,
    POINTS,
    RANGE,
    SPACES,
    TWO_DECIMALS,
)
from monitor.extract.signs import NAMELIKE, PENCE, WORDLIKE

MAX_AMOUNTS = 3000  #: per text; a page with more is a listing whatever else it is
MAX_DIGITS = 14  #: longer digit strings are identifiers

_RARE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u00ad０-９٠-٩۰-۹．，￥＄٫٬]+")
_TABLE: dict[int, str | None] = {
    **dict.fromkeys([*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x206A), 0xFEFF, 0xAD]),
    **{base + value: str(value) for base in (0xFF10, 0x660, 0x6F0) for value in range(10)},
    ord("．"): ".",
    ord("，"): ",",
    ord("￥"): "¥",
    ord("＄"): "$",
    ord("٫"): ".",
    ord("٬"): ",",
}


@dataclass(frozen=True, slots=True)
class Amount:
    """One number that may be money, and where it stood in the text."""

    value: Decimal
    sign: str | None  #: the currency as written
    currency: str | None  #: ISO code when the sign has one meaning
    start: int  #: of number and sign together
    end: int
    decimals: int


def holds_rare_characters(text: str) -> bool:
    """Say whether `visible_characters` would change anything."""
    return not text.isascii() and _RARE.search(text) is not None


def visible_characters(text: str) -> str:
    """Drop what a reader cannot see and turn full-width and Arabic digits into plain ones."""
    return _RARE.sub(_as_seen, text) if holds_rare_characters(text) else text


def _as_seen(rare: re.Match[str]) -> str:
    return rare.group().translate(_TABLE)


def number(text: str, places: int | None = None) -> Decimal | None:
    """Return the value of one number as written, or None when it is no amount.

    Args:
        text: digits with separators, nothing else.
        places: decimal places of the currency when known; 3 makes "579,000" mean 579.

    >>> number("1.299,00"), number("129.900"), number("0,500"), number("15.08.2017")
    (Decimal('1299.00'), Decimal('129900'), Decimal('0.500'), None)
    """
    if text.isdecimal() and len(text) <= MAX_DIGITS:
        return Decimal(text)
    plain = GROUPING.sub("", text)
    spaced = len(plain) < len(text.replace("\x1f", "").strip())  # by marks that group; elements part anything
    if len(plain) > MAX_DIGITS and "." not in plain:
        return None
    marks = POINTS.findall(plain)
    if not marks:
        return _decimal(plain, None)
    last = marks[-1]
    if len(set(marks)) == 2:
        return _decimal(plain, last) if marks.count(last) == 1 else None
    whole, *groups = plain.split(last)
    if len(groups) > 1:
        fits = all(len(g) == 3 for g in groups) or (len(groups[-1]) == 3 and all(len(g) == 2 for g in groups[:-1]))
        return _decimal(plain.replace(last, ""), None) if fits and whole else None
    grouping = len(groups[0]) == 3 and not spaced and 1 <= len(whole) <= 3 and whole.strip("0") != "" and places != 3
    return _decimal(plain.replace(last, ""), None) if grouping else _decimal(plain, last)


def _decimal(plain: str, point: str | None) -> Decimal | None:
    if point:
        whole, _, fraction = plain.rpartition(point)
        plain = f"{re.sub('[.,]', '', whole) or '0'}.{fraction}"
    try:
        return Decimal(plain)
    except InvalidOperation:
        return None


@lru_cache(maxsize=64)
def places_of(code: str | None) -> int | None:
    """Return the decimal places of a currency, None for none."""
    return digits(code) if code else None


def _code(text: str | None, after_decimals: bool) -> str | None:
    code = iso_code(text) if text and text.isupper() else None
    if code not in tenders():  # `5/1 ARM` is a kind of loan, and was money until 1970
        return None
    return None if code in WORDLIKE and not after_decimals else code


def _may_be_led(text: str, low: int, start: int) -> bool:
    """Say whether a sign or code may stand between `low` and a number at `start`; cheap, never wrong with a no."""
    near = text[max(low, start - 12) : start].rstrip()
    if near[-1:] == ":":
        near = near.rstrip(GAPS)
    last = near[-1:]
    if not last.isalpha():
        return last in ENDS and (last not in ENDS_OF_WORDS or near[-2:] in ENDS_OF_WORDS[last])
    word = near.split()[-1]
    if word.isalpha() and last < BEYOND_WORDS:
        return word.lower() in LAST_RUNS or (len(word) == 3 and word.isupper())
    return last.lower() in ENDS or word[-3:].isupper()


def _sign_before(text: str, low: int, start: int, end: int) -> tuple[str, str | None, int, int] | None:
    lone = LONE_MARK.search(text, max(low, start - 5), start)
    if lone:  # the usual case, without the long patterns
        sign = lone.group(1)
        code = meaning_of(sign)
        trailing = AFTER.match(text, end, end + 8) if code is None else None
        behind = _code(trailing.group(2), True) if trailing else None
        if behind and trailing:
            return sign, behind, lone.start(1), trailing.end()
        return sign, code, lone.start(1), end
    before = BEFORE.search(text[low:start])
    if before is None:
        return None
    codes = [_code(before.group(i), False) for i in (1, 3, 4)]
    code = next((c for c in codes if c), None)
    sign_before = before.group(2)
    trailing = AFTER.match(text, end, end + 8)
    if not code and sign_before and meaning_of(sign_before) is None and trailing and trailing.group(2):
        code = _code(trailing.group(2), True)
        end = trailing.end() if code else end
    if sign_before in ("fr.", "Fr.") and trailing:  # "fr. 219 kr" is from, "Fr. 219" francs
        return None
    written = sign_before or code
    if not written or (written in ("r", "R") and _is_of_a_word(text, low + before.start(2), start)):
        return None
    is_bare = sign_before and (before.group(1) is None or codes[0] is None)  # "inc VAT £5", "RRP £5"
    first = before.start(2) if is_bare else before.start()
    return written, code or meaning_of(written), low + first, end


def _is_of_a_word(text: str, start: int, end: int) -> bool:
    """Say whether a letter before a number ends a word, as in `FW100-R`, or stands on another line."""
    return text[max(0, start - 1) : start] in ("-", "/", ".") or "\n" in text[start:end]


def _sign_around(text: str, found: re.Match[str], used: int, *, led: bool) -> tuple[str | None, str | None, int, int]:
    """Return (sign as written, ISO code or None, start, end) for the number at `found`; `led` by a sign, perhaps."""
    start, end = found.span()
    low = max(used, start - 10)
    before = _sign_before(text, low, start, end) if led else None
    if before:
        dash = DASH.match(text, end) if before[3] == end and text[end : end + 1] in POINT_MARKS else None
        return (*before[:3], dash.end()) if dash else before
    attached = start > 0 and text[start - 1].isalpha() and text[start - 1] < BEYOND_WORDS
    after = AFTER.match(text, end, end + 14) if not attached else None
    if after and (after.group(1) in ("r", "R") or leads(text, found, after)):
        after = None  # "55 R16", "AE-1 US $149.00": the sign belongs to the number behind it
    if after:
        code = _code(after.group(3), True) or _code(after.group(2), bool(TWO_DECIMALS.search(found.group())))
        sign = after.group(1)
        if sign or code:
            stop = after.end() if after.group(3) is None or code else after.end(1) if sign else after.end(2)
            return sign or code, code or meaning_of(sign), start, stop
    if text[end : end + 1] == PENCE and end - start <= 2 and not attached and PENCE_BEHIND.match(text, end):
        return PENCE, None, start, end + 1
    dash = DASH.match(text, end) if not attached and text[end : end + 1] in POINT_MARKS else None
    return (",-", None, start, dash.end()) if dash else (None, None, start, end)


def leads(text: str, found: re.Match[str], after: re.Match[str]) -> bool:
    """Say whether the sign behind a number is that of another one, which follows it."""
    end, first = found.end(), after.start(1) if after.group(1) else after.start(2)
    if first > end and LEADING.match(text, first):
        return True
    if text[end:first].strip(SPACES) != "\x1f" or TWO_DECIMALS.search(found.group()) or after.group(1) in NEVER_BEFORE:
        return False
    return OWN_NUMBER.match(text, after.end(1) if after.group(1) else after.end(2)) is not None


def amounts(
    text: str, *, bare: frozenset[str] | None = None, low: int = 0, high: int | None = None
) -> Iterator[Amount]:
    """Yield the amounts in `text` from left to right.

    The low end of a range shares the sign that stands behind the high end.

    Args:
        text: already through `visible_characters`.
        bare: numbers that are kept without a currency beside them, as written; None keeps all of them. Those
            with two decimals are always kept.
        low: offset at which to begin.
        high: offset before which the last amount begins; the end of the text when None.
    """
    bound: Amount | None = None
    for count, amount in enumerate(_numbers(text, bare, low, len(text) if high is None else high)):
        if count > MAX_AMOUNTS:
            return
        if bound:
            shared = amount.sign and bound.end <= amount.start and RANGE.fullmatch(text, bound.end, amount.start)
            if shared:
                bound = replace(bound, sign=amount.sign, currency=amount.currency)
            yield bound
            bound = None
        if amount.sign is None:
            bound = amount
        else:
            yield amount
    if bound:
        yield bound


def _numbers(text: str, bare: frozenset[str] | None, low: int, high: int) -> Iterator[Amount]:
    used = low
    for found in _written(text, low, high):
        led = _may_be_led(text, low, found.start())
        if not led and found.lastindex is None and bare is not None and _is_plain(found.group(), bare):
            continue
        if found.end() - found.start() > 40 or found.start() < used:
            continue
        exponent = EXPONENT.match(text, found.end()) if text[found.end() : found.end() + 1] in ("e", "E") else None
        if exponent:
            used = exponent.end()
            continue
        sign, code, start, end = _sign_around(text, found, used, led=led)
        if sign and sign.lower() in NAMELIKE and not DECIMALS.search(found.group()):
            sign, code, (start, end) = None, None, found.span()
        if sign is None and bare is not None and not _is_kept(text, found, bare):
            continue
        value = number(found.group(), places_of(code))
        if value is None:
            continue
        value = value.scaleb(-2) if sign == PENCE else value
        if sign and end > found.end() and not TWO_DECIMALS.search(found.group()):
            value, end = _with_cents(text, value, found.end(), end)
        used = end
        places = value.as_tuple().exponent
        yield Amount(value, sign, code, start, end, -places if isinstance(places, int) else 0)


def _written(text: str, low: int, high: int) -> Iterator[re.Match[str]]:
    """Yield numbers as written, whole ones: not the rest of a longer string of digits."""
    after = low
    found = NUMBER.search(text, low, high)
    while found:
        start = found.start()
        before = text[start - 1 : start]
        cents = CENTS_ONLY.match(text, start - 1) if start > after and before in POINT_MARKS[:2] else None
        if cents or before not in DIGIT:
            yield cents or found
            after = (cents or found).end()
        else:
            rest = DIGITS.match(text, start)
            after = rest.end() if rest else found.end()
        found = NUMBER.search(text, after, high)


def _is_plain(shown: str, bare: frozenset[str]) -> bool:
    """Say whether a number with nothing of money around it is not even written like an amount."""
    return shown not in bare and (shown.isdigit() or not MONEY_LIKE.search(shown))


def _is_kept(text: str, found: re.Match[str], bare: frozenset[str]) -> bool:
    """Say whether a number without a sign may be money: two decimals, a wanted number, the low end of a range."""
    shown = found.group()
    if shown in bare or (not shown.isdigit() and MONEY_LIKE.search(shown)):
        return True
    return RANGE.match(text, found.end()) is not None


def _with_cents(text: str, value: Decimal, number_end: int, end: int) -> tuple[Decimal, int]:
    """Join the cents that stand behind the sign: 35€99, 45.319,€90."""
    told = CENTS_IN_WORDS.match(text, end, end + 24) if text[end : end + 1] in GAPS else None
    if told and value == value.to_integral_value():
        return value + Decimal(told.group(1) or told.group(2)).scaleb(-2), told.end()
    if text[end : end + 1] == "\x1f" and text[number_end : number_end + 1].isspace():
        return value, end  # `<b>79 €</b> <i>12</i>`: the elements tell, if anything
    cents = CENTS_AFTER_SIGN.match(text, end, end + 8)
    sign = text[number_end:end].strip(" ,.\u00a0")
    is_behind = sign in ("€", "£") or (text[number_end:end] == "$" and text[end : end + 1].isdigit())
    if not cents or value != value.to_integral_value() or not is_behind:
        return value, end
    return value + Decimal(cents.group(1)).scaleb(-2), cents.end()

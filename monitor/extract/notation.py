"""How shops write numbers and currencies: the patterns that `amounts.py` reads with."""

import re
from collections.abc import Iterable

from monitor.extract.signs import BEHIND, CAPITALS, ONE_MEANING

SPACES = " \u00a0\u2009\u202f"
#: Each way of writing a number begins with one digit, outside of any group: that is what makes searching for it fast.
_WRITTEN = (
    rf"[0-9](?:[0-9]{{0,2}}(?:[{SPACES}][0-9]{{3}})+(?![0-9])|[0-9]{{0,2}}(?:,[0-9]{{2}})+,[0-9]{{3}}(?![0-9])"
    r"|[0-9]{0,2}(?:\x1f[.,]\x1f[0-9]{3}(?![0-9]))+|[0-9]{0,2}(?:['’´`][0-9]{3})+(?![0-9])"
    r"|[0-9]{0,2}(?:[.,][0-9]{3})+(?![0-9])|[0-9]*)"
    r"(?:[.,][0-9]+(?:[.,][0-9]+)*|[.,][ \x1f]{1,2}[0-9]{2}(?![0-9.,])|[\x1f\n][.,][ \x1f]?[0-9]{2}(?![0-9.,])"
    r"| [.,] [0-9]{2}(?![0-9.,]))?"
)
DIGITS = re.compile("[0-9]+")
DIGIT = frozenset("0123456789")
CENTS_ONLY = re.compile(r"(?<![0-9.,\w])[.,][0-9]{2}(?![0-9.,])")
_GAP = r"[\s\x1f:]{0,5}"


def _any_of(signs: Iterable[str]) -> str:
    """Return a pattern that tries the longest sign first, and only those with the letter that is there."""
    rests: dict[str, list[str]] = {}
    for sign in sorted(signs, key=lambda one: len(re.escape(one)), reverse=True):
        rests.setdefault(sign[0], []).append(re.escape(sign[1:]))
    groups = "|".join(f"{re.escape(first)}(?:{'|'.join(each)})" for first, each in rests.items())
    return f"(?=[{re.escape(''.join(rests))}])(?:{groups})"


_LETTERS = _any_of(s for s in ONE_MEANING if s[0].isalpha() and s not in CAPITALS and s not in BEHIND)
_CAPITALS = _any_of(sign.upper() for sign in CAPITALS)
_MARKS = _any_of(s for s in ONE_MEANING if not s[0].isalpha())
_SIGN = rf"(?:{_MARKS}|(?<![^\W_])(?:(?i:{_LETTERS})|{_CAPITALS})(?![^\W\d_]))"
_CODE = r"(?:(?<![^\W_])[A-Z]{3}(?![^\W\d_]))"
#: Signs of letters that are written against the number: 29,000원, 499zł, 1200Kč. `6ft` is a length, `4249Ft` money.
_WRITTEN_AGAINST = (
    "원", "円", "元", "zł", "kč", "kr", "руб", "р", "грн", "лв", "тг", "тенге", "eur", "euro", "lei", "tl", "chf",
    "đ", "vnđ", "vnd", "ден", "дин", "din", "сом", "сум", "บาท", "dh", "dhs", "fcfa",
)  # fmt: skip
_ATTACHED = rf"(?:(?i:{_any_of(_WRITTEN_AGAINST)})|Ft|KM|DA)(?![^\W\d_])\.?"
#: Signs that are never written before a number.
NEVER_BEFORE = ("руб", "р", "грн", "円", "원", "元", "zł", "Kč", "лв", "тг")
#: A sign alone on the line below its number, as `870<br>руб`; only those that are never written before one.
_BELOW = rf"\n(?=(?:{'|'.join(NEVER_BEFORE)}|€(?![\n\x1f][0-9][0-9.,]*(?:[\n\x1f]|$)))\.?(?:[\n\x1f]|$))"
_CODE_AFTER = r"(?:(?<![^\W\d_])[A-Z]{3}(?![^\W\d_]))"
BEFORE = re.compile(rf"(?:({_CODE})?{_GAP}({_SIGN})|({_CODE}))\s?({_CODE})?{_GAP}$")
#: Spaces are never given back (`+`): no sign begins with one.
AFTER = re.compile(
    rf"(?:,?\.?[-–—]{{1,2}}|,(?=[€£]))?(?:[^\S\n]{{0,3}}+\x1f?+[^\S\n]{{0,2}}+|{_BELOW})(?:({_SIGN}|{_ATTACHED})|({_CODE_AFTER}))(?:\s?({_CODE}))?"
)
#: What signs end with.
ENDS = frozenset(letter for sign in ONE_MEANING for letter in (sign[-1], sign[-1].upper()))
#: What stands before the marks of punctuation that signs end with, with those: `r.` and `s/`.
ENDS_OF_WORDS = {
    mark: frozenset(pair for sign in ONE_MEANING if sign[-1] == mark for pair in (sign[-2:], sign[-2:].upper()))
    for mark in "./"
}
#: The first letter of scripts that write words without a space between: before it, a sign of letters is a word.
BEYOND_WORDS = "\u0500"
#: The letters at the end of signs.
LAST_RUNS = frozenset(found.group() for sign in ONE_MEANING if (found := re.search(r"[^\W\d_]*$", sign)))
#: What may stand between a sign and its number.
GAPS = "".join(c for c in map(chr, range(0x3001)) if c.isspace()) + ":"
_UNGROUPED_AFTER = re.sub(r"\((?![?])", "(?:", AFTER.pattern)
#: Pence written against the number: 95p. `1080p` is a picture, `5px` a size.
PENCE_BEHIND = re.compile(r"p(?![^\W_])")
#: "1 399,-": whole crowns, francs or euros without a sign; the page's country says which.
DASHES = ("-", "–", "—")
DASH = re.compile(r"\x1f?[,.:]\x1f?[-–—]{1,2}(?![\w])")
RANGE = re.compile(r"[\s\x1f]{0,4}+(?:[-–—]|to|bis|do|à|a)[\s\x1f]{0,4}+")
#: Cents behind the sign, with no word of their own behind them; `220 € 12 bids` has none.
CENTS_AFTER_SIGN = re.compile(r"(?:[ \xa0\x1f](?![0-9]{2}[ \xa0]?[^\W\d_]))?([0-9]{2})(?![0-9.,%]|[^\S\n]?[€£])")
#: Cents told in words: 34 euro en 95 cent, 38 руб. 90 коп.
CENTS_IN_WORDS = re.compile(
    r" (?:en|und|et|y|e|and|og|och) ([0-9]{1,2}) (?:euro)?(?:cent|cts)"
    r"|[ \xa0\x1f]{1,2}([0-9]{1,2})[ \xa0\x1f]?(?:коп|ст\.)",
    re.IGNORECASE,
)
#: One mark directly before a number, with nothing before the mark that could belong to it.
LONE_MARK = re.compile(r"(?<![^\W_])(?<![^\W\d_][\s\x1f])(?<![$€£¥/])([$€£¥₹₽])[ \xa0\x1f]?$")
#: A sign that is written before its number, and that number.
LEADING = re.compile(r"(?i:[a-z]{0,3} ?[$£₹])[ \xa0]?[0-9]")
_PRICED = rf"[0-9]{{1,3}}(?:[.,'’{SPACES}]?[0-9]{{3}})*[.,][0-9]{{2}}(?![0-9%])"
_SIGNED = rf"(?:{_SIGN}|{_ATTACHED})(?![{SPACES}]?[0-9])"  # by a sign that is not the next number's
_LINE_ENDS = r"\*?(?:[\n\x1f]|$)"
#: A number whose sign stands before it in another element than the number before that: `<b>42</b> <i>€ 79</i>`.
#: Behind `<b>89</b>` the digits of `<i>€90</i>` are cents, and those of `<i>€</i><i>99</i>` may be.
OWN_NUMBER = re.compile(
    rf"(?:\.?[{SPACES}]|(?![0-9]{{2}}(?![0-9.,'’{SPACES}])))[0-9]{{1,3}}(?:[.,'’{SPACES}]?[0-9]{{3}})*(?:[.,][0-9]{{1,2}})?{_LINE_ENDS}"
    rf"|\.?[{SPACES}]?{_PRICED}(?![{SPACES}]?[^\W\d_]{{1,3}}(?![^\W_])|[{SPACES}\x1f]{{0,2}}{_SIGNED})"
    rf"|\x1f?[0-9]{{1,3}}\x1f[.,]?[0-9]{{2}}{_LINE_ENDS}"
    rf"|\.?\x1f{{1,2}}{_PRICED}(?={_LINE_ENDS})(?![{SPACES}\x1f*]{{0,3}}{_SIGNED})"
)
EXPONENT = re.compile(r"[eE][+-]?[0-9]+")
#: A number, and an empty group where what stands behind it may be a sign, cents or the other end of a range.
NUMBER = re.compile(
    rf"{_WRITTEN}(?:(?={_UNGROUPED_AFTER}|p(?![^\W_])|\x1f?[,.:]\x1f?[-–—]|[eE][+-]?[0-9]|{RANGE.pattern}[^0-9]{{0,12}}[0-9])()|)"
)
POINT_MARKS = (",", ".", ":", "\x1f")
POINTS = re.compile("[.,]")
DECIMALS = re.compile(r"[.,][0-9]{2,3}$")
TWO_DECIMALS = re.compile(r"[.,][0-9]{2}$")
GROUPING = re.compile(rf"['’´`\x1f\n{SPACES}]")
MONEY_LIKE = re.compile(r"[.,][ \x1f]{0,2}[0-9]{2}$")

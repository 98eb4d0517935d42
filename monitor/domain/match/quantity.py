"""How much of it a title says there is: size, packs and pieces, in many languages.

`12 x 330 ml` is 12 packs of 330 ml, `6er-Pack` is 6 packs, `60 Kapseln` are 60 pieces in one. A number counts only
with its unit, so `501`, `WD-40` and `7UP` stay words. Ranges (`3-5 lb`) and dimensions (`10 x 15 cm`) say nothing
about how much is sold. An `oz` can be of weight or of volume, so both readings are kept.

Sizes are exact fractions of one unit per kind: g, ml, mm, MB, W and so on.
Factors: 1 fl oz = 29.5735295625 ml, 1 oz = 28.349523125 g, 1 lb = 453.59237 g (NIST Handbook 44, appendix C).
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from monitor.domain.match.units import BONUS, PACK_AFTER, PACK_BEFORE, PACK_WORDS, PIECES, UNITS, Unit

_NUMBER = r"\d+(?:[.,]\d+)?|\d+\s?/\s?\d+|[½¼¾⅓⅔]|\d+\s?[½¼¾⅓⅔]"
_TIMES = r"[x×*хХ✕]"
_FRACTIONS = {"½": Fraction(1, 2), "¼": Fraction(1, 4), "¾": Fraction(3, 4), "⅓": Fraction(1, 3), "⅔": Fraction(2, 3)}


def _words(words: Iterable[str]) -> str:
    return "|".join(sorted((re.escape(word) for word in words), key=len, reverse=True))


_UNIT = rf"(?:{_words(UNITS)})\.?(?![^\W\d_])"
_RANGE = re.compile(
    rf"(?<![\w.,])(?P<low>\d+(?:[.,]\d+)?)\s?[-–—]\s?(?P<high>\d+(?:[.,]\d+)?)\s?(?:{_UNIT})", re.IGNORECASE
)
_IN_ONE = re.compile(r"\b\d\s?(?:-|\s)?(?:in|en|em|в|w|v)\s?-?\s?(?:1|one|uno|un)\b", re.IGNORECASE)
_DIMENSION = re.compile(
    rf"(?<![\w.,])(?:{_NUMBER})\s?(?:cm|mm|in|inch|\"|'|ft)?\s?{_TIMES}\s?(?:{_NUMBER})\s?(?:cm|mm|in|inch|inches|\"|zoll|ft|см|мм)"
    rf"(?![^\W\d_])|(?<![\w.,])(?:{_NUMBER})\s?{_TIMES}\s?(?:{_NUMBER})\s?{_TIMES}\s?(?:{_NUMBER})(?:\s?(?:{_UNIT}))?",
    re.IGNORECASE,
)
_PACKS_THEN_SIZE = re.compile(
    rf"(?<![\w.,])(?P<packs>\d{{1,3}})\s?(?:{_TIMES}|(?:{_words(PACK_AFTER)})\s+(?:of|à|a|de|da|mit|van)?\s?)\s?"
    rf"(?P<number>{_NUMBER})\s?-?(?P<unit>{_UNIT})",
    re.IGNORECASE,
)
_SIZE_THEN_PACKS = re.compile(
    rf"(?<![\w.,])(?P<number>{_NUMBER})\s?-?(?P<unit>{_UNIT})\s?\(?\s?{_TIMES}\s?(?P<packs>\d{{1,3}})\b(?!\s?(?:{_UNIT}))",
    re.IGNORECASE,
)
_SIZE = re.compile(rf"(?<![\w.,/])(?P<number>{_NUMBER})[\s-]?(?P<unit>{_UNIT})", re.IGNORECASE)
_PACKS_OF_PACKS = re.compile(
    rf"(?<![\w.,])(?P<outer>1?\d|2[0-4])\s?-?\s?(?:{_words(PACK_AFTER)})\s?(?:of|de|da|mit|van)\s?(?P<packs>\d{{1,3}})\b",
    re.IGNORECASE,
)
_PACK_OF = re.compile(rf"\b(?:{_words(PACK_BEFORE)})\s?(?P<packs>\d{{1,3}})\b", re.IGNORECASE)
_PACKS = re.compile(rf"(?<![\w.,])(?P<packs>\d{{1,3}})\s?-?\s?(?:{_words(PACK_AFTER)})\.?(?![^\W\d_])", re.IGNORECASE)
_PIECES = re.compile(rf"(?<![\w.,])(?P<pieces>\d{{1,4}})\s?-?\s?(?:{_words(PIECES)})\.?(?![^\W\d_])", re.IGNORECASE)
_BEFORE = re.compile(
    rf"^\s*(?P<packs>\d{{1,3}})\s?{_TIMES}\s(?=[^\W\d_])|(?<![\w.,])(?:{_TIMES})\s?(?P<after>\d{{1,3}})\s*\)?\s*$",
    re.IGNORECASE,
)
_NAMED = re.compile(rf"\b(?P<word>{_words(PACK_WORDS)})\b", re.IGNORECASE)
_FREE = re.compile(rf"\+\s?(?P<percent>\d{{1,3}})\s?%\s?(?:{_words(BONUS)})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Size:
    """An amount of one kind, and whether its unit is of the US system: those are rounded when shown in metric."""

    kind: str
    amount: Fraction
    is_us: bool = False
    is_either: bool = False  #: an ounce that can be of weight or of volume; the amount is in ounces


@dataclass(frozen=True, slots=True)
class Quantity:
    """Everything a title says about how much there is."""

    sizes: frozenset[Size] = frozenset()
    packs: int | None = None  #: identical units sold together; None when nothing is said
    pieces: frozenset[int] = frozenset()  #: things inside one unit
    dimensions: frozenset[str] = frozenset()  #: width by height and so on
    rest: str = field(default="", compare=False)  #: the title without all this

    @property
    def pack_count(self) -> int:
        """Packs, one when nothing is said."""
        return self.packs or 1


@dataclass
class _Scan:
    """A title while quantities are cut out of it."""

    text: str
    sizes: set[Size] = field(default_factory=set)
    packs: list[int] = field(default_factory=list)
    pieces: set[int] = field(default_factory=set)

    def cut(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """Yield every place where the pattern stands and take it out of the text."""
        found = list(pattern.finditer(self.text))
        yield from found
        for match in reversed(found):
            self.text = f"{self.text[: match.start()]} ¦ {self.text[match.end() :]}"


def read_quantity(title: str) -> Quantity:
    """Return what a title says about how much there is."""
    if not any(letter.isdigit() or letter in _FRACTIONS for letter in title) and not _NAMED.search(title):
        return Quantity(rest=title)
    scan = _Scan(title.replace("\u00a0", " "))
    free = [Fraction(100 + int(match["percent"]), 100) for match in scan.cut(_FREE)]
    list(scan.cut(_IN_ONE))
    _cut_ranges(scan)
    for pattern in (_PACKS_THEN_SIZE, _SIZE_THEN_PACKS):
        for match in scan.cut(pattern) if pattern is _SIZE_THEN_PACKS else _packs_of_size(scan):
            scan.packs.append(int(match["packs"]))
            scan.sizes |= _size(match)
    dimensions = frozenset(_dimension(match.group()) for match in scan.cut(_DIMENSION))
    for sizes in _joined(list(scan.cut(_SIZE))):
        scan.sizes |= sizes
    for match in scan.cut(_PACKS_OF_PACKS):
        scan.packs.append(int(match["outer"]) * int(match["packs"]))
    scan.packs += [int(match["packs"]) for pattern in (_PACK_OF, _PACKS) for match in scan.cut(pattern)]
    scan.pieces |= {int(match["pieces"]) for match in scan.cut(_PIECES)}
    scan.packs += [int(match["packs"] or match["after"]) for match in scan.cut(_BEFORE)]
    scan.packs += [PACK_WORDS[match["word"].casefold()] for match in scan.cut(_NAMED)]
    grown = {
        Size(each.kind, each.amount * free[0], each.is_us, each.is_either) if free else each for each in scan.sizes
    }
    rest = scan.text.replace("¦", " ")
    return Quantity(frozenset(grown), _product(scan.packs), frozenset(scan.pieces), dimensions, rest)


def _cut_ranges(scan: _Scan) -> None:
    """Cut out `3-5 lb`, which says for whom and not how much; in `Varedo 47 - 230 mm` the numbers are too far apart."""
    for match in reversed(list(_RANGE.finditer(scan.text))):
        low, high = (_amount(match[side], "") for side in ("low", "high"))
        if low < high <= 4 * low:
            scan.text = f"{scan.text[: match.start()]} ¦ {scan.text[match.end() :]}"


def _dimension(text: str) -> str:
    """Return a dimension in one spelling: `10 x 15 cm` and `10×15cm` are the same."""
    return re.sub(_TIMES, "x", re.sub(r"\s+", "", text.casefold())).replace(",", ".")


def _packs_of_size(scan: _Scan) -> list[re.Match[str]]:
    """Cut out `12 x 330 ml`; `10 x 15 cm` is a dimension and `2 x 3 m` stays packs."""
    found = [
        match for match in _PACKS_THEN_SIZE.finditer(scan.text) if not _DIMENSION.match(scan.text, match.start("packs"))
    ]
    for match in reversed(found):
        scan.text = f"{scan.text[: match.start()]} ¦ {scan.text[match.end() :]}"
    return found


def _product(packs: list[int]) -> int | None:
    """Return how many units in all: `2-pack of 6` is 12; the same number said twice counts once."""
    total = 1
    for count in dict.fromkeys(count for count in packs if count > 0):
        total *= count
    return total if packs else None


def _joined(matches: list[re.Match[str]]) -> Iterator[set[Size]]:
    """Yield sizes; `1 lb 4 oz` is one of them."""
    at = 0
    while at < len(matches):
        sizes = _size(matches[at])
        if at + 1 < len(matches) and _is_pounds_and_ounces(matches[at], matches[at + 1]):
            ounces = _amount(matches[at + 1]["number"], "oz") * Fraction("28.349523125")
            sizes = {Size("g", each.amount + ounces, is_us=True) for each in sizes}
            at += 1
        yield sizes
        at += 1


def _is_pounds_and_ounces(one: re.Match[str], other: re.Match[str]) -> bool:
    gap = other.start() - one.end()
    return _unit(one) is UNITS["lb"] and _unit(other) is UNITS["oz"] and 0 <= gap <= 2


def _unit(match: re.Match[str]) -> Unit:
    word = match["unit"].casefold().rstrip(".")
    return UNITS.get(word) or UNITS[re.sub(r"[.\s]+", " ", word).strip()]


def _size(match: re.Match[str]) -> set[Size]:
    unit = _unit(match)
    amount = _amount(match["number"], match["unit"].casefold().rstrip("."))
    return {Size(unit.kind, amount * unit.factor, unit.is_us, unit.is_either)} if amount else set()


def _amount(number: str, unit: str) -> Fraction:
    """Return a number as people write it: `1,5`, `1/2`, `2½`, and `1.000 ml` for a thousand."""
    text = number.strip()
    if text[-1] in _FRACTIONS:
        return Fraction(text[:-1].strip() or 0) + _FRACTIONS[text[-1]]
    if "/" in text:
        over, under = (int(part) for part in text.split("/"))
        return Fraction(over, under) if under else Fraction(0)
    whole, sign, decimals = text.replace(",", ".").partition(".")
    if sign and len(decimals) == 3 and unit in ("ml", "g", "gr", "mg", "mm", "mah", "w", "мл", "г", "мг", "мм"):
        return Fraction(int(whole + decimals))
    return Fraction(f"{whole}.{decimals}" if sign else whole)

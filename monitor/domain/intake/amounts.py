"""Amounts as the programs of shops write them: the decimal sign is seen from the column, never guessed.

One file can hold both signs, a comma in the price and a dot in the cost of a plug-in, so each column is decided for
itself. `5,5` and `12.95` show their sign, `1.234` alone does not; where nothing shows it, the form's own rule holds or
whoever imports is asked. The same column with both signs is a problem that names both lines.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from monitor.domain.money import MAX_PLACES, is_currency

_SPACES = re.compile(r"(?<=[0-9])[ \u00a0\u202f'’](?=[0-9]{3}(?![0-9]))")
_NUMBER = re.compile(r"-?(?:[0-9]+(?:[.,][0-9]+)*|[.,][0-9]+)")
_WITH_CODE = re.compile(r"(?:(?P<before>[A-Z]{3})\s*)?(?P<number>-?[0-9.,][0-9.,\s'’]*?)\s*(?P<after>[A-Z]{3}|€)?")


class UnclearAmount(ValueError):
    """A text is no amount, or which one cannot be told."""


@dataclass(frozen=True, slots=True)
class Stated:
    """An amount before its decimal sign is known, with the currency it names itself."""

    number: str  #: digits, dots and commas
    currency: str | None


def stated(text: str) -> Stated:
    """Split `15,00 EUR` or `USD 15.00`. Raises UnclearAmount with the accepted form."""
    found = _WITH_CODE.fullmatch(text.strip())
    number = _SPACES.sub("", found["number"].strip()) if found else ""
    codes = {code for code in (found["before"], found["after"]) if code} if found else set()
    if not _NUMBER.fullmatch(number) or len(codes) > 1:
        raise UnclearAmount(f"{text!r} is not an amount; write for example 1249.90, with its currency 1249.90 EUR")
    code = "EUR" if codes == {"€"} else next(iter(codes), None)
    if code is not None and not is_currency(code):
        raise UnclearAmount(f"{text!r}: {code!r} is not a currency; write its ISO 4217 code, for example 15.00 EUR")
    return Stated(number, code)


def decimal_sign(numbers: Iterable[tuple[int, str]], usual: str | None) -> str | None:
    """Return the sign before the decimals of a column.

    Args:
        numbers: line and number, as in `Stated`.
        usual: the sign of the form, taken where the column does not show one.

    Returns:
        None when nothing shows it, nothing is usual and at least one number needs it.

    Raises:
        UnclearAmount: two lines show different signs.
    """
    shown: dict[str, tuple[int, str]] = {}
    is_needed = False
    for line, number in numbers:
        sign = _shown(number)
        is_needed = is_needed or sign is None
        if sign:
            shown.setdefault(sign, (line, number))
    if len(shown) > 1:
        (a, one), (b, other) = sorted(shown.values())
        raise UnclearAmount(
            f"{one!r} in line {a} and {other!r} in line {b} use different decimal signs; write all with the same"
        )
    return next(iter(shown), usual or (None if is_needed else "."))


def _shown(number: str) -> str | None:
    """Return the decimal sign that a number shows, `""` when it has none, None when it could be either."""
    signs = re.findall(r"[.,]", number)
    if not signs:
        return ""
    if len(set(signs)) > 1:
        return signs[-1] if signs.count(signs[-1]) == 1 else None
    if len(signs) > 1:
        return "," if signs[0] == "." else "."
    whole, _, decimals = number.lstrip("-").replace(",", ".").partition(".")
    is_group = len(decimals) == 3 and 1 <= len(whole) <= 3 and whole != "0"
    return None if is_group else signs[0]


def amount(number: str, sign: str) -> Decimal:
    """Return the value of a number whose decimal sign is known. Raises UnclearAmount."""
    group = "." if sign == "," else ","
    form = rf"-?(?:\d{{1,3}}(?:\{group}\d{{3}})+|\d*)(?:\{sign}\d+)?"
    if not re.fullmatch(form, number) or len(re.sub(r"\D", "", number)) > 18:
        raise UnclearAmount(
            f"{number!r} is not an amount with {sign!r} before its decimals; write for example 1249{sign}90"
        )
    value = Decimal(number.replace(group, "").replace(sign, "."))
    return value.quantize(Decimal(1)) if value == value.to_integral_value() else value.normalize()


def has_places(value: Decimal, places: int = MAX_PLACES) -> bool:
    """Say whether an amount needs no more than so many decimals."""
    return value == round(value, places)

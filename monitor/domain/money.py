"""Amounts of money: exact decimals with their currency, never floats.

The number of digits a currency has comes from CLDR through babel (ISO 4217 minor units).
"""

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from functools import lru_cache

from babel.core import get_global
from babel.numbers import get_currency_precision

#: Most decimal places an amount may carry anywhere in the program; ISO 4217 needs at most four (CLF).
MAX_PLACES = 4

_PLAIN = re.compile(r"-?\d{1,14}(?:\.\d{1,4})?")


class UnreadableAmount(ValueError):
    """A text is not a plain decimal amount."""

    def __init__(self, text: str) -> None:
        super().__init__(
            f"{text!r} is not an amount; write digits with a dot before the decimals and no thousands "
            "separator, for example 1249.90"
        )
        self.text = text


@lru_cache(maxsize=1)
def _codes() -> frozenset[str]:
    return frozenset(get_global("all_currencies"))


def is_currency(code: str) -> bool:
    """Say whether `code` is an ISO 4217 code known to CLDR (`EUR`, not `€`, not `RUR2`)."""
    return code in _codes()


def digits(currency: str) -> int:
    """Return how many decimal places `currency` has: 2 for EUR, 0 for JPY, 3 for KWD."""
    return get_currency_precision(currency)


def plain_amount(text: str) -> Decimal:
    """Read an amount written with a decimal dot, as our own files and forms carry it.

    Raises:
        UnreadableAmount: anything else, `12,90`, `1e3`, full-width digits and `NaN` included.
    """
    cleaned = text.strip()
    if not cleaned.isascii() or not _PLAIN.fullmatch(cleaned):
        raise UnreadableAmount(text)
    try:
        return Decimal(cleaned)
    except InvalidOperation:
        raise UnreadableAmount(text) from None


def rounded(amount: Decimal, currency: str) -> Decimal:
    """Round half up to the digits of `currency`; used only where a rule says so."""
    return amount.quantize(Decimal(1).scaleb(-digits(currency)), ROUND_HALF_UP)


def in_places(amount: Decimal, currency: str | None) -> Decimal:
    """Return an amount as it can be kept: one with more decimals than any price has is rounded.

    To the digits of its currency, and to MAX_PLACES where that is not known.
    """
    if amount == round(amount, MAX_PLACES):
        return amount
    return rounded(amount, currency) if currency else round(amount, MAX_PLACES)


def amount_text(amount: Decimal, currency: str | None = None) -> str:
    """Write an amount as a decimal string: at least the digits of its currency, never fewer than it has.

    >>> amount_text(Decimal("24.9"), "EUR"), amount_text(Decimal("5980"), "JPY")
    ('24.90', '5980')
    """
    places = digits(currency) if currency and is_currency(currency) else 0
    exact = amount.normalize()
    exponent = exact.as_tuple().exponent
    own = -exponent if isinstance(exponent, int) and exponent < 0 else 0
    return format(exact, f".{max(places, own)}f")


@dataclass(frozen=True, slots=True)
class Money:
    """An exact amount in one currency."""

    amount: Decimal
    currency: str

    def __str__(self) -> str:
        return f"{amount_text(self.amount, self.currency)} {self.currency}"

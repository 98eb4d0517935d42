"""Exact arithmetic on money: fractions inside, decimals in the currency's minor unit at the end.

Nothing is rounded except by a call of one of these functions.
"""

from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor

from monitor.domain.money import digits

_HALF = Fraction(1, 2)
_WIDE = Context(prec=80)


@lru_cache(maxsize=256)
def minor_unit(currency: str) -> Fraction:
    """Return the smallest amount of a currency: 1/100 for EUR, 1 for JPY, 1/1000 for KWD."""
    return Fraction(1, 10 ** digits(currency))


def raised(amount: Fraction, unit: Fraction) -> Fraction:
    """Round up to a whole number of units."""
    return ceil(amount / unit) * unit


def lowered(amount: Fraction, unit: Fraction) -> Fraction:
    """Round down to a whole number of units."""
    return floor(amount / unit) * unit


def half_up(amount: Fraction, unit: Fraction) -> Fraction:
    """Round to the nearest whole number of units, the middle up."""
    return floor(amount / unit + _HALF) * unit


def decimal_of(amount: Fraction, places: int) -> Decimal:
    """Return an amount as a decimal with this many places, rounded half up."""
    return Decimal(floor(amount * 10**places + _HALF)).scaleb(-places, _WIDE)


def in_currency(amount: Fraction, currency: str) -> Decimal:
    """Return an amount with the digits of its currency, rounded half up."""
    return decimal_of(amount, digits(currency))


@lru_cache(maxsize=1024)
def percent_of(percent: Decimal) -> Fraction:
    """Return a percentage as a share: 1/10 for 10."""
    return Fraction(percent) / 100

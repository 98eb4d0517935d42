"""Exact arithmetic on money: ten-thousandths of a currency unit inside, decimals in its minor unit at the end.

An amount is a whole number of ticks as long as nothing divides it, and a fraction where something does: whole
numbers make a night of a hundred thousand products quick, and fractions keep the rest exact. Nothing is rounded
except by a call of one of these functions.
"""

from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from math import floor
from typing import TypeAlias

from monitor.domain.money import MAX_PLACES, digits

#: An exact amount in ticks, the ten-thousandth of a currency unit.
Ticks: TypeAlias = int | Fraction

#: Ticks in one unit of any currency: the finest amount that the program carries.
PER_UNIT = 10**MAX_PLACES
_HALF = Fraction(1, 2)
_WIDE = Context(prec=80)


@lru_cache(maxsize=8192)
def ticks_of(amount: Decimal) -> Ticks:
    """Return an amount in ticks; a fraction only when it has more places than the program carries."""
    over, under = amount.as_integer_ratio()
    return Fraction(over * PER_UNIT, under) if PER_UNIT % under else over * (PER_UNIT // under)


def amount_of(ticks: Ticks) -> Fraction:
    """Return ticks as an amount in currency units."""
    return Fraction(ticks, PER_UNIT)


@lru_cache(maxsize=256)
def minor_unit(currency: str) -> int:
    """Return the smallest amount of a currency in ticks: 100 for EUR, 10000 for JPY, 10 for KWD."""
    return int(10 ** (MAX_PLACES - digits(currency)))


def times(amount: Ticks, factor: Fraction) -> Ticks:
    """Return the product, as a whole number where it is one."""
    if isinstance(amount, int):
        over, under = amount * factor.numerator, factor.denominator
        return Fraction(over, under) if over % under else over // under
    return amount * factor


def raised(amount: Ticks, unit: int) -> int:
    """Round up to a whole number of units."""
    return -(-amount // unit) * unit


def lowered(amount: Ticks, unit: int) -> int:
    """Round down to a whole number of units."""
    return amount // unit * unit


def half_up(amount: Ticks, unit: int) -> int:
    """Round to the nearest whole number of units, the middle up."""
    return lowered(amount + Fraction(unit, 2), unit) if unit % 2 else lowered(amount + unit // 2, unit)


def decimal_of(amount: Fraction, places: int) -> Decimal:
    """Return an amount as a decimal with this many places, rounded half up."""
    return Decimal(floor(amount * 10**places + _HALF)).scaleb(-places, _WIDE)


def in_currency(amount: Fraction, currency: str) -> Decimal:
    """Return an amount in currency units with the digits of its currency, rounded half up."""
    return decimal_of(amount, digits(currency))


def price_of(ticks: int, currency: str) -> Decimal:
    """Return whole minor units as a decimal with the digits of the currency; exact."""
    return Decimal(ticks // minor_unit(currency)).scaleb(-digits(currency), _WIDE)


@lru_cache(maxsize=1024)
def percent_of(percent: Decimal) -> Fraction:
    """Return a percentage as a share: 1/10 for 10."""
    return Fraction(percent) / 100


@lru_cache(maxsize=1024)
def without_percent(percent: Decimal) -> Fraction:
    """Return the factor that takes a share off again: 10/11 for 10."""
    return 1 / with_percent(percent)


@lru_cache(maxsize=1024)
def with_percent(percent: Decimal) -> Fraction:
    """Return the factor of a change in percent: 11/10 for 10, 9/10 for -10."""
    return 1 + percent_of(percent)

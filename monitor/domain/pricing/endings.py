"""From an exact target to a price a shop would print: price endings inside the allowed interval.

Step 10 of `docs/pricing.md`. An ending below 1 repeats every 1, below 10 every 10, below 100 every 100
and so on: `0.99` is 18.99, 19.99, …; `9.00` is 9.00, 19.00, 29.00, …. An ending that the currency cannot
write (`0.99` in JPY) never fits.
"""

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from math import floor

from monitor.domain.pricing.bounds import Interval
from monitor.domain.pricing.exact import half_up
from monitor.domain.pricing.rule import Mode, Rounding


def period(ending: Decimal) -> int:
    """Return after how much an ending repeats: the smallest power of ten above it, at least 1."""
    step = 1
    while ending >= step:
        step *= 10
    return step


def finished(target: Fraction, interval: Interval, rounding: Rounding, unit: Fraction) -> tuple[Fraction, bool]:
    """Turn a target inside the interval into a price inside it.

    Returns:
        The price, and whether an ending fitted; True as well when no ending was asked for.
    """
    endings = _endings_for(target, rounding)
    if not endings:
        return half_up(target, unit), True
    below, above = _neighbours(target, interval, [e for e in endings if Fraction(e) % unit == 0], unit)
    chosen = _chosen(target, below, above, rounding.mode)
    return (half_up(target, unit), False) if chosen is None else (chosen, True)


def _endings_for(target: Fraction, rounding: Rounding) -> tuple[Decimal, ...]:
    for band in rounding.bands:
        if band.below is None or target < band.below:
            return band.endings
    return ()


def _neighbours(
    target: Fraction, interval: Interval, endings: list[Decimal], unit: Fraction
) -> tuple[Fraction | None, Fraction | None]:
    """Return the candidates next to the target: the largest at or below, the smallest at or above."""
    lower = max(interval.lower.amount, unit)
    upper = interval.upper.amount if interval.upper is not None else None
    near = list(_around(target, endings))
    below = max((c for c in near if lower <= c <= target), default=None)
    above = min((c for c in near if c >= target and c >= lower and (upper is None or c <= upper)), default=None)
    return below, above


def _around(target: Fraction, endings: list[Decimal]) -> Iterator[Fraction]:
    for ending in endings:
        step, start = period(ending), Fraction(ending)
        at_or_below = start + floor((target - start) / step) * step
        yield at_or_below
        yield at_or_below if at_or_below == target else at_or_below + step


def _chosen(target: Fraction, below: Fraction | None, above: Fraction | None, mode: Mode) -> Fraction | None:
    if below is None or above is None:
        return below if above is None else above
    if mode is Mode.NEAREST:
        return below if target - below <= above - target else above
    return below if mode is Mode.DOWN else above

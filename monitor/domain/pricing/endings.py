"""From an exact target to a price a shop would print: price endings inside the allowed interval.

Step 10 of `docs/pricing.md`. An ending below 1 repeats every 1, below 10 every 10, below 100 every 100
and so on: `0.99` is 18.99, 19.99, …; `9.00` is 9.00, 19.00, …. An ending that the currency cannot
write (`0.99` in JPY) never fits.
"""

from collections.abc import Iterable
from decimal import Decimal
from functools import lru_cache

from monitor.domain.pricing.bounds import Interval
from monitor.domain.pricing.exact import PER_UNIT, Ticks, half_up, ticks_of
from monitor.domain.pricing.rule import Mode, Rounding

#: An ending in ticks, and after how many it repeats.
_Ending = tuple[int, int]


def period(ending: Decimal) -> int:
    """Return after how much an ending repeats: the smallest power of ten above it, at least 1."""
    step = 1
    while ending >= step:
        step *= 10
    return step


def finished(target: Ticks, interval: Interval, rounding: Rounding) -> tuple[int, bool]:
    """Turn a target inside the interval into a price inside it, in ticks.

    Returns:
        The price, and whether an ending fitted; True as well when no ending was asked for.
    """
    unit = interval.unit
    endings = _endings_for(target, rounding)
    if not endings:
        return interval.nearest(half_up(target, unit)), True
    below, above = _neighbours(target, interval, _writable(endings, unit))
    chosen = _chosen(target, below, above, rounding.mode)
    return (interval.nearest(half_up(target, unit)), False) if chosen is None else (chosen, True)


def _endings_for(target: Ticks, rounding: Rounding) -> tuple[Decimal, ...]:
    for band in rounding.bands:
        if band.below is None or target < ticks_of(band.below):
            return band.endings
    return ()


@lru_cache(maxsize=256)
def _writable(endings: tuple[Decimal, ...], unit: int) -> tuple[_Ending, ...]:
    """Return the endings that the currency can write."""
    return tuple((int(ticks_of(one)), period(one) * PER_UNIT) for one in endings if ticks_of(one) % unit == 0)


def _neighbours(target: Ticks, interval: Interval, endings: Iterable[_Ending]) -> tuple[int | None, int | None]:
    """Return the candidates next to the target: the largest at or below, the smallest at or above."""
    least, most = interval.least, interval.most
    below = above = None
    for start, step in endings:
        lower = start + (target - start) // step * step
        upper = lower if lower == target else lower + step
        if lower >= least and (below is None or lower > below):
            below = lower
        if upper >= least and (most is None or upper <= most) and (above is None or upper < above):
            above = upper
    return below, above


def _chosen(target: Ticks, below: int | None, above: int | None, mode: Mode) -> int | None:
    if below is None or above is None:
        return below if above is None else above
    if mode is Mode.NEAREST:
        return below if target - below <= above - target else above
    return below if mode is Mode.DOWN else above

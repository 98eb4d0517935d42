"""Currencies that no country uses any more, so that a feed that still names one is not compared unconverted.

Source: CLDR through babel, whose dates are those of the last day of legal tender.
"""

from datetime import date
from functools import lru_cache

from babel.core import get_global

#: CLDR gives a transition of weeks; the euro was the price currency of these from the day named here.
_EURO_FROM = {"HRK": (date(2023, 1, 1), "7.53450"), "BGN": (date(2026, 1, 1), "1.95583")}


def replacement(currency: str, today: date) -> str | None:
    """Return what to say about a currency that is out of use today, None when it is in use."""
    if currency in _EURO_FROM:
        since, rate = _EURO_FROM[currency]
        if today < since:
            return None
        return (
            f"{currency} has been replaced by the euro since {since} (1 EUR = {rate} {currency}); the prices are "
            "kept as stated and are not compared with prices in EUR"
        )
    last = _last_days().get(currency)
    if last is None or today <= last:
        return None
    return f"{currency} is out of use since {last}; the prices are kept as stated and are not compared with others"


@lru_cache(maxsize=1)
def _last_days() -> dict[str, date]:
    """Return the last day of every currency that no territory uses."""
    ends: dict[str, list[tuple[int, int, int] | None]] = {}
    for periods in get_global("territory_currencies").values():
        for code, _start, end, _is_tender in periods:
            ends.setdefault(code, []).append(end)
    known = ((code, [end for end in each if end]) for code, each in ends.items() if None not in each)
    return {code: max(date(*end) for end in dated) for code, dated in known if dated}

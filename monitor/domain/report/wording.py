"""How amounts, shares and times are written in the mail, the text part, the page and the subject.

One function per kind of value, so that the same value reads the same everywhere.
"""

from datetime import date, datetime
from decimal import ROUND_HALF_UP, Decimal
from zoneinfo import ZoneInfo

from monitor.domain.money import amount_text

_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_TENTH = Decimal("0.1")
_HOUR_S = 3600
_DAYS_FROM_H = 48


def percent(part: Decimal | int, whole: Decimal | int) -> Decimal | None:
    """Return `part` of `whole` in percent with one decimal, half up; None when `whole` is zero."""
    if not whole:
        return None
    return (Decimal(part) * 100 / Decimal(whole)).quantize(_TENTH, ROUND_HALF_UP)


def money(amount: Decimal, currency: str) -> str:
    """Write an amount with its currency, `24.90 EUR`."""
    return f"{amount_text(amount, currency)} {currency}"


def signed_money(amount: Decimal, currency: str) -> str:
    """Write what something brings or costs, `+24.90 EUR` or `-756.00 EUR`."""
    return f"{'+' if amount > 0 else ''}{money(amount, currency)}"


def rate(pct: Decimal) -> str:
    """Write a share, `40.8 %`, with a space that no line breaks at."""
    return f"{pct.quantize(_TENTH, ROUND_HALF_UP)}\u00a0%"


def signed_rate(pct: Decimal) -> str:
    """Write a change in percent with its sign, `-8.0 %`."""
    return f"{'+' if pct > 0 else ''}{rate(pct)}"


def day(when: date) -> str:
    """Write a date, `Sun 29 Nov`, in English whatever the machine's locale."""
    return f"{_WEEKDAYS[when.weekday()]} {when.day} {_MONTHS[when.month - 1]}"


def clock(when: datetime, zone: str, *, seen_from: datetime) -> str:
    """Write an instant as local time, `03:41`; with its day when that is another than `seen_from`'s."""
    local, reference = when.astimezone(ZoneInfo(zone)), seen_from.astimezone(ZoneInfo(zone))
    if local.date() == reference.date():
        return f"{local:%H:%M}"
    return f"{day(local.date())} {local:%H:%M}"


def age(when: datetime, *, now: datetime) -> str:
    """Write how old something is, in whole minutes, hours below two days, or days; rounded down."""
    seconds = max(0, int((now - when).total_seconds()))
    hours = seconds // _HOUR_S
    if hours < 1:
        return f"{seconds // 60} min"
    return f"{hours} h" if hours < _DAYS_FROM_H else f"{hours // 24} d"


def counted(count: int, one: str, many: str | None = None) -> str:
    """Write a number with its noun, `1 decision`, `7 decisions`."""
    return f"{count} {one if count == 1 else many or one + 's'}"

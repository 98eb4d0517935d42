"""Read what holds for a whole night from `rules.toml`: `run`, `emergencies`, `do_not_touch` and `anomalies`.

Like `reading.py`, which calls this: every problem is noted, none stops the reading.
"""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Final

from monitor.domain.anomaly import Doubts
from monitor.domain.pricing.fields import Fields
from monitor.domain.pricing.rule import Breaker, Emergency, PriceWar, RunGuards, Scope, Untouchable

_LISTS: Final = ("skus", "brands", "categories", "tags")
_ONE: Final = Decimal(1)


def scope_of(fields: Fields) -> Scope:
    """Read which products a rule is for."""
    scope = Scope(*(names_of(fields, key) for key in _LISTS))
    fields.close()
    return scope


def names_of(fields: Fields, key: str) -> frozenset[str] | None:
    """Take a list of names; None when it is absent."""
    found = fields.texts(key)
    return None if found is None else frozenset(found)


def guards_of(top: Fields) -> RunGuards:
    """Read the guards of a night."""
    run = top.table("run")
    guards = RunGuards(
        max_proposals=run.whole("max_proposals", least=1),
        max_weekly_effect=run.money("max_weekly_effect"),
        breaker=_breaker(run.table("breaker")),
        price_war=_price_war(run.table("price_war")) if "price_war" in run else None,
        emergencies=_emergencies(top),
        do_not_touch=_untouchable(top.table("do_not_touch")),
    )
    run.raw("price_war")
    run.close()
    return guards


def _breaker(fields: Fields) -> Breaker:
    least = fields.whole("least_prices", least=1)
    found = Breaker(
        competitor_pct=fields.number("competitor_pct"),
        market_pct=fields.number("market_pct"),
        down_pct=fields.number("down_pct"),
        median_change_pct=fields.number("median_change_pct"),
        coverage_drop_points=fields.number("coverage_drop_points"),
        least_prices=Breaker().least_prices if least is None else least,
    )
    fields.close()
    return found


def _price_war(fields: Fields) -> PriceWar:
    decreases, days = fields.whole("decreases", least=1), fields.whole("days", least=1)
    fields.close()
    default = PriceWar()
    return PriceWar(decreases or default.decreases, days or default.days)


def _untouchable(fields: Fields) -> Untouchable:
    found = Untouchable(*(names_of(fields, key) or frozenset() for key in _LISTS))
    fields.close()
    return found


def _emergencies(top: Fields) -> tuple[Emergency, ...]:
    tables = top.tables("emergencies")
    found = [_emergency(table, top, number) for number, table in enumerate(tables, start=1)]
    ids = [one.id for one in found]
    for name in sorted({one for one in ids if one and ids.count(one) > 1}):
        top.complain(f"emergency {name!r}: id is used by {ids.count(name)} emergencies; give every one its own id")
    return tuple(found)


def _emergency(table: object, top: Fields, number: int) -> Emergency:
    named = table.get("id") if isinstance(table, Mapping) else None
    name = repr(named) if isinstance(named, str) else f"number {number}"
    fields = Fields(table, place=f"{top.place}: emergency {name}", problems=top.problems)
    since, until = _day(fields, "from"), _day(fields, "until")
    if since is not None and until is not None and until < since:
        fields.refuse("until", f"it must not be before from, which is {since}")
    increase = fields.number("max_increase_pct")
    if "max_increase_pct" not in fields:
        fields.complain('max_increase_pct is missing; write a quoted percentage such as "10"')
    found = Emergency(
        id=fields.text("id", required=True) or "",
        since=since or date.min,
        until=until or date.max,
        max_increase_pct=increase or Decimal(0),
        scope=scope_of(fields.table("scope")),
    )
    fields.close()
    return found


def _day(fields: Fields, key: str) -> date | None:
    value = fields.raw(key)
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    if value is None:
        fields.complain(f"{key} is missing; write a date without quotes, for example 2026-11-29")
    else:
        fields.refuse(key, "write a date without quotes, for example 2026-11-29")
    return None


def doubts_of(fields: Fields) -> Doubts:
    """Read when a reading is too odd to be used at once."""
    default = Doubts()
    minutes = fields.number("second_look_min")
    found = Doubts(
        step_factor=_factor(fields, "step_factor", default.step_factor),
        own_factor=_factor(fields, "own_factor", default.own_factor),
        peer_pct=_or(fields.number("peer_pct"), default.peer_pct),
        same_within_pct=_or(fields.number("same_within_pct"), default.same_within_pct),
        site_shift_pct=_or(fields.number("site_shift_pct"), default.site_shift_pct),
        site_shift_least=fields.whole("site_shift_least", least=2) or default.site_shift_least,
        tax_pct=_percents(fields, "tax_pct", default.tax_pct),
        second_look=default.second_look if minutes is None else timedelta(minutes=float(minutes)),
    )
    fields.close()
    return found


def _factor(fields: Fields, key: str, default: Decimal) -> Decimal:
    found = fields.number(key)
    if found is not None and found <= _ONE:
        fields.refuse(key, 'write a quoted factor above 1, for example "1.35"')
    return default if found is None else found


def _percents(fields: Fields, key: str, default: tuple[Decimal, ...]) -> tuple[Decimal, ...]:
    found = fields.amounts(key) if fields.raw(key) != [] else ()
    return default if found is None else found


def _or(found: Decimal | None, default: Decimal) -> Decimal:
    return default if found is None else found

"""The list of competitors with their health, and the page of one with its nights."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import quote, urlsplit

from monitor.domain.catalogue import Competitor, Watch
from monitor.domain.helping import what_helps
from monitor.domain.knowledge import Known
from monitor.domain.night import is_once_more
from monitor.domain.observation import Observation
from monitor.domain.pacing import buckets_of
from monitor.domain.past import ShopNight
from monitor.domain.report.clean import clean
from monitor.domain.report.wording import age, day, money
from monitor.domain.run import ENDED, JobState
from monitor.domain.unread import READ, kind_words, why_unread
from monitor.ports.store import Store, Unit
from monitor.web.dashboard.known import known
from monitor.web.dashboard.learnt import Learnt, learnt_of, set_platform
from monitor.web.dashboard.products import product_path, web_url

#: Nights on the page of a competitor, and watches of it.
NIGHTS, WATCHES = 30, 100
#: Share of watches that must be read for a night to count as good, and as usable at all, in percent.
_GOOD, _USABLE = 90, 50
_WORST_FIRST = {"bad": 0, "warn": 1, "open": 2, "good": 3, "": 4}


@dataclass(frozen=True, slots=True)
class Night:
    """One night of a competitor, as words."""

    path: str
    night: str
    level: str  #: `good`, `warn`, `bad`, or `open` while nothing has come of it yet
    read: str
    unread: str
    calls: str
    took: str
    words: str
    percent: int  #: of its watches that were read


@dataclass(frozen=True, slots=True)
class Shop:
    """A competitor in the list."""

    key: str
    name: str
    path: str
    host: str
    watches: int
    is_enabled: bool
    last: Night | None


@dataclass(frozen=True, slots=True)
class Watched:
    """One watch of a competitor with what came of it last, as words."""

    sku: str
    path: str
    url: str | None
    level: str  #: `good` when it was read, `bad` when not, empty when it was not asked for
    outcome: str
    words: str  #: the price, or why there is none


@dataclass(frozen=True, slots=True)
class ShopPage:
    """Everything about one competitor."""

    shop: Shop
    nights: tuple[Night, ...]  #: newest first
    watched: tuple[Watched, ...]  #: those not read first, at most WATCHES
    watched_more: int
    helps: tuple[tuple[str, str], ...]  #: what came back in a word or two, and what a person can do about it
    watched_in: str  #: the night that read them; empty before the first
    settings: Mapping[str, str]
    learnt: Learnt
    cooling: str
    last_good: str


def shops(store: Store) -> tuple[Shop, ...]:
    """Return every competitor of the newest night, those in trouble first."""
    with store.read() as unit:
        context = known(unit)
        nights = {} if context.run is None else {one.competitor: one for one in unit.past.shops_of(context.run.id)}
    watched: dict[str, int] = {}
    for watch in context.catalogue.watches:
        watched[watch.competitor] = watched.get(watch.competitor, 0) + 1
    found = [
        Shop(
            key=one.id,
            name=context.names[one.id],
            path=_path(one.id),
            host=urlsplit(one.base_url).netloc,
            watches=watched.get(one.id, 0),
            is_enabled=one.enabled,
            last=_night(nights[one.id]) if one.id in nights else None,
        )
        for one in context.catalogue.competitors
    ]
    return tuple(
        sorted(found, key=lambda shop: (_WORST_FIRST[shop.last.level if shop.last else ""], shop.name.lower()))
    )


def shop_page(store: Store, key: str) -> ShopPage | None:
    """Return a competitor's page, or None when the newest night does not know it and no other did."""
    with store.read() as unit:
        context, now = known(unit), unit.now
        nights = unit.past.shop_nights(key, NIGHTS)
        one = context.competitor(key)
        if one is None and not nights:
            return None
        facts = unit.shops.facts(key)
        good = max(unit.observations.last_good(key).values(), default=None)
        host = "" if one is None else urlsplit(one.base_url).netloc
        cooling = None if one is None else _cooling_of(unit, one, facts)
        last = next((night for night in nights if night.asked), None)
        readings = () if last is None else unit.observations.of_run(last.run_id, key)
    watches = context.catalogue.watches_of(key)
    watched = _watched(watches, readings)
    shop = Shop(
        key=key,
        name=context.names.get(key, key),
        path=_path(key),
        host=host,
        watches=len(watches),
        is_enabled=one is not None and one.enabled,
        last=_night(nights[0]) if nights else None,
    )
    return ShopPage(
        shop=shop,
        nights=tuple(_night(night) for night in nights),
        watched=watched[:WATCHES],
        watched_more=max(0, len(watched) - WATCHES),
        helps=_helps(readings),
        watched_in="" if last is None else day(last.local_date),
        settings={} if one is None else _settings(one),
        learnt=learnt_of(
            facts,
            set_platform(one),
            host or key,
            since=next((night.local_date for night in nights if night.state in ENDED), None),
        ),
        cooling=_cooling(cooling, now),
        last_good="never" if good is None else f"{age(good, now=now)} ago",
    )


def _watched(watches: Sequence[Watch], readings: Sequence[Observation]) -> tuple[Watched, ...]:
    """Return every watch with what the last night made of it, those that gave no price first."""
    by_sku = {one.sku: one for one in readings}
    found = (_watch(watch, by_sku.get(watch.sku)) for watch in watches)
    return tuple(sorted(found, key=lambda one: (_WORST_FIRST[one.level], one.sku)))


def _helps(readings: Sequence[Observation]) -> tuple[tuple[str, str], ...]:
    unread = sorted({(one.outcome, one.reason) for one in readings if one.outcome not in READ})
    every = ((kind_words(outcome, reason), what_helps(outcome, reason)) for outcome, reason in unread)
    return tuple(dict.fromkeys(pair for pair in every if pair[1]))


def _watch(watch: Watch, seen: Observation | None) -> Watched:
    level, outcome, words = "", "not asked for", ""
    if seen is not None:
        is_read = seen.outcome in READ
        level, outcome = "good" if is_read else "bad", kind_words(seen.outcome, seen.reason)
        price = None if seen.price is None or seen.currency is None else money(seen.price, seen.currency)
        words = (price or "") if is_read else clean(why_unread(seen.outcome, seen.reason, seen.words), 200)
    return Watched(clean(watch.sku, 80), product_path(watch.sku), web_url(watch.url), level, outcome, words)


def _cooling_of(unit: Unit, one: Competitor, facts: Mapping[str, Any]) -> tuple[datetime, str] | None:
    """Return the longest cool-down of the buckets that a visit of this shop takes its slots in."""
    platform = Known.of(facts, unit.now.date()).platform if one.platform == "auto" else one.platform
    found = (unit.shops.cooling(bucket) for bucket in buckets_of(one.base_url, platform))
    return max((each for each in found if each is not None), default=None)


def _cooling(found: tuple[datetime, str] | None, now: datetime) -> str:
    if found is None or found[0] <= now:
        return ""
    return f"Left alone for {age(now, now=found[0])} more: {clean(found[1], 200)}."


def _path(key: str) -> str:
    return f"/competitors/{quote(key, safe='')}"


def _night(one: ShopNight) -> Night:
    percent = round(one.read * 100 / one.asked) if one.asked else 0
    return Night(
        path=f"/runs/{quote(one.run_id, safe='')}",
        night=f"{day(one.local_date)} {one.local_date.year}{', once more' if is_once_more(one.run_id) else ''}",
        level=level_of(one, percent),
        read=f"{one.read} of {one.asked}",
        unread=", ".join(
            f"{count} \N{MULTIPLICATION SIGN} {words}"
            for words, count in sorted(one.unread.items(), key=lambda pair: -pair[1])
        ),
        calls=f"{one.calls_used}/{one.calls_limit}",
        took=_took(one.started_at, one.ended_at),
        words=clean(one.error or "", 300),
        percent=percent,
    )


def level_of(one: ShopNight, percent: int) -> str:
    """Return how a night went at one shop; before anything was read of it there is nothing to be pleased about."""
    if one.state not in ENDED and not one.asked:
        return "open"
    if one.state is JobState.FAILED or (one.asked and percent < _USABLE):
        return "bad"
    return "good" if percent >= _GOOD or not one.asked else "warn"


def _took(began: datetime | None, ended: datetime | None) -> str:
    if began is None or ended is None:
        return ""
    seconds = int((ended - began).total_seconds())
    return f"{seconds} s" if seconds < 120 else f"{seconds // 60} min"


def _settings(one: Competitor) -> dict[str, str]:
    return {
        "Address": one.base_url,
        "Currency": one.currency or "as the pages say",
        "Tool calls a night": str(one.tool_calls),
        "Delay": f"{one.delay.total_seconds():g} s",
        "robots.txt": one.robots.value,
        "Recipe": ", ".join(f"{name}: {value}" for name, value in one.recipe.items()) or "none",
    }

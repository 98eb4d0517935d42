"""`competitors.toml`: one `[[competitor]]` table per shop that is visited every night."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from enum import StrEnum
from ipaddress import ip_address
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from monitor.domain.address import WEB_PORTS, Target, address_refusal, target
from monitor.domain.catalogue import Competitor, RobotsPolicy, Showing
from monitor.settings.forms import (
    BaseAddress,
    Currency,
    HostPorts,
    Switch,
    WebAddress,
    host_name,
    list_of,
    number,
    one_of,
    path_pattern,
    quiet_window,
    shown,
    slug,
    span,
    whole,
    words,
)
from monitor.settings.sections import MonitorToml
from monitor.settings.toml_file import KeyPath, Section, checked, place, wrong_keys


class Platform(StrEnum):
    """How a shop is read."""

    AUTO = "auto"  #: found out on the first visit
    SHOPIFY = "shopify"  #: its catalogue, as that of the next ones
    WOOCOMMERCE = "woocommerce"
    MAGENTO = "magento"
    BIGCOMMERCE = "bigcommerce"
    FEED = "feed"  #: the merchant feed that the key `feed` names
    PAGES = "pages"  #: one page per watch


def _no_adapter(value: Any) -> Any:
    """Say of a platform that is known and has no adapter how its shops are read; leave the rest to the list."""
    if not isinstance(value, str) or value in set(Platform):
        return value
    from monitor.extract.platforms.marks import NAMES  # extraction takes long to load, and only a wrong word needs it

    if value.strip().lower() in NAMES:
        words = 'its shops are read page by page: write "pages", or "auto", or leave the key out'
        raise ValueError(f"{value!r} is known, but has no catalogue that is asked; {words}")
    return value


def _read_recipe(value: Any) -> Any:
    if not isinstance(value, dict):
        raise ValueError(f"{shown(value)} is not a recipe; write [competitor.recipe] with texts, for example price")
    return value


def _read_field(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{shown(value)} is not a text; put it between double quotes")
    return value


class CompetitorTable(Section):
    id: Annotated[str, slug(60)]
    name: Annotated[str, words(120)] | None = None
    base_url: BaseAddress
    currency: Currency | None = None
    language: Annotated[str, words(20)] | None = None
    platform: Annotated[Platform, one_of(Platform), BeforeValidator(_no_adapter)] = Platform.AUTO
    feed: WebAddress | None = None
    enabled: Switch = True
    tool_calls: Annotated[int, whole(1, 1000)] | None = None
    request_cap: Annotated[int, whole(1, 5000)] | None = None
    delay_s: Annotated[timedelta, span("seconds", "0", "3600")] | None = None
    jitter: Annotated[Decimal, number("0", "1")] | None = None
    robots: Annotated[RobotsPolicy, one_of(RobotsPolicy)] = RobotsPolicy.OBEY
    robots_reason: Annotated[str, words(300)] | None = None
    fetch: Annotated[Showing, one_of(Showing)] = Showing.PLAIN
    refuse: Annotated[tuple[str, ...], list_of(path_pattern)] = ()
    allow: Annotated[tuple[str, ...], list_of(path_pattern)] = ()
    quiet_hours: Annotated[tuple[str, ...], list_of(quiet_window)] | None = None
    extra_hosts: Annotated[tuple[str, ...], list_of(host_name)] = ()
    allow_addresses: HostPorts = ()
    recipe: Annotated[dict[str, Annotated[str, BeforeValidator(_read_field)]], BeforeValidator(_read_recipe)] = Field(
        default_factory=dict
    )

    def competitor(self, common: MonitorToml) -> Competitor:
        """Return the domain's competitor, with the common budget and pacing where this table has none."""
        return Competitor(
            id=self.id,
            name=self.name or self.id,
            base_url=self.base_url,
            currency=self.currency,
            language=self.language,
            platform=self.platform.value,
            feed=self.feed,
            enabled=self.enabled,
            tool_calls=self.tool_calls or common.budget.tool_calls,
            request_cap=self.request_cap or common.budget.requests,
            delay=common.pacing.delay_s if self.delay_s is None else self.delay_s,
            jitter=float(common.pacing.jitter if self.jitter is None else self.jitter),
            robots=self.robots,
            extra_hosts=self.extra_hosts,
            allow_addresses=self.allow_addresses,
            recipe=self.recipe,
            quiet_windows=common.pacing.quiet_hours if self.quiet_hours is None else self.quiet_hours,
            quiet_zone=common.night.zone,
            fetch=self.fetch,
            refuse=self.refuse,
            allow=self.allow,
        )


@dataclass(frozen=True, slots=True)
class CompetitorsRead:
    """The tables of a competitors file, and every id that stands in it, also of tables with a problem."""

    tables: tuple[CompetitorTable, ...]
    ids: frozenset[str]
    problems: tuple[str, ...]


def read_competitors(raw: dict[str, Any], *, name: str, text: str) -> CompetitorsRead:
    """Check the tables of `competitors.toml` one by one and against each other."""
    problems = [
        f"{place(name, text, (key,))}: unknown key; this file holds only [[competitor]] tables"
        for key in raw
        if key != "competitor"
    ]
    given = raw.get("competitor", [])
    if not isinstance(given, list):
        problems.append(f"{place(name, text, ('competitor',))}: write [[competitor]] with two brackets, once per shop")
        given = []
    tables: list[CompetitorTable] = []
    first: dict[object, int] = {}
    for index, each in enumerate(given):
        at: KeyPath = ("competitor", index)
        table, wrong = checked(CompetitorTable, each, name=name, text=text, at=at)
        problems.extend(wrong)
        named = each.get("id") if isinstance(each, dict) else None
        if isinstance(named, str) and (earlier := first.setdefault(named, index)) != index:
            where = place(name, text, (*at, "id"))
            problems.append(f"{where}: {named!r} is already used by competitor[{earlier + 1}]; ids are unique")
        if table:
            tables.append(table)
        problems.extend(f"{place(name, text, (*at, *key))}: {more}" for key, more in _more_problems(table, each))
    return CompetitorsRead(tuple(tables), frozenset(map(str, first)), tuple(problems))


#: Keys without which a word about another key would be wrong.
_JUDGED_WITH = {"robots": "robots_reason", "allow": "robots_reason", "platform": "feed", "base_url": "allow_addresses"}
#: What stands in for keys that every table must have, so that the others can be judged without them.
_STAND_IN = {"id": "x", "base_url": "https://example.com"}


def _more_problems(table: CompetitorTable | None, raw: Any) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield (key path, sentence) for what is wrong besides the forms of single keys, which are told already.

    Args:
        table: None when a form is wrong; then that key is left out, so that all problems are told at once.
        raw: what the file holds.
    """
    wrong: frozenset[str] = frozenset()
    if table is None:
        if not isinstance(raw, dict):
            return
        wrong = wrong_keys(CompetitorTable, raw)
        table = CompetitorTable.model_validate(_STAND_IN | {key: raw[key] for key in raw if key not in wrong})
    for key, sentence in _conflicts(table):
        if _JUDGED_WITH.get(key) not in wrong:
            yield (key,), sentence
    if table.recipe:
        from monitor.extract.recipe import faults  # the whole extractor: only where a recipe is given

        yield from ((("recipe", key), sentence) for key, sentence in faults(table.recipe))


def _conflicts(table: CompetitorTable) -> Iterator[tuple[str, str]]:
    """Yield (key, sentence) for keys that are fine alone and wrong together."""
    if table.robots is RobotsPolicy.IGNORE and table.robots_reason is None:
        yield (
            "robots",
            '"ignore" needs the key robots_reason, which says who allowed it; it is shown every night. Write '
            '"obey" or the reason',
        )
    if table.platform is Platform.FEED and table.feed is None:
        yield "platform", '"feed" needs the key feed, the address of the shop\'s merchant feed'
    if table.allow and table.robots_reason is None:
        yield (
            "allow",
            "asking for what robots.txt may close needs the key robots_reason, which says who allowed it; it is shown "
            "every night. Remove allow or write the reason",
        )
    try:
        to = target(table.base_url)
    except ValueError as refused:
        yield "base_url", str(refused)
        return
    allowed = to.authority in table.allow_addresses
    if refusal := _literal_refusal(to.host, allowed):
        yield "base_url", f"{table.base_url!r}: {refusal}. {_way_out(to)}"
    elif to.port not in WEB_PORTS and not allowed:
        yield (
            "base_url",
            f"{table.base_url!r} has port {to.port}; ports other than 80 and 443 need "
            f'allow_addresses = ["{to.authority}"]',
        )


def _way_out(to: Target) -> str:
    """Say what can be written instead, which is nothing where no setting opens the address."""
    if _literal_refusal(to.host, allowed=True) is not None:
        return "No setting opens it; write the public address of the shop"
    return f'If it is meant, write allow_addresses = ["{to.authority}"]'


def _literal_refusal(host: str, allowed: bool) -> str | None:
    try:
        ip_address(host)
    except ValueError:
        return "localhost is this machine" if host == "localhost" and not allowed else None
    return address_refusal(host, allowed=allowed)

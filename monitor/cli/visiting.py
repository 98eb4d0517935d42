"""What `monitor check` knows of an address before it asks, and how it asks: robots.txt first, then the page once.

A competitor of the configuration lends its currency, language, recipe, hosts and allowed addresses, as it does at
night. Without a configuration an address is visited as a stranger would, which obeys robots.txt too.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

import typer

from monitor.domain.address import UrlRefused, belongs, target
from monitor.domain.answer import NoReading, closed_by
from monitor.domain.catalogue import Competitor, RobotsPolicy, Showing, Watch
from monitor.domain.extraction import Hints
from monitor.domain.pacing import bucket_of
from monitor.domain.page import FetchRules, Miss, MissReason, Page, in_browser
from monitor.domain.reading import hints_for
from monitor.domain.robots import RobotsKind, RobotsVerdict, ignored, robots_url, verdict
from monitor.errors import Misconfigured
from monitor.ports.world import Fetcher
from monitor.settings import Settings, find, load

#: The product token that robots.txt files address.
AGENT = "price-monitor"

#: Misses that are about the host and not about its robots.txt.
_NO_HOST = frozenset(
    {MissReason.REFUSED_ADDRESS, MissReason.REFUSED_URL, MissReason.DNS, MissReason.CONNECT, MissReason.TLS}
)


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of an address before anybody asks it."""

    hints: Hints
    rules: FetchRules
    obeys_robots: bool = True
    refuse: tuple[str, ...] = ()  #: paths that are never asked for
    allow: tuple[str, ...] = ()  #: paths that are asked for although robots.txt closes them
    competitor: str | None = None  #: id, when the configuration names the shop
    sku: str | None = None  #: of the watch that has this address
    words: str | None = None  #: what was taken from the configuration


def settings_for(config: Path | None) -> Settings | None:
    """Return the configuration there is; a directory that nobody named and that is wrong is left aside with a word.

    Raises:
        Misconfigured: the directory that `--config` names is missing or wrong.
    """
    if config is not None:
        return load(config)
    try:
        directory = find(None, os.environ)
    except Misconfigured:
        return None
    try:
        return load(directory)
    except Misconfigured:
        words = f"{directory} is not used, because something in it is wrong; see: monitor doctor --config {directory}"
        typer.secho(words, fg=typer.colors.YELLOW, err=True)
        return None


def known_of(url: str, settings: Settings | None, given: Hints) -> tuple[Known, ...]:
    """Return what is known of an address, once for each watch that has it; what the command line gives wins."""
    shop = None if settings is None else _shop_of(url, settings)
    if settings is None or shop is None:
        return (Known(given, replace(rules_for(url), accept_language=given.language)),)
    watches = [watch for watch in settings.catalogue.watches_of(shop.id) if watch.url == url]
    return tuple(_known(settings, shop, watch, given) for watch in watches or [Watch(shop.id, "", url)])


def _known(settings: Settings, shop: Competitor, watch: Watch, given: Hints) -> Known:
    found = hints_for(shop, watch)
    hints = replace(found, currency=given.currency or found.currency, language=given.language or found.language)
    rules = FetchRules(
        hosts=(bucket_of(shop.base_url), *shop.extra_hosts),
        allow_addresses=frozenset(shop.allow_addresses),
        accept_language=hints.language,
        deadline=settings.fetch.page_deadline_s,
        max_body_bytes=settings.fetch.max_body_bytes,
    )
    if shop.fetch is Showing.BROWSER:
        rules = in_browser(rules, shop.request_cap)
    obeys = shop.robots is not RobotsPolicy.IGNORE
    words = ", ".join(_taken(shop, hints, watch))
    return Known(hints, rules, obeys, shop.refuse, shop.allow, shop.id, watch.sku or None, words)


def rules_for(url: str) -> FetchRules:
    """Return the limits of one visit to `url`: redirects stay on its own site, a loopback shop is allowed by name."""
    parts = urlsplit(url)
    local = {f"{parts.hostname}:{parts.port}"} if parts.hostname in ("127.0.0.1", "localhost") and parts.port else set()
    return FetchRules(hosts=(bucket_of(url),), allow_addresses=frozenset(local))


def _shop_of(url: str, settings: Settings) -> Competitor | None:
    try:
        page = target(url)
    except UrlRefused:
        return None
    shops = settings.catalogue.competitors
    return next((shop for shop in shops if belongs(page, (bucket_of(shop.base_url), *shop.extra_hosts))), None)


def _taken(shop: Competitor, hints: Hints, watch: Watch) -> Iterator[str]:
    yield f"competitor {shop.id} of competitors.toml"
    if hints.currency:
        yield f"currency {hints.currency}"
    if hints.language:
        yield f"language {hints.language}"
    if shop.recipe:
        yield f"its recipe ({', '.join(shop.recipe)})"
    if shop.fetch is Showing.BROWSER:
        yield 'its pages shown by a browser (fetch = "browser")'
    if shop.allow_addresses:
        yield f"its allow_addresses ({', '.join(shop.allow_addresses)})"
    if shop.robots is RobotsPolicy.IGNORE:
        yield "robots.txt ignored as set there"
    if shop.refuse:
        yield f"the paths that it refuses ({', '.join(shop.refuse)})"
    if shop.allow:
        yield f"the paths that it allows ({', '.join(shop.allow)})"
    if watch.sku:
        yield f"the watch of {watch.sku}"


@dataclass(frozen=True, slots=True)
class Visit:
    """What came of one visit."""

    answer: Page | Miss | NoReading
    robots: str | None = None  #: what is odd about its robots.txt although it closes nothing


def visit(url: str, known: Known, fetcher: Fetcher) -> Visit:
    """Ask robots.txt and, when it is not closed to us, the page once."""
    robots = ignored(known.refuse)
    if known.obeys_robots:
        rules = replace(known.rules, accept="text/plain,*/*;q=0.5", may_cut=True, any_host=True, browser=False)
        answer = fetcher.fetch(robots_url(url), rules)
        if isinstance(answer, Miss) and answer.reason in _NO_HOST:
            return Visit(replace(answer, url=url, words=answer.words.replace(robots_url(url), url)))
        robots = verdict(answer).as_set(known.refuse, known.allow)
    if not robots.allows(url, AGENT):
        return Visit(closed_by(robots, url))
    return Visit(fetcher.fetch(url, replace(known.rules, robots=robots)), _odd(robots))


def _odd(robots: RobotsVerdict) -> str | None:
    """Return what a night's report says of a robots.txt that could not be read and closes nothing."""
    return f"{robots.words}; that closes nothing" if robots.kind is RobotsKind.WITHHELD else None

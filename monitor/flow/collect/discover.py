"""Look through what a shop sells: its catalogue where there is an adapter for it, else its sitemaps.

The look keeps all that a night keeps: robots.txt, the shop's pacing and quiet hours, one visitor at a time, the
budget of tool calls and the cap of requests. It stops when they are spent and says that it is not complete. Nothing
is recorded but the platform it found, and what robots.txt said.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any
from urllib.parse import quote, urljoin

from monitor.domain.address import UrlRefused, belongs, target
from monitor.domain.answer import NoReading, asks_to_slow_down, classify, ends_visit, without_page
from monitor.domain.asking import Asked, CatalogueAsk, Platform, SoFar, origin_of
from monitor.domain.catalogue import Catalogue, Competitor, RobotsPolicy
from monitor.domain.discovery import Discovered, Discovery, proposed
from monitor.domain.knowledge import PLATFORM, Known, merged
from monitor.domain.listing import Answer, Item, Listing, Problem, Variant
from monitor.domain.pacing import bucket_of, slot_of, space_between
from monitor.domain.page import FetchRules, Miss, Page
from monitor.domain.robots import MAX_AGE, RobotsKind, RobotsVerdict, ignored, robots_url, verdict
from monitor.extract.charset import decoded
from monitor.extract.platforms import ADAPTERS, detected
from monitor.extract.platforms.shopify import presentment_currency
from monitor.extract.platforms.sitemap import USUAL, in_order, lists_products, name_in, product_pages, read_sitemap
from monitor.flow.collect.catalogue_call import CATALOGUE_DEADLINE, OFF
from monitor.flow.collect.tools import Limits
from monitor.ports.store import Store
from monitor.ports.world import Fetcher

#: Longest wait for a shop's next slot; a longer one ends the look.
PATIENCE = timedelta(seconds=120)
#: How deep sitemaps are followed, and how many of them.
MAX_DEPTH, MAX_SITEMAPS = 3, 50
#: Products kept of one shop.
MAX_PRODUCTS = 50_000
#: Stands for the job of a visit in the table of hosts: a look belongs to no night.
_NO_JOB = 0


class _Over(Exception):
    """The look ends here; the words say why."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a look needs of the world."""

    store: Store
    fetcher: Fetcher
    limits: Limits
    pause: Callable[[float], None]  #: waits so many seconds


def discover(competitor: Competitor, catalogue: Catalogue, world: Surroundings) -> Discovery:
    """Look through one shop within its budget and propose watches."""
    look = _Look(competitor, world)
    source, products = look.through()
    ready, already, unclear = proposed(products, catalogue, competitor.id)
    return Discovery(
        competitor=competitor.id,
        platform=look.platform,
        evidence=tuple(look.evidence),
        source=source,
        products=tuple(products),
        calls=look.calls,
        requests=look.requests,
        is_complete=look.is_complete,
        notes=tuple(dict.fromkeys(look.notes)),
        proposed=ready,
        already=already,
        unclear=unclear,
    )


class _Look:
    """The state of one look."""

    def __init__(self, competitor: Competitor, world: Surroundings) -> None:
        self._shop, self._world = competitor, world
        self._origin = origin_of(competitor.base_url)
        with world.store.read() as unit:
            self._known = Known.of(unit.shops.facts(competitor.id), unit.now.date())
        named = competitor.platform if competitor.platform != "auto" else None
        self.platform: str | None = named or ("feed" if competitor.feed else self._known.platform)
        self.evidence: list[str] = []
        self.calls = self.requests = 0
        self.is_complete = False
        self.notes: list[str] = []
        self._currency: str | None = None
        self._learned: dict[str, Any] = {}
        self._verdicts: dict[str, RobotsVerdict] = {}

    def through(self) -> tuple[str, list[Discovered]]:
        """Look through the catalogue, or through the sitemaps; return which it was and what was found."""
        found: list[Discovered] = []
        source = ""
        try:
            self._home()
            adapter = ADAPTERS.get(self.platform or "")
            if adapter is not None:
                source = adapter.name
                for item in self._walk(adapter):
                    found.extend(self._of_item(item))
            if not found:
                source = "sitemap"
                for url in self._sitemaps():
                    found.append(Discovered(url, name_in(url)))
            self.is_complete = self.is_complete and len(found) <= MAX_PRODUCTS
        except _Over as over:
            self.is_complete = False
            self.notes.append(str(over))
        distinct = {(one.url, one.variant, one.their_sku): one for one in found}
        return source if found else "", list(distinct.values())[:MAX_PRODUCTS]

    def _home(self) -> None:
        """Read the home page where the platform is unknown, or where only a page tells the currency or lets us in."""
        if self.platform not in (None, "shopify", "bigcommerce"):
            return
        page = self._fetch(self._shop.base_url)
        if not isinstance(page, Page) or classify(page) is not None:
            self.notes.append("the home page could not be read, so nothing tells the platform")
            return
        markup = decoded(page.body, page.content_type)
        found = detected(markup, page.headers)
        self._currency = presentment_currency(page.body)
        if self.platform is None and found is not None and found.is_sure:
            self.platform, self.evidence = found.name, list(found.evidence)
            self._remember(page.final_url)
        adapter = ADAPTERS.get(self.platform or "")
        self._learned = dict(adapter.learn(markup, ())) if adapter is not None else {}

    def _remember(self, page: str) -> None:
        with self._world.store.write() as unit:
            fact = {"name": self.platform, "evidence": self.evidence, "page": page}
            unit.shops.learn(self._shop.id, PLATFORM, fact | {"found_on": unit.now.date().isoformat()})

    def _walk(self, adapter: Platform) -> Iterator[Item]:
        """Yield the items of the whole catalogue, page by page."""
        asked: list[Asked] = []
        while True:
            so_far = self._so_far(adapter, asked)
            ask = adapter.browse(so_far)
            failed = [call for call in asked if call.failed and call.failed is not Problem.ADJUST]
            if ask is None or len(failed) > 1 or (failed and failed[-1].failed is not Problem.PASSING):
                self.is_complete = bool(asked) and not failed and not asked[-1].more
                return
            listing = self._listing(adapter, ask)
            self._learned = merged([self._learned, listing.learned])
            self.notes.extend(filter(None, (listing.words, listing.loss, *listing.warnings)))
            asked.append(
                Asked(ask.about, ask.page, (), more=listing.more, cursor=listing.cursor, failed=listing.problem)
            )
            yield from listing.items

    def _so_far(self, adapter: Platform, asked: list[Asked]) -> SoFar:
        return SoFar(
            origin=self._origin,
            left=(),
            asked=tuple(asked),
            known=merged([self._known.learned_by(adapter.name), self._learned]),
            currency=self._currency,
            calls_left=self._shop.tool_calls - self.calls,
            closed=frozenset(name for name, url in adapter.endpoints(self._origin).items() if not self._allowed(url)),
            feed=self._shop.feed,
        )

    def _listing(self, adapter: Platform, ask: CatalogueAsk) -> Listing:
        is_feed = adapter.name == "feed"
        most = self._world.limits.max_feed_bytes if is_feed else self._world.limits.max_body_bytes
        accept = "application/xml,text/xml,*/*;q=0.5" if is_feed else "application/json"
        post = ask.post.encode() if ask.post is not None else None
        came = self._fetch(ask.url, accept=accept, max_bytes=most, headers=dict(ask.headers), post=post)
        if isinstance(came, Miss):
            return Listing(problem=Problem.PASSING if came.may_pass else Problem.OFF, words=came.words)
        why = classify(came)
        if why is not None:
            problem = Problem.OFF if came.status in OFF else Problem.PASSING
            return Listing(problem=problem, words=f"no catalogue: {why.words}")
        with self._world.store.read() as unit:
            at = unit.now
        return adapter.read(Answer(came.body, at, came.content_type, came.headers, ask.url, ask.post))

    def _of_item(self, item: Item) -> Iterator[Discovered]:
        path = item.url or ""
        url = path if re.match(r"https?://", path) else urljoin(f"{self._origin}/", quote(path, safe="/%?=&-_.~"))
        several = len(item.variants) > 1
        for variant in item.variants:
            name = f"{item.title} - {variant.title}" if variant.title and several else item.title
            yield Discovered(
                url=variant.url or (_with_variant(url, variant) if several else url),
                name=name,
                variant=variant.id if several else None,
                their_sku=variant.sku,
                their_gtin=variant.gtin,
                price=variant.price,
                currency=variant.currency or self._currency,
                list_price=variant.list_price,
                availability=variant.availability,
            )

    def _sitemaps(self) -> Iterator[str]:
        """Yield the addresses of product pages that the shop's sitemaps list."""
        named = self._robots(self._shop.base_url).sitemaps()
        waiting = [(url, 0) for url in named or [self._origin + path for path in USUAL]]
        done: set[str] = set()
        found_any = False
        while waiting and len(done) < MAX_SITEMAPS:
            url, depth = waiting.pop(0)
            if url in done or url.endswith("/robots.txt") or not self._is_ours(url) or not self._allowed(url):
                continue
            done.add(url)
            if not named and found_any and url == self._origin + USUAL[1]:
                continue
            came = self._fetch(url, accept="application/xml,text/xml,*/*;q=0.5")
            if not isinstance(came, Page) or classify(came) is not None or came.final_url in done - {url}:
                continue
            done.add(came.final_url)
            found = read_sitemap(came.body)
            found_any = found_any or not found.problem
            self.notes.extend([f"{url}: {found.problem}"] if found.problem else [])
            if depth < MAX_DEPTH:
                waiting = [*((child, depth + 1) for child in in_order(found.children)), *waiting]
            here = (page for page in found.pages if self._is_ours(page))
            yield from product_pages(here, of_products=lists_products(url))
        self.is_complete = found_any and not waiting

    def _is_ours(self, url: str) -> bool:
        try:
            return belongs(target(url), (bucket_of(self._shop.base_url), *self._shop.extra_hosts))
        except UrlRefused:
            return False

    # What every request keeps.

    def _robots(self, url: str) -> RobotsVerdict:
        where = robots_url(url)
        if where not in self._verdicts:
            self._verdicts[where] = self._verdict(where)
        return self._verdicts[where]

    def _verdict(self, where: str) -> RobotsVerdict:
        if self._shop.robots is RobotsPolicy.IGNORE:
            return ignored(self._shop.refuse)
        with self._world.store.read() as unit:
            known = unit.shops.robots(where, MAX_AGE)
        if known is None:
            rules = replace(self._rules(None), accept="text/plain,*/*;q=0.5", may_cut=True, any_host=True)
            answer = self._paced(where, rules, timedelta(0))
            self.requests += answer.requests
            known = verdict(answer)
            if known.kind is not RobotsKind.UNREACHABLE:
                with self._world.store.write() as unit:
                    unit.shops.keep_robots(where, known)
        return known.as_set(self._shop.refuse, self._shop.allow)

    def _allowed(self, url: str) -> bool:
        return self._robots(url).allows(url, self._world.limits.agent)

    def _fetch(
        self,
        url: str,
        *,
        accept: str | None = None,
        max_bytes: int = 0,
        headers: dict[str, str] | None = None,
        post: bytes | None = None,
    ) -> Page | Miss:
        """Make one tool call.

        Raises:
            _Over: the budget is spent, or the shop wants to be left alone.
        """
        robots = self._robots(url)
        if not robots.allows(url, self._world.limits.agent):
            raise _Over(f"the shop's robots.txt closes {url} to us ({robots.words})")
        if self.calls >= self._shop.tool_calls or self.requests >= self._shop.request_cap:
            spent = f"{self.calls} tool call{'' if self.calls == 1 else 's'} and {self.requests} requests"
            raise _Over(f"{spent} are spent, the budget of {self._shop.id!r}; --calls or tool_calls allows more")
        rules = self._rules(robots)
        rules = replace(rules, accept=accept or rules.accept, headers=headers or {}, post=post)
        rules = replace(rules, deadline=CATALOGUE_DEADLINE) if accept else rules
        most = max_bytes or self._world.limits.max_feed_bytes if accept else rules.max_body_bytes
        self.calls += 1
        came = self._paced(
            url, replace(rules, max_body_bytes=most, max_wire_bytes=most), robots.crawl_delay(self._world.limits.agent)
        )
        self.requests += came.requests
        why = without_page(came) if isinstance(came, Miss) else classify(came)
        if isinstance(came, Page) and why is not None and _wants_rest(came, why):
            raise _Over(f"{why.words}; nothing more was asked")
        return came

    def _rules(self, robots: RobotsVerdict | None) -> FetchRules:
        shop, limits = self._shop, self._world.limits
        hosts = (bucket_of(shop.base_url), *shop.extra_hosts, *((bucket_of(shop.feed),) if shop.feed else ()))
        return FetchRules(
            hosts=hosts,
            allow_addresses=frozenset(shop.allow_addresses),
            accept_language=shop.language,
            deadline=limits.page_deadline,
            max_body_bytes=limits.max_body_bytes,
            max_requests=max(min(shop.request_cap - self.requests, 6), 0),
            hop_delay=max(shop.delay, robots.crawl_delay(limits.agent) if robots else timedelta(0)),
            robots=robots,
        )

    def _paced(self, url: str, rules: FetchRules, crawl_delay: timedelta) -> Page | Miss:
        """Fetch when the shop's next slot comes; other processes keep the same table."""
        delay = space_between(self._shop.delay, crawl_delay)
        slot = slot_of(url, delay, platform=self.platform, quiet=self._shop.quiet_hours)
        while True:
            with self._world.store.write() as unit:
                wait = slot.quiet_for(unit.now) or unit.shops.take_slot(slot, _NO_JOB)
            if wait <= timedelta(0):
                return self._world.fetcher.fetch(url, rules)
            if wait > PATIENCE:
                raise _Over(f"the shop is not to be visited for another {wait.total_seconds():.0f} s; try again then")
            self._world.pause(wait.total_seconds())


def _wants_rest(page: Page, why: NoReading) -> bool:
    """Say whether the shop wants to be left alone: it asks for time, or a wall came. One refusal is of one address."""
    return asks_to_slow_down(page, why) or (ends_visit(why) and why.reason != "refused")


def _with_variant(url: str, variant: Variant) -> str:
    """Return an address that chooses a variant where the platform has one for it; Shopify's ids are long numbers."""
    is_shopify = "/products/" in url and variant.id.isdecimal()
    return f"{url}?variant={variant.id}" if is_shopify and "?" not in url else url

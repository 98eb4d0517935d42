"""Look through what a shop sells: its catalogue where there is an adapter for it, else its sitemaps.

The look keeps all that a night keeps: robots.txt, the shop's pacing and quiet hours, one visitor at a time, the
budget of tool calls and the cap of requests. It stops when they are spent and says that it is not complete. Nothing
is recorded but the platform it found, and what robots.txt said.
"""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urljoin

from monitor.domain.address import UrlRefused, belongs, target
from monitor.domain.answer import classify, closed_by, without_page
from monitor.domain.asking import Asked, CatalogueAsk, Platform, SoFar, has_come_before, origin_of
from monitor.domain.catalogue import Catalogue, Competitor
from monitor.domain.discovery import Discovered, Discovery, proposed
from monitor.domain.extraction import Outcome
from monitor.domain.knowledge import PLATFORM, Known, merged
from monitor.domain.listing import Answer, Item, Listing, Problem, Variant
from monitor.domain.pacing import bucket_of
from monitor.domain.page import Miss
from monitor.domain.robots import RobotsKind
from monitor.extract.charset import decoded
from monitor.extract.platforms import ADAPTERS, detected
from monitor.extract.platforms.shopify import presentment_currency
from monitor.extract.platforms.sitemap import (
    USUAL,
    Sitemap,
    in_order,
    lists_products,
    name_in,
    product_pages,
    read_sitemap,
)
from monitor.flow.collect.catalogue_call import OFF
from monitor.flow.collect.outside import Guest, Over, Surroundings

#: How deep sitemaps are followed, and how many of them.
MAX_DEPTH, MAX_SITEMAPS = 3, 50
#: Products kept of one shop.
MAX_PRODUCTS = 50_000


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


class _Look(Guest):
    """The state of one look."""

    def __init__(self, competitor: Competitor, world: Surroundings) -> None:
        super().__init__(competitor, world)
        self._origin = origin_of(competitor.base_url)
        with world.store.read() as unit:
            self._known = Known.of(unit.shops.facts(competitor.id), unit.now.date())
        named = competitor.platform if competitor.platform != "auto" else None
        self.platform = named or ("feed" if competitor.feed else self._known.platform)
        self.evidence: list[str] = []
        self.is_complete = False
        self.notes: list[str] = []
        self._currency: str | None = None
        self._learned: dict[str, Any] = {}

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
        except Over as over:
            self.is_complete = False
            self.notes.append(str(over))
        distinct = {(one.url, one.variant, one.their_sku): one for one in found}
        return source if found else "", list(distinct.values())[:MAX_PRODUCTS]

    def _home(self) -> None:
        """Read the home page where the platform is unknown, or where only a page tells the currency or lets us in."""
        if self.platform not in (None, "shopify", "bigcommerce"):
            return
        page = self.fetch(self.shop.base_url)
        why = without_page(page) if isinstance(page, Miss) else classify(page)
        if why is not None or isinstance(page, Miss):
            words = f": {why.words}" if why and why.outcome is not Outcome.NOT_FOUND else ""
            self.notes.append(f"the home page could not be read, so nothing tells the platform{words}")
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
        with self.world.store.write() as unit:
            fact = {"name": self.platform, "evidence": self.evidence, "page": page}
            unit.shops.learn(self.shop.id, PLATFORM, fact | {"found_on": unit.now.date().isoformat()})

    def _walk(self, adapter: Platform) -> Iterator[Item]:
        """Yield the items of the whole catalogue, page by page."""
        asked: list[Asked] = []
        while True:
            so_far = self._so_far(adapter, asked)
            ask = adapter.browse(so_far)
            failed = [call for call in asked if call.failed and call.failed is not Problem.ADJUST]
            is_over = bool(asked) and not asked[-1].failed and asked[-1].first is None
            if ask is None or is_over or len(failed) > 1 or (failed and failed[-1].failed is not Problem.PASSING):
                self.is_complete = bool(asked) and not failed and (is_over or not asked[-1].more)
                return
            listing = self._listing(adapter, ask)
            self._learned = merged([self._learned, listing.learned])
            self.notes.extend(filter(None, (listing.words, listing.loss, *listing.warnings)))
            first = listing.items[0].id if listing.items else None
            asked.append(Asked(ask.about, ask.page, (), (), (), listing.more, listing.cursor, first, listing.problem))
            if has_come_before(asked):
                self.notes.append("its catalogue gives the same page again and again; it was left there")
                return
            yield from listing.items

    def _so_far(self, adapter: Platform, asked: list[Asked]) -> SoFar:
        return SoFar(
            origin=self._origin,
            left=(),
            asked=tuple(asked),
            known=merged([self._known.learned_by(adapter.name), self._learned]),
            currency=self._currency,
            calls_left=self.shop.tool_calls - self.calls,
            closed=frozenset(name for name, url in adapter.endpoints(self._origin).items() if not self.allowed(url)),
            feed=self.shop.feed,
        )

    def _listing(self, adapter: Platform, ask: CatalogueAsk) -> Listing:
        is_feed = adapter.name == "feed"
        most = self.world.limits.max_feed_bytes if is_feed else self.world.limits.max_body_bytes
        accept = "application/xml,text/xml,*/*;q=0.5" if is_feed else "application/json"
        post = ask.post.encode() if ask.post is not None else None
        came = self.fetch(ask.url, accept=accept, max_bytes=most, headers=dict(ask.headers), post=post)
        if isinstance(came, Miss):
            return Listing(problem=Problem.PASSING if came.may_pass else Problem.OFF, words=came.words)
        why = classify(came)
        if why is not None:
            problem = Problem.OFF if came.status in OFF else Problem.PASSING
            return Listing(problem=problem, words=f"no catalogue: {why.words}")
        with self.world.store.read() as unit:
            at = unit.now
        return adapter.read(Answer(came.body, at, came.content_type, came.headers, ask.url, ask.post))

    def _of_item(self, item: Item) -> Iterator[Discovered]:
        path = item.url or ""
        url = (
            path
            if re.match(r"https?://", path)
            else urljoin(f"{self._origin}/", quote(path, safe="/%?=&-_.~", errors="replace"))
        )
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
                currency=variant.currency or self._currency or self.shop.currency,
                list_price=variant.list_price,
                availability=variant.availability,
                brand=item.brand,
                options=tuple(variant.options.values()),
            )

    def _sitemaps(self) -> Iterator[str]:
        """Yield the addresses of product pages that the shop's sitemaps list."""
        robots = self.robots(self.shop.base_url)
        if robots.kind is RobotsKind.UNREACHABLE:
            raise Over(closed_by(robots, self.shop.base_url).words)
        named = [_joined(f"{self._origin}/", url) for url in robots.sitemaps()]
        waiting = [(url, 0) for url in named or [self._origin + path for path in USUAL]]
        done: set[str] = set()
        found_any, is_whole, told = False, True, len(self.notes)
        while waiting and len(done) < MAX_SITEMAPS:
            url, depth = waiting.pop(0)
            if url in done or url.endswith("/robots.txt"):
                continue
            done.add(url)
            if not named and found_any and url == self._origin + USUAL[1]:
                continue
            is_usual = not named and not depth
            found = self._sitemap(url, done, is_usual=is_usual)
            if found is None:
                continue
            found_any = found_any or not found.problem
            children = [_joined(url, child) for child in in_order(found.children)]
            if found.children and not children:
                self.notes.append(f"{url}: it lists only sitemaps of other pages, such as {found.children[0][:200]}")
            is_whole = is_whole and (is_usual or not found.problem) and not (children and depth == MAX_DEPTH)
            if depth < MAX_DEPTH:
                waiting = [*((child, depth + 1) for child in children), *waiting]
            here = (page for page in (_joined(url, one) for one in found.pages) if self._is_ours(page))
            yield from product_pages(here, of_products=lists_products(url))
        if not found_any and not named and len(self.notes) == told:
            self.notes.append("robots.txt names no sitemap, and none lies at " + " or ".join(USUAL))
        self.is_complete = found_any and is_whole and not waiting

    def _sitemap(self, url: str, done: set[str], *, is_usual: bool) -> Sitemap | None:
        """Read one sitemap; None for one that was read before, or is no news: an empty usual place, another's host."""
        if not self._is_ours(url):
            self.notes.append(f"{url}: the sitemap lies on a host that is none of the shop's (extra_hosts)")
            return None
        found = self._asked(url, done, is_usual=is_usual)
        self.notes.extend([f"{url}: {found.problem}"] if found and found.problem else [])
        return found

    def _asked(self, url: str, done: set[str], *, is_usual: bool) -> Sitemap | None:
        if not self.allowed(url):
            return Sitemap(problem=closed_by(self.robots(url), url).words)
        came = self.fetch(url, accept="application/xml,text/xml,*/*;q=0.5")
        if isinstance(came, Miss):
            return Sitemap(problem=came.words)
        if (refused := classify(came)) is not None:
            is_news = not is_usual or refused.outcome is not Outcome.NOT_FOUND
            return Sitemap(problem=refused.words) if is_news else None
        if came.final_url in done - {url}:
            return None
        done.add(came.final_url)
        return read_sitemap(came.body)

    def _is_ours(self, url: str) -> bool:
        try:
            return belongs(target(url), (bucket_of(self.shop.base_url), *self.shop.extra_hosts))
        except UrlRefused:
            return False


def _joined(base: str, url: str) -> str:
    """Return an address as the standard wants it, whole; shops write relative ones as well."""
    if url.startswith(("https://", "http://")):
        return url
    try:
        return urljoin(base, url)
    except ValueError:
        return url  # none; it is told as one that is not the shop's


def _with_variant(url: str, variant: Variant) -> str:
    """Return an address that chooses a variant where the platform has one for it; Shopify's ids are long numbers."""
    is_shopify = "/products/" in url and variant.id.isdecimal()
    return f"{url}?variant={variant.id}" if is_shopify and "?" not in url else url

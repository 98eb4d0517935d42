"""Looking through a shop: its catalogue or its sitemaps, within the budget, and watches proposed by number."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from monitor.adapters.db.store import SqlStore
from monitor.domain.catalogue import Catalogue, Competitor, Product, RobotsPolicy, Watch
from monitor.domain.discovery import Discovered, Discovery, proposed
from monitor.domain.page import FetchRules, Miss, MissReason, Page
from monitor.flow.collect import Limits
from monitor.flow.collect.discover import discover
from monitor.flow.collect.outside import Surroundings
from tests.catalogue_scene import CatalogueShop
from tests.core_scene import SetClock, opened
from tests.fakes import FakeFetcher

Look = Callable[..., Discovery]
SHOP = "https://rival.example"


def ours(*skus: str, **known: Any) -> tuple[Product, ...]:
    return tuple(Product(sku, sku, "EUR", Decimal(10), **known) for sku in skus)


@pytest.fixture
def store(own_sqlite_url: str) -> Iterator[SqlStore]:
    clock = SetClock()
    found = opened(own_sqlite_url, clock)
    yield found
    found.close()


@pytest.fixture
def look(store: SqlStore) -> Look:
    """Look through a shop in memory."""

    def through(
        shop: CatalogueShop | FakeFetcher,
        *,
        catalogue: Catalogue | None = None,
        clock: Callable[[], float] = lambda: 0.0,
        **settings: Any,
    ) -> Discovery:
        fetcher = _Memory(shop) if isinstance(shop, CatalogueShop) else shop
        feed = {"feed": f"{SHOP}/feed.xml"} if getattr(shop, "platform", "") == "feed" else {}
        common = {"delay": timedelta(0), "jitter": 0.0, "robots": RobotsPolicy.OBEY} | feed | settings
        competitor = Competitor("rival", "Rival", SHOP, **common)  # type: ignore[arg-type]  # of mixed types
        known = catalogue or Catalogue((), (competitor,), ())
        world = Surroundings(store, fetcher, Limits("pricebot"), lambda _s: None, clock=clock)
        return discover(competitor, known, world)

    return through


class _Memory:
    """A shop as a fetcher; its home page is the page of its first product."""

    def __init__(self, shop: CatalogueShop) -> None:
        self.shop = shop

    def fetch(self, url: str, rules: FetchRules) -> Page | Miss:
        target = url.removeprefix(self.shop.origin) or "/"
        target = self.shop.path(0) if target == "/" else target
        method = "GET" if rules.post is None else "POST"
        status, headers, body = self.shop.respond(method, target, rules.post or b"")
        return Page(url, url, status, headers, body, 1)


@pytest.mark.parametrize(
    ("platform", "count", "calls"),
    [
        ("shopify", 520, 5),  # home page, three pages of the list, the empty one
        ("woocommerce", 250, 4),
        ("magento", 250, 4),
        ("bigcommerce", 120, 4),
        ("feed", 300, 1),
    ],
)
def test_a_whole_catalogue_is_listed_with_prices_and_numbers(look: Look, platform: str, count: int, calls: int) -> None:
    shop = CatalogueShop(platform, count)

    found = look(shop)

    assert (found.platform, found.source, found.is_complete, found.calls) == (platform, platform, True, calls)
    assert len(found.products) == count
    assert {one.their_sku: (one.price, one.currency) for one in found.products} == {
        f"T-{n}": (shop.price(n), "EUR") for n in range(count)
    }
    assert {one.url.rstrip("/") for one in found.products} == {SHOP + shop.path(n).rstrip("/") for n in range(count)}


def test_the_platform_that_was_found_is_remembered(look: Look, store: SqlStore) -> None:
    look(CatalogueShop("woocommerce", 3))

    with store.read() as unit:
        assert unit.shops.facts("rival")["platform"]["name"] == "woocommerce"
    assert look(CatalogueShop("woocommerce", 3)).calls == 1  # no home page the second time


def test_the_budget_ends_a_look_and_it_says_so(look: Look) -> None:
    found = look(CatalogueShop("woocommerce", 900), tool_calls=4)

    assert (found.calls, found.is_complete, len(found.products)) == (4, False, 300)
    assert "4 tool calls" in found.notes[0]


def test_a_look_ends_when_its_time_is_over_and_keeps_what_it_found(look: Look) -> None:
    """A shop that answers each call just in time was looked through for as long as its budget lasted: hours."""
    seconds = iter(range(0, 100_000, 100))

    found = look(CatalogueShop("woocommerce", 900), clock=lambda: float(next(seconds)), tool_calls=40)

    assert not found.is_complete
    assert found.products
    assert found.notes[-1] == "the 10 minutes that a look may take are over; --minutes allows more"


def test_watches_are_proposed_by_number_and_never_twice(look: Look) -> None:
    competitor = Competitor("rival", "Rival", SHOP)
    watched = (Watch("rival", "T-2", f"{SHOP}/p/thing-2/"),)
    catalogue = Catalogue(ours("T-1", "t-3", "T-2", "OTHER"), (competitor,), watched)

    found = look(CatalogueShop("woocommerce", 10), catalogue=catalogue)

    assert [(one.watch.sku, one.by, one.watch.url) for one in found.proposed] == [
        ("T-1", "sku", f"{SHOP}/p/thing-1/"),
        ("t-3", "sku", f"{SHOP}/p/thing-3/"),
    ]
    assert {one.watch.match.value for one in found.proposed} == {"suggested"}
    assert found.already == ("T-2",)


def test_a_gtin_counts_more_than_a_sku_and_one_number_at_two_addresses_is_unclear() -> None:
    competitor = Competitor("rival", "Rival", SHOP)
    products = [
        Discovered(f"{SHOP}/a", "A", their_gtin="04006381333931"),
        Discovered(f"{SHOP}/b", "B", their_sku="X-1"),
        Discovered(f"{SHOP}/c", "C", their_sku="Y-2"),
        Discovered(f"{SHOP}/d", "D", their_sku="Y-2"),
        Discovered(f"{SHOP}/rope-4006381333948-blue", "E"),
        Discovered(f"{SHOP}/p/kettle_zx-90210", "F"),
    ]
    known = (
        Product("X-1", "x", "EUR", Decimal(1), gtin="4006381333931"),
        *ours("Y-2", "ZX 90210", "UR"),
        Product("N", "n", "EUR", Decimal(1), gtin="4006381333948"),
    )

    ready, already, unclear = proposed(products, Catalogue(known, (competitor,), ()), "rival")

    assert {one.watch.sku: (one.by, one.watch.url.removeprefix(SHOP)) for one in ready} == {
        "X-1": ("gtin", "/a"),
        "N": ("gtin in the address", "/rope-4006381333948-blue"),
        "ZX 90210": ("sku in the address", "/p/kettle_zx-90210"),
    }
    assert (already, unclear) == ((), {"Y-2": (f"{SHOP}/c", f"{SHOP}/d")})


def sitemap(*urls: str, index: bool = False) -> bytes:
    outer, inner = ("sitemapindex", "sitemap") if index else ("urlset", "url")
    rows = "".join(f"<{inner}><loc>{url}</loc></{inner}>" for url in urls)
    return (
        f'<?xml version="1.0"?><{outer} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</{outer}>'.encode()
    )


def test_a_shop_without_an_adapter_is_looked_through_by_its_sitemaps(look: Look) -> None:
    shop = FakeFetcher()
    shop.serve(f"{SHOP}/robots.txt", f"Sitemap: {SHOP}/all.xml\nSitemap: https://elsewhere.example/s.xml\n".encode())
    shop.serve(f"{SHOP}/", b"<html><title>Shop</title></html>")
    parts = (f"{SHOP}/page-sitemap.xml", f"{SHOP}/all.xml", f"{SHOP}/product-sitemap.xml")
    shop.serve(f"{SHOP}/all.xml", sitemap(*parts, index=True))
    pages = (f"{SHOP}/", f"{SHOP}/rope-60", f"{SHOP}/chalk-bag.html", "https://elsewhere.example/p/x")
    shop.serve(f"{SHOP}/product-sitemap.xml", sitemap(*pages))

    found = look(shop)

    assert (found.platform, found.source, found.is_complete) == (None, "sitemap", True)
    assert {one.url: one.name for one in found.products} == {
        f"{SHOP}/rope-60": "rope 60",
        f"{SHOP}/chalk-bag.html": "chalk bag",
    }
    assert found.calls == 3  # home page, index, products; an index that lists itself is asked once
    assert all(one.price is None for one in found.products)


def test_a_sitemap_that_robots_txt_names_and_that_is_not_to_be_had_is_told(look: Look) -> None:
    shop = FakeFetcher()
    named = ("/part.xml", f"{SHOP}/gone.xml", "https://elsewhere.example/s.xml", f"{SHOP}/closed/s.xml")
    rules = "User-agent: *\nDisallow: /closed/\n" + "".join(f"Sitemap: {url}\n" for url in named)
    shop.serve(f"{SHOP}/robots.txt", rules.encode())
    shop.serve(f"{SHOP}/", b"<html><title>Shop</title></html>")
    shop.serve(f"{SHOP}/part.xml", sitemap(f"{SHOP}/p/rope-60"))  # the standard wants a whole address; shops write this

    found = look(shop)

    assert [one.url for one in found.products] == [f"{SHOP}/p/rope-60"]
    assert found.notes == (
        f"{SHOP}/gone.xml: the page is gone (HTTP 404)",
        "https://elsewhere.example/s.xml: the sitemap lies on a host that is none of the shop's (extra_hosts)",
        f"{SHOP}/closed/s.xml: the shop's robots.txt closes this page to us; it was not asked for",
    )


@pytest.mark.parametrize("named", [b"", b"Sitemap: http://[\nSitemap: /all.xml\n"])
def test_sitemaps_that_loop_or_name_their_places_in_short_are_read_once(look: Look, named: bytes) -> None:
    shop = FakeFetcher()
    shop.serve(f"{SHOP}/robots.txt", named)
    shop.serve(f"{SHOP}/", b"<html><title>Shop</title></html>")
    for name, others in {"sitemap": ("all.xml",), "all": ("/sitemap.xml", "part.xml"), "part": ("all.xml",)}.items():
        shop.serve(f"{SHOP}/{name}.xml", sitemap(*others, index=True) if name != "part" else sitemap("p/a", "/p/b"))

    found = look(shop)

    assert [one.url for one in found.products] == [f"{SHOP}/p/a", f"{SHOP}/p/b"]
    assert (found.calls, found.is_complete) == (4, True)


@pytest.mark.parametrize("depth", [2, 5])
def test_what_was_not_to_be_had_of_the_sitemaps_makes_a_look_incomplete(look: Look, depth: int) -> None:
    shop = FakeFetcher()
    shop.serve(f"{SHOP}/robots.txt", b"")
    shop.serve(f"{SHOP}/", b"<html><title>Shop</title></html>")
    shop.serve(f"{SHOP}/sitemap.xml", sitemap(f"{SHOP}/products.xml", f"{SHOP}/s2.xml", index=True))
    shop.serve(f"{SHOP}/products.xml", sitemap(f"{SHOP}/p/a"))
    for level in range(2, depth):  # the last one is not there
        shop.serve(f"{SHOP}/s{level}.xml", sitemap(f"{SHOP}/s{level + 1}.xml", index=True))

    found = look(shop)

    assert ([one.url for one in found.products], found.is_complete) == ([f"{SHOP}/p/a"], False)


@pytest.mark.parametrize("platform", ["woocommerce", "magento", "bigcommerce"])
def test_an_empty_part_is_the_end_of_a_catalogue_that_promises_more(look: Look, platform: str) -> None:
    shop = CatalogueShop(platform, 40)
    said = shop.respond

    def promising(method: str, target: str, body: bytes = b"") -> Any:
        status, headers, answer = said(method, target, body)
        answer = re.sub(rb'"total_pages": \d+', b'"total_pages": 99999', answer).replace(
            b'Page": false', b'Page": true'
        )
        return status, headers | {"x-wp-totalpages": "99999"}, answer

    shop.respond = promising  # type: ignore[method-assign]
    found = look(shop)

    assert (len(found.products), found.is_complete, found.calls) == (40, True, 3)


def test_a_catalogue_that_is_switched_off_is_looked_through_by_sitemaps(look: Look) -> None:
    shop = CatalogueShop("woocommerce", 10)
    shop.broken["wp-json"] = shop.broken["rest_route"] = 401

    found = look(shop)

    assert (found.source, found.products, found.is_complete) == ("", (), False)
    assert any("no catalogue" in note for note in found.notes)


def test_a_wall_or_a_wish_for_time_ends_the_look(look: Look) -> None:
    shop = CatalogueShop("woocommerce", 500)
    shop.broken["page=2"] = 429

    found = look(shop)

    assert len(found.products) == 100
    assert not found.is_complete
    assert any("slow down" in note for note in found.notes)


def test_a_list_that_gives_its_first_page_for_ever_ends_the_look(look: Look) -> None:
    shop = CatalogueShop("shopify", 600)
    said = shop.respond
    shop.respond = lambda method, target, body=b"": said(method, target.split("&page=")[0], body)  # type: ignore[method-assign]

    found = look(shop, tool_calls=40)

    assert (found.calls, len(found.products), found.is_complete) == (3, 250, False)
    assert found.notes == ("its catalogue gives the same page again and again; it was left there",)


@pytest.mark.parametrize("platform", ["auto", "pages", "woocommerce"])
def test_a_shop_that_is_down_is_called_that_and_asked_once(look: Look, platform: str) -> None:
    """Its robots.txt could not be had, and was said to close the sitemaps."""
    shop = FakeFetcher()
    shop.say(f"{SHOP}/robots.txt", MissReason.CONNECT)

    found = look(shop, platform=platform)

    assert (found.products, found.calls) == ((), 0)
    (told,) = found.notes
    assert told.endswith(f"robots.txt unreachable: connect: {SHOP}/robots.txt, so nothing was asked of this host")


def test_what_is_refused_is_not_called_missing(look: Look) -> None:
    shop = FakeFetcher()
    shop.serve(f"{SHOP}/robots.txt", b"")
    for path in ("/", "/sitemap.xml"):
        shop.serve(f"{SHOP}{path}", b"", status=403)
    shop.say(f"{SHOP}/sitemap_index.xml", MissReason.DEADLINE)

    refused = "the shop refuses to show the page (HTTP 403)"
    assert look(shop).notes == (
        f"the home page could not be read, so nothing tells the platform: {refused}",
        f"{SHOP}/sitemap.xml: {refused}",
        f"{SHOP}/sitemap_index.xml: deadline: {SHOP}/sitemap_index.xml",
    )


def test_an_index_of_nothing_but_news_is_no_shop_without_products(look: Look) -> None:
    shop = FakeFetcher()
    index = "".join(f"<sitemap><loc>{SHOP}/{name}</loc></sitemap>" for name in ("post-sitemap.xml", "tag-sitemap.xml"))
    shop.serve(f"{SHOP}/robots.txt", f"Sitemap: {SHOP}/sitemap.xml".encode())
    shop.serve(SHOP, b"<html><body>Hello</body></html>")
    shop.serve(f"{SHOP}/sitemap.xml", f"<sitemapindex>{index}</sitemapindex>".encode())

    told = f"{SHOP}/sitemap.xml: it lists only sitemaps of other pages, such as {SHOP}/post-sitemap.xml"
    assert told in look(shop).notes


def test_robots_txt_closes_what_it_closes(look: Look) -> None:
    shop = CatalogueShop("feed", 10)
    shop.robots = b"User-agent: *\nDisallow: /\n"

    found = look(shop)

    assert (found.calls, found.products) == (0, ())
    assert "robots.txt" in found.notes[-1]


def test_a_shopify_variant_gets_an_address_and_a_key_of_its_own(look: Look) -> None:
    shop = CatalogueShop("shopify", 1)
    product = shop._shopify_product(0, "10.00")
    product["variants"] = [replace_in(product["variants"][0], id=one, title=f"Size {one}") for one in (71, 72)]
    shop._shopify_product = lambda _n, _price: product  # type: ignore[method-assign,assignment]  # one with sizes

    found = look(shop)

    assert [(one.url, one.variant, one.name) for one in found.products] == [
        (f"{SHOP}/products/thing-0?variant=71", "71", "Thing 0 - Size 71"),
        (f"{SHOP}/products/thing-0?variant=72", "72", "Thing 0 - Size 72"),
    ]


def replace_in(variant: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return variant | changes


def test_a_proposal_keeps_what_the_shop_calls_it(look: Look) -> None:
    competitor = Competitor("rival", "Rival", SHOP)
    gtin = Discovered(f"{SHOP}/a", "A", variant="71", their_sku="Q", their_gtin="4006381333931")
    product = replace(ours("X")[0], gtin="4006381333931")

    ready, _, _ = proposed([gtin], Catalogue((product,), (competitor,), ()), "rival")

    assert (ready[0].watch.variant, ready[0].watch.their_sku, ready[0].watch.their_gtin) == ("71", "Q", "4006381333931")


def test_a_product_is_watched_already_when_its_address_is_listed_whatever_its_number() -> None:
    watches = (
        Watch("rival", "BOOT", f"{SHOP}/p/trail-boot/"),
        Watch("rival", "MUG", "HTTPS://Rival.example/p/mug#buy"),
        Watch("rival", "GONE", f"{SHOP}/p/gone"),
        Watch("other", "SOCK", f"{SHOP}/p/sock"),
    )
    listed = [Discovered(f"{SHOP}/p/{name}", name) for name in ("trail-boot", "mug", "sock")]
    found = proposed(listed, Catalogue(ours("BOOT", "MUG", "GONE", "SOCK"), (), watches), "rival")

    assert found == ((), ("BOOT", "MUG"), {})

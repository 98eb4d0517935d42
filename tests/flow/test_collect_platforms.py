"""Nights at shops of each platform: few calls, right prices, a comparison that is kept, and pages when all fails."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from monitor.domain.catalogue import Product, RobotsPolicy
from monitor.domain.page import FetchRules, Miss, Page
from tests.catalogue_scene import CatalogueShop, Visits, copied
from tests.core_scene import SetClock, opened

Opened = Callable[..., Visits]
#: How a first and a second night ask, for a hundred watches.
WAYS = {
    "shopify": (["page", "js", "list"], ["page", "list"]),
    "woocommerce": (["page", "slug"], ["ids"]),
    "magento": (["page", "url_key"], ["url_key"]),
    "bigcommerce": (["page", *["path"] * 5], ["page", *["ids"] * 2]),
    "feed": (["page", "feed"], ["feed"]),
}


@pytest.fixture
def visits(own_sqlite_url: str) -> Iterator[Opened]:
    """Open nights at a shop."""
    store = opened(own_sqlite_url, clock := SetClock(datetime(2026, 11, 28, 0, 0, tzinfo=UTC)))

    def open_(platform: str, count: int = 40, watched: int | None = None, **settings: Any) -> Visits:
        shop = CatalogueShop(platform, count)
        return Visits(store, clock, shop, settings=settings).with_watches(*range(watched or count))

    yield open_
    store.close()


@pytest.mark.parametrize("platform", WAYS)
def test_a_hundred_watches_are_read_in_few_calls_and_fewer_the_second_night(visits: Opened, platform: str) -> None:
    scene = visits(platform, 120, watched=100)
    scene.shop.sold_out.add(7)

    first, second = scene.night(), scene.night()

    assert (first.ways, second.ways) == WAYS[platform]
    for night in (first, second):
        prices = {sku: seen.price for sku, seen in night.seen.items()}
        assert prices == {f"S{n:04}": scene.shop.price(n) for n in range(100)}
        assert {seen.currency for seen in night.seen.values()} == {"EUR"}
    assert second.seen["S0007"].availability.value == ("unknown" if platform == "feed" else "out_of_stock")


@pytest.mark.parametrize("platform", WAYS)
def test_platform_and_comparison_are_remembered_with_evidence_and_date(visits: Opened, platform: str) -> None:
    night = visits(platform, 30).night()

    with_date = {"compared_on": "2026-11-29"}
    assert (
        night.facts["comparison"].items() >= {"platform": platform, "agrees": True, "sku": "S0000", **with_date}.items()
    )
    assert night.facts["comparison"]["currency_source"] == ("page" if platform == "shopify" else "answer")
    if platform != "feed":  # that one is entered, not found
        assert night.facts["platform"]["name"] == platform
        assert night.facts["platform"]["found_on"] == "2026-11-29"
        assert night.facts["platform"]["evidence"]


@pytest.mark.parametrize("platform", WAYS)
def test_a_catalogue_without_the_tax_that_pages_show_is_never_used(visits: Opened, platform: str) -> None:
    """A net price taken for what shoppers pay would be wrong by the tax; so each watch is read on its page."""
    scene = visits(platform, 30)
    scene.shop.tax = Decimal("1.19")

    first, second = scene.night(), scene.night()

    for night in (first, second):
        read = {sku: seen.price for sku, seen in night.seen.items() if seen.price is not None}
        assert read
        assert all(price == scene.shop.shown(int(sku[1:])) for sku, price in read.items())
        skipped = [seen.words for seen in night.seen.values() if seen.reason == "budget"]
        assert skipped
        assert all("19 % tax" in words for words in skipped)
        assert "19 % tax" in night.alerts[0]
    assert first.facts["comparison"]["tax_pct"] == "19"
    assert set(second.ways) == {"page"}


def test_a_list_that_was_believed_is_held_against_the_page_of_every_night(visits: Opened) -> None:
    """The list of a Shopify shop names no currency and may come from another market's cache than the pages."""
    scene = visits("shopify", 30, watched=8)
    first = scene.night()
    scene.shop.tax = Decimal("1.08")
    second = scene.night()

    assert (first.ways, second.ways) == (["page", "js", "list"], ["page", "list", *["page"] * 7])
    assert {sku: seen.price for sku, seen in second.seen.items()} == {f"S{n:04}": scene.shop.shown(n) for n in range(8)}
    distrusted = [step.result["distrusted"] for step in second.steps if step.result and "distrusted" in step.result]
    prices = "S0000: 10.00 EUR there, 10.80 EUR on the page"
    assert distrusted == [f"its catalogue is not used tonight: it has another price than a page ({prices})"]


def test_a_first_list_is_compared_as_well_as_the_twin_of_one_product(visits: Opened) -> None:
    scene = visits("shopify", 30, watched=8)
    said = scene.shop._shopify_product
    scene.shop._shopify_product = lambda n, price: said(n, price if isinstance(price, int) else f"9{price}")  # type: ignore[method-assign]
    night = scene.night()

    assert night.ways == ["page", "js", "list", *["page"] * 7]
    assert {sku: seen.price for sku, seen in night.seen.items()} == {f"S{n:04}": scene.shop.price(n) for n in range(8)}


def test_a_comparison_is_made_again_after_thirty_days(visits: Opened) -> None:
    scene = visits("woocommerce", 30)
    scene.night()
    scene.day += timedelta(days=29)
    scene.clock.forward(days=29)

    again = scene.night()

    assert again.ways == ["page", "ids"]
    assert again.facts["comparison"]["compared_on"] == again.facts["platform"]["found_on"] == "2026-12-29"


def test_a_difference_that_is_no_tax_proves_nothing_and_is_looked_at_again(visits: Opened) -> None:
    scene = visits("woocommerce", 8)
    scene.shop.tax = Decimal("1.5")
    first = scene.night()
    scene.shop = copied(scene.shop, tax=Decimal(1))
    second = scene.night()

    assert first.facts["comparison"]["agrees"] is None
    assert first.ways == ["page", "slug", *["page"] * 7]
    assert second.facts["comparison"]["agrees"] is True
    assert second.ways == ["page", "slug"]


@pytest.mark.parametrize(
    ("platform", "endpoint", "status", "calls"),
    [
        ("woocommerce", "wc/store", 500, 2),
        ("woocommerce", "wc/store", 401, 2),  # the second call asks the other address of the API
        ("magento", "graphql", 403, 2),  # the second call is a POST
        ("magento", "graphql", 502, 2),
        ("bigcommerce", "graphql", 500, 2),
        ("bigcommerce", "graphql", 401, 1),
        ("feed", "feed.xml", 404, 1),
        ("feed", "feed.xml", 500, 2),
    ],
)
def test_an_adapter_that_fails_falls_back_to_pages_for_tonight_and_is_found_again(
    visits: Opened, platform: str, endpoint: str, status: int, calls: int
) -> None:
    scene = visits(platform, 8)
    scene.shop.broken[endpoint] = status
    first = scene.night()
    scene.shop.broken.clear()
    second = scene.night()

    assert [step.tool for step in first.steps] == ["page", *["catalogue"] * calls, *["page"] * 7]
    assert {outcome for outcome, _ in first.outcomes.values()} == {"ok"}
    if platform != "feed":
        assert first.facts["platform"]["failed_on"] == "2026-11-29"
        assert second.facts["platform"]["found_on"] == "2026-11-30"
    assert [step.tool for step in second.steps][:2] == ["page", "catalogue"]
    assert {outcome for outcome, _ in second.outcomes.values()} == {"ok"}


def test_a_known_adapter_that_fails_names_why_pages_did_not_reach_all(visits: Opened) -> None:
    scene = visits("woocommerce", 40)
    scene.night()
    scene.shop.broken["wp-json"] = 500

    night = scene.night()

    assert night.ways == ["ids", "ids", *["page"] * 10]
    skipped = [seen for seen in night.seen.values() if seen.reason == "budget"]
    assert len(skipped) == 30
    assert all("its catalogue failed" in seen.words for seen in skipped)
    assert any("its catalogue failed" in words for words in night.alerts)


@pytest.mark.parametrize(("platform", "endpoint"), [("feed", "feed.xml"), ("shopify", "products.json")])
def test_a_catalogue_that_is_switched_off_is_named_where_pages_did_not_reach_all(
    visits: Opened, platform: str, endpoint: str
) -> None:
    scene = visits(platform, 40)
    scene.shop.broken[endpoint] = 401

    night = scene.night()

    skipped = [seen for seen in night.seen.values() if seen.reason == "budget"]
    assert skipped
    assert all("its catalogue failed: no catalogue" in seen.words and "HTTP 401" in seen.words for seen in skipped)
    assert any("its catalogue failed" in words for words in night.alerts)


def test_a_catalogue_that_asks_for_time_is_asked_the_same_again(visits: Opened) -> None:
    scene = visits("woocommerce", 10)
    scene.night()
    scene.shop.broken["wp-json"] = 429
    scene.on_wait = scene.shop.broken.clear

    night = scene.night()

    assert night.ways == ["ids", "ids"]
    assert {outcome for outcome, _ in night.outcomes.values()} == {"ok"}


def test_a_shop_without_pretty_addresses_is_asked_at_its_plain_one_from_then_on(visits: Opened) -> None:
    scene = visits("woocommerce", 20)
    scene.shop.broken["wp-json"] = 404
    first, second = scene.night(), scene.night()

    assert first.ways == ["page", "slug", "slug"]
    assert second.ways == ["ids"]
    assert "rest_route" in second.asked[0]
    assert {outcome for outcome, _ in first.outcomes.values()} == {"ok"}


def test_a_shop_that_takes_graphql_by_post_only_and_twenty_at_a_time_is_learnt(visits: Opened) -> None:
    scene = visits("magento", 60)
    scene.shop.only_post = True
    scene.shop.page_size = 20

    first, second = scene.night(), scene.night()

    assert first.ways == ["page", *["url_key"] * 5]  # turned away, told the page size, then three answers
    assert second.ways == ["url_key"] * 3
    assert {outcome for outcome, _ in second.outcomes.values()} == {"ok"}
    assert first.facts["catalogue"].items() >= {"method": "post", "page_size": 20}.items()


def test_robots_txt_closes_a_catalogue_and_pages_go_on(visits: Opened) -> None:
    scene = visits("woocommerce", 6, robots=RobotsPolicy.OBEY)
    scene.shop.robots = b"User-agent: *\nDisallow: /wp-json/\n"

    night = scene.night()

    assert night.ways == ["robots", *["page"] * 6]
    assert not any("wp-json" in target or "rest_route" in target for target in night.asked)


def test_a_feed_on_another_host_is_held_against_that_hosts_robots_txt(visits: Opened) -> None:
    scene = visits("feed", 6, robots=RobotsPolicy.OBEY)
    scene.shop.robots = b"User-agent: *\nDisallow: /feed.xml\n"

    night = scene.night()

    assert night.ways == ["robots", *["page"] * 6]


def test_a_watched_variation_is_asked_for_by_its_own_id_and_so_from_then_on(visits: Opened) -> None:
    """The least price of a variable product may be another variation's, so the range alone gives no price."""
    scene = visits("woocommerce", 10)
    scene.shop.sized.add(7)
    large = scene.shop.origin + scene.shop.path(7) + "?attribute_pa_size=l"
    scene.watches = tuple(replace(w, url=large) if w.sku == "S0007" else w for w in scene.watches)

    first, second = scene.night(), scene.night()

    assert first.ways == ["page", "slug", "variations"]
    assert second.ways == ["ids", "variations"]
    for night in (first, second):
        assert night.seen["S0007"].price == scene.shop.price(7) + 1


def test_a_product_in_several_sizes_gives_no_price_to_a_watch_that_names_none(visits: Opened) -> None:
    scene = visits("woocommerce", 10, tool_calls=2)
    scene.shop.sized.add(7)

    night = scene.night()

    assert night.outcomes["S0007"] == ("ambiguous", "range")  # its page would be next; the budget is spent
    assert "cost from 10.07 to 11.07 EUR" in night.seen["S0007"].words


@pytest.mark.parametrize("watched", [1, 2, 5])
def test_a_page_that_tells_no_price_is_looked_for_in_the_feed_too(visits: Opened, watched: int) -> None:
    scene = visits("feed", 8, watched=watched)
    scene.shop.silent.update(dict.fromkeys(range(8), ""))

    first, second = scene.night(), scene.night()

    for night in (first, second):
        assert {sku: seen.price for sku, seen in night.seen.items()} == {
            f"S{n:04}": scene.shop.price(n) for n in range(watched)
        }
    assert first.ways == [*["page"] * min(watched, 2), "feed"]


def test_a_page_keeps_its_words_where_the_feed_has_no_price_either(visits: Opened) -> None:
    scene = visits("feed", 4, watched=4)
    scene.shop.silent[0] = ""
    scene.shop.on_offer[0] = "from 12 EUR"

    night = scene.night()

    assert night.seen["S0000"].reason == "no_clear_price"
    assert [seen.outcome.value for seen in night.seen.values()] == ["no_price", "ok", "ok", "ok"]


@pytest.mark.parametrize(
    "words", ["This product has been discontinued.", 'Price on request</p><p>Bulb <b class="price">3.90 EUR</b>']
)
def test_what_a_page_says_of_its_product_is_not_overruled_by_the_feed(visits: Opened, words: str) -> None:
    scene = visits("feed", 4, watched=4)
    scene.shop.silent[0] = words

    assert scene.night().seen["S0000"].outcome.value == "no_price"


def test_a_recipe_that_fails_is_not_replaced_by_the_feed(visits: Opened) -> None:
    scene = visits("feed", 4, watched=2, recipe={"price": ".no-such-thing"})

    night = scene.night()

    assert {seen.reason for seen in night.seen.values()} == {"recipe_no_match"}


def test_a_product_that_left_the_catalogue_is_asked_for_on_its_page(visits: Opened) -> None:
    scene = visits("woocommerce", 20)
    scene.night()
    gone = copied(scene.shop, count=18)
    scene.shop = gone

    night = scene.night()

    assert night.ways == ["ids", "slug", "page", "page"]
    assert night.outcomes["S0018"] == night.outcomes["S0019"] == ("not_found", "http_404")


def test_a_watch_that_moved_to_another_address_is_not_read_by_its_old_number(visits: Opened) -> None:
    """The shop's number of a product was learnt for an address; the operator may enter another product's address."""
    scene = visits("woocommerce", 20)
    scene.night()
    scene.watches = (replace(scene.watches[0], url=scene.shop.origin + scene.shop.path(19)), *scene.watches[1:19])

    night = scene.night()

    assert night.seen["S0000"].price == scene.shop.price(19)


def test_a_catalogue_in_another_currency_than_so_far_records_nothing(visits: Opened) -> None:
    scene = visits("magento", 20)
    scene.night()
    scene.shop = copied(scene.shop, currency="USD")

    night = scene.night()

    assert set(night.outcomes.values()) == {("ambiguous", "currency_changed")}
    assert night.ways == ["url_key"]


def test_a_new_watch_of_a_shop_that_switched_its_currency_is_not_recorded_either(visits: Opened) -> None:
    scene = visits("magento", 20, watched=10)
    scene.night()
    scene.shop = copied(scene.shop, currency="USD")
    scene.with_watches(15)

    assert scene.night().outcomes["S0015"] == ("ambiguous", "currency_changed")


def test_the_most_valuable_watches_come_first_where_pages_do_not_reach_all(visits: Opened) -> None:
    scene = visits("pages", 40)
    sold = {f"S{n:04}": Decimal(n) for n in range(40)}
    scene.products = tuple(Product(sku, sku, "EUR", Decimal(10), weekly_units=units) for sku, units in sold.items())

    first, second = scene.night(), scene.night()

    read = [sku for sku, seen in first.seen.items() if seen.price is not None]
    assert read == [f"S{n:04}" for n in range(28, 40)]
    assert [sku for sku, seen in second.seen.items() if seen.price is not None] == [f"S{n:04}" for n in range(16, 28)]
    assert {seen.reason for sku, seen in first.seen.items() if sku not in read} == {"budget"}


def test_every_call_is_charged_and_a_catalogue_is_a_step_with_its_checkpoint(visits: Opened) -> None:
    night = visits("woocommerce", 250).night()

    assert night.calls == len(night.steps) == 4
    assert [len(step.args["skus"]) for step in night.steps] == [1, 100, 100, 50]
    assert all(step.result is not None for step in night.steps)


@pytest.mark.parametrize("platform", ["shopify", "woocommerce", "magento", "bigcommerce"])
def test_a_catalogue_of_one_market_says_nothing_of_another(visits: Opened, platform: str) -> None:
    """The other host asks twice the price in the same currency; its pages are read one by one."""
    scene, other = visits(platform, 30, watched=8), "https://de.rival.example"
    abroad = copied(scene.shop, origin=other, tax=Decimal(2))
    scene.watches += tuple(replace(abroad.watch(n), sku=f"D{n:04}") for n in range(3))

    def fetch(url: str, rules: FetchRules) -> Page | Miss:
        place = abroad if url.startswith(other) else scene.shop
        method = "GET" if rules.post is None else "POST"
        return Page(url, url, *place.respond(method, url.removeprefix(place.origin), rules.post or b""), 1)

    scene.fetch = fetch  # type: ignore[method-assign]
    for night in (scene.night(), scene.night()):
        assert {sku: seen.price for sku, seen in night.seen.items()} == {
            **{f"S{n:04}": scene.shop.price(n) for n in range(8)},
            **{f"D{n:04}": abroad.shown(n) for n in range(3)},
        }
    assert not [asked for asked in abroad.asked if "/thing-" not in asked]

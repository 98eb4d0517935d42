"""Nights at shops whose catalogue says two things, repeats itself or is another market's: pages decide."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from monitor.domain.catalogue import Product
from monitor.domain.page import FetchRules, Miss, Page
from tests.catalogue_scene import CatalogueShop, Said, Visits
from tests.core_scene import SetClock, opened

Opened = Callable[..., Visits]
#: A page that links a place to set a new password, as pages with an account do.
ACCOUNT = (
    b"<!doctype html><html><body><a href='/account/password'>Lost it?</a><a href='/password'>New</a></body></html>"
)


@pytest.fixture
def visits(own_sqlite_url: str) -> Iterator[Opened]:
    """Open nights at a shop whose catalogue answers are changed by `change` before they leave."""
    store = opened(own_sqlite_url, clock := SetClock(datetime(2026, 11, 28, 0, 0, tzinfo=UTC)))

    def open_(platform: str, count: int, change: Callable[[list[Any]], None] | None = None, **settings: Any) -> Visits:
        scene = Visits(store, clock, CatalogueShop(platform, count), settings=settings)
        if change is not None:
            _change_answers(scene.shop, change)
        return scene

    yield open_
    store.close()


def _change_answers(shop: CatalogueShop, change: Callable[[list[Any]], None]) -> None:
    said = shop.respond

    def respond(method: str, target: str, body: bytes = b"") -> Said:
        status, headers, answer = said(method, target, body)
        value = json.loads(answer) if answer[:1] in b"[{" else None
        listed = value["products"] if isinstance(value, dict) and "products" in value else value
        listed = value["data"]["products"]["items"] if isinstance(value, dict) and "data" in value else listed
        if isinstance(listed, list):
            change(listed)
            answer = json.dumps(value).encode()
        return status, headers, answer

    shop.respond = respond  # type: ignore[method-assign]


def twice_at_one_cent(listed: list[Any]) -> None:
    """List each product but the first once more, for next to nothing."""
    again = json.loads(re.sub(r'"(price|value)": "?[0-9.]+"?', r'"\1": "1"', json.dumps(listed[1:])))
    listed.extend(again)


def of_one_number(listed: list[Any]) -> None:
    """Give all products the same number."""
    for each in listed:
        each["id"] = 7


def without_variants(listed: list[Any]) -> None:
    """Leave only the first product something to buy."""
    for each in listed[1:]:
        each["variants"] = None


def wrong_in(night: Any, shop: CatalogueShop) -> list[str]:
    return [sku for sku, one in night.seen.items() if one.price not in (None, shop.shown(int(sku[1:])))]


@pytest.mark.parametrize("platform", ["shopify", "woocommerce", "magento"])
def test_a_product_that_is_listed_twice_at_two_prices_is_read_on_its_page(visits: Opened, platform: str) -> None:
    scene = visits(platform, 9, twice_at_one_cent).with_watches(*range(9))

    first, second = scene.night(), scene.night()

    for night in (first, second):
        assert wrong_in(night, scene.shop) == []
        assert {one.outcome.value for one in night.seen.values()} == {"ok"}


def test_a_product_that_is_listed_twice_alike_is_read_from_the_list(visits: Opened) -> None:
    scene = visits("woocommerce", 9, lambda listed: listed.extend(listed[:])).with_watches(*range(9))

    assert (scene.night().ways, scene.night().ways) == (["page", "slug"], ["ids"])


def test_a_number_that_all_products_share_tells_none_of_them(visits: Opened) -> None:
    scene = visits("shopify", 9, of_one_number).with_watches(*range(9))

    first, second = scene.night(), scene.night()

    assert (wrong_in(first, scene.shop), wrong_in(second, scene.shop)) == ([], [])
    assert second.ways == ["page", "list"]


def test_a_number_of_several_products_is_not_asked_for(visits: Opened) -> None:
    """Asked for by it, the shop gives one product, and each watch would have its price."""
    scene = visits("bigcommerce", 9).with_watches(*range(9))
    said = scene.shop._bigcommerce_product
    scene.shop._bigcommerce_product = lambda n: said(n) | {"entityId": 703}  # type: ignore[method-assign]
    first, second = scene.night(), scene.night()

    assert (wrong_in(first, scene.shop), wrong_in(second, scene.shop)) == ([], [])
    assert "ids" not in second.ways


def test_a_product_without_variants_has_no_price_and_is_not_gone(visits: Opened) -> None:
    scene = visits("shopify", 30, without_variants)
    night = scene.with_watches(*range(14)).night()

    left = {one.words for one in night.seen.values() if one.price is None}
    assert left == {"the catalogue has the product, but no price above zero"}
    assert {one.outcome.value for one in night.seen.values()} == {"ok", "no_price"}


@pytest.mark.parametrize(
    ("platform", "part"), [("shopify", ".js"), ("woocommerce", "wc/store"), ("magento", "/graphql")]
)
def test_a_page_that_links_a_new_password_is_no_closed_shop(visits: Opened, platform: str, part: str) -> None:
    scene = visits(platform, 9).with_watches(*range(9))
    said = scene.shop.respond
    scene.shop.respond = (  # type: ignore[method-assign]
        lambda method, target, body=b"": (200, {}, ACCOUNT) if part in target else said(method, target, body)
    )

    assert {one.outcome.value for one in scene.night().seen.values()} == {"ok"}


@dataclass
class SentOn:
    """The same shop, which sends its catalogue on to another market, where all costs 8 % more."""

    shop: CatalogueShop

    def fetch(self, url: str, rules: FetchRules) -> Page | Miss:
        target = url.removeprefix(self.shop.origin)
        status, headers, body = self.shop.respond("GET", target)
        if ".js" not in target:
            return Page(url, url, status, headers, body, 1)
        dearer = re.sub(rb'"price": "([0-9.]+)"', lambda one: b'"price": "%.2f"' % (float(one[1]) * 1.08), body)
        return Page(url, f"{self.shop.origin}/en-us{target}", status, headers, dearer, 2, (url,))


def test_a_list_that_is_sent_on_to_another_market_is_not_read(visits: Opened) -> None:
    """The page that is read tonight may be of a product that the first part of the list does not hold."""
    scene = visits("shopify", 300, tool_calls=5).with_watches(280, *range(4))
    scene.night()
    scene.fetcher = SentOn(scene.shop)

    night = scene.night()

    assert wrong_in(night, scene.shop) == []
    (words,) = [step.result["words"] for step in night.steps if step.result and "failed" in step.result]
    assert words.startswith("its catalogue is not used: it was sent on to https://rival.example/en-us/products.json")


def in_another_currency(shop: CatalogueShop, part: str) -> None:
    """Let what is asked for at addresses with `part` say its prices in a currency that is worth 8 % less."""
    said = shop.respond

    def respond(method: str, target: str, body: bytes = b"") -> Said:
        status, headers, answer = said(method, target, body)
        if part in target:
            answer = re.sub(rb'"price": "([0-9.]+)"', lambda one: b'"price": "%.2f"' % (float(one[1]) * 1.08), answer)
        return status, headers, answer

    shop.respond = respond  # type: ignore[method-assign]


def test_a_list_in_another_currency_than_the_pages_gives_no_price_in_theirs(visits: Opened) -> None:
    """The page that is read first is in the list's second part, and a single product's answer is in its currency."""
    scene = visits("shopify", 600, tool_calls=9).with_watches(*range(20), *range(300, 320))
    scene.products = (Product("S0300", "Thing 300", "EUR", Decimal(9_000), weekly_units=Decimal(9)),)
    in_another_currency(scene.shop, "products.json")

    for _ in range(3):
        night = scene.night()

        assert wrong_in(night, scene.shop) == []
        assert any("distrusted" in (step.result or {}) for step in night.steps)


def test_a_list_is_proven_by_a_page_of_its_first_part_which_is_read_first_the_next_night(visits: Opened) -> None:
    scene = visits("shopify", 600).with_watches(*range(20), *range(300, 320))
    scene.products = (Product("S0300", "Thing 300", "EUR", Decimal(9_000), weekly_units=Decimal(9)),)

    first, second = scene.night(), scene.night()

    assert first.asked[0] == "/products/thing-300"
    assert first.ways == ["page", "js", "list", "page", "list", "list"]
    assert second.ways == ["page", "list", "list"]
    for night in (first, second):
        assert wrong_in(night, scene.shop) == []
        assert {one.outcome.value for one in night.seen.values()} == {"ok"}


def test_a_product_that_the_list_gives_no_price_proves_nothing(visits: Opened) -> None:
    def in_two_sizes(listed: list[Any]) -> None:
        for each in listed:
            if each["handle"] == "thing-0":
                each["variants"].append(each["variants"][0] | {"id": 1, "price": "99.00"})

    scene = visits("shopify", 300, in_two_sizes, tool_calls=9).with_watches(*range(20))
    scene.products = (Product("S0000", "Thing 0", "EUR", Decimal(9_000), weekly_units=Decimal(9)),)
    in_another_currency(scene.shop, "products.json")

    night = scene.night()

    assert night.asked[0] == "/products/thing-0"
    assert wrong_in(night, scene.shop) == []


def test_a_list_that_no_page_proves_is_left_and_pages_are_read(visits: Opened) -> None:
    scene = visits("shopify", 600).with_watches(*range(20), *range(300, 320))
    scene.products = (Product("S0300", "Thing 300", "EUR", Decimal(9_000), weekly_units=Decimal(9)),)
    said = scene.shop.respond
    scene.shop.respond = lambda method, target, body=b"": (  # type: ignore[method-assign]
        (500, {}, b"<html></html>") if re.fullmatch(r"/products/thing-\d\d?", target) else said(method, target, body)
    )

    night = scene.night()

    assert night.ways[:5] == ["page", "js", "list", "page", "page"]
    assert "list" not in night.ways[3:]
    (skipped,) = {one.words for one in night.seen.values() if one.reason == "budget"}
    assert "its catalogue names no currency, and no page that it lists told the price to prove it by" in skipped


def in_two_currencies(listed: list[Any]) -> None:
    """Name another currency for every other product."""
    for each in listed[1::2]:
        each["prices"]["currency_code"] = "USD"


def test_an_answer_in_two_currencies_gives_prices_in_that_of_the_pages_only(visits: Opened) -> None:
    scene = visits("woocommerce", 20, in_two_currencies).with_watches(*range(20))

    night = scene.night()

    assert {one.currency for one in night.seen.values() if one.price is not None} == {"EUR"}
    assert sum(one.reason == "currency_changed" for one in night.seen.values()) == 10


def without_a_currency(listed: list[Any]) -> None:
    for each in listed:
        each["prices"]["currency_code"] = ""


def test_a_catalogue_that_names_no_currency_is_read_every_night_with_that_of_a_page(visits: Opened) -> None:
    """The first night had a page to compare with; from the second on nothing told the currency of anything."""
    scene = visits("woocommerce", 20, without_a_currency).with_watches(*range(20))

    first, second = scene.night(), scene.night()

    assert (first.ways, second.ways) == (["page", "slug"], ["page", "ids"])
    for night in (first, second):
        assert {(one.outcome.value, one.currency) for one in night.seen.values()} == {("ok", "EUR")}


def at_their_neighbours_address(listed: list[Any]) -> None:
    for each in listed:
        each["permalink"] = re.sub(r"thing-(\d+)", lambda n: f"thing-{int(n[1]) + 1}", each["permalink"])


def test_a_product_that_another_ones_name_contradicts_is_read_on_its_page(visits: Opened) -> None:
    scene = visits("woocommerce", 9, at_their_neighbours_address).with_watches(*range(9))

    for night in (scene.night(), scene.night()):
        assert wrong_in(night, scene.shop) == []
        assert {one.outcome.value for one in night.seen.values()} == {"ok"}


def test_a_catalogue_without_any_of_the_watches_is_named_where_the_budget_ends(visits: Opened) -> None:
    scene = visits("woocommerce", 20, lambda listed: listed.clear()).with_watches(*range(20))

    skipped = {one.words for one in scene.night().seen.values() if one.reason == "budget"}

    assert "its catalogue has none of the watches" in skipped.pop()


def test_a_list_of_products_without_addresses_is_no_empty_list(visits: Opened) -> None:
    def without_handles(listed: list[Any]) -> None:
        for each in listed:
            each.pop("handle", None)

    night = visits("shopify", 900, without_handles).with_watches(*range(20)).night()

    assert night.ways.count("list") == 1
    assert any("under which handle" in str((step.result or {}).get("words")) for step in night.steps)


def test_a_list_that_gives_its_first_page_for_ever_is_left(visits: Opened) -> None:
    """A cache that drops the query does that; every call it takes is one that a product does not get."""
    scene = visits("shopify", 600).with_watches(*range(4), *range(300, 320))
    said = scene.shop.respond
    scene.shop.respond = (  # type: ignore[method-assign]
        lambda method, target, body=b"": said(method, re.sub(r"&page=\d+", "&page=1", target), body)
    )

    assert scene.night().ways == ["page", "js", "list", "list", *["js"] * 8]

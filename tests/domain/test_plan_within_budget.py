"""The plan alone, from five watches to five thousand on every platform: what is asked, in which order, how often."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from monitor.domain.asking import CatalogueAsk, identity_of
from monitor.domain.catalogue import Competitor, Product, RobotsPolicy, Watch
from monitor.domain.extraction import Outcome
from monitor.domain.knowledge import Comparison, Known
from monitor.domain.move import Ask, Stop
from monitor.domain.run import Step, StepState
from monitor.domain.turn import in_turn, worth_of
from monitor.domain.visit import CATALOGUE, PAGE, Visit
from monitor.extract.platforms import ADAPTERS

NOW = datetime(2026, 11, 29, 1, 0, tzinfo=UTC)
SHOP = "https://rival.example"
FEED = f"{SHOP}/feed.xml"
SIZES = (5, 40, 100, 400, 1_000, 5_000)


@dataclass
class Shop:
    """A shop of one platform that answers every question rightly; products are listed in an order of its own."""

    platform: str
    watches: tuple[Watch, ...]
    products: int = 0  #: on its list, watched or not
    pages: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        total = max(self.products, len(self.watches))
        step = total / max(len(self.watches), 1)
        self.pages = {watch.sku: int(n * step) // 250 + 1 for n, watch in enumerate(self.watches)}

    @property
    def competitor(self) -> Competitor:
        named = {"feed": FEED} if self.platform == "feed" else {}
        settings = {"platform": "pages"} if self.platform == "pages" else {}
        return Competitor("rival", "Rival", SHOP, robots=RobotsPolicy.IGNORE, **named, **settings)  # type: ignore[arg-type]

    def answer(self, ask: Ask) -> dict[str, Any]:
        """Return the result of a step."""
        asked = ask.catalogue
        if asked is None:
            told = {"platform": {"name": self.platform, "evidence": [], "page": ask.url}, "currency": "EUR"}
            learned = {"learned": {"_token": "ey"}} if self.platform == "bigcommerce" else {}
            prices = {"prices": {watch.sku: ["9.90", "EUR"] for watch in ask.watches}}
            read = {"read": [watch.sku for watch in ask.watches]}
            return read | prices | (told if self.platform not in ("pages", "feed") else {"currency": "EUR"}) | learned
        return self._listing(asked)

    def _listing(self, asked: CatalogueAsk) -> dict[str, Any]:
        read = [watch.sku for watch in asked.watches if asked.about != "list" or self.pages[watch.sku] == asked.page]
        ids = {identity_of(watch): f"{n}" for n, watch in enumerate(asked.watches) if watch.sku in read}
        last = max(self.products, len(self.watches)) // 250 + 1
        return {"read": read, "more": asked.about == "list" and asked.page <= last, "learned": {"ids": ids}}


@dataclass
class Planned:
    """What a night asked for."""

    asks: list[Ask]
    steps: list[Step]
    skipped: tuple[str, ...]
    read: frozenset[str]

    @property
    def tools(self) -> list[str]:
        return [ask.tool for ask in self.asks]


def planned(shop: Shop, order: Sequence[Watch], *, budget: int = 12, known: Known | None = None) -> Planned:
    """Plan one night to its end or to the end of its budget."""
    steps: list[Step] = []
    asks: list[Ask] = []
    while True:
        visit = Visit(shop.competitor, order, steps, ADAPTERS, known or Known())
        move = visit.next()
        over = len(asks) == budget
        if isinstance(move, Stop) or over:
            unread = visit.skipped(budget) if over and not isinstance(move, Stop) else ()
            assert {one.outcome for one in unread} <= {Outcome.SKIPPED_BUDGET}
            left = {watch.sku for watch in visit.left}
            read = frozenset(watch.sku for watch in order if watch.sku not in left)
            return Planned(asks, steps, tuple(one.watch.sku for one in unread), read)
        asks.append(move)
        args = {"url": move.url, "skus": [watch.sku for watch in move.watches], "page": move.page}
        args |= {} if move.catalogue is None else {"about": move.catalogue.about}
        steps.append(Step(len(steps) + 1, move.tool, args, StepState.DONE, 1, 1, NOW, NOW, shop.answer(move), None))


def a_shop(platform: str, count: int, products: int = 0) -> Shop:
    suffix = ".html" if platform == "magento" else ""
    place = "products" if platform == "shopify" else "p"
    every = (Watch("rival", f"S{n:04}", f"{SHOP}/{place}/thing-number-{n}{suffix}") for n in range(count))
    return Shop(platform, tuple(every), products)


def compared(platform: str) -> Known:
    agreed = Comparison(platform, "S0000", "9.90 EUR", "9.90 EUR", True, "the same", date(2026, 11, 20))
    return Known(platform=platform, comparison=agreed)


#: Tool calls of a first night with an endless budget, by platform, for the first of SIZES.
FIRST_NIGHT = {
    "pages": [5, 40, 100],
    "shopify": [3, 3, 3, 4, 6, 22],  # a page, its twin, then 250 products a call
    "woocommerce": [2, 2, 2, 5, 11, 51],  # a page, then 100 a call
    "magento": [2, 2, 2, 5, 11, 51],
    "bigcommerce": [2, 3, 6, 21, 51],  # a page with the token, then 20 addresses a call
    "feed": [2, 2, 2, 2, 2, 2],  # a page to compare with, then the whole file
}


@pytest.mark.parametrize("platform", FIRST_NIGHT)
def test_a_first_night_costs_what_the_platform_allows(platform: str) -> None:
    for count, calls in zip(SIZES, FIRST_NIGHT[platform], strict=False):
        shop = a_shop(platform, count)
        night = planned(shop, shop.watches, budget=6_000)

        assert (count, len(night.asks)) == (count, calls)
        assert len(night.read) == count
        assert night.asks[0].tool == PAGE


@pytest.mark.parametrize("platform", FIRST_NIGHT)
@pytest.mark.parametrize("count", SIZES)
def test_twelve_calls_are_kept_and_what_they_do_not_reach_is_named(platform: str, count: int) -> None:
    shop = a_shop(platform, count)

    night = planned(shop, shop.watches)

    assert len(night.asks) <= 12
    assert night.read.isdisjoint(night.skipped)
    assert len(night.read) + len(night.skipped) == count
    assert not night.skipped or len(night.asks) == 12


@pytest.mark.parametrize("platform", FIRST_NIGHT)
@pytest.mark.parametrize("count", [40, 5_000])
def test_what_was_skipped_comes_first_the_next_night(platform: str, count: int) -> None:
    shop = a_shop(platform, count)
    first = planned(shop, shop.watches)
    tried = dict.fromkeys(first.read, NOW)

    order = in_turn(shop.watches, tried)
    second = planned(shop, order, known=compared(platform))

    assert {watch.sku for watch in order[: len(first.skipped)]} == set(first.skipped)
    if first.skipped and platform not in ("shopify", "feed"):  # these are walked, whoever is on the way
        assert set(first.skipped[:10]) <= second.read


def test_the_catalogue_comes_before_pages_once_platform_and_comparison_are_known() -> None:
    for platform in ("woocommerce", "magento", "feed"):
        shop = a_shop(platform, 100)

        assert planned(shop, shop.watches, known=compared(platform)).tools == [CATALOGUE]


def test_a_shopify_night_begins_with_a_page_because_the_list_names_no_currency() -> None:
    shop = a_shop("shopify", 400, products=2_000)

    night = planned(shop, shop.watches, known=compared("shopify"))

    assert night.tools == [PAGE, *[CATALOGUE] * 8]
    assert len(night.read) == 400


def test_two_thousand_shopify_products_with_four_hundred_watches_cost_ten_calls_at_most() -> None:
    shop = a_shop("shopify", 400, products=2_000)

    night = planned(shop, shop.watches)

    assert len(night.asks) <= 10
    assert len(night.read) == 400


def test_four_hundred_woocommerce_watches_cost_six_calls_at_most_and_four_when_known() -> None:
    shop = a_shop("woocommerce", 400)

    first = planned(shop, shop.watches)
    later = planned(shop, shop.watches, known=compared("woocommerce"))

    assert (len(first.asks), len(first.read)) == (5, 400)
    assert (len(later.asks), len(later.read)) == (4, 400)


def test_long_names_make_more_calls_and_never_a_longer_address() -> None:
    every = tuple(Watch("rival", f"S{n}", f"{SHOP}/p/{'ناقوس-' * 12}{n}/") for n in range(120))
    shop = Shop("woocommerce", every)

    night = planned(shop, every, budget=60)

    assert len(night.read) == 120
    assert max(len(ask.url) for ask in night.asks) <= 6_000


def test_a_name_that_never_fits_into_an_address_is_read_on_its_page() -> None:
    long = Watch("rival", "LONG", f"{SHOP}/p/{'%F0%9F%99%82' * 400}/")
    shop = Shop("woocommerce", (long, *a_shop("woocommerce", 30).watches))

    night = planned(shop, shop.watches)

    assert len(night.read) == 31
    asked = [ask for ask in night.asks if ask.tool == CATALOGUE]
    assert "LONG" not in {watch.sku for ask in asked for watch in ask.watches}
    assert max(len(ask.url) for ask in asked) <= 6_000


def test_the_variants_of_one_product_take_one_name_in_a_call() -> None:
    sizes = tuple(Watch("rival", f"V{n:03}", f"{SHOP}/p/boot/?attribute_pa_size={n}") for n in range(150))
    shop = Shop("woocommerce", (*sizes, *a_shop("woocommerce", 60).watches))

    night = planned(shop, shop.watches)

    assert (night.tools, len(night.read)) == ([PAGE, CATALOGUE], 210)


@pytest.mark.parametrize("platform", ["woocommerce", "magento", "bigcommerce"])
def test_a_named_question_asks_for_nobody_twice(platform: str) -> None:
    shop = a_shop(platform, 260)

    night = planned(shop, shop.watches, budget=300)

    asked = [watch.sku for ask in night.asks if ask.tool == CATALOGUE for watch in ask.watches]
    assert sorted(asked) == sorted(watch.sku for watch in shop.watches)  # the first page's watch once, to compare


def test_oldest_and_most_valuable_watches_are_reached_when_the_budget_is_short() -> None:
    shop = a_shop("pages", 40)
    tried = {watch.sku: NOW - timedelta(days=n % 2) for n, watch in enumerate(shop.watches)}
    sold = {"S0001": 1, "S0003": 900, "S0005": 40}
    products = [
        Product(w.sku, w.sku, "EUR", Decimal(10), weekly_units=Decimal(sold.get(w.sku, 0))) for w in shop.watches
    ]

    order = in_turn(shop.watches, tried, {product.sku: worth_of(product) for product in products})
    night = planned(shop, order)

    assert [ask.watches[0].sku for ask in night.asks][:3] == ["S0003", "S0005", "S0001"]
    assert all(int(sku[1:]) % 2 == 1 for sku in night.read)  # those not tried since the night before last


def test_a_product_that_sells_in_unknown_numbers_is_worth_its_price() -> None:
    product = Product("A", "A", "EUR", Decimal("19.90"))

    assert worth_of(product) == Decimal("19.90")

"""Prices of our own shop on the review page: read beside the page, at most once a minute."""

import threading
from collections.abc import Mapping, Sequence
from decimal import Decimal

from monitor.domain.money import Money
from monitor.domain.shop_price import ShopPrice
from monitor.errors import CannotSucceed, RetryLater
from monitor.ports.shop import Reading
from monitor.web.shop_prices import SeenPrice, ShopPrices
from tests.review_scene import SetClock

PRICE = Money(Decimal("26.50"), "EUR")


class Shop:
    """A shop that answers when it is told to, and counts."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.may_answer = threading.Event()
        self.is_down = False
        self.calls = 0

    max_batch = 2

    def read_many(self, skus: Sequence[str]) -> Mapping[str, Reading]:
        self.asked += skus
        self.calls += 1
        assert self.may_answer.wait(10)
        if self.is_down:
            raise RetryLater("the shop does not answer")
        return {sku: self._reading(sku) for sku in skus}

    def _reading(self, sku: str) -> Reading:
        if sku == "odd":
            return CannotSucceed("the shop does not say it")
        return None if sku == "gone" else ShopPrice(PRICE)


def test_a_page_never_waits_for_the_shop() -> None:
    shop, clock = Shop(), SetClock()
    prices = ShopPrices(shop, clock)  # type: ignore[arg-type]  # only reads

    assert prices.known(["A-1", "gone"]) == {}

    shop.may_answer.set()
    prices.settle()
    seen = SeenPrice(PRICE, clock.now())
    assert prices.known(["A-1", "gone"]) == {"A-1": seen, "gone": SeenPrice(None, clock.now())}


def test_a_product_is_read_at_most_once_a_minute() -> None:
    shop, clock = Shop(), SetClock()
    shop.may_answer.set()
    prices = ShopPrices(shop, clock)  # type: ignore[arg-type]  # only reads
    for _ in range(3):
        prices.known(["A-1"])
        prices.settle()
    assert shop.asked == ["A-1"]

    clock.forward(seconds=60)
    prices.known(["A-1"])
    prices.settle()
    assert shop.asked == ["A-1", "A-1"]


def test_a_shop_that_does_not_answer_leaves_what_was_known() -> None:
    shop, clock = Shop(), SetClock()
    shop.may_answer.set()
    prices = ShopPrices(shop, clock)  # type: ignore[arg-type]  # only reads
    prices.known(["A-1"])
    prices.settle()
    first = prices.known(["A-1"])
    shop.is_down = True
    clock.forward(minutes=5)
    prices.known(["A-1"])
    prices.settle()

    assert prices.known(["A-1"]) == first != {}


def test_prices_are_read_in_batches_and_one_that_cannot_be_read_spoils_no_other() -> None:
    shop, clock = Shop(), SetClock()
    shop.may_answer.set()
    prices = ShopPrices(shop, clock)  # type: ignore[arg-type]  # only reads

    prices.known(["A-1", "odd", "B-2", "C-3", "D-4"])
    prices.settle()

    assert shop.calls == 3
    assert sorted(prices.known(["A-1", "odd", "B-2", "C-3", "D-4"])) == ["A-1", "B-2", "C-3", "D-4"]


class WorldlyShop(Shop):
    """A shop with a fixed price in another market."""

    def fixed_elsewhere(self, skus: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        if self.is_down:
            raise RetryLater("the shop does not answer")
        return {"A-1": ("US: 29.00 USD",)}


def test_fixed_prices_of_other_markets_are_kept_beside_the_price() -> None:
    shop, clock = WorldlyShop(), SetClock()
    shop.may_answer.set()
    prices = ShopPrices(shop, clock)  # type: ignore[arg-type]  # only reads
    prices.known(["A-1", "B-2"])
    prices.settle()

    found = prices.known(["A-1", "B-2"])
    assert (found["A-1"].elsewhere, found["B-2"].elsewhere) == (("US: 29.00 USD",), ())

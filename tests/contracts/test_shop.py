"""What every shop promises, asked of the fake, the price file, the webhook, Shopify and WooCommerce alike."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Protocol

import pytest

from monitor.adapters.clock import SystemClock
from monitor.adapters.http import Client
from monitor.adapters.shops import FixedToken, PriceFile, ShopifyApi, ShopifyShop, WebhookShop, WooApi, WooShop
from monitor.domain.action import PriceWrite, WriteState
from monitor.domain.money import Money, digits
from monitor.domain.shop_price import ShopPrice
from monitor.errors import CannotSucceed, OutcomeUnknown, RetryLater
from monitor.ports.shop import ProductGone, Shop
from tests.fake_shop import Books, FakeShop, Fault
from tests.fake_shopify import TOKEN as SHOPIFY_TOKEN
from tests.fake_shopify import FakeShopify
from tests.fake_woo import KEY as WOO_KEY
from tests.fake_woo import SECRET as WOO_SECRET
from tests.fake_woo import FakeWoo
from tests.receiver import SECRET, Receiver


def a_write(sku: str = "A-1", new: str = "24.90", old: str = "27.90", currency: str = "EUR", key: str = "k-1"):
    now = SystemClock().now()
    return PriceWrite(
        id=key,
        action_id=1,
        version=1,
        channel="shop",
        sku=sku,
        currency=currency,
        target_price=Decimal(new),
        expected_price=Decimal(old),
        idempotency_key=key,
        state=WriteState.CALLING,
        not_before=now,
        fence=1,
        attempts=1,
        error=None,
        created_at=now,
        finished_at=None,
    )


class Market(Protocol):
    """A shop, and the merchant's side of it."""

    shop: Shop

    def sells(self, sku: str, price: str, currency: str) -> None:
        """Set a price as the merchant does."""

    def changes(self) -> int:
        """Count the logical changes that came through the shop."""

    def fails(self, fault: Fault) -> None:
        """Let the next write go wrong."""

    def land(self) -> None:
        """Let what was under way arrive."""


@dataclass
class BooksMarket:
    """The fake and the webhook keep books."""

    shop: Shop
    books: Books

    def sells(self, sku: str, price: str, currency: str) -> None:
        self.books.somebody_sets(sku, price, currency)

    def changes(self) -> int:
        return len(self.books.changes)

    def fails(self, fault: Fault) -> None:
        self.books.faults.append(fault)

    def land(self) -> None:
        self.books.land()


@dataclass
class FileMarket:
    """The file's changes are counted by its inode, which is new after each."""

    shop: Shop
    path: Path

    def __post_init__(self) -> None:
        self.rows: dict[str, str] = {}
        self._seen = 0

    def sells(self, sku: str, price: str, currency: str) -> None:
        quoted = sku.replace('"', '""')
        self.rows[sku] = f'"{quoted}",{price},{currency}\n'
        self.path.write_text("sku,price,currency\n" + "".join(self.rows.values()), encoding="utf-8")
        self._seen = self.path.stat().st_ino

    def changes(self) -> int:
        return int(self.path.stat().st_ino != self._seen)

    def fails(self, fault: Fault) -> None:
        raise AssertionError(f"{fault}: a file does not go wrong on demand; skip this case for it")

    def land(self) -> None:
        """Nothing is ever under way."""


@dataclass
class ApiMarket:
    """A store behind the API of a shop system; it has one currency."""

    shop: Shop
    store: FakeShopify | FakeWoo

    def sells(self, sku: str, price: str, currency: str) -> None:
        self.store.currency = currency
        if isinstance(self.store, FakeWoo):
            self.store.decimals = digits(currency)
        self.store.sell(sku, price)

    def changes(self) -> int:
        return len(self.store.changes)

    def fails(self, fault: Fault) -> None:
        self.store.faults.append(fault)

    def land(self) -> None:
        self.store.land()


#: Long enough for an answer on a busy machine, short enough to wait for it.
DEADLINE = timedelta(seconds=2)


@contextmanager
def _shopify() -> Iterator[Market]:
    store = FakeShopify()
    with store.serve() as server:
        api = ShopifyApi(server.url, FixedToken(SHOPIFY_TOKEN), Client(), SystemClock(), deadline=DEADLINE)
        yield ApiMarket(ShopifyShop(api), store)


@contextmanager
def _woo() -> Iterator[Market]:
    store = FakeWoo()
    with store.serve() as server:
        api = WooApi(server.url, WOO_KEY, WOO_SECRET, Client(), SystemClock(), deadline=DEADLINE)
        yield ApiMarket(WooShop(api), store)


@contextmanager
def _webhook() -> Iterator[Market]:
    with Receiver(Books()) as receiver:
        shop = WebhookShop(receiver.url, [SECRET], Client(), SystemClock(), read_url=receiver.url, deadline=DEADLINE)
        yield BooksMarket(shop, receiver.books)


@contextmanager
def _fake() -> Iterator[Market]:
    books = Books()
    yield BooksMarket(FakeShop(books), books)


MARKETS = {"fake": _fake, "webhook": _webhook, "shopify": _shopify, "woocommerce": _woo}


@pytest.fixture(params=[*MARKETS, "price file"])
def market(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Market]:
    if request.param == "price file":
        path = tmp_path / "prices.csv"
        yield FileMarket(PriceFile(path, SystemClock()), path)
        return
    with MARKETS[request.param]() as market:
        yield market


@pytest.fixture(params=MARKETS)
def faulty(request: pytest.FixtureRequest) -> Iterator[Market]:
    with MARKETS[request.param]() as market:
        yield market


def price_at(market: Market, sku: str) -> Money | None:
    """Return what the shop tells, without what only some shops tell."""
    found = market.shop.read(sku)
    return None if found is None else found.price


def test_it_tells_the_price_and_the_currency_of_a_product(market):
    market.sells("A-1", "27.90", "EUR")
    assert price_at(market, "A-1") == Money(Decimal("27.90"), "EUR")
    market.sells("B-2", "5980", "JPY")

    assert market.shop.reads
    assert price_at(market, "B-2") == Money(Decimal(5980), "JPY")
    assert market.changes() == 0


def test_it_says_that_it_does_not_have_a_product(market):
    market.sells("A-1", "27.90", "EUR")

    assert market.shop.read("a-1") is None
    with pytest.raises(ProductGone):
        market.shop.write(a_write("Z-9"))
    assert market.changes() == 0


def test_it_sets_the_price_and_shows_it_at_once(market):
    market.sells("A-1", "27.90", "EUR")
    market.sells("B-2", "50.00", "EUR")

    words = market.shop.write(a_write())

    assert words
    assert price_at(market, "A-1") == Money(Decimal("24.90"), "EUR")
    assert price_at(market, "B-2") == Money(Decimal("50.00"), "EUR")
    assert market.changes() == 1


def test_a_repeat_under_the_same_key_changes_nothing_twice(market):
    market.sells("A-1", "27.90", "EUR")
    write = a_write()

    market.shop.write(write)
    after_first = market.changes()
    market.shop.write(replace(write, attempts=2, fence=9))

    assert (after_first, market.changes()) == (1, 1)


def test_what_the_merchant_changes_is_seen_at_once(market):
    market.sells("A-1", "27.90", "EUR")
    market.shop.read("A-1")
    market.sells("A-1", "26.00", "EUR")

    assert price_at(market, "A-1") == Money(Decimal("26.00"), "EUR")


@pytest.mark.parametrize(
    ("price", "currency"),
    [("24.90", "EUR"), ("0.01", "EUR"), ("5980", "JPY"), ("12.345", "KWD"), ("99999999.99", "EUR")],
)
def test_the_approved_figure_is_the_figure_that_is_read_back(market, price, currency):
    market.sells("A-1", "7", currency)

    market.shop.write(a_write(new=price, old="7", currency=currency))

    assert price_at(market, "A-1") == Money(Decimal(price), currency)


@pytest.mark.parametrize("sku", ["A 1", "A/1", "A&sku=B", "Ä-1", 'say "A"', "A,1", "=1+1", "A%2F1"])
def test_any_sku_is_told_apart(market, sku):
    market.sells(sku, "27.90", "EUR")
    market.sells("B", "1.00", "EUR")

    market.shop.write(a_write(sku))

    assert price_at(market, sku) == Money(Decimal("24.90"), "EUR")
    assert price_at(market, "B") == Money(Decimal("1.00"), "EUR")


@pytest.mark.parametrize(
    ("fault", "raised", "changes"),
    [
        (Fault.HANG_AFTER_COMMIT, OutcomeUnknown, 1),
        (Fault.ERROR_BEFORE, OutcomeUnknown, 0),
        (Fault.ERROR_AFTER, OutcomeUnknown, 1),
        (Fault.RESET, OutcomeUnknown, 0),
        (Fault.LATE, OutcomeUnknown, 0),
        (Fault.THROTTLE, RetryLater, 0),
        (Fault.REFUSE, CannotSucceed, 0),
    ],
    ids=lambda value: value.value if isinstance(value, Fault) else "",
)
def test_a_failure_says_whether_anything_may_have_changed_and_a_repeat_is_safe(faulty, fault, raised, changes):
    faulty.sells("A-1", "27.90", "EUR")
    faulty.fails(fault)
    write = a_write()

    with pytest.raises(raised):
        faulty.shop.write(write)
    assert faulty.changes() == changes

    if raised is not CannotSucceed:
        faulty.shop.write(write)
        faulty.land()
        assert faulty.changes() == 1
        assert price_at(faulty, "A-1") == Money(Decimal("24.90"), "EUR")


@pytest.mark.parametrize(("fault", "left"), [(Fault.SILENT_NOOP, "27.90"), (Fault.DRIFT, "1.23")])
def test_a_yes_is_believed_only_by_reading(faulty, fault, left):
    faulty.sells("A-1", "27.90", "EUR")
    faulty.fails(fault)

    faulty.shop.write(a_write())

    assert price_at(faulty, "A-1") == Money(Decimal(left), "EUR")


def test_several_products_are_read_together_each_with_its_own_outcome(market):
    market.sells("A-1", "27.90", "EUR")
    market.sells("B-2", "50.00", "EUR")

    found = market.shop.read_many(["B-2", "Z-9", "A-1", "B-2"])

    prices = {sku: one.price.amount if isinstance(one, ShopPrice) else one for sku, one in found.items()}
    assert prices == {"A-1": Decimal("27.90"), "B-2": Decimal("50.00"), "Z-9": None}
    assert market.shop.read_many([]) == {}


def test_several_prices_are_set_together_each_with_its_own_outcome(market):
    for sku in ("A-1", "B-2", "C-3"):
        market.sells(sku, "27.90", "EUR")
    writes = [a_write(sku, key=f"k-{sku}") for sku in ("A-1", "Z-9", "C-3")]

    answers = market.shop.write_many(writes)

    assert isinstance(answers["k-A-1"], str)
    assert isinstance(answers["k-C-3"], str)
    assert isinstance(answers["k-Z-9"], ProductGone)
    amounts = [price_at(market, sku) for sku in ("A-1", "B-2", "C-3")]
    assert [money.amount for money in amounts if money] == [Decimal("24.90"), Decimal("27.90"), Decimal("24.90")]

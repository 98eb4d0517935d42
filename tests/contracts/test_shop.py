"""What every shop promises, asked of the fake, of the price file and of the webhook alike."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Protocol

import pytest

from monitor.adapters.clock import SystemClock
from monitor.adapters.http import Client
from monitor.adapters.shops import PriceFile, WebhookShop
from monitor.domain.action import PriceWrite, WriteState
from monitor.domain.money import Money
from monitor.domain.shop_price import ShopPrice
from monitor.errors import CannotSucceed, OutcomeUnknown, RetryLater
from monitor.ports.shop import ProductGone, Shop
from tests.fake_shop import Books, FakeShop, Fault
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


@dataclass
class BooksMarket:
    """The fake and the webhook keep books."""

    shop: Shop
    books: Books

    def sells(self, sku: str, price: str, currency: str) -> None:
        self.books.somebody_sets(sku, price, currency)

    def changes(self) -> int:
        return len(self.books.changes)


@dataclass
class FileMarket:
    """The file's changes are counted by its inode, which is new after each."""

    shop: Shop
    path: Path

    def __post_init__(self) -> None:
        self.rows: dict[str, str] = {}
        self._seen = 0

    def sells(self, sku: str, price: str, currency: str) -> None:
        self.rows[sku] = f"{sku},{price},{currency}\n"
        self.path.write_text("sku,price,currency\n" + "".join(self.rows.values()), encoding="utf-8")
        self._seen = self.path.stat().st_ino

    def changes(self) -> int:
        return int(self.path.stat().st_ino != self._seen)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver(Books()) as receiver:
        yield receiver


def _webhook(receiver: Receiver) -> WebhookShop:
    deadline = timedelta(seconds=2)
    return WebhookShop(receiver.url, [SECRET], Client(), SystemClock(), read_url=receiver.url, deadline=deadline)


@pytest.fixture(params=["fake", "price file", "webhook"])
def market(request: pytest.FixtureRequest, tmp_path: Path) -> Market:
    if request.param == "price file":
        path = tmp_path / "prices.csv"
        return FileMarket(PriceFile(path, SystemClock()), path)
    if request.param == "webhook":
        receiver = request.getfixturevalue("receiver")
        return BooksMarket(_webhook(receiver), receiver.books)
    books = Books()
    return BooksMarket(FakeShop(books), books)


def test_it_tells_the_price_and_the_currency_of_a_product(market):
    market.sells("A-1", "27.90", "EUR")
    market.sells("B-2", "5980", "JPY")

    assert market.shop.reads
    assert market.shop.read("A-1") == ShopPrice(Money(Decimal("27.90"), "EUR"))
    assert market.shop.read("B-2") == ShopPrice(Money(Decimal(5980), "JPY"))
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
    assert market.shop.read("A-1") == ShopPrice(Money(Decimal("24.90"), "EUR"))
    assert market.shop.read("B-2") == ShopPrice(Money(Decimal("50.00"), "EUR"))
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

    assert market.shop.read("A-1") == ShopPrice(Money(Decimal("26.00"), "EUR"))


@pytest.mark.parametrize(
    ("price", "currency"),
    [("24.90", "EUR"), ("0.01", "EUR"), ("5980", "JPY"), ("12.345", "KWD"), ("24.9050", "EUR"), ("99999999.99", "EUR")],
)
def test_the_approved_figure_is_the_figure_that_is_read_back(market, price, currency):
    market.sells("A-1", "7", currency)

    market.shop.write(a_write(new=price, old="7", currency=currency))

    assert market.shop.read("A-1") == ShopPrice(Money(Decimal(price), currency))


@pytest.mark.parametrize("sku", ["A 1", "A/1", "A&sku=B", "Ä-1", 'say "A"', "A,1", "=1+1", "A%2F1"])
def test_any_sku_is_told_apart(market, sku):
    if isinstance(market, FileMarket):
        quoted = sku.replace('"', '""')
        market.path.write_text(f'sku,price,currency\n"{quoted}",27.90,EUR\nB,1.00,EUR\n', encoding="utf-8")
    else:
        market.sells(sku, "27.90", "EUR")
        market.sells("B", "1.00", "EUR")

    market.shop.write(a_write(sku))

    assert market.shop.read(sku) == ShopPrice(Money(Decimal("24.90"), "EUR"))
    assert market.shop.read("B") == ShopPrice(Money(Decimal("1.00"), "EUR"))


@pytest.fixture(params=["fake", "webhook"])
def faulty(request: pytest.FixtureRequest) -> BooksMarket:
    if request.param == "webhook":
        receiver = request.getfixturevalue("receiver")
        return BooksMarket(_webhook(receiver), receiver.books)
    books = Books()
    return BooksMarket(FakeShop(books), books)


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
)
def test_a_failure_says_whether_anything_may_have_changed_and_a_repeat_is_safe(faulty, fault, raised, changes):
    faulty.sells("A-1", "27.90", "EUR")
    faulty.books.faults.append(fault)
    write = a_write()

    with pytest.raises(raised):
        faulty.shop.write(write)
    assert faulty.changes() == changes

    if raised is not CannotSucceed:
        faulty.shop.write(write)
        faulty.books.land()
        assert faulty.changes() == 1
        assert faulty.shop.read("A-1") == ShopPrice(Money(Decimal("24.90"), "EUR"))


@pytest.mark.parametrize(("fault", "left"), [(Fault.SILENT_NOOP, "27.90"), (Fault.DRIFT, "1.23")])
def test_a_yes_is_believed_only_by_reading(faulty, fault, left):
    faulty.sells("A-1", "27.90", "EUR")
    faulty.books.faults.append(fault)

    faulty.shop.write(a_write())

    assert faulty.shop.read("A-1") == ShopPrice(Money(Decimal(left), "EUR"))

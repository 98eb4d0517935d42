"""WooCommerce's REST API: what is sent, sales that must not be lost, batches whose items fail, kinds of answers."""

from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from monitor.adapters.clock import SystemClock
from monitor.adapters.http import Client
from monitor.adapters.shops import WooApi, WooShop, WriteMode
from monitor.adapters.shops.woo_answers import other_currencies, price_of, terms_of
from monitor.domain.money import Money
from monitor.domain.shop_price import CompareAtAction
from monitor.errors import CannotSucceed, OutcomeUnknown, RetryLater
from monitor.ports.shop import AccessRefused, ProductGone
from tests.contracts.test_shop import a_write
from tests.fake_http import HttpFake, Reply
from tests.fake_shop import Fault
from tests.fake_woo import KEY, SECRET, FakeWoo


@contextmanager
def a_shop(store, mode=WriteMode.REGULAR, **settings):
    """Serve a store and yield the adapter that speaks to it."""
    with store.serve() as server:
        api = WooApi(server.url, KEY, SECRET, Client(), SystemClock(), deadline=timedelta(seconds=1), **settings)
        yield WooShop(api, mode)


def _cleared(write):
    return replace(write, compare_at_action=CompareAtAction.CLEAR)


def _set(write, amount):
    return replace(write, compare_at_action=CompareAtAction.SET, compare_at=Decimal(amount))


def test_only_the_regular_price_is_sent_as_text_and_to_the_product_itself():
    store = FakeWoo()
    item = store.sell("A-1", "27.90")
    with a_shop(store) as shop:
        assert shop.write(a_write()) == "WooCommerce has 24.90"

    assert store.writes == [("PUT", f"/products/{item.number}", {"regular_price": "24.90"})]
    assert store.changes == [("A-1", "24.90", "")]


def test_a_price_goes_to_the_variation_and_never_to_its_parent():
    store = FakeWoo()
    store.sell("SHIRT", "", kind="variable", number=42)
    store.sell("SHIRT-M", "27.90", parent=42, number=421)
    store.sell("SHIRT-L", "27.90", parent=42, number=422)
    with a_shop(store) as shop:
        shop.write(a_write("SHIRT-M"))
        after = shop.read("SHIRT-M")
        with pytest.raises(CannotSucceed, match="its variations carry the prices"):
            shop.read("SHIRT")

    assert store.writes == [("PUT", "/products/42/variations/421", {"regular_price": "24.90"})]
    assert after is not None
    assert (after.price, after.ref) == (Money(Decimal("24.90"), "EUR"), "42/421")


@pytest.mark.parametrize("wanted", ["34.00", "39.00", "41.00"])
def test_threat_29_no_regular_price_is_written_while_a_sale_is_on(wanted):
    """Below the sale price it would silently end the sale, above it customers would not see it."""
    store = FakeWoo()
    store.sell("A-1", "40.00", "35.00")
    with a_shop(store) as shop:
        current = shop.read("A-1")
        assert current is not None
        objection = shop.objection(a_write(new=wanted, old="35.00"), current)

    assert objection is not None
    assert objection.startswith("a sale is on (35.00 EUR, compare-at 40.00 EUR)")
    assert (store.writes, store.of("A-1").sale) == ([], "35.00")


def test_a_planned_sale_is_not_dropped_by_a_regular_price_below_it():
    store = FakeWoo()
    store.sell("A-1", "40.00", "35.00", is_sale_due=False)
    with a_shop(store) as shop:
        current = shop.read("A-1")
        assert current is not None
        assert current.price.amount == 40
        assert "35.00 EUR that is stored" in (shop.objection(a_write(new="34.00", old="40.00"), current) or "")
        assert shop.objection(a_write(new="38.00", old="40.00"), current) is None


@pytest.mark.parametrize(("target", "is_refused"), [("40.00", True), ("41.00", True), ("39.99", False)])
def test_a_sale_price_must_be_below_the_regular_price(target, is_refused):
    store = FakeWoo()
    store.sell("A-1", "40.00", "35.00")
    with a_shop(store, WriteMode.SALE) as shop:
        current = shop.read("A-1")
        assert current is not None
        objection = shop.objection(a_write(new=target, old="35.00"), current)

    assert bool(objection) == is_refused
    assert not is_refused or "a sale price must be below the regular price" in str(objection)


@pytest.mark.parametrize(
    ("mode", "write", "sent"),
    [
        (WriteMode.REGULAR, a_write(), {"regular_price": "24.90"}),
        (WriteMode.SALE, a_write(), {"sale_price": "24.90"}),
        (WriteMode.REGULAR, _cleared(a_write()), {"regular_price": "24.90", "sale_price": ""}),
        (WriteMode.SALE, _cleared(a_write()), {"regular_price": "24.90", "sale_price": ""}),
        (WriteMode.REGULAR, _set(a_write(), "29.9"), {"regular_price": "29.90", "sale_price": "24.90"}),
    ],
)
def test_what_a_decision_says_of_the_compare_at_price_decides_the_fields(mode, write, sent):
    store = FakeWoo()
    store.sell("A-1", "27.90")
    with a_shop(store, mode) as shop:
        shop.write(write)
        after = shop.read("A-1")

    assert store.writes[0][2] == sent
    assert after is not None
    assert after.price.amount == Decimal("24.90")


def test_in_sale_mode_the_regular_price_is_what_the_sale_is_measured_against():
    store = FakeWoo()
    store.sell("A-1", "40.00")
    with a_shop(store, WriteMode.SALE) as shop:
        before = shop.read("A-1")
        shop.write(a_write(new="35.00", old="40.00"))
        after = shop.read("A-1")

    assert before is not None
    assert after is not None
    assert (before.compare_at, after.compare_at, after.price.amount) == (Decimal(40), Decimal(40), Decimal(35))


def test_several_prices_go_into_one_batch_and_each_item_has_its_own_outcome():
    store = FakeWoo()
    for sku in ("A-1", "B-2", "C-3"):
        store.sell(sku, "27.90")
    with a_shop(store) as shop:
        shop.read_many(["A-1", "B-2", "C-3"])
        store.remove("B-2")
        store.faults.append(Fault.FORGOTTEN)
        writes = [a_write(sku, key=sku) for sku in ("A-1", "B-2", "C-3")]
        answers = shop.write_many(writes)

    assert [method for method, _, _ in store.writes] == ["POST"]
    assert isinstance(answers["A-1"], str)
    assert isinstance(answers["B-2"], ProductGone)
    assert "C-3" not in answers
    assert all(isinstance(item["regular_price"], str) for item in store.writes[0][2]["update"])


def test_a_hundred_and_fifty_products_are_read_in_pages():
    store = FakeWoo()
    for number in range(150):
        store.sell(f"S-{number}", "10.00", number=1000 + number)
    with a_shop(store) as shop:
        skus = [f"S-{number}" for number in range(150)]
        found = shop.read_many(skus)
        again = shop.read_many(skus)

    assert len([one for one in found.values() if one is not None]) == 150
    assert found == again


def test_what_is_listed_has_cost_stock_and_the_words_of_its_variation():
    store = FakeWoo()
    store.sell("A-1", "27.90", stock=4, cost="11.50")
    store.sell("SHIRT", "", kind="variable", number=42)
    store.sell("SHIRT-M", "19.90", parent=42, number=421)
    store.sell("", "5.00", number=77)
    with a_shop(store) as shop:
        listed = {product.sku: product for product in shop.products()}

    assert sorted(listed) == ["A-1", "SHIRT-M"]
    assert (listed["A-1"].stock, listed["A-1"].cost) == (4, Decimal("11.5"))
    assert (listed["SHIRT-M"].title, listed["SHIRT-M"].options, listed["SHIRT-M"].ref) == (
        "Product 42",
        ("M",),
        "42/421",
    )


def test_two_products_with_one_sku_are_not_written():
    store = FakeWoo()
    store.sell("A-1", "27.90", number=50)
    store.items[51] = replace(store.items[50], number=51)
    with a_shop(store) as shop, pytest.raises(CannotSucceed, match="2 products in WooCommerce have the SKU A-1"):
        shop.read("A-1")


def test_a_host_that_strips_the_authorization_header_is_told_and_may_be_asked_otherwise():
    store = FakeWoo()
    store.sell("A-1", "27.90")
    store.strips_header = True
    with a_shop(store) as shop, pytest.raises(AccessRefused, match=r'set shop\.auth = "query"') as refused:
        shop.read("A-1")
    assert SECRET not in str(refused.value)
    with a_shop(store, key_in_query=True) as shop:
        assert shop.read("A-1") is not None


@pytest.mark.parametrize(
    ("reply", "as_write", "as_read"),
    [
        (Reply(401, {"code": "woocommerce_rest_cannot_view"}), AccessRefused, AccessRefused),
        (Reply(403, b"<html>"), AccessRefused, AccessRefused),
        (Reply(301, b"", {"Location": "https://www.brand.example"}), AccessRefused, AccessRefused),
        (Reply(429, {}, {"Retry-After": "5"}), RetryLater, RetryLater),
        (Reply(404, b"<html>no shop"), CannotSucceed, CannotSucceed),
        (
            Reply(404, {"code": "woocommerce_rest_product_invalid_id", "message": "Invalid ID."}),
            ProductGone,
            ProductGone,
        ),
        (Reply(400, {"code": "rest_invalid_param", "message": "wrong"}), CannotSucceed, CannotSucceed),
        (Reply(413, {"code": "woocommerce_rest_request_entity_too_large"}), CannotSucceed, CannotSucceed),
        (Reply(500, {"code": "internal_server_error"}), OutcomeUnknown, RetryLater),
        (Reply(502, b"<html>"), OutcomeUnknown, RetryLater),
        (Reply(200, b"<html>maintenance"), OutcomeUnknown, RetryLater),
        (Reply(200, b""), OutcomeUnknown, RetryLater),
    ],
)
def test_each_kind_of_answer_says_whether_anything_may_have_been_done(reply, as_write, as_read):
    with HttpFake(lambda _: reply) as server:
        api = WooApi(server.url, KEY, SECRET, Client(), SystemClock(), deadline=timedelta(seconds=1))
        with pytest.raises(as_write) as written:
            api.send("PUT", "/products/1", {"regular_price": "1.00"})
        with pytest.raises(as_read) as read:
            api.get("/products/1")

    assert (type(written.value), type(read.value)) == (as_write, as_read)


def test_a_shop_that_is_not_there_has_certainly_not_been_written():
    with FakeWoo().serve() as server:
        url = server.url
    shop = WooShop(WooApi(url, KEY, SECRET, Client(), SystemClock()))

    with pytest.raises(RetryLater):
        shop.write(a_write())


@pytest.mark.parametrize("price", ["", None, "24,90", "free"])
def test_a_price_that_cannot_be_read_exactly_is_no_price(price):
    terms = terms_of(
        [{"id": "woocommerce_currency", "value": "EUR"}, {"id": "woocommerce_price_num_decimals", "value": "2"}], []
    )

    with pytest.raises(CannotSucceed):
        price_of({"sku": "A-1", "type": "simple", "price": price, "regular_price": price}, terms, WriteMode.REGULAR)


def test_taxes_that_are_not_reckoned_with_are_not_compared():
    general = [
        {"id": "woocommerce_currency", "value": "EUR"},
        {"id": "woocommerce_price_num_decimals", "value": "2"},
        {"id": "woocommerce_calc_taxes", "value": "no"},
    ]

    assert terms_of(general, [{"id": "woocommerce_prices_include_tax", "value": "no"}]).tax_included is None
    with pytest.raises(CannotSucceed, match="does not say its currency and decimals"):
        terms_of([], [])


def test_a_probe_tells_how_the_shop_states_its_prices():
    with a_shop(FakeWoo()) as shop:
        words = shop.probe()

    assert words == "WooCommerce answers: EUR with 2 decimals, prices include tax; writes the regular price"


@pytest.mark.parametrize(
    ("kept", "told"),
    [
        ({"_price_USD": "29.00", "_regular_price_USD": "31.00", "_sale_price_GBP": "1"}, ("29.00 USD",)),
        ({"_woocs_regular_price_USD": "-1", "_woocs_regular_price_CHF": "28.5"}, ("28.50 CHF",)),
        ({"_regular_currency_prices": '{"USD": "29.00", "GBP": ""}'}, ("29.00 USD",)),
        ({"_regular_currency_prices": "broken"}, ()),
        ({"_price": "27.90", "_price_note": "9", "_price_xyz": "9"}, ()),
        ({}, ()),
    ],
)
def test_the_fixed_prices_of_multi_currency_plug_ins_are_told(kept, told):
    product = {"sku": "A-1", "meta_data": [{"key": key, "value": value} for key, value in kept.items()]}

    assert other_currencies(product) == told

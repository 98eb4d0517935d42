"""Shopify's Admin API: what its answers mean, what is sent, tokens, cost, and what each fault leads to."""

import json
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.adapters.clock import SystemClock
from monitor.adapters.http import Answer, Client
from monitor.adapters.shops import FixedToken, GrantedTokens, ShopifyApi, ShopifyShop
from monitor.adapters.shops.shopify_answers import answers_of, connection, price_of, variant_input
from monitor.adapters.shops.shopify_api import data_of
from monitor.adapters.shops.throttle import Bucket, Cost, cost_of
from monitor.domain.money import Money, digits
from monitor.domain.shop_price import CompareAtAction
from monitor.errors import CannotSucceed, Misconfigured, OutcomeUnknown, RetryLater
from monitor.ports.shop import AccessRefused, ProductGone
from tests.contracts.test_shop import a_write
from tests.fake_shop import Fault
from tests.fake_shopify import CLIENT_ID, CLIENT_SECRET, TOKEN, FakeShopify
from tests.review_scene import SetClock

ANSWERS = Path(__file__).parent / "answers"
AT = datetime(2026, 11, 29, 6, 30, tzinfo=UTC)


def recorded(name: str) -> dict:
    """Return an answer of the shape that Shopify gives."""
    return json.loads((ANSWERS / name).read_text("utf-8"), parse_float=Decimal)


@contextmanager
def a_shop(store, *, tokens=None, deadline=1.0, slept=None, **settings):
    """Serve a store and yield the adapter that speaks to it; what it would sleep is noted in `slept`."""
    with store.serve() as server:
        clock = SystemClock()
        tokens = tokens(server.url, Client(), clock) if tokens else FixedToken(TOKEN)
        pause = (slept if slept is not None else []).append
        limit = timedelta(seconds=deadline)
        api = ShopifyApi(server.url, tokens, Client(), clock, deadline=limit, pause=pause, **settings)
        yield ShopifyShop(api)


def granted(url, client, clock):
    return GrantedTokens(url, CLIENT_ID, CLIENT_SECRET, client, clock)


# What answers mean


def test_a_written_variant_is_found_in_the_answer_by_its_id():
    answer = recorded("update-taken.json")
    write = a_write("SCARF-RED", new="24.00")

    outcomes = answers_of(answer["data"], [write], ["gid://shopify/ProductVariant/61488"])

    assert outcomes == {write.id: "Shopify set 24.00"}
    assert cost_of(answer) == Cost(Decimal(32), Decimal(32), Decimal(1953), Decimal(2000), Decimal(100))


def test_one_unknown_variant_refuses_the_whole_call_and_is_the_one_that_is_named():
    data = recorded("update-one-unknown-variant.json")["data"]
    first, second = a_write("A-1", key="k-1"), a_write("B-2", key="k-2")

    outcomes = answers_of(data, [first, second], ["gid://shopify/ProductVariant/1", "gid://shopify/ProductVariant/2"])

    assert isinstance(outcomes["k-1"], RetryLater)
    assert isinstance(outcomes["k-2"], ProductGone)
    assert "PRODUCT_VARIANT_DOES_NOT_EXIST" in str(outcomes["k-2"])


def test_an_unknown_product_refuses_every_variant_of_the_call():
    data = recorded("update-unknown-product.json")["data"]
    writes = [a_write("A-1", key="k-1"), a_write("B-2", key="k-2")]

    outcomes = answers_of(data, writes, ["gid://shopify/ProductVariant/1", "gid://shopify/ProductVariant/2"])

    assert [type(outcome) for outcome in outcomes.values()] == [ProductGone, ProductGone]


@pytest.mark.parametrize(
    ("payload", "kind"),
    [
        ({"userErrors": [{"field": None, "message": "Nope", "code": "INVALID"}]}, CannotSucceed),
        ({"userErrors": [{"field": ["variants", "7", "price"], "message": "Nope"}]}, CannotSucceed),
        ({"userErrors": ["Nope"]}, CannotSucceed),
        # product and variants may be there with errors: only an empty list is a yes
        (
            {
                "productVariants": [{"id": "gid://shopify/ProductVariant/1", "price": "24.90"}],
                "userErrors": [{"field": ["variants", "0", "price"], "message": "Nope", "code": "X"}],
            },
            CannotSucceed,
        ),
        ({"productVariants": None, "userErrors": []}, None),
        ({"productVariants": [], "userErrors": []}, None),
        ({"productVariants": [{"id": "gid://shopify/ProductVariant/1", "price": "24.90"}]}, None),
        ({}, None),
        (None, None),
    ],
)
def test_only_an_empty_list_of_errors_and_the_variant_itself_are_a_yes(payload, kind):
    """None: the answer says nothing about the write, so whoever asked takes it for unknown."""
    write = a_write()

    outcomes = answers_of({"productVariantsBulkUpdate": payload}, [write], ["gid://shopify/ProductVariant/1"])

    assert (type(outcomes.get(write.id)) if kind else outcomes.get(write.id)) == kind


def test_a_price_and_its_compare_at_price_are_read_as_exact_decimals():
    data = recorded("read-after-write.json")["data"]
    (variant,), _ = connection(data["product"]["variants"])

    found = price_of(variant, "EUR", True)

    assert (found.price, found.compare_at) == (Money(Decimal("24.00"), "EUR"), Decimal("30.00"))
    assert found.ref == "gid://shopify/ProductVariant/61488"
    assert connection(data["products"]) == ([], None)  # the search index lags: never read back by search


def test_a_page_of_edges_is_read_and_tells_where_the_next_begins():
    data = recorded("products-page.json")["data"]

    nodes, cursor = connection(data["products"])

    assert [node["handle"] for node in nodes] == ["scarf", "admin", "apps"]
    assert cursor == "bGFzdA=="


@pytest.mark.parametrize("price", [None, "", "24,90", "NaN", "1e3", True, {}])
def test_a_price_that_cannot_be_read_exactly_is_no_price(price):
    with pytest.raises(CannotSucceed):
        price_of({"sku": "A-1", "price": price, "compareAtPrice": None}, "EUR", None)


def _answer(status=200, document=None, **headers):
    body = document if isinstance(document, bytes) else json.dumps(document).encode()
    return Answer("https://brand.myshopify.com", status, headers, body)


@pytest.mark.parametrize(
    ("status", "document", "as_write", "as_read"),
    [
        (401, {"errors": "[API] Invalid API key or access token"}, AccessRefused, AccessRefused),
        (402, {"errors": "Unavailable Shop"}, AccessRefused, AccessRefused),
        (403, {"errors": "Forbidden"}, AccessRefused, AccessRefused),
        (404, {"errors": "Not Found"}, AccessRefused, AccessRefused),
        (423, {"errors": "Locked"}, AccessRefused, AccessRefused),
        (301, b"", AccessRefused, AccessRefused),
        (429, {"errors": "Too many"}, RetryLater, RetryLater),
        (430, {"errors": "Security"}, RetryLater, RetryLater),
        (400, {"errors": {"query": "Required"}}, CannotSucceed, CannotSucceed),
        (500, {"errors": "Internal"}, OutcomeUnknown, RetryLater),
        (502, b"<html>", OutcomeUnknown, RetryLater),
        (503, b"", OutcomeUnknown, RetryLater),
        (408, b"", OutcomeUnknown, RetryLater),
        (200, b"<html>", OutcomeUnknown, RetryLater),
        (200, b"[]", OutcomeUnknown, RetryLater),
        (200, {}, OutcomeUnknown, RetryLater),
        (200, {"data": None}, OutcomeUnknown, RetryLater),
        (200, {"errors": "Not this way"}, CannotSucceed, CannotSucceed),
        (
            200,
            {"errors": [{"message": "no field", "extensions": {"code": "undefinedField"}}]},
            CannotSucceed,
            CannotSucceed,
        ),
        (
            200,
            {"errors": [{"message": "too dear", "extensions": {"code": "MAX_COST_EXCEEDED"}}]},
            CannotSucceed,
            CannotSucceed,
        ),
        (
            200,
            {"errors": [{"message": "x", "extensions": {"code": "ACCESS_DENIED"}}], "data": None},
            AccessRefused,
            AccessRefused,
        ),
        (200, {"errors": [{"message": "x", "extensions": {"code": "SHOP_INACTIVE"}}]}, AccessRefused, AccessRefused),
        (
            200,
            {"errors": [{"message": "x", "extensions": {"code": "INTERNAL_SERVER_ERROR"}}]},
            OutcomeUnknown,
            RetryLater,
        ),
        (200, {"errors": [{"message": "half"}], "data": {"shop": None}}, OutcomeUnknown, RetryLater),
    ],
)
def test_each_kind_of_answer_says_whether_anything_may_have_been_done(status, document, as_write, as_read):
    answer = _answer(status, document)
    parsed = None if isinstance(document, bytes) and document != b"[]" else document
    for is_write, kind in ((True, as_write), (False, as_read)):
        with pytest.raises(kind) as raised:
            data_of(answer, [] if parsed == b"[]" else parsed, now=AT, is_write=is_write)
        assert type(raised.value) is kind


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(st.sampled_from(["data", "errors", "extensions", "code", "cost", "message"]), inner)
        ),
    )
)
def test_no_answer_makes_it_stumble(document):
    with_errors = (RetryLater, CannotSucceed, OutcomeUnknown)
    try:
        data = data_of(_answer(200, document), document, now=AT, is_write=True)
    except with_errors:
        return
    assert isinstance(data, dict)
    assert answers_of(data, [a_write()], ["gid"]) == {} or "productVariantsBulkUpdate" in data


# Cost


def test_a_throttled_answer_says_how_long_to_wait():
    cost = cost_of(recorded("throttled.json"))

    assert cost is not None
    assert cost.actual is None
    assert cost.wait() == timedelta(seconds=2)


@pytest.mark.parametrize(
    "document", [None, [], {}, {"extensions": None}, {"extensions": {"cost": {"requestedQueryCost": "ten"}}}]
)
def test_an_answer_without_its_cost_tells_none(document):
    assert cost_of(document) is None


def test_the_bucket_refills_up_to_its_size():
    bucket = Bucket()
    assert bucket.wait_for(Decimal(500), AT) == timedelta(0)
    bucket.told(Cost(Decimal(10), Decimal(10), Decimal(40), Decimal(1000), Decimal(50)), AT)

    assert bucket.wait_for(Decimal(90), AT) == timedelta(seconds=1)
    assert bucket.wait_for(Decimal(90), AT + timedelta(seconds=1)) == timedelta(0)
    assert bucket.wait_for(Decimal(5000), AT + timedelta(hours=1)) == timedelta(0)


def test_threat_27_a_storm_of_throttling_waits_for_the_bucket_and_writes_once():
    store, slept = FakeShopify(), []
    store.sell("A-1", "27.90")
    store.faults.extend([Fault.THROTTLE_200] * 5)
    with a_shop(store, slept=slept) as shop:
        assert shop.write(a_write()) == "Shopify set 24.90"

    assert len(store.mutations) == 6
    assert store.changes == [("A-1", "24.90", None)]
    assert all(1 <= seconds < 1.5 for seconds in slept)  # (400 - 300) / 100
    assert len(slept) >= 5


def test_a_bucket_that_stays_empty_leaves_the_write_for_later_and_says_when():
    store = FakeShopify()
    store.sell("A-1", "27.90")
    store.faults.extend([Fault.THROTTLE_200] * 50)
    with a_shop(store) as shop, pytest.raises(RetryLater) as later:
        shop.write(a_write())

    assert later.value.not_before is not None
    assert store.changes == []


def test_calls_are_spaced_before_shopify_has_to_throttle_them():
    store, slept = FakeShopify(), []
    store.sell("A-1", "27.90")
    store.available, store.restore = Decimal(2), Decimal(10)
    with a_shop(store, slept=slept) as shop:
        shop.read("A-1")
        shop.read("A-1")

    assert slept
    assert all(0 < seconds <= 1.5 for seconds in slept)


# Tokens


def test_a_token_of_a_day_is_asked_for_once_and_kept():
    store = FakeShopify()
    store.sell("A-1", "27.90")
    with a_shop(store, tokens=granted) as shop:
        shop.read("A-1")
        shop.write(a_write())

    assert store.granted == 1


def test_a_token_that_has_ended_is_renewed_and_the_write_made_once():
    store = FakeShopify()
    store.sell("A-1", "27.90")
    store.faults.append(Fault.EXPIRED_TOKEN)
    with a_shop(store, tokens=granted) as shop:
        shop.write(a_write())

    assert store.granted == 2
    assert store.changes == [("A-1", "24.90", None)]


def test_a_token_is_renewed_before_it_ends():
    store, clock = FakeShopify(), SetClock(AT)
    with store.serve() as server:
        tokens = GrantedTokens(server.url, CLIENT_ID, CLIENT_SECRET, Client(), clock)
        first = tokens.token()
        clock.forward(hours=23, minutes=50)
        assert tokens.token() == first
        clock.forward(minutes=6)

        assert tokens.token() != first
        assert not FixedToken("t").refused("t")


def test_a_wrong_client_secret_is_told_without_showing_it():
    store = FakeShopify()
    with store.serve() as server:
        tokens = GrantedTokens(server.url, CLIENT_ID, "shpss_wrong", Client(), SystemClock())
        with pytest.raises(AccessRefused, match="gave no token for the client id: it answered 400") as refused:
            tokens.token()

    assert "shpss_wrong" not in str(refused.value)


def test_a_permanent_token_that_is_refused_asks_a_person():
    store = FakeShopify()
    store.tokens.clear()
    with a_shop(store) as shop, pytest.raises(AccessRefused, match="check MONITOR_SHOPIFY_TOKEN") as refused:
        shop.read("A-1")

    assert TOKEN not in str(refused.value)


# What is sent


def test_threat_28_a_compare_at_price_is_left_out_null_or_set_and_never_zero():
    keep = a_write()
    clear = replace(keep, compare_at_action=CompareAtAction.CLEAR)
    to = replace(keep, compare_at_action=CompareAtAction.SET, compare_at=Decimal("29.9"))

    sent = [variant_input(write, "gid") for write in (keep, clear, to)]

    assert sent == [
        {"id": "gid", "price": "24.90"},
        {"id": "gid", "price": "24.90", "compareAtPrice": None},
        {"id": "gid", "price": "24.90", "compareAtPrice": "29.90"},
    ]


@given(units=st.integers(1, 10**9), currency=st.sampled_from(["EUR", "JPY", "KWD"]))
def test_threat_31_the_text_that_is_sent_is_the_approved_amount_to_the_last_digit(units, currency):
    price = Decimal(units).scaleb(-digits(currency))

    sent = variant_input(replace(a_write(currency=currency), target_price=price), "gid")["price"]

    assert Decimal(str(sent)) == price
    assert len(str(sent).partition(".")[2]) == digits(currency)


@pytest.mark.parametrize(
    ("action", "amount", "left"),
    [("keep", None, "60.00"), ("clear", None, None), ("set", "55.00", "55.00")],
)
def test_the_shop_ends_with_the_compare_at_price_that_was_decided(action, amount, left):
    store = FakeShopify()
    store.sell("A-1", "50.00", compare_at="60.00")
    decided = CompareAtAction(action)
    write = replace(
        a_write(new="48.00", old="50.00"), compare_at_action=decided, compare_at=Decimal(amount) if amount else None
    )
    with a_shop(store) as shop:
        shop.write(write)
        found = shop.read("A-1")

    assert found is not None
    assert found.compare_at == (Decimal(left) if left else None)
    assert ("compareAtPrice" in store.mutations[0]["variants"][0]) == (action != "keep")


def test_variants_of_one_product_go_into_one_call():
    store = FakeShopify()
    for sku, product in (("A-1", 7), ("A-2", 7), ("B-1", 8)):
        store.sell(sku, "27.90", product=product)
    with a_shop(store) as shop:
        shop.write_many([a_write(sku, key=sku) for sku in ("A-1", "B-1", "A-2")])

    assert sorted(len(sent["variants"]) for sent in store.mutations) == [1, 2]
    assert len(store.changes) == 3


def test_a_price_with_more_decimals_than_the_currency_is_objected_to():
    store = FakeShopify()
    store.sell("A-1", "27.90")
    with a_shop(store) as shop:
        current = shop.read("A-1")
        assert current is not None
        assert shop.objection(a_write(), current) is None
        objection = shop.objection(a_write(new="24.895"), current)

    assert objection == "the approved price 24.895 EUR has more than the 2 decimals that the shop keeps"


# Finding variants


def test_a_variant_is_read_by_its_id_and_not_by_search_once_it_is_known():
    """Right after a write the search index does not show what was written."""
    store = FakeShopify()
    store.sell("A-1", "27.90")
    with a_shop(store) as shop:
        shop.read("A-1")
        store.indexed.clear()
        shop.write(a_write())

        assert str(shop.read("A-1")) == "24.90 EUR"


def test_a_sku_that_went_to_another_variant_is_found_there():
    store = FakeShopify()
    store.sell("A-1", "27.90")
    with a_shop(store) as shop:
        shop.read("A-1")
        old = store.of("A-1")
        store.variants[old.gid] = replace(old, sku="OLD")
        store.sell("A-1", "26.00")

        assert str(shop.read("A-1")) == "26.00 EUR"


def test_two_variants_with_one_sku_are_not_written():
    store = FakeShopify()
    first = store.sell("A-1", "27.90")
    store.variants["gid://shopify/ProductVariant/9"] = replace(first, number=9)
    store.indexed.add("gid://shopify/ProductVariant/9")
    with a_shop(store) as shop:
        with pytest.raises(CannotSucceed, match="2 variants in Shopify have the SKU A-1; give each its own"):
            shop.read("A-1")
        with pytest.raises(CannotSucceed, match="2 variants"):
            shop.write(a_write())

    assert store.mutations == []


def test_an_archived_product_counts_as_gone():
    store = FakeShopify()
    store.sell("A-1", "27.90", status="ARCHIVED")
    with a_shop(store) as shop:
        assert shop.read("A-1") is None


def test_more_products_than_one_page_holds_are_all_listed():
    store = FakeShopify()
    for number in range(230):
        store.sell(f"S-{number}", "10.00", cost="4.50", stock=number)
    store.sell("", "1.00")
    store.sell("DRAFT", "1.00", status="DRAFT")
    with a_shop(store) as shop:
        listed = {product.sku: product for product in shop.products()}
        store.indexed.clear()
        assert shop.read("S-229") is not None  # what was listed is known by its id

    assert len(listed) == 231
    assert (listed["S-7"].cost, listed["S-7"].stock, listed["S-7"].not_sold) == (Decimal("4.50"), 7, None)
    assert listed["DRAFT"].not_sold == "is a draft"


# Faults


@pytest.mark.parametrize("fault", [Fault.HTML_502, Fault.TRUNCATED])
def test_an_answer_that_cannot_be_read_leaves_the_write_unknown(fault):
    store = FakeShopify()
    store.sell("A-1", "27.90")
    store.faults.append(fault)
    with a_shop(store) as shop, pytest.raises(OutcomeUnknown):
        shop.write(a_write())

    assert len(store.changes) == 1


def test_a_variant_that_the_answer_leaves_out_is_unknown():
    store = FakeShopify()
    store.sell("A-1", "27.90")
    store.faults.append(Fault.FORGOTTEN)
    with a_shop(store) as shop, pytest.raises(OutcomeUnknown, match="does not mention"):
        shop.write(a_write())


# The doctor


def test_a_probe_tells_the_shop_its_currency_and_that_it_may_be_written():
    with a_shop(FakeShopify()) as shop:
        assert shop.probe() == "Brand answers: EUR, prices include tax, API 2026-10, may write products"


def test_a_missing_scope_and_a_retired_version_are_told():
    store = FakeShopify()
    store.scopes = ["read_products"]
    with a_shop(store) as shop, pytest.raises(CannotSucceed, match="give it the scope write_products"):
        shop.probe()
    store.scopes, store.version = ["write_products"], "2027-01"
    with a_shop(store) as shop, pytest.raises(CannotSucceed, match="answers in API version 2027-01, not in 2026-10"):
        shop.probe()


def test_an_address_that_would_carry_the_key_in_clear_is_refused():
    from monitor.adapters.shops import base_address

    assert base_address("https://brand.myshopify.com/") == "https://brand.myshopify.com"
    assert base_address("http://127.0.0.1:8080/shop/") == "http://127.0.0.1:8080/shop"
    with pytest.raises(Misconfigured, match="in clear"):
        base_address("http://brand.example")


# Fixed prices of other markets


def test_the_fixed_prices_of_other_markets_are_told_by_variant_and_asked_for_once_an_hour():
    store = FakeShopify()
    for sku in ("A-1", "B-2", "C-3"):
        store.sell(sku, "27.90")
    us = {"A-1": ("29.00", "USD"), "B-2": ("31.50", "USD")}
    store.price_lists = {"US": us, "Japan": {"A-1": ("4900", "JPY")}, "Empty": {}}
    with a_shop(store) as shop:
        shop.read_many(["A-1", "B-2", "C-3"])
        told = shop.fixed_elsewhere(["A-1", "B-2", "C-3", "nobody"])
        store.price_lists = {}
        again = shop.fixed_elsewhere(["B-2"])

    assert told == {"A-1": ("US: 29.00 USD", "Japan: 4900 JPY"), "B-2": ("US: 31.50 USD",)}
    assert again == {"B-2": ("US: 31.50 USD",)}


def test_a_shop_that_does_not_tell_its_price_lists_has_nothing_to_warn_of():
    store = FakeShopify()
    store.sell("A-1", "27.90")
    store._price_lists = lambda _: {"priceLists": None}  # as to an app that may not read them
    with a_shop(store) as shop:
        shop.read("A-1")
        assert shop.fixed_elsewhere(["A-1"]) == {}

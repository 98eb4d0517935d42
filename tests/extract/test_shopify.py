"""Shopify's catalogue answers and the watches matched to them."""

import json
from decimal import Decimal
from typing import Any

import pytest

from monitor.domain.catalogue import Watch
from monitor.domain.extraction import Availability, Outcome
from monitor.extract.platforms import detect
from monitor.extract.platforms.shopify import (
    CataloguePage,
    find,
    handle_of,
    merged,
    presentment_currency,
    read_catalogue,
    read_products,
)


def a_variant(**changed: Any) -> dict[str, Any]:
    return {
        "id": 11,
        "title": "Default Title",
        "sku": "K-1",
        "price": "49.90",
        "compare_at_price": None,
        "available": True,
    } | changed


def a_product(*variants: dict[str, Any], **changed: Any) -> dict[str, Any]:
    product = {
        "id": 1,
        "title": "Kettle",
        "handle": "kettle",
        "vendor": "Fjell",
        "variants": list(variants) or [a_variant()],
    }
    return product | changed


def a_page(*products: dict[str, Any]) -> bytes:
    return json.dumps({"products": list(products)}).encode()


def a_watch(url: str = "https://fjell.example/products/kettle", **known: Any) -> Watch:
    return Watch(competitor="fjell", sku="OUR-1", url=url, **known)


SIZES = a_product(
    a_variant(id=21, title="S", sku="J-S", price="80.00", available=False),
    a_variant(id=22, title="L", sku="J-L", price="95.00", barcode="4006381333931"),
    id=2,
    handle="jacket",
    title="Jacket",
)


def test_a_watch_gets_its_product_by_handle_with_price_stock_and_evidence():
    found = find(read_products(a_page(SIZES, a_product(a_variant(compare_at_price="59.90")))), a_watch(), "EUR")

    assert found is not None
    assert (found.outcome, found.price, found.currency, found.list_price) == (
        Outcome.OK,
        Decimal("49.90"),
        "EUR",
        Decimal("59.90"),
    )
    assert (found.availability, found.name, found.sku, found.brand) == (Availability.IN_STOCK, "Kettle", "K-1", "Fjell")
    assert [e.amount for e in found.evidence] == [Decimal("49.90")]


@pytest.mark.parametrize("former", [None, "", "0.00", "49.90", "12.00"])
def test_a_compare_at_price_that_is_not_above_the_price_is_none(former):
    (item,) = read_products(a_page(a_product(a_variant(compare_at_price=former))))

    assert item.variants[0].compare_at is None


@pytest.mark.parametrize("price", ["0.00", None, "NaN", "49,90", 4990, 49.9, "-1.00", True])
def test_an_amount_that_is_not_a_decimal_string_above_zero_is_no_price(price):
    """The twin endpoint writes hundredths as integers; taking one for the other is a hundredfold error."""
    found = find(read_products(a_page(a_product(a_variant(price=price)))), a_watch(), "EUR")

    assert found is not None
    assert (found.outcome, found.reason, found.price) == (Outcome.NO_PRICE, "no_amount", None)


def test_stock_that_is_not_told_is_unknown():
    variant = a_variant()
    del variant["available"]
    found = find(read_products(a_page(a_product(variant))), a_watch(), "EUR")

    assert found is not None
    assert found.availability is Availability.UNKNOWN


@pytest.mark.parametrize(
    "watch",
    [
        a_watch("https://fjell.example/products/jacket?variant=22"),
        a_watch("https://fjell.example/en/products/jacket", variant="22"),
        a_watch("https://fjell.example/products/Jacket", their_sku="J-L"),
        a_watch("https://fjell.example/collections/x/products/jacket", their_gtin="4006381333931"),
        a_watch("https://fjell.example/pages/jackets", their_gtin="4006381333931"),
    ],
)
def test_a_variant_is_chosen_by_address_key_sku_or_gtin(watch):
    found = find(read_products(a_page(a_product(), SIZES)), watch, "EUR")

    assert found is not None
    assert (found.outcome, found.price, found.name, found.sku) == (Outcome.OK, Decimal("95.00"), "Jacket - L", "J-L")


def test_variants_at_several_prices_are_ambiguous_when_the_watch_names_none():
    found = find(read_products(a_page(SIZES)), a_watch("https://fjell.example/products/jacket"), "EUR")

    assert found is not None
    assert (found.outcome, found.reason, found.price, found.availability) == (
        Outcome.AMBIGUOUS,
        "range",
        None,
        Availability.IN_STOCK,
    )
    assert "80.00" in found.words
    assert "95.00" in found.words


def test_a_variant_that_was_removed_is_not_found_and_never_another_variant():
    found = find(read_products(a_page(SIZES)), a_watch("https://fjell.example/products/jacket?variant=99"), "EUR")

    assert found is not None
    assert (found.outcome, found.reason, found.price) == (Outcome.NOT_FOUND, "variant_gone", None)


def test_a_product_that_is_not_on_the_page_is_left_to_its_own_page():
    assert find(read_products(a_page(SIZES)), a_watch(), "EUR") is None


def test_a_helper_variant_for_nothing_does_not_make_a_range():
    product = a_product(a_variant(), a_variant(id=12, title="View options", price="0.00"))
    found = find(read_products(a_page(product)), a_watch(), "EUR")

    assert found is not None
    assert (found.outcome, found.price) == (Outcome.OK, Decimal("49.90"))


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b'{"errors":"Page * Limit exceeds the 25000 limit."}', "page_limit"),
        (b'<html><body><form action="/password"></form></body></html>', "password"),
        (b"<html><body>Not found</body></html>", "not_json"),
        (b'{"product":{}}', "no_products"),
        (b"", "not_json"),
        (b"\xff\xfe{", "not_json"),
    ],
)
def test_an_answer_without_products_says_why(body, problem):
    page = read_catalogue(body)

    assert (page.items, page.problem) == ((), problem)
    assert page.words
    assert not page.is_last
    assert read_products(body) == ()


def test_an_empty_page_ends_the_walk_and_a_short_one_does_not():
    assert read_catalogue(a_page()).is_last
    assert not read_catalogue(a_page(SIZES)).is_last


def test_an_item_that_moved_between_pages_counts_once_with_its_later_reading():
    early, late = read_catalogue(a_page(a_product())), read_catalogue(a_page(a_product(a_variant(price="45.00"))))
    (item,) = merged([early, late])

    assert item.variants[0].price == Decimal("45.00")
    assert merged([CataloguePage(())]) == ()


@pytest.mark.parametrize(
    ("body", "currency"),
    [
        (b'<script>Shopify.currency = {"active":"USD","rate":"1.08"};</script>', "USD"),
        (b'{"product":{"variants":[{"price_currency":"EUR"},{"price_currency":"EUR"}]}}', "EUR"),
        (b'{"product":{"variants":[{"price_currency":"EUR"},{"price_currency":"USD"}]}}', None),
        (b"<html></html>", None),
    ],
)
def test_the_presentment_currency_is_what_this_visitor_is_shown(body, currency):
    assert presentment_currency(body) == currency


@pytest.mark.parametrize(
    ("url", "handle"),
    [
        ("https://a.example/products/blue-mug", "blue-mug"),
        ("https://a.example/de/products/Blue-Mug/?variant=1", "blue-mug"),
        ("https://a.example/products/blue-mug.json", "blue-mug"),
        ("https://a.example/collections/mugs", None),
        ("//[", None),
    ],
)
def test_the_handle_is_read_from_the_address(url, handle):
    assert handle_of(url) == handle


@pytest.mark.parametrize(
    ("markup", "platform"),
    [
        ('<link href="https://cdn.shopify.com/s/x.css">', "shopify"),
        ('<body class="woocommerce-page">', "woocommerce"),
        ('<script type="text/x-magento-init">{"Magento_Ui/js":{}}</script>', "magento"),
        ('<link href="/bundles/storefront/a.css">', "shopware"),
        ("<p>hello</p>", None),
    ],
)
def test_a_page_gives_its_platform_away(markup, platform):
    assert detect(markup) == platform

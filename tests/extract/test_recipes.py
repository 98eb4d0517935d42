"""An operator's recipe reads what reading by itself cannot, and fails aloud when it no longer fits."""

from decimal import Decimal

import pytest

from monitor.domain.extraction import Availability, Extraction, Hints, Outcome
from monitor.extract import extract, suggest_recipe
from monitor.extract.recipe import faults

URL = "https://shop.example/p/thing"
PAGE = """<html lang="en"><body><h1>Thing</h1><div class="price">$5.00</div>
<b class="net">10,00</b><s class="was">14,00</s><i data-stock="OutOfStock" class="stock">-</i></body></html>"""


def _read(**recipe: str) -> Extraction:
    return extract(PAGE.encode(), URL, hints=Hints(recipe=recipe))


def test_a_recipe_says_where_every_field_stands():
    found = _read(price=".net", list_price=".was", currency="EUR", availability=".stock@data-stock", name="h1")

    assert (found.outcome, found.reason) == (Outcome.OK, "recipe")
    assert (found.price, found.list_price, found.currency) == (Decimal("10.00"), Decimal("14.00"), "EUR")
    assert (found.availability, found.name) == (Availability.OUT_OF_STOCK, "Thing")


@pytest.mark.parametrize("selector", [".gone", "b..c["])
def test_a_recipe_that_matches_nothing_is_an_error_and_nothing_else_is_read_instead(selector):
    found = _read(price=selector, currency="USD")

    assert (found.outcome, found.reason, found.price) == (Outcome.NO_PRICE, "recipe_no_match", None)
    assert repr(selector) in found.words


@pytest.mark.parametrize(
    ("recipe", "reason"),
    [({"price": "h1", "currency": "EUR"}, "recipe_no_amount"), ({"price": ".net"}, "recipe_no_amount")],
)
def test_a_recipe_without_an_amount_or_a_currency_gives_no_price(recipe, reason):
    found = _read(**recipe)

    assert (found.outcome, found.reason) == (Outcome.NO_PRICE, reason)


def test_a_page_in_another_currency_than_the_recipe_says_gives_no_price():
    page = b"<p class=price>12,00 \xe2\x82\xac</p>"
    found = extract(page, URL, hints=Hints(recipe={"price": ".price", "currency": "GBP"}))

    assert (found.outcome, found.reason) == (Outcome.NO_PRICE, "recipe_currency_differs")


def test_a_suggested_recipe_reads_the_same_price():
    page = b"""<html lang="de"><h1>Vase</h1><div class="box">
    <del>30,00 \xe2\x82\xac</del> <ins>24,00 \xe2\x82\xac</ins></div>
    <button>In den Warenkorb</button></html>"""
    found = extract(page, URL)
    recipe = suggest_recipe(page, URL, found)
    again = extract(page, URL, hints=Hints(recipe=recipe))

    assert recipe
    assert (again.reason, again.price, again.currency) == ("recipe", found.price, found.currency)


def test_nothing_is_suggested_for_a_page_without_a_price():
    assert suggest_recipe(b"<p>hello</p>", URL, extract(b"<p>hello</p>", URL)) == {}


@pytest.mark.parametrize(
    ("recipe", "words"),
    [
        ({}, "no price"),
        ({"price": ""}, "no price"),
        ({"price": ".net", "prise": ".x"}, "'prise'"),
        ({"price": ".net", "currency": "EURO"}, "'EURO'"),
        ({"price": ".net", "locale": "xx-klingon"}, "'xx-klingon'"),
        ({"price": ".net", "tax": "net"}, "included or excluded"),
        ({"price": ".net", "tax": "excluded"}, "tax_rate"),
        ({"price": ".net", "tax": "excluded", "tax_rate": "19%"}, "'19%'"),
        ({"price": ".net", "tax": "excluded", "tax_rate": "190"}, "'190'"),
        ({"price": ".net", "tax_rate": "19"}, "only used"),
    ],
)
def test_a_recipe_that_cannot_be_meant_is_named_before_a_page_is_read(recipe, words):
    assert words in " ".join(told for _, told in faults(recipe))

    if recipe:
        found = _read(**recipe)
        assert (found.outcome, found.reason, found.price) == (Outcome.NO_PRICE, "recipe_wrong", None)


@pytest.mark.parametrize(
    ("rate", "price", "former"), [("19", "11.90", "16.66"), ("7.7", "10.77", "15.08"), ("0", "10.00", "14.00")]
)
def test_a_recipe_adds_the_tax_that_a_shop_for_companies_leaves_out(rate, price, former):
    found = _read(price=".net", list_price=".was", currency="EUR", tax="excluded", tax_rate=rate)

    assert (found.price, found.list_price) == (Decimal(price), Decimal(former))


@pytest.mark.parametrize(
    ("shown", "locale", "amount"),
    [
        ("1.299", "de-DE", "1299"),
        ("1.299", "en-US", "1.299"),
        ("1,299.50", "en-US", "1299.50"),
        ("1.299,50", "de-DE", "1299.50"),
        ("1 299,50", "fr-FR", "1299.50"),
        ("1,299.50", "de-DE", None),  # no number in that locale: nothing is guessed
    ],
)
def test_a_recipes_locale_says_what_the_separators_mean(shown, locale, amount):
    page = PAGE.replace("10,00", shown)
    found = extract(page.encode(), URL, hints=Hints(recipe={"price": ".net", "currency": "EUR", "locale": locale}))

    assert found.price == (None if amount is None else Decimal(amount))


@pytest.mark.parametrize(
    "selector",
    [".pdp-price >> span[", "div:has-text(EUR)", "a:contains(x)", "//div", "div::text", "..x", "> span", "$x"],
)
def test_what_is_no_css_selector_is_named_with_its_field(selector):
    ((field, words),) = faults({"price": ".now", "sku": f"{selector}@content"})

    assert (field, words.partition(";")[0]) == ("sku", f"sku = {selector!r} is no CSS selector")


@pytest.mark.parametrize(
    "selector", [".a .b", "div:has(> span)", r".md\:flex", 'meta[itemprop="price"]', "li:nth-child(2)"]
)
def test_a_selector_as_browsers_know_it_is_accepted(selector):
    assert not list(faults({"price": f"{selector}@content", "name": selector}))

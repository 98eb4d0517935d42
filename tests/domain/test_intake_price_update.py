"""Prices on their way back to the shop: its own headers, only what changes, nothing that a spreadsheet would run."""

import csv
import io
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.domain.intake import Asked, read_catalogue_file
from monitor.domain.intake.price_update import price_update
from monitor.domain.money import Money

ASKED = Asked("EUR", date(2026, 11, 29))
LEGACY = (
    "Handle,Title,Vendor,Option1 Name,Option1 Value,Option2 Name,Option2 Value,Variant SKU,Variant Price,"
    "Variant Compare At Price,Image Src\n"
    "cup,Cup,Lux,Size,S,Colour,Red,CUP-S,9.50,12.00,\ncup,,,,L,,Blue,CUP-L,11,,\ncup,,,,,,,,,,https://i.example/2\n"
    "pot,Pot,Lux,Title,Default Title,,,POT,20,,\n"
)


def update(text: str, prices: dict[str, str], currency: str = "EUR"):
    given_prices = {key: Money(Decimal(price), currency) for key, price in prices.items()}
    return price_update(text.encode(), "export.csv", ASKED, given_prices)


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text), delimiter="\t" if "\t" in text.split("\n")[0] else ","))


def test_a_shopify_update_holds_keys_options_and_the_price_alone():
    found = update(LEGACY, {"CUP-L": "10.5"})

    assert (found.changed, found.left_out) == (("CUP-L",), ())
    assert rows(found.text) == [
        {
            "Handle": "cup",
            "Title": "Cup",
            "Option1 Name": "Size",
            "Option1 Value": "L",
            "Option2 Name": "Colour",
            "Option2 Value": "Blue",
            "Variant Price": "10.50",
        }
    ]


def test_the_headers_are_those_of_the_generation_of_the_export():
    text = (
        "Title,URL handle,Status,SKU,Option1 name,Option1 value,Price,Compare-at price\nCup,cup,Active,C,Size,S,9.50,\n"
    )

    assert update(text, {"C": "9"}).text == ("Title,URL handle,Option1 name,Option1 value,Price\nCup,cup,Size,S,9.00\n")


def test_a_price_that_is_there_already_is_not_written():
    assert update(LEGACY, {"CUP-L": "11.00"}).text == ""


def test_a_woocommerce_update_uses_the_headers_and_the_sign_of_the_shop():
    text = (
        "ID,Typ,Artikelnummer,Name,Angebotspreis,Regulärer Preis\n7,"
        'simple,A,Tasse,,"12,95"\n8,simple,B,Topf,"7,50","9,00"\n'
    )

    assert update(text, {"A": "11.90"}).text == 'ID,Regulärer Preis\n7,"11,90"\n'


@pytest.mark.parametrize(
    ("price", "new"),
    [('"1,299.00"', "1198.00"), ('"1.299,00"', "1198,00"), ("1299", "1198.00"), ('"1299,5"', "1198,00")],
)
def test_the_sign_is_the_one_before_the_decimals_and_not_between_thousands(price, new):
    found = update(f"ID,SKU,Name,Regular price\n1,A,Cup,{price}\n", {"A": "1198"})

    assert rows(found.text) == [{"ID": "1", "Regular price": new}]


def test_an_update_names_the_column_that_was_read():
    found = update("ID,SKU,Název,Cena,Běžná cena\n5,A-1,Hrnek,7,12\n", {"A-1": "11"})

    assert rows(found.text) == [{"ID": "5", "Běžná cena": "11.00"}]


def test_what_is_on_sale_gets_a_new_sale_price_and_keeps_the_regular_one():
    text = "ID,SKU,Name,Sale price,Regular price\n7,A,Cup,,12.95\n8,B,Pot,7.50,9.00\n"
    found = update(text, {"A": "11.90", "B": "7.20"})

    assert found.text == "ID,Sale price,Regular price\n7,,11.90\n8,7.20,9.00\n"


def test_a_sale_price_must_stay_below_the_regular_one():
    text = "ID,SKU,Name,Sale price,Regular price\n8,B,Pot,7.50,9.00\n"
    found = update(text, {"B": "9.50"})

    assert (found.text, found.changed) == ("", ())
    assert found.left_out == ("B: 9.50 EUR is not below its regular price, so it is no sale price; end the sale first",)


def test_a_feed_gets_a_supplement_with_currencies():
    text = "id\ttitle\tprice\tsale_price\nA\tCup\t12.95 EUR\t\nB\tPot\t9.00 EUR\t7.50 EUR\n"

    assert update(text, {"A": "11.90", "B": "7.20"}).text == (
        "id\tprice\tsale_price\nA\t11.90 EUR\t\nB\t9.00 EUR\t7.20 EUR\n"
    )


@pytest.mark.parametrize("title", ["=HYPERLINK(1)", "+Size Tee", "-20% Tee", "@home"])
def test_a_title_that_a_spreadsheet_would_run_is_left_out_by_name(title):
    found = update(
        f"Handle,Title,Option1 Value,Variant Price\ncup,{title},S,9\npot,Pot,S,9\n", {"cup/S": "8", "pot/S": "8"}
    )

    assert found.changed == ("pot/S",)
    assert found.left_out[0].startswith(f"cup/S: {title!r} begins like a formula of a spreadsheet")


def test_an_option_that_is_a_number_is_no_formula():
    assert update("Handle,Title,Option1 Value,Variant Price\nlens,Lens,-2.00,9\n", {"lens/-2.00": "8"}).changed == (
        "lens/-2.00",
    )


def test_what_cannot_be_written_is_named():
    found = update(LEGACY, {"GONE": "5"})
    other = update(LEGACY, {"CUP-L": "5"}, "USD")

    assert found.left_out == ("GONE: export.csv does not list it",)
    assert other.left_out == ("CUP-L: its price in export.csv is in EUR, the new one is 5.00 USD",)


@given(st.decimals(min_value=1, max_value=10**6, places=2))
def test_an_update_read_back_has_the_price_and_changes_nothing_else(price):
    found = update(LEGACY, {"CUP-S": str(price)})
    again = read_catalogue_file(found.text.encode(), "update.csv", ASKED) if found.text else None

    assert again is None or [each.facts["price"] for each in again.listed] == [price]

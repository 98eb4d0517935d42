"""A sign of money belongs to the number that stands with it, not to any number that stands before it."""

import pytest

from monitor.extract.amounts import amounts
from tests.price_block import price_of


@pytest.mark.parametrize("number", ["12", "4,5", "Nr. 1", "Größe 42", "Art.-Nr. 10234", "128 Bewertungen", "-20 %"])
@pytest.mark.parametrize(
    "price",
    [
        "<span>€ 79</span>",
        "<span>€ 79,00</span>",
        "<span>€79,00</span>",
        "<span>€ 79,00 inkl. MwSt.</span>",
        "<span><i>€</i>79,00</span>",
        "<span class='price'><i>€</i>79</span>",
        "<span class='price'><i>€</i> <i>79</i></span>",
        "<span>EUR 79</span>",
        "<span>79,00 €</span>",
        "<span>79,- EUR</span>",
        "<p><i>€</i> <i>79</i></p>",
        "<span><i>€</i><i>79,</i><i>00</i></span>",
        "<span>€79<sup>00</sup></span>",
        "<span>€79<sup>,00</sup></span>",
    ],
)
def test_a_sign_belongs_to_the_number_that_stands_with_it(number: str, price: str) -> None:
    assert price_of(f"<div><span>{number}</span> {price}</div>") in ("79", "79.00")


@pytest.mark.parametrize("currency", ["kr", "CHF", "USD", "Rs.", "₺", "₩"])
def test_so_does_that_of_another_country(currency: str) -> None:
    assert price_of(f"<div><span>42</span> <span>{currency} 790</span></div>", language="en") in ("790", None)
    assert [str(a.value) for a in amounts(f"42\x1f{currency} 790") if a.sign] == ["790"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("129\x1f€ 2 Stück", "129"),  # a number of pieces behind the price
        ("12\x1f€ 0,75 l", "12"),
        ("129,00\x1f€\x1f4,50", "129.00"),
        ("42\x1fzł 5", "42"),  # never written before its number
        ("1 290\x1fKč\x1f1 066,12\x1fKč", "1290"),
        ("129\x1f€\x1f149,00\x1f€", "129"),
    ],
)
def test_a_sign_behind_its_number_is_left_to_it(text: str, value: str) -> None:
    assert str(next(a for a in amounts(text) if a.sign).value) == value


def test_thousands_are_grouped_by_a_point_in_an_element_of_its_own() -> None:
    assert price_of("<div><i>12</i> <b><u>€</u><u>1</u><u>.</u><u>990</u></b></div>") == "1990"
    assert price_of("<div><u>1</u><u>.</u><u>990</u> <u>€</u></div>") == "1990"


def test_cents_behind_a_sign_are_not_the_number_of_the_next_line() -> None:
    assert [str(a.value) for a in amounts("41€30\n€49.10")] == ["41.30", "49.10"]
    assert [str(a.value) for a in amounts("44$50 $60")] == ["44.50", "60"]
    assert [str(a.value) for a in amounts("44$")] == ["44"]


@pytest.mark.parametrize(
    ("block", "price"),
    [
        ("<div><i>12</i> <b>£</b><b>44.</b><b>50</b></div>", "44.50"),
        ("<div><b>44</b><sup>£</sup><sub>50</sub></div>", "44.50"),
        ("<div><i>12</i> <b><sup>£</sup>44<sup>50</sup></b></div>", "44.50"),
        ("<div><b>41</b><b>€</b><b>70</b></div>", "41.70"),  # all that stands there
        ("<div><b>41</b><b>€</b><b>70</b><i>VAT included</i></div>", None),
        ("<p><b>41</b><b>€</b><b>70</b></p><i>VAT included</i>", "41.70"),
        ("<div><b>400</b> <b>£</b><i>5</i><i> bids</i></div>", None),
        ("<div><b>400 £</b><i>5</i><i> bids</i></div>", "400"),
        (
            "<div><i>12</i> <b><u>£</u>48,562</b><b>£51,204</b></div>",
            "48562",
        ),  # two prices, each with its sign before it
        ("<div><i>12</i> <b><u>£</u>12.99</b><b>£19.99</b></div>", "12.99"),
        ("<div><i>12</i> <b>€<u>&nbsp;</u><i>649,00</i></b></div>", "649.00"),
        ("<div><i>4,5</i> <b>€41</b></div>", "41"),  # which has decimals, has no cents in another element
    ],
)
def test_a_sign_between_two_numbers_is_told_by_the_elements(block: str, price: str | None) -> None:
    assert price_of(block) == price


def test_the_number_behind_a_sign_may_be_cents() -> None:
    assert price_of("<div><b>12</b> <i><u>€</u>79</i></div>") is None  # 79, or 12.79
    assert price_of("<div><b>12</b> <i>€79</i></div>") is None
    assert price_of("<div><b>12</b> <i>79 €</i></div>") is None
    assert price_of("<div><b>12</b> <i>79 EUR</i></div>") is None
    assert price_of("<div><b>12</b> <i><u>€</u>279</i></div>") == "279"
    assert price_of("<div><b>12</b><sup><i>€</i>79</sup></div>") == "12.79"

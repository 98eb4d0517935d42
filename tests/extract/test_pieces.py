"""Digits in elements of their own are one number only where nothing else can be meant."""

import pytest

from monitor.extract import extract
from monitor.extract.amounts import amounts

_PAGE = (
    "<html lang='{language}'><head><title>Blue vase</title></head><body><h1>Blue vase</h1>{block}<button>{buy}</button>"
)


def price_of(block: str, language: str = "de", buy: str = "In den Warenkorb") -> str | None:
    """Return the price that is read of a product beside whose name a block stands, None for none."""
    page = _PAGE.format(language=language, block=block, buy=buy)
    found = extract(page.encode(), "https://vase.example/products/blue-vase", "text/html; charset=utf-8")
    return None if found.price is None else str(found.price)


@pytest.mark.parametrize(
    "block",
    [
        "<div><b>€ 17</b><b>49</b> <i>inkl. MwSt.</i></div>",
        "<div><b>17</b><b>49</b><i>EUR</i></div>",
        "<div><b>€ 17</b><b>49</b><i>EUR</i></div>",
        "<div><b>€ 17</b><b>49</b><div>Lieferung in drei Tagen</div></div>",
        "<div>€ <b>17</b><i>,</i><b>49</b></div>",
    ],
)
def test_a_price_and_its_cents_are_put_together(block: str) -> None:
    assert price_of(block) == "17.49"


@pytest.mark.parametrize(
    ("block", "price"),
    [
        ("<div><b>€ 79</b><b class='d-none'>12</b></div>", "79"),  # not shown
        ("<div><b>12</b> <b>9,99 €</b></div>", "9.99"),  # the first one counts something
        ("<div><i>Nr. 5</i> <b>£79</b><b>12</b></div>", "79"),  # more numbers stand there
        ("<div>€ <b>32</b><b>32</b></div>", None),  # once more for who does not see, or 32.32
        ("<div><b>98</b><b>50円</b></div>", None),  # yen have no cents
    ],
)
def test_other_numbers_beside_a_price_are_not_its_cents(block: str, price: str | None) -> None:
    assert price_of(block) == price


def test_a_former_price_and_the_new_one_are_not_one_number() -> None:
    assert price_of("<div>€ <b class='old-price'>89</b><b class='new-price'>79</b></div>") != "89.79"


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


def test_the_number_behind_a_sign_may_be_cents() -> None:
    assert price_of("<div><b>12</b> <i><u>€</u>79</i></div>") is None  # 79, or 12.79
    assert price_of("<div><b>12</b> <i>€79</i></div>") is None
    assert price_of("<div><b>12</b> <i>79 €</i></div>") is None
    assert price_of("<div><b>12</b> <i>79 EUR</i></div>") is None
    assert price_of("<div><b>12</b> <i><u>€</u>279</i></div>") == "279"
    assert price_of("<div><b>12</b><sup><i>€</i>79</sup></div>") == "12.79"


@pytest.mark.parametrize(
    ("block", "price"),
    [
        ("<div><b>79,00 €</b> <i>12</i></div>", "79.00"),  # its cents are told
        ("<div><b>790 EUR</b> <i>12</i></div>", "790"),  # behind letters stand no cents
        ("<div><b>€ 79</b> <i>4,5</i></div>", "79"),  # a number of its own
        ("<div><b>79 €</b> <i>12</i></div>", None),  # 79.12, or a count
        ("<div><b class='price'>€ 79</b> <i>12</i></div>", None),
    ],
)
def test_a_number_behind_the_price_is_not_its_cents(block: str, price: str | None) -> None:
    assert price_of(block) == price

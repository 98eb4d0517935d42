"""A price that microdata take from what an element shows, where more than one number stands in it."""

import pytest

from monitor.extract import extract

PAGE = (
    "<html lang=en><head><title>Blue vase</title></head><body itemscope itemtype='https://schema.org/Product'>"
    "<h1 itemprop=name>Blue vase</h1><div itemprop=offers itemscope itemtype='https://schema.org/Offer'>"
    "<meta itemprop=priceCurrency content=EUR><span itemprop=price>{price}</span></div></body></html>"
)


def price_of(price: str) -> str:
    page = PAGE.format(price=price)
    return str(extract(page.encode(), "https://vase.example/products/blue-vase", "text/html; charset=utf-8").price)


@pytest.mark.parametrize(
    ("shown", "price"),
    [
        ("24<sup>98</sup>", "24.98"),
        ("€ 24<sup>98</sup>", "24.98"),
        ("<sup>€</sup>24<sup>98</sup>", "24.98"),
        ("8<sup>93 €</sup>", "8.93"),
        ("44<sup>€</sup><sub>50</sub>", "44.50"),
        ("1.299<sup>00</sup> €", "1299.00"),
    ],
)
def test_cents_in_an_element_of_their_own_belong_to_the_price(shown: str, price: str) -> None:
    assert price_of(shown) == price


@pytest.mark.parametrize(
    ("shown", "price"),
    [
        ("€899.00<sup>1</sup>", "899.00"),  # a footnote
        ("<b>899.00</b> <sup>1</sup>", "899.00"),
        ("<i>Delivery €10.00</i> <b>€40.00</b>", "40.00"),
        ("<del>€50.00</del> <b>€40.00</b>", "40.00"),
    ],
)
def test_a_small_number_beside_the_price_is_not_declared(shown: str, price: str) -> None:
    assert price_of(shown) == price


def test_a_range_is_none_of_both() -> None:
    assert price_of("24 - 98") != "24.98"

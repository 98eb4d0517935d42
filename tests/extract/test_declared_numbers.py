"""A price in JSON-LD in the notations that shops write it in, beside the price that the page shows."""

import json

import pytest

from monitor.extract import extract

PAGE = """<html lang="{language}"><head><title>Blue vase</title>
<script type="application/ld+json">{data}</script></head>
<body><h1>Blue vase</h1><p class="price">{shown}</p><button>Add to cart</button></body></html>"""


def price_of(declared: object, shown: str, currency: str = "EUR", language: str = "de") -> str:
    offer = {"@type": "Offer", "price": declared, "priceCurrency": currency}
    data = json.dumps({"@context": "https://schema.org", "@type": "Product", "name": "Blue vase", "offers": offer})
    page = PAGE.format(language=language, data=data, shown=shown)
    found = extract(page.encode(), "https://vase.example/products/blue-vase", "text/html; charset=utf-8")
    return f"{found.price.normalize():f} {found.currency}" if found.price is not None else str(found.outcome)


@pytest.mark.parametrize(
    "declared",
    [
        *("1299", "1299.00", "1,299.00", "1.299,00", "1299,00", "EUR 1299", "€1.299,00", "1 299,00", 1299.0, "1299.-"),
        *("1.299", "1,299", "1'299.00", "1299 EUR", "1299.0000", "ab 1299", "1299,- €", ["1299"], {"@value": "1299"}),
        *("129900", "1.299.00", "13e2", "VK 1299", "1299.00-1399.00"),
    ],
)
@pytest.mark.parametrize("shown", ["1.299,00 €", "€ 1.299,-"])
def test_a_price_of_four_digits(declared: object, shown: str) -> None:
    assert price_of(declared, shown) == "1299 EUR"


@pytest.mark.parametrize(
    "declared",
    [
        "24.98",
        "24,98",
        "2498",
        24.98,
        "24.980",
        "24.98 €",
        "€ 24,98",
        "24.98EUR",
        "24",
        "25",
        "24 98",
        "0.2498",
        "24.98,00",
    ],
)
def test_a_price_with_cents(declared: object) -> None:
    assert price_of(declared, "24,98 €") == "24.98 EUR"


@pytest.mark.parametrize("declared", ["12.500", "12.5", "12500", "12.500 KWD"])
def test_a_price_in_a_currency_of_thousandths(declared: str) -> None:
    assert price_of(declared, "12.500 د.ك", "KWD", "ar") == "12.5 KWD"

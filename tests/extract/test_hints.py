"""What the operator knows supports the page and never replaces it; bytes are decoded once."""

import json
from decimal import Decimal

import pytest

from monitor.domain.extraction import Hints, Outcome
from monitor.extract import extract
from monitor.extract.charset import decoded
from monitor.extract.currency import Locale, currency_of_region, iso_code

URL = "https://shop.example/p/thing"
DOLLARS = b'<html lang="fr"><h1>Chose</h1><p class="price">$20.00</p><button>Ajouter au panier</button></html>'


def test_the_competitors_currency_supports_a_bare_sign():
    found = extract(DOLLARS, URL, hints=Hints(currency="CAD"))

    assert (found.outcome, found.price, found.currency) == (Outcome.OK, Decimal("20.00"), "CAD")


def test_a_currency_that_does_not_fit_the_sign_is_not_used():
    assert extract(DOLLARS, URL, hints=Hints(currency="EUR")).reason == "no_currency"


@pytest.mark.parametrize("hints", [Hints(variant="L-1"), Hints(sku="L-1"), Hints(gtin="4006381333931")])
def test_a_watched_variant_is_read_and_no_other(hints):
    variants = [
        {"@type": "Product", "sku": "S-1", "offers": {"@type": "Offer", "price": "10.00", "priceCurrency": "EUR"}},
        {
            "@type": "Product",
            "sku": "L-1",
            "gtin13": "4006381333931",
            "offers": {"price": "14.00", "priceCurrency": "EUR"},
        },
    ]
    group = {"@type": "ProductGroup", "name": "Blend", "hasVariant": variants}
    page = f'<h1>Blend</h1><script type="application/ld+json">{json.dumps(group)}</script>'.encode()

    assert extract(page, URL).outcome is Outcome.AMBIGUOUS
    assert extract(page, URL, hints=hints).price == Decimal("14.00")


@pytest.mark.parametrize(
    ("body", "content_type", "text"),
    [
        ("Preis 5 €".encode("cp1252"), None, "Preis 5 €"),
        ("Preis 5 €".encode(), "text/html; charset=iso-8859-1", "Preis 5 €"),
        ("Цена".encode("cp1251"), "text/html; charset=windows-1251", "Цена"),
        ('<meta charset="shift_jis">価格'.encode("shift_jis"), None, '<meta charset="shift_jis">価格'),
        ("\ufeffcafé".encode("utf-16-le"), None, "café"),
        ("\ufeffcafé".encode(), None, "café"),
        (b"a\0b", "text/html; charset=nonsense", "ab"),
        (b"5 \xe2\x82\xac and \xff", "text/html; charset=utf-8", "5 € and \ufffd"),
    ],
)
def test_bytes_become_text_by_mark_header_meta_or_as_most_shops_write(body, content_type, text):
    assert decoded(body, content_type) == text


@pytest.mark.parametrize(
    ("locale", "sign", "currency"),
    [
        (Locale(), "$", None),
        (Locale(declared=("EUR",)), "$", None),
        (Locale(declared=("EUR", "AUD")), "$", "AUD"),
        (Locale(regions=("CA",)), "$", "CAD"),
        (Locale(setting="NZD", regions=("US",)), "$", "NZD"),
        (Locale(language="da"), "kr", "DKK"),
        (Locale(), "kr", None),
        (Locale(), "€", "EUR"),
        (Locale(generic_host=True, language="en"), "$", "USD"),
        (Locale(generic_host=True, language="es"), "$", None),
    ],
)
def test_a_shared_sign_means_something_only_with_support(locale, sign, currency):
    assert locale.meaning(sign) == currency


def test_codes_and_countries():
    assert (iso_code("rur"), iso_code("€"), iso_code("XXQ"), iso_code(None)) == ("RUB", None, None, None)
    assert (currency_of_region("uk"), currency_of_region("ZZ")) == ("GBP", None)


def test_the_competitors_language_is_used_where_the_page_names_none():
    page = b'<h1>Ting</h1><p class="price">20 kr</p><button>K\xc3\xb8b</button>'

    assert extract(page, URL).reason == "no_currency"
    assert extract(page, URL, hints=Hints(language="da")).currency == "DKK"


def test_the_name_of_the_watch_tells_two_declared_products_apart():
    offers = [
        {"@type": "Product", "name": name, "offers": {"price": price, "priceCurrency": "EUR"}}
        for name, price in (("Blue Kettle", "31.00"), ("Red Kettle", "29.00"))
    ]
    page = f'<h1>Kettles</h1><script type="application/ld+json">{json.dumps(offers)}</script>'.encode()

    assert extract(page, URL).price is None
    assert extract(page, URL, hints=Hints(name="Red Kettle")).price == Decimal("29.00")

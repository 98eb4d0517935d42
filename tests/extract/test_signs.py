"""The sign of an amount is read as the money of the page's country, and as no money where it measures or names."""

import pytest

from monitor.extract import extract
from monitor.extract.amounts import amounts

PAGE = """<!DOCTYPE html><html lang="{language}"><head><title>Blue vase</title></head>
<body><main><h1>Blue vase</h1><div class="price">{price}</div><button>Add to cart</button></main></body></html>"""


def currency(price: str, top: str, language: str) -> str | None:
    page = PAGE.format(language=language, price=price)
    return extract(page.encode(), f"https://vase.{top}/products/blue-vase", "text/html; charset=utf-8").currency


@pytest.mark.parametrize(
    ("price", "code"),
    [
        ("SG$ 45.00", "SGD"),
        ("SG$45.00", "SGD"),
        ("TT$45.00", "TTD"),
        ("J$4,500", "JMD"),
        ("BZ$45.00", "BZD"),
        ("Bds$45.00", "BBD"),
        ("FJ$45.00", "FJD"),
        ("N$ 450.00", "NAD"),
        ("MOP$ 450", "MOP"),
        ("$U 450", "UYU"),
        ("B/. 45.00", "PAB"),
        ("Ksh. 4,500", "KES"),
        ("USh 45,000", "UGX"),
        ("₵450.00", "GHS"),
        ("Php 1,450.00", "PHP"),
        ("NRs. 4,500", "NPR"),
        ("L.E. 450", "EGP"),
        ("450 MAD", "MAD"),
        ("450 دج", "DZD"),
        ("\u20c1 45.00", "SAR"),
        ("450 F CFA", "XOF"),
        ("45.000,00 Kz", "AOA"),
        ("450.000đ", "VND"),
        ("450.000 vnd", "VND"),
        ("790บาท", "THB"),
        ("4500ден", "MKD"),
        ("450 000 so‘m", "UZS"),
        ("45 ლარი", "GEL"),
        ("45,000 դր.", "AMD"),
        ("45,000 төг", "MNT"),
        ("450.000 ກີບ", "LAK"),
        ("රු 4,500", "LKR"),
        ("4500 Lekë", "ALL"),
        ("450 лей", "MDL"),
    ],
)
def test_a_sign_of_one_meaning_names_its_money_on_any_host(price: str, code: str) -> None:
    assert currency(price, "com", "en") == code


@pytest.mark.parametrize(
    ("price", "top", "language", "code"),
    [
        ("45,00 руб.", "by", "ru", "BYN"),
        ("45,00 р.", "by", "ru", "BYN"),
        ("45,00 руб.", "ru", "ru", "RUB"),
        ("45,00 руб.", "com", "ru", "RUB"),
        ("450 lei", "md", "ro", "MDL"),
        ("450 lei", "ro", "ro", "RON"),
        ("45 000 FCFA", "cm", "fr", "XAF"),
        ("45 000 FCFA", "sn", "fr", "XOF"),
        ("C$ 450.00", "ni", "es", "NIO"),
        ("C$ 450.00", "ca", "en", "CAD"),
        ("$4,500.00", "com.jm", "en", "JMD"),
        ("$450.00", "tt", "en", "TTD"),
        ("$ 45.900", "com.co", "es", "COP"),
        ("Bs. 45,00", "bo", "es", "BOB"),
        ("Q450.00", "gt", "es", "GTQ"),
        ("LE 450.00", "com.eg", "en", "EGP"),
        ("SR 45.00", "sa", "en", "SAR"),
        ("QR 45.00", "qa", "en", "QAR"),
        ("Dhs. 45.00", "ae", "en", "AED"),
        ("Dhs. 45.00", "ma", "fr", "MAD"),
        ("45 ﷼", "sa", "ar", "SAR"),
        ("45.000 دينار", "kw", "ar", "KWD"),
        ("1.045,00 KM", "ba", "bs", "BAM"),
        ("45,00 KM", "com", "bs", "BAM"),
    ],
)
def test_a_sign_of_several_meanings_is_the_money_of_the_country(price: str, top: str, language: str, code: str) -> None:
    assert currency(price, top, language) == code


@pytest.mark.parametrize(
    "price", ["Bs. 45,00", "Q450.00", "LE 450.00", "SR 45.00", "QR 45.00", "1.045,00 KM", "45,00 km", "45 دينار"]
)
def test_without_a_country_such_a_sign_means_nothing(price: str) -> None:
    assert currency(price, "com", "de") is None


@pytest.mark.parametrize(
    ("text", "sign"),
    [("Pour le 12,50 €", "€"), ("Reichweite 120 KM: 1.299,00 €", "€"), ("Je km 45,00 €", "€"), ("NOW$45.00", "$")],
)
def test_words_beside_a_price_are_not_its_sign(text: str, sign: str) -> None:
    assert [a.sign for a in amounts(text)][-1] == sign


@pytest.mark.parametrize("text", ["Q1 2024", "BS 1363", "SR20", "120 km", "le 12"])
def test_names_and_measures_carry_no_sign(text: str) -> None:
    assert {a.sign for a in amounts(text)} == {None}

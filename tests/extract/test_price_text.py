"""Price strings as people and shops write them."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.extract import read_price
from monitor.extract.amounts import MAX_AMOUNTS, amounts, number, visible_characters


@pytest.mark.parametrize(
    ("text", "amount", "currency"),
    [
        ("€ 1.234,50", "1234.50", "EUR"),
        ("1,234.50 €", "1234.50", "EUR"),
        ("12 900 Kč", "12900", "CZK"),
        ("CHF 2’049.95", "2049.95", "CHF"),
        ("₹1,23,456.00", "123456.00", "INR"),
        ("R$ 2.879,20", "2879.20", "BRL"),
        ("Rp 1.550.000", "1550000", "IDR"),
        ("579,000 DT", "579.000", "TND"),
        ("KD 12.500", "12.500", "KWD"),
        ("1,250.500 K.D.", "1250.500", "KWD"),
        ("3.250 JD", "3.250", "JOD"),
        ("BD 4.900", "4.900", "BHD"),
        ("د.ك.12.500", "12.500", "KWD"),
        ("ر.ع. 1,012.500", "1012.500", "OMR"),
        ("د.إ. 12.50", "12.50", "AED"),
        ("Nike KD 15 Low, 129.00 €", "129.00", "EUR"),
        ("KD 15", "15", None),
        ("20,- €", "20", "EUR"),
        ("29.000,- Kč", "29000", "CZK"),
        ("35€ 99", "35.99", "EUR"),
        ("35€99 TTC", "35.99", "EUR"),
        ("税込1,650円", "1650", "JPY"),
        ("49,00 ευρώ", "49.00", "EUR"),
        ("מחיר: 199 שח", "199", "ILS"),
        ("판매가12,000원", "12000", "KRW"),
        ("38 руб. 90 коп.", "38.90", "RUB"),
        ("12 лв. 5 ст.", "12.05", "BGN"),
        ("220 € 12 avis", "220", "EUR"),
        ("199 € 24 mois de garantie", "199", "EUR"),
        ("−20 % 39,95 €", "39.95", "EUR"),
        ("45.319,€90", "45319.90", "EUR"),
        (".75 €", "0.75", "EUR"),
        ("352,00 – 376,45 zł", "352.00", "PLN"),
        ("4 Hefte für nur 14,85 EUR", "14.85", "EUR"),
        ("Was $120.00 Now $60.00", "60.00", None),
        ("US $ 12.00", "12.00", "USD"),
        ("$ SGD4.90", "4.90", "SGD"),
        ("$1,190.00 AUD", "1190.00", "AUD"),
        ("１２，９９ €", "12.99", "EUR"),
        ("1\u200b2,99 €", "12.99", "EUR"),
        ("\u202a₪1,349\u202c", "1349", "ILS"),
        ("12 € 15 €", "12", "EUR"),
        ("129.900", "129900", None),
        ("0,500", "0.500", None),
    ],
)
def test_a_price_is_read_in_any_notation(text, amount, currency):
    assert read_price(text) == (Decimal(amount), currency)


@pytest.mark.parametrize(
    "text", ["", "Not available", "15.08.2017", "25-09", "NaN", "1e9", "-5 €", "−12,00", "∞ €", None]
)
def test_what_is_no_price_gives_no_amount(text):
    assert read_price(text)[0] is None


@pytest.mark.parametrize("sign", ["$", "kr", "kr.", "¥", "Rs", "元"])
def test_a_sign_that_several_currencies_share_names_none(sign):
    assert read_price(f"{sign} 20") == (Decimal(20), None)


@pytest.mark.parametrize(
    ("hint", "currency"), [("GBP", "GBP"), ("£ 80.00", "GBP"), ("руб.", "RUB"), ("In stock", None), ("$", None)]
)
def test_a_hint_names_the_currency_when_the_text_does_not(hint, currency):
    assert read_price("80.00", hint) == (Decimal(80), currency)


def test_the_sign_in_the_text_wins_over_the_hint():
    assert read_price("80,00 €", "GBP") == (Decimal(80), "EUR")


@given(
    st.decimals(min_value="0.01", max_value="9999999.99", places=2, allow_nan=False, allow_infinity=False),
    st.sampled_from([("", "."), ("", ","), (",", "."), (".", ","), ("\u00a0", ","), ("’", "."), ("\u202f", ",")]),
    st.sampled_from(["{} €", "€{}", "EUR {}", "Preis: {} EUR", "£{}", "{} zł"]),
)
def test_every_amount_survives_every_notation(amount, marks, pattern):
    thousands, point = marks
    shown = f"{amount:,.2f}".replace(",", "T").replace(".", point).replace("T", thousands)

    assert read_price(pattern.format(shown))[0] == amount


@given(st.text(max_size=300), st.none() | st.text(max_size=40))
def test_no_text_breaks_the_reader_and_no_answer_is_odd(text, hint):
    amount, currency = read_price(text, hint)

    assert amount is None or (amount.is_finite() and amount >= 0)
    assert currency is None or (len(currency) == 3 and currency.isupper())


@given(st.text(alphabet="0123456789.,' ", max_size=60))
def test_a_run_of_digits_and_separators_is_an_amount_or_nothing(text):
    value = number(text.strip()) if any(c.isdigit() for c in text) else None

    assert value is None or value.is_finite()


def test_amounts_say_where_they_stood():
    text = visible_characters("Was £12.00, now £9.50.")

    assert [text[a.start : a.end].strip() for a in amounts(text)] == ["£12.00", "£9.50"]


def test_a_text_full_of_amounts_is_cut_off():
    assert sum(1 for _ in amounts("$1 " * (MAX_AMOUNTS * 2))) <= MAX_AMOUNTS + 1


@pytest.mark.parametrize(
    ("text", "currency"),
    [("29,000원", "KRW"), ("499zł", "PLN"), ("1 200Kč", "CZK"), ("4249Ft", "HUF"), ("35EUR", "EUR"), ("6ft", None)],
)
def test_a_sign_of_letters_may_be_written_against_the_number(text, currency):
    assert read_price(text)[1] == currency

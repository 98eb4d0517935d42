"""Amounts are exact, written with the digits of their currency and read in one form only."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.domain.money import Money, UnreadableAmount, amount_text, digits, is_currency, plain_amount, rounded

amounts = st.decimals(
    min_value=Decimal("-99999999999999"), max_value=Decimal("99999999999999"), allow_nan=False, places=4
)


@pytest.mark.parametrize(
    ("text", "amount"),
    [("1249.90", "1249.90"), (" 5980 ", "5980"), ("-3.5", "-3.5"), ("0.0001", "0.0001"), ("007", "7")],
)
def test_a_plain_amount_is_read(text: str, amount: str) -> None:
    assert plain_amount(text) == Decimal(amount)


@pytest.mark.parametrize(
    "text",
    ["12,90", "1,249.90", "1.249,90", "1e3", "1E+3", "NaN", "Infinity", "", " ", "12.", ".9", "€ 12", "+5", "0x1f",
     "1_000", "１２", "12.34567", "123456789012345", "12.90\n3", "--1", "٣"],
)  # fmt: skip
def test_anything_else_is_refused_and_named(text: str) -> None:
    with pytest.raises(UnreadableAmount) as refused:
        plain_amount(text)

    assert repr(text) in str(refused.value)
    assert refused.value.text == text


@pytest.mark.parametrize(
    ("amount", "currency", "text"),
    [
        ("24.9", "EUR", "24.90"),
        ("24.900", "EUR", "24.90"),
        ("5980", "JPY", "5980"),
        ("5980.00", "JPY", "5980"),
        ("1.5", "KWD", "1.500"),
        ("0.1234", "EUR", "0.1234"),  # never fewer than it has
        ("1E+3", "EUR", "1000.00"),
        ("0", "EUR", "0.00"),
        ("100", None, "100"),
        ("100.50", None, "100.5"),
        ("5", "not a currency", "5"),
    ],
)
def test_an_amount_is_written_with_the_digits_of_its_currency(amount: str, currency: str | None, text: str) -> None:
    assert amount_text(Decimal(amount), currency) == text


@pytest.mark.parametrize(
    ("amount", "currency", "result"),
    [("0.005", "EUR", "0.01"), ("0.004", "EUR", "0.00"), ("10.5", "JPY", "11"), ("1.0005", "KWD", "1.001")],
)
def test_rounding_is_half_up_to_the_digits_of_the_currency(amount: str, currency: str, result: str) -> None:
    assert rounded(Decimal(amount), currency) == Decimal(result)


def test_currencies_are_codes_and_not_signs() -> None:
    assert [is_currency(code) for code in ("EUR", "JPY", "€", "eur", "RUR2", "")] == [True, True, *[False] * 4]
    assert (digits("EUR"), digits("JPY"), digits("KWD"), digits("CLF")) == (2, 0, 3, 4)


def test_money_is_written_with_its_currency() -> None:
    assert str(Money(Decimal("24.9"), "EUR")) == "24.90 EUR"


@given(amounts, st.sampled_from(["EUR", "JPY", "KWD", None]))
def test_what_is_written_is_read_back_exactly(amount: Decimal, currency: str | None) -> None:
    assert plain_amount(amount_text(amount, currency)) == amount


@given(amounts)
def test_equal_amounts_are_written_alike(amount: Decimal) -> None:
    assert amount_text(amount + Decimal("0.0000"), "EUR") == amount_text(amount.normalize(), "EUR")

"""The JSON form of the status writes amounts with the digits of their currency."""

from dataclasses import dataclass
from decimal import Decimal

from monitor.domain.status import as_json


@dataclass(frozen=True)
class Seen:
    """A view with an amount beside its currency."""

    price: Decimal
    currency: str | None
    list_price: Decimal | None = None


def test_an_amount_has_the_digits_of_the_currency_beside_it():
    assert as_json(Seen(Decimal("24.9"), "EUR", Decimal(30))) == {
        "price": "24.90",
        "currency": "EUR",
        "list_price": "30.00",
    }
    assert as_json(Seen(Decimal("5980"), "JPY"))["price"] == "5980"
    assert as_json(Seen(Decimal("24.9"), None))["price"] == "24.9"

"""The JSON form of the status writes amounts with the digits of their currency."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from monitor.domain.status import as_json


@dataclass(frozen=True)
class Seen:
    """A view with an amount beside its currency."""

    price: Decimal
    currency: str | None
    list_price: Decimal | None = None


def form(price: str, currency: str | None, list_price: str | None = None) -> Any:
    seen = Seen(Decimal(price), currency, Decimal(list_price) if list_price else None)
    return as_json(seen)  # type: ignore[arg-type]  # it reads any view


def test_an_amount_has_the_digits_of_the_currency_beside_it() -> None:
    assert form("24.9", "EUR", "30") == {"price": "24.90", "currency": "EUR", "list_price": "30.00"}
    assert form("5980", "JPY")["price"] == "5980"
    assert form("24.9", None)["price"] == "24.9"

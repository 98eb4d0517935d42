"""The values of a feed's row: amounts, sales with their dates, stock words and numbers."""

import re
from datetime import datetime
from decimal import Decimal
from email.utils import parsedate_to_datetime

from monitor.domain.extraction import Availability
from monitor.extract.currency import iso_code
from monitor.extract.identifiers import valid_gtin
from monitor.extract.price_text import read_price

_STOCK = {
    "instock": Availability.IN_STOCK,
    "available": Availability.IN_STOCK,
    "availablefororder": Availability.BACKORDER,
    "limitedavailability": Availability.IN_STOCK,
    "yes": Availability.IN_STOCK,
    "true": Availability.IN_STOCK,
    "outofstock": Availability.OUT_OF_STOCK,
    "soldout": Availability.OUT_OF_STOCK,
    "no": Availability.OUT_OF_STOCK,
    "false": Availability.OUT_OF_STOCK,
    "preorder": Availability.PREORDER,
    "presale": Availability.PREORDER,
    "backorder": Availability.BACKORDER,
    "discontinued": Availability.DISCONTINUED,
}
_PLAIN = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,2})?)(?:\s*([A-Z]{3}))?|([A-Z]{3})\s*([0-9]{1,12}(?:\.[0-9]{1,2})?)")
_OFFSET = re.compile(r"([+-][0-9]{2})([0-9]{2})\Z")


def instant_of(text: str) -> datetime | None:
    """Read an ISO 8601 instant; one without an offset says nothing."""
    try:
        found = datetime.fromisoformat(_OFFSET.sub(r"\1:\2", text.strip()))
    except ValueError:
        return None
    return found if found.tzinfo is not None else None


def mail_date_of(text: str) -> datetime | None:
    """Read an instant as RSS writes it (RFC 5322)."""
    try:
        found = parsedate_to_datetime(text)
    except (ValueError, IndexError, TypeError, OverflowError):
        return None
    return found if found.tzinfo is not None else None


def stock_of(text: str) -> Availability:
    """Read `in stock`, `in_stock`, `InStock`, a schema.org address, a yes or a quantity."""
    word = re.sub(r"[^a-z0-9]", "", text.lower().rpartition("/")[2])
    if word.isdecimal():
        return Availability.IN_STOCK if int(word[:9]) > 0 else Availability.OUT_OF_STOCK
    return _STOCK.get(word, Availability.UNKNOWN)


def number_as_id(text: str | None) -> str | None:
    """Return an id that is a GTIN with 12 digits or more; eight digits are too easily a number of the shop's own."""
    return valid_gtin(text) if text and len(text) >= 12 else None


def money_of(text: str | None, currency: str | None) -> tuple[Decimal | None, str | None]:
    """Read `189.00 EUR`, `24,90 EUR` or a bare amount; without a currency beside it that of the row counts."""
    if not text:
        return None, iso_code(currency)
    plain = _PLAIN.fullmatch(text.strip())
    if plain:
        amount, code = Decimal(plain.group(1) or plain.group(4)), plain.group(2) or plain.group(3)
        found: tuple[Decimal | None, str | None] = (amount, iso_code(code))
    else:
        found = read_price(text, currency)
    amount_, code_ = found
    return (amount_ if amount_ is not None and amount_ > 0 else None), code_ or iso_code(currency)


def no_sale(price: Decimal | None, sale: Decimal, dates: str | None, at: datetime, *, is_alike: bool = True) -> str:
    """Return why a sale price does not count, "" when it does; `is_alike`: it is in the currency of the price."""
    if not is_alike:
        return f"its sale price {sale} is in another currency than its price and is no sale"
    if price is not None and sale >= price:
        return "" if sale == price else f"its sale price {sale} is above its price {price} and is no sale"
    if not dates:
        return ""
    ends = [instant_of(end) for end in dates.split("/")]
    if len(ends) != 2 or None in ends:
        return f"the dates of its sale price {sale} cannot be read: {dates[:60]}"
    start, end = ends
    if start is not None and end is not None and start <= at <= end:
        return ""
    return f"its sale price {sale} counts only {dates[:60]}"

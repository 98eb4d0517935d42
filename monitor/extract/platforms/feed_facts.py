"""The values of a feed's row: amounts, sales with their dates, stock words and numbers."""

import re
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from email.utils import parsedate_to_datetime

from monitor.domain.extraction import Availability
from monitor.domain.money import digits, in_places
from monitor.extract.amounts import amounts
from monitor.extract.currency import iso_code, tenders
from monitor.extract.identifiers import valid_gtin
from monitor.extract.price_text import read_price
from monitor.extract.shared_signs import SHARED
from monitor.extract.words import FROM_BEFORE

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
_SPAN = re.compile(r"[0-9]\s*(?:[A-Z]{3}|[€$£])?\s*(?:-|–|—|to|bis)\s*(?:[A-Z]{3}|[€$£])?\s*[0-9]")
_THREE_BEHIND = re.compile(r"(?<![0-9.,])[0-9]{1,3}\.[0-9]{3}(?![0-9.,])")
#: Behind the price of a measure: `19.90 EUR/kg`.
_OF_A_MEASURE = re.compile(
    r"(?:/|\b(?:per|pro|je|par)\b)\s*[0-9]{0,4}\s*(?:[kmc]?g|[mcd]?l|[cm]?m[²2³3]?|lb|oz)\b", re.I
)
_DAY = re.compile(r"[0-9]{4}-?[0-9]{2}-?[0-9]{2}")
#: How far behind and ahead of UTC a clock can be.
_WEST, _EAST = timezone(timedelta(hours=-12)), timezone(timedelta(hours=14))


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
        if code and iso_code(code) not in tenders():
            return None, None  # `19.90 PTS` are points
        found: tuple[Decimal | None, str | None] = (amount, iso_code(code))
    elif _is_least(text) or _is_of_two_amounts(text) or _OF_A_MEASURE.search(text):
        return None, iso_code(currency)
    else:
        found = read_price(text, currency)
    amount_, code_ = found
    code_ = code_ or iso_code(currency)
    code_ = None if plain is None and code_ not in (meanings_of(text) or (code_,)) else code_
    if amount_ is None or amount_ <= 0 or _has_two_readings(text, code_):
        return None, code_
    return in_places(amount_, code_), code_


def meanings_of(text: str | None) -> tuple[str, ...]:
    """Return the currencies that the sign of an amount may mean (`$`, `kr`); none where it is clear."""
    signs = [found.sign for found in amounts(text or "") if found.sign and not found.currency]
    return SHARED.get(signs[0].lower(), ()) if signs else ()


def _is_of_two_amounts(text: str) -> bool:
    return len({found.value for found in amounts(text) if found.sign}) > 1


def _is_least(text: str) -> bool:
    """Say whether a text gives the least of several amounts: `from 19.90 EUR`, `19.90 - 29.90 EUR`."""
    before = re.split(r"[0-9]", text, maxsplit=1)[0]
    return bool(FROM_BEFORE.found(before.lower())) or bool(_SPAN.search(text))


def _has_two_readings(text: str, currency: str | None) -> bool:
    """Say whether a dot may be the decimal one, as feeds have it, or one of thousands, as `1.299 EUR` is written."""
    return bool(_THREE_BEHIND.search(text)) and (currency is None or digits(currency) != 3)


def no_sale(price: Decimal | None, sale: Decimal, dates: str | None, at: datetime, *, is_alike: bool = True) -> str:
    """Return why a sale price does not count, "" when it does; `is_alike`: it is in the currency of the price."""
    if not is_alike:
        return f"its sale price {sale} is in another currency than its price and is no sale"
    if price is not None and sale >= price:
        return "" if sale == price else f"its sale price {sale} is above its price {price} and is no sale"
    if not dates or is_running(dates, at):
        return ""
    return f"its sale price {sale} counts only {dates[:60]}"


def is_running(dates: str, at: datetime) -> bool | None:
    """Say whether a sale with these dates runs at an instant, None when they do not tell.

    An end that names no zone may be anywhere on earth, and a day ends with its last minute: such dates tell only where
    every reading agrees. One of the two ends may be missing.
    """
    ends = [end.strip() for end in dates.split("/")]
    if len(ends) != 2 or not any(ends):
        return None
    started = _is_past(ends[0], at, missing=True)
    ended = _is_past(ends[1], at, missing=False, is_end=True)
    if started is False or ended is True:
        return False
    return None if None in (started, ended) else True


def _is_past(text: str, at: datetime, *, missing: bool, is_end: bool = False) -> bool | None:
    """Say whether an end of a sale lies before an instant, None when that depends on how it is read."""
    if not text:
        return missing
    try:
        found = datetime.fromisoformat(_OFFSET.sub(r"\1:\2", text.upper()))
    except ValueError:
        return None
    if is_end and _DAY.fullmatch(text):
        found += timedelta(days=1)
    zones = (_EAST, _WEST) if found.tzinfo is None else (found.tzinfo,)
    past = {(found.replace(tzinfo=zone) < at) if is_end else (found.replace(tzinfo=zone) <= at) for zone in zones}
    return past.pop() if len(past) == 1 else None

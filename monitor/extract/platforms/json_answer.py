"""JSON answers of shop platforms: loaded strictly, with the reason when there is nothing to be had.

An endpoint that is switched off answers with a page, a refusal in JSON or the shop's password page. None of it is
ever "no products". Numbers with a point become Decimals; a value that is no amount above zero is None.
"""

import html
import re
from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from monitor.domain.listing import Answer, Listing, Problem
from monitor.domain.money import MAX_PLACES
from monitor.extract import loose_json
from monitor.extract.charset import decoded
from monitor.extract.identifiers import valid_gtin

#: The password page of a closed shop: its form or its template. Many a page links a place to set a new password.
_CLOSED = re.compile(r"action=[\"'](?:/[a-z]{2}(?:-[a-z]{2})?)?/password[\"']|template-password", re.IGNORECASE)
_AMOUNT = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,30})?")
#: Powers of ten between which a number is written out; `1e9999999999` is ten bytes and would become ten gigabytes.
_FINEST, _LARGEST = -30, 12
#: Escapes of JSON: of a backslash, of both halves of a character, of one half alone.
_HALVES = re.compile(r"\\\\|\\u[dD][89abAB]..\\u[dD][c-fC-F]..|(\\u[dD][89a-fA-F]..)")
_TAGS = re.compile(r"<[^>]{0,300}>")
#: What PHP says of a defect of the shop before the answer itself, where its `display_errors` was left on; the text of
#: its function `php_error_cb`.
_COMPLAINTS = re.compile(
    r"(?:\s*<br ?/?>\s*<b>(?:Warning|Notice|Deprecated|Strict Standards)</b>:[^\n]{0,2000} on line <b>[0-9]{1,9}</b>"
    r"<br ?/?>)+\s*(?=[{\[])"
)
FLOAT_PLACES = 6  #: places of a shop's float that are looked at, see `magento.without_noise`
MAX_TEXT = 300  #: characters kept of a name


def loaded(answer: Answer) -> tuple[Any, Listing | None]:
    """Return the JSON value of an answer, or the listing that says why there is none."""
    text = decoded(answer.body, answer.content_type).strip().lstrip("\ufeff")
    text = text[before.end() :] if (before := _COMPLAINTS.match(text)) else text
    if not text:
        return None, Listing(problem=Problem.PASSING, words="the catalogue's answer is empty")
    if text[:1] in ("{", "["):
        value = loose_json.strictly(_HALVES.sub(_whole, text) if "\\u" in text else text)
        if value is not None:
            return value, None
        return None, Listing(problem=Problem.PASSING, words="the catalogue's answer is cut off or no JSON")
    if _CLOSED.search(text[:20_000]):
        return None, Listing(problem=Problem.CLOSED, words="the shop is closed behind a password")
    words = "the catalogue endpoint is switched off: a page came instead of JSON"
    return None, Listing(problem=Problem.OFF, words=words)


def _whole(found: re.Match[str]) -> str:
    """Replace half a character, as of a text cut in the middle of an emoji: no file and no database takes it."""
    return r"\ufffd" if found.group(1) else found.group()


def amount(value: Any, most_places: int = MAX_PLACES) -> Decimal | None:
    """Return a JSON number or a plain decimal text as an amount above zero, in main units, rounded to so many places.

    A shop's float says 29.899999999999999 and means 29.90.
    """
    if isinstance(value, bool) or not isinstance(value, (int, str, Decimal)):
        return None
    text = _written(value) if isinstance(value, Decimal) else str(value).strip()
    if not _AMOUNT.fullmatch(text):
        return None
    number = Decimal(text)
    finest = Decimal(1).scaleb(-most_places)
    number = number if number == number.quantize(finest) else number.quantize(finest, ROUND_HALF_UP)
    return number if number > 0 else None


def _written(value: Decimal) -> str:
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int) or exponent < _FINEST or value.adjusted() > _LARGEST:
        return ""
    return f"{value:f}"


def places(value: Any) -> int | None:
    """Return a number of decimals that a shop may set, as a number or a digit, else None."""
    is_one = (
        isinstance(value, (int, str)) and not isinstance(value, bool) and re.fullmatch(r"[0-8]", str(value).strip())
    )
    return int(value) if is_one else None


def minor_amount(value: Any, places: int) -> Decimal | None:
    """Return an integer of minor units, as a number or a text of digits, as an amount in main units, see `amount`."""
    text = str(value).strip() if isinstance(value, (int, str)) and not isinstance(value, bool) else ""
    if not re.fullmatch(r"[0-9]{1,15}", text):
        return None
    return amount(f"{Decimal(text).scaleb(-places):f}")


def above(former: Decimal | None, price: Decimal | None) -> Decimal | None:
    """Return a former price when it is above the price."""
    return former if former is not None and price is not None and former > price else None


def words_of(value: Any) -> str | None:
    """Return a text or a number as text without markup and entities, None when there is nothing in it."""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return None
    text = html.unescape(_TAGS.sub("", str(value))).strip()
    return text[:MAX_TEXT] or None


def gtin_of(node: Mapping[str, Any], *names: str) -> str | None:
    """Return the first valid GTIN among fields."""
    return valid_gtin(*(str(node.get(name) or "") for name in names))


def mappings(value: Any, most: int) -> list[Mapping[str, Any]]:
    """Return the objects of a list, at most so many; an empty list for anything else."""
    return [one for one in value[:most] if isinstance(one, Mapping)] if isinstance(value, list) else []


def at(value: Any, *path: str) -> Any:
    """Return what lies at a path of keys, None when something on the way is missing."""
    for key in path:
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value

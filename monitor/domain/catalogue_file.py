"""Our own products and watches as CSV files: what each column means and which forms it takes.

`catalogue.csv` has one row per sellable variant, `watches.csv` one row per product on a competitor's
page. Column names are the field names of `Product` and `Watch`; an empty cell takes the field's default.
Amounts are plain decimals with a dot, in the currency of their row. Nothing is loaded from a file with a
problem in it; all its problems are named at once.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from sys import intern
from typing import Any, Generic, TypeVar
from unicodedata import category
from urllib.parse import urlsplit

from stdnum import ean
from stdnum.exceptions import ValidationError

from monitor.domain.catalogue import MatchState, Product, Watch
from monitor.domain.csv_table import Form, Row, open_table, suggestion
from monitor.domain.money import digits, is_currency, plain_amount

T = TypeVar("T")

PRODUCTS = Form(
    columns=(
        *("sku", "title", "brand", "category", "tags", "gtin", "mpn", "currency", "price", "compare_at", "cost"),
        *("min_price", "max_price", "map", "msrp", "shipping", "units", "unit_kind", "weekly_units", "stock"),
        *("url", "price_group", "locked", "options", "active"),
    ),
    required=("sku", "title", "price"),
)
WATCHES = Form(
    columns=("competitor", "sku", "url", "match", "variant", "their_sku", "their_gtin"),
    required=("competitor", "sku", "url"),
)

#: Amounts a shop shows, so they have no more decimals than their currency; `cost` may be finer.
_SHOWN = ("price", "compare_at", "min_price", "max_price", "map", "msrp", "shipping")


@dataclass(frozen=True, slots=True)
class Numbered(Generic[T]):
    """A value and the line of the file it stands in."""

    line: int
    value: T


@dataclass(frozen=True, slots=True)
class Reading(Generic[T]):
    """What a file holds and everything wrong with it; `values` is only to be used without problems."""

    name: str
    values: tuple[Numbered[T], ...]
    problems: tuple[str, ...]
    keys: frozenset[str]  #: every key seen, also of rows with a problem


def read_products(body: bytes, name: str, currency: str) -> Reading[Product]:
    """Return the products of a catalogue file; `currency` is that of a row that names none."""

    def build(row: Row) -> tuple[Product | None, list[str]]:
        given, problems = _values(row, _PRODUCT_CELLS, PRODUCTS)
        given.setdefault("currency", currency)
        problems.extend(_amount_problems(given))
        return (None, problems) if problems else (Product(**given), [])

    return _read(body, name, PRODUCTS, build, lambda row: row.cells["sku"])


def read_watches(body: bytes, name: str) -> Reading[Watch]:
    """Return the watches of a watches file; whether competitor and product exist is for the caller."""

    def build(row: Row) -> tuple[Watch | None, list[str]]:
        given, problems = _values(row, _WATCH_CELLS, WATCHES)
        return (None, problems) if problems else (Watch(**given), [])

    return _read(body, name, WATCHES, build, lambda row: f"{row.cells['competitor']}/{row.cells['sku']}")


def _read(
    body: bytes,
    name: str,
    form: Form,
    build: Callable[[Row], tuple[T | None, list[str]]],
    key: Callable[[Row], str],
) -> Reading[T]:
    of_table: list[str] = []
    _, rows = open_table(body, name, form, of_table)
    values: list[Numbered[T]] = []
    problems: list[str] = []
    seen: dict[str, int] = {}
    for row in rows:
        value, wrong = build(row)
        first = seen.setdefault(key(row), row.line)
        if first != row.line:
            wrong.append(f"{form.required[0]}: {key(row)!r} is already in line {first}; keep one of the two")
        problems.extend(f"{name}, line {row.line}, {words}" for words in wrong)
        if value is not None:
            values.append(Numbered(row.line, value))
    return Reading(name, tuple(values), (*of_table, *problems), frozenset(seen))


def _values(row: Row, cells: Mapping[str, Callable[[str], object]], form: Form) -> tuple[dict[str, Any], list[str]]:
    """Return the cells that say something as values, and what is wrong with the others."""
    given: dict[str, Any] = {}
    problems: list[str] = []
    for column, text in row.cells.items():
        if not text:
            if column in form.required:
                problems.append(f"{column}: the cell is empty; every row needs one")
            continue
        try:
            value = cells[column](text)
            given[column] = intern(value) if type(value) is str else value  # a run holds the same texts once more
        except ValueError as problem:
            problems.append(f"{column}: {problem}")
    return given, problems


def _amount_problems(given: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with the amounts of one row taken together."""
    places = digits(given["currency"])
    amounts = {column: given[column] for column in (*_SHOWN, "cost", "weekly_units") if column in given}
    for column, amount in amounts.items():
        if amount < 0 or (column == "price" and amount == 0):
            yield f"{column}: {amount} is not above zero" if column == "price" else f"{column}: {amount} is below zero"
        elif column in _SHOWN and amount != round(amount, places):
            yield f"{column}: {amount} has more decimals than {given['currency']} has ({places})"
    low, high = amounts.get("min_price"), amounts.get("max_price")
    if low is not None and high is not None and low > high:
        yield f"min_price: {low} is above max_price {high}"


def _words(text: str) -> str:
    spaced = re.sub(r"[^\S ]+", " ", text)
    seen = "".join(letter for letter in spaced if not _is_unseen(letter)).strip()
    shown = seen.translate(_JOINING)
    if not shown.isprintable() or (spaced.strip() and not shown):
        raise ValueError(f"{text!r} holds characters that cannot be printed")
    return seen


#: Zero width joiner and non-joiner: no letters, but Persian words and many emoji are others without them.
_JOINING = {0x200C: None, 0x200D: None}


def _is_unseen(letter: str) -> bool:
    """Say whether nobody sees a character: a soft hyphen, a mark of direction or byte order, a space without width."""
    return ord(letter) not in _JOINING and not letter.isprintable() and category(letter) == "Cf"


def _key(text: str) -> str:
    if len(text) > 100 or not text.isprintable():
        raise ValueError(f"{text!r} is not a key; write at most 100 printable characters on one line")
    return text


def _options(text: str) -> tuple[str, ...]:
    return tuple(option for part in text.split(";") if (option := _words(part)))


def _tags(text: str) -> tuple[str, ...]:
    return tuple(tag for part in re.split("[;,]", text) if (tag := _words(part)))


def currency_code(text: str) -> str:
    """Return an ISO 4217 code; raises ValueError with the accepted form."""
    if not is_currency(text):
        hint = f", did you mean {text.upper()!r}?" if is_currency(text.upper()) else ""
        raise ValueError(f"{text!r} is not a currency{hint}; write its ISO 4217 code, for example EUR or USD")
    return text


def gtin(text: str) -> str:
    """Return a GTIN as digits; raises ValueError with what is wrong with it."""
    if re.fullmatch(r"\d(?:[.,]\d+)?[eE]\+?\d+", text):
        raise ValueError(
            f"{text!r} was rounded by a spreadsheet and its digits are lost; format the column as text and "
            "enter it again"
        )
    try:
        return str(ean.validate(text))
    except ValidationError:
        pass
    lost_zero = text.isdigit() and len(text) in {7, 11} and ean.is_valid(f"0{text}")
    hint = f", did a spreadsheet drop the zero of {'0' + text!r}?" if lost_zero else ""
    raise ValueError(f"{text!r} is not a GTIN{hint}; write 8, 12, 13 or 14 digits with a right check digit")


def web_address(text: str) -> str:
    """Return an absolute http or https URL without a user name; raises ValueError otherwise."""
    accepted = "write an absolute address, for example https://shop.example/item"
    try:
        parts = urlsplit(text)
        parts.port  # noqa: B018 - reading it checks it
    except ValueError as problem:
        raise ValueError(f"{text!r} is not a web address ({problem}); {accepted}") from None
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError(f"{text!r} is not a web address; {accepted}")
    if parts.username is not None or not text.isprintable() or " " in text:
        raise ValueError(f"{text!r} holds a user name or white space; {accepted}")
    return text


def _count(least: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not re.fullmatch(r"-?\d{1,12}", text, re.ASCII) or int(text) < least:
            raise ValueError(f"{text!r} is not a whole number from {least}; write digits only")
        return int(text)

    return read


def _switch(text: str) -> bool:
    words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    if text.lower() not in words:
        raise ValueError(f"{text!r} is neither true nor false; write true, yes, 1, false, no or 0")
    return words[text.lower()]


def _match(text: str) -> MatchState:
    known = [state.value for state in MatchState]
    if text not in known:
        raise ValueError(f"{text!r} is not a match state{suggestion(text, known)}; write {', '.join(known)}")
    return MatchState(text)


_amount: Callable[[str], Decimal] = plain_amount

_PRODUCT_CELLS: Mapping[str, Callable[[str], object]] = {
    **dict.fromkeys(("sku", "price_group"), _key),
    **dict.fromkeys(("title", "brand", "category", "mpn", "unit_kind"), _words),
    **dict.fromkeys((*_SHOWN, "cost", "weekly_units"), _amount),
    "tags": _tags,
    "gtin": gtin,
    "currency": currency_code,
    "units": _count(1),
    "stock": _count(-(10**9)),
    "url": web_address,
    "locked": _switch,
    "options": _options,
    "active": _switch,
}
_WATCH_CELLS: Mapping[str, Callable[[str], object]] = {
    **dict.fromkeys(("competitor", "sku", "variant", "their_sku"), _key),
    "url": web_address,
    "match": _match,
    "their_gtin": gtin,
}

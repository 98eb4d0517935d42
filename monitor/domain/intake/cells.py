"""What the cells of shop exports mean, whichever program wrote them."""

import html
import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from monitor.domain.catalogue_file import gtin, web_address
from monitor.domain.intake.amounts import Stated, UnclearAmount, amount, decimal_sign, has_places, stated
from monitor.domain.money import MAX_PLACES, amount_text, digits

_TAG = re.compile(r"<[a-zA-Z/!][^<>]*>")
_GUARD = re.compile(r"'(?=[-=+@\t\r]|\d+$)")
_TRUE = frozenset({"true", "yes", "1", "y"})
_FALSE = frozenset({"false", "no", "0", "n", "-1"})

#: From here on a number in a price column is taken for a barcode: twelve digits, and no shop asks that.
_NO_PRICE = Decimal(10**11)

#: Record number, line and the text of one column's cell.
Cell = tuple[int, int, str]


def unguarded(text: str) -> str:
    """Return a cell without the apostrophe that keeps a spreadsheet from taking it for a number or a formula.

    >>> unguarded("'7350177880121"), unguarded("'-1"), unguarded("'Tis")
    ('7350177880121', '-1', "'Tis")
    """
    cleaned = text.strip()
    return cleaned[1:] if _GUARD.match(cleaned) else cleaned


def words_of(text: str) -> str:
    """Return a text without HTML, line breaks and characters that cannot be shown; spaces stay as they are."""
    plain = html.unescape(_TAG.sub(" ", text) if "<" in text else text)
    spaced = re.sub(r"[^\S ]+", " ", plain)
    return "".join(letter for letter in spaced if letter.isprintable()).strip()


def is_true(text: str) -> bool | None:
    """Return what a yes or no cell says, None when it says neither."""
    word = unguarded(text).casefold()
    return True if word in _TRUE else False if word in _FALSE else None


def gtin_of(text: str) -> tuple[str | None, tuple[str, ...]]:
    """Return a barcode when it is a GTIN, and what was not taken."""
    cleaned = re.sub(r"[\s-]", "", unguarded(text))
    if not cleaned:
        return None, ()
    try:
        return gtin(cleaned), ()
    except ValueError as refused:
        return None, (f"barcode not taken: {refused}",)


def address_of(text: str) -> tuple[str | None, tuple[str, ...]]:
    """Return an address when it is one, and what was not taken."""
    if not text.strip():
        return None, ()
    try:
        return web_address(text.strip()), ()
    except ValueError as refused:
        return None, (f"address not taken: {refused}",)


def whole(text: str) -> int | None:
    """Return a number of pieces, `12` or `12.0`; None when the cell holds none."""
    found = re.fullmatch(r"(-?\d{1,9})(?:[.,]0+)?", unguarded(text))
    return int(found.group(1)) if found else None


def leaf(path: str) -> str:
    """Return the last step of the first category: `Clothing > Tees, Sale` gives `Tees`."""
    first = re.split(r"(?<!\\),", path)[0].replace("\\,", ",")
    return words_of(first.rsplit(">", 1)[-1])


def tags_of(text: str) -> tuple[str, ...]:
    """Return the tags of a cell, which are separated by commas."""
    tags = (words_of(tag).replace(";", " ") for tag in re.split(r"(?<!\\),", text))
    return tuple(dict.fromkeys(tag for tag in tags if tag))


class AmountColumns:
    """Columns of amounts that share one decimal sign, read together; what is wrong is collected."""

    def __init__(self, name: str, usual: str | None) -> None:
        """Remember how to name the file in problems, and the sign to take where the columns show none."""
        self._name, self._usual = name, usual
        self._cells: dict[str, dict[int, tuple[int, Stated]]] = {}
        self.problems: list[str] = []
        self.sign: str | None = None

    def add(self, column: str, cells: Iterable[Cell]) -> None:
        """Take the cells of one column; empty ones are none."""
        found = self._cells.setdefault(column, {})
        for record, line, text in cells:
            if not unguarded(text):
                continue
            try:
                found[record] = (line, stated(unguarded(text)))
            except UnclearAmount as problem:
                self.problems.append(f"{self._name}, line {line}, {column}: {problem}")

    def decide(self) -> None:
        """Find the decimal sign from all cells."""
        numbers = [(line, each.number) for column in self._cells.values() for line, each in column.values()]
        columns = ", ".join(self._cells)
        try:
            self.sign = decimal_sign(sorted(numbers), self._usual)
        except UnclearAmount as problem:
            self.problems.append(f"{self._name}, {columns}: {problem}")
            return
        if self.sign is None:
            line, number = next((line, each) for line, each in sorted(numbers) if re.search("[.,]", each))
            self.problems.append(
                f"{self._name}, line {line}, {columns}: {number!r} can be read in two ways; say --decimal comma or "
                "--decimal point"
            )

    def value(self, column: str, record: int) -> tuple[Decimal | None, str | None]:
        """Return the amount of a record and the currency it names; None where the cell is empty or wrong."""
        found = self._cells.get(column, {}).get(record)
        if found is None or self.sign is None:
            return None, None
        line, each = found
        try:
            return amount(each.number, self.sign), each.currency
        except UnclearAmount as problem:
            self.problems.append(f"{self._name}, line {line}, {column}: {problem}")
            return None, None


def price_facts(
    price: Decimal | None, compare_at: Decimal | None, currency: str
) -> tuple[dict[str, Any], str | None, tuple[str, ...]]:
    """Return the price of a variant as facts, why it cannot be sold for that, and what was not taken."""
    if price is None:
        return {}, "has no price", ()
    if price <= 0:
        shown = f"{amount_text(price, currency)} {currency}"
        is_free = f"costs {shown}: given away, not a price to compete with"
        return {}, is_free if price == 0 else f"its price {shown} is below zero", ()
    if price >= _NO_PRICE:
        return {}, f"its price {price} is as long as a barcode; is it in the right column?", ()
    if not has_places(price, digits(currency)):
        return {}, f"its price {price} has more decimals than {currency} has; a price without tax?", ()
    facts: dict[str, Any] = {"currency": currency, "price": price, "compare_at": None}
    if compare_at is None or compare_at <= 0:
        return facts, None, ()
    if not has_places(compare_at, digits(currency)):
        return facts, None, (f"compare-at price {compare_at} not taken: {currency} has {digits(currency)} decimals",)
    return facts | {"compare_at": compare_at}, None, ()


def cost_facts(cost: Decimal | None) -> dict[str, Any]:
    """Return a cost as a fact; a cost of nothing is one that nobody entered."""
    if cost is None or cost <= 0:
        return {}
    return {"cost": cost if has_places(cost) else round(cost, MAX_PLACES)}


def stated_words(cells: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the descriptive cells that say something; an empty one keeps what we know."""
    for field, text in cells.items():
        if words := words_of(unguarded(text)):
            yield field, words

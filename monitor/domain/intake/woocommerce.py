"""WooCommerce's product export: headers in the shop's language, prices with the shop's decimal sign.

A variable or grouped product is a frame around its variations and has no price of its own; a variation names its
parent by SKU or as `id:123` and takes from it what its own row leaves empty. Where a sale price stands and the sale is
on, it is the price and the regular one is the price before.

Source: class-wc-product-csv-exporter.php of WooCommerce, and exports in several languages.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from monitor.domain.intake.cells import (
    AmountColumns,
    address_of,
    cost_facts,
    gtin_of,
    is_true,
    leaf,
    price_facts,
    stated_words,
    tags_of,
    unguarded,
    whole,
    words_of,
)
from monitor.domain.intake.listing import Asked, Intake, Kind, LeftOut, Listed, variant_key
from monitor.domain.intake.sheet import Record, Sheet, by_field, normal
from monitor.domain.intake.woo_words import HEADERS, JUST_PRICE, META

_STATED = ("id", "type", "sku", "parent", "regular_price", "sale_price", "in_stock", "published")
_PRICES = ("regular_price", "sale_price")
#: Types that hold other products and are not sold themselves.
_FRAMES = {
    "variable": "is the frame of its variations",
    "grouped": "is a group of other products",
    "variable-subscription": "is the frame of its variations",
}
_SOLD = frozenset({"simple", "variation", "external"})


@dataclass(frozen=True, slots=True)
class _Row:
    record: Record
    cells: Mapping[str, str]
    options: tuple[str, ...]

    @property
    def type(self) -> str:
        """The word that counts: `simple, downloadable, virtual` is simple."""
        words = [word.strip().casefold() for word in self.cells.get("type", "").split(",")]
        return next((word for word in words if word in _SOLD or word in _FRAMES), words[0] or "simple")

    @property
    def sku(self) -> str:
        return " ".join(unguarded(self.cells.get("sku", "")).split())

    @property
    def id(self) -> str:
        return unguarded(self.cells.get("id", ""))


def fields_of(columns: Iterable[str]) -> Mapping[str, str] | None:
    """Return field by normal header when these are the headers of an export in a known language, else None."""
    fields = known_fields(columns)
    found = set(fields.values())
    return fields if {"name", "regular_price"} <= found and ("id" in found or "sku" in found) else None


def known_fields(columns: Iterable[str]) -> dict[str, str]:
    """Return field by normal header; a header that says just "price" counts where no other names the field."""
    fields = {column: field for column in columns if (field := field_of(column))}
    named = {field for column, field in fields.items() if column not in JUST_PRICE}
    return {column: field for column, field in fields.items() if column not in JUST_PRICE or field not in named}


def field_of(header: str) -> str | None:
    """Return what a normal header means."""
    _, colon, meta = header.partition(":")
    return META.get(meta.strip()) if colon else HEADERS.get(header)


def read_woocommerce(sheet: Sheet, asked: Asked, fields: Mapping[str, str]) -> Intake:
    """Return what an export lists."""
    places, problems = by_field(sheet, fields)
    pairs = _attribute_places(sheet.columns)
    rows = [_row(record, places, pairs) for record in sheet.records]
    amounts = _columns(sheet, rows, _PRICES, asked.decimal)
    costs = [_columns(sheet, rows, (column,), asked.decimal) for column in ("cost", "meta_cost")]
    keys = _keys([row for row in rows if row.type not in _FRAMES], sheet.name, problems)
    parents = _by_reference(rows)
    listed = tuple(
        _listed(row, keys[row.record.number], parents, (amounts, *costs), asked)
        for row in rows
        if row.record.number in keys
    )
    wrong = [problem for group in (amounts, *costs) for problem in group.problems]
    return Intake(
        name=sheet.name,
        kind=Kind.WOOCOMMERCE,
        form=f"WooCommerce product CSV, {_language(sheet, places)} headers, {sheet.encoding}",
        listed=listed,
        left_out=tuple(_frame(row) for row in rows if row.type in _FRAMES),
        notes=(*sheet.notes, *_notes(rows, amounts, asked)),
        problems=(*sheet.problems, *problems, *wrong),
    )


def _row(record: Record, places: Mapping[str, int], pairs: tuple[int, ...]) -> _Row:
    cells = {field: record.cells[at].strip() for field, at in places.items()}
    is_variation = "variation" in cells.get("type", "").casefold()
    values = (words_of(unguarded(record.cells[at].replace("\\,", ","))) for at in pairs) if is_variation else ()
    return _Row(record, cells, tuple(value.replace(";", ",") for value in values if value))


def _attribute_places(columns: tuple[str, ...]) -> tuple[int, ...]:
    """Return where the values of attributes stand.

    In every language the four columns name, value(s), visible and global of one attribute stand side by side and carry
    its number and its word; those of a download are fewer.
    """
    marks = [_marks(column) for column in columns]
    found: list[int] = []
    for at in range(len(columns) - 3):
        if (not found or at > found[-1] + 2) and frozenset.intersection(*marks[at : at + 4]):
            found.append(at + 1)
    return tuple(found)


def _marks(column: str) -> frozenset[str]:
    """Return the words of a numbered header with its number, cut to their stems: `attrib 1`."""
    number = re.search(r"(?<![\w])(\d{1,3})(?![\w])", column)
    if number is None or ":" in column:
        return frozenset()
    words = re.findall(r"[^\W\d_]{4,}", normal(column))
    return frozenset(f"{word[:6]} {number.group(1)}" for word in words)


def _columns(sheet: Sheet, rows: list[_Row], columns: tuple[str, ...], decimal: str | None) -> AmountColumns:
    group = AmountColumns(sheet.name, decimal or ("." if columns == ("meta_cost",) else None))
    for column in columns:
        group.add(column, ((row.record.number, row.record.line, row.cells.get(column, "")) for row in rows))
    group.decide()
    return group


def _keys(rows: list[_Row], name: str, problems: list[str]) -> dict[int, str]:
    """Return the key of each sellable row: its SKU when no other has it, else its ID, else nothing."""
    skus = Counter(row.sku for row in rows)
    keys = {}
    for row in rows:
        if row.sku and skus[row.sku] == 1:
            keys[row.record.number] = variant_key(row.sku)
        elif row.id:
            keys[row.record.number] = f"id:{row.id}" if row.id in skus else row.id
        else:
            problems.append(
                f"{name}, line {row.record.line}: neither a SKU that is unique nor an ID, so nothing says which "
                "product this is; export again with the columns ID and SKU"
            )
    return keys


def _by_reference(rows: list[_Row]) -> dict[str, _Row]:
    """Return the rows by what `Parent` can call them."""
    found = {f"id:{row.id}": row for row in rows if row.id}
    for row in rows:
        if row.sku:
            found.setdefault(row.sku, row)
    return found


def _listed(
    row: _Row, key: str, parents: Mapping[str, _Row], amounts: tuple[AmountColumns, ...], asked: Asked
) -> Listed:
    parent = parents.get(row.cells.get("parent", "")) if row.type == "variation" else None
    price, before, odd = _price(row, amounts[0], asked.today)
    facts, unsellable, remarks = price_facts(price, before, asked.currency)
    code, wrong = gtin_of(row.cells.get("gtin", "") or row.cells.get("meta_gtin", ""))
    url, refused = address_of(row.cells.get("url", ""))
    cost = next((value for group, column in _COSTS if (value := _value(amounts[group], column, row))), None)
    facts |= _described(row, parent) | cost_facts(cost) | _stock(row)
    facts |= {"gtin": code} if code else {}
    facts |= {"url": url} if url else {}
    return Listed(
        key=key,
        record=row.record.number,
        line=row.record.line,
        facts=facts,
        not_sold=_not_published(row) or (parent and _not_published(parent)) or unsellable,
        remarks=(*odd, *remarks, *wrong, *refused),
        stated={each: cell for each in _STATED if (cell := row.cells.get(each))},
    )


_COSTS = ((1, "cost"), (2, "meta_cost"))


def _value(group: AmountColumns, column: str, row: _Row) -> Decimal | None:
    return group.value(column, row.record.number)[0]


def _price(row: _Row, amounts: AmountColumns, today: date) -> tuple[Decimal | None, Decimal | None, tuple[str, ...]]:
    """Return the price now, the price before a sale, and what is odd about them."""
    regular, sale = (_value(amounts, column, row) for column in _PRICES)
    if sale is None or regular is None:
        return (regular if sale is None else sale), None, ()
    if sale >= regular:
        return regular, None, (f"sale price {sale} is not below the regular {regular}, so it was not taken for a sale",)
    if not is_on(row.cells.get("sale_from", ""), row.cells.get("sale_to", ""), today):
        return regular, None, (f"the sale at {sale} is not on today ({today})",)
    return sale, regular, unread_days(row.cells.get("sale_from", ""), row.cells.get("sale_to", ""))


def unread_days(*days: str) -> tuple[str, ...]:
    """Return a remark for each day of a sale that cannot be read, and so does not limit it."""
    return tuple(
        f"{day!r} is no day of the form 2026-12-05, so the sale was taken to be on"
        for day in map(str.strip, days)
        if day and _day(day) is None
    )


def is_on(start: str, end: str, today: date) -> bool:
    """Say whether a sale with these dates is on; an empty date is no limit, and one that cannot be read neither."""
    first, last = _day(start), _day(end)
    return (first is None or first <= today) and (last is None or today <= last)


def _day(text: str) -> date | None:
    found = re.match(r"\d{4}-\d{2}-\d{2}", text.strip())
    try:
        return date.fromisoformat(found.group()) if found else None
    except ValueError:
        return None


def _described(row: _Row, parent: _Row | None) -> dict[str, Any]:
    def cell(field: str) -> str:
        return row.cells.get(field, "") or (parent.cells.get(field, "") if parent else "")

    described = {"brand": leaf(cell("brands")), "category": leaf(cell("categories")), "mpn": cell("mpn")}
    title = words_of(unguarded(cell("name"))) or row.sku or row.id
    facts: dict[str, Any] = {"title": title, "options": row.options} | dict(stated_words(described))
    return facts | ({"tags": tags} if (tags := tags_of(cell("tags"))) else {})


def _stock(row: _Row) -> dict[str, Any]:
    """Return the stock as a fact; what may be ordered beyond it is not counted."""
    if "in_stock" not in row.cells:
        return {"stock": whole(row.cells["stock"])} if row.cells.get("stock") else {}
    word = unguarded(row.cells["in_stock"]).casefold()
    if is_true(word) is False:
        return {"stock": 0}
    count = whole(row.cells.get("stock", ""))
    return {"stock": count if count is not None and count > 0 and word != "backorder" else None}


def _not_published(row: _Row) -> str | None:
    published = unguarded(row.cells.get("published", "1"))
    if is_true(published) is not False:
        return None
    return "is a draft (not published)" if published == "-1" else "is private (not published)"


def _frame(row: _Row) -> LeftOut:
    name = words_of(row.cells.get("name", "")) or row.sku or row.id
    return LeftOut(row.record.number, row.record.line, name, _FRAMES[row.type])


def _language(sheet: Sheet, places: Mapping[str, int]) -> str:
    is_english = normal(sheet.columns[places["regular_price"]]) == "regular price"
    return "English" if is_english else f"translated ({sheet.columns[places['regular_price']]!r})"


def _notes(rows: list[_Row], amounts: AmountColumns, asked: Asked) -> tuple[str, ...]:
    sign = {".": "a point", ",": "a comma"}.get(amounts.sign or "", "no sign")
    notes = [f"the file names no currency; its prices, with {sign} before the decimals, were taken as {asked.currency}"]
    if any(row.cells.get("sale_price") for row in rows) and not {"sale_from", "sale_to"} & set(rows[0].cells):
        notes.append("no column of it is known to hold the days of sales, so every sale price was taken as charged now")
    others = Counter(row.type for row in rows if row.type not in _SOLD and row.type not in _FRAMES)
    notes += [f"rows of type {kind!r} were taken as they stand: {count}; check them" for kind, count in others.items()]
    skus = Counter(row.sku for row in rows if row.sku)
    notes += [f"{count} rows share the SKU {sku!r}" for sku, count in skus.items() if count > 1]
    taxed = Counter(row.cells.get("tax_class", "") for row in rows)
    return (*notes, *(() if len(taxed) < 2 else ("the file has several tax classes",)))

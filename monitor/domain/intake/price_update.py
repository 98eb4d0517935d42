"""New prices as a file for the shop's own importer, in the headers of the export they came from.

The file holds the rows that change and no others, and of those only what names the row and the price. In Shopify's
and WooCommerce's importers an empty cell overwrites and a missing column does not, so a column stands in the file only
when a row of it changes, and then every row says what it has. Compare-at and regular prices stay as they are.

A spreadsheet takes a cell that begins with `=`, `+`, `-` or `@` for a formula. Guarding it with an apostrophe would
make the apostrophe part of a title in the shop, so a row that needs such a cell is left out by name; numbers are none.
"""

import csv
import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from monitor.domain.intake import merchant, shopify, woocommerce
from monitor.domain.intake.amounts import decimal_sign, stated
from monitor.domain.intake.cells import unguarded
from monitor.domain.intake.listing import Asked, Intake, Kind, Listed
from monitor.domain.intake.recognise import read_catalogue_file
from monitor.domain.intake.sheet import Sheet, normal, read_sheet
from monitor.domain.money import Money, amount_text

_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)?")
#: Shopify's columns that name a variant, whichever generation: `normal` headers.
_SHOPIFY_KEYS = (
    *("handle", "url handle", "title"),
    *(f"option{number} {part}" for number in (1, 2, 3) for part in ("name", "value")),
)


@dataclass(frozen=True, slots=True)
class PriceUpdate:
    """A file for a shop's importer."""

    text: str
    changed: tuple[str, ...]  #: keys of its rows
    left_out: tuple[str, ...]  #: in words: key and why it is not in the file
    encoding: str


def price_update(body: bytes, name: str, asked: Asked, prices: Mapping[str, Money]) -> PriceUpdate:
    """Return the file that sets these prices.

    Args:
        body: the export that the catalogue was imported from.
        name: how words call it.
        asked: as at the import.
        prices: by key, as the import called the products.
    """
    intake = read_catalogue_file(body, name, asked)
    if intake.problems:
        return PriceUpdate("", (), intake.problems, "utf-8")
    sheet = read_sheet(body, name, asked.encoding)
    wanted, refused = _wanted(intake, name, asked, prices)
    rows, more = _WRITERS[intake.kind](sheet, wanted, prices, asked)
    unsafe = {key: cell for key, row in rows if (cell := _formula(row))}
    safe = [(key, row) for key, row in rows if key not in unsafe]
    left_out = (*refused, *more, *(_unsafe(key, cell) for key, cell in unsafe.items()))
    separator = "\t" if intake.form.endswith("XML") else sheet.separator
    return PriceUpdate(
        _text([row for _, row in safe], separator), tuple(key for key, _ in safe), left_out, sheet.encoding
    )


def _wanted(intake: Intake, name: str, asked: Asked, prices: Mapping[str, Money]) -> tuple[list[Listed], list[str]]:
    """Return the listed products whose price changes, and what cannot be changed."""
    listed = {each.key: each for each in intake.listed}
    refused = [f"{key}: {name} does not list it" for key in prices if key not in listed]
    wanted = []
    for key, price in prices.items():
        each = listed.get(key)
        if each is None or each.facts.get("price") == price.amount:
            continue
        currency = each.facts.get("currency", asked.currency)
        if currency == price.currency:
            wanted.append(each)
        else:
            refused.append(f"{key}: its price in {name} is in {currency}, the new one is {price}")
    return sorted(wanted, key=lambda each: each.record), refused


def _text(rows: Sequence[Mapping[str, str]], separator: str) -> str:
    """Return the rows as a table; none at all when there is nothing to say."""
    if not rows:
        return ""
    out = io.StringIO()
    columns = list(dict.fromkeys(column for row in rows for column in row))
    writer = csv.DictWriter(out, columns, restval="", lineterminator="\n", delimiter=separator)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


Rows = tuple[list[tuple[str, dict[str, str]]], list[str]]


def _shopify(sheet: Sheet, wanted: Sequence[Listed], prices: Mapping[str, Money], asked: Asked) -> Rows:
    """Return the rows of Shopify variants: handle, title, all options, price."""
    fields = shopify.fields_of(frozenset(normal(column) for column in sheet.columns)) or {}
    price_at = next(at for at, column in enumerate(sheet.columns) if fields.get(normal(column)) == "price")
    keys = [at for at, column in enumerate(sheet.columns) if normal(column) in _SHOPIFY_KEYS]
    titles = {normal(column): at for at, column in enumerate(sheet.columns)}
    records = {record.number: record.cells for record in sheet.records}
    firsts: dict[str, tuple[str, ...]] = {}
    for record in sheet.records:
        firsts.setdefault(record.cells[titles.get("handle", titles.get("url handle", 0))], record.cells)
    rows = []
    for each in wanted:
        cells = records[each.record]
        first = firsts[each.stated["handle"]]
        row = {sheet.columns[at]: _named(sheet.columns[at], cells[at], first[at]) for at in keys}
        rows.append((each.key, row | {sheet.columns[price_at]: _amount(prices[each.key], ".")}))
    return rows, []


def _named(column: str, cell: str, of_first: str) -> str:
    """Return a cell that names a variant; title and option names stand on the first row of a product only."""
    is_products = normal(column) == "title" or normal(column).endswith(" name")
    return cell or (of_first if is_products else "")


def _woocommerce(sheet: Sheet, wanted: Sequence[Listed], prices: Mapping[str, Money], asked: Asked) -> Rows:
    """Return the rows of WooCommerce products: ID, SKU where there is no ID, and the price that is charged now."""
    said = {normal(header): field for field, header in asked.columns.items()}
    known = woocommerce.known_fields(normal(column) for column in sheet.columns)
    places: dict[str, int] = {}
    for at, column in enumerate(sheet.columns):
        if field := said.get(normal(column)) or known.get(normal(column)):
            places.setdefault(field, at)
    priced = [at for field, at in places.items() if field in ("regular_price", "sale_price")]
    sign = _sign_of([(record.line, record.cells[at]) for record in sheet.records for at in priced], asked)
    on_sale = {each.key for each in wanted if each.facts.get("compare_at") is not None}
    written = ["sale_price"] * bool(on_sale) + ["regular_price"] * (len(on_sale) < len(wanted))
    rows, refused = [], []
    for each in wanted:
        price = prices[each.key]
        cells = {field: each.stated.get(field, "") for field in ("sale_price", "regular_price")}
        if each.key in on_sale and price.amount >= each.facts["compare_at"]:
            refused.append(
                f"{each.key}: {price} is not below its regular price, so it is no sale price; end the sale first"
            )
            continue
        cells["sale_price" if each.key in on_sale else "regular_price"] = _amount(price, sign)
        key = "id" if each.stated.get("id") and "id" in places else "sku"
        row = {sheet.columns[places[key]]: each.stated.get(key, "").lstrip("'")}
        rows.append((each.key, row | {sheet.columns[places[field]]: cells[field] for field in written}))
    return rows, refused


def _sign_of(cells: Sequence[tuple[int, str]], asked: Asked) -> str:
    """Return the sign before the decimals as the import read it; a comma in `1,299.00` is none."""
    numbers = ((line, stated(unguarded(cell)).number) for line, cell in cells if unguarded(cell))
    return decimal_sign(numbers, asked.decimal) or "."


def _merchant(sheet: Sheet, wanted: Sequence[Listed], prices: Mapping[str, Money], asked: Asked) -> Rows:
    """Return the rows of a supplemental feed: id and the price that is charged now, each with its currency."""
    on_sale = {each.key for each in wanted if each.facts.get("compare_at") is not None}
    names = {merchant.NAMES.get(merchant.field_name(column)): column for column in reversed(sheet.columns)}
    id_column, price_column = (names.get(field, field) for field in ("id", "price"))
    sale_column = names.get("sale_price", "sale_price")
    rows = []
    for each in wanted:
        price = prices[each.key]
        new = f"{amount_text(price.amount, price.currency)} {price.currency}"
        cells = {id_column: each.stated["id"], price_column: new}
        if each.key in on_sale:
            before = f"{amount_text(each.facts['compare_at'], price.currency)} {price.currency}"
            cells |= {price_column: before, sale_column: new}
        elif on_sale:
            cells |= {sale_column: each.stated.get("sale_price", "")}
        rows.append((each.key, cells))
    return rows, []


def _own(sheet: Sheet, wanted: Sequence[Listed], prices: Mapping[str, Money], asked: Asked) -> Rows:
    return [(each.key, {"sku": each.key, "price": _amount(prices[each.key], ".")}) for each in wanted], []


_WRITERS: dict[Kind, Callable[[Sheet, Sequence[Listed], Mapping[str, Money], Asked], Rows]] = {
    Kind.SHOPIFY: _shopify,
    Kind.WOOCOMMERCE: _woocommerce,
    Kind.MERCHANT: _merchant,
    Kind.OWN: _own,
}


def _amount(price: Money, sign: str) -> str:
    return amount_text(Decimal(price.amount), price.currency).replace(".", sign)


def _formula(row: Mapping[str, str]) -> str | None:
    """Return a cell that a spreadsheet would take for a formula."""
    return next(
        (c for c in row.values() if c[:1] in ("=", "+", "-", "@", ("\t"), "\r") and not _NUMBER.fullmatch(c)), None
    )


def _unsafe(key: str, cell: str) -> str:
    return (
        f"{key}: {cell[:60]!r} begins like a formula of a spreadsheet "
        "and cannot be guarded without changing it in the shop; "
        "change this price in the shop itself"
    )

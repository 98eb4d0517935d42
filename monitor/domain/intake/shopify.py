"""Shopify's product export: one row for each variant and each further image, with the headers of either generation.

The legacy headers begin with `Handle` and call the price `Variant Price`, the current ones have `URL handle` and
`Price`. Only the exact columns are read: `Price / Sweden` is a price for another market in another currency. What
belongs to the product (title, status, vendor) stands on its first row only; rows are tied by the handle.

Source: https://help.shopify.com/manual/products/import-export/using-csv and exports of both generations.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from monitor.domain.intake.cells import (
    AmountColumns,
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
from monitor.domain.intake.sheet import Record, Sheet, by_field

LEGACY = {
    "handle": "handle",
    "variant sku": "sku",
    "variant barcode": "barcode",
    "variant price": "price",
    "variant compare at price": "compare_at",
    "variant inventory qty": "stock",
    "variant inventory policy": "policy",
    "variant inventory tracker": "tracker",
    "image src": "image",
    "published": "published",
}
CURRENT = {
    "url handle": "handle",
    "sku": "sku",
    "barcode": "barcode",
    "price": "price",
    "compare-at price": "compare_at",
    "compare at price": "compare_at",
    "inventory quantity": "stock",
    "continue selling when out of stock": "policy",
    "inventory tracker": "tracker",
    "product image url": "image",
    "published on online store": "published",
}
_BOTH = {
    "title": "title",
    "vendor": "brand",
    "type": "type",
    "product category": "category",
    "tags": "tags",
    "status": "status",
    "cost per item": "cost",
    "gift card": "gift_card",
    "google shopping / mpn": "mpn",
    "google shopping / manufacturer part number (mpn)": "mpn",
    "option1 value": "option1",
    "option2 value": "option2",
    "option3 value": "option3",
}
_OPTIONS = ("option1", "option2", "option3")
_WHOLE_PRODUCT = ("title", "brand", "type", "category", "tags", "status", "published", "gift_card", "mpn")
_STATED = ("handle", "sku", "barcode", "price", "compare_at", "cost", "status")
_NO_OPTION = "Default Title"  #: Shopify's word for a product without options
_NOT_SOLD = {"draft": "is a draft", "archived": "is archived"}
_SOLD = frozenset({"", "active", "unlisted"})

Cells = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Row:
    record: Record
    cells: Cells  #: the row's own
    product: Cells  #: of the first row of its product

    @property
    def handle(self) -> str:
        return self.cells["handle"]

    @property
    def options(self) -> tuple[str, ...]:
        values = (words_of(unguarded(self.cells.get(each, ""))).replace(";", ",") for each in _OPTIONS)
        return tuple(value for value in values if value and value != _NO_OPTION)

    @property
    def is_variant(self) -> bool:
        return any(self.cells.get(each) for each in ("price", "sku", *_OPTIONS))


def fields_of(columns: Mapping[str, int] | frozenset[str]) -> Mapping[str, str] | None:
    """Return the meaning of the headers of the generation that these normal headers show, None for neither."""
    for generation in (LEGACY, CURRENT):
        fields = {**generation, **_BOTH}
        found = {fields[column] for column in columns if column in fields}
        if {"handle", "price", "option1"} <= found or {"handle", "price", "title"} <= found:
            return fields
    return None


def read_shopify(sheet: Sheet, asked: Asked, fields: Mapping[str, str]) -> Intake:
    """Return what an export lists."""
    places, problems = by_field(sheet, fields)
    rows = _rows(sheet, places, problems)
    amounts = AmountColumns(sheet.name, asked.decimal or ".")
    costs = AmountColumns(sheet.name, asked.decimal or ".")
    for columns, group in (((("price"), ("compare_at")), amounts), (("cost",), costs)):
        for column in columns:
            group.add(column, ((row.record.number, row.record.line, row.cells.get(column, "")) for row in rows))
        group.decide()
    variants = [row for row in rows if row.is_variant]
    keys = _keys(variants)
    listed = tuple(_listed(row, keys, amounts, costs, asked, sheet.name, problems) for row in variants)
    images = [row for row in rows if not row.is_variant]
    return Intake(
        name=sheet.name,
        kind=Kind.SHOPIFY,
        form=f"Shopify product CSV, {'legacy' if 'variant price' in fields else 'current'} headers, {sheet.encoding}",
        listed=listed,
        left_out=tuple(_left_out(row) for row in images if not row.cells.get("image")),
        image_rows=sum(bool(row.cells.get("image")) for row in images),
        notes=(*sheet.notes, *_notes(sheet, asked, variants)),
        problems=(*sheet.problems, *problems, *amounts.problems, *costs.problems),
    )


def _rows(sheet: Sheet, places: Mapping[str, int], problems: list[str]) -> list[_Row]:
    products: dict[str, Cells] = {}
    rows = []
    for record in sheet.records:
        cells = {field: record.cells[at].strip() for field, at in places.items()}
        if not cells["handle"]:
            problems.append(
                f"{sheet.name}, line {record.line}, {sheet.columns[places['handle']]}: the cell is empty; every row "
                "needs the handle of its product"
            )
            continue
        known = products.get(cells["handle"])
        if known is None or (cells.get("title") and not known.get("title")):
            known = products[cells["handle"]] = {each: cells.get(each, "") for each in _WHOLE_PRODUCT}
        rows.append(_Row(record, cells, known))
    return rows


def _keys(variants: list[_Row]) -> Callable[[_Row], str]:
    """Return how a variant is called: by its SKU when no other has it, else by handle and options."""
    skus = Counter(unguarded(row.cells.get("sku", "")) for row in variants)

    def key(row: _Row) -> str:
        sku = " ".join(unguarded(row.cells.get("sku", "")).split())
        return variant_key(sku) if sku and skus[sku] == 1 else variant_key(row.handle, *row.options)

    return key


def _listed(
    row: _Row,
    keys: Callable[[_Row], str],
    amounts: AmountColumns,
    costs: AmountColumns,
    asked: Asked,
    name: str,
    problems: list[str],
) -> Listed:
    number = row.record.number
    price, _ = amounts.value("price", number)
    compare_at, _ = amounts.value("compare_at", number)
    cost, _ = costs.value("cost", number)
    facts, unsellable, remarks = price_facts(price, compare_at, asked.currency)
    code, odd = gtin_of(row.cells.get("barcode", ""))
    described = {
        "brand": row.product.get("brand", ""),
        "category": row.product.get("type") or leaf(row.product.get("category", "")),
        "mpn": row.product.get("mpn", ""),
    }
    facts |= {"title": words_of(row.product.get("title", "")) or row.handle, "options": row.options}
    facts |= dict(stated_words(described)) | cost_facts(cost) | _stock(row.cells)
    facts |= {"tags": tags} if (tags := tags_of(row.product.get("tags", ""))) else {}
    facts |= {"gtin": code} if code else {}
    return Listed(
        key=keys(row),
        record=number,
        line=row.record.line,
        facts=facts,
        not_sold=_not_sold(row, name, problems) or unsellable,
        remarks=(*remarks, *odd),
        stated={each: cell for each in _STATED if (cell := {**row.cells, **row.product}.get(each))},
    )


def _stock(cells: Cells) -> dict[str, Any]:
    """Return the stock as a fact; without a tracker, or sold beyond it, there is always some."""
    if "stock" not in cells:
        return {}
    is_counted = bool(cells.get("tracker", "shopify"))
    is_endless = cells.get("policy", "").casefold() in ("continue", "true")
    return {"stock": whole(cells["stock"]) if is_counted and not is_endless else None}


def _not_sold(row: _Row, name: str, problems: list[str]) -> str | None:
    status = row.product.get("status", "").casefold()
    if status in _NOT_SOLD:
        return _NOT_SOLD[status]
    if status not in _SOLD:
        problems.append(
            f"{name}, line {row.record.line}, Status: {row.product['status']!r} is no status of Shopify; write active, "
            "draft, archived or unlisted"
        )
    if is_true(row.product.get("published", "")) is False:
        return "is not published on the online store"
    return "is a gift card" if is_true(row.product.get("gift_card", "")) else None


def _left_out(row: _Row) -> LeftOut:
    return LeftOut(row.record.number, row.record.line, row.handle, "has neither price, SKU nor option")


def _notes(sheet: Sheet, asked: Asked, variants: list[_Row]) -> tuple[str, ...]:
    notes = [f"the file names no currency; its amounts were taken as {asked.currency}"]
    markets = [column for column in sheet.columns if column.casefold().startswith(("price /", "compare at price /"))]
    if markets:
        notes.append(f"{len(markets)} columns of market prices were not read ({markets[0]} and so on)")
    shared = Counter(unguarded(row.cells.get("sku", "")) for row in variants)
    for sku, count in shared.items():
        if sku and count > 1:
            notes.append(f"{count} variants share the SKU {sku!r}; they are called by handle and option instead")
    return tuple(notes)

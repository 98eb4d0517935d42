"""Google Merchant feeds and the price comparison feeds that are like them, as a table or as XML.

Attributes are found by name in any spelling of it: `g:sale_price`, `sale price`, `sale_price`. The price is the sale
price when one is there, is lower and is on today; a sale price that is not lower is none and is remarked.
The currency is the one an amount names, else the feed's own element for it, else what the import was told; that of a
delivery says nothing about a price.

Source: https://support.google.com/merchants/answer/7052112 (product data specification).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from monitor.domain.intake.cells import (
    AmountColumns,
    address_of,
    cost_facts,
    gtin_of,
    leaf,
    price_facts,
    stated_words,
    unguarded,
    whole,
    words_of,
)
from monitor.domain.intake.feed_xml import Feed
from monitor.domain.intake.legacy_currency import replacement
from monitor.domain.intake.listing import Asked, Intake, Kind, Listed, variant_key
from monitor.domain.intake.sheet import Sheet
from monitor.domain.intake.woocommerce import is_on, unread_days
from monitor.domain.money import digits, is_currency

#: Our word for the names that feeds use, without prefix, in lower case, with underscores.
NAMES = {
    **dict.fromkeys(
        ("id", "item_id", "product_id", "productid", "itemid", "sku", "uniqueid", "unique_id", "offer_id"), "id"
    ),
    **dict.fromkeys(("title", "name", "product_name", "productname", "product", "product_title"), "title"),
    **dict.fromkeys(("price", "price_vat", "price_with_vat", "product_price", "regular_price"), "price"),
    **dict.fromkeys(("sale_price", "saleprice", "discount_price"), "sale_price"),
    "sale_price_effective_date": "sale_dates",
    **dict.fromkeys(("currency", "currencyid", "currency_id", "price_currency"), "currency"),
    **dict.fromkeys(("availability", "stock_status", "available"), "availability"),
    **dict.fromkeys(("in_stock", "instock"), "in_stock"),
    **dict.fromkeys(("quantity", "stock", "stock_quantity", "inventory", "quantity_to_sell_on_facebook"), "stock"),
    **dict.fromkeys(("gtin", "ean", "ean13", "barcode", "upc", "isbn", "gtin13"), "gtin"),
    **dict.fromkeys(("mpn", "manufacturer_part_number", "manufacturer_sku", "productno"), "mpn"),
    **dict.fromkeys(("brand", "manufacturer", "vendor"), "brand"),
    **dict.fromkeys(("link", "url", "product_url", "canonical_link"), "url"),
    **dict.fromkeys(("product_type", "category", "categorytext", "category_path"), "category"),
    "google_product_category": "google_category",
    "condition": "condition",
    "multipack": "multipack",
    "cost_of_goods_sold": "cost",
    "auto_pricing_min_price": "min_price",
    "maximum_retail_price": "msrp",
    "color": "color",
    "colour": "color",
    "size": "size",
    "material": "material",
    "pattern": "pattern",
    "item_group_id": "group",
}
_AMOUNTS = ("price", "sale_price", "cost", "min_price", "msrp")
_STATED = ("id", "group", "price", "sale_price", "currency", "availability", "condition", "gtin")
_OPTIONS = ("color", "size", "material", "pattern")
_SEPARATORS = {"\t": "tabs", ",": "commas", ";": "semicolons", "|": "bars"}
_GONE = frozenset({"outofstock", "soldout", "0", "false", "no", "discontinued", "unavailable"})
_THERE = frozenset(
    {"instock", "preorder", "backorder", "availableforpreorder", "1", "true", "yes", "availablefororder"}
)


@dataclass(frozen=True, slots=True)
class _Item:
    record: int
    line: int
    fields: Mapping[str, str]


def field_name(header: str) -> str:
    """Return the name of an attribute in the one spelling.

    >>> field_name("g:Sale Price"), field_name("sale_price(default)")
    ('sale_price', 'sale_price')
    """
    name = header.strip().strip("\ufeff").casefold().rpartition(":")[2].partition("(")[0].strip()
    return re.sub(r"[\s\-]+", "_", name)


def is_feed(columns: tuple[str, ...]) -> bool:
    """Say whether these headers are those of a feed."""
    found = {NAMES.get(field_name(column)) for column in columns}
    names = {field_name(column) for column in columns}
    return {"id", "title", "price"} <= found and bool(names & {"id", "item_id", "offer_id", "unique_id"})


def read_feed_table(sheet: Sheet, asked: Asked) -> Intake:
    """Return what a feed in table form lists."""
    items = []
    for record in sheet.records:
        fields: dict[str, str] = {}
        for column, cell in zip(sheet.columns, record.cells, strict=True):
            if cell.strip():
                fields.setdefault(NAMES.get(field_name(column), ""), cell.strip())
        items.append(_Item(record.number, record.line, fields))
    form = f"merchant feed, separated by {_SEPARATORS[sheet.separator]}, {sheet.encoding}"
    return _intake(sheet.name, form, items, asked, sheet.notes, list(sheet.problems))


def read_feed_xml(feed: Feed, name: str, asked: Asked) -> Intake:
    """Return what a feed in XML lists."""
    items = []
    for item in feed.items:
        fields: dict[str, str] = {}
        for key, text in item.fields.items():
            if text:
                fields.setdefault(NAMES.get(field_name(key), ""), text)
        items.append(_Item(item.number, item.line, fields))
    problems = list(feed.problems)
    if not items and not problems:
        problems.append(f"{name}: no item, entry, product or offer in it; is this a product feed?")
    return _intake(name, "merchant feed, XML", items, asked, feed.notes, problems)


def _intake(
    name: str, form: str, items: list[_Item], asked: Asked, notes: tuple[str, ...], problems: list[str]
) -> Intake:
    for item in items:
        problems.extend(
            f"{name}, line {item.line}: the item has no {field}; every one needs it"
            for field in ("id", "title")
            if not item.fields.get(field)
        )
    amounts = AmountColumns(name, asked.decimal or ".")
    if asked.decimal is None and _has_comma(items):
        amounts = AmountColumns(name, None)
    for column in _AMOUNTS:
        amounts.add(column, ((item.record, item.line, item.fields.get(column, "")) for item in items))
    amounts.decide()
    listed = [_listed(item, amounts, asked, name, problems) for item in items if item.fields.get("id")]
    currencies = {str(each.facts["currency"]) for each in listed if "currency" in each.facts}
    unnamed = [item for item in items if item.fields.get("price") and _named(item, amounts) is None]
    if unnamed:
        notes = (
            *notes,
            f"{len(unnamed)} of {len(items)} prices name no currency and were taken as {asked.currency}, that of our "
            "shop",
        )
    outdated = (replacement(currency, asked.today) for currency in sorted(currencies))
    return Intake(
        name,
        Kind.MERCHANT,
        form,
        tuple(listed),
        (),
        0,
        (*notes, *filter(None, outdated)),
        (*problems, *amounts.problems),
    )


def _has_comma(items: list[_Item]) -> bool:
    return any("," in item.fields.get(column, "") for item in items for column in _AMOUNTS)


def _named(item: _Item, amounts: AmountColumns) -> str | None:
    """Return the currency that an item names for its price."""
    own = item.fields.get("currency", "").strip().upper()
    return amounts.value("price", item.record)[1] or (own if is_currency(own) else None)


def _listed(item: _Item, amounts: AmountColumns, asked: Asked, name: str, problems: list[str]) -> Listed:
    fields = item.fields
    own = fields.get("currency", "").strip()
    if own and not is_currency(own.upper()):
        problems.append(f"{name}, line {item.line}, currency: {own!r} is not an ISO 4217 code such as EUR")
    currency = _named(item, amounts) or asked.currency
    price, before, odd = _price(item, amounts, currency, asked.today)
    facts, unsellable, remarks = price_facts(price, before, currency)
    code, wrong = gtin_of(fields.get("gtin", ""))
    url, refused = address_of(fields.get("url", ""))
    bounds = {column: _amount(item, amounts, column, currency) for column in ("min_price", "msrp")}
    facts |= _described(fields) | cost_facts(_amount(item, amounts, "cost", currency)) | _stock(fields)
    facts |= {column: value for column, value in bounds.items() if value and value == round(value, digits(currency))}
    facts |= {"gtin": code} if code else {}
    facts |= {"url": url} if url else {}
    return Listed(
        key=variant_key(unguarded(fields["id"])),
        record=item.record,
        line=item.line,
        facts=facts,
        not_sold=_not_new(fields) or unsellable,
        remarks=(*odd, *remarks, *wrong, *refused),
        stated={each: cell for each in _STATED if (cell := fields.get(each))},
    )


def _amount(item: _Item, amounts: AmountColumns, column: str, currency: str) -> Decimal | None:
    """Return an amount that names no other currency than the price."""
    value, named = amounts.value(column, item.record)
    return value if named in (None, currency) else None


def _price(
    item: _Item, amounts: AmountColumns, currency: str, today: date
) -> tuple[Decimal | None, Decimal | None, tuple[str, ...]]:
    """Return the price now, the price before a sale, and what is odd about them."""
    price, _ = amounts.value("price", item.record)
    sale, named = amounts.value("sale_price", item.record)
    if price is None or not sale:
        return price, None, ()
    if named not in (None, currency):
        return price, None, (f"sale price in {named} not taken, the price is in {currency}",)
    if sale >= price:
        return price, None, (f"sale price {sale} is not below the price {price}, so it was not taken for a sale",)
    start, _, end = item.fields.get("sale_dates", "").partition("/")
    if not is_on(start, end, today):
        return price, None, (f"the sale at {sale} is not on today ({today})",)
    return sale, price, unread_days(start, end)


def _described(fields: Mapping[str, str]) -> dict[str, Any]:
    described = {
        "brand": fields.get("brand", ""),
        "category": leaf(fields.get("category", "") or fields.get("google_category", "")),
        "mpn": fields.get("mpn", ""),
    }
    options = (words_of(fields.get(each, "")).replace(";", ",") for each in _OPTIONS)
    facts: dict[str, Any] = {"title": words_of(fields.get("title", "")) or fields["id"]}
    facts |= {"options": tuple(option for option in options if option)} | dict(stated_words(described))
    units = whole(fields.get("multipack", ""))
    return facts | ({"units": units} if units and units > 1 else {})


def _stock(fields: Mapping[str, str]) -> dict[str, Any]:
    word = re.sub(r"[\s_\-]", "", fields.get("availability", "").rpartition("/")[2]).casefold()
    count = whole(fields.get("stock", ""))
    if word in _GONE or (not word and fields.get("in_stock", "").casefold() in _GONE):
        return {"stock": 0}
    if word in _THERE or not word:
        is_stated = bool(word or fields.get("in_stock") or count is not None)
        return {"stock": count if count is None or count > 0 else None} if is_stated else {}
    return {}


def _not_new(fields: Mapping[str, str]) -> str | None:
    condition = fields.get("condition", "").strip().casefold()
    return (
        f"is {condition}, and rivals' new goods are no measure for it" if condition in ("used", "refurbished") else None
    )

"""Prices in meta tags, data attributes, hidden inputs and inline state.

Meta tags are declarations. Data attributes and script state are weaker: their numbers may be minor units or
another product's, so they count only as support, except where the state names its own product and unit.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from typing import Any

from selectolax.lexbor import LexborNode

from monitor.extract import loose_json
from monitor.extract.currency import Locale, iso_code, tenders
from monitor.extract.document import Document
from monitor.extract.facts import Facts
from monitor.extract.identity import Declared, read_declared
from monitor.extract.needles import every, holds

MAX_STATE = 1_500_000  #: characters of one script that are parsed as JSON
MAX_SCANNED = 1_500_000  #: characters of markup searched for state
MAX_SCRIPT_MATCHES = 300
MAX_WALKED = 30_000
MAX_MARKED = 100  #: elements with the attribute of a price, and hidden inputs of one

_CURRENT_METAS = (
    "product:sale_price:amount", "og:sale_price:amount", "product:price:amount", "og:price:amount", "og:price",
    "product:price", "price", "twitter:data1",
)  # fmt: skip
_LIST_METAS = (
    "product:original_price:amount", "og:price:standard_amount", "product:price:standard_amount",
    "og:original_price:amount", "product:price:amount",
)  # fmt: skip
_PRICE_ATTRIBUTES = ("data-price", "data-product-price", "data-price-amount", "data-sale-price", "data-final-price")
_PRICE_ATTRIBUTE_STARTS = (b"data-price", b"data-product-price", b"data-sale-price", b"data-final-price")
_ANY_PRICE_ATTRIBUTE = ",".join(f"[{name}]" for name in _PRICE_ATTRIBUTES)
_OF_AMOUNT = re.compile("rice|^amount$")  #: the hidden input of a price; a PayPal button asks for an `amount`
_DATA_LAYER = re.compile(rb"dataLayer\s*(?:\.push\(|=\s*\[)\s*(?=\{)")
_TAG_DATA = re.compile(rb"utag_data\s*=\s*(?=\{)")
_CURRENCY_WORDS = (b"urrency", b"URRENCY")
_PRICE_WORDS = (b"rice", b"RICE", b"alue", b"ALUE", b"mount", b"MOUNT")  #: with which the name of an amount ends
_PRICE_VALUE = re.compile(rb"[\"']?\s*[:=,]\s*\[?\s*[\"']?([0-9][0-9.,]{0,14})[\"']?")
_PRICE_KEY = re.compile(
    rb"[\"'](?:current_?price|sale_?price|final_?price|offer_?price|price|product_?price|unit_?price"
    rb"|product_unit_price|selling_?price|price_?amount|pricevalue|value)$",
    re.IGNORECASE,
)
_SKU_VALUE = re.compile(rb"\"sku\"\s*:\s*\"([A-Za-z0-9][A-Za-z0-9._/-]{2,29})\"")
_STATE_CURRENCY = re.compile(
    rb"currency(?:_?(?:code|iso(?:code)?|id))?[\"']?\]?\s*[:=]\s*(?:\{\s*[\"']active[\"']\s*:\s*)?[\"']([A-Z]{3})[\"']",
    re.IGNORECASE,
)


def meta_amounts(facts: Facts, locale: Locale) -> list[Declared]:
    """Return what meta tags declare; a sale price comes before the price it lowers."""
    currency = facts.meta("product:sale_price:currency", "product:price:currency", "og:price:currency", "pricecurrency")
    out: list[Declared] = []
    for name in _CURRENT_METAS:
        text = facts.metas.get(name)
        if not text or (
            name == "twitter:data1"
            and not re.search(
                r"price|preis|prix|precio|prezzo|cena", facts.metas.get("twitter:label1", ""), re.IGNORECASE
            )
        ):
            continue
        read = read_declared(text, currency, locale)
        if len(read) != 1 or read[0][0] <= 0:
            continue
        former = _former(facts, locale, currency, read[0][0])
        out.append(
            Declared(
                read[0][0],
                read[0][1],
                f"meta {name}",
                text,
                facts.meta("product:availability", "og:availability"),
                former,
            )
        )
        break
    return out


def _former(facts: Facts, locale: Locale, currency: str | None, price: Decimal) -> Decimal | None:
    for name in _LIST_METAS:
        read = read_declared(facts.metas.get(name), currency, locale)
        if len(read) == 1 and read[0][0] > price:
            return read[0][0]
    return None


def state_currency(document: Document) -> str | None:
    """Return the one currency that scripts of the page name, None when they disagree."""
    found = Counter(islice(_currency_codes(document.encoded), 200))
    named = [code for code, _ in found.most_common() if code == "RUR" or code in tenders()]
    is_clear = len(named) == 1 or (named and found[named[0]] >= 4 * sum(found[c] for c in named[1:]))
    return iso_code(named[0]) if is_clear else None


def _currency_codes(markup: bytes) -> Iterator[str]:
    """Yield what scripts give as a currency; a plain word is found many times faster than a pattern without case."""
    for word in _CURRENCY_WORDS:
        for near in every(markup, word, MAX_SCANNED):
            found = _STATE_CURRENCY.match(markup, max(0, near - 1))
            if found:
                yield found.group(1).decode().upper()


def state_sku(document: Document) -> str | None:
    """Return the one article number that scripts of the page name, None when they name several."""
    markup = document.encoded
    found: set[str] = set()
    for at in every(markup, b'"sku"', MAX_SCANNED):
        named = _SKU_VALUE.match(markup, at)
        found |= {named.group(1).decode()} if named else set()
        if len(found) > 1:
            return None
    return next(iter(found), None)


def _state_amounts(markup: bytes) -> Iterator[str]:
    """Yield the numbers that scripts give to the name of a price, in order of the page."""
    for key_end in sorted(at + len(word) for word in _PRICE_WORDS for at in every(markup, word, MAX_SCANNED)):
        found = _PRICE_VALUE.match(markup, key_end)
        if found and _PRICE_KEY.search(markup, max(0, key_end - 24), key_end):
            yield found.group(1).decode().rstrip(".,")


def support(document: Document) -> frozenset[Decimal]:
    """Return amounts that data attributes, hidden inputs and scripts name as a price."""
    texts: list[str] = []
    if any(holds(document.encoded, start) for start in _PRICE_ATTRIBUTE_STARTS):
        marked = [node.attributes for node in document.tree.css(_ANY_PRICE_ATTRIBUTE)[:MAX_MARKED]]
        texts += [
            attributes.get(name) or "" for attributes in marked for name in _PRICE_ATTRIBUTES if name in attributes
        ]
    inputs = [control.attributes for _, control in document.controls if control.tag == "input"]
    hidden = [a for a in inputs if a.get("type") == "hidden" and _OF_AMOUNT.search(a.get("name") or "")]
    texts += [attributes.get("value") or "" for attributes in hidden[:MAX_MARKED]]
    texts += islice(_state_amounts(document.encoded), MAX_SCRIPT_MATCHES)
    values = set()
    for text in texts:
        try:
            values.add(Decimal(text.strip()))
        except ArithmeticError:
            continue
    return frozenset(v for v in values if v.is_finite() and v > 0)


@dataclass(frozen=True, slots=True)
class StateProduct:
    """A product that inline state describes with its own unit or currency."""

    price: Decimal
    currency: str
    list_price: Decimal | None
    sku: str | None
    name: str | None
    source: str


def state_products(document: Document) -> list[StateProduct]:
    """Return products of `__NEXT_DATA__`, data layers and tag data that name amount and currency together."""
    out: list[StateProduct] = []
    for node in islice(_state_scripts(document), 12):
        text = node.text() or ""
        if len(text) <= MAX_STATE and _may_hold_units(text):
            out += _until_several(_with_units(loose_json.load(text)))
    markup = document.encoded
    if holds(markup, b"dataLayer"):
        for match in islice(_DATA_LAYER.finditer(markup, 0, MAX_SCANNED), 12):
            out += _view_items(_object_at(markup, match.end()))
    if holds(markup, b"utag_data"):
        for match in islice(_TAG_DATA.finditer(markup, 0, MAX_SCANNED), 2):
            out += _tag_data(_object_at(markup, match.end()))
    return out


def _state_scripts(document: Document) -> Iterator[LexborNode]:
    for node in document.scripts:
        if node.id == "__NEXT_DATA__" or node.attrs.get("type") == "application/json":
            yield node


def _until_several(found: Iterator[StateProduct]) -> Iterator[StateProduct]:
    """Yield products until two differ in price: state that holds several tells nothing, however many they are."""
    first: StateProduct | None = None
    for each in found:
        yield each
        first = first or each
        if (each.price, each.currency) != (first.price, first.currency):
            return


def _may_hold_units(text: str) -> bool:
    return '"price"' in text and '"currency' in text and ('"amount"' in text or '"centAmount"' in text)


def _object_at(markup: bytes, start: int) -> Any:
    """Return the object literal that begins at `start`, read tolerantly."""
    depth = 0
    for bracket in re.finditer(rb"[{}]", markup[start : start + 60_000]):
        depth += 1 if bracket.group() == b"{" else -1
        if depth == 0:
            return loose_json.load(markup[start : start + bracket.end()].decode("utf-8", "replace"))
    return None


def _decimal(value: Any) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, (int, str, Decimal)):
        return None
    try:
        number = Decimal(str(value).strip())
    except ArithmeticError:
        return None
    return number if number.is_finite() and number > 0 else None


def _with_units(value: Any) -> Iterator[StateProduct]:
    """Yield objects that hold `price: {amount, currency, fractionDigits}`."""
    stack, walked = [value], 0
    while stack and walked < MAX_WALKED:
        node = stack.pop()
        walked += 1
        if isinstance(node, list):
            stack.extend(reversed(node[:500]))
        elif isinstance(node, dict):
            price = _minor(node["price"]) if "price" in node else None
            if price:
                former = _minor(node.get("strikePrice") or node.get("listPrice") or node.get("compareAtPrice"))
                sku, name = node.get("sku"), node.get("name")
                yield StateProduct(
                    price[0],
                    price[1],
                    former[0] if former else None,
                    str(sku) if sku else None,
                    str(name) if name else None,
                    "state price",
                )
            stack.extend(v for v in list(node.values())[:200] if isinstance(v, (dict, list)))


def _minor(value: Any) -> tuple[Decimal, str] | None:
    if not isinstance(value, dict):
        return None
    places = value.get("fractionDigits", value.get("currency_minor_unit"))
    amount, code = (
        _decimal(value.get("amount", value.get("centAmount"))),
        value.get("currency", value.get("currencyCode")),
    )
    currency = iso_code(code) if isinstance(code, str) else None
    is_decimal = isinstance(value.get("amount"), str) and "." in value["amount"]
    if amount is not None and currency and places is None and is_decimal:
        return amount, currency
    if amount is None or currency is None or not isinstance(places, int) or not 0 <= places <= 4:
        return None
    return amount.scaleb(-places), currency


def _view_items(value: Any) -> Iterator[StateProduct]:
    commerce = value.get("ecommerce") if isinstance(value, Mapping) else None
    if not isinstance(commerce, Mapping) or value.get("event") not in (
        "view_item",
        "productDetail",
        "view_item_detail",
    ):
        return
    items, currency = commerce.get("items"), iso_code(str(commerce.get("currency") or ""))
    if isinstance(items, list) and len(items) == 1 and isinstance(items[0], Mapping) and currency:
        price = _decimal(items[0].get("price"))
        if price:
            sku, name = items[0].get("item_id"), items[0].get("item_name")
            yield StateProduct(
                price, currency, None, str(sku) if sku else None, str(name) if name else None, "data layer view_item"
            )


def _tag_data(value: Any) -> Iterator[StateProduct]:
    if not isinstance(value, Mapping) or value.get("page_type") != "product":
        return
    prices, former, ids = value.get("product_unit_price"), value.get("product_original_price"), value.get("product_id")
    currency = iso_code(str(value.get("site_currency") or value.get("order_currency") or ""))
    if isinstance(prices, list) and len(prices) == 1 and currency:
        price = _decimal(prices[0])
        listed = _decimal(former[0]) if isinstance(former, list) and former else None
        if price:
            sku = str(ids[0]) if isinstance(ids, list) and ids else None
            yield StateProduct(
                price, currency, listed if listed and listed > price else None, sku, None, "tag data product_unit_price"
            )

"""Read a JSON answer that describes one product: Shopify `.js` and `.json`, WooCommerce Store API.

Units differ between twins: Shopify `.js` is in hundredths for every currency, `.json` in decimal strings, the
Store API in the minor unit it names. Lookalikes use the same keys with whole units and are told apart by the
keys only Shopify writes. A payload that names no currency takes the operator's setting or gives none.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from monitor.domain.extraction import Availability, Evidence, Extraction, Hints, Outcome, Role, Verdict
from monitor.extract import loose_json
from monitor.extract.currency import iso_code
from monitor.extract.facts import urlsplit_or_empty
from monitor.extract.identifiers import valid_gtin

EDGE = 2_000  #: bytes at either end that tell JSON from markup
MAX_VARIANTS = 5_000  #: read per product; platforms allow about 2,000

_NOTHING = Extraction(Outcome.NO_PRICE, "no_amount", "")


def is_json(encoded: bytes, content_type: str | None) -> bool:
    """Say whether an answer is JSON by its header, or by its first and last character."""
    kind = (content_type or "").split(";")[0].strip().lower()
    head = encoded[:EDGE].lstrip() or encoded.lstrip()
    tail = encoded[-EDGE:].rstrip() or encoded.rstrip()
    looks = head[:1] in (b"{", b"[") and tail[-1:] in (b"}", b"]")
    return looks and (
        kind.endswith("json") or "html" not in kind or not re.search(rb"<(?:html|body|div)\b", head, re.IGNORECASE)
    )


def read_endpoint(markup: str, url: str, hints: Hints) -> Extraction:
    """Return the reading of a JSON answer; `listing` when it holds several products."""
    value = loose_json.load(markup)
    if isinstance(value, Mapping) and isinstance(value.get("product"), Mapping):
        return _shopify(value["product"], url, hints, hundredths=False)
    if isinstance(value, Mapping) and isinstance(value.get("products"), list):
        return Extraction(Outcome.LISTING, "catalogue_page", f"a catalogue page with {len(value['products'])} products")
    if (
        isinstance(value, list)
        and value
        and all(isinstance(v, Mapping) and isinstance(v.get("prices"), Mapping) for v in value)
    ):
        if len(value) > 1:
            return Extraction(Outcome.LISTING, "catalogue_page", f"a catalogue page with {len(value)} products")
        return _store_api(value[0])
    if isinstance(value, Mapping) and isinstance(value.get("prices"), Mapping):
        return _store_api(value)
    if isinstance(value, Mapping) and isinstance(value.get("variants"), list) and "handle" in value:
        hundredths = "price_varies" in value or "compare_at_price_varies" in value
        return _shopify(value, url, hints, hundredths=hundredths)
    return Extraction(Outcome.NO_PRICE, "unknown_json", "a JSON answer of no known shape")


def _amount(value: Any, places: int) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, (int, str, Decimal)):
        return None
    try:
        number = Decimal(str(value).strip())
    except ArithmeticError:
        return None
    return number.scaleb(-places) if number.is_finite() and 0 < number < 10**14 else None


def _text(value: Any) -> str | None:
    return str(value)[:500] if isinstance(value, (str, int)) and not isinstance(value, bool) and value != "" else None


def _store_api(item: Mapping[str, Any]) -> Extraction:
    prices = item["prices"]
    unit = prices.get("currency_minor_unit")
    places = unit if isinstance(unit, int) and 0 <= unit <= 4 else 2
    price, regular = _amount(prices.get("price"), places), _amount(prices.get("regular_price"), places)
    currency = iso_code(_text(prices.get("currency_code")))
    span = prices.get("price_range")
    stock = Availability.BACKORDER if item.get("is_on_backorder") else _stock(item.get("is_in_stock"))
    if isinstance(span, Mapping) and span.get("min_amount") != span.get("max_amount"):
        return Extraction(
            Outcome.AMBIGUOUS,
            "range",
            "variants at different prices and none is chosen",
            name=_text(item.get("name")),
            availability=stock,
        )
    known = replace(
        _NOTHING, availability=stock, name=_text(item.get("name")), sku=_text(item.get("sku")), platform="woocommerce"
    )
    return _answer(price, currency, regular, "store api prices.price", known)


def _stock(value: Any) -> Availability:
    if not isinstance(value, bool):
        return Availability.UNKNOWN
    return Availability.IN_STOCK if value else Availability.OUT_OF_STOCK


def _shopify(product: Mapping[str, Any], url: str, hints: Hints, *, hundredths: bool) -> Extraction:
    listed = product.get("variants")
    variants = [v for v in listed[:MAX_VARIANTS] if isinstance(v, dict)] if isinstance(listed, list) else []
    chosen = _asked(variants, url, hints) or variants
    places = 2 if hundredths else 0
    priced = [(_amount(v.get("price"), places), v) for v in chosen]
    amounts = {p for p, _ in priced if p is not None}
    stock = _any_stock([v.get("available") for v in chosen], product.get("available"))
    name = _text(product.get("title"))
    if len(amounts) > 1:
        low, high = min(amounts), max(amounts)
        return Extraction(
            Outcome.AMBIGUOUS,
            "range",
            f"variants from {low} to {high} and none is chosen",
            name=name,
            availability=stock,
        )
    variant = next((v for p, v in priced if p is not None), {})
    price = next(iter(amounts), None)
    former = _amount(variant.get("compare_at_price"), places)
    currency = iso_code(_text(variant.get("price_currency"))) or iso_code(hints.currency)
    known = replace(
        _NOTHING, availability=stock, name=name, sku=_text(variant.get("sku")), brand=_text(product.get("vendor")),
        gtin=valid_gtin(_text(variant.get("barcode"))), platform="shopify",
    )  # fmt: skip
    return _answer(price, currency, former, "variants.price", known)


def _asked(variants: Sequence[Mapping[str, Any]], url: str, hints: Hints) -> list[Mapping[str, Any]]:
    parts = urlsplit_or_empty(url)
    asked = re.search(r"(?:^|&)variant=(\d+)", parts.query) if parts else None
    wanted = {w for w in (asked.group(1) if asked else None, hints.variant, hints.sku, hints.gtin) if w}
    return (
        [v for v in variants if wanted & {str(v.get(k)) for k in ("id", "sku", "barcode") if v.get(k)}]
        if wanted
        else []
    )


def _any_stock(each: list[Any], whole: Any) -> Availability:
    known = [v for v in each if isinstance(v, bool)]
    return _stock(any(known)) if known else _stock(whole)


def _answer(
    price: Decimal | None, currency: str | None, former: Decimal | None, source: str, known: Extraction
) -> Extraction:
    """Return the reading. Without a currency the amount is kept: who asked knows which currency the run verified."""
    if price is None:
        return replace(known, reason="no_amount", words="the answer names no price above zero")
    shown = Evidence(source, str(price), price, currency, Role.CURRENT, Verdict.CHOSEN, "the endpoint's own price")
    words = "stated by the shop's endpoint" if currency else "stated by the shop's endpoint, which names no currency"
    return replace(
        known, outcome=Outcome.OK, reason="endpoint", words=words, price=price, currency=currency,
        list_price=former if former is not None and former > price else None, evidence=(shown,),
    )  # fmt: skip

"""Shopify's public catalogue: `products.json` pages read into items, and items matched to watches.

The amounts of `products.json` are decimal strings in the visitor's presentment currency, which the answer does
not name: the caller hands over the currency it verified in the same run (`presentment_currency`). A
`compare_at_price` of null, "", 0 or not above the price means none. A price of zero is no price: shops
sell helper variants for nothing. `available` that is missing is unknown, not sold out.

The walk ends at an empty page. Pages shift while one walks, so items are de-duplicated by id (`merged`).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from urllib.parse import unquote

from monitor.domain.catalogue import Watch
from monitor.domain.extraction import Availability, Evidence, Extraction, Outcome, Role, Verdict
from monitor.extract import loose_json
from monitor.extract.charset import decoded
from monitor.extract.currency import iso_code
from monitor.extract.facts import urlsplit_or_empty
from monitor.extract.identifiers import valid_gtin

MAX_ITEMS = 1_000  #: products read of one page; the platform sends at most 250
MAX_VARIANTS = 2_048  #: variants read of one product; the platform's own limit

_ACTIVE = re.compile(r"Shopify\.currency\s*=\s*\{[^}]{0,80}?[\"']?active[\"']?\s*:\s*[\"']([A-Z]{3})[\"']")
_PRICE_CURRENCY = re.compile(r"\"price_?[cC]urrency\"\s*:\s*\"([A-Z]{3})\"")


@dataclass(frozen=True, slots=True)
class Variant:
    """One sellable variant of a product."""

    id: str
    title: str | None  #: None for a product's only variant
    sku: str | None
    gtin: str | None  #: only where the answer carries a barcode
    price: Decimal | None  #: None for zero or unreadable
    compare_at: Decimal | None  #: the former price, always above the price
    available: bool | None  #: None when the answer does not tell


@dataclass(frozen=True, slots=True)
class Item:
    """One product of a catalogue page."""

    id: str
    handle: str
    title: str
    vendor: str | None
    variants: tuple[Variant, ...]


@dataclass(frozen=True, slots=True)
class CataloguePage:
    """One answer of `products.json`: its items, or why there are none to be had."""

    items: tuple[Item, ...]
    problem: str | None = None  #: `password`, `page_limit`, `not_json`, `no_products`; None when it was read
    words: str = ""

    @property
    def is_last(self) -> bool:
        """An empty list ends the walk; a short page does not."""
        return self.problem is None and not self.items


def read_products(body: bytes) -> tuple[Item, ...]:
    """Return the items of one `products.json` answer, none when it is no list of products."""
    return read_catalogue(body).items


def read_catalogue(body: bytes) -> CataloguePage:
    """Read one `products.json` answer, with the reason when there is nothing to be had."""
    text = decoded(body)
    value = loose_json.load(text) if text.lstrip()[:1] in ("{", "[") else None
    if not isinstance(value, Mapping):
        closed = bool(re.search(r"action=\"/password\"|template-password|/password\b", text[:20_000]))
        problem = (
            ("password", "the shop is closed behind a password")
            if closed
            else ("not_json", "the catalogue endpoint is switched off")
        )
        return CataloguePage((), *problem)
    if "errors" in value:
        return CataloguePage((), "page_limit", f"the shop refused the page: {str(value['errors'])[:200]}")
    products = value.get("products")
    if not isinstance(products, list):
        return CataloguePage((), "no_products", "the answer has no list of products")
    return CataloguePage(tuple(_items(products[:MAX_ITEMS])))


def _items(products: Iterable[Any]) -> Iterable[Item]:
    for node in products:
        if not isinstance(node, Mapping) or not node.get("handle"):
            continue
        variants = [_variant(v) for v in (node.get("variants") or [])[:MAX_VARIANTS] if isinstance(v, Mapping)]
        yield Item(
            id=str(node.get("id") or node["handle"]),
            handle=str(node["handle"]),
            title=str(node.get("title") or ""),
            vendor=str(node["vendor"]) if node.get("vendor") else None,
            variants=tuple(variants),
        )


def _variant(node: Mapping[str, Any]) -> Variant:
    price, former = _amount(node.get("price")), _amount(node.get("compare_at_price"))
    title, sku, available = node.get("title"), node.get("sku"), node.get("available")
    return Variant(
        id=str(node.get("id") or ""),
        title=None if title in (None, "Default Title") else str(title),
        sku=str(sku).strip() or None if sku is not None else None,
        gtin=valid_gtin(str(node.get("barcode") or "")),
        price=price,
        compare_at=former if price is not None and former is not None and former > price else None,
        available=available if isinstance(available, bool) else None,
    )


def _amount(value: Any) -> Decimal | None:
    """Read a decimal string; an integer is refused, because the twin endpoint writes hundredths that way."""
    if not isinstance(value, str) or not re.fullmatch(r"[0-9]{1,12}(?:\.[0-9]{1,4})?", value.strip()):
        return None
    amount = Decimal(value.strip())
    return amount if amount > 0 else None


def merged(pages: Iterable[CataloguePage]) -> tuple[Item, ...]:
    """Return the items of several pages once each, the later reading winning."""
    found = {item.id: item for page in pages for item in page.items}
    return tuple(found.values())


def presentment_currency(body: bytes) -> str | None:
    """Return the currency a page or a product's `.json` shows this visitor, None when it names none or several."""
    text = decoded(body)
    active = _ACTIVE.search(text)
    if active:
        return iso_code(active.group(1))
    named = {iso_code(code) for code in _PRICE_CURRENCY.findall(text)} - {None}
    return named.pop() if len(named) == 1 else None


def handle_of(url: str) -> str | None:
    """Return the product handle of an address: `/en/products/trail-kettle?variant=1` gives `trail-kettle`."""
    parts = urlsplit_or_empty(url)
    found = re.search(r"/products/([^/?#]+?)(?:\.js(?:on)?)?/?$", parts.path) if parts else None
    return unquote(found.group(1)).lower() if found else None


def find(items: Sequence[Item], watch: Watch, currency: str) -> Extraction | None:
    """Return the reading of a watch among catalogue items, None when its product is not there.

    `currency` is what this run verified the shop to show.

    The address names the product by its handle. Within it, the variant is chosen by the watch's variant key or
    `?variant=`, then GTIN, then SKU. Without a handle, a GTIN or an SKU that only one product has will do. A watch that
    chooses no variant gets a price only when all variants cost the same.
    """
    handle = handle_of(watch.url)
    named = [i for i in items if i.handle.lower() == handle] if handle else _by_number(watch, items)
    if len(named) != 1:
        return None
    item = named[0]
    chosen, how = _chosen(watch, item)
    if not chosen:
        words = f"the product is there, but not the variant {how}; it may have been removed"
        return Extraction(Outcome.NOT_FOUND, "variant_gone", words, name=item.title, platform="shopify")
    return _reading(item, chosen, how, currency)


def _by_number(watch: Watch, items: Sequence[Item]) -> list[Item]:
    for key in (watch.their_gtin, watch.their_sku):
        found = [i for i in items if key and any(key in (v.gtin, v.sku) for v in i.variants)]
        if found:
            return found
    return []


def _chosen(watch: Watch, item: Item) -> tuple[tuple[Variant, ...], str]:
    """Return the variants a watch means, and what chose them."""
    parts = urlsplit_or_empty(watch.url)
    asked = re.search(r"(?:^|&)variant=([0-9]+)", parts.query) if parts else None
    key = watch.variant or (asked.group(1) if asked else None)
    if key:
        return tuple(v for v in item.variants if key in (v.id, v.sku, v.title)), key
    for number in (watch.their_gtin, watch.their_sku):
        found = tuple(v for v in item.variants if number and number in (v.gtin, v.sku))
        if found:
            return found, number or ""
    return item.variants, ""


def _reading(item: Item, chosen: Sequence[Variant], how: str, currency: str) -> Extraction:
    prices = {v.price for v in chosen if v.price is not None}
    known = [v.available for v in chosen if v.available is not None]
    stock = Availability.UNKNOWN if not known else Availability.IN_STOCK if any(known) else Availability.OUT_OF_STOCK
    evidence = tuple(_evidence(item, v, currency, len(prices) == 1) for v in chosen[:40])
    if len(prices) > 1:
        words = f"variants cost from {min(prices)} to {max(prices)} {currency} and the watch names none"
        return Extraction(
            Outcome.AMBIGUOUS,
            "range",
            words,
            name=item.title,
            availability=stock,
            platform="shopify",
            evidence=evidence,
        )
    if not prices:
        words = "the catalogue has the product, but no price above zero"
        return Extraction(
            Outcome.NO_PRICE,
            "no_amount",
            words,
            name=item.title,
            availability=stock,
            platform="shopify",
            evidence=evidence,
        )
    variant = next(v for v in chosen if v.price is not None)
    return Extraction(
        Outcome.OK,
        "catalogue",
        f"read from the shop's catalogue, variant {how}" if how else "read from the shop's catalogue",
        price=variant.price,
        currency=currency,
        list_price=_common([v.compare_at for v in chosen if v.price is not None]),
        availability=stock,
        name=item.title if variant.title is None or len(chosen) > 1 else f"{item.title} - {variant.title}",
        brand=item.vendor,
        sku=variant.sku if len(chosen) == 1 else None,
        gtin=variant.gtin if len(chosen) == 1 else None,
        platform="shopify",
        evidence=evidence,
    )


def _common(formers: list[Decimal | None]) -> Decimal | None:
    return formers[0] if len(set(formers)) == 1 else None


def _evidence(item: Item, variant: Variant, currency: str, settled: bool) -> Evidence:
    verdict = Verdict.CHOSEN if settled and variant.price is not None else Verdict.REJECTED
    reason = "the catalogue's price" if settled else "one of several prices, none is chosen"
    text = f"{item.handle} {variant.title or ''} {variant.price or ''}".strip()[:200]
    return Evidence(f"products.json variant {variant.id}", text, variant.price, currency, Role.CURRENT, verdict, reason)

"""A WooCommerce shop through its REST API v3: simple products and variations, one price each.

A SKU is resolved by search, remembered, and from then on read by number. A price goes to the product or variation
itself, never to the parent of a variation. Several go in one batch, whose answer is 200 even when items failed: each
has its own outcome, and one that the answer leaves out is unknown.

WooCommerce knows no idempotency key and no compare-and-set. A write is an absolute price, so a repeat changes nothing
more; what is left open, between reading and writing, is said in `docs/shops.md`.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from monitor.adapters.shops import woo_answers as answers
from monitor.adapters.shops.grouped import GroupedShop, Numbered
from monitor.adapters.shops.refs import KnownRefs
from monitor.adapters.shops.speaking import too_exact
from monitor.adapters.shops.woo_answers import Terms, WriteMode
from monitor.adapters.shops.woo_api import PAGE, WooApi, item_error
from monitor.domain.action import PriceWrite
from monitor.domain.shop_price import ShopPrice, ShopProduct
from monitor.errors import CannotSucceed, MonitorError
from monitor.ports.shop import Answer, ProductGone, Reading, ShopRefs

#: SKUs of one search: an address holds so many of any usual length.
_SEARCHED = 20


class WooShop(GroupedShop):
    """`monitor.ports.shop.Shop` and `ShopListing` on one WooCommerce shop; variations of one parent go together."""

    system = "WooCommerce"
    reads = True
    max_batch = 50

    def __init__(self, api: WooApi, mode: WriteMode = WriteMode.REGULAR, refs: ShopRefs | None = None) -> None:
        self._api, self._mode = api, mode
        self._refs = refs or KnownRefs()
        self._decimals: int | None = None

    def read_many(self, skus: Sequence[str]) -> Mapping[str, Reading]:
        """Return the prices of several products by number; a number that is gone is searched for once."""
        wanted = list(dict.fromkeys(skus))
        if not wanted:
            return {}
        terms = self._terms()
        known = self._refs.get(wanted)
        nodes = self._by_ref(known)
        missing = [sku for sku in wanted if sku not in nodes]
        for sku in missing:
            if sku in known:
                self._refs.forget(sku)
        hits = self._searched(missing)
        self._refs.put({sku: answers.ref_of(found[0]) for sku, found in hits.items() if len(found) == 1})
        return {sku: _reading(sku, [nodes[sku]] if sku in nodes else hits[sku], terms, self._mode) for sku in wanted}

    def fixed_elsewhere(self, skus: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """Return the fixed prices in other currencies that plug-ins keep with a product, where its number is known."""
        nodes = self._by_ref(self._refs.get(skus))
        return {sku: fixed for sku, node in nodes.items() if (fixed := answers.other_currencies(node))}

    def objection(self, write: PriceWrite, current: ShopPrice) -> str | None:
        """Object to what the shop would do silently otherwise: see `woo_answers.objection`."""
        unkept = None if self._decimals is None else too_exact(write, self._decimals)
        return unkept or answers.objection(write, current, self._mode)

    def products(self) -> Iterator[ShopProduct]:
        """Yield every product and variation that has a SKU, and remember their numbers."""
        terms = self._terms()
        for product in self._api.pages("/products"):
            variations: Iterator[dict[str, Any]] | list[dict[str, Any]] = [product]
            parent = product if product.get("type") == "variable" else None
            if parent is not None:
                variations = self._api.pages(f"/products/{product.get('id')}/variations")
            listed = (answers.product_of(each, terms, self._mode, parent) for each in variations)
            found = [each for each in listed if each is not None]
            self._refs.put({each.sku: each.ref for each in found})
            yield from found

    def probe(self) -> str:
        """Say how the shop that answers states its prices. Raises what is wrong; changes nothing."""
        terms = self._terms()
        self._api.get("/products", per_page=1)
        tax = {True: "prices include tax", False: "prices without tax", None: "without taxes"}[terms.tax_included]
        which = "regular price" if self._mode is WriteMode.REGULAR else "sale price"
        return f"WooCommerce answers: {terms.currency} with {terms.decimals} decimals, {tax}; writes the {which}"

    def _terms(self) -> Terms:
        terms = answers.terms_of(self._api.get("/settings/general"), self._api.get("/settings/tax"))
        self._decimals = terms.decimals
        return terms

    def _by_ref(self, refs: Mapping[str, str]) -> dict[str, dict[str, Any]]:
        """Return what is stored under these numbers, where it still has the SKU."""
        by_parent: dict[str, list[str]] = defaultdict(list)
        for ref in refs.values():
            parent, _, own = ref.rpartition("/")
            by_parent[parent].append(own)
        found: dict[str, dict[str, Any]] = {}
        for parent, numbers in by_parent.items():
            for start in range(0, len(numbers), PAGE):
                found |= self._included(parent, numbers[start : start + PAGE])
        return {sku: found[ref] for sku, ref in refs.items() if ref in found and _sku(found[ref]) == sku}

    def _included(self, parent: str, numbers: Sequence[str]) -> dict[str, dict[str, Any]]:
        path = f"/products/{parent}/variations" if parent else "/products"
        try:
            items = list(self._api.pages(path, include=",".join(numbers)))
        except ProductGone:  # the parent was deleted
            return {}
        placed = ({**item, "parent_id": int(parent), "type": "variation"} if parent else item for item in items)
        return {answers.ref_of(item): item for item in placed if item.get("status", "publish") != "trash"}

    def _searched(self, skus: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
        """Return what has these SKUs. The search takes several between commas, so one with a comma is looked up."""
        hits: dict[str, list[dict[str, Any]]] = defaultdict(list)
        plain = [sku for sku in skus if "," not in sku]
        for start in range(0, len(plain), _SEARCHED):
            some = plain[start : start + _SEARCHED]
            for product in self._api.pages("/products", sku=",".join(some)):
                if _sku(product) in some:
                    hits[_sku(product)].append(product)
        odd = {sku for sku in skus if "," in sku}
        for product in self._api.pages("/products") if odd else ():
            if _sku(product) in odd:
                hits[_sku(product)].append(product)
        return hits

    def _grouped(self, writes: Sequence[PriceWrite], outcomes: dict[str, Answer]) -> Mapping[str, Numbered]:
        """Return the writes with their numbers by parent, "" for products; one without gets its outcome here."""
        refs = self._refs.get([write.sku for write in writes])
        unknown = [write.sku for write in writes if write.sku not in refs]
        readings = self.read_many(unknown) if unknown else {}
        refs |= self._refs.get(unknown)
        groups: dict[str, Numbered] = defaultdict(list)
        for write in writes:
            reading = readings.get(write.sku)
            if isinstance(reading, CannotSucceed):
                outcomes[write.id] = reading
            elif write.sku not in refs:
                outcomes[write.id] = ProductGone(f"WooCommerce has no {write.sku}; nothing was changed")
            else:
                parent, _, own = refs[write.sku].rpartition("/")
                groups[parent].append((write, own))
        return groups

    def _set(self, group: str, some: Numbered) -> Mapping[str, Answer]:
        path = f"/products/{group}/variations" if group else "/products"
        try:
            if len(some) == 1:
                ((write, own),) = some
                item = self._api.send("PUT", f"{path}/{own}", answers.fields_of(write, self._mode))
                return _outcomes([item], some)
            updates = [{"id": int(own), **answers.fields_of(write, self._mode)} for write, own in some]
            document = self._api.send("POST", f"{path}/batch", {"update": updates})
        except MonitorError as failed:
            return {write.id: failed for write, _ in some}
        return _outcomes(document.get("update") if isinstance(document, dict) else None, some)


def _sku(product: Mapping[str, Any]) -> str:
    return str(product.get("sku") or "").strip()


def _reading(sku: str, found: Sequence[Mapping[str, Any]], terms: Terms, mode: WriteMode) -> Reading:
    if not found:
        return None
    if len(found) > 1:
        return CannotSucceed(f"{len(found)} products in WooCommerce have the SKU {sku}; give each its own")
    try:
        return answers.price_of(found[0], terms, mode)
    except CannotSucceed as unreadable:
        return unreadable


def _outcomes(items: Any, some: Sequence[tuple[PriceWrite, str]]) -> dict[str, Answer]:
    """Return the outcome of each write whose number an answer mentions."""
    listed = items if isinstance(items, list) else []
    by_number = {str(item.get("id")): item for item in listed if isinstance(item, dict)}
    outcomes: dict[str, Answer] = {}
    for write, own in some:
        item = by_number.get(own)
        error = item.get("error") if item is not None else None
        if isinstance(error, dict):
            outcomes[write.id] = item_error(error, write.sku)
        elif item is not None:
            outcomes[write.id] = f"WooCommerce has {item.get('price')}"
    return outcomes

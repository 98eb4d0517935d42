"""A Shopify shop through its GraphQL Admin API, one price per variant in the shop's own currency.

A SKU is resolved to its variant by search, remembered, and from then on read by id: the search index lags behind.
Variants of one product go into one call, all or nothing; each has its own outcome. Only the base price is written:
markets with fixed prices of their own keep them.

Shopify knows no idempotency key and no compare-and-set for prices. A write is an absolute price, so a repeat changes
nothing more; what is left open, between reading and writing, is said in `docs/shops.md`.
"""

import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

from monitor.adapters.shops import shopify_answers as answers
from monitor.adapters.shops.grouped import GroupedShop, Numbered
from monitor.adapters.shops.refs import KnownRefs
from monitor.adapters.shops.shopify_api import ShopifyApi
from monitor.adapters.shops.shopify_markets import ShopifyMarkets
from monitor.adapters.shops.speaking import too_exact
from monitor.domain.action import PriceWrite
from monitor.domain.money import digits
from monitor.domain.shop_price import ShopPrice, ShopProduct
from monitor.errors import CannotSucceed, MonitorError
from monitor.ports.shop import Answer, ProductGone, Reading, ShopRefs

#: Variants of one page of a listing; a page costs some 400 of the 1,000 points that one query may cost.
PAGE = 100
#: SKUs of one search, and variants read by id at once.
_SEARCHED, _READ = 25, 100
#: A listing waits longer for the bucket than a write does: nobody waits for it.
_LISTING_PATIENCE = timedelta(minutes=2)

_VARIANT = "id sku price compareAtPrice updatedAt product { id title status }"
PRICES = f"""query Prices($ids: [ID!]!) {{
  shop {{ currencyCode taxesIncluded }}
  nodes(ids: $ids) {{ ... on ProductVariant {{ {_VARIANT} }} }}
}}"""
FIND = """query Find($skus: String!, $after: String) {
  productVariants(first: 100, query: $skus, after: $after) {
    nodes { id sku product { id status } } pageInfo { hasNextPage endCursor }
  }
}"""
SET_PRICES = """mutation SetPrices($productId: ID!, $variants: [ProductVariantsBulkInput!]!) {
  productVariantsBulkUpdate(productId: $productId, variants: $variants, allowPartialUpdates: false) {
    product { id }
    productVariants { id price compareAtPrice updatedAt }
    userErrors { field message code }
  }
}"""
LISTING = f"""query Listing($after: String) {{
  shop {{ currencyCode taxesIncluded }}
  productVariants(first: {PAGE}, after: $after) {{
    nodes {{
      id sku title barcode price compareAtPrice updatedAt inventoryQuantity inventoryPolicy
      inventoryItem {{ tracked unitCost {{ amount currencyCode }} }}
      product {{ id title vendor productType status onlineStoreUrl }}
    }}
    pageInfo {{ hasNextPage endCursor }}
  }}
}}"""
WHO = """query Who {
  shop { name currencyCode taxesIncluded }
  currentAppInstallation { accessScopes { handle } }
}"""


class ShopifyShop(GroupedShop):
    """`monitor.ports.shop.Shop` and `ShopListing` on one Shopify shop; variants of one product go into one call."""

    system = "Shopify"
    reads = True
    max_batch = 50

    def __init__(self, api: ShopifyApi, refs: ShopRefs | None = None) -> None:
        self._api = api
        self._markets = ShopifyMarkets(api, api.clock)
        self._refs = refs or KnownRefs()
        self._products: dict[str, str] = {}
        self._lock = threading.Lock()

    def read_many(self, skus: Sequence[str]) -> Mapping[str, Reading]:
        """Return the prices of several variants, by id; an id that is not there any more is searched for once."""
        wanted = list(dict.fromkeys(skus))
        known = self._refs.get(wanted)
        found = self._by_id(known)
        missing = [sku for sku in wanted if found.get(sku) is None]
        for sku in missing:
            if sku in known:
                self._refs.forget(sku)
        resolved, problems = self._searched(missing)
        self._refs.put(resolved)
        return dict.fromkeys(wanted) | found | self._by_id(resolved) | problems

    def fixed_elsewhere(self, skus: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """Return the fixed prices of other markets, of the variants whose id is known."""
        fixed, known = self._markets.fixed(), self._refs.get(skus)
        return {sku: fixed[ref] for sku, ref in known.items() if ref in fixed}

    def objection(self, write: PriceWrite, current: ShopPrice) -> str | None:
        """Object to digits that the currency does not have: Shopify would round them."""
        return too_exact(write, digits(write.currency))

    def products(self) -> Iterator[ShopProduct]:
        """Yield every variant that has a SKU, and remember their ids."""
        after = None
        while True:
            data = self._api.ask(LISTING, {"after": after}, patience=_LISTING_PATIENCE)
            page = list(answers.products_of(data))
            self._remember(answers.connection(data.get("productVariants"))[0])
            self._refs.put({product.sku: product.ref for product in page})
            yield from page
            _, after = answers.connection(data.get("productVariants"))
            if after is None:
                return

    def probe(self) -> str:
        """Say which shop answers and what it lets us do. Raises what is wrong; changes nothing."""
        data = self._api.ask(WHO, {})
        currency, tax_included = answers.shop_terms(data)
        app = data.get("currentAppInstallation") or {}
        scopes = {scope.get("handle") for scope in app.get("accessScopes") or ()}
        if "write_products" not in scopes:
            raise CannotSucceed("the app may not write prices: give it the scope write_products and install it again")
        if self._api.served != self._api.version:
            raise CannotSucceed(
                f"Shopify answers in API version {self._api.served}, not in {self._api.version}, which this program "
                "speaks: it has been retired. Update the monitor"
            )
        tax = {True: "prices include tax", False: "prices without tax", None: "tax not said"}[tax_included]
        return f"{data['shop'].get('name')} answers: {currency}, {tax}, API {self._api.version}, may write products"

    def _by_id(self, refs: Mapping[str, str]) -> dict[str, Reading]:
        """Read by id; a SKU whose id is gone, or has another SKU now, is None."""
        found: dict[str, Reading] = {}
        for some in _portions(list(refs), _READ):
            data = self._api.ask(PRICES, {"ids": [refs[sku] for sku in some]})
            currency, tax_included = answers.shop_terms(data)
            nodes = [node for node in data.get("nodes") or () if isinstance(node, dict)]
            self._remember(nodes)
            by_id = {node.get("id"): node for node in nodes}
            for sku in some:
                node = by_id.get(refs[sku])
                if node is None or str(node.get("sku") or "").strip() != sku or not answers.is_sold(node):
                    found[sku] = None
                else:
                    found[sku] = answers.reading_of(node, currency, tax_included)
        return found

    def _searched(self, skus: Sequence[str]) -> tuple[dict[str, str], dict[str, Reading]]:
        """Return the ids of these SKUs, and the SKUs that several variants share."""
        hits: dict[str, list[str]] = defaultdict(list)
        for some in _portions(skus, _SEARCHED):
            for node in self._matches(some):
                sku = str(node.get("sku") or "").strip()
                if sku in some and answers.is_sold(node):
                    hits[sku].append(str(node.get("id")))
        shared = {
            sku: CannotSucceed(f"{len(ids)} variants in Shopify have the SKU {sku}; give each its own")
            for sku, ids in hits.items()
            if len(ids) > 1
        }
        return {sku: ids[0] for sku, ids in hits.items() if len(ids) == 1}, dict(shared)

    def _matches(self, skus: Sequence[str]) -> Iterator[dict[str, Any]]:
        after = None
        while True:
            data = self._api.ask(FIND, {"skus": " OR ".join(map(_quoted, skus)), "after": after})
            nodes, after = answers.connection(data.get("productVariants"))
            self._remember(nodes)
            yield from nodes
            if after is None:
                return

    def _remember(self, variants: Iterable[Mapping[str, Any]]) -> None:
        with self._lock:
            for variant in variants:
                product = variant.get("product")
                if isinstance(product, dict) and product.get("id"):
                    self._products[str(variant.get("id"))] = str(product["id"])

    def _grouped(self, writes: Sequence[PriceWrite], outcomes: dict[str, Answer]) -> Mapping[str, Numbered]:
        """Return the writes by product with their variants; one without a variant gets its outcome here."""
        refs = self._refs.get([write.sku for write in writes])
        unknown = [write.sku for write in writes if self._products.get(refs.get(write.sku, "")) is None]
        readings = self.read_many(unknown) if unknown else {}
        refs |= self._refs.get(unknown)
        groups: dict[str, Numbered] = defaultdict(list)
        for write in writes:
            reading, variant = readings.get(write.sku), refs.get(write.sku, "")
            product = self._products.get(variant)
            if isinstance(reading, CannotSucceed):
                outcomes[write.id] = reading
            elif product is None or (write.sku in readings and reading is None):
                outcomes[write.id] = ProductGone(f"Shopify has no {write.sku}; nothing was changed")
            else:
                groups[product].append((write, variant))
        return groups

    def _set(self, group: str, some: Numbered) -> Mapping[str, Answer]:
        writes, ids = [write for write, _ in some], [variant for _, variant in some]
        variants = [answers.variant_input(write, variant) for write, variant in some]
        try:
            data = self._api.ask(SET_PRICES, {"productId": group, "variants": variants}, is_write=True)
        except MonitorError as failed:
            return {write.id: failed for write in writes}
        return answers.answers_of(data, writes, ids)


def _portions(items: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    return (items[start : start + size] for start in range(0, len(items), size))


def _quoted(sku: str) -> str:
    r"""Return a search for exactly one SKU.

    >>> _quoted('say "A"')
    'sku:"say \\"A\\""'
    """
    escaped = sku.replace("\\", "\\\\").replace('"', '\\"')
    return f'sku:"{escaped}"'

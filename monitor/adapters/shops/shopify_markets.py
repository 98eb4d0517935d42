"""Which variants of a Shopify shop have a fixed price in a market of its own, which a change of the base price leaves.

Read from the shop's price lists, all fixed prices of each, and kept for an hour: for the eyes of whoever decides, not
for the write. A shop that has no price lists, or does not let us read them, gets no warning.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from monitor.adapters.shops.shopify_answers import connection
from monitor.adapters.shops.shopify_api import ShopifyApi
from monitor.adapters.shops.speaking import amount_in, shown
from monitor.domain.money import Money, is_currency
from monitor.errors import CannotSucceed
from monitor.ports.shop import AccessRefused
from monitor.ports.world import Clock

LISTS = """query PriceLists($after: String) {
  priceLists(first: 25, after: $after) {
    nodes { id name currency fixedPricesCount } pageInfo { hasNextPage endCursor }
  }
}"""
FIXED = """query FixedPrices($list: ID!, $after: String) {
  priceList(id: $list) {
    prices(first: 100, after: $after, originType: FIXED) {
      nodes { price { amount currencyCode } variant { id } } pageInfo { hasNextPage endCursor }
    }
  }
}"""
#: How long what was read is believed.
_KEPT = timedelta(hours=1)
#: Pages of fixed prices that are read of one list; a shop with more has a price list of its own for its market.
_MOST_PAGES = 50


class ShopifyMarkets:
    """Remembers the fixed prices of other markets by variant."""

    def __init__(self, api: ShopifyApi, clock: Clock) -> None:
        self._api, self._clock = api, clock
        self._read_at: datetime | None = None
        self._fixed: Mapping[str, tuple[str, ...]] = {}

    def fixed(self) -> Mapping[str, tuple[str, ...]]:
        """Return, by the id of the variant, `Market US: USD 29.00`. Raises RetryLater."""
        now = self._clock.now()
        if self._read_at is None or now - self._read_at >= _KEPT:
            self._fixed, self._read_at = self._read(), now
        return self._fixed

    def _read(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, list[str]] = defaultdict(list)
        try:
            for market in list(self._pages(LISTS, {}, "priceLists")):
                if market.get("fixedPricesCount"):
                    for price in self._pages(FIXED, {"list": market.get("id")}, "priceList", "prices"):
                        _keep(found, market, price)
        except (CannotSucceed, AccessRefused):  # no price lists here, or not for us: nothing to warn of
            return {}
        return {variant: tuple(words) for variant, words in found.items()}

    def _pages(self, query: str, variables: Mapping[str, Any], *path: str) -> Iterator[dict[str, Any]]:
        after = None
        for _ in range(_MOST_PAGES):
            data: Any = self._api.ask(query, {**variables, "after": after})
            for name in path:
                data = data.get(name) if isinstance(data, dict) else None
            nodes, after = connection(data)
            yield from nodes
            if after is None:
                return


def _keep(found: dict[str, list[str]], market: Mapping[str, Any], price: Mapping[str, Any]) -> None:
    variant, money = price.get("variant") or {}, price.get("price") or {}
    amount, currency = amount_in(money.get("amount")), str(money.get("currencyCode"))
    if variant.get("id") and amount is not None and is_currency(currency):
        found[str(variant["id"])].append(f"{shown(market.get('name') or 'another market')}: {Money(amount, currency)}")

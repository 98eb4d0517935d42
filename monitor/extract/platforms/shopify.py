"""Shopify: `products.json` pages for many products, `/products/HANDLE.js` for one.

Units differ between the twins: `products.json` and `.json` have decimal strings, `.js` integers in hundredths for
every currency, also for yen. Neither names its currency: amounts are what Shopify Markets shows this visitor, so
the caller hands over the currency that a page of the same run showed (`presentment_currency`); `/cart.js` would
tell, but the stock robots.txt closes it. A `compare_at_price` of null, "", 0 or not above the price means none. A
price of zero is no price: shops sell helper variants for nothing. `available` is missing in `.json`: unknown, not
sold out.

The list answers no question by name. It is walked as long as that beats single products, and ends at an empty page,
not at a short one; `page * limit` may not pass 25,000. Pages shift while one walks, so a product that was missed is
asked for by its handle afterwards.

Sources: shopify.dev (Ajax Product reference, response codes); practical-data-science/ShopifyScraper#8;
pocesar/actor-shopify-scraper#1; alexellis/pi_zero_stock#4.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote, unquote

from monitor.domain.asking import CatalogueAsk, SoFar, has_come_before, walk_is_worth
from monitor.domain.catalogue import Watch
from monitor.domain.extraction import Availability
from monitor.domain.listing import Answer, Item, Listing, Problem, Variant
from monitor.extract.charset import decoded
from monitor.extract.currency import iso_code
from monitor.extract.facts import urlsplit_or_empty
from monitor.extract.platforms.json_answer import above, amount, gtin_of, loaded, mappings, minor_amount, words_of

PAGE = 250  #: products on one page of the list, the most it gives
MAX_WALKED = 25_000  #: products that can be walked
MAX_ITEMS = 1_000  #: products read of one page
MAX_VARIANTS = 2_048  #: variants read of one product; the platform's own limit
LIST, ONE = "list", "js"

_ACTIVE = re.compile(r"Shopify\.currency\s*=\s*\{[^}]{0,80}?[\"']?active[\"']?\s*:\s*[\"']([A-Z]{3})[\"']")
_PRICE_CURRENCY = re.compile(r"\"price_?[cC]urrency\"\s*:\s*\"([A-Z]{3})\"")
_HANDLE = re.compile(r"/products/([^/?#]+?)(?:\.js(?:on)?)?/?$")
_COLLECTION = re.compile(r"/collections/([^/?#]+)/products/")


class Shopify:
    """The adapter of Shopify shops."""

    name = "shopify"
    names_currency = False

    def endpoints(self, origin: str) -> Mapping[str, str]:
        """Return the list and a product's twin; the stock robots.txt closes neither."""
        return {LIST: _list_url(origin, 1), ONE: f"{origin}/products/a.js"}

    def next(self, so_far: SoFar) -> CatalogueAsk | None:
        """Compare once, then walk the list while that is worth it, then ask for what is left one by one."""
        if any(call.failed not in (Problem.PASSING, Problem.ADJUST) for call in so_far.failures(LIST)):
            return None  # switched off: pages do the same for the same price
        if so_far.compare and not any(call.about == ONE for call in so_far.asked):
            twin = self._one(so_far, so_far.compare)
            if twin:
                return twin
        return self._list(so_far) or (self._one(so_far, so_far.left) if so_far.asked else None)

    def _list(self, so_far: SoFar) -> CatalogueAsk | None:
        walked = [call for call in so_far.asked if call.about == LIST and not call.failed]
        page = len(walked) + 1
        if LIST in so_far.closed or page * PAGE > MAX_WALKED or (walked and not walked[-1].more):
            return None
        if has_come_before(walked) or not walk_is_worth(so_far, LIST):
            return None
        url = _list_url(so_far.origin, page, _shared_collection(so_far.left) if page == 1 or walked else None)
        return CatalogueAsk(url, so_far.left, LIST, LIST, page)

    def _one(self, so_far: SoFar, watches: Sequence[Watch]) -> CatalogueAsk | None:
        if ONE in so_far.closed or so_far.failures(ONE):
            return None
        done = {sku for call in so_far.asked if call.about == ONE for sku in call.skus}
        told = {sku for call in so_far.asked for sku in call.told}
        open_ = (w for w in watches if w.sku not in done | told)
        handle = next((handle for w in open_ if (handle := handle_of(w.url))), None)
        if handle is None:
            return None
        every = {watch.sku: watch for watch in (*watches, *so_far.left) if handle_of(watch.url) == handle}
        return CatalogueAsk(f"{so_far.origin}/products/{quote(handle)}.js", tuple(every.values()), ONE, ONE)

    def browse(self, so_far: SoFar) -> CatalogueAsk | None:
        """Return the next page of the list."""
        walked = [call for call in so_far.asked if not call.failed]
        page = len(walked) + 1
        if LIST in so_far.closed or page * PAGE > MAX_WALKED or (walked and not walked[-1].more):
            return None
        return CatalogueAsk(_list_url(so_far.origin, page), (), LIST, LIST, page)

    def learn(self, markup: str, watches: Sequence[Watch]) -> Mapping[str, Any]:
        """Learn nothing that handles do not tell."""
        return {}

    def read(self, answer: Answer) -> Listing:
        """Read a page of the list, one product's `.json`, or one product's `.js`."""
        value, problem = loaded(answer)
        if problem is not None:
            return problem
        if isinstance(value, Mapping) and isinstance(value.get("products"), list):
            items = tuple(_item(node) for node in mappings(value["products"], MAX_ITEMS) if node.get("handle"))
            if value["products"] and not items:
                return Listing(problem=Problem.OFF, words="no product of the list says under which handle its page is")
            return Listing(items, more=bool(value["products"]))
        if isinstance(value, Mapping) and isinstance(value.get("product"), Mapping):
            return Listing((_item(value["product"]),))
        if isinstance(value, Mapping) and "handle" in value and isinstance(value.get("variants"), list):
            return Listing((_item(value, hundredths=True),))
        return _refused(value)

    def slug_of(self, url: str) -> str | None:
        """Return the handle of an address."""
        return handle_of(url)


def _refused(value: Any) -> Listing:
    if isinstance(value, Mapping) and "errors" in value:
        words = f"the shop refused the page: {str(value['errors'])[:200]}"
        return Listing(problem=Problem.OFF, words=words)
    return Listing(problem=Problem.OFF, words="the answer is no list of products")


def _list_url(origin: str, page: int, collection: str | None = None) -> str:
    folder = f"/collections/{collection}" if collection else ""
    return f"{origin}{folder}/products.json?limit={PAGE}&page={page}"


def _shared_collection(watches: Sequence[Watch]) -> str | None:
    """Return the collection that the addresses of all watches left are in, so that only it is walked."""
    names = {found.group(1) if (found := _COLLECTION.search(watch.url)) else None for watch in watches}
    return names.pop() if len(names) == 1 else None


def _item(node: Mapping[str, Any], *, hundredths: bool = False) -> Item:
    names = tuple(_option_names(node.get("options")))
    variants = mappings(node.get("variants"), MAX_VARIANTS)
    return Item(
        id=str(node.get("id") or node.get("handle") or ""),
        title=words_of(node.get("title")) or "",
        slug=str(node["handle"]) if node.get("handle") else None,
        url=f"/products/{node['handle']}" if node.get("handle") else None,
        brand=words_of(node.get("vendor")),
        variants=tuple(_variant(variant, names, hundredths) for variant in variants),
    )


def _option_names(options: Any) -> Iterator[str]:
    for option in options if isinstance(options, list) else ():
        yield str(option.get("name") if isinstance(option, Mapping) else option).lower()


def _variant(node: Mapping[str, Any], names: tuple[str, ...], hundredths: bool) -> Variant:
    price, former = (_price(node.get(key), hundredths) for key in ("price", "compare_at_price"))
    available, title = node.get("available"), words_of(node.get("title"))
    values = (words_of(node.get(f"option{n}")) for n in range(1, len(names) + 1))
    return Variant(
        id=str(node.get("id") or ""),
        title=None if title == "Default Title" else title,
        sku=words_of(node.get("sku")),
        gtin=gtin_of(node, "barcode"),
        price=price,
        list_price=above(former, price),
        currency=iso_code(node["price_currency"]) if isinstance(node.get("price_currency"), str) else None,
        availability=_stock(available) if isinstance(available, bool) else Availability.UNKNOWN,
        options={name: value for name, value in zip(names, values, strict=True) if value},
    )


def _stock(is_available: bool) -> Availability:
    return Availability.IN_STOCK if is_available else Availability.OUT_OF_STOCK


def _price(value: Any, hundredths: bool) -> Any:
    """Read an amount in the unit of its endpoint; the other one's form is refused, never reinterpreted."""
    if hundredths:
        return minor_amount(value, 2) if isinstance(value, int) else None
    return amount(value) if isinstance(value, str) else None


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
    found = _HANDLE.search(parts.path) if parts else None
    return unquote(found.group(1)).lower() if found else None

"""WooCommerce: the Store API, which takes a hundred named products per call and needs no key.

Amounts are digits in the unit that the answer names (`currency_minor_unit`). That is the shop's setting "number of
decimals" and not ISO 4217: a shop may run euros without decimals. The separators beside it are for display. For a
variable product `price` and `regular_price` are each the least of the variations, maybe of different ones; a
`price_range` means a range and no price, and a watched variation is asked for by its own id. `"0"` and
`is_purchasable: false` are "price on request". `price_html` is never read. Tax follows the shop's display setting,
which the answer does not tell: the plan compares with one page.

Products are asked for by id where an earlier answer told it (`include=`), else by the slug of the address
(`slug=`), then by SKU. A slug or SKU query covers variations too; an id query does not, so that variations are
asked with `type=variation`. A shop without pretty permalinks answers at `/?rest_route=`.

The keyed twin (`/wp-json/wc/v3`) has the same names with decimal strings and no currency; its answers are read as
well.

Sources: woocommerce ProductSchema.php, ProductQuery.php, docs/apis/store-api; google/site-kit-wp#13141.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any
from urllib.parse import quote, unquote

from monitor.domain.asking import MOST_CHARACTERS, MOST_NAMED, CatalogueAsk, SoFar, by_length
from monitor.domain.catalogue import Watch
from monitor.domain.extraction import Availability
from monitor.domain.listing import Answer, Item, Listing, Problem, Variant
from monitor.extract.currency import iso_code
from monitor.extract.facts import urlsplit_or_empty
from monitor.extract.platforms.json_answer import (
    above,
    amount,
    at,
    gtin_of,
    loaded,
    mappings,
    minor_amount,
    places,
    words_of,
)
from monitor.extract.platforms.matching import choices_of, last_of_path

MAX_ITEMS = 1_000  #: products read of one answer; the platform sends at most 100
PRETTY, PLAIN = "/wp-json/wc/store/v1/products", "/?rest_route=/wc/store/v1/products"
IDS, VARIATIONS, SLUGS, SKUS, LIST = "ids", "variations", "slug", "sku", "list"

#: Products that have no price of their own.
_WITHOUT_PRICE = frozenset({"grouped", "booking"})
_POST_ID = re.compile(r"\bpostid-([0-9]{1,12})\b|rel=[\"']shortlink[\"'][^>]{0,200}\?p=([0-9]{1,12})\b")
_API = re.compile(r"rel=[\"']https://api\.w\.org/[\"'] href=[\"']([^\"']{1,300})[\"']")


class WooCommerce:
    """The adapter of WooCommerce shops."""

    name = "woocommerce"
    names_currency = True

    def endpoints(self, origin: str) -> Mapping[str, str]:
        """Return both addresses of the API."""
        return {PRETTY: origin + PRETTY, PLAIN: origin + PLAIN}

    def next(self, so_far: SoFar) -> CatalogueAsk | None:
        """Ask by id, then by the ids of variations, by slug and by SKU."""
        root = _root(so_far)
        if root is None:
            return None
        ways = (self._by_id, self._by_variation, self._by_slug, self._by_sku)
        return next((ask for way in ways if (ask := way(so_far, root))), None)

    def _by_id(self, so_far: SoFar, root: str) -> CatalogueAsk | None:
        def name(watch: Watch) -> str | None:
            return None if so_far.variation_of(watch) else so_far.id_of(watch)

        return _named(so_far, root, IDS, "include", name)

    def _by_variation(self, so_far: SoFar, root: str) -> CatalogueAsk | None:
        return _named(so_far, root, VARIATIONS, "type=variation&include", so_far.variation_of)

    def _by_slug(self, so_far: SoFar, root: str) -> CatalogueAsk | None:
        def name(watch: Watch) -> str | None:
            slug = slug_of(watch.url)
            return None if slug is None else _as_asked(slug)

        return _named(so_far, root, SLUGS, "slug", name)

    def _by_sku(self, so_far: SoFar, root: str) -> CatalogueAsk | None:
        def name(watch: Watch) -> str | None:
            number = watch.their_sku
            return quote(number, safe="") if number and "," not in number else None

        return _named(so_far, root, SKUS, "sku", name)

    def browse(self, so_far: SoFar) -> CatalogueAsk | None:
        """Return the next hundred products."""
        walked = [call for call in so_far.asked if not call.failed]
        root = _root(so_far)
        if root is None or (walked and not walked[-1].more):
            return None
        page = len(walked) + 1
        url = _url(so_far.origin, root, f"per_page={MOST_NAMED}&page={page}")
        return CatalogueAsk(url, (), LIST, _endpoint(root), page)

    def learn(self, markup: str, watches: Sequence[Watch]) -> Mapping[str, Any]:
        """Learn where the API is and the id of the product that a page shows; WordPress writes both into its pages."""
        head = markup[:200_000]
        found = {one.group(1) or one.group(2) for one in _POST_ID.finditer(head)}
        api = _API.search(head)
        learned: dict[str, Any] = {"root": _root_at(api.group(1))} if api else {}
        chooses = any(watch.variant or choices_of(watch.url) for watch in watches)
        return learned | (
            {"ids": dict.fromkeys((w.sku for w in watches), *found)} if len(found) == 1 and not chooses else {}
        )

    def read(self, answer: Answer) -> Listing:
        """Read a list of products or variations, or one of them."""
        value, problem = loaded(answer)
        if problem is not None:
            return problem
        if isinstance(value, Mapping) and isinstance(value.get("data"), (list, Mapping)) and "code" not in value:
            value = value["data"]  # a proxy's envelope
        if isinstance(value, Mapping) and "code" in value and "prices" not in value:
            words = f"the shop refused its catalogue: {str(value.get('message') or value['code'])[:200]}"
            return Listing(problem=Problem.OFF, words=words)
        nodes = mappings([value] if isinstance(value, Mapping) else value, MAX_ITEMS)
        if not isinstance(value, (list, Mapping)) or any("id" not in node for node in nodes):
            return Listing(problem=Problem.OFF, words="the answer is no list of products")
        learned = {"root": root} if (root := _root_in(answer.url)) else {}
        return Listing(tuple(_item(node) for node in nodes), more=_is_more(answer, len(nodes)), learned=learned)

    def slug_of(self, url: str) -> str | None:
        """Return the last part of an address."""
        return slug_of(url)


def slug_of(url: str) -> str | None:
    """Return the slug of a product's address, None for the home page and files."""
    last = last_of_path(url)
    return None if last is None or last.endswith((".php", ".html")) or "," in last else last


def _as_asked(slug: str) -> str:
    """WordPress stores other than Latin slugs percent-encoded and in lower case."""
    return quote(quote(slug).lower() if not slug.isascii() else slug, safe="")


def _root(so_far: SoFar) -> str | None:
    """Return the address of the API: as learnt, else the pretty one, and after it failed the plain one."""
    failures, known = so_far.failures(), so_far.known.get("root")
    if any(call.failed is Problem.CLOSED for call in failures) or len(failures) > 1:
        return None
    root = known if isinstance(known, str) and known.startswith("/") else PRETTY
    has_answered = len(failures) < len(so_far.asked)  # then `known` is what answered
    if not has_answered and any(call.failed is Problem.OFF for call in failures):
        root = PRETTY if root == PLAIN else PLAIN
    return None if _endpoint(root) in so_far.closed else root


def _endpoint(root: str) -> str:
    """Return the name that an address of the API has among the endpoints."""
    return PLAIN if root == PLAIN else PRETTY


def _root_at(api: str) -> str:
    """Return the address of the products of an API that a page links, which may lie in a folder."""
    parts = urlsplit_or_empty(api)
    return PLAIN if parts is None or "rest_route" in parts.query else f"{parts.path.rstrip('/')}/wc/store/v1/products"


def _root_in(url: str) -> str | None:
    """Return the address of the API that a call went to."""
    parts = urlsplit_or_empty(url)
    return None if parts is None else PLAIN if "rest_route=" in parts.query else parts.path or None


def _named(
    so_far: SoFar, root: str, about: str, key: str, name_of: Callable[[Watch], str | None]
) -> CatalogueAsk | None:
    """Return a call that names as many of the watches as fit."""
    again = so_far.compare if about != SKUS and not any(call.read or call.told for call in so_far.asked) else ()
    room = MOST_CHARACTERS - len(so_far.origin) - 80
    chosen = by_length((*again, *so_far.not_asked(about)), name_of, room)
    if chosen.keys() <= {watch.sku for watch in again}:
        return None
    asked = "%2C".join(dict.fromkeys(name for _, name in chosen.values()))
    url = _url(so_far.origin, root, f"{key}={asked}&per_page={MOST_NAMED}")
    return CatalogueAsk(url, tuple(watch for watch, _ in chosen.values()), about, _endpoint(root))


def _url(origin: str, root: str, query: str) -> str:
    return f"{origin}{root}{'&' if '?' in root else '?'}{query}"


def _is_more(answer: Answer, count: int) -> bool:
    pages, asked = answer.headers.get("x-wp-totalpages", ""), re.search(r"[?&]page=([0-9]+)", answer.url)
    if pages.isdecimal() and asked:
        return int(asked.group(1)) < int(pages)
    return count >= MOST_NAMED


def _item(node: Mapping[str, Any]) -> Item:
    variant = _variant(node)
    children = tuple(_child(child) for child in mappings(node.get("variations"), MAX_ITEMS) if "id" in child)
    slug = node.get("slug")
    return Item(
        id=str(node["id"]),
        title=words_of(node.get("name")) or "",
        slug=unquote(slug).lower() if isinstance(slug, str) and slug else None,
        url=node["permalink"] if isinstance(node.get("permalink"), str) else None,
        brand=words_of(at(next(iter(mappings(node.get("brands"), 1)), {}), "name")),
        variants=_with_children(variant, children),
        sku=variant.sku,
        availability=variant.availability,
    )


def _with_children(parent: Variant, children: tuple[Variant, ...]) -> tuple[Variant, ...]:
    """Return the variations at their common price, or, where prices differ, without one until each is asked for."""
    if not children:
        return (parent,)
    if parent.is_range or parent.price is None:
        return tuple(replace(child, low=parent.low, high=parent.high, currency=parent.currency) for child in children)
    common = {"price": parent.price, "list_price": parent.list_price, "currency": parent.currency}
    alike = {"availability": parent.availability} if parent.availability is not Availability.IN_STOCK else {}
    return tuple(replace(child, **common, **alike) for child in children)  # type: ignore[arg-type]  # of mixed types


def _child(node: Mapping[str, Any]) -> Variant:
    named = mappings(node.get("attributes"), 50)
    options = {_option(one.get("name")): str(one.get("value") or "") for one in named}
    return Variant(str(node["id"]), " / ".join(filter(None, options.values())) or None, options=options)


def _option(name: Any) -> str:
    return re.sub(r"\s+", "-", str(name or "").strip().lower())


def _variant(node: Mapping[str, Any]) -> Variant:
    variant = Variant(
        id=str(node["id"]),
        title=words_of(node.get("variation")),
        sku=words_of(node.get("sku")),
        gtin=gtin_of(node, "global_unique_id"),
        availability=_stock(node),
    )
    prices = node.get("prices")
    return _store_prices(node, prices, variant) if isinstance(prices, Mapping) else _rest_prices(node, variant)


def _store_prices(node: Mapping[str, Any], prices: Mapping[str, Any], variant: Variant) -> Variant:
    unit, span = places(prices.get("currency_minor_unit")), prices.get("price_range")
    if unit is None:
        return replace(variant, note="the answer does not say how many decimals its amounts have")
    currency = iso_code(words_of(prices.get("currency_code")))
    low, high = (minor_amount(at(span, f"{end}_amount"), unit) for end in ("min", "max"))
    if low is not None and high is not None and low != high:
        return replace(variant, low=low, high=high, currency=currency)
    price = minor_amount(prices.get("price"), unit)
    if node.get("type") in _WITHOUT_PRICE or (price is None and node.get("is_purchasable") is False):
        return replace(variant, currency=currency, note="price on request" if price is None else "has no own price")
    regular = minor_amount(prices.get("regular_price"), unit)
    former = above(regular, price) if node.get("on_sale") is not False else None
    return replace(variant, price=price, list_price=former, currency=currency)


def _rest_prices(node: Mapping[str, Any], variant: Variant) -> Variant:
    """Read the keyed twin: whole amounts as text; a sale counts only while `on_sale` says so."""
    price, regular = _text_amount(node.get("price")), _text_amount(node.get("regular_price"))
    if node.get("type") in _WITHOUT_PRICE:
        return replace(variant, note=f"a {node['type']} has no own price")
    if node.get("type") == "variable":
        return replace(variant, note="the least of its variations is no price")
    former = above(regular, price) if node.get("on_sale") is True else None
    return replace(variant, price=price, list_price=former)


def _text_amount(value: Any) -> Decimal | None:
    return amount(value) if isinstance(value, str) else None


def _stock(node: Mapping[str, Any]) -> Availability:
    if node.get("is_on_backorder") is True or node.get("stock_status") == "onbackorder":
        return Availability.BACKORDER
    said = node.get("is_in_stock", {"instock": True, "outofstock": False}.get(str(node.get("stock_status"))))
    if not isinstance(said, bool):
        return Availability.UNKNOWN
    return Availability.IN_STOCK if said else Availability.OUT_OF_STOCK

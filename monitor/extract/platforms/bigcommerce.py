"""BigCommerce: the storefront's `/graphql`, fifty products per call, with the token that the shop's own pages print.

The token is used when it is in a page that was read anyway, in that night only, and never looked for elsewhere:
without one, pages are read one by one. Products are asked for by id where one is known and else by the path of
their address. `price` is what is charged; `basePrice` is the former price, and where that is not above the price
the suggested `retailPrice` is. A `priceRange` whose ends differ means that options change the price: then the
variant's own price counts, or none. `prices: null` is a gated price. The shop says whether it shows tax
(`settings.tax.pdp`); amounts are asked for as shown.

Sources: bigcommerce/docs (storefront GraphQL); bigcommerce/catalyst fragments.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any
from urllib.parse import unquote

from monitor.domain.asking import CatalogueAsk, SoFar, by_length
from monitor.domain.catalogue import Watch
from monitor.domain.extraction import Availability
from monitor.domain.listing import Answer, Item, Listing, Problem, Variant
from monitor.extract.currency import iso_code
from monitor.extract.facts import urlsplit_or_empty
from monitor.extract.platforms.json_answer import FLOAT_PLACES, above, amount, at, gtin_of, loaded, mappings, words_of
from monitor.extract.platforms.magento import without_noise
from monitor.extract.platforms.matching import choices_of

PATH = "/graphql"
IDS, PATHS, LIST = "ids", "path", "list"
MOST_IDS, MOST_PATHS, MOST_WITH_VARIANTS = 50, 20, 10
MAX_ITEMS, MAX_VARIANTS = 500, 250

_MONEY = "{value currencyCode}"
_PRICES = f"price{_MONEY} basePrice{_MONEY} retailPrice{_MONEY} salePrice{_MONEY}"
_JWT = r"(ey[\w-]{10,2000}\.[\w-]{10,4000}\.[\w-]{10,1000})"
_TOKEN = re.compile(
    r"(?:storefront_?api_?(?:token)?|graphql_?token)[\"']?\s*[:=]\s*(?:\{\s*[\"']?token[\"']?\s*:\s*)?"
    rf"[\"']{_JWT}[\"']|Bearer {_JWT}",
    re.IGNORECASE,
)
_PRODUCT_ID = re.compile(r"<input[^>]{0,120}name=[\"']product_id[\"'][^>]{0,120}value=[\"']([0-9]{1,12})[\"']")


class BigCommerce:
    """The adapter of BigCommerce shops."""

    name = "bigcommerce"
    names_currency = True

    def endpoints(self, origin: str) -> Mapping[str, str]:
        """Return the one endpoint."""
        return {PATH: origin + PATH}

    def next(self, so_far: SoFar) -> CatalogueAsk | None:
        """Ask by id, then by path; watches that choose a variant in smaller calls of their own."""
        if PATH in so_far.closed or not so_far.known.get("_token") or _is_over(so_far):
            return None
        again = () if any(call.read or call.told for call in so_far.asked) else so_far.compare
        return _named(so_far, IDS, so_far.id_of, again) or _named(so_far, PATHS, _path_of, again)

    def browse(self, so_far: SoFar) -> CatalogueAsk | None:
        """Return the next fifty products."""
        walked = [call for call in so_far.asked if not call.failed]
        if PATH in so_far.closed or not so_far.known.get("_token") or _is_over(so_far):
            return None
        if walked and not walked[-1].more:
            return None
        after = f",after:{json.dumps(walked[-1].cursor)}" if walked and walked[-1].cursor else ""
        body = f"products(first:{MOST_IDS}{after}){{pageInfo{{hasNextPage endCursor}} edges{{node{{...P}}}}}}"
        return _ask(so_far, (), LIST, body, has_variants=False, page=len(walked) + 1)

    def learn(self, markup: str, watches: Sequence[Watch]) -> Mapping[str, Any]:
        """Learn tonight's token and the id of the product that a page shows."""
        token = _TOKEN.search(markup)
        ids = set(_PRODUCT_ID.findall(markup))
        learned: dict[str, Any] = {"_token": token.group(1) or token.group(2)} if token else {}
        return learned | ({"ids": dict.fromkeys((w.sku for w in watches), ids.pop())} if len(ids) == 1 else {})

    def read(self, answer: Answer) -> Listing:
        """Read the products of an answer, wherever the question put them."""
        value, problem = loaded(answer)
        if problem is not None:
            return problem
        site, errors = at(value, "data", "site"), mappings(at(value, "errors"), 20)
        if not isinstance(site, Mapping):
            told = "; ".join(str(error.get("message") or "")[:200] for error in errors)
            return Listing(problem=Problem.OFF, words=f"the shop refused its catalogue: {told or 'no products in it'}")
        if at(site, "settings", "tax", "pdp") == "EX" and "includeTax:true" in (answer.post or ""):
            return Listing(problem=Problem.ADJUST, words="the shop shows prices without tax", learned={"tax": "EX"})
        info = at(site, "products", "pageInfo")
        cursor, more = at(info, "endCursor"), at(info, "hasNextPage") is True
        items = tuple(_item(node) for node in _nodes(site))
        loss = "the shop's answer names errors: " + str(errors[0].get("message"))[:200] if errors else ""
        return Listing(items, more=more, cursor=cursor if isinstance(cursor, str) else None, loss=loss)

    def slug_of(self, url: str) -> str | None:
        """Return the path of an address, by which the shop knows its products."""
        parts = urlsplit_or_empty(url)
        return unquote(parts.path).strip("/").lower() or None if parts else None


def _is_over(so_far: SoFar) -> bool:
    failures = so_far.failures()
    given_up = any(call.failed in (Problem.OFF, Problem.CLOSED) for call in failures)
    return given_up or len(failures) > 2


def _path_of(watch: Watch) -> str | None:
    parts = urlsplit_or_empty(watch.url)
    return parts.path if parts is not None and parts.path.strip("/") else None


def _chooses(watch: Watch) -> bool:
    return bool(watch.variant or watch.their_sku or watch.their_gtin or choices_of(watch.url))


def _named(
    so_far: SoFar, about: str, name_of: Callable[[Watch], str | None], again: Sequence[Watch]
) -> CatalogueAsk | None:
    """Return a call that names watches which are alike in whether they choose a variant."""
    waiting = so_far.not_asked(about)
    first = next((watch for watch in waiting if name_of(watch)), None)
    if first is None:
        return None
    has_variants = _chooses(first)
    most = MOST_WITH_VARIANTS if has_variants else MOST_IDS if about == IDS else MOST_PATHS
    alike = (watch for watch in (*again, *waiting) if _chooses(watch) is has_variants)
    chosen = by_length(alike, name_of, 1_000_000, most)
    asked = list(dict.fromkeys(name for _, name in chosen.values()))
    if about == IDS:
        body = f"products(entityIds:[{','.join(asked)}],first:{MOST_IDS}){{edges{{node{{...P}}}}}}"
    else:
        body = " ".join(
            f"p{n}:route(path:{json.dumps(path, ensure_ascii=False)}){{node{{...P}}}}" for n, path in enumerate(asked)
        )
    return _ask(so_far, tuple(watch for watch, _ in chosen.values()), about, body, has_variants=has_variants)


def _ask(
    so_far: SoFar, watches: tuple[Watch, ...], about: str, body: str, *, has_variants: bool, page: int = 1
) -> CatalogueAsk:
    given = [f"includeTax:{'false' if so_far.known.get('tax') == 'EX' else 'true'}"]
    if so_far.currency:
        given.append(f"currencyCode:{so_far.currency}")
    prices = f"prices({','.join(given)}){{{_PRICES} priceRange{{min{_MONEY} max{_MONEY}}}}}"
    own = f"prices({','.join(given)}){{{_PRICES}}}"
    options = "options{edges{node{displayName values{edges{node{label}}}}}}"
    each = f"entityId sku upc gtin {own} inventory{{isInStock}} {options}"
    variants = f"variants(first:{MAX_VARIANTS}){{edges{{node{{{each}}}}}}}"
    fragment = (
        f"fragment P on Product{{entityId sku name path brand{{name}} {prices} "
        f"availabilityV2{{status}} inventory{{isInStock}} {variants if has_variants else ''}}}"
    )
    post = json.dumps({"query": f"{{site{{settings{{tax{{pdp}}}} {body}}}}} {fragment}"}, ensure_ascii=False)
    headers = {"content-type": "application/json", "authorization": f"Bearer {so_far.known['_token']}"}
    return CatalogueAsk(so_far.origin + PATH, watches, about, PATH, page, post, headers)


def _nodes(site: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield product nodes of a list, of a search, of single products and of routes."""
    lists = (at(site, "products"), at(site, "search", "searchProducts", "products"))
    for found in lists:
        for edge in mappings(at(found, "edges"), MAX_ITEMS):
            if isinstance(edge.get("node"), Mapping):
                yield edge["node"]
    for key, value in site.items():
        node = value if key == "product" else at(value, "node")
        if isinstance(node, Mapping):
            yield node


def _item(node: Mapping[str, Any]) -> Item:
    edges = mappings(at(node, "variants", "edges"), MAX_VARIANTS)
    variants = tuple(_variant(edge["node"]) for edge in edges if isinstance(edge.get("node"), Mapping))
    path = node.get("path")
    return Item(
        id=str(node.get("entityId") or ""),
        title=words_of(node.get("name")) or "",
        slug=unquote(path).strip("/").lower() if isinstance(path, str) else None,
        url=path if isinstance(path, str) else None,
        brand=words_of(at(node, "brand", "name")),
        variants=variants or (_variant(node),),
        sku=words_of(node.get("sku")),
        availability=_stock(node),
    )


def _variant(node: Mapping[str, Any]) -> Variant:
    prices = node.get("prices")
    price, currency = _money(at(prices, "price"))
    low, high = (_money(at(prices, "priceRange", end))[0] for end in ("min", "max"))
    is_range = low is not None and high is not None and low != high
    formers = (above(_money(at(prices, name))[0], price) for name in ("basePrice", "retailPrice"))
    edges = (edge.get("node") for edge in mappings(at(node, "options", "edges"), 50))
    options = {str(at(one, "displayName") or "").lower(): _labels(one) for one in edges}
    return Variant(
        id=str(node.get("entityId") or node.get("sku") or ""),
        title=" / ".join(filter(None, options.values())) or None,
        sku=words_of(node.get("sku")),
        gtin=gtin_of(node, "gtin", "upc"),
        price=None if is_range else price,
        list_price=None if is_range else next((former for former in formers if former is not None), None),
        currency=currency,
        availability=_stock(node),
        low=low if is_range else None,
        high=high if is_range else None,
        options=options,
        note="" if isinstance(prices, Mapping) else "the price is shown to some customers only",
    )


def _labels(option: Any) -> str:
    return " ".join(words_of(at(edge, "node", "label")) or "" for edge in mappings(at(option, "values", "edges"), 20))


def _money(node: Any) -> tuple[Decimal | None, str | None]:
    found, code = amount(at(node, "value"), FLOAT_PLACES), at(node, "currencyCode")
    currency = iso_code(code) if isinstance(code, str) else None
    return None if found is None else without_noise(found, currency), currency


def _stock(node: Mapping[str, Any]) -> Availability:
    status, is_in_stock = at(node, "availabilityV2", "status"), at(node, "inventory", "isInStock")
    if status == "Preorder":
        return Availability.PREORDER
    if is_in_stock is False or status == "Unavailable":
        return Availability.OUT_OF_STOCK
    return Availability.IN_STOCK if is_in_stock is True else Availability.UNKNOWN

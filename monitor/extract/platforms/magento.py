"""Magento 2 and Adobe Commerce: `/graphql`, which takes a hundred named products per call.

Asked by `url_key` from the watch's address, so that a configurable product comes with its children and the watched
child is chosen by its SKU; what has no url_key in its address is asked for by SKU. GET is kinder to the shop (its
cache answers); where only POST is let through, that is learnt. `final_price` is what is paid and `regular_price`
the former one; without `final_price` in the answer there is no price. Least and most of a range that differ mean
that no single price is known. A grouped product has no price of its own: its children have, and they are never
added up.

Errors come with status 200. "Maximum pageSize is N" and a complexity limit are taken as what to ask next time. The
currency is the one in the answer; `Content-Currency` asks for what the shop's pages show. One value only for the
tax: the plan compares with a page. Numbers are read as decimals; 29.899999 is what a shop's float made of 29.90.

Sources: magento/magento2#33629, #32437, #36144; Adobe, GraphQL security configuration.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Any
from urllib.parse import quote

from monitor.domain.asking import MOST_CHARACTERS, MOST_NAMED, CatalogueAsk, SoFar, by_length
from monitor.domain.catalogue import Watch
from monitor.domain.extraction import Availability
from monitor.domain.listing import Answer, Item, Listing, Problem, Variant
from monitor.domain.money import MAX_PLACES, digits
from monitor.extract.currency import iso_code
from monitor.extract.platforms.json_answer import FLOAT_PLACES, above, amount, at, loaded, mappings, words_of
from monitor.extract.platforms.matching import last_of_path

PATH = "/graphql"
GET, POST = "get", "post"
KEYS, SKUS, LIST = "url_key", "sku", "list"
CAREFUL = 25  #: named in one call after a call took too long
MAX_ITEMS, MAX_CHILDREN = 1_000, 2_000
SUFFIX = ".html"  #: of product pages, as Magento comes; an answer does not tell whether the shop changed it

_MONEY = "{value currency}"
_LEAST = f"minimum_price{{regular_price{_MONEY} final_price{_MONEY}}}"
_CHILD = f"uid sku name stock_status price_range{{{_LEAST}}}"
_ITEM = f"__typename uid sku name url_key stock_status price_range{{{_LEAST} maximum_price{{final_price{_MONEY}}}}}"
_CHILDREN = (
    f"... on ConfigurableProduct{{variants{{attributes{{code label}} product{{{_CHILD}}}}}}}"
    f"... on GroupedProduct{{items{{product{{{_CHILD}}}}}}}"
)
_PAGE_SIZE = re.compile(r"maximum pagesize is ([0-9]{1,4})", re.IGNORECASE)
_STORE = re.compile(r"[\"']?(?:storeCode|store_code|data-store-code)[\"']?\s*[:=]\s*[\"']([a-zA-Z0-9_]{1,32})[\"']")
#: Largest part by which a float misses the price that was meant.
_NOISE = Decimal("0.001")
#: The smallest step of a price, see `MAX_PLACES`.
_FINEST = Decimal(1).scaleb(-MAX_PLACES)


class Magento:
    """The adapter of Magento shops."""

    name = "magento"
    names_currency = True

    def endpoints(self, origin: str) -> Mapping[str, str]:
        """Return the one endpoint."""
        return {PATH: origin + PATH}

    def next(self, so_far: SoFar) -> CatalogueAsk | None:
        """Ask by url_key, then by SKU."""
        if PATH in so_far.closed or _is_over(so_far):
            return None
        again = () if any(call.read or call.told for call in so_far.asked) else so_far.compare
        return _named(so_far, KEYS, lambda watch: key_of(watch.url), again) or _named(
            so_far, SKUS, lambda watch: watch.their_sku, ()
        )

    def browse(self, so_far: SoFar) -> CatalogueAsk | None:
        """Return the next page of everything that has a price; Magento lists nothing without a filter."""
        walked = [call for call in so_far.asked if not call.failed]
        if PATH in so_far.closed or _is_over(so_far) or (walked and not walked[-1].more):
            return None
        page = len(walked) + 1
        question = _question(so_far, 'price:{from:"0"}', page)
        return _ask(so_far, (), LIST, question, {}, page)

    def learn(self, markup: str, watches: Sequence[Watch]) -> Mapping[str, Any]:
        """Learn the store view, which picks language and price scope."""
        found = set(_STORE.findall(markup[:400_000]))
        return {"store": found.pop()} if len(found) == 1 else {}

    def read(self, answer: Answer) -> Listing:
        """Read the products of an answer, or what its errors say."""
        value, problem = loaded(answer)
        if problem is not None:
            return problem
        found, errors = at(value, "data", "products"), mappings(at(value, "errors"), 20)
        if not isinstance(found, Mapping):
            return _refused(errors)
        items = tuple(_item(node) for node in mappings(found.get("items"), MAX_ITEMS))
        current, total = (at(found, "page_info", key) for key in ("current_page", "total_pages"))
        more = isinstance(current, int) and isinstance(total, int) and current < total
        loss = f"the shop's answer names errors: {_told(errors)}" if errors else ""
        return Listing(items, more=more, learned={"method": POST if "query=" not in answer.url else GET}, loss=loss)

    def slug_of(self, url: str) -> str | None:
        """Return the url_key of an address."""
        return key_of(url)


def key_of(url: str) -> str | None:
    """Return the url_key: the last part of the path without its suffix."""
    last = last_of_path(url)
    key = re.sub(r"\.(?:html?|php|aspx)\Z", "", last) if last else None
    return None if not key or key.isdecimal() else key


def _is_over(so_far: SoFar) -> bool:
    """Say whether this shop's endpoint is given up for tonight."""
    failures = so_far.failures()
    adjusted = [call for call in failures if call.failed is Problem.ADJUST]
    others = [call for call in failures if call.failed is not Problem.ADJUST]
    is_closed = any(call.failed is Problem.CLOSED for call in failures)
    return is_closed or len(others) > 1 or len(adjusted) > 2


def _method(so_far: SoFar) -> str:
    """Return how to ask: as learnt, and POST after a GET was turned away."""
    turned_away = any(call.failed is Problem.OFF for call in so_far.asked)
    has_answered = any(not call.failed for call in so_far.asked)
    known = so_far.known.get("method")
    if turned_away and not has_answered:
        return GET if known == POST else POST
    return POST if known == POST else GET


def _page_size(so_far: SoFar) -> int:
    known = so_far.known.get("page_size")
    size = min(known, MOST_NAMED) if isinstance(known, int) and known > 0 else MOST_NAMED
    is_slow = any(call.failed is Problem.PASSING for call in so_far.asked)
    return min(size, CAREFUL) if is_slow else size


def _question(so_far: SoFar, criterion: str, page: int = 1) -> str:
    children = "" if so_far.known.get("lean") else _CHILDREN
    names = "" if criterion.startswith("price") else "query($k:[String])"
    return (
        f"{names}{{products(filter:{{{criterion}}},pageSize:{_page_size(so_far)},currentPage:{page})"
        f"{{page_info{{current_page total_pages}} items{{{_ITEM}{children}}}}}}}"
    )


def _named(
    so_far: SoFar, about: str, name_of: Callable[[Watch], str | None], again: Sequence[Watch]
) -> CatalogueAsk | None:
    """Return a call that names as many of the watches as fit."""
    question = _question(so_far, f"{about}:{{in:$k}}")
    fixed = len(so_far.origin) + len(quote(question, safe="")) + 60
    room = MOST_CHARACTERS - fixed if _method(so_far) == GET else 1_000_000

    def escaped(watch: Watch) -> str | None:
        name = name_of(watch)
        return quote(json.dumps(name), safe="") if name else None

    chosen = by_length((*again, *so_far.not_asked(about)), escaped, room, _page_size(so_far))
    if chosen.keys() <= {watch.sku for watch in again}:
        return None
    watches = tuple(watch for watch, _ in chosen.values())
    return _ask(so_far, watches, about, question, {"k": list(dict.fromkeys(name_of(watch) for watch in watches))})


def _ask(
    so_far: SoFar, watches: tuple[Watch, ...], about: str, question: str, variables: Mapping[str, Any], page: int = 1
) -> CatalogueAsk:
    headers = {"content-type": "application/json"}
    if store := so_far.known.get("store"):
        headers["store"] = str(store)
    if currency := so_far.currency or so_far.known.get("shown"):
        headers["content-currency"] = str(currency)
    if _method(so_far) == POST:
        post = json.dumps({"query": question, "variables": variables}, ensure_ascii=False)
        return CatalogueAsk(so_far.origin + PATH, watches, about, PATH, page, post, headers)
    given = f"&variables={quote(json.dumps(variables, separators=(',', ':')), safe='')}" if variables else ""
    url = f"{so_far.origin}{PATH}?query={quote(question, safe='')}{given}"
    return CatalogueAsk(url, watches, about, PATH, page, None, headers)


def _refused(errors: Sequence[Mapping[str, Any]]) -> Listing:
    told = _told(errors)
    if size := _PAGE_SIZE.search(told):
        return Listing(problem=Problem.ADJUST, words=told, learned={"page_size": int(size.group(1))})
    if "complexity" in told.lower() or "depth" in told.lower():
        return Listing(problem=Problem.ADJUST, words=told, learned={"lean": True})
    words = f"the shop's answer names errors: {told}" if told else "the answer is no list of products"
    return Listing(problem=Problem.PASSING if told else Problem.OFF, words=words)


def _told(errors: Sequence[Mapping[str, Any]]) -> str:
    return "; ".join(str(error.get("message") or "an error without words")[:200] for error in errors)


def _item(node: Mapping[str, Any]) -> Item:
    children = [
        _variant(at(one, "product"), one.get("attributes")) for one in mappings(node.get("variants"), MAX_CHILDREN)
    ]
    children += [_variant(one.get("product"), None) for one in mappings(node.get("items"), MAX_CHILDREN)]
    known = tuple(child for child in children if child is not None)
    alone = _variant(node, None)
    return Item(
        id=str(node.get("uid") or node.get("sku") or ""),
        title=words_of(node.get("name")) or "",
        slug=words_of(node.get("url_key")),
        url=f"/{node['url_key']}{SUFFIX}" if isinstance(node.get("url_key"), str) else None,
        variants=known or ((alone,) if alone else ()),
        sku=words_of(node.get("sku")),
        availability=_STOCK.get(str(node.get("stock_status")), Availability.UNKNOWN),
    )


def _variant(node: Any, attributes: Any) -> Variant | None:
    if not isinstance(node, Mapping):
        return None
    least, most = (at(node, "price_range", end) for end in ("minimum_price", "maximum_price"))
    final, currency = _money(at(least, "final_price"))
    regular, regular_currency = _money(at(least, "regular_price"))
    highest, _ = _money(at(most, "final_price"))
    named = mappings(attributes, 50)
    options = {str(one.get("code") or "").lower(): words_of(one.get("label")) or "" for one in named}
    is_range = final is not None and highest is not None and highest != final
    has_price = final is not None and not is_range and node.get("__typename") != "GroupedProduct"
    return Variant(
        id=str(node.get("uid") or node.get("sku") or ""),
        title=" / ".join(filter(None, options.values())) or None,
        sku=words_of(node.get("sku")),
        price=final if has_price else None,
        list_price=above(regular, final) if has_price else regular if final is None else None,
        currency=currency or regular_currency,
        availability=_STOCK.get(str(node.get("stock_status")), Availability.UNKNOWN),
        low=final if is_range else None,
        high=highest if is_range else None,
        options=options,
        note=_note(final, regular, has_price, is_range),
    )


_STOCK = {"IN_STOCK": Availability.IN_STOCK, "OUT_OF_STOCK": Availability.OUT_OF_STOCK}


def _note(final: Decimal | None, regular: Decimal | None, has_price: bool, is_range: bool) -> str:
    if final is None and regular is not None:
        return f"only the regular price {regular} is known, a sale cannot be seen"
    return "" if has_price or is_range or final is None else "a group of products has no price of its own"


def _money(node: Any) -> tuple[Decimal | None, str | None]:
    found, code = amount(at(node, "value"), FLOAT_PLACES), at(node, "currency")
    currency = iso_code(code) if isinstance(code, str) else None
    return None if found is None else without_noise(found, currency), currency


def without_noise(found: Decimal, currency: str | None) -> Decimal:
    """Return the amount that a float was meant to be: 29.899999 is 29.90.

    One with more decimals than any price has is a division by a tax rate that the shop rounds when it shows it.
    """
    meant = found.quantize(Decimal(1).scaleb(-(digits(currency) if currency else 2)), ROUND_HALF_UP)
    is_shown_rounded = found != found.quantize(_FINEST)
    return meant if found != meant and (is_shown_rounded or abs(found - meant) < _NOISE) else found

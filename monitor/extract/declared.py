"""Products as a page declares them (JSON-LD, microdata, RDFa), in one shape whatever the syntax was.

Amounts stay text here; `candidates.py` reads them, because a page's own notation must be known first.
Bounded: MAX_PRODUCTS products and MAX_OFFERS offers; what is beyond is not read.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import islice
from typing import Any
from urllib.parse import unquote

from monitor.extract.identifiers import valid_gtin

MAX_PRODUCTS = 400
MAX_OFFERS = 300
MAX_WALKED = 20_000  #: values looked at in one block
MAX_NAMED = 200  #: properties of one object

_LAST_OF_TYPE = re.compile("[/:#]")
#: Types that are sold. Source: schema.org, Product and its subtypes, and what shops use beside them.
PRODUCT_TYPES = frozenset({
    "product", "productgroup", "productmodel", "individualproduct", "someproducts", "car", "vehicle", "book",
    "softwareapplication", "videogame", "mobileapplication", "motorcycle", "event", "course", "service",
    "dietarysupplement", "drug", "menuitem", "apartment",
})  # fmt: skip
#: Properties that make something of another type a thing for sale.
_SOLD_BY = frozenset({"offers", "hasvariant", "workexample", "potentialaction"})
_SURE_TYPES = frozenset(
    {"product", "productgroup", "productmodel", "individualproduct", "someproducts", "car", "vehicle"}
)


@dataclass(frozen=True, slots=True)
class Offer:
    """One declared offer; every amount as written."""

    price: str | None = None
    currency: str | None = None
    low: str | None = None
    high: str | None = None
    list_price: str | None = None
    member_price: str | None = None
    availability: str | None = None
    condition: str | None = None
    url: str | None = None
    sku: str | None = None
    gtin: str | None = None
    shipping: str | None = None
    is_range: bool = False


@dataclass(frozen=True, slots=True)
class Product:
    """One declared product with its offers and, for a group, its variants."""

    source: str
    name: str | None
    brand: str | None
    sku: str | None
    gtin: str | None
    url: str | None
    sure: bool  #: typed as a product, not merely as something that may be sold
    offers: tuple[Offer, ...] = ()
    variants: tuple["Product", ...] = ()
    nested: bool = False  #: stood inside a list, a relation or a review of something else


def text_of(value: Any) -> str | None:
    """Return a scalar, a list's first scalar or an object's name as text."""
    for _ in range(4):
        if isinstance(value, str):
            return _collapsed(value)
        if isinstance(value, list):
            value = value[0] if value and value[0] else next((v for v in value if v not in (None, "")), None)
        elif isinstance(value, dict):
            value = value.get("@value", value.get("name", value.get("@id")))
        else:
            break
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, (str, int, float, Decimal)):
        return _collapsed(str(value))
    return None


def _collapsed(text: str) -> str | None:
    return " ".join(text.split())[:1000] or None


def _lowered(node: Mapping[str, Any]) -> dict[str, Any]:
    return {property_name(name): value for name, value in islice(node.items(), MAX_NAMED)}


@lru_cache(maxsize=2048)
def property_name(name: str) -> str:
    """Return the name of a property without its vocabulary, in lower case."""
    return name[:200].rsplit("/", 1)[-1].rsplit(":", 1)[-1].lower()


def _types(node: Mapping[str, Any]) -> set[str]:
    found = node.get("@type", node.get("type"))
    return {_type(str(t)) for t in _each(found) if t}


@lru_cache(maxsize=1024)
def _type(name: str) -> str:
    return _LAST_OF_TYPE.split(name[-200:])[-1].lower()


def _each(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


_RELATIONS = frozenset({
    "isrelatedto", "issimilarto", "isaccessoryorsparepartfor", "itemreviewed", "review", "reviews", "itemlistelement",
    "isconsumablefor", "hasoffercatalog", "mentions", "about", "isvariantof", "ispartof", "itemoffered",
})  # fmt: skip
#: Properties that hold no products of their own, or whose products are read with the one that has them.
_APART = frozenset({"offers", "hasvariant", "brand", "image"})


def products(value: Any, source: str) -> Iterator[Product]:
    """Yield the products in one JSON-LD value, those of lists and relations marked as nested."""
    stack: list[tuple[Any, bool, int]] = [(value, False, 0)]
    walked = 0
    while stack and walked < MAX_WALKED:
        node, nested, depth = stack.pop()
        walked += 1
        if isinstance(node, list):
            stack.extend([(inner, nested, depth + 1) for inner in _compound(node) if depth < 30])
        elif isinstance(node, dict):
            types = _types(node if "@type" in node else _lowered(node))
            is_product = not types.isdisjoint(PRODUCT_TYPES)
            low = _lowered(node) if is_product else {}
            if is_product and not (types.isdisjoint(_SURE_TYPES) and low.keys().isdisjoint(_SOLD_BY)):
                yield product(low, source, nested, types)
            for name, child in islice(node.items(), MAX_NAMED):
                if isinstance(child, str) or not (isinstance(child, dict) or _is_compound(child)):
                    continue
                key = property_name(name)
                if depth < 30 and key not in _APART:
                    stack.append((child, nested or is_product or key in _RELATIONS, depth + 1))
                elif key == "offers" and not is_product:
                    stack.append((child, True, depth + 1))


def _compound(values: list[Any]) -> list[Any]:
    """Return the objects and lists of a list, the last one first."""
    return [value for value in reversed(values[:MAX_PRODUCTS]) if isinstance(value, (dict, list))]


def _is_compound(value: Any) -> bool:
    """Say whether a value is a list with objects or lists in it; one of plain values, as microdata has, is none."""
    return isinstance(value, list) and not (len(value) == 1 and isinstance(value[0], str)) and bool(_compound(value))


def product(low: Mapping[str, Any], source: str, nested: bool, types: set[str]) -> Product:
    """Return one product from its lower-cased properties."""
    sold = _each(low.get("offers")) or _accepted(low)
    offers = [offer for node in sold[:MAX_OFFERS] for offer in _offers(node)]
    varied = [_lowered(v) for v in _each(low.get("hasvariant"))[:MAX_PRODUCTS] if isinstance(v, dict)]
    variants = [product(variant, source, True, _types(variant)) for variant in varied]
    return Product(
        source=source,
        name=text_of(low.get("name")),
        brand=text_of(low.get("brand")) or text_of(low.get("manufacturer")),
        sku=text_of(low.get("sku")) or text_of(low.get("productid")) or text_of(low.get("mpn")),
        gtin=_gtin(low),
        url=text_of(low.get("url")) or text_of(low.get("@id")),
        sure=not types.isdisjoint(_SURE_TYPES),
        offers=tuple(offers[:MAX_OFFERS]),
        variants=tuple(variants),
        nested=nested,
    )


def _accepted(low: Mapping[str, Any]) -> list[Any]:
    """Return the offers that an action on a work or on one of its editions asks to accept, as of books."""
    editions = [low, *(_lowered(e) for e in _each(low.get("workexample"))[:20] if isinstance(e, dict))]
    actions = [a for e in editions for a in _each(e.get("potentialaction"))[:10] if isinstance(a, dict)]
    return [o for a in actions for o in _each(_lowered(a).get("expectsacceptanceof"))]


#: Properties of an offer that are read as text.
_SAID = frozenset({
    "price", "pricecurrency", "currency", "availability", "itemcondition", "url", "@id", "sku", "lowprice", "highprice",
})  # fmt: skip
_NUMBERS = ("gtin13", "gtin", "gtin12", "gtin14", "gtin8", "ean", "isbn", "barcode", "upc", "productid", "sku")
#: All properties whose text is read here, or whose presence tells something.
READ = frozenset({
    *_SAID, *_SOLD_BY, *_NUMBERS, "name", "brand", "manufacturer", "mpn", "pricetype", "referencequantity",
    "billingduration", "validformembertier", "value",
})  # fmt: skip


def _gtin(low: Mapping[str, Any]) -> str | None:
    if low.keys().isdisjoint(_NUMBERS):
        return None
    return valid_gtin(*[text_of(low[key]) for key in _NUMBERS if low.get(key)])


def _offers(node: Any) -> Iterator[Offer]:
    if not isinstance(node, dict):
        return
    low = _lowered(node)
    inner = [o for n in _each(low["offers"])[:MAX_OFFERS] for o in _offers(n)] if "offers" in low else []
    specified = _each(low.get("pricespecification"))[:50]
    specifications = [_lowered(s) for s in specified if isinstance(s, dict)]
    offer = _offer(low, specifications)
    if inner and offer.price is None:
        yield from inner
        if offer.low is not None:
            return
    if not inner or offer.price is not None:
        yield offer


def _offer(low: Mapping[str, Any], specifications: list[dict[str, Any]]) -> Offer:
    said = {key: text_of(value) for key, value in low.items() if key in _SAID}.get
    paid, listed, member = _specified(specifications)
    price, low_price = said("price"), said("lowprice")
    if price is None and isinstance(low.get("price"), dict):
        price = text_of(_lowered(low["price"]).get("price"))
    if isinstance(low.get("lowprice"), dict):
        low_price = text_of(_lowered(low["lowprice"]).get("price"))
    specified_currency = next((text_of(s.get("pricecurrency")) for s in specifications if s.get("pricecurrency")), None)
    return Offer(
        price=price or paid,
        currency=said("pricecurrency") or said("currency") or specified_currency,
        low=low_price,
        high=said("highprice"),
        list_price=listed,
        member_price=member,
        availability=said("availability"),
        condition=said("itemcondition"),
        url=said("url") or said("@id"),
        sku=said("sku"),
        gtin=_gtin(low),
        shipping=_shipping(low.get("shippingdetails")),
        is_range="aggregateoffer" in _types(low),
    )


def _specified(specifications: list[dict[str, Any]]) -> tuple[str | None, str | None, str | None]:
    """Return (paid, list, member) amounts of price specifications."""
    paid = listed = member = None
    for spec in specifications:
        amount = text_of(spec.get("price"))
        kind = (text_of(spec.get("pricetype")) or "").rsplit("/", 1)[-1].lower()
        if amount is None or spec.get("referencequantity") or spec.get("billingduration"):
            continue
        if spec.get("validformembertier"):
            member = member or amount
        elif kind in ("listprice", "strikethroughprice", "msrp", "srp", "regularprice", "suggestedretailprice"):
            listed = listed or amount
        else:
            paid = paid or amount
    return paid, listed, member


def _shipping(value: Any) -> str | None:
    details = next((v for v in _each(value) if isinstance(v, dict)), None)
    rate = _lowered(details).get("shippingrate") if details else None
    if not isinstance(rate, dict):
        return None
    return text_of(_lowered(rate).get("value"))


def same_address(one: str | None, other: str | None) -> bool:
    """Say whether two addresses name the same page, whatever their scheme, host case, query and slash."""
    if not one or not other:
        return False
    path = _path(one)
    return path != "" and path == _path(other)


@lru_cache(maxsize=1024)
def _path(url: str) -> str:
    bare = re.sub(r"^(?:https?:)?//[^/]*", "", unquote(url.strip()), flags=re.IGNORECASE)
    return re.sub(r"[?#].*$", "", bare).rstrip("/").lower()

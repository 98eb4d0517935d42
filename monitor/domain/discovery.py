"""What a shop sells, as a look through its catalogue or its sitemaps found it, and which of it may be ours.

A proposal joins a found product with one of ours by a number that both have: the GTIN, else the SKU. Names are not
compared here. A proposal is a suggestion and feeds no price until a person confirms it.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any
from urllib.parse import unquote, urlsplit

from monitor.domain.address import UrlRefused, target
from monitor.domain.catalogue import Catalogue, MatchState, Product, Watch
from monitor.domain.extraction import Availability
from monitor.domain.match import Listing
from monitor.domain.money import amount_text

#: Shortest own SKU that is looked for inside an address; shorter ones stand there by chance.
SHORTEST_IN_ADDRESS = 5


@dataclass(frozen=True, slots=True)
class Discovered:
    """One thing that a shop sells."""

    url: str
    name: str
    variant: str | None = None  #: the shop's own key, when its page shows several variants
    their_sku: str | None = None
    their_gtin: str | None = None
    price: Decimal | None = None
    currency: str | None = None
    list_price: Decimal | None = None
    availability: Availability = Availability.UNKNOWN
    brand: str | None = None
    options: tuple[str, ...] = ()  #: of this variant, `Blue`, `XL`

    @property
    def listing(self) -> Listing:
        """What is compared of it with our products."""
        return Listing(
            url=self.url,
            title=self.name,
            brand=self.brand,
            gtin=self.their_gtin,
            sku=self.their_sku,
            variant=self.variant,
            options=self.options,
            price=self.price,
            currency=self.currency,
        )


@dataclass(frozen=True, slots=True)
class Proposed:
    """A watch that may be entered, and by which number it was found."""

    watch: Watch
    by: str  #: `gtin`, `sku`, `gtin in the address`, `sku in the address`
    found: Discovered


@dataclass(frozen=True, slots=True)
class Discovery:
    """What one look at a shop gave."""

    competitor: str
    platform: str | None
    evidence: tuple[str, ...]
    source: str  #: what was looked through: an adapter's name or `sitemap`; empty when nothing was to be had
    products: tuple[Discovered, ...]
    calls: int  #: tool calls it cost
    requests: int  #: HTTP requests it cost, those for robots.txt too
    is_complete: bool
    notes: tuple[str, ...] = ()  #: why it is not complete, what was read all the same
    proposed: tuple[Proposed, ...] = ()
    already: tuple[str, ...] = ()  #: of our SKUs that were found and are watched there already
    unclear: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict
    )  #: by our SKU: several addresses have its number


def gtin_key(number: str | None) -> str | None:
    """Return a GTIN as one key for all its lengths: fourteen digits.

    >>> gtin_key("4006381333931"), gtin_key("04006381333931")
    ('04006381333931', '04006381333931')
    """
    digits = re.sub(r"\D", "", number or "")
    return digits.zfill(14) if 8 <= len(digits) <= 14 else None


def sku_key(number: str | None) -> str | None:
    """Return an SKU as it is compared: without case and surrounding blanks."""
    return (number or "").strip().casefold() or None


def proposed(
    products: Sequence[Discovered], catalogue: Catalogue, competitor: str
) -> tuple[tuple[Proposed, ...], tuple[str, ...], dict[str, tuple[str, ...]]]:
    """Join what was found with our products.

    Returns:
        The proposals, our SKUs that are watched there already, and those whose number stands at several addresses.
    """
    watched: dict[str, set[str]] = {}
    for watch in catalogue.watches_of(competitor):
        watched.setdefault(watch.sku, set()).add(_page_key(watch.url))
    listed = {_page_key(one.url) for one in products}
    index = _Index(products)
    ready: list[Proposed] = []
    already: list[str] = []
    unclear: dict[str, tuple[str, ...]] = {}
    for product in catalogue.products:
        by, found = index.of(product)
        if product.sku in watched:
            already.extend([product.sku] if found or watched[product.sku] & listed else [])
        elif not found:
            continue
        elif len(found) == 1:
            ready.append(Proposed(_watch(competitor, product, found[0]), by, found[0]))
        else:
            unclear[product.sku] = tuple(one.url for one in found)
    return tuple(ready), tuple(already), unclear


def _page_key(url: str) -> str:
    """Return an address as it is compared: written one way, without a last slash and without a fragment."""
    try:
        return target(url).url.partition("#")[0].rstrip("/")
    except UrlRefused:
        return url


def _watch(competitor: str, product: Product, found: Discovered) -> Watch:
    return Watch(
        competitor=competitor,
        sku=product.sku,
        url=found.url,
        match=MatchState.SUGGESTED,
        variant=found.variant,
        their_sku=found.their_sku,
        their_gtin=found.their_gtin,
    )


class _Index:
    """Found products by their numbers, and those without any by the words of their address."""

    def __init__(self, products: Sequence[Discovered]) -> None:
        self._gtins = _grouped((gtin_key(one.their_gtin), one) for one in products)
        self._skus = _grouped((sku_key(one.their_sku), one) for one in products)
        bare = [one for one in products if not one.their_sku and not one.their_gtin]
        self._words = _grouped((word, one) for one in bare for word in _words_in(one.url))
        self._bare = [(f"-{'-'.join(_parts(one.url))}-", one) for one in bare]

    def of(self, product: Product) -> tuple[str, list[Discovered]]:
        """Return how one of ours was found, and where."""
        gtin, sku = gtin_key(product.gtin), sku_key(product.sku)
        if gtin and (found := self._gtins.get(gtin)):
            return "gtin", found
        if sku and (found := self._skus.get(sku)):
            return "sku", found
        if gtin and (found := self._words.get(gtin)):
            return "gtin in the address", found
        if sku and len(sku) >= SHORTEST_IN_ADDRESS and any(letter.isdigit() for letter in sku):
            named = f"-{'-'.join(re.split(r'[^0-9a-z]+', sku))}-"
            return "sku in the address", [one for text, one in self._bare if named in text]
        return "", []


def _parts(url: str) -> list[str]:
    return [part for part in re.split(r"[^0-9a-z]+", unquote(urlsplit(url).path).casefold()) if part]


def _words_in(url: str) -> set[str]:
    """Return the numbers in an address that may be GTINs, as keys; eight digits are too often another number."""
    return {key for part in _parts(url) if part.isdecimal() and len(part) >= 12 and (key := gtin_key(part))}


def _grouped(pairs: Iterable[tuple[str | None, Discovered]]) -> dict[str, list[Discovered]]:
    grouped: dict[str, list[Discovered]] = {}
    for key, one in pairs:
        if key and one not in grouped.setdefault(key, []):
            grouped[key].append(one)
    return grouped


def as_json(found: Discovery) -> dict[str, Any]:
    """Return the form that `--json` prints: amounts as decimal strings."""
    return {
        "competitor": found.competitor,
        "platform": found.platform,
        "evidence": list(found.evidence),
        "source": found.source,
        "calls": found.calls,
        "requests": found.requests,
        "complete": found.is_complete,
        "notes": list(found.notes),
        "products": [_product_json(one) for one in found.products],
        "proposed": [{**_watch_json(one.watch), "by": one.by, "name": one.found.name} for one in found.proposed],
        "already_watched": list(found.already),
        "unclear": {sku: list(urls) for sku, urls in found.unclear.items()},
    }


def _product_json(one: Discovered) -> dict[str, Any]:
    return {
        "url": one.url,
        "name": one.name,
        "variant": one.variant,
        "their_sku": one.their_sku,
        "their_gtin": one.their_gtin,
        "price": None if one.price is None else amount_text(one.price, one.currency),
        "currency": one.currency,
        "list_price": None if one.list_price is None else amount_text(one.list_price, one.currency),
        "availability": one.availability.value,
    }


def _watch_json(watch: Watch) -> dict[str, Any]:
    names = ("competitor", "sku", "url", "match", "variant", "their_sku", "their_gtin")
    return {name: getattr(watch, name) for name in names} | {"match": watch.match.value}

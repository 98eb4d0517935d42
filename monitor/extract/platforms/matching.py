"""Finding a watch among the items of a catalogue, and reading its price there.

The address of the watch names the product: by the shop's own id where an earlier night learnt it, by the item's
address, then by its slug. Only without any of these a GTIN or an SKU will do, when one product alone has it. Within
the product the variant is chosen by the watch's variant key, by the choice in its address (`?variant=…`,
`?attribute_pa_size=…`), then by GTIN and SKU; SKUs repeat, so several variants may be meant, and they give a price
only when all cost the same.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from urllib.parse import parse_qsl, unquote

from monitor.domain.catalogue import Watch
from monitor.domain.extraction import Availability, Evidence, Extraction, Outcome, Role, Verdict
from monitor.domain.listing import Item, Variant
from monitor.extract.facts import urlsplit_or_empty

#: Query names that say where a visitor came from, never what is shown.
_TRACKING = re.compile(r"utm_|gclid|fbclid|msclkid|srsltid|_(?:pos|psq|sid|ss|v)\Z|ref\Z|currency\Z", re.IGNORECASE)
#: Names of the query that choose a variant by its id.
_VARIANT_IDS = ("variant", "variation_id")
MAX_EVIDENCE = 40  #: variants kept as evidence


def place_of(url: str | None) -> str | None:
    """Return what of an address tells a page from others: host without www, path without slash at its end.

    >>> place_of("https://www.fjell.example/de/p/Kettle/?utm_source=x")
    'fjell.example/de/p/kettle'
    """
    parts = urlsplit_or_empty(url or "")
    if parts is None or not parts.netloc:
        return None
    host: str = parts.netloc.lower().removeprefix("www.")
    return host + unquote(parts.path).rstrip("/").lower()


def choices_of(url: str | None) -> dict[str, str]:
    """Return what the query of an address may choose a variant with."""
    parts = urlsplit_or_empty(url or "")
    pairs = parse_qsl(parts.query) if parts else []
    return {name.lower(): value for name, value in pairs if not _TRACKING.match(name)}


def last_of_path(url: str) -> str | None:
    """Return the last part of an address's path, in lower case and without escapes."""
    parts = urlsplit_or_empty(url)
    last = parts.path.rstrip("/").rpartition("/")[2] if parts else ""
    return unquote(last).lower() or None


def keys_of(watches: Iterable[Watch]) -> frozenset[str]:
    """Return the addresses and numbers by which the items of these watches can be told, see `Answer.wanted`."""
    every = ((place_of(w.url), w.variant, w.their_sku, w.their_gtin, *choices_of(w.url).values()) for w in watches)
    return frozenset(key for keys in every for key in keys if key)


class Shelf:
    """Items by everything that a watch may call them, made once for an answer that is searched for many watches."""

    def __init__(self, items: Sequence[Item]) -> None:
        self._ids: dict[str, list[Item]] = {}
        self._places: dict[str, list[Item]] = {}
        self._slugs: dict[str, list[Item]] = {}
        self._numbers: dict[str, list[Item]] = {}
        for item in items:
            self._put(self._ids, item, (item.id, *(v.id for v in item.variants)))
            urls = dict.fromkeys((item.url, *(v.url for v in item.variants)))
            self._put(self._places, item, (place_of(url) for url in urls))
            self._put(self._slugs, item, (unquote(item.slug).lower() if item.slug else None,))
            self._put(self._numbers, item, (item.sku, *(n for v in item.variants for n in (v.gtin, v.sku))))

    @staticmethod
    def _put(index: dict[str, list[Item]], item: Item, keys: Iterable[str | None]) -> None:
        for key in dict.fromkeys(keys):
            if key:
                index.setdefault(key, []).append(item)

    def item_of(self, watch: Watch, slug: str | None, known_id: str | None = None) -> Item | None:
        """Return the one item that a watch means, None when none or several may be meant.

        An answer may list a product twice; where it says two things of it, nobody can tell which counts.
        """
        for found in self._ways(watch, slug, known_id):
            if found:
                return found[0] if all(item == found[0] for item in found) else None
        return None

    def _ways(self, watch: Watch, slug: str | None, known_id: str | None) -> Iterable[list[Item]]:
        of_id = self._ids.get(known_id or "", [])
        yield of_id if len({item.slug for item in of_id}) == 1 else []  # a number of several products tells none
        here, asked = self._places.get(place_of(watch.url) or "", []), choices_of(watch.url)
        named = self._slugs.get(slug.lower(), []) if slug else []
        if here and named and not any(item in named for item in here):
            return  # one product says that it lies there, and another that it is called so
        if asked and len(here) > 1:  # `index.php?product_id=42`: the query tells the page
            here = [i for i in here if asked in (choices_of(i.url), *(choices_of(v.url) for v in i.variants))]
        yield here
        if slug:
            yield named
            return  # the address names a product that is not here; a number alone would be another one's
        for key in (watch.their_gtin, watch.their_sku):
            yield self._numbers.get(key or "", [])


def find(
    shelf: Shelf,
    watch: Watch,
    currency: str | None,
    *,
    platform: str,
    slug: str | None = None,
    known_id: str | None = None,
    variant_id: str | None = None,
) -> Extraction | None:
    """Return the reading of a watch among catalogue items, None when its product is not there.

    Args:
        shelf: the items of one answer.
        watch: what is looked for.
        currency: what this run verified the shop to show, for answers that name none.
        platform: for the reading.
        slug: how the shop calls the product of the watch's address.
        known_id: the shop's own id of the item, as an earlier answer told it.
        variant_id: that of the variant, which then settles the choice.
    """
    item = shelf.item_of(watch, slug, variant_id or known_id)
    if item is None:
        return None
    chosen, how = _chosen(watch, item, variant_id)
    if not chosen and item.variants:
        words = f"the product is there, but not the variant {how}; it may have been removed"
        return Extraction(Outcome.NOT_FOUND, "variant_gone", words, name=item.title, platform=platform)
    return _reading(item, tuple(_signed(variant, currency) for variant in chosen), how, currency, platform)


def variant_of(
    shelf: Shelf, watch: Watch, slug: str | None = None, known_id: str | None = None
) -> tuple[Item, str | None] | None:
    """Return the item of a watch, and the id of the one variant of it that the watch chooses, if it chooses one."""
    item = shelf.item_of(watch, slug, known_id)
    if item is None:
        return None
    chosen, how = _chosen(watch, item, None)
    return item, chosen[0].id if how and len(chosen) == 1 and chosen[0].id != item.id else None


def _chosen(watch: Watch, item: Item, variant_id: str | None) -> tuple[tuple[Variant, ...], str]:
    """Return the variants a watch means, and what chose them."""
    settled = tuple(v for v in item.variants if v.id == variant_id) if variant_id else ()
    if settled:
        return settled, variant_id or ""
    if watch.variant:
        return tuple(v for v in item.variants if _is_named(v, watch.variant)), watch.variant
    asked = choices_of(watch.url)
    by_choice = _by_choice(asked, item)
    if by_choice:
        return by_choice
    for number in (watch.their_gtin, watch.their_sku):
        found = tuple(v for v in item.variants if number and number in (v.gtin, v.sku))
        if found:
            return found, number or ""
    return item.variants, ""


def _is_named(variant: Variant, key: str) -> bool:
    names = (variant.id, variant.sku, variant.title, *variant.options.values())
    return key.casefold() in (name.casefold() for name in names if name)


def _by_choice(asked: Mapping[str, str], item: Item) -> tuple[tuple[Variant, ...], str] | None:
    """Choose by an address of the variant's own, or by options that the query names."""
    if not asked:
        return None
    same = tuple(v for v in item.variants if v.url and choices_of(v.url) == asked)
    if same:
        return same, "&".join(asked.values())
    key = next((asked[name] for name in _VARIANT_IDS if name in asked), None)
    if key:
        return tuple(v for v in item.variants if _is_named(v, key)), key
    names = {name: value for name, value in asked.items() if name.startswith("attribute_")}
    if not names:
        return None
    wanted = [value.casefold() for value in names.values()]
    fitting = tuple(v for v in item.variants if _fits(v, wanted))
    known = any(v.options for v in item.variants)
    return (fitting, ", ".join(wanted)) if known else None


def _fits(variant: Variant, wanted: Sequence[str]) -> bool:
    """Say whether a variant is of these options; an option without a value takes every value.

    Compared by value: an address spells the names as slugs (`groesse`) and an answer as words (`Größe`).
    """
    values = [value.casefold() for value in variant.options.values()]
    return bool(values) and all(value in values or "" in values for value in wanted)


def _reading(item: Item, chosen: Sequence[Variant], how: str, currency: str | None, platform: str) -> Extraction:
    prices = {(v.price, v.currency or currency) for v in chosen if v.price is not None}
    known = {v.availability for v in chosen} - {Availability.UNKNOWN}
    stock = _stock(known) if known or len(chosen) < len(item.variants) else item.availability
    evidence = tuple(_evidence(item, v, currency, len(prices) == 1) for v in chosen[:MAX_EVIDENCE])
    common = {"name": item.title, "availability": stock, "platform": platform, "evidence": evidence}
    ends = [end for v in chosen for end in ((v.price,) if v.price is not None else (v.low, v.high)) if end is not None]
    if len(prices) > 1 or any(v.is_range for v in chosen):
        shown = next((v.currency for v in chosen if v.currency), currency) or ""
        words = f"variants cost from {min(ends)} to {max(ends)} {shown}".rstrip() + " and the watch names none"
        return Extraction(Outcome.AMBIGUOUS, "range", words, **common)  # type: ignore[arg-type]  # of mixed types
    notes = "; ".join(dict.fromkeys(v.note for v in chosen if v.note))
    if not prices:
        words = "the catalogue has the product, but no price above zero" + (f": {notes}" if notes else "")
        return Extraction(Outcome.NO_PRICE, "no_amount", words, **common)  # type: ignore[arg-type]  # of mixed types
    variant = next(v for v in chosen if v.price is not None)
    words = f"read from the shop's catalogue, variant {how}" if how else "read from the shop's catalogue"
    only = len(chosen) == 1
    return Extraction(
        Outcome.OK,
        "catalogue",
        f"{words}; {notes}" if notes else words,
        price=variant.price,
        currency=variant.currency or currency,
        list_price=_common([v.list_price for v in chosen if v.price is not None]),
        availability=stock,
        name=f"{item.title} - {variant.title}" if only and variant.title else item.title,
        brand=item.brand,
        sku=variant.sku if only else item.sku if len(chosen) == len(item.variants) else None,
        gtin=variant.gtin if only else None,
        platform=platform,
        evidence=evidence,
    )


def _signed(variant: Variant, currency: str | None) -> Variant:
    """Take the price from a variant whose sign cannot mean the currency that it would be put in."""
    if not variant.may_be or variant.currency or currency in variant.may_be:
        return variant
    return replace(variant, price=None, note=f"its price has a sign that does not tell {currency or 'its currency'}")


def _stock(known: set[Availability]) -> Availability:
    """Return what is said of several variants together: one that can be bought is enough."""
    order = (Availability.IN_STOCK, Availability.PREORDER, Availability.BACKORDER, Availability.OUT_OF_STOCK)
    return next((each for each in (*order, *known) if each in known), Availability.UNKNOWN)


def _common(formers: list[Decimal | None]) -> Decimal | None:
    return formers[0] if len(set(formers)) == 1 else None


def _evidence(item: Item, variant: Variant, currency: str | None, settled: bool) -> Evidence:
    verdict = Verdict.CHOSEN if settled and variant.price is not None else Verdict.REJECTED
    reason = "the catalogue's price" if settled else "one of several prices, none is chosen"
    amount = variant.price if variant.price is not None else variant.low
    text = f"{item.slug or item.title} {variant.title or ''} {amount or ''}".strip()[:200]
    role = Role.RANGE_END if variant.is_range else Role.CURRENT
    return Evidence(
        f"catalogue variant {variant.id}", text, amount, variant.currency or currency, role, verdict, reason
    )

"""Decide which declared product is the page's own, and which of its offers the watched address means."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from urllib.parse import parse_qsl, urlsplit

from monitor.domain.extraction import Hints
from monitor.extract.amounts import amounts, number, places_of, visible_characters
from monitor.extract.currency import Locale, iso_code
from monitor.extract.declared import Offer, Product, same_address
from monitor.extract.facts import Facts, agreement, words_of

_NEGATIVE = re.compile(r"\s*[-−]\s?[0-9]")
SAME = 0.9  #: agreement of names from which they are of one product, wherever its page is
_BARE = re.compile(r"\s*([0-9][0-9.,]*|[0-9]{1,3}(?:\s[0-9]{3})+(?:[.,][0-9]{1,4})?)\s*")
#: A price whose cents stand in an element of their own, `24<sup>98</sup>`, with its sign before, behind or between.
_CENTS_APART = re.compile(
    r"\s*([^\d\s]{0,5}\s?)([0-9]{1,3}(?:[.,' ]?[0-9]{3})*)\s([^\d\s~–—-]{0,5}\s?)([0-9]{2})(\s?[^\d\s]{0,5})\s*"
)
LEAST = Decimal("0.3")  #: of the greatest of several amounts in one declared price, what the least is at the least
#: Query keys that name a variant.
_VARIANT_KEYS = ("variant", "variantid", "variation", "sku", "childsku", "pid", "skuid", "color", "size")


@dataclass(frozen=True, slots=True)
class Declared:
    """One declared amount of the main product, read."""

    value: Decimal
    currency: str | None
    source: str
    text: str
    availability: str | None
    list_price: Decimal | None = None
    member: bool = False
    range_end: bool = False


def main_product(found: Sequence[Product], facts: Facts) -> tuple[Product | None, bool]:
    """Return the page's product and whether several products compete for that place."""
    priced = [p for p in found if p.sure or p.offers]
    top = [p for p in priced if not p.nested] or [p for p in priced if p.sure or len(priced) == 1]
    if not top:
        return None, False
    scored = sorted(((_fit(p, facts), -i, p) for i, p in enumerate(top)), key=lambda s: (s[0], s[1]), reverse=True)
    best = scored[0]
    names = {(p.name or "").lower() for p in top}
    if len(top) == 1 and _is_of_another_page(best[2], facts):
        return None, False
    if len(top) == 1 or len(names) == 1:
        return best[2], False
    rivals = [
        p
        for score, _, p in scored[1:]
        if score >= best[0] - 0.5 and (p.name or "").lower() != (best[2].name or "").lower()
    ]
    return best[2], bool(rivals)


def _is_of_another_page(product: Product, facts: Facts) -> bool:
    """Say whether a product is only offered beside the page's own: it has another page, and a name that differs."""
    listed = product.nested  # with the address of its own page; the page of a list may be called after a part of a name
    own = {slug for url in (facts.url, facts.canonical) if url and (slug := _slug(url, asked=listed))}
    slug = _slug(product.url, asked=listed) if product.url and (facts.headings or listed) else None
    if not (slug and own) or slug in own:
        return False
    share = _share if listed else agreement
    return all(share(product.name, text) < SAME for text in _texts(facts))


def _share(name: str | None, text: str) -> float:
    """Return the share of a name's words that a text has."""
    words = words_of(name or "")
    return len(words & words_of(text)) / len(words) if words else 0.0


def _slug(url: str, *, asked: bool) -> str | None:
    """Return the last part of an address that tells one product from another, None where its query may.

    Args:
        url: the address.
        asked: what its query asks for does not matter.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    is_told = asked or not (parts.query or parts.fragment)
    return parts.path.rstrip("/").rsplit("/", 1)[-1].lower() if is_told else None


def _texts(facts: Facts) -> list[str]:
    return [text for text, _ in facts.headings] + [text for text in (facts.og_title, facts.title) if text]


def _fit(product: Product, facts: Facts) -> float:
    score = 0.0
    score += 3 if same_address(product.url, facts.url) or same_address(product.url, facts.canonical) else 0
    score += 3 * max((agreement(product.name, text) for text, _ in facts.headings), default=0)
    score += 2 * max(agreement(product.name, facts.og_title), agreement(product.name, facts.title))
    score += 2 * agreement(product.name, facts.watched)
    score += 1 if product.offers or product.variants else 0
    score += 0.5 if product.source == "json-ld" else 0
    return score


def fits(product: Product, facts: Facts) -> bool:
    """Say whether a product's name or address agrees with the page at all."""
    best = max((agreement(product.name, t) for t in _texts(facts)), default=0)
    return best >= 0.5 or same_address(product.url, facts.url) or same_address(product.url, facts.canonical)


def _variant_values(url: str) -> set[str]:
    if "?" not in url:
        return set()
    try:
        query = parse_qsl(urlsplit(url).query)[:40]
    except ValueError:
        return set()
    return {v.lower() for k, v in query if k.lower() in _VARIANT_KEYS and v}


def pinned(
    product: Product, siblings: Sequence[Product], facts: Facts, hints: Hints
) -> Sequence[tuple[Product, Offer]]:
    """Return the offers the address, or the watch, chooses; all of them when nothing is chosen."""
    every = [(v, o) for v in (product, *product.variants, *siblings) for o in v.offers]
    asked = _variant_values(facts.url)
    wanted = {w.lower() for w in (hints.variant, hints.sku, hints.gtin) if w}
    for keys in (wanted, asked):
        chosen = [(v, o) for v, o in every if keys & _keys_of(v, o)] if keys else []
        if chosen:
            return chosen
    return every


def _keys_of(variant: Product, offer: Offer) -> set[str]:
    keys = {k.lower() for k in (variant.sku, variant.gtin, offer.sku, offer.gtin) if k}
    for url in (offer.url, variant.url):
        keys |= _variant_values(url or "")
    return keys


def read_declared(text: str | None, currency: str | None, locale: Locale) -> list[tuple[Decimal, str | None]]:
    """Return the amounts in one declared price; more than one when a page put two into one element.

    None where one of two is a small part of the other, as a delivery or the number of a footnote is: which is the price
    only the page around them tells.
    """
    if not text:
        return []
    shown = visible_characters(text[:300])
    code = iso_code(currency) or locale.meaning(currency)
    if _NEGATIVE.match(shown):
        return []
    plain = _BARE.fullmatch(shown)
    if plain:
        value = _machine(plain.group(1).strip(), code)
        return [(value, code)] if value is not None else []
    apart = _CENTS_APART.fullmatch(shown)
    if apart and places_of(code) != 0 and (whole := number(apart.group(2), places_of(code))) is not None:
        sign = "".join(apart.group(1, 3, 5)).strip()
        return [(whole + Decimal(apart.group(4)).scaleb(-2), code or locale.meaning(sign))]
    found = list(amounts(shown))
    found = [a for a in found if a.sign] or found  # without the number of a footnote
    if len(found) > 1 and min(a.value for a in found) < LEAST * max(a.value for a in found):
        return []
    return [(a.value, code or a.currency or locale.meaning(a.sign)) for a in found]


def _machine(text: str, code: str | None) -> Decimal | None:
    """Read a bare number of structured data; float noise beyond four places is cut."""
    value = number(text, places_of(code))
    if value is None:
        return None
    exponent = value.as_tuple().exponent
    if isinstance(exponent, int) and exponent < -4:
        value = round(value, 2)
    return value


def declared_amounts(offers: Sequence[tuple[Product, Offer]], locale: Locale) -> list[Declared]:
    """Return what the chosen offers declare; zero is no price."""
    out: list[Declared] = []
    new = [(v, o) for v, o in offers if not o.condition or "new" in o.condition.lower()]
    for variant, offer in new or offers:
        out += _of_offer(variant, offer, locale)
    return [d for d in out if d.value > 0]


def _of_offer(variant: Product, offer: Offer, locale: Locale) -> list[Declared]:
    source = f"{variant.source} offers.price"
    read = read_declared(offer.price, offer.currency, locale)
    listed = read_declared(offer.list_price, offer.currency, locale)
    out = []
    if read:
        value, code = min(read, key=lambda r: r[0]) if len(read) > 1 else read[0]
        former = max((v for v, _ in read), default=value)
        former = max(former, listed[0][0]) if listed else former
        out.append(
            Declared(value, code, source, offer.price or "", offer.availability, former if former > value else None)
        )
    elif offer.low or offer.high:
        ends = [(n, t) for n, t in (("lowPrice", offer.low), ("highPrice", offer.high)) if t]
        for name, text in ends:
            out += [
                Declared(v, c, f"{variant.source} offers.{name}", text, offer.availability, range_end=True)
                for v, c in read_declared(text, offer.currency, locale)
            ]
    out += [
        Declared(v, c, f"{variant.source} member price", offer.member_price or "", offer.availability, member=True)
        for v, c in read_declared(offer.member_price, offer.currency, locale)
    ]
    return out

"""Name, brand, article number, GTIN, condition and delivery price of the page's product."""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from monitor.domain.extraction import Role
from monitor.extract.anchor import slug
from monitor.extract.declared import Offer, Product
from monitor.extract.document import Document
from monitor.extract.facts import Facts, agreement, own_title, words_of
from monitor.extract.gather import Gathered
from monitor.extract.identifiers import (
    bracketed_sku,
    code_in_address,
    labelled_gtin,
    labelled_sku,
    number_in_address,
    valid_gtin,
)
from monitor.extract.identity import fits, read_declared
from monitor.extract.needles import holds
from monitor.extract.other_readers import state_sku

_GTIN_METAS = ("product:ean", "product:gtin", "product:upc", "og:upc", "og:ean", "gtin13", "product:isbn", "books:isbn")
_SKU_ATTRIBUTES = ("data-sku", "data-product-sku", "data-product-id", "data-productid", "data-item-id")
_SKU_ATTRIBUTE_STARTS = (b"data-sku", b"data-product", b"data-item-id")
_ANY_SKU_ATTRIBUTE = ",".join(f"[{name}]" for name in _SKU_ATTRIBUTES)
_LAST = re.compile("[/#]")
_LABEL = re.compile(r"sku[\s:#]+(?=\S)", re.IGNORECASE)  #: some shops mark the number up with its label
MAX_NUMBERED = 200  #: elements with such an attribute looked at


@dataclass(frozen=True, slots=True)
class Naming:
    """What a product is called and numbered; absent is None."""

    name: str | None
    brand: str | None
    sku: str | None
    gtin: str | None
    condition: str | None
    shipping: Decimal | None
    unit_price: str | None


def title_of(facts: Facts) -> str | None:
    """Return what a page that shows no single product calls itself."""
    return next((t for t, _ in facts.headings), None) or facts.og_title or facts.title or None


def naming(document: Document, got: Gathered) -> Naming:
    """Return the product's names and numbers."""
    offers = [(v, o) for v, o in got.offers if o.price] or list(got.offers)
    variant, offer = offers[0] if offers else (got.main, Offer())
    heading = got.anchor.heading or 0
    around = slice(max(0, heading - 300), heading + 4000)
    facts, main = got.facts, None if got.rivals else got.main
    gtins = [offer.gtin, variant.gtin if variant else None, main.gtin if main else None]
    gtins += [facts.metas.get(name) for name in _GTIN_METAS]
    shipping = read_declared(offer.shipping, offer.currency, facts.locale)
    return Naming(
        name=_name(got) or _in_title(document, got),
        brand=(main.brand if main else None) or facts.meta("product:brand", "og:brand", "brand"),
        sku=_sku(document, got, _declared_skus(main, variant, offer, len(offers)), around),
        gtin=valid_gtin(*gtins) or labelled_gtin(document.lower[around]),
        condition=_condition(offer.condition),
        shipping=shipping[0][0] if len(shipping) == 1 else None,
        unit_price=_unit_price(document, got),
    )


def _name(got: Gathered) -> str | None:
    facts, main = got.facts, None if got.rivals else got.main
    declared = html.unescape(main.name) if main and main.name else None
    heading = next((t for t, at in facts.headings if at == got.anchor.heading), None)
    another = main is not None and main.nested and agreement(declared, heading) < 0.8
    if declared and main and (heading is None or (fits(main, facts) and not another)):
        og_words, full = words_of(facts.og_title), words_of(declared)
        shorter = heading and words_of(heading) < full and agreement(heading, facts.og_title) == 1
        return heading if shorter and len(og_words) < len(full) else declared
    titles = [facts.og_title, facts.title, slug(facts.url)]
    agreed = 0.25 if len(facts.headings) == 1 and len(words_of(heading or "")) >= 4 else 0.4
    likeness = max(agreement(heading, t) for t in titles)
    if heading and (not facts.title or likeness >= agreed or _is_spoken(heading, facts)):
        return heading
    return declared or (heading and own_title(facts.og_title or facts.title, facts.host)) or heading


def _in_title(document: Document, got: Gathered) -> str | None:
    """Return the part of the title that stands on the page where the product does, else the title without the shop."""
    facts, at = got.facts, got.anchor.heading
    shown = document.text[at : document.run_end(at)].strip() if at is not None else ""
    return shown if shown and shown in facts.title else own_title(facts.og_title or facts.title, facts.host)


def _is_spoken(heading: str, facts: Facts) -> bool:
    """Say whether a heading says more than a title that is only the shop's name."""
    return len(facts.headings) == 1 and len(words_of(facts.title)) <= 1 < len(words_of(heading))


def _declared_skus(main: Product | None, variant: Product | None, offer: Offer, offers: int) -> list[str]:
    whole = main.sku if main else None
    found = [whole] if offers > 1 else []
    found += [offer.sku, variant.sku if variant else None, whole]
    return [_LABEL.sub("", s, count=1) if s[:3].lower() == "sku" else s for s in found if s]


def _sku(document: Document, got: Gathered, declared: Sequence[str], around: slice) -> str | None:
    """Return the number that the address or the page shows too, else the first one declared."""
    facts = got.facts
    address = facts.url.lower()
    certain = next((s for s in declared if len(s) >= 4 and s.lower() in address), None)
    if certain:
        return certain
    named = (
        facts.meta("product:retailer_item_id", "product:sku", "sku"),
        labelled_sku(document.text[around], document.lower[around]),
        _behind_name(document, got),
    )
    found = [*declared, *(n for n in named if n)]
    in_address = next((s for s in found if len(s) >= 4 and s.lower() in address), None)
    shown = next((s for s in found if len(s) >= 4 and s in document.text), None)
    coded = code_in_address(facts.url)
    found = [*found, coded] if coded and coded in document.text else found
    named_so = in_address or shown or next(iter(found), None) or _attribute_sku(document) or state_sku(document)
    return named_so or coded or number_in_address(facts.url)


def _behind_name(document: Document, got: Gathered) -> str | None:
    heading = got.anchor.heading
    end = document.run_end(heading) if heading is not None else 0
    return bracketed_sku(document.text[end : end + 40]) if end else None


def _attribute_sku(document: Document) -> str | None:
    firsts: dict[str, str] = {}
    if not any(holds(document.encoded, start) for start in _SKU_ATTRIBUTE_STARTS):
        return None
    for node in document.tree.css(_ANY_SKU_ATTRIBUTE)[:MAX_NUMBERED]:
        for name, value in node.attributes.items():
            if name in _SKU_ATTRIBUTES:
                firsts.setdefault(name, (value or "").strip())
    return next((firsts[n] for n in _SKU_ATTRIBUTES if 2 < len(firsts.get(n, "")) < 40), None)


def _condition(text: str | None) -> str | None:
    """Return `new`, `used`, `refurbished` or `damaged`, None when nothing known is declared."""
    kind = _LAST.split(text.strip())[-1].lower().removesuffix("condition") if text else None
    return kind if kind in ("new", "used", "refurbished", "damaged") else None


def _unit_price(document: Document, got: Gathered) -> str | None:
    """Return the unit price nearest to the product's name, as shown."""
    unit = next((s for s in got.seen if s.role is Role.UNIT), None)
    if unit is None:
        return None
    following = (s.amount.start for s in got.seen if s.amount.start > unit.amount.start)
    tail = document.text[unit.amount.start : min(unit.amount.end + 24, next(following, len(document.text)))].split(
        "\n"
    )[0]
    return " ".join(tail.replace("\x1f", " ").split())[:60]

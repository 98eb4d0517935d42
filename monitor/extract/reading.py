"""Read one page: parse once, gather candidates from every reader, reconcile, or say why there is no price."""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from monitor.domain.extraction import Availability, Extraction, Hints, Outcome
from monitor.extract import endpoints, identity, kinds, loose_json, microdata, other_readers, reconcile, walls
from monitor.extract.anchor import find_anchor, slug
from monitor.extract.availability import availability, declared_availability
from monitor.extract.charset import decoded
from monitor.extract.declared import Product, products
from monitor.extract.document import Document, read_document, too_deep
from monitor.extract.facts import Facts, agreement, read_facts, words_of
from monitor.extract.identifiers import labelled_gtin, labelled_sku, number_in_address, valid_gtin
from monitor.extract.platforms import detect
from monitor.extract.recipe import apply_recipe
from monitor.extract.visible import Anchor, Seen, seen_amounts

MAX_BODY = 5_000_000  #: bytes; more is refused by name
MAX_BLOCKS = 60  #: JSON-LD blocks read

_NO_HINTS = Hints()


def extract(body: bytes, url: str, content_type: str | None = None, *, hints: Hints | None = None) -> Extraction:
    """Return what one page says about its main product; never raises.

    Args:
        body: the response body, decoded from its transfer coding only, at most MAX_BODY bytes.
        url: the final address; it may name a variant.
        content_type: the header as sent, for its charset and for JSON answers.
        hints: what the operator knows; supports the page, never replaces it.

    A page that defeats the readers in a way nobody foresaw is `no_price` with reason `unreadable`.
    """
    try:
        return read_page(body, url, content_type, hints or _NO_HINTS)
    except (Exception, RecursionError, MemoryError) as error:  # a hostile page must not end the night
        return Extraction(
            Outcome.NO_PRICE,
            "unreadable",
            f"the page defeats the reader ({type(error).__name__}); nothing was read from it",
        )


def read_page(body: bytes, url: str, content_type: str | None, hints: Hints) -> Extraction:
    """Return the reading; unlike `extract` it lets a defect of a reader be seen."""
    if len(body) > MAX_BODY:
        return Extraction(
            Outcome.NO_PRICE, "too_large", f"the page has {len(body)} bytes, more than the {MAX_BODY} that are read"
        )
    markup = decoded(body, content_type)
    if not markup.strip():
        return Extraction(Outcome.NO_PRICE, "empty", "the answer has no content")
    if endpoints.is_json(markup, content_type):
        return endpoints.read_endpoint(markup, url, hints)
    if too_deep(markup):
        return Extraction(Outcome.NO_PRICE, "too_deep", "the page nests elements deeper than any shop page does")
    document = read_document(markup, url)
    facts = read_facts(document, hints)
    vendor = walls.wall(document, facts)
    if vendor:
        return Extraction(Outcome.BLOCKED, vendor, f"a bot wall answered instead of the page ({vendor})")
    platform = detect(markup)
    if hints.recipe:
        return replace(apply_recipe(document, facts, hints), platform=platform, canonical=facts.canonical)
    return replace(_read_document(document, facts, hints), platform=platform, canonical=facts.canonical)


@dataclass(frozen=True, slots=True)
class _Gathered:
    """What all readers brought."""

    products: tuple[Product, ...]
    main: Product | None
    rivals: bool
    offers: tuple[tuple[Product, identity.Offer], ...]
    declared: tuple[identity.Declared, ...]
    anchor: Anchor
    seen: tuple[Seen, ...]
    facts: Facts


def declared_products(document: Document) -> list[Product]:
    """Return the products of JSON-LD blocks and of microdata or RDFa."""
    found: list[Product] = []
    for node in document.tree.css('script[type*="ld+json"]')[:MAX_BLOCKS]:
        value = loose_json.load(node.text() or "")
        found += products(value, "json-ld")
    for item, _ in microdata.items(document.tree):
        found += products(item, "microdata")
    return found


def _gather(document: Document, facts: Facts, hints: Hints) -> _Gathered:
    found = declared_products(document)
    main, rivals = identity.main_product(found, facts)
    siblings = [
        p for p in found if main and p is not main and not p.nested and p.source == main.source and p.name == main.name
    ]
    offers = identity.pinned(main, siblings, facts, hints) if main else []
    codes = [identity.iso_code(o.currency) for _, o in offers]
    codes = [c for c in codes if c]
    facts = replace(
        facts, locale=replace(facts.locale, declared=tuple(dict.fromkeys([*codes, *facts.locale.declared])))
    )
    declared = identity.declared_amounts(offers, facts.locale)
    if not declared:
        declared = other_readers.meta_amounts(facts, facts.locale)
    anchor = find_anchor(document, facts, main.name if main and not rivals else None)
    values = frozenset(d.value for d in declared)
    seen = seen_amounts(document, anchor, values)
    if not facts.locale.declared:
        code = other_readers.state_currency(document) or _shown_currency(seen)
        if code:
            facts = replace(facts, locale=replace(facts.locale, declared=(code,)))
    return _Gathered(tuple(found), main, rivals, tuple(offers), tuple(declared), anchor, tuple(seen), facts)


def _shown_currency(seen: Sequence[Seen]) -> str | None:
    """Return the one currency whose own signs stand on the page, None when several do."""
    codes = {s.amount.currency for s in seen if s.amount.currency}
    return codes.pop() if len(codes) == 1 else None


def _read_document(document: Document, facts: Facts, hints: Hints) -> Extraction:
    got = _gather(document, facts, hints)
    if walls.says_gone(got.facts) and not (got.main and got.declared):
        return Extraction(Outcome.NOT_FOUND, "soft_404", "title, heading or address of the page say that it is gone")
    kind = kinds.kind_of(document, got.facts, got.products, got.main, got.rivals, got.anchor, got.seen)
    if kind.is_listing:
        return Extraction(
            Outcome.LISTING,
            "listing",
            f"a list of products, not one product (at least {kind.cards} cards)",
            name=_title(got),
        )
    choice = _choice(document, got)
    stock = _availability(document, got, choice)
    choice = _settled(choice, stock, got)
    if choice.outcome is not Outcome.OK and kind.may_be_listing and not got.declared:
        return Extraction(
            Outcome.LISTING,
            "listing",
            f"a list of products, not one product (at least {kind.cards} cards)",
            name=_title(got),
        )
    return Extraction(
        outcome=choice.outcome,
        reason=choice.reason,
        words=choice.words,
        price=choice.price,
        currency=choice.currency,
        list_price=reconcile.list_price(choice, got.declared, got.seen, got.facts.locale),
        availability=stock,
        evidence=reconcile.evidence(choice, got.declared, got.seen, got.facts.locale),
        **_identity(document, got, choice),
    )


def _choice(document: Document, got: _Gathered) -> reconcile.Choice:
    locale = got.facts.locale
    if got.declared:
        return reconcile.choose(got.declared, got.seen, locale, frozenset())
    choice = reconcile.choose((), got.seen, locale, other_readers.support(document))
    if choice.outcome is Outcome.OK:
        return choice
    states = other_readers.state_products(document)
    if len({(s.price, s.currency) for s in states}) == 1:
        s = states[0]
        return reconcile.Choice(
            Outcome.OK,
            "inline_state",
            f"stated with its currency by the page's {s.source}",
            s.price,
            s.currency,
            s.list_price,
        )
    if len(states) > 1:
        return reconcile.Choice(
            Outcome.AMBIGUOUS, "several_in_state", "the page's inline state holds several products or variants"
        )
    return choice


def _availability(document: Document, got: _Gathered, choice: reconcile.Choice) -> Availability:
    price_at = choice.seen.amount.start if choice.seen else None
    said = declared_availability([o.availability for _, o in got.offers])
    return availability(document, got.facts, got.anchor, said, price_at)


def _settled(choice: reconcile.Choice, stock: Availability, got: _Gathered) -> reconcile.Choice:
    """Take a price back that cannot be paid: a discontinued product."""
    if choice.outcome is Outcome.OK and stock is Availability.DISCONTINUED:
        return reconcile.Choice(
            Outcome.NO_PRICE, "discontinued", f"{choice.price} is declared, but the product is no longer sold"
        )
    return choice


def _title(got: _Gathered) -> str | None:
    return next((t for t, _ in got.facts.headings), None) or got.facts.og_title or got.facts.title or None


def _name(got: _Gathered) -> str | None:
    declared = html.unescape(got.main.name) if got.main and got.main.name else None
    heading = next((t for t, at in got.facts.headings if at == got.anchor.heading), None)
    titles = [got.facts.og_title, got.facts.title, slug(got.facts.url)]
    if declared and got.main and (identity.fits(got.main, got.facts) or heading is None):
        shorter = heading and words_of(heading) < words_of(declared) and agreement(heading, got.facts.og_title) == 1
        return heading if shorter and len(words_of(got.facts.og_title)) < len(words_of(declared)) else declared
    if heading and (max(agreement(heading, t) for t in titles) >= 0.4 or not got.facts.title):
        return heading
    return declared or _own_title(got.facts.og_title or got.facts.title) or heading


def _own_title(title: str) -> str | None:
    """Return a page title without the shop's name at its end."""
    return re.split(r"\s+[|–—»·]\s+|\s+-\s+(?=[^-]{1,40}$)", title)[0].strip() or None


def _identity(document: Document, got: _Gathered, choice: reconcile.Choice) -> dict[str, str | None]:
    facts, main = got.facts, got.main
    offers = [(v, o) for v, o in got.offers if o.price and choice.price is not None] or list(got.offers)
    variant, offer = offers[0] if offers else (main, None)
    around = document.text[max(0, (got.anchor.heading or 0) - 300) : (got.anchor.heading or 0) + 4000]
    several = len(offers) > 1
    skus = [main.sku if main and several else None, offer.sku if offer else None, variant.sku if variant else None]
    skus += [main.sku if main else None, facts.meta("product:retailer_item_id", "product:sku", "sku")]
    skus += [labelled_sku(around)]
    gtins = [offer.gtin if offer else None, variant.gtin if variant else None, main.gtin if main else None]
    gtins += [
        facts.meta(n)
        for n in (
            "product:ean",
            "product:gtin",
            "product:upc",
            "og:upc",
            "og:ean",
            "gtin13",
            "product:isbn",
            "books:isbn",
        )
    ]
    return {
        "name": _name(got),
        "brand": (main.brand if main else None) or facts.meta("product:brand", "og:brand", "brand"),
        "sku": _article_number([s for s in skus if s], facts, document),
        "gtin": valid_gtin(*gtins) or labelled_gtin(around),
        "condition": offer.condition if offer else None,
    }


def _article_number(found: list[str], facts: Facts, document: Document) -> str | None:
    """Return the number that the address or the page shows too, else the first one declared."""
    address = facts.url.lower()
    in_address = next((s for s in found if len(s) >= 4 and s.lower() in address), None)
    shown = next((s for s in found if len(s) >= 4 and s in document.text), None)
    return in_address or shown or next(iter(found), None) or _attribute_sku(document) or number_in_address(facts.url)


def _attribute_sku(document: Document) -> str | None:
    for name in ("data-sku", "data-product-sku", "data-product-id", "data-productid", "data-item-id"):
        node = document.tree.css_first(f"[{name}]")
        value = (node.attributes.get(name) or "").strip() if node is not None else ""
        if 2 < len(value) < 40:
            return value
    return None


def shown_values(seen: Sequence[Seen]) -> set[Decimal]:
    """Return the distinct visible amounts, for the command line's explanation."""
    return {s.value for s in seen}

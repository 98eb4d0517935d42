"""Bring together what every reader found on one page, the main product first."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

from monitor.domain.extraction import Hints
from monitor.extract import identity, loose_json, microdata, other_readers
from monitor.extract.anchor import find_anchor
from monitor.extract.currency import Locale, has_elsewhere, iso_code
from monitor.extract.declared import Offer, Product, products
from monitor.extract.document import Document
from monitor.extract.facts import Facts
from monitor.extract.signs import PENCE
from monitor.extract.standing import Anchor, Seen
from monitor.extract.variations import chosen_variation
from monitor.extract.visible import seen_amounts

MAX_BLOCKS = 60  #: JSON-LD blocks read

_LIST_TYPES = ('"CollectionPage"', '"SearchResultsPage"', '"OfferCatalog"')


@dataclass(frozen=True, slots=True)
class Gathered:
    """What all readers brought."""

    products: tuple[Product, ...]
    main: Product | None
    rivals: bool  #: several declared products compete for the page's own
    offers: tuple[tuple[Product, Offer], ...]  #: of the main product, those the address or the watch means
    declared: tuple[identity.Declared, ...]
    anchor: Anchor
    seen: tuple[Seen, ...]  #: empty until `look`
    facts: Facts
    typed_as_list: bool  #: a JSON-LD block says that the page is a list


def declared_products(document: Document, facts: Facts) -> tuple[list[Product], bool]:
    """Return the products of JSON-LD blocks and of microdata or RDFa, and whether a block calls the page a list.

    Elements are not searched for what the blocks have told.
    """
    found: list[Product] = []
    is_list = False
    left = loose_json.MAX_CHOMPED
    for text in islice(document.linked_data(), MAX_BLOCKS):
        is_list = is_list or any(mark in text for mark in _LIST_TYPES)
        value = loose_json.load(text, left)
        left -= len(text) if value is None else 0
        found += products(value, "json-ld")
    for item in () if _is_told(found, facts) else microdata.items(document, rdfa=not found):
        found += products(item, "microdata")
    return found, is_list


def _is_told(found: Sequence[Product], facts: Facts) -> bool:
    """Say whether there is one product with its price, and the page is about it."""
    top = [p for p in found if not p.nested]
    return len(top) == 1 and top[0].sure and any(o.price for o in top[0].offers) and identity.fits(top[0], facts)


def gather(document: Document, facts: Facts, hints: Hints) -> Gathered:
    """Read what a page declares and find where its product stands; `look` reads what it shows there."""
    found, typed_as_list = declared_products(document, facts)
    main, rivals = identity.main_product(found, facts)
    offers = [] if main is None or rivals else identity.pinned(main, _siblings(main, found), facts, hints)
    facts = _with_currencies(facts, [iso_code(o.currency) for _, o in offers])
    variation = chosen_variation(document, facts, hints, next((o.currency for _, o in offers if o.currency), None))
    if variation and not rivals:
        offers = [(_of_form(main), variation)]
    declared = identity.declared_amounts(offers, facts.locale)
    if not declared:
        declared = other_readers.meta_amounts(facts, facts.locale)
    anchor = find_anchor(document, facts, main.name if main and not rivals else None)
    if (main is None or rivals) and any(p.source == "microdata" for p in found):
        anchor = replace(anchor, foreign=not _is_in_item(document, anchor))
    return Gathered(tuple(found), main, rivals, tuple(offers), tuple(declared), anchor, (), facts, typed_as_list)


def _is_in_item(document: Document, anchor: Anchor) -> bool:
    """Say whether the product's name stands in an item of the markup for a product, whose offers are its own then."""
    return any(node.mem_id in anchor.around for node in document.tree.css('[itemtype*="roduct"]'))


def look(document: Document, got: Gathered) -> Gathered:
    """Add what the page shows around its product, and the currency that this tells."""
    main, facts, declared = got.main, got.facts, got.declared
    values = frozenset(d.value for d in declared)
    own = main is not None and not got.rivals and not main.nested and identity.fits(main, facts)
    seen = seen_amounts(document, got.anchor, values, sure=len(values) == 1 and own and not got.typed_as_list)
    if any(s.amount.sign == PENCE for s in seen) and facts.locale.meaning(PENCE) is None:
        seen = [s for s in seen if s.amount.sign != PENCE]
    seen = [_in_its_country(s, facts.locale) for s in seen if not facts.locale.is_measure(s.amount.sign)]
    if not facts.locale.declared and not (seen and _is_clear(seen, declared)):
        facts = _with_currencies(facts, [other_readers.state_currency(document) or _shown_currency(seen)])
    return Gathered(
        got.products, main, got.rivals, got.offers, declared, got.anchor, tuple(seen), facts, got.typed_as_list
    )


def _in_its_country(s: Seen, locale: Locale) -> Seen:
    """Return an amount in the money that its sign means in the page's country: roubles of Belarus, lei of Moldova."""
    if not has_elsewhere(s.amount.sign):
        return s
    meant = locale.meaning(s.amount.sign)
    return s if meant in (None, s.amount.currency) else replace(s, amount=replace(s.amount, currency=meant))


def _of_form(main: Product | None) -> Product:
    """Return the product a form sells, without the offers of its other variants."""
    if main is None:
        return Product("form", None, None, None, None, None, sure=True)
    return replace(main, source="form", offers=(), variants=())


def _siblings(main: Product, found: Sequence[Product]) -> list[Product]:
    """Return the variants that a page declares as products of their own beside the main one."""
    return [p for p in found if p is not main and not p.nested and p.source == main.source and p.name == main.name]


def _with_currencies(facts: Facts, codes: Sequence[str | None]) -> Facts:
    declared = tuple(dict.fromkeys([*(c for c in codes if c), *facts.locale.declared]))
    if declared == facts.locale.declared:
        return facts
    return replace(facts, locale=replace(facts.locale, declared=declared))


def _is_clear(seen: Sequence[Seen], declared: Sequence[identity.Declared]) -> bool:
    """Say whether every amount carries a currency of one meaning, so that no other word for it is needed."""
    return all(s.amount.currency for s in seen) and all(d.currency for d in declared)


def _shown_currency(seen: Sequence[Seen]) -> str | None:
    """Return the one currency whose own signs stand on the page, None when several do."""
    codes = {s.amount.currency for s in seen if s.amount.currency}
    return codes.pop() if len(codes) == 1 else None

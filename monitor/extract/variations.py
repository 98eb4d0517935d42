"""Variants that a shop writes into its order form, for an address or a watch that chooses one of them.

WooCommerce keeps every variation as JSON in an attribute of the form and names the chosen options in the address
(`?attribute_pa_size=1kg`), while what it declares and shows is the range of all. An option that a variation leaves
empty stands for any. What is not there, is broken, or leaves several prices, chooses nothing. Prices are those the form
would show, with or without tax like the page's own.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from monitor.domain.extraction import Hints
from monitor.extract import loose_json
from monitor.extract.declared import Offer, text_of
from monitor.extract.document import Document
from monitor.extract.facts import Facts
from monitor.extract.needles import holds

MAX_VARIATIONS = 500  #: variations looked at
MAX_FORM = 1_000_000  #: characters of the attribute that are read
_OPTION = "attribute_"
_MARK = b"data-product_variations"


def chosen_variation(document: Document, facts: Facts, hints: Hints, currency: str | None) -> Offer | None:
    """Return the offer of the one variation that the address or the watch means, None when none or several.

    Args:
        document: the page.
        facts: what it says about itself; its address may name options.
        hints: what the watch asks for.
        currency: what the page declares, for the form names none.
    """
    if not (facts.query or hints.variant or hints.sku or hints.gtin):
        return None
    asked = {k.lower(): v.lower() for k, v in facts.query.items() if k.lower().startswith(_OPTION) and v}
    wanted = {w.lower() for w in (hints.variant, hints.sku, hints.gtin, facts.query.get("variation_id")) if w}
    if not (asked or wanted) or not holds(document.encoded, _MARK):
        return None
    every = list(_variations(document))
    named = [v for v in every if wanted & _keys(v)] if wanted else []
    meant = named or [v for v in every if asked and _fits(v, asked)]
    offers = [_offer(v, currency) for v in meant]
    return offers[0] if len({o.price for o in offers}) == 1 and offers[0].price else None


def _variations(document: Document) -> Iterator[Mapping[str, Any]]:
    form = document.tree.css_first(f"[{_MARK.decode()}]")
    text = form.attributes.get(_MARK.decode()) if form is not None else None
    found = loose_json.load(text) if text and len(text) <= MAX_FORM else None
    for each in found[:MAX_VARIATIONS] if isinstance(found, list) else ():
        if isinstance(each, Mapping) and isinstance(each.get("attributes"), Mapping):
            yield each


def _keys(variation: Mapping[str, Any]) -> set[str]:
    named = (text_of(variation.get(key)) for key in ("variation_id", "sku", "global_unique_id"))
    options = (text_of(value) for value in variation["attributes"].values())
    return {key.lower() for key in (*named, *options) if key}


def _fits(variation: Mapping[str, Any], asked: Mapping[str, str]) -> bool:
    options = {str(k).lower(): str(v).lower() for k, v in variation["attributes"].items()}
    return all(options.get(name, value) in ("", value) for name, value in asked.items()) and all(
        value == "" or name in asked for name, value in options.items()
    )


def _offer(variation: Mapping[str, Any], currency: str | None) -> Offer:
    price, regular = (text_of(variation.get(key)) for key in ("display_price", "display_regular_price"))
    in_stock = variation.get("is_in_stock")
    stock = None if in_stock is None else "InStock" if in_stock else "OutOfStock"
    return Offer(
        price=price, currency=currency, list_price=regular, availability=stock, sku=text_of(variation.get("sku"))
    )

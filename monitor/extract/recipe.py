"""Read a page by an operator's recipe: CSS selectors by field. A recipe that matches nothing is an error.

Fields: price (required), list_price, availability, name, sku are selectors, `selector@attribute` reads an
attribute; currency is a literal ISO 4217 code. Nothing else of the page replaces what a selector misses.
"""

from decimal import Decimal

from selectolax.lexbor import SelectolaxError

from monitor.domain.extraction import Availability, Evidence, Extraction, Hints, Outcome, Role, Verdict
from monitor.extract.availability import declared_availability, spoken_availability
from monitor.extract.currency import iso_code
from monitor.extract.document import Document
from monitor.extract.facts import Facts
from monitor.extract.price_text import read_price

FIELDS = ("price", "list_price", "currency", "availability", "name", "sku")


def apply_recipe(document: Document, facts: Facts, hints: Hints) -> Extraction:
    """Return the reading of `hints.recipe`, outcome `no_price` with `recipe_no_match` when its price is not there."""
    recipe = hints.recipe
    currency = iso_code(recipe.get("currency")) or hints.currency
    text = selected(document, recipe.get("price", ""))
    if text is None:
        words = (
            f"the recipe's price selector {recipe.get('price', '')!r} matches nothing on the page; "
            "nothing else was read instead"
        )
        return Extraction(Outcome.NO_PRICE, "recipe_no_match", words)
    value, code = read_price(text, currency)
    code = code or facts.locale.only_currency() or currency
    if value is None or value <= 0 or code is None:
        words = f"the recipe's price selector finds {text[:80]!r}, which is no amount with a known currency"
        return Extraction(Outcome.NO_PRICE, "recipe_no_amount", words)
    if currency and code != currency:
        words = f"the recipe says {currency}, the page shows {text[:80]!r}; nothing was read instead"
        return Extraction(Outcome.NO_PRICE, "recipe_currency_differs", words)
    chosen = Evidence(
        f"recipe {recipe.get('price', '')}"[:80],
        text[:200],
        value,
        code,
        Role.CURRENT,
        Verdict.CHOSEN,
        "the recipe names it",
    )
    return Extraction(
        Outcome.OK,
        "recipe",
        "read by the competitor's recipe",
        price=value,
        currency=code,
        list_price=_former(selected(document, recipe.get("list_price", "")), code, value),
        availability=_stock(selected(document, recipe.get("availability", ""))),
        name=selected(document, recipe.get("name", "")) or next((t for t, _ in facts.headings), None),
        sku=selected(document, recipe.get("sku", "")),
        evidence=(chosen,),
    )


def selected(document: Document, selector: str) -> str | None:
    """Return the text or attribute a selector finds first, None when it finds nothing or is no selector."""
    if not selector:
        return None
    css, _, attribute = selector.partition("@")
    try:
        node = document.tree.css_first(css.strip())
    except (SelectolaxError, ValueError):
        return None
    if node is None:
        return None
    text = node.attributes.get(attribute.strip()) if attribute else node.text(deep=True, separator=" ")
    return " ".join((text or "")[:2000].split()) or None


def _former(text: str | None, currency: str, price: Decimal) -> Decimal | None:
    value = read_price(text, currency)[0] if text else None
    return value if value is not None and value > price else None


def _stock(text: str | None) -> Availability:
    return declared_availability([text]) or spoken_availability(text or "")

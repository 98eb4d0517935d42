"""Suggest a recipe for a page that was read: the selectors at which its price and former price stand.

A suggestion is a start for a person, not a reading: it is only made where the selector finds the same amount first.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from itertools import islice

from selectolax.lexbor import LexborNode

from monitor.domain.extraction import IN_PIECES, Evidence, Extraction, Role
from monitor.extract.charset import as_utf8
from monitor.extract.document import Document, read_document
from monitor.extract.price_text import read_price
from monitor.extract.recipe import selected

MAX_PLACES = 200  #: text nodes tried per amount
MAX_TRIED = 120  #: selectors tried per amount; a page made to match none must not hold up a night
MOST_AMOUNTS = 3  #: amounts for which a page without a price is searched
CLIMBED = 4  #: ancestors tried per text node

_PLAIN_NAME = re.compile(r"[A-Za-z][A-Za-z_-]{1,40}")


def suggest_recipe(body: bytes, url: str, found: Extraction, content_type: str | None = None) -> dict[str, str]:
    """Return recipe fields that reproduce a reading, empty when no short selector does."""
    if found.price is None or found.currency is None:
        return {}
    document = read_document(as_utf8(body, content_type), url)
    price = _selector(document, found.price, found.currency)
    if price is None:
        return {}
    recipe = {"price": price, "currency": found.currency}
    former = _selector(document, found.list_price, found.currency) if found.list_price else None
    return {**recipe, "list_price": former} if former and former != price else recipe


def suggestions(
    body: bytes, url: str, found: Extraction, content_type: str | None = None, *, support: str | None = None
) -> Iterator[tuple[Decimal, str, dict[str, str]]]:
    """Yield amount, currency and recipe for what a page that gave no price may have meant, the likeliest first.

    None where the price stands in pieces: a recipe reads the text of one element, which would be one of them.

    Args:
        body: the page.
        url: where it lies.
        found: what was made of it; its evidence names the candidates.
        content_type: of the answer, for its charset.
        support: the currency of candidates that name none.
    """
    if found.reason == IN_PIECES:
        return
    for amount, currency in islice(_possible(found.evidence, support), MOST_AMOUNTS):
        supposed = replace(found, price=amount, currency=currency, list_price=None)
        if recipe := suggest_recipe(body, url, supposed, content_type):
            yield amount, currency, recipe


def _possible(evidence: tuple[Evidence, ...], support: str | None) -> Iterator[tuple[Decimal, str]]:
    """Yield each amount that is not plainly something else, with its currency, once."""
    seen: set[tuple[Decimal, str]] = set()
    for role in (Role.CURRENT, Role.OTHER, Role.RANGE_END):
        for each in evidence:
            currency = each.currency or support
            if each.role is role and each.amount and currency and (each.amount, currency) not in seen:
                seen.add((each.amount, currency))
                yield each.amount, currency


def _selector(document: Document, amount: Decimal, currency: str) -> str | None:
    tried: set[str] = set()
    for node in _nodes_with(document, amount, currency):
        for selector in _selectors(node):
            if selector in tried:
                continue
            if len(tried) == MAX_TRIED:
                return None
            tried.add(selector)
            text = selected(document, selector)
            if text and len(text) <= 60 and read_price(text, currency)[0] == amount:
                return selector
    return None


def _nodes_with(document: Document, amount: Decimal, currency: str) -> Iterator[LexborNode]:
    count = 0
    for node in document.nodes:
        text = node.text_content or ""
        if any(c.isdigit() for c in text) and len(text) < 200 and read_price(text, currency)[0] == amount:
            count += 1
            if count > MAX_PLACES:
                return
            yield node


def _selectors(node: LexborNode) -> Iterator[str]:
    """Yield short selectors of the element around a text node and of its nearest ancestors, the surest first."""
    element, inner = node.parent, ""
    for _ in range(CLIMBED):
        if element is None or element.tag in ("body", "html"):
            return
        attributes = element.attributes
        if attributes.get("itemprop") == "price":
            yield '[itemprop="price"]'
        identity = attributes.get("id") or ""
        if _PLAIN_NAME.fullmatch(identity):
            yield f"#{identity}"
        for name in (attributes.get("class") or "").split()[:6]:
            if _PLAIN_NAME.fullmatch(name):
                yield f".{name}"
                yield f"{element.tag}.{name}"
                if inner:
                    yield f".{name} {inner}"
        inner = inner or element.tag or ""
        element = element.parent


def as_toml(recipe: dict[str, str], host: str) -> str:
    """Return a recipe as it is written into `competitors.toml`, below its `[[competitor]]`."""
    lines = [f"{field} = {_quoted(selector)}" for field, selector in recipe.items()]
    return "\n".join([f"# {host}", "[competitor.recipe]", *lines])


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

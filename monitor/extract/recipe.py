"""Read a page by an operator's recipe: CSS selectors by field. A recipe that matches nothing is an error.

Fields: price (required), list_price, availability, name, sku are selectors, `selector@attribute` reads an
attribute; currency, locale, tax and tax_rate are literal. Nothing else of the page replaces what a selector misses.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from babel.core import Locale, UnknownLocaleError
from babel.numbers import get_decimal_symbol, get_group_symbol
from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from monitor.domain.extraction import Availability, Evidence, Extraction, Hints, Outcome, Role, Verdict
from monitor.domain.money import rounded
from monitor.extract.amounts import amounts, visible_characters
from monitor.extract.availability import declared_availability, spoken_availability
from monitor.extract.currency import iso_code
from monitor.extract.document import Document
from monitor.extract.facts import Facts
from monitor.extract.price_text import read_price

SELECTORS = ("price", "list_price", "availability", "name", "sku")
FIELDS = (*SELECTORS, "currency", "locale", "tax", "tax_rate")
TAX_MODES = ("included", "excluded")
MAX_RATE = 100  #: percent

_RATE = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3})?")


@dataclass(frozen=True, slots=True)
class _Terms:
    """How the amounts of one competitor are written and what they hold."""

    currency: str | None
    locale: str | None
    factor: Decimal  #: from the amount shown to the amount with tax


def faults(recipe: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with a recipe before any page is read: the field, and words with the accepted forms."""
    yield from _faults_of_terms(recipe)
    for name in SELECTORS:
        if recipe.get(name) and not is_selector(css := recipe[name].partition("@")[0].strip()):
            yield (
                name,
                f"{name} = {css[:200]!r} is no CSS selector; write one as in a style sheet, for example "
                '".price .amount", without XPath, :contains() and the like',
            )


def _faults_of_terms(recipe: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name in recipe:
        if name not in FIELDS:
            yield name, f"{name!r} is no field of a recipe; the fields are {', '.join(FIELDS)}"
    if not recipe.get("price"):
        yield "price", "the recipe has no price; write the CSS selector of what a shopper pays"
    code = recipe.get("currency")
    if code and iso_code(code) is None:
        yield "currency", f"currency = {code!r} is no ISO 4217 code; write for example EUR"
    if recipe.get("locale") and _symbols(recipe["locale"]) is None:
        yield "locale", f"locale = {recipe['locale']!r} is not known; write for example de-DE or en-GB"
    yield from _tax_faults(recipe)


@lru_cache(maxsize=1024)
def is_selector(css: str) -> bool:
    """Say whether the parser that later looks for it reads this as a CSS selector."""
    try:
        LexborHTMLParser(b"<p>").css_first(css)
    except (SelectolaxError, ValueError):
        return False
    return True


def _tax_faults(recipe: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    mode, rate = recipe.get("tax", "included"), recipe.get("tax_rate")
    if mode not in TAX_MODES:
        yield "tax", f"tax = {mode!r}; write included or excluded"
    if mode == "excluded" and rate is None:
        yield "tax", 'tax = "excluded" needs tax_rate, the percentage to add, for example "19"'
    if rate is not None and (not _RATE.fullmatch(rate) or Decimal(rate) > MAX_RATE):
        yield "tax_rate", f"tax_rate = {rate!r} is no percentage; write for example 19 or 7.7"
    if rate is not None and mode == "included":
        yield "tax_rate", 'tax_rate is only used with tax = "excluded"'


def apply_recipe(document: Document, facts: Facts, hints: Hints) -> Extraction:
    """Return the reading of `hints.recipe`, outcome `no_price` with `recipe_no_match` when its price is not there."""
    recipe = hints.recipe
    _, wrong = next(_faults_of_terms(recipe), ("", None))
    if wrong:
        return Extraction(Outcome.NO_PRICE, "recipe_wrong", f"{wrong}; nothing was read instead")
    terms = _terms(recipe, hints)
    text = selected(document, recipe["price"])
    if text is None:
        words = f"the recipe's price selector {recipe['price']!r} matches nothing on the page"
        words += "; nothing else was read instead"
        return Extraction(Outcome.NO_PRICE, "recipe_no_match", words)
    shown, code = _amount(text, terms)
    code = code or facts.locale.only_currency() or terms.currency
    if shown is None or shown <= 0 or code is None:
        words = f"the recipe's price selector finds {text[:80]!r}, which is no amount with a known currency"
        return Extraction(Outcome.NO_PRICE, "recipe_no_amount", words)
    if terms.currency and code != terms.currency:
        words = f"the recipe says {terms.currency}, the page shows {text[:80]!r}; nothing was read instead"
        return Extraction(Outcome.NO_PRICE, "recipe_currency_differs", words)
    return _read(document, facts, recipe, terms, (text, shown, code))


def _read(
    document: Document, facts: Facts, recipe: Mapping[str, str], terms: _Terms, found: tuple[str, Decimal, str]
) -> Extraction:
    text, shown, code = found
    value = _with_tax(shown, code, terms)
    why = "the recipe names it" if terms.factor == 1 else f"the recipe names {shown} without tax and the rate to add"
    chosen = Evidence(f"recipe {recipe['price']}"[:80], text[:200], value, code, Role.CURRENT, Verdict.CHOSEN, why)
    former = selected(document, recipe.get("list_price", ""))
    listed = _amount(former, terms)[0] if former else None
    listed = None if listed is None else _with_tax(listed, code, terms)
    return Extraction(
        Outcome.OK,
        "recipe",
        "read by the competitor's recipe",
        price=value,
        currency=code,
        list_price=listed if listed is not None and listed > value else None,
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


def _terms(recipe: Mapping[str, str], hints: Hints) -> _Terms:
    excluded = recipe.get("tax") == "excluded"
    factor = 1 + Decimal(recipe["tax_rate"]) / 100 if excluded else Decimal(1)
    return _Terms(iso_code(recipe.get("currency")) or hints.currency, recipe.get("locale"), factor)


def _with_tax(value: Decimal, currency: str, terms: _Terms) -> Decimal:
    return value if terms.factor == 1 else rounded(value * terms.factor, currency)


def _amount(text: str, terms: _Terms) -> tuple[Decimal | None, str | None]:
    """Return amount and currency of a text, its separators read as the recipe's locale writes them."""
    value, code = read_price(text, terms.currency)
    symbols = _symbols(terms.locale) if terms.locale else None
    if value is None or symbols is None:
        return value, code
    shown = visible_characters(text)
    every = list(amounts(shown))
    first = next((a for a in every if a.value == value), None)
    written = re.search(r"[0-9][0-9.,'’\s]*", shown[first.start : first.end]) if first else None
    return (_in_locale(written.group().strip(), *symbols) if written else None), code


def _in_locale(written: str, decimal: str, group: str) -> Decimal | None:
    """Return the number as a locale writes it; None when its separators stand where that locale has none."""
    plain = re.sub(r"[\s'’]", "", written).rstrip(".,")
    mark = re.escape(group) if group in ".," else ""
    grouped = rf"[0-9]{{1,3}}(?:{mark}[0-9]{{2,3}})*" if mark else "[0-9]+"
    if not re.fullmatch(rf"(?:{grouped}|[0-9]+)(?:{re.escape(decimal)}[0-9]+)?", plain):
        return None
    return Decimal((plain.replace(group, "") if mark else plain).replace(decimal, "."))


def _symbols(tag: str) -> tuple[str, str] | None:
    """Return the decimal and the grouping mark of a locale, None when it is not known. Source: CLDR."""
    try:
        locale = Locale.parse(tag.replace("-", "_"))
    except (UnknownLocaleError, ValueError):
        return None
    return get_decimal_symbol(locale), get_group_symbol(locale)


def _stock(text: str | None) -> Availability:
    return declared_availability([text]) or spoken_availability(text or "")

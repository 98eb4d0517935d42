"""What `monitor check` knows of one target once it was read: what to try, and the recipes that may be started from."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from monitor.cli.visiting import Known
from monitor.domain.extraction import IN_PIECES, RECIPE_FAILED, Extraction, Hints, Outcome
from monitor.domain.helping import BROWSER_HELPS, RECIPE_FAILS_HELPS, RECIPE_HELPS, what_helps
from monitor.domain.money import amount_text
from monitor.extract import extract as read_page
from monitor.extract import suggest_recipe
from monitor.extract.scripted import sign_of_scripts
from monitor.extract.suggest import suggestions


@dataclass(frozen=True, slots=True)
class Checked:
    """One target with what was read from it."""

    target: str
    url: str
    body: bytes
    content_type: str | None
    found: Extraction
    known: Known | None = None
    robots: str | None = None  #: what is odd about the robots.txt of its host


def hint_of(checked: Checked) -> str | None:
    """Return what to try: for a page without a price a browser where scripts seem to draw it, else a recipe."""
    if checked.found.reason in RECIPE_FAILED:
        return RECIPE_FAILS_HELPS
    if checked.found.outcome is not Outcome.NO_PRICE or checked.found.reason == IN_PIECES:
        return what_helps(checked.found.outcome, checked.found.reason)
    shown = checked.known is not None and checked.known.rules.browser
    if not shown and (sign := sign_of_scripts(checked.body)):
        return f"the page looks drawn by scripts ({sign}); {BROWSER_HELPS}"
    return RECIPE_HELPS if checked.found.reason == "no_clear_price" and not any(recipes(checked)) else None


def recipes(checked: Checked) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield a recipe that reproduces the answer; without a price one for each candidate amount that could be it.

    Where the recipe that is set fails, it is one for what the page says by itself.
    """
    found, hints = checked.found, checked.known.hints if checked.known is not None else Hints()
    what = "a recipe to start from, should this page ever need one:"
    if found.reason in RECIPE_FAILED:
        found = read_page(checked.body, checked.url, checked.content_type, hints=replace(hints, recipe={}))
        what = f"without its recipe the page is read as {money(found.price, found.currency)}; one that reads this too:"
    if found.price is not None:
        if recipe := suggest_recipe(checked.body, checked.url, found, checked.content_type):
            yield what, recipe
        return
    for amount, currency, recipe in suggestions(
        checked.body, checked.url, found, checked.content_type, support=hints.currency
    ):
        yield f"if {amount_text(amount, currency)} {currency} is the price, a recipe to start from:", recipe


def money(amount: Decimal | None, currency: str | None) -> str | None:
    """Return an amount with its currency, None without one."""
    return None if amount is None else f"{amount_text(amount, currency)} {currency or '(no currency named)'}"

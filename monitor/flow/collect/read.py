"""Reading one page, as a pure function of its bytes: what may go wrong with a hostile page goes wrong here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from monitor.domain.catalogue import Watch
from monitor.domain.extraction import RECIPE_FAILED, Extraction, Hints, Outcome
from monitor.domain.page import Page
from monitor.extract import extract, suggest_recipe
from monitor.extract.charset import decoded
from monitor.extract.platforms import Detected, adapter_of, detected
from monitor.extract.platforms.marks import MAX_LOOKED
from monitor.extract.platforms.shopify import presentment_currency
from monitor.extract.suggest import suggestions
from monitor.flow.collect.one_reader import one_reader

#: Larger pages are not searched for a recipe.
MOST_SEARCHED_BYTES = 1_000_000
_WITH_CANDIDATES = frozenset({Outcome.NO_PRICE, Outcome.AMBIGUOUS})


@dataclass(frozen=True, slots=True)
class Suggested:
    """A recipe that a person may try on a page that gave no price."""

    amount: Decimal
    currency: str
    recipe: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class PageReading:
    """What one page says of each watch that was looked for on it."""

    extractions: tuple[Extraction, ...]  #: one per hint, in their order
    shown_currency: str | None  #: that the shop shows this visitor, looked for where a watch got no price
    platform: Detected | None = None  #: what gives the shop's platform away, where that was looked for
    learned: Mapping[str, Any] = field(default_factory=dict)  #: by the platform's adapter, for later catalogue calls
    suggested: Suggested | None = None  #: for a page that gave no price


@one_reader()
def read_page(page: Page, hints: Sequence[Hints], watches: Sequence[Watch] = (), platform: str = "auto") -> PageReading:
    """Read a page once for each watch that it should show.

    Args:
        page: as it came.
        hints: one per watch.
        watches: those looked for, for what an adapter learns of them.
        platform: whose adapter may learn from the page, if there is one; `auto`: the one that the page gives away.
    """
    found = tuple(extract(page.body, page.final_url, page.content_type, hints=each) for each in hints)
    given_away = detected(page.body[:MAX_LOOKED], page.headers) if platform == "auto" else None
    sure = given_away.name if given_away is not None and given_away.is_sure else None
    adapter = adapter_of(sure if platform == "auto" else platform)
    learned = adapter.learn(decoded(page.body, page.content_type), watches) if adapter is not None else {}
    is_read = all(one.outcome is Outcome.OK for one in found)
    shown = None if is_read else presentment_currency(page.body)
    return PageReading(found, shown, given_away, learned, None if is_read else _suggested(page, found, hints))


def _suggested(page: Page, found: Sequence[Extraction], hints: Sequence[Hints]) -> Suggested | None:
    """Return the likeliest recipe for the first watch whose candidates were not enough, or whose recipe fails."""
    if len(page.body) > MOST_SEARCHED_BYTES:
        return None
    for one, hint in zip(found, hints, strict=True):
        if one.reason in RECIPE_FAILED:
            return _without_recipe(page, hint)
        if one.outcome in _WITH_CANDIDATES:
            made = suggestions(page.body, page.final_url, one, page.content_type, support=hint.currency)
            return next((Suggested(*each) for each in made), None)
    return None


def _without_recipe(page: Page, hint: Hints) -> Suggested | None:
    """Return a recipe for what a page says by itself, in place of one that fails."""
    one = extract(page.body, page.final_url, page.content_type, hints=replace(hint, recipe={}))
    recipe = suggest_recipe(page.body, page.final_url, one, page.content_type)
    if not recipe or one.price is None or one.currency is None:
        return None
    return Suggested(one.price, one.currency, recipe)

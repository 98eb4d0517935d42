"""From an answer of a shop to the observation of a watch, with the doubts that a visit adds.

Extraction reads the page it is given. Whether that page still is the watched product, and whether the
currency is the one this competitor showed so far, can only be judged with what is known of the watch.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from urllib.parse import urlsplit

from monitor.domain.answer import NoReading
from monitor.domain.catalogue import Competitor, Watch
from monitor.domain.extraction import Availability, Extraction, Hints, Outcome
from monitor.domain.observation import Observation
from monitor.domain.page import Page


@dataclass(frozen=True, slots=True)
class Memory:
    """What earlier nights know of a watch."""

    name: str | None = None  #: product name of the last `ok` reading
    currency: str | None = None  #: of the last `ok` reading


def hints_for(competitor: Competitor, watch: Watch) -> Hints:
    """Return what the operator knows about a page."""
    return Hints(
        currency=competitor.currency,
        language=competitor.language,
        sku=watch.their_sku,
        gtin=watch.their_gtin,
        variant=watch.variant,
        recipe=competitor.recipe,
    )


def trusted(found: Extraction, page: Page, watch: Watch, memory: Memory) -> Extraction:
    """Return the extraction, or a refusal when the page is another one or in another currency than so far.

    Source: fetch scenarios of comparable tools: a withdrawn product redirects to a category, to the home page or to its
    successor, and the successor's price was stored.
    """
    if found.outcome is not Outcome.OK:
        return found
    moved = _moved(found, page, watch, memory)
    if moved is not None:
        return _refused(found, Outcome.NOT_FOUND, "redirected", moved)
    if memory.currency is not None and found.currency != memory.currency:
        words = (
            f"the shop showed {found.currency} and so far showed {memory.currency}; nothing is recorded until the "
            f"competitor's currency is set to {found.currency} or the shop shows {memory.currency} again"
        )
        return _refused(found, Outcome.AMBIGUOUS, "currency_changed", words)
    return found


def _refused(found: Extraction, outcome: Outcome, reason: str, words: str) -> Extraction:
    return replace(found, outcome=outcome, reason=reason, words=words, price=None, list_price=None)


def _moved(found: Extraction, page: Page, watch: Watch, memory: Memory) -> str | None:
    """Say where a redirect led to when it is not the watched product any more, else None."""
    asked, final = urlsplit(watch.url), urlsplit(page.final_url)
    if (asked.path.rstrip("/"), asked.query) == (final.path.rstrip("/"), final.query):
        return None
    if final.path in ("", "/"):
        return f"no longer a product page: redirected to the shop's home page {page.final_url}"
    if _is_same(found, asked.path, final.path, watch, memory):
        return None
    return f"redirected to {page.final_url}, which may be another product; enter the new address if it is the same"


def _is_same(found: Extraction, asked: str, final: str, watch: Watch, memory: Memory) -> bool:
    if watch.their_sku or watch.their_gtin:
        return found.sku == watch.their_sku if watch.their_sku else found.gtin == watch.their_gtin
    if memory.name and found.name:
        return memory.name == found.name
    return asked.rstrip("/").rsplit("/", 1)[-1] == final.rstrip("/").rsplit("/", 1)[-1]


def observation_of(
    found: Extraction, watch: Watch, *, run_id: str, at: datetime, evidence: str | None = None
) -> Observation:
    """Return the observation of a reading; only `ok` carries a price."""
    is_ok = found.outcome is Outcome.OK
    return Observation(
        run_id=run_id,
        competitor=watch.competitor,
        sku=watch.sku,
        url=watch.url,
        outcome=found.outcome,
        reason=found.reason,
        words=found.words,
        observed_at=at,
        price=found.price if is_ok else None,
        currency=found.currency if is_ok else None,
        list_price=found.list_price if is_ok else None,
        availability=found.availability,
        shipping=found.shipping if is_ok else None,
        name=found.name,
        evidence=evidence,
    )


def no_observation(why: NoReading, watch: Watch, *, run_id: str, at: datetime) -> Observation:
    """Return the observation of a watch that was not read."""
    return Observation(
        run_id=run_id,
        competitor=watch.competitor,
        sku=watch.sku,
        url=watch.url,
        outcome=why.outcome,
        reason=why.reason,
        words=why.words,
        observed_at=at,
        availability=Availability.UNKNOWN,
    )


def evidence_json(found: Extraction, watch: Watch, page: Page) -> Mapping[str, object]:
    """Return what is kept to explain a reading later: the answer, every candidate, and where it was read."""
    return {
        "url": watch.url,
        "final_url": page.final_url,
        "status": page.status,
        "outcome": found.outcome.value,
        "reason": found.reason,
        "words": found.words,
        "price": None if found.price is None else str(found.price),
        "currency": found.currency,
        "name": found.name,
        "sku": found.sku,
        "gtin": found.gtin,
        "candidates": [candidate.as_json() for candidate in found.evidence],
    }

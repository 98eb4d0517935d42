"""From an answer of a shop to the observation of a watch, with the doubts that a visit adds.

Extraction reads the page it is given. Whether that page still is the watched product, and whether the
currency is the one this competitor showed so far, can only be judged with what is known of the watch.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from urllib.parse import parse_qsl, unquote, urlsplit

from monitor.domain.answer import NoReading
from monitor.domain.catalogue import Competitor, Watch
from monitor.domain.extraction import Availability, Extraction, Hints, Outcome
from monitor.domain.money import in_places
from monitor.domain.observation import Observation
from monitor.domain.page import Page

#: Outcomes of which it matters whether the page is still the watched one.
_OF_A_PAGE = frozenset({Outcome.OK, Outcome.NO_PRICE, Outcome.LISTING, Outcome.AMBIGUOUS})
#: Pages that a shop shows instead of all its pages: nothing more is asked of it tonight.
SHOP_CLOSED = frozenset({"maintenance", "password_page", "consent_wall", "location_needed", "age_gate", "parked"})
#: What extraction recognises as no page of a product at all.
CLOSED = SHOP_CLOSED | {"login_page", "not_a_page", "sent_on"}
#: A language in front of a path: `/en/p/1`, `/de-at/p/1`.
_LANGUAGE = re.compile(r"\A/[a-z]{2}(?:[-_][a-zA-Z]{2})?(?=/|\Z)")
#: A session in a path, as servers write it for visitors without cookies, and the ending of a page's file.
_WAY_OF_WRITING = re.compile(r";jsessionid=[^/;]*|(?:\.html?|/)\Z", re.IGNORECASE)
#: Query names that say where a visitor came from.
_TRACKING = re.compile(r"utm_|gclid|fbclid|msclkid|srsltid|_(?:pos|psq|sid|ss|v)\Z|ref\Z", re.IGNORECASE)
#: Where a header sends visitors on to at once, as a tag of the page may.
_REFRESH = re.compile(r"\A\s*[0-5]\s*[;,]\s*(?:url\s*=\s*)?[\"']?([^\s\"']+)", re.IGNORECASE)
#: What a page says of a product that is gone, though it answers as if it were there.
_GONE_WITH_200 = "page not found (answered 200)"
#: What no database keeps as text: NUL, and halves of surrogate pairs that broken JSON escapes leave behind.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


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


def trusted(found: Extraction, page: Page, watch: Watch, memory: Memory, currency: str | None = None) -> Extraction:
    """Return the extraction, or a refusal when the page is another one or in another currency than so far.

    Args:
        found: what the page says by itself.
        page: as it came.
        watch: what was asked for.
        memory: what earlier nights know of the watch.
        currency: what the operator set for the competitor; it settles a change.

    """
    return in_known_currency(of_the_page(found, page, watch, memory), memory, currency)


def of_the_page(found: Extraction, page: Page, watch: Watch, memory: Memory) -> Extraction:
    """Return the extraction, or a refusal when the page is not the one that was asked for.

    Source: fetch scenarios of comparable tools: a withdrawn product redirects to a category, to the home page or to its
    successor, and the successor's price was stored.
    """
    if found.outcome is Outcome.NO_PRICE and found.reason in CLOSED:
        return replace(found, outcome=Outcome.FAILED)
    if found.outcome is Outcome.NO_PRICE and (to := _REFRESH.search(page.headers.get("refresh", ""))):
        words = (
            f"the page sends visitors on to {to.group(1)[:300]}, which was not followed; enter that address if it is"
        )
        return replace(found, outcome=Outcome.FAILED, reason="sent_on", words=f"{words} the product's")
    if found.reason == "soft_404" and page.status == 200 and _GONE_WITH_200 not in found.words:
        return replace(found, words=f"{_GONE_WITH_200}: {found.words}")
    if found.outcome in _OF_A_PAGE:
        moved = _moved(found, page, watch, memory)
        if moved is not None:
            return _refused(found, Outcome.NOT_FOUND, "redirected", moved)
    return found


def in_known_currency(found: Extraction, memory: Memory, currency: str | None = None) -> Extraction:
    """Return the extraction, or a refusal when it is in another currency than so far and nobody said so."""
    if found.outcome is Outcome.OK and found.currency is None:
        words = "the shop names an amount and no currency; enter the competitor's currency in competitors.toml"
        return _refused(found, Outcome.AMBIGUOUS, "currency_unknown", words)
    if found.outcome is not Outcome.OK or found.currency == currency:
        return found
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
    is_proven = _is_proven(found, watch)
    if _written(asked.path) == _written(final.path):
        if is_proven or not _choices(asked.query) - _choices(final.query):
            return None
        return f"redirected to {page.final_url}, which does not say any more which variant it shows"
    asked_path, final_path = _place(asked.path), _place(final.path)
    if asked_path and not final_path:
        return f"no longer a product page: redirected to the shop's home page {page.final_url}"
    if found.outcome is Outcome.LISTING:
        return f"no longer a product page: redirected to {page.final_url}, which lists several products"
    is_named = bool(memory.name) and memory.name == found.name
    is_at_home = final_path.endswith(asked_path) or asked_path.endswith(final_path)
    if is_proven if is_proven is not None else (is_named or is_at_home):
        return None
    return f"redirected to {page.final_url}, which may be another product; enter the new address if it is the same"


def _is_proven(found: Extraction, watch: Watch) -> bool | None:
    """Say whether the page shows the number that the operator knows, None when there is none to compare."""
    for known, shown in ((watch.their_sku, found.sku), (watch.their_gtin, found.gtin)):
        if known and shown:
            return known == shown
    return None


def _choices(query: str) -> set[tuple[str, str]]:
    """Return what a query may choose a variant with: all but the marks of campaigns and searches."""
    return {one for one in parse_qsl(query, keep_blank_values=True) if not _TRACKING.match(one[0])}


def _place(path: str) -> str:
    """Return a path without a language in front; the home page is empty."""
    return _LANGUAGE.sub("", _written(path))


def _written(path: str) -> str:
    """Return a path in one way of writing it: shops send visitors on to another of the same page."""
    return _WAY_OF_WRITING.sub("", unquote(path)).rstrip("/").lower()


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
        words=clean(found.words),
        observed_at=at,
        price=_kept(found.price, found.currency) if is_ok else None,
        currency=found.currency if is_ok else None,
        list_price=_kept(found.list_price, found.currency) if is_ok else None,
        availability=found.availability,
        shipping=_kept(found.shipping, found.currency) if is_ok else None,
        name=clean(found.name) if found.name else None,
        evidence=evidence,
    )


def _kept(amount: Decimal | None, currency: str | None) -> Decimal | None:
    return None if amount is None else in_places(amount, currency)


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


def clean(text: str) -> str:
    """Return text that a database can keep: what it cannot becomes the sign for an unreadable character."""
    return _UNSTORABLE.sub("\ufffd", text)


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

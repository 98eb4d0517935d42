"""Ask a shop whether a page changed, and take its no for exactly what it says.

A 304 confirms one body: the one that came with the validators sent. So that body is kept, and on a 304 it is read
again, with the settings and the reader of tonight; the old answer is never repeated unseen. Only a page from which
every watch was read right is kept, so a night on which reading failed has nothing that could be confirmed.

What the page may depend on (language, currency, recipe, who we are) drops the validators when it changes. After a
week the page is asked for whole once, because shops are wrong about this too.

Source: RFC 9110, section 13.1; thp/urlwatch#292 and elastic/crawler#221 are what happens otherwise.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from monitor.domain.catalogue import Competitor
from monitor.domain.extraction import Extraction, Outcome
from monitor.domain.page import MAX_CONFIRMED, FetchRules, KeptPage, Miss, Page
from monitor.durable import ToolContext
from monitor.ports.store import Effect, Store, Unit
from monitor.ports.world import Fetcher

#: Larger pages are not kept.
MOST_KEPT_BYTES = 1_000_000

_VALIDATOR = re.compile(r"[\x21-\x7e][\x20-\x7e]{0,499}")


@dataclass(frozen=True, slots=True)
class Asked:
    """What came back, and what was kept of the address before."""

    answer: Page | Miss
    before: KeptPage | None
    confirmed: KeptPage | None = None  #: the shop said that this one is still right; `answer` has its body

    @property
    def since(self) -> datetime | None:
        """When the shop last sent the confirmed page whole."""
        return None if self.confirmed is None else self.confirmed.fetched_at


def settings_of(competitor: Competitor, agent: str) -> str:
    """Return a fingerprint of what a page and its reading may depend on."""
    told = [agent, competitor.language, competitor.currency, sorted(competitor.recipe.items())]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Keeping:
    """What was kept of one competitor's pages when its visit began."""

    pages: Mapping[str, KeptPage]  #: by address
    now: datetime
    asked_with: str  #: fingerprint of tonight's settings

    @classmethod
    def of(cls, store: Store, competitor: Competitor, agent: str) -> "Keeping":
        """Read it, once for a visit: no other job touches this competitor's pages."""
        with store.read() as unit:
            return cls(unit.shops.kept_pages(competitor.id), unit.now, settings_of(competitor, agent))

    def offered(self, url: str) -> KeptPage | None:
        """Return the page that the shop may confirm, or None."""
        kept = self.pages.get(url)
        return kept if kept and _may_be_offered(kept, self.asked_with, self.now) else None


def ask(context: ToolContext, store: Store, fetcher: Fetcher, keeping: Keeping, url: str, rules: FetchRules) -> Asked:
    """Fetch a page, offering the shop what was kept of it; a confirmed page comes with its kept body and status 304."""
    before, offered = keeping.pages.get(url), keeping.offered(url)
    answer = context.call(fetcher.fetch, url, rules if offered is None else replace(rules, kept=offered))
    if isinstance(answer, Miss) or answer.status != 304 or offered is None:
        return Asked(answer, before)
    with store.read() as unit:
        body = unit.blobs.get(offered.digest)
    if body is None:
        return Asked(answer, before)
    headers = {**answer.headers, **({"content-type": offered.content_type} if offered.content_type else {})}
    return Asked(replace(answer, body=body, headers=headers), before, offered)


def _may_be_offered(kept: KeptPage, asked_with: str, now: datetime) -> bool:
    is_fresh = kept.fetched_at is not None and now - kept.fetched_at < MAX_CONFIRMED
    return is_fresh and kept.asked_with == asked_with


def noting(asked: Asked, found: Extraction) -> Extraction:
    """Return the reading with a word about the confirmation."""
    if asked.since is None:
        return found
    words = f"{found.words}; the shop says that the page is unchanged since {asked.since:%Y-%m-%d} (HTTP 304)"
    return replace(found, words=words)


def keeping(
    asked: Asked, page: Page, found: Sequence[Extraction], competitor: Competitor, url: str, agent: str
) -> list[Effect]:
    """Return what is to be done about the kept page after one was read."""
    is_right = bool(found) and all(one.outcome is Outcome.OK for one in found)
    if is_right and asked.confirmed is not None:
        return [lambda unit: unit.shops.confirm_page(competitor.id, url)]
    kept = _kept_of(page, competitor, agent) if is_right else None
    if kept is None:
        return forgetting(asked, competitor, url)

    def keep(unit: Unit) -> None:
        unit.shops.keep_page(competitor.id, url, kept, page.body)

    return [keep]


def forgetting(asked: Asked, competitor: Competitor, url: str) -> list[Effect]:
    """Return what is to be done after an answer that was not read right: what was kept is no longer offered."""
    return [] if asked.before is None else [lambda unit: unit.shops.drop_page(competitor.id, url)]


def _kept_of(page: Page, competitor: Competitor, agent: str) -> KeptPage | None:
    etag, modified = (_validator(page.headers.get(name, "")) for name in ("etag", "last-modified"))
    may_store = "no-store" not in page.headers.get("cache-control", "").lower()
    if not (etag or modified) or not may_store or len(page.body) > MOST_KEPT_BYTES:
        return None
    return KeptPage(page.final_url, etag, modified, settings_of(competitor, agent), page.content_type)


def _validator(text: str) -> str | None:
    return text if _VALIDATOR.fullmatch(text) else None

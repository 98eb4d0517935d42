"""How one competitor is visited within its budget: which request comes next, and when to stop.

Pure: a visit is folded from the results of its finished steps, so a resumed job goes on exactly where it
was. The order is robots.txt, one page (it tells platform and currency), the platform's catalogue while that answers
several watches at once, then single pages, longest untried first, and at last pages that failed and may answer now.
A wall ends the visit; a shop that asks us to slow down is asked once more.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from monitor.domain.catalogue import Competitor, RobotsPolicy, Watch
from monitor.domain.extraction import Outcome
from monitor.domain.robots import robots_url
from monitor.domain.run import Step, StepState

ROBOTS = "robots"  #: the tool that reads robots.txt; costs nothing
PAGE = "page"  #: the tool that reads one page
CATALOGUE = "catalogue"  #: the tool that reads one page of a platform's product list

#: Pages asked a second time tonight, per competitor; each costs budget.
MAX_RETRIES = 2
#: Products on one page of Shopify's list, the most it gives.
SHOPIFY_PAGE = 250
#: Reasons of watches that were never asked for in their night, so that they come first the next.
NOT_ASKED = frozenset(
    {"budget", "request_cap", "visit_ended", "robots_unreadable", "robots_unreachable", "robots_rules"}
)


@dataclass(frozen=True, slots=True)
class Ask:
    """The next request of a visit."""

    tool: str
    url: str
    watches: tuple[Watch, ...]  #: those it may answer
    page: int = 1  #: of a catalogue


@dataclass(frozen=True, slots=True)
class Unread:
    """A watch that ends the night without a reading, and why."""

    watch: Watch
    outcome: Outcome
    reason: str
    words: str


@dataclass(frozen=True, slots=True)
class Stop:
    """Nothing more is asked of this competitor tonight."""

    unread: tuple[Unread, ...] = ()


class Visit:
    """Where a visit is, folded from its finished steps."""

    def __init__(self, competitor: Competitor, watches: Sequence[Watch], steps: Sequence[Step]) -> None:
        self._competitor = competitor
        self._steps = [(step, step.result or {}) for step in steps]
        self._read = {sku for _, result in self._steps for sku in result.get("read", ())}
        self._pages = {str(step.args["url"]): result for step, result in self._steps if step.tool == PAGE}
        self._left = [watch for watch in watches if watch.sku not in self._read]

    @property
    def currency(self) -> str | None:
        """The currency that a page of this visit showed; what the operator set is no proof of what is shown."""
        return next((str(result["currency"]) for _, result in self._steps if result.get("currency")), None)

    @property
    def platform(self) -> str | None:
        """The platform that the operator named or a page of this visit gave away."""
        if self._competitor.platform != "auto":
            return self._competitor.platform
        return next((result["platform"] for _, result in self._steps if result.get("platform")), None)

    @property
    def left(self) -> tuple[Watch, ...]:
        """The watches without a reading so far."""
        return tuple(self._left)

    def next(self) -> Ask | Stop:
        """Return what to ask next, or stop and say what stays unread."""
        if not self._left:
            return Stop()
        return self._stopped() or self._robots() or self._catalogue() or self._page()

    def _robots(self) -> Ask | None:
        """Ask for the robots.txt of every host that a page is left on; one speaks for its own host only."""
        if self._competitor.robots is not RobotsPolicy.OBEY:
            return None
        asked = {str(step.args["url"]) for step, _ in self._steps if step.tool == ROBOTS}
        urls = (robots_url(watch.url) for watch in self._left)
        return next((Ask(ROBOTS, url, ()) for url in urls if url not in asked), None)

    def _stopped(self) -> Stop | None:
        for step, result in self._steps:
            if result.get("stop"):
                reason = str(result.get("stop_reason", "visit_ended"))
                return self._unread(Outcome(result["stop"]), reason, str(result["words"]))
            if step.tool == ROBOTS and step.state is StepState.ERROR:
                return self._unread(Outcome.ROBOTS, "robots_unreadable", f"robots.txt was not read: {step.error}")
        return None

    def _unread(self, outcome: Outcome, reason: str, words: str) -> Stop:
        return Stop(tuple(Unread(watch, outcome, reason, words) for watch in self._untold()))

    def _untold(self) -> list[Watch]:
        """Return the watches left of which no step has said yet why they were not read."""
        return [watch for watch in self._left if not self._pages.get(watch.url)]

    def _catalogue(self) -> Ask | None:
        """Ask for the next page of the product list while it answers more than single pages would."""
        asked = [(step, result) for step, result in self._steps if step.tool == CATALOGUE]
        if self.platform != "shopify" or self.currency is None or len(self._left) < 2:
            return None
        if any(step.state is StepState.ERROR or not result.get("more") for step, result in asked):
            return None
        if self._robots_closes(CATALOGUE) or (asked and not self._is_worth_more(asked[-1][1])):
            return None
        page = len(asked) + 1
        return Ask(CATALOGUE, catalogue_url(self._left[0].url, page), tuple(self._left), page)

    def _is_worth_more(self, last: Mapping[str, Any]) -> bool:
        spent = sum(step.cost * step.attempts for step, _ in self._steps)
        return len(last.get("read", ())) > 1 or len(self._left) > self._competitor.tool_calls - spent

    def _robots_closes(self, what: str) -> bool:
        return any(what in result.get("closed", ()) for _, result in self._steps)

    def _page(self) -> Ask | Stop:
        fresh = (watch for watch in self._left if watch.url not in self._pages)
        again = (watch for watch in self._left if watch.url in self._pages and self._may_ask_again(watch.url))
        watch = next(fresh, None) or next(again, None)
        if watch is None:
            return self._given_up()
        return Ask(PAGE, watch.url, tuple(other for other in self._left if other.url == watch.url))

    def _may_ask_again(self, url: str) -> bool:
        asked = [str(step.args["url"]) for step, _ in self._steps if step.tool == PAGE]
        retries = len(asked) - len(set(asked))
        return asked.count(url) == 1 and retries < MAX_RETRIES and bool(self._pages[url].get("retry"))

    def _given_up(self) -> Stop:
        errors = {str(step.args["url"]): step.error or "" for step, _ in self._steps if step.tool == PAGE}
        why = {url: (error.strip().splitlines() or ["the step says nothing"])[-1] for url, error in errors.items()}
        return Stop(
            tuple(
                Unread(watch, Outcome.FAILED, "step_failed", f"its page could not be read: {why[watch.url]}")
                for watch in self._untold()
            )
        )

    def skipped(self, limit: int) -> tuple[Unread, ...]:
        """Name what the budget does not reach."""
        words = (
            f"the {limit} tool calls of this competitor's budget were spent before its turn; it comes first tomorrow"
        )
        return self._unread(Outcome.SKIPPED_BUDGET, "budget", words).unread


def catalogue_url(url: str, page: int = 1) -> str:
    """Return the address of one page of Shopify's product list, at the host of `url`."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}/products.json?limit={SHOPIFY_PAGE}&page={page}"


def in_turn(watches: Iterable[Watch], tried: Mapping[str, datetime]) -> tuple[Watch, ...]:
    """Order watches so that those never tried come first, then the longest untried; ties keep file order."""
    listed = list(watches)
    never = [watch for watch in listed if watch.sku not in tried]
    again = sorted((watch for watch in listed if watch.sku in tried), key=lambda watch: tried[watch.sku])
    return (*never, *again)

"""How one competitor is visited within its budget: which request comes next, and when to stop.

Pure: a visit is folded from the results of its finished steps, so a resumed job goes on exactly where it
was. The order is robots.txt, one page (it tells platform and currency), the platform's catalogue when that answers
several watches at once, then single pages, longest untried first. A wall ends the visit; a shop that asks us to
slow down is asked once more.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
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
        self._failed_urls = [str(step.args["url"]) for step, _ in self._steps if step.tool == PAGE]
        self._left = [watch for watch in watches if watch.sku not in self._read]

    @property
    def currency(self) -> str | None:
        """The currency that a page of this visit declared, else the operator's."""
        seen = (result["currency"] for _, result in self._steps if result.get("currency"))
        return next(seen, None) or self._competitor.currency

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
        if not self._steps and self._competitor.robots is RobotsPolicy.OBEY:
            return Ask(ROBOTS, robots_url(self._left[0].url), ())
        return self._stopped() or self._catalogue() or self._page()

    def _stopped(self) -> Stop | None:
        for step, result in self._steps:
            if result.get("stop"):
                return self._unread(Outcome(result["stop"]), "visit_ended", str(result["words"]))
            if step.tool == ROBOTS and step.state is StepState.ERROR:
                return self._unread(Outcome.ROBOTS, "robots_unreadable", f"robots.txt was not read: {step.error}")
        return None

    def _unread(self, outcome: Outcome, reason: str, words: str) -> Stop:
        return Stop(tuple(Unread(watch, outcome, reason, words) for watch in self._left))

    def _catalogue(self) -> Ask | None:
        """Ask for the next page of the product list while it answers more than single pages would."""
        asked = [(step, result) for step, result in self._steps if step.tool == CATALOGUE]
        pages_read = [step for step, _ in self._steps if step.tool == PAGE]
        if self.platform != "shopify" or not pages_read or len(self._left) < 2:
            return None
        if any(step.state is StepState.ERROR or not result.get("more") for step, result in asked):
            return None
        if self.currency is None or self._robots_closes(CATALOGUE):
            return None
        return Ask(CATALOGUE, self._catalogue_url(len(asked) + 1), self.left, len(asked) + 1)

    def _catalogue_url(self, page: int) -> str:
        parts = urlsplit(self._left[0].url)
        return f"{parts.scheme}://{parts.netloc}/products.json?limit={SHOPIFY_PAGE}&page={page}"

    def _robots_closes(self, what: str) -> bool:
        return any(what in result.get("closed", ()) for _, result in self._steps)

    def _page(self) -> Ask | Stop:
        for watch in self._left:
            together = tuple(other for other in self._left if other.url == watch.url)
            if self._may_ask(watch.url):
                return Ask(PAGE, watch.url, together)
        words = "its page could not be read; the step says why"
        return self._unread(Outcome.FAILED, "step_failed", words)

    def _may_ask(self, url: str) -> bool:
        times = self._failed_urls.count(url)
        if times == 0:
            return True
        retries = len(self._failed_urls) - len(set(self._failed_urls))
        last = [result for step, result in self._steps if step.tool == PAGE and step.args["url"] == url][-1]
        return times == 1 and retries < MAX_RETRIES and bool(last.get("retry"))

    def skipped(self, limit: int) -> tuple[Unread, ...]:
        """Name what the budget does not reach."""
        words = (
            f"the {limit} tool calls of this competitor's budget were spent before its turn; it comes first tomorrow"
        )
        return tuple(Unread(watch, Outcome.SKIPPED_BUDGET, "budget", words) for watch in self._left)


def in_turn(watches: Iterable[Watch], tried: Mapping[str, datetime]) -> tuple[Watch, ...]:
    """Order watches so that those never tried come first, then the longest untried; ties keep file order."""
    listed = list(watches)
    never = [watch for watch in listed if watch.sku not in tried]
    again = sorted((watch for watch in listed if watch.sku in tried), key=lambda watch: tried[watch.sku])
    return (*never, *again)

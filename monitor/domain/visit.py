"""How one competitor is visited within its budget: which request comes next, and when to stop.

Pure: a visit is folded from the results of its finished steps, so a resumed job goes on exactly where it was. The
order is robots.txt, then the platform's catalogue where it answers several watches at once, then single pages, and
at last pages that failed and may answer now. A page comes before the catalogue while the platform is unknown, while
the catalogue was never compared with one, and where only a page tells the currency or lets the adapter in; where it
did not say clearly what the price is, the catalogue is asked for that too. An adapter that fails twice, or whose
prices are not those of the pages, is left alone for tonight. A wall ends the visit; a shop that asks us to slow down
is asked once more.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from monitor.domain.asking import Platform, SoFar, origin_of
from monitor.domain.catalogue import Competitor, RobotsPolicy, Watch
from monitor.domain.catalogue_step import asked_in, closed_in, failure, has_failed, last_line, uselessness
from monitor.domain.extraction import Outcome
from monitor.domain.knowledge import Known, merged
from monitor.domain.listing import Problem
from monitor.domain.made_once import made_once
from monitor.domain.market import main_market, market_of
from monitor.domain.move import Ask, Stop, Unread
from monitor.domain.proof import has_proven_list, needs_page, proving_first, unproven
from monitor.domain.robots import robots_url
from monitor.domain.run import Step, StepState

ROBOTS = "robots"  #: the tool that reads robots.txt; costs nothing
PAGE = "page"  #: the tool that reads one page
CATALOGUE = "catalogue"  #: the tool that makes one catalogue call

#: Pages asked a second time tonight, per competitor; each costs budget.
MAX_RETRIES = 2
#: Failed catalogue calls after which the adapter is left alone for tonight.
MAX_FAILURES = 2
#: Pages that are read in the hope of one price to compare the catalogue with.
MAX_COMPARED_PAGES = 2
#: Reasons of watches that were never asked for in their night, so that they come first the next.
NOT_ASKED = frozenset(
    {"budget", "request_cap", "visit_ended", "robots_unreadable", "robots_unreachable", "robots_rules"}
)

_NOTHING_KNOWN = Known()


class Visit:
    """Where a visit is, folded from its finished steps.

    Args:
        competitor: whom.
        watches: in turn.
        steps: finished, in order.
        platforms: adapters by name.
        known: what earlier nights learnt.
    """

    def __init__(
        self,
        competitor: Competitor,
        watches: Sequence[Watch],
        steps: Sequence[Step],
        platforms: Mapping[str, Platform] | None = None,
        known: Known = _NOTHING_KNOWN,
    ) -> None:
        self._competitor, self._platforms, self._known = competitor, platforms or {}, known
        self._steps = [(step, step.result or {}) for step in steps]
        self._calls = [(step, result) for step, result in self._steps if step.tool == CATALOGUE]
        self._read = {sku for _, result in self._steps for sku in result.get("read", ())}
        self._told = {sku for _, result in self._steps for sku in result.get("told", ())}
        self._pages = {str(step.args["url"]): result for step, result in self._steps if step.tool == PAGE}
        self._watches = tuple(watches)
        self._left = [watch for watch in watches if watch.sku not in self._read]
        unclear = {sku for _, result in self._steps for sku in result.get("unclear", ())}
        listed = {sku for _, result in self._calls for sku in result.get("read", ())}
        self._unclear = [watch for watch in watches if watch.sku in unclear - listed]

    @made_once
    def currency(self) -> str | None:
        """The currency that a page of the market showed; what the operator set is no proof of what is shown."""
        return next((str(found["currency"]) for found in self._of_market if found.get("currency")), None)

    @made_once
    def market(self) -> str:
        """The market of this shop that its catalogue is asked for; watches of others are read as pages."""
        return main_market(sorted(self._watches, key=lambda watch: watch.sku))

    @made_once
    def _of_market(self) -> list[Mapping[str, Any]]:
        """What the pages of the market told."""
        return [found for step, found in self._steps if step.tool == PAGE and self._is_main(str(step.args["url"]))]

    def _is_main(self, url: str) -> bool:
        return self.platform == "feed" or market_of(url) == self.market  # a feed names addresses whole

    @made_once
    def platform(self) -> str | None:
        """The platform that the operator named, that earlier nights found, or that a page of this visit gave away."""
        if self._competitor.platform != "auto":
            return self._competitor.platform
        if self._competitor.feed:
            return "feed"
        return self._known.platform or self.detected

    @made_once
    def detection(self) -> dict[str, Any] | None:
        """Name, evidence and page of the platform that a page of this visit gave away."""
        return next((dict(result["platform"]) for _, result in self._steps if result.get("platform")), None)

    @made_once
    def detected(self) -> str | None:
        """The platform that a page of this visit gave away."""
        return None if self.detection is None else str(self.detection["name"])

    @property
    def left(self) -> tuple[Watch, ...]:
        """The watches without a reading so far."""
        return tuple(self._left)

    @property
    def unclear(self) -> frozenset[str]:
        """SKUs of the watches whose page of tonight did not say which price is theirs, and no catalogue did since."""
        return frozenset(watch.sku for watch in self._unclear)

    @made_once
    def adapter(self) -> Platform | None:
        """The adapter of the shop's platform, None where pages are read one by one."""
        return self._platforms.get(self.platform or "")

    @made_once
    def learned(self) -> dict[str, Any]:
        """What the adapter learnt so far, tonight included."""
        adapter = self.adapter
        before = self._known.learned_by(adapter.name) if adapter else {}
        return merged([before, *(result["learned"] for _, result in self._steps if result.get("learned"))])

    @property
    def has_learned(self) -> bool:
        """Whether this visit learnt anything for later catalogue calls."""
        return any(result.get("learned") for _, result in self._steps)

    @property
    def has_proven_list(self) -> bool:
        """Whether a part of a list without a currency had the price of a page tonight."""
        return has_proven_list(self._calls)

    @property
    def comparison(self) -> dict[str, Any] | None:
        """The comparison that was made tonight, as it is stored."""
        return next((dict(result["comparison"]) for _, result in self._steps if result.get("comparison")), None)

    @made_once
    def shown(self) -> dict[str, tuple[Decimal, str]]:
        """Amount and currency of the watches of the market that were read on their own page tonight."""
        every = (pair for found in self._of_market for pair in found.get("prices", {}).items())
        return {sku: (Decimal(amount), str(currency)) for sku, (amount, currency) in every}

    @made_once
    def given_up(self) -> str | None:
        """Why the adapter is left alone tonight, in words; None while it may be asked."""
        if self.adapter is None:
            return None
        told = next((str(result["distrusted"]) for _, result in self._calls if result.get("distrusted")), None)
        if told:
            return told
        failed = [has_failed(step, result) for step, result in self._calls]
        if sum(failed) >= MAX_FAILURES or any(result.get("failed") == Problem.CLOSED for _, result in self._calls):
            return failure(self._calls)
        before = self._known.comparison_of(self.adapter.name)
        return before.words if before is not None and not before.agrees else None

    @property
    def alone(self) -> str:
        """Why pages are read one by one tonight, in words; "" where they are not, or where there is no adapter."""
        is_off = bool(self._calls) and has_failed(*self._calls[-1])
        return self.given_up or (failure(self._calls) if is_off else uselessness(self._calls))

    @property
    def has_failed(self) -> bool:
        """Whether the adapter got no answer tonight, so that the platform is to be looked for again."""
        return bool(self._calls) and all(has_failed(step, result) for step, result in self._calls)

    def next(self) -> Ask | Stop:
        """Return what to ask next, or stop and say what stays unread."""
        if not self._left and not (self._unclear and self.platform == "feed"):
            return Stop()
        return self._stopped() or self._robots() or self._catalogue() or (self._page() if self._left else Stop())

    def _robots(self) -> Ask | None:
        """Ask for the robots.txt of every host that is left to be asked, and once more after a stumble.

        It speaks for its own host only.
        """
        if self._competitor.robots is not RobotsPolicy.OBEY and not self._competitor.refuse:
            return None
        asked = {
            str(step.args["url"]) for step, result in self._steps if step.tool == ROBOTS and not result.get("retry")
        }
        feed = [self._competitor.feed] if self._competitor.feed and self.platform == "feed" else []
        urls = (robots_url(url) for url in (*(watch.url for watch in self._left), *feed))
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
        return [watch for watch in self._left if not self._pages.get(watch.url) and watch.sku not in self._told]

    def _catalogue(self) -> Ask | None:
        """Ask the platform's catalogue, as long as it answers more than single pages would."""
        adapter = self.adapter
        if adapter is None or self.given_up or self._lacks_currency(adapter) or self._wants_page(adapter):
            return None
        if (listed := unproven(self._calls)) and not listed & self.shown.keys():
            return self._proving(listed)
        ask = adapter.next(self.so_far(adapter))
        return None if ask is None else Ask(CATALOGUE, ask.url, ask.watches, ask.page, ask)

    def _proving(self, listed: frozenset[str]) -> Ask | None:
        """Ask for a page to hold the last answer against; None once two of them told no price."""
        here = [watch for watch in self._watches if watch.sku in listed]
        fresh = [watch for watch in here if watch.url not in self._pages]
        has_tried = len(here) - len(fresh) >= MAX_COMPARED_PAGES
        return None if has_tried or not fresh else self._ask_page(fresh[0])

    def _ask_page(self, watch: Watch) -> Ask:
        return Ask(PAGE, watch.url, tuple(other for other in self._left if other.url == watch.url))

    def _lacks_currency(self, adapter: Platform) -> bool:
        return self.currency is None and needs_page(adapter, self.learned, self._competitor)

    def _wants_page(self, adapter: Platform) -> bool:
        """Say whether a page has to be read first, to compare the catalogue with it."""
        if self._known.comparison_of(adapter.name) is not None or self.shown:
            return False
        has_fresh = any(watch.url not in self._pages for watch in self._left)
        return has_fresh and len(self._pages) < MAX_COMPARED_PAGES

    def so_far(self, adapter: Platform) -> SoFar:
        """Return what the adapter may know when it chooses its next call."""
        is_settled = self._known.comparison_of(adapter.name) is not None
        compare = () if is_settled else tuple(watch for watch in self._watches if watch.sku in self.shown)
        left = tuple(watch for watch in (*self._left, *self._unclear) if self._is_main(watch.url))
        origin = origin_of(left[0].url if left else self._competitor.base_url)
        return SoFar(
            origin=origin,
            left=left,
            asked=tuple(asked_in(step, result) for step, result in self._steps if step.tool == CATALOGUE),
            known=self.learned,
            compare=compare[:1],
            currency=self.currency,
            calls_left=self._competitor.tool_calls - sum(step.cost * step.attempts for step, _ in self._steps),
            closed=closed_in(self._steps, adapter.name, {origin, self._competitor.feed or origin}),
            feed=self._competitor.feed,
        )

    def numbers(self, watches: Iterable[Watch]) -> dict[str, dict[str, str]]:
        """Return the shop's own ids of these watches and of their variants, by SKU."""
        if self.adapter is None:
            return {}
        so_far, listed = self.so_far(self.adapter), tuple(watches)
        every = {"ids": so_far.id_of, "variations": so_far.variation_of}
        return {name: {w.sku: one for w in listed if (one := of(w))} for name, of in every.items()}

    def _page(self) -> Ask | Stop:
        fresh = [watch for watch in self._left if watch.url not in self._pages]
        if self.adapter is not None and self._lacks_currency(self.adapter):
            fresh = proving_first(fresh, self.learned)
        untold = next((watch for watch in fresh if watch.sku not in self._told), None)
        again = (watch for watch in self._left if watch.url in self._pages and self._may_ask_again(watch.url))
        watch = untold or next(iter(fresh), None) or next(again, None)
        if watch is None:
            return self._given_up()
        return self._ask_page(watch)

    def _may_ask_again(self, url: str) -> bool:
        asked = [str(step.args["url"]) for step, _ in self._steps if step.tool == PAGE]
        retries = len(asked) - len(set(asked))
        return asked.count(url) == 1 and retries < MAX_RETRIES and bool(self._pages[url].get("retry"))

    def _given_up(self) -> Stop:
        errors = {str(step.args["url"]): last_line(step.error) for step, _ in self._steps if step.tool == PAGE}
        return Stop(
            tuple(
                Unread(watch, Outcome.FAILED, "step_failed", f"its page could not be read: {errors[watch.url]}")
                for watch in self._untold()
            )
        )

    def not_tonight(self, until: datetime) -> Stop:
        """Name what the shop's quiet hours leave no time for."""
        words = (
            f"the shop's quiet hours (quiet_hours) last until {until:%Y-%m-%d %H:%M} UTC, past this night's deadline"
        )
        return self._unread(Outcome.SKIPPED_BUDGET, "quiet_hours", f"{words}; it comes first in the next night")

    def skipped(self, limit: int) -> tuple[Unread, ...]:
        """Name what the budget does not reach."""
        words = f"the {limit} tool calls of this competitor's budget were spent before its turn"
        why = f" (pages were read one by one: {self.alone})" if self.alone else ""
        return self._unread(Outcome.SKIPPED_BUDGET, "budget", f"{words}; it comes first tomorrow{why}").unread

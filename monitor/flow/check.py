"""Stage check: one page of a competitor, read now and answered within a deadline; nothing is stored in history.

Only pages of configured competitors are asked for, by the same rules as at night: robots.txt first, the shop's delay
and quiet hours, its cool-down, its allowed addresses. A check is paid for from a budget of its own, as many a day as
the competitor has tool calls a night, so that no caller can make us a nuisance. What a shop says about pacing and
robots.txt is remembered; what a page says is only returned.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta

from monitor.domain.address import UrlRefused, belongs, target
from monitor.domain.answer import NoReading, asks_to_slow_down, classify, closed_by, without_page
from monitor.domain.catalogue import Catalogue, Competitor, RobotsPolicy, Showing, Watch
from monitor.domain.extraction import Extraction
from monitor.domain.pacing import bucket_of, cool_down, slot_of, space_between
from monitor.domain.page import FetchRules, Miss, Page, in_browser
from monitor.domain.reading import Memory, hints_for, of_the_page, trusted
from monitor.domain.robots import MAX_AGE, RobotsVerdict, ignored, robots_url, verdict
from monitor.errors import CannotSucceed, RetryLater
from monitor.extract import extract
from monitor.ports.store import Store
from monitor.ports.world import Fetcher

#: Stands for no job where a slot asks for one.
_NO_JOB = 0
_BUDGET_PERIOD = timedelta(hours=24)


class NotOurs(CannotSucceed):
    """An address or a watch that is not of a configured competitor."""


class NotInTime(RetryLater):
    """The shop may not be visited within the deadline; it was not asked."""


class ChecksSpent(RetryLater):
    """The day's checks of one competitor are spent."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What one check read."""

    url: str
    competitor: str
    sku: str | None  #: of the watch that has this page
    found: Extraction
    requests: int
    took_s: float


@dataclass(frozen=True, slots=True)
class Checks:
    """Reads pages of competitors on demand."""

    store: Store
    fetcher: Fetcher
    catalogue: Callable[[], Catalogue]  #: as the next night would have it
    agent: str  #: the product token that robots.txt files address
    max_body_bytes: int
    pause: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic  #: seconds; counts the deadline

    def watched(self, competitor: str, sku: str) -> str:
        """Return the page of a watch; raises NotOurs."""
        for watch in self.catalogue().watches_of(competitor):
            if watch.sku == sku:
                return watch.url
        words = f"{competitor}/{sku} is no watch; nothing was asked for. `watches.csv` lists them"
        raise NotOurs(f"{words}, and the url of a competitor's page may be given instead.")

    def check(self, url: str, deadline: timedelta, *, sku: str | None = None) -> Checked:
        """Read a page now.

        Args:
            url: a page on the site of a competitor.
            deadline: of everything, waiting for the shop's turn included.
            sku: which of our products is asked for, where one page has several; None: the only one that has this page.

        Raises:
            NotOurs: no competitor has this site.
            ChecksSpent: this competitor was checked too often today.
            NotInTime: its turn comes after the deadline.
        """
        shop, began = self._shop(url), self.clock()
        watch = self._watch(shop, url, sku)
        self._charge(shop)
        visit = _Visit(self, shop, began + deadline.total_seconds())
        answer = visit.page(url)
        found = self._read(answer, shop, watch or Watch(shop.id, "", url))
        return Checked(
            url, shop.id, watch.sku if watch else None, found, visit.requests, round(self.clock() - began, 3)
        )

    def _watch(self, shop: Competitor, url: str, sku: str | None) -> Watch | None:
        """Return the watch that is meant; None when there is none, or several of which nobody said which."""
        found = [one for one in self.catalogue().watches_of(shop.id) if one.url == url and sku in (None, one.sku)]
        return found[0] if len(found) == 1 else None

    def _shop(self, url: str) -> Competitor:
        try:
            page = target(url)
        except UrlRefused as refused:
            raise NotOurs(f"{refused} Nothing was asked for.") from None
        for shop in self.catalogue().competitors:
            if belongs(page, (bucket_of(shop.base_url), *shop.extra_hosts)):
                return shop
        words = f"No competitor has the site {page.site}; nothing was asked for."
        raise NotOurs(f"{words} Add the shop to competitors.toml first.")

    def _charge(self, shop: Competitor) -> None:
        with self.store.write() as unit:
            if any(unit.access.allow(f"check:{shop.id}:{n}", _BUDGET_PERIOD) for n in range(shop.tool_calls)):
                return
        raise ChecksSpent(
            f"{shop.id}: the {shop.tool_calls} checks of a day are spent, as many as it has tool calls a night; it was "
            "not asked. Wait, or raise its tool_calls in competitors.toml."
        )

    def _read(self, answer: Page | Miss | NoReading, shop: Competitor, watch: Watch) -> Extraction:
        if isinstance(answer, Miss):
            return _unread(without_page(answer))
        if isinstance(answer, NoReading):
            return _unread(answer)
        if (why := classify(answer)) is not None:
            return _unread(why)
        found = extract(answer.body, answer.final_url, answer.content_type, hints=hints_for(shop, watch))
        return (
            trusted(found, answer, watch, Memory(), shop.currency)
            if watch.sku
            else of_the_page(found, answer, watch, Memory())
        )


@dataclass(slots=True)
class _Visit:
    """The requests of one check."""

    checks: Checks
    shop: Competitor
    ends_at: float  #: of the checks' clock
    requests: int = 0

    def page(self, url: str) -> Page | Miss | NoReading:
        robots = self._robots(url)
        if not robots.allows(url, self.checks.agent):
            return closed_by(robots, url)
        delay = robots.crawl_delay(self.checks.agent)
        answer = self._asked(url, replace(self._page_rules(), robots=robots), delay)
        why = classify(answer) if isinstance(answer, Page) else None
        if isinstance(answer, Page) and why is not None and asks_to_slow_down(answer, why):
            with self.checks.store.write() as unit:
                cool = cool_down(answer.headers.get("retry-after"), now=unit.now)
                unit.shops.cool(bucket_of(answer.url), unit.now + cool.wait, cool.words)
        return answer

    def _robots(self, url: str) -> RobotsVerdict:
        if self.shop.robots is RobotsPolicy.IGNORE:
            return ignored(self.shop.refuse)
        origin = robots_url(url)
        with self.checks.store.read() as unit:
            known = unit.shops.robots(origin, MAX_AGE)
        if known is None:
            rules = replace(self._rules(), accept="text/plain,*/*;q=0.5", may_cut=True, any_host=True)
            known = verdict(self._asked(origin, rules, timedelta(0)))
            with self.checks.store.write() as unit:
                unit.shops.keep_robots(origin, known)
        return known.as_set(self.shop.refuse, self.shop.allow)

    def _asked(self, url: str, rules: FetchRules, crawl_delay: timedelta) -> Page | Miss:
        """Fetch when the shop's next slot comes, which the nights take theirs from too."""
        slot = slot_of(
            url, space_between(self.shop.delay, crawl_delay), platform=self.shop.platform, quiet=self.shop.quiet_hours
        )
        while True:
            with self.checks.store.write() as unit:
                wait = slot.quiet_for(unit.now) or unit.shops.take_slot(slot, _NO_JOB)
                at = unit.now + wait
            left = self.ends_at - self.checks.clock()
            if wait <= timedelta(0):
                break
            if wait.total_seconds() >= left:
                words = f"{self.shop.id} may be asked in {wait.total_seconds():.0f} s, after the deadline"
                raise NotInTime(f"{words}; it was not asked.", not_before=at)
            self.checks.pause(wait.total_seconds())
        if left <= 0:
            raise NotInTime(f"{self.shop.id}: the deadline passed before its page was asked for.")
        answer = self.checks.fetcher.fetch(url, replace(rules, deadline=timedelta(seconds=left)))
        self.requests += answer.requests
        return answer

    def _page_rules(self) -> FetchRules:
        """Return the limits of the page itself, which a browser shows where it does at night."""
        rules = self._rules()
        return in_browser(rules, self.shop.request_cap) if self.shop.fetch is Showing.BROWSER else rules

    def _rules(self) -> FetchRules:
        return FetchRules(
            hosts=(bucket_of(self.shop.base_url), *self.shop.extra_hosts),
            allow_addresses=frozenset(self.shop.allow_addresses),
            accept_language=self.shop.language,
            max_body_bytes=self.checks.max_body_bytes,
            hop_delay=self.shop.delay,
        )


def _unread(why: NoReading) -> Extraction:
    return Extraction(why.outcome, why.reason, why.words)

"""One guest outside the nights, who keeps all that a night keeps: robots.txt, the shop's pacing and quiet hours, its
budget.

Somebody sits before it and waits. So it says what it asks for, ends when its time is over, and leaves a shop that lets
answers drip after the second of them: a look of a few calls took minutes, each up to its own deadline.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta

from monitor.domain.answer import NoReading, asks_to_slow_down, classify, closed_by, ends_visit, without_page
from monitor.domain.catalogue import Competitor, RobotsPolicy
from monitor.domain.pacing import bucket_of, slot_of, space_between
from monitor.domain.page import FetchRules, Miss, MissReason, Page
from monitor.domain.robots import MAX_AGE, RobotsKind, RobotsVerdict, ignored, robots_url, verdict
from monitor.flow.collect.catalogue_call import CATALOGUE_DEADLINE
from monitor.flow.collect.tools import Limits
from monitor.ports.store import Store
from monitor.ports.world import Fetcher

#: How long a look takes at most, unless somebody allows more.
LOOK_DEADLINE = timedelta(minutes=10)
#: Longest wait for a shop's next slot; a longer one ends the look.
PATIENCE = timedelta(seconds=120)
#: Shortest wait for a slot that is told.
_WORTH_TELLING = timedelta(seconds=5)
#: Answers that did not come in their time after which the look ends.
MOST_LATE = 2
#: Stands for the job of a visit in the table of hosts: a look belongs to no night.
_NO_JOB = 0


class Over(Exception):
    """The look ends here; the words say why."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a look needs of the world."""

    store: Store
    fetcher: Fetcher
    limits: Limits
    pause: Callable[[float], None]  #: waits so many seconds
    say: Callable[[str], None] = lambda _words: None  #: tells whoever waits what is done now
    deadline: timedelta = LOOK_DEADLINE  #: of the whole look
    clock: Callable[[], float] = time.monotonic  #: seconds; counts the deadline


class Guest:
    """Asks one shop, within its budget."""

    def __init__(self, competitor: Competitor, world: Surroundings) -> None:
        self.shop, self.world = competitor, world
        self.platform: str | None = None
        self.calls = self.requests = 0
        self._ends_at = world.clock() + world.deadline.total_seconds()
        self._late = 0  # answers that did not come in their time
        self._verdicts: dict[str, RobotsVerdict] = {}

    def robots(self, url: str) -> RobotsVerdict:
        """Return what the robots.txt of an address's host says, as the operator set it."""
        where = robots_url(url)
        if where not in self._verdicts:
            self._verdicts[where] = self._verdict(where)
        return self._verdicts[where]

    def _verdict(self, where: str) -> RobotsVerdict:
        if self.shop.robots is RobotsPolicy.IGNORE:
            return ignored(self.shop.refuse)
        with self.world.store.read() as unit:
            known = unit.shops.robots(where, MAX_AGE)
        if known is None:
            rules = replace(self._rules(None), accept="text/plain,*/*;q=0.5", may_cut=True, any_host=True)
            self.world.say(f"asking {where}")
            answer = self._paced(where, rules, timedelta(0))
            self.requests += answer.requests
            known = verdict(answer)
            if known.kind is not RobotsKind.UNREACHABLE:
                with self.world.store.write() as unit:
                    unit.shops.keep_robots(where, known)
        return known.as_set(self.shop.refuse, self.shop.allow)

    def allowed(self, url: str) -> bool:
        """Say whether an address may be asked for."""
        return self.robots(url).allows(url, self.world.limits.agent)

    def fetch(
        self,
        url: str,
        *,
        accept: str | None = None,
        max_bytes: int = 0,
        headers: dict[str, str] | None = None,
        post: bytes | None = None,
    ) -> Page | Miss:
        """Make one tool call.

        Raises:
            Over: the budget or the time of the look is spent, or the shop wants to be left alone.
        """
        robots = self.robots(url)
        if not robots.allows(url, self.world.limits.agent):
            raise Over(f"{url}: {closed_by(robots, url).words}")
        if self.calls >= self.shop.tool_calls or self.requests >= self.shop.request_cap:
            spent = f"{self.calls} tool call{'' if self.calls == 1 else 's'} and {self.requests} requests"
            raise Over(f"{spent} are spent, the budget of {self.shop.id!r}; --calls or tool_calls allows more")
        rules = self._rules(robots)
        rules = replace(rules, accept=accept or rules.accept, headers=headers or {}, post=post)
        rules = replace(rules, deadline=CATALOGUE_DEADLINE) if accept and not self._late else rules
        most = max_bytes or self.world.limits.max_feed_bytes if accept else rules.max_body_bytes
        self.calls += 1
        self.world.say(f"asking {url} (tool call {self.calls} of {self.shop.tool_calls})")
        came = self._paced(
            url, replace(rules, max_body_bytes=most, max_wire_bytes=most), robots.crawl_delay(self.world.limits.agent)
        )
        self.requests += came.requests
        self._give_up_on(came)
        why = without_page(came) if isinstance(came, Miss) else classify(came)
        if isinstance(came, Page) and why is not None and _wants_rest(came, why):
            raise Over(f"{why.words}; nothing more was asked")
        return came

    def _give_up_on(self, came: Page | Miss) -> None:
        self._late += isinstance(came, Miss) and came.reason is MissReason.DEADLINE
        if isinstance(came, Miss) and self._late >= MOST_LATE:
            raise Over(f"{came.words}, as an answer before it was; nothing more was asked")

    def _rules(self, robots: RobotsVerdict | None) -> FetchRules:
        shop, limits = self.shop, self.world.limits
        hosts = (bucket_of(shop.base_url), *shop.extra_hosts, *((bucket_of(shop.feed),) if shop.feed else ()))
        return FetchRules(
            hosts=hosts,
            allow_addresses=frozenset(shop.allow_addresses),
            accept_language=shop.language,
            deadline=limits.page_deadline,
            max_body_bytes=limits.max_body_bytes,
            max_requests=max(min(shop.request_cap - self.requests, 6), 0),
            hop_delay=max(shop.delay, robots.crawl_delay(limits.agent) if robots else timedelta(0)),
            robots=robots,
        )

    def _paced(self, url: str, rules: FetchRules, crawl_delay: timedelta) -> Page | Miss:
        """Fetch when the shop's next slot comes; other processes keep the same table."""
        delay = space_between(self.shop.delay, crawl_delay)
        slot = slot_of(url, delay, platform=self.platform, quiet=self.shop.quiet_hours)
        while True:
            left = self._left()
            with self.world.store.write() as unit:
                wait = slot.quiet_for(unit.now) or unit.shops.take_slot(slot, _NO_JOB)
            if wait <= timedelta(0):
                return self.world.fetcher.fetch(url, replace(rules, deadline=min(rules.deadline, left)))
            if wait > PATIENCE:
                raise Over(f"the shop is not to be visited for another {wait.total_seconds():.0f} s; try again then")
            if wait >= left:
                raise self._out_of_time()
            if wait >= _WORTH_TELLING:
                self.world.say(f"waiting {wait.total_seconds():.0f} s for the shop's next slot")
            self.world.pause(wait.total_seconds())

    def _left(self) -> timedelta:
        left = timedelta(seconds=self._ends_at - self.world.clock())
        if left <= timedelta(0):
            raise self._out_of_time()
        return left

    def _out_of_time(self) -> Over:
        minutes = self.world.deadline.total_seconds() / 60
        return Over(f"the {minutes:g} minutes that a look may take are over; --minutes allows more")


def _wants_rest(page: Page, why: NoReading) -> bool:
    """Say whether the shop wants to be left alone: it asks for time, or a wall came. One refusal is of one address."""
    return asks_to_slow_down(page, why) or (ends_visit(why) and why.reason != "refused")

"""The Fetcher port over the guarded client: one visit is a request and the redirects after it."""

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime

from monitor.adapters.fetch.browser import BrowserFetcher
from monitor.adapters.fetch.chromium import BrowserLimits
from monitor.adapters.fetch.visit import Visit
from monitor.adapters.http import Client
from monitor.domain.address import Target
from monitor.domain.page import FetchRules, Miss, Page
from monitor.domain.robots import MAX_AGE, RobotsKind, RobotsVerdict

_MOST_REMEMBERED = 1024


class HttpFetcher:
    """Fetches pages; safe to share between threads, since a visit keeps its state to itself.

    What it remembers between visits is only the robots.txt of hosts that redirects led to.

    Args:
        client: the guarded HTTP client.
        agent: the User-Agent header; its product token is the one looked for in robots.txt.
        pause: waits between the hops of a redirect.
        browser: what a browser may use, for the pages that one has to show.
    """

    def __init__(
        self,
        client: Client,
        agent: str,
        *,
        pause: Callable[[float], None] = time.sleep,
        browser: BrowserLimits | None = None,
    ) -> None:
        self.client, self.agent, self.pause = client, agent, pause
        self._limits = browser
        self._browser: BrowserFetcher | None = None
        self._lock = threading.Lock()
        self._robots: dict[str, tuple[float, RobotsVerdict]] = {}

    def __reduce__(self) -> "tuple[Callable[..., HttpFetcher], tuple[str, BrowserLimits | None]]":
        """Pickle as its settings: a child process opens connections of its own."""
        return _anew, (self.agent, self._limits)

    def fetch(self, url: str, rules: FetchRules) -> Page | Miss:
        """Return the page at `url` after redirects, or why there is none; never raises for what a shop does."""
        return self._shown(url, rules) if rules.browser else Visit(self, url, rules).run()

    def _shown(self, url: str, rules: FetchRules) -> Page | Miss:
        with self._lock:
            if self._browser is None:
                self._browser = BrowserFetcher(self.agent, self._limits)
        return self._browser.fetch(url, rules)

    def close(self) -> None:
        """End the browser, if one was started."""
        with self._lock:
            browser, self._browser = self._browser, None
        if browser is not None:
            browser.close()

    def known_robots(self, to: Target) -> RobotsVerdict | None:
        """Return the robots.txt of a host that an earlier redirect led to, if it is fresh."""
        with self._lock:
            until, found = self._robots.get(to.authority, (0.0, None))
        return found if time.monotonic() < until else None

    def remember_robots(self, to: Target, found: RobotsVerdict) -> None:
        """Keep it for a day; one that could not be read is asked for again next time."""
        if found.kind is RobotsKind.UNREACHABLE:
            return
        with self._lock:
            if len(self._robots) >= _MOST_REMEMBERED:
                self._robots.clear()
            self._robots[to.authority] = (time.monotonic() + MAX_AGE.total_seconds(), found)

    def now(self) -> datetime:
        """Return the time cookies expire by."""
        return datetime.now(UTC)


def _anew(agent: str, browser: BrowserLimits | None) -> HttpFetcher:
    return HttpFetcher(Client(), agent, browser=browser)

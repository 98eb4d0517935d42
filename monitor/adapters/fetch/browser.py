"""Pages as a browser shows them, for the few shops whose pages are made by scripts: the extra `[browser]`.

One Chromium per process, started when the first page wants it, driven by one thread, one page at a time, a fresh
context for each: no cookies, no storage, no service workers, no downloads. Images, media, fonts and styles are not
loaded, and nothing of other hosts. Everything goes out through `proxy`, so the address rules are those of the plain
client. Each request that leaves is counted; when those of the visit are spent, the page is taken as far as it got.

It is ended after a while without work, after some pages, and at once when a page outlives its deadline or makes it hold
more memory than it may; the next page gets another. It says who we are like the plain client and gets round no wall.
"""

import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotInTime
from dataclasses import dataclass, field

from monitor.adapters.fetch.chromium import BrowserLimits, Chromium, NoBrowser
from monitor.adapters.fetch.memory import end_tree, resident_bytes
from monitor.adapters.fetch.proxy import GuardedProxy, Trip
from monitor.adapters.http import Resolver
from monitor.domain.page import FetchRules, Miss, MissReason, Page

#: Seconds without work after which a browser ends, and the pages after which it does.
_IDLE_S, _MOST_PAGES = 30.0, 50


@dataclass(slots=True)
class _Asked:
    url: str
    rules: FetchRules
    answer: "Future[Page | Miss]" = field(default_factory=Future)
    is_tried: bool = False  #: whether a browser failed at it
    is_given_up: bool = False  #: nobody waits for it any more


class BrowserFetcher:
    """Fetches pages with Chromium; safe to share between threads, which wait for each other.

    Args:
        agent: the User-Agent header.
        limits: what it may use.
        resolver: looks names up for the proxy.
    """

    def __init__(self, agent: str, limits: BrowserLimits | None = None, *, resolver: Resolver | None = None) -> None:
        self.agent, self.limits = agent, limits or BrowserLimits()
        self._proxy = GuardedProxy(resolver or Resolver())
        self._asked: queue.SimpleQueue[_Asked | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self.root_pid: int | None = None  #: of the Chromium that was started

    def __reduce__(self) -> tuple[Callable[..., "BrowserFetcher"], tuple[str, BrowserLimits]]:
        """Pickle as its settings: a child process starts a browser of its own."""
        return BrowserFetcher, (self.agent, self.limits)

    def fetch(self, url: str, rules: FetchRules) -> Page | Miss:
        """Return the page at `url` as a browser shows it, or why there is none; never raises for what a shop does."""
        asked = _Asked(url, rules)
        with self._lock:  # one page at a time; waiting for the turn is not charged to the deadline
            self._wake()
            self._asked.put(asked)
            return self._awaited(asked)

    def close(self) -> None:
        """End the browser."""
        self._asked.put(None)
        if self._thread is not None:
            self._thread.join(10)
        self._proxy.close()

    def _wake(self) -> None:
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._run, name="browser", daemon=True)
            self._thread.start()

    def _awaited(self, asked: _Asked) -> Page | Miss:
        """Wait for the page, and end the browser when it takes too long or too much."""
        seconds = asked.rules.deadline.total_seconds()
        ends_at = time.monotonic() + seconds + 20  # a start of Chromium on a busy machine; the page has its own limit
        while time.monotonic() < ends_at:
            try:
                return asked.answer.result(timeout=0.25)
            except NotInTime:
                held = resident_bytes(self.root_pid)
            if held > self.limits.memory_bytes:
                end_tree(self.root_pid)
                words = f"the browser held more than {self.limits.memory_bytes // 1_000_000} MB and was ended"
                return Miss(asked.url, MissReason.TOO_LARGE, words, 1, may_pass=False)
            if self._is_late(asked):
                break
        asked.is_given_up = True
        end_tree(self.root_pid)
        words = f"the page was not complete in the browser after {seconds:g} s, and the browser was ended"
        return Miss(asked.url, MissReason.DEADLINE, words, 1, may_pass=False)

    def _is_late(self, asked: _Asked) -> bool:
        trip = self._proxy.trip
        return trip is not None and trip.rules is asked.rules and time.monotonic() > trip.ends_at + 1

    # The rest runs in the browser's own thread.

    def _run(self) -> None:
        """Serve pages until it is closed, with one browser after another.

        The thread stays when a browser ends: a page may be asked for at that very moment.
        """
        waiting: _Asked | None = None
        while (asked := waiting or self._asked.get()) is not None:
            waiting = self._served(asked)

    def _served(self, first: _Asked) -> _Asked | None:
        """Serve pages with one browser until it ends; return the page that the next one has to begin with."""
        asked: _Asked | None = first
        try:
            with Chromium(self.limits, self._proxy.port, self.agent) as chromium:
                self.root_pid = chromium.pid
                for _ in range(_MOST_PAGES):
                    if asked is None:
                        break
                    self._answer(chromium, asked)
                    asked = None
                    asked = self._next() if chromium.is_alive else None
        except NoBrowser as missing:
            _tell(asked, str(missing))
            asked = None
        except Exception as error:  # the driver's own failures; nothing of it may end a night
            asked = self._again(asked, error)
        finally:
            self.root_pid = None
        return asked

    def _next(self) -> _Asked | None:
        """Return the next page, None after a while without one and when it is closed."""
        try:
            asked = self._asked.get(timeout=_IDLE_S)
        except queue.Empty:
            return None
        if asked is None:
            self._asked.put(None)  # for the thread, which ends by it
        return asked

    def _again(self, asked: _Asked | None, error: Exception) -> _Asked | None:
        """Give a page to the next browser that the last one never opened: it was killed between two pages."""
        if asked is None or asked.answer.done() or asked.is_tried:
            _tell(asked, f"the browser failed ({type(error).__name__}: {str(error)[:200]})")
            return None
        asked.is_tried = True
        return asked

    def _answer(self, chromium: Chromium, asked: _Asked) -> None:
        if asked.is_given_up:
            return
        trip = Trip(asked.rules, self.limits.page_bytes, time.monotonic() + asked.rules.deadline.total_seconds())
        self._proxy.begin(trip)
        found = chromium.visit(asked.url, trip)
        if not asked.answer.done():
            asked.answer.set_result(found)


def _tell(asked: _Asked | None, words: str) -> None:
    if asked is not None and not asked.answer.done():
        asked.answer.set_result(Miss(asked.url, MissReason.BROWSER, words, 0, may_pass=False))

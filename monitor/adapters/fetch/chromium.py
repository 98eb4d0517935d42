"""Chromium by Playwright: the only module that imports it. Used by one thread, the browser's own."""

import contextlib
import os
import shutil
import time
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from monitor.adapters.fetch.memory import tree_of
from monitor.adapters.fetch.proxy import Trip
from monitor.domain.address import UrlRefused, belongs, target
from monitor.domain.page import Miss, MissReason, Page
from monitor.domain.robots import RobotsKind

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Response, Route

#: Kinds of requests that a price needs; every other kind is not loaded.
_NEEDED = frozenset({"document", "script", "xhr", "fetch"})
#: Names under which systems install Chromium.
_NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")
#: Seconds that a page may go on loading after its document is there.
SETTLE_S = 5.0
_ARGS = (
    "--disable-quic",
    "--dns-prefetch-disable",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-extensions",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--js-flags=--max-old-space-size=256",
    "--renderer-process-limit=2",
    "--blink-settings=imagesEnabled=false",
)
#: Which refusal of the proxy is told: the browser itself also asks for hosts of its maker, which are always refused.
_FOREMOST = {MissReason.REFUSED_ADDRESS: 1, MissReason.REFUSED_URL: 2, MissReason.CONNECT: 3, MissReason.DNS: 4}
#: Headers that say something about the answer and not about what scripts made of it.
_OF_THE_WIRE = frozenset({"content-encoding", "content-length", "etag", "last-modified"})
#: What Chromium's network errors mean.
_ERRORS = (
    ("ERR_CERT", MissReason.TLS, "the certificate is not valid"),
    ("ERR_SSL", MissReason.TLS, "the shop does not speak TLS as we do"),
    ("ERR_TOO_MANY_REDIRECTS", MissReason.REDIRECTS, "too many redirects"),
    ("ERR_NAME_NOT_RESOLVED", MissReason.DNS, "the name could not be resolved"),
    ("ERR_TIMED_OUT", MissReason.DEADLINE, "no answer came in time"),
)


@dataclass(frozen=True, slots=True)
class BrowserLimits:
    """What a browser may use."""

    executable: str = ""  #: empty: the first Chromium on the path
    url: str = ""  #: of a browser that runs on this machine already (DevTools); empty: start one
    memory_bytes: int = 1_200_000_000  #: resident, of all its processes
    page_bytes: int = 30_000_000  #: received for one page, scripts included


class NoBrowser(Exception):
    """There is no browser to be had; the words say what to install."""


def executable(named: str) -> str:
    """Return the path of a Chromium.

    Raises:
        NoBrowser: the one that is named is not there, or none is installed.
    """
    found = named if named and os.access(named, os.X_OK) else None
    found = found or (None if named else next(filter(None, map(shutil.which, _NAMES)), None))
    if found is None:
        where = f"{named} is no program" if named else "no Chromium was found on the path"
        raise NoBrowser(f"{where}; install one, or name it in monitor.toml: browser.executable")
    return found


class Chromium:
    """A running browser, from `with` to its end.

    Args:
        limits: what it may use.
        proxy_port: of the guarded proxy on loopback.
        agent: the User-Agent header.
    """

    def __init__(self, limits: BrowserLimits, proxy_port: int, agent: str) -> None:
        self._limits, self._proxy_port, self._agent = limits, proxy_port, agent
        self.pid: int | None = None

    def __enter__(self) -> Self:
        try:
            from playwright.sync_api import sync_playwright
        except ImportError:
            raise NoBrowser("fetch = \"browser\" needs the extra: pip install 'price-monitor[browser]'") from None
        program = "" if self._limits.url else executable(self._limits.executable)
        before = set(tree_of(os.getpid()))
        self._driver = sync_playwright().start()
        try:
            self._browser = self._opened(self._driver, program)
        except Exception:
            self._driver.stop()
            raise
        started = [pid for pid in tree_of(os.getpid()) if pid not in before]
        self.pid = started[0] if started and not self._limits.url else None
        return self

    def _opened(self, driver: Any, program: str) -> "Browser":
        if self._limits.url:
            joined: Browser = driver.chromium.connect_over_cdp(self._limits.url)
            return joined
        started: Browser = driver.chromium.launch(
            executable_path=program,
            args=[*_ARGS, "--proxy-bypass-list=<-loopback>"],
            proxy=self._proxy,
            chromium_sandbox=os.geteuid() != 0,
        )
        return started

    @property
    def _proxy(self) -> dict[str, str]:
        return {"server": f"http://127.0.0.1:{self._proxy_port}", "bypass": "<-loopback>"}

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for close in (self._browser.close, self._driver.stop):
            with contextlib.suppress(Exception):  # it may have been killed; there is nothing left to close then
                close()

    @property
    def version(self) -> str:
        """Of the browser, `120.0.6099.224`."""
        return self._browser.version

    @property
    def is_alive(self) -> bool:
        """Whether it can show another page."""
        return self._browser.is_connected()

    def visit(self, url: str, trip: Trip) -> Page | Miss:
        """Show a page and return it as its scripts left it."""
        return _Visit(url, trip).run(self._browser, self._agent, self._proxy if self._limits.url else None)


class _Visit:
    """One page in one context."""

    def __init__(self, url: str, trip: Trip) -> None:
        self._url, self._trip, self._rules = url, trip, trip.rules
        self._requests = 0
        self._closed: str | None = None  # words, when robots.txt closed where the page went

    def run(self, browser: "Browser", agent: str, proxy: Any) -> Page | Miss:
        """Open, look, close."""
        self._agent = agent
        language = (self._rules.accept_language or "").partition(",")[0] or None
        context = browser.new_context(
            user_agent=agent, locale=language, service_workers="block", accept_downloads=False, proxy=proxy
        )
        try:
            return self._look(context)
        finally:
            with contextlib.suppress(Exception):  # it may have been killed in between
                context.close()

    def _look(self, context: Any) -> Page | Miss:
        from playwright.sync_api import Error
        from playwright.sync_api import TimeoutError as Late

        page = context.new_page()
        page.set_default_timeout(self._left_ms())
        page.on("dialog", lambda dialog: dialog.dismiss())
        context.route("**/*", self._judge)
        try:
            response = page.goto(self._url, wait_until="domcontentloaded", timeout=self._left_ms())
            with contextlib.suppress(Late):
                page.wait_for_load_state("networkidle", timeout=min(SETTLE_S * 1000, self._left_ms()))
            return self._page(page, response)
        except Late:
            seconds = self._rules.deadline.total_seconds()
            return self._miss(MissReason.DEADLINE, f"the page was not there in the browser after {seconds:g} s")
        except Error as error:
            return self._failed(str(error))

    def _judge(self, route: "Route") -> None:
        """Let a request out, or not; redirects are judged by the proxy, which this never sees."""
        request = route.request
        try:
            is_ours = belongs(target(request.url), self._rules.hosts)
        except UrlRefused:
            is_ours = request.url.startswith(("data:", "blob:"))
        is_affordable = self._requests < self._rules.max_requests
        is_wanted = is_ours and is_affordable and request.resource_type in _NEEDED
        if not is_wanted or (request.is_navigation_request() and not self._may_go(request.url)):
            route.abort()
            return
        self._requests += 1
        route.continue_()

    def _may_go(self, url: str) -> bool:
        robots = self._rules.robots
        if robots is None or robots.allows(url, self._agent):
            return True
        why = "is unreachable" if robots.kind is RobotsKind.UNREACHABLE else "closes it to us"
        self._closed = f"the page led to {url}, and robots.txt {why}"
        return False

    def _page(self, page: Any, response: "Response | None") -> Page | Miss:
        if response is None:
            return self._miss(MissReason.PROTOCOL, "the browser showed no page")
        size = page.evaluate("document.documentElement ? document.documentElement.outerHTML.length : 0")
        if size > self._rules.max_body_bytes:
            words = f"the page is larger than {self._rules.max_body_bytes:,} characters in the browser"
            return self._miss(MissReason.TOO_LARGE, words)
        hops = []
        earlier = response.request.redirected_from
        while earlier is not None:
            hops.append(earlier.url)
            earlier = earlier.redirected_from
        if len(hops) > 5:
            return self._miss(MissReason.REDIRECTS, f"too many redirects: {len(hops)}")
        headers = {name: value for name, value in response.headers.items() if name not in _OF_THE_WIRE}
        headers |= {"content-type": "text/html; charset=utf-8"}
        body = page.content().encode("utf-8", "replace")
        count = self._requests + len(hops)
        return Page(self._url, page.url, response.status, headers, body, count, tuple(reversed(hops)))

    def _failed(self, words: str) -> Miss:
        if self._closed:
            return self._miss(MissReason.ROBOTS, self._closed)
        if self._trip.received > self._trip.max_bytes:
            return self._miss(MissReason.TOO_LARGE, f"the page needed more than {self._trip.max_bytes:,} bytes")
        if self._trip.refusals:
            return self._miss(*min(self._trip.refusals, key=lambda one: _FOREMOST.get(one[0], 9)))
        for code, reason, meaning in _ERRORS:
            if code in words:
                return self._miss(reason, f"{meaning} (the browser says {code}…)")
        first = words.splitlines()[0][:200] if words else "no words"
        return self._miss(MissReason.BROWSER, f"the browser could not show the page: {first}", may_pass=True)

    def _miss(self, reason: MissReason, words: str, *, may_pass: bool = False) -> Miss:
        return Miss(self._url, reason, words, self._requests, may_pass)

    def _left_ms(self) -> float:
        return max((self._trip.ends_at - time.monotonic()) * 1000, 1.0)

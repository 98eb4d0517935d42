"""One page in one fresh context of a browser: what it may ask for, when it is taken, and what became of it.

Only the page that was asked for counts: windows that it opens are closed and get nothing. It only reads: forms are not
sent, and of the methods those that read and that a query interface needs are let out. Where a script leads the page
away from the shop, to a file or out of its budget, there is no page, however much it showed before.

A page is taken once its network was silent for half a second and its text has an amount with a sign of money, a few
seconds later at the latest. Its text is read in a world of its own, whose objects the scripts of the page have not
touched, and never more of it than a page may have.
"""

import asyncio
import contextlib
import re
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from monitor.adapters.fetch.proxy import Trip
from monitor.domain.address import UrlRefused, belongs, target
from monitor.domain.page import Miss, MissReason, Page
from monitor.domain.robots import RobotsKind

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Request, Response, Route

#: Kinds of requests that a price needs; every other kind is not loaded.
_NEEDED = frozenset({"document", "script", "xhr", "fetch"})
#: Methods that are let out; scripts ask query interfaces with POST.
_READING = frozenset({"GET", "HEAD", "OPTIONS", "POST"})
#: Seconds that a page may go on loading after its document is there.
SETTLE_S = 5.0
#: Seconds between two looks at whether the page shows an amount.
_LOOK_S = 0.25
#: Which refusal of the proxy is told.
_FOREMOST = {MissReason.REFUSED_ADDRESS: 1, MissReason.REFUSED_URL: 2, MissReason.CONNECT: 3, MissReason.DNS: 4}
#: Headers that say something about the answer and not about what scripts made of it.
_OF_THE_WIRE = frozenset({"content-encoding", "content-length", "etag", "last-modified"})
#: What Chromium's network errors mean, and whether they may pass.
_ERRORS = (
    ("ERR_CERT", MissReason.TLS, "the certificate is not valid", False),
    ("ERR_SSL", MissReason.TLS, "the shop does not speak TLS as we do", False),
    ("ERR_TOO_MANY_REDIRECTS", MissReason.REDIRECTS, "too many redirects", False),
    ("ERR_NAME_NOT_RESOLVED", MissReason.DNS, "the name could not be resolved", False),
    ("ERR_TIMED_OUT", MissReason.DEADLINE, "no answer came in time", False),
    ("ERR_EMPTY_RESPONSE", MissReason.INCOMPLETE, "the shop closed the connection without an answer", True),
    ("ERR_CONNECTION_", MissReason.INCOMPLETE, "the shop closed the connection", True),
    ("ERR_CONTENT_LENGTH_MISMATCH", MissReason.INCOMPLETE, "the answer ended before it was complete", True),
    ("ERR_INCOMPLETE_CHUNKED", MissReason.INCOMPLETE, "the answer ended before it was complete", True),
    ("ERR_INVALID_HTTP_RESPONSE", MissReason.PROTOCOL, "the shop does not answer in HTTP", True),
    ("ERR_INVALID_REDIRECT", MissReason.REFUSED_URL, "a redirect leads to an address that is none", False),
    ("ERR_UNSAFE_REDIRECT", MissReason.REFUSED_URL, "a redirect leads to an address that is not visited", False),
)
#: What Chromium says of an answer that it shows nothing of: a download, no content, a question for a password.
_WITHOUT_PAGE = ("ERR_ABORTED", "Download is starting", "ERR_INVALID_AUTH_CREDENTIALS")
_MARKUP = """(() => {
    const root = document.documentElement, kind = document.doctype ? '<!DOCTYPE html>' : '';
    return (kind + (root ? root.outerHTML : '')).slice(0, %d);
})()"""
_TEXT = "document.body ? document.body.innerText.slice(0, 200000) : ''"
#: An amount with a sign or the code of a currency beside it, as hardly a page without a price has it.
_AMOUNT = re.compile(
    r"(?:[$€£¥₹₽₺₴]|\b[A-Z]{3}\b)\s{0,3}[0-9]|[0-9](?:[.,]-{1,2})?\s{0,3}(?:[$€£¥₹₽₺₴]|(?:kr|zł|Kč|Ft|lei|лв|[A-Z]{3})\b)"
)


class Showing:
    """One page in one context.

    Args:
        url: of the page.
        trip: what the visit may do.
        agent: the User-Agent header.
    """

    def __init__(self, url: str, trip: Trip, agent: str) -> None:
        self._url, self._trip, self._rules, self._agent = url, trip, trip.rules, agent
        self._requests = 0
        self._hosts: set[str] = set()  # that the page asked for
        self._barred: tuple[MissReason, str] | None = None  # the way that the page was kept from going
        self._answered: Response | None = None  # the last to the page itself
        self._is_there = self._is_file = False  # whether its document came, or a file instead

    def run(self, browser: "Browser", proxy: Any) -> Page | Miss:
        """Open, look, close."""
        language = (self._rules.accept_language or "").partition(",")[0] or None
        context = browser.new_context(
            user_agent=self._agent, locale=language, service_workers="block", accept_downloads=False, proxy=proxy
        )
        try:
            return self._look(context)
        finally:
            with contextlib.suppress(Exception):  # it may have been killed in between
                context.close()

    def _look(self, context: Any) -> Page | Miss:
        from playwright.sync_api import Error
        from playwright.sync_api import TimeoutError as Late

        page = self._opened(context)
        try:
            response = page.goto(self._url, wait_until="domcontentloaded", timeout=self._left_ms())
            self._is_there = True
            with contextlib.suppress(Late):
                self._settle(page, response)
            return self._page(page, response)
        except Late:
            seconds = self._rules.deadline.total_seconds()
            return self._miss(MissReason.DEADLINE, f"the page was not there in the browser after {seconds:g} s")
        except Error as error:
            return self._failed(str(error))

    def _opened(self, context: Any) -> Any:
        page = self._main = context.new_page()
        page.set_default_timeout(self._left_ms())
        page.on("dialog", lambda dialog: dialog.dismiss())
        page.on("response", self._note)
        page.on("download", self._leave)
        context.on("page", _close)
        context.on("request", self._count)
        context.route("**/*", self._judge)
        return page

    def _settle(self, page: Any, response: "Response | None") -> None:
        """Wait until nothing more comes and the page shows an amount, but not long."""
        ends_at = time.monotonic() + SETTLE_S
        page.wait_for_load_state("networkidle", timeout=min(SETTLE_S * 1000, self._left_ms()))
        may_show = response is not None and response.status == 200 and _headers(response)[1]
        while may_show and self._barred is None and time.monotonic() < ends_at:
            if _AMOUNT.search(str(self._asked_of(page, _TEXT))):
                return
            page.wait_for_timeout(min(_LOOK_S * 1000, self._left_ms()))

    def _judge(self, route: "Route") -> None:
        """Let a request out, or not; redirects are judged by the proxy, which this never sees."""
        from playwright.sync_api import Error

        with contextlib.suppress(Error, asyncio.CancelledError):  # the page may be gone before it gets an answer
            if self._lets_out(route.request):
                self._requests += 1
                route.continue_()
            else:
                route.abort()

    def _lets_out(self, request: "Request") -> bool:
        if not self._is_of_the_page(request):
            return False
        is_affordable = self._requests < self._rules.max_requests
        is_main = request.is_navigation_request() and request.frame.parent_frame is None
        if barred := self._bar(request, is_affordable=is_affordable):
            self._barred = (self._barred or barred) if is_main else self._barred
            return False
        return is_affordable and request.resource_type in _NEEDED

    def _is_of_the_page(self, request: "Request") -> bool:
        from playwright.sync_api import Error

        try:
            return bool(request.frame.page == self._main)
        except Error:  # of a window that is only being opened, or of no window at all
            return False

    def _bar(self, request: "Request", *, is_affordable: bool) -> tuple[MissReason, str] | None:
        """Return why a request may not go where it leads, in words about the page."""
        url = request.url
        with contextlib.suppress(ValueError):
            self._hosts.add(urlsplit(url).hostname or "")
        try:
            is_ours = belongs(target(url), self._rules.hosts)
        except UrlRefused as refused:
            is_ours = url.startswith(("data:", "blob:")) and not request.is_navigation_request()
            if not is_ours:
                return MissReason.REFUSED_URL, f"the page led to an address that is not visited: {refused}"
        if not is_ours:
            return MissReason.REDIRECTED_AWAY, f"the page led to {url[:200]}, which is another shop's"
        if request.method not in _READING or (request.is_navigation_request() and request.method == "POST"):
            return MissReason.REFUSED_URL, f"the page wanted to send a form to {url[:200]}; nothing is sent"
        if request.is_navigation_request():
            if not is_affordable:
                words = f"the page went on to itself or others until its {self._rules.max_requests} requests were spent"
                return MissReason.REQUEST_CAP, words
            return self._closed(url)
        return None

    def _closed(self, url: str) -> tuple[MissReason, str] | None:
        robots = self._rules.robots
        if robots is None or robots.allows(url, self._agent):
            return None
        why = "is unreachable" if robots.kind is RobotsKind.UNREACHABLE else "closes it to us"
        return MissReason.ROBOTS, f"the page led to {url}, and robots.txt {why}"

    def _count(self, request: "Request") -> None:
        """Count a redirect, which `_judge` never sees; the visit is over when they are too many."""
        if request.redirected_from is not None:
            self._requests += 1
            with contextlib.suppress(ValueError):
                self._hosts.add(urlsplit(request.url).hostname or "")
            self._trip.is_spent = self._trip.is_spent or self._requests > self._rules.max_requests

    def _note(self, response: "Response") -> None:
        from playwright.sync_api import Error

        with contextlib.suppress(Error):
            request = response.request
            if request.is_navigation_request() and request.frame == self._main.main_frame:
                self._answered = response

    def _leave(self, download: Any) -> None:
        """End the page where it is a file: the browser would wait for a document instead until the deadline."""
        if not self._is_there and self._answered is not None and self._answered.url == download.url:
            self._is_file = True
            _close(self._main)

    def _page(self, page: Any, response: "Response | None") -> Page | Miss:
        if response is None:
            return self._miss(MissReason.PROTOCOL, "the browser showed no page")
        if self._barred or not page.url.startswith(("http://", "https://")):
            words = f"the page led to an address that is none of the web's: {page.url[:100]}"
            return self._miss(*(self._refused() or (MissReason.REFUSED_URL, words)))
        hops = []
        earlier = response.request.redirected_from
        while earlier is not None:
            hops.append(earlier.url)
            earlier = earlier.redirected_from
        if len(hops) > 5:
            return self._miss(MissReason.REDIRECTS, f"too many redirects: {len(hops)}")
        most = self._rules.max_body_bytes
        markup = str(self._asked_of(page, _MARKUP % (most + 1)))
        if len(markup) > most:
            return self._miss(MissReason.TOO_LARGE, f"the page is larger than {most:,} characters in the browser")
        headers, is_text = _headers(response)
        body = markup.encode("utf-8", "replace") if is_text else b""
        return Page(self._url, page.url, response.status, headers, body, self._sent, tuple(reversed(hops)))

    def _asked_of(self, page: Any, expression: str) -> Any:
        """Return what an expression gives in a world whose objects the scripts of the page cannot reach."""
        session = page.context.new_cdp_session(page)
        try:
            frame = session.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
            world = session.send("Page.createIsolatedWorld", {"frameId": frame})["executionContextId"]
            asked = {"expression": expression, "contextId": world, "returnByValue": True}
            return session.send("Runtime.evaluate", asked)["result"].get("value", "")
        finally:
            session.detach()

    def _failed(self, words: str) -> Page | Miss:
        if self._trip.received > self._trip.max_bytes:
            return self._miss(MissReason.TOO_LARGE, f"the page needed more than {self._trip.max_bytes:,} bytes")
        if refused := self._refused():
            return self._miss(*refused)
        if self._answered is not None and (self._is_file or any(code in words for code in _WITHOUT_PAGE)):
            headers, _ = _headers(self._answered)
            return Page(self._url, self._answered.url, self._answered.status, headers, b"", self._sent)
        for code, reason, meaning, may_pass in _ERRORS:
            if code in words:
                return self._miss(reason, f"{meaning} (the browser says {code}…)", may_pass=may_pass)
        first = words.splitlines()[0][:200] if words else "no words"
        return self._miss(MissReason.BROWSER, f"the browser could not show the page: {first}", may_pass=True)

    def _refused(self) -> tuple[MissReason, str] | None:
        """Return what the page was refused; the browser also asks for hosts of its maker, by itself."""
        asked = [one for one in self._trip.refusals if one.host in self._hosts]
        if asked and self._barred is None:
            foremost = min(asked, key=lambda one: _FOREMOST.get(one.reason, 9))
            return foremost.reason, foremost.words
        return self._barred

    def _miss(self, reason: MissReason, words: str, *, may_pass: bool = False) -> Miss:
        return Miss(self._url, reason, words, self._sent, may_pass)

    @property
    def _sent(self) -> int:
        """Requests that left: those that were let out, or the connections, where there were more."""
        return max(self._requests, self._trip.connections)

    def _left_ms(self) -> float:
        return max((self._trip.ends_at - time.monotonic()) * 1000, 1.0)


def _close(window: Any) -> None:
    from playwright.sync_api import Error

    with contextlib.suppress(Error, asyncio.CancelledError):
        window.close()


def _headers(response: "Response") -> tuple[dict[str, str], bool]:
    """Return the headers that are still true of the page, and whether it is one: Chromium shows a PDF in a page too."""
    headers = {name: value for name, value in response.headers.items() if name not in _OF_THE_WIRE}
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind in ("", "text/html", "application/xhtml+xml"):
        headers["content-type"] = "text/html; charset=utf-8"
    return headers, kind.startswith("text/") or kind in ("", "application/xhtml+xml", "application/json")

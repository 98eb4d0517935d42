"""One visit: ask, follow at most five redirects by hand, and say in words why there is no page.

Every hop is judged like the first URL (scheme, user name, port, resolved address), must stay with the
competitor's hosts, must be allowed by the robots.txt of its host, waits for the host's delay and counts against
the request cap. The deadline is the time spent in requests; waiting between hops is not charged to it.

A redirect to the same URL is followed once more, since shops do that to set a cookie; the same request a
second time without new cookies is a loop.
"""

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from monitor.adapters.fetch.cookies import Jar
from monitor.adapters.http import Answer, CallRules, Unanswered
from monitor.domain.address import Target, UrlRefused, belongs, target
from monitor.domain.page import FetchRules, Miss, MissReason, Page
from monitor.domain.robots import RobotsKind, RobotsVerdict, robots_url, verdict

if TYPE_CHECKING:
    from monitor.adapters.fetch.fetcher import HttpFetcher

#: Most redirects of one visit.
MAX_REDIRECTS = 5

#: Hosts that ask for consent, or make visitors queue, for the shops behind them.
_CONSENT = re.compile(r"(?:consent|guce|cmp|privacy-gate)\.")
_QUEUE = re.compile(r"(?:.+\.)?queue-it\.net\Z|(?:queue|waitingroom|waiting-room)\.")

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
#: Redirects that ask for the same question again; after every other a POST becomes a GET (RFC 9110, section 15.4).
_KEEP_METHOD = frozenset({307, 308})
#: Misses for which nothing was sent to the shop, so that they cost no request.
_COSTS_NOTHING = frozenset({MissReason.REFUSED_ADDRESS, MissReason.REFUSED_URL, MissReason.DNS})


class _Missed(Exception):
    def __init__(self, reason: MissReason, words: str, *, may_pass: bool = False) -> None:
        super().__init__(words)
        self.reason, self.words, self.may_pass = reason, words, may_pass


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request as the loop check sees it."""

    url: str
    cookies: str


class Visit:
    """The state of one visit, used once and by one thread."""

    def __init__(self, fetcher: "HttpFetcher", url: str, rules: FetchRules) -> None:
        self._fetcher, self._url, self._rules = fetcher, url, rules
        self._jar = Jar()
        self._requests = 0
        self._spent_s = 0.0
        self._post = rules.post
        self._asked: list[_Asked] = []

    def run(self) -> Page | Miss:
        """Visit, and return what came back."""
        try:
            return self._follow(_target(self._url))
        except _Missed as missed:
            words = missed.words if len(self._asked) < 2 else f"{missed.words} (after {self._chain()})"
            return Miss(self._url, missed.reason, words, self._requests, missed.may_pass)

    def _follow(self, first: Target) -> Page:
        to = first
        while True:
            answer = self._ask(to)
            place = _place(answer)
            if place is None:
                return self._page(answer)
            if answer.status not in _KEEP_METHOD:
                self._post = None
            to = self._next(first, to, place)

    def _page(self, answer: Answer) -> Page:
        hops = tuple(asked.url for asked in self._asked[:-1])
        return Page(self._url, answer.url, answer.status, answer.headers, answer.body, self._requests, hops)

    def _next(self, first: Target, here: Target, place: str) -> Target:
        """Judge where a redirect leads before anything is sent there."""
        to = _target(place)
        if len(self._asked) > MAX_REDIRECTS:
            raise _Missed(MissReason.REDIRECTS, f"too many redirects: more than {MAX_REDIRECTS}")
        self._refuse_loop(to)
        self._refuse_detour(to)
        if here.scheme == "https" and to.scheme == "http" and first.scheme == "https" and not self._rules.any_host:
            raise _Missed(MissReason.REFUSED_URL, f"redirected from https to http: {to.url}")
        if not self._rules.any_host and to.site != first.site and not belongs(to, self._rules.hosts):
            raise _Missed(MissReason.REDIRECTED_AWAY, f"redirected away from the shop, to {to.url}")
        self._obey(first, to)
        return to

    def _refuse_loop(self, to: Target) -> None:
        asking = _Asked(to.url, self._jar.header(to))
        times = self._asked.count(asking)
        if times > 1 or (times == 1 and self._asked[-1] != asking):
            raise _Missed(MissReason.REDIRECTS, f"redirect loop: {to.url} again with the same cookies")

    def _refuse_detour(self, to: Target) -> None:
        """Name a host that stands between every visitor and the shop."""
        if _CONSENT.match(to.host):
            words = f"redirected to {to.host}, which asks for consent before it shows the page; it was not given"
            raise _Missed(MissReason.CONSENT_WALL, words)
        if _QUEUE.match(to.host):
            raise _Missed(MissReason.WAITING_ROOM, f"redirected to a waiting room at {to.host}; it was not entered")

    def _obey(self, first: Target, to: Target) -> None:
        if self._rules.robots is None:
            return
        set_here = self._rules.robots
        is_same = set_here.is_ignored or (to.host, to.port) == (first.host, first.port) or to.host == first.host
        found = set_here if is_same else self._robots_of(to).as_set(set_here.refuse, set_here.allow)
        if not found.allows(to.url, self._fetcher.agent):
            raise _Missed(MissReason.ROBOTS, _closed(found, to))

    def _robots_of(self, to: Target) -> RobotsVerdict:
        known = self._fetcher.known_robots(to)
        if known:
            return known
        left = self._rules.max_requests - self._requests
        rules = replace(
            self._rules,
            robots=None,
            accept="text/plain,*/*;q=0.5",
            max_requests=left,
            may_cut=True,
            any_host=True,
            kept=None,
            post=None,
        )
        if left > 0:
            self._wait()
            answer = self._fetcher.fetch(robots_url(to.url), rules)
            self._requests += answer.requests
            if isinstance(answer, Miss) and answer.reason in _COSTS_NOTHING:
                raise _Missed(answer.reason, answer.words)  # the page cannot be had from there either
            if not (isinstance(answer, Miss) and answer.reason is MissReason.REQUEST_CAP):
                found = verdict(answer)
                self._fetcher.remember_robots(to, found)
                return found
        raise self._cap_reached()

    def _ask(self, to: Target) -> Answer:
        if self._requests >= self._rules.max_requests:
            raise self._cap_reached()
        if self._requests:
            self._wait()
        cookies = self._jar.header(to)
        self._asked.append(_Asked(to.url, cookies))
        started = time.monotonic()
        method, body = ("GET", b"") if self._post is None else ("POST", self._post)
        headers = self._headers(to, cookies)
        answer = self._fetcher.client.send(method, to.url, headers=headers, body=body, rules=self._limits())
        self._spent_s += time.monotonic() - started
        if isinstance(answer, Unanswered):
            self._requests += 0 if answer.reason in _COSTS_NOTHING else answer.requests
            raise _Missed(answer.reason, answer.words, may_pass=answer.may_pass)
        self._requests += answer.requests
        self._jar.keep(to, answer.set_cookies, now=self._fetcher.now(), insists=_place(answer) == to.url)
        return answer

    def _limits(self) -> CallRules:
        rules = self._rules
        return CallRules(
            deadline=max(rules.deadline - timedelta(seconds=self._spent_s), timedelta(0)),
            max_wire_bytes=rules.max_wire_bytes,
            max_body_bytes=rules.max_body_bytes,
            may_cut=rules.may_cut,
            allow_addresses=rules.allow_addresses,
            may_reopen=self._requests + 2 <= rules.max_requests,
        )

    def _headers(self, to: Target, cookies: str) -> Mapping[str, str]:
        rules, kept = self._rules, self._rules.kept
        headers = {"user-agent": self._fetcher.agent, "accept": rules.accept}
        if rules.accept_language:
            headers["accept-language"] = rules.accept_language
        if kept is not None and kept.final_url == to.url:
            offered = {"if-none-match": kept.etag, "if-modified-since": kept.last_modified}
            headers |= {name: value for name, value in offered.items() if value}
        headers |= {name.lower(): value for name, value in rules.headers.items()}
        both = "; ".join(part for part in (headers.get("cookie", ""), cookies) if part)
        return headers | {"cookie": both} if both else headers

    def _wait(self) -> None:
        if self._rules.hop_delay:
            self._fetcher.pause(self._rules.hop_delay.total_seconds())

    def _cap_reached(self) -> _Missed:
        words = f"the cap of {self._rules.max_requests} requests is reached; nothing more was asked"
        return _Missed(MissReason.REQUEST_CAP, words)

    def _chain(self) -> str:
        return " → ".join(asked.url for asked in self._asked)


def _closed(found: RobotsVerdict, to: Target) -> str:
    if found.is_refused(to.url):
        return f"redirected to {to.url}, which competitors.toml refuses (refuse)"
    why = "is unreachable" if found.kind is RobotsKind.UNREACHABLE else "closes that address to us"
    return f"redirected to {to.url}, and the robots.txt of {to.host} {why}"


def _place(answer: Answer) -> str | None:
    """Return where an answer redirects to, None when it does not."""
    location = answer.headers.get("location", "").strip().replace(" ", "%20")
    if answer.status not in _REDIRECTS or not location:
        return None
    try:
        return urljoin(answer.url, location)
    except ValueError:
        return location  # no address; that is said in words when the hop is judged


def _target(url: str) -> Target:
    try:
        return target(url)
    except UrlRefused as refused:
        raise _Missed(MissReason.REFUSED_URL, str(refused)) from None

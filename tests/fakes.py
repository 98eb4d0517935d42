"""Fakes of the ports that hold what the real ones hold; each passes the same contract suite as its adapter."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urljoin

from monitor.domain.address import UrlRefused, address_refusal, admit, belongs, target
from monitor.domain.page import FetchRules, Miss, MissReason, Page


@dataclass(frozen=True, slots=True)
class Served:
    """What a fake shop answers at one URL."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


class FakeFetcher:
    """A market in memory: `serve` a page or a miss at a URL, and read `visited` afterwards.

    A host with at least one page answers 404 elsewhere; a host without any does not resolve, unless `addresses`
    says what it resolves to. Of several answers for one URL each visit gets the next, the last one for ever.
    """

    def __init__(self) -> None:
        self.visited: list[str] = []
        self.rules: list[FetchRules] = []
        self.addresses: dict[str, str] = {}
        self._served: dict[str, list[Served | MissReason]] = {}

    def serve(
        self, url: str, body: bytes = b"", *, status: int = 200, headers: Mapping[str, str] | None = None
    ) -> None:
        """Answer `url` so, after whatever was said for it before."""
        self.say(url, Served(body, status, {k.lower(): v for k, v in (headers or {}).items()}))

    def say(self, url: str, what: Served | MissReason) -> None:
        """Answer `url` with a page, or fail for a reason."""
        self._served.setdefault(target(url).url, []).append(what)

    def say_only(self, url: str, what: list[Served | MissReason]) -> None:
        """Answer `url` with these from now on, whatever was said for it before."""
        self._served[target(url).url] = list(what)

    def fetch(self, url: str, rules: FetchRules) -> Page | Miss:
        """Visit the market as the port promises."""
        self.rules.append(rules)
        hops: list[str] = []
        here, first = url, True
        while True:
            refused = self._refused(here, url, rules, hops, first=first)
            if refused:
                return Miss(url, refused, f"{refused.value}: {here}", len(hops), may_pass=False)
            here, first = target(here).url, False
            self.visited.append(here)
            found = self._next(here)
            if isinstance(found, MissReason):
                passing = found in (MissReason.CONNECT, MissReason.INCOMPLETE)
                return Miss(url, found, f"{found.value}: {here}", len(hops) + 1, may_pass=passing)
            if len(found.body) > rules.max_body_bytes and not rules.may_cut:
                return Miss(url, MissReason.TOO_LARGE, f"too large: {here}", len(hops) + 1, may_pass=False)
            if rules.kept and rules.kept.final_url == here and rules.kept.etag == found.headers.get("etag"):
                return Page(url, here, 304, found.headers, b"", len(hops) + 1, tuple(hops))
            location = found.headers.get("location")
            if location is None or found.status not in (301, 302, 303, 307, 308):
                body = found.body[: rules.max_body_bytes]
                return Page(url, here, found.status, found.headers, body, len(hops) + 1, tuple(hops))
            hops.append(here)
            here = urljoin(here, location)

    def _next(self, url: str) -> Served | MissReason:
        queue = self._served.get(url, [Served(status=404)])
        return queue.pop(0) if len(queue) > 1 else queue[0]

    def _refused(self, here: str, asked: str, rules: FetchRules, hops: list[str], *, first: bool) -> MissReason | None:
        try:
            to = target(here)
            admit(to, rules.allow_addresses)
        except UrlRefused:
            return MissReason.REFUSED_URL
        if not first:
            if len(hops) > 5 or hops.count(to.url) > 1 or (to.url in hops[:-1]):
                return MissReason.REDIRECTS
            if to.site != target(asked).site and not belongs(to, rules.hosts):
                return MissReason.REDIRECTED_AWAY
            if rules.robots is not None and not rules.robots.allows(to.url, "pricebot"):
                return MissReason.ROBOTS
        if len(hops) >= rules.max_requests:
            return MissReason.REQUEST_CAP
        return self._unreachable(to.host, is_allowed=to.authority in rules.allow_addresses)

    def _unreachable(self, host: str, *, is_allowed: bool) -> MissReason | None:
        is_known = any(target(url).host == host for url in self._served)
        address = self.addresses.get(host, "93.184.216.34" if is_known else None)
        if address is None:
            return MissReason.DNS
        return MissReason.REFUSED_ADDRESS if address_refusal(address, allowed=is_allowed) else None

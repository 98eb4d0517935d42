"""What one visit to a shop brought back: a page, or the reason why there is none."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from monitor.domain.robots import RobotsVerdict

#: Least time for a page that a browser shows.
BROWSER_DEADLINE = timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class Page:
    """One answer of a shop, after redirects.

    `headers` has lower-case names; `body` is decoded from its transfer coding, not from its charset.
    """

    url: str  #: as asked
    final_url: str  #: where the redirects ended
    status: int
    headers: Mapping[str, str]
    body: bytes
    requests: int  #: HTTP requests this visit made, redirects included
    hops: tuple[str, ...] = ()  #: URLs visited before `final_url`

    @property
    def content_type(self) -> str | None:
        """The Content-Type header as sent, or None."""
        return self.headers.get("content-type")


class MissReason(StrEnum):
    """Why no page came back."""

    REFUSED_ADDRESS = "refused_address"  #: private, loopback, metadata or otherwise not public
    REFUSED_URL = "refused_url"  #: scheme, port or user name in the URL
    DNS = "dns"  #: the name does not resolve
    CONNECT = "connect"  #: nobody answers at the address
    TLS = "tls"  #: the certificate or the handshake is wrong
    DEADLINE = "deadline"  #: not complete within the total deadline
    TOO_LARGE = "too_large"  #: more bytes than the wire or the decoded cap
    INCOMPLETE = "incomplete"  #: shorter than announced, or a coding that ends before its end
    UNREADABLE = "unreadable"  #: not in the coding that it is announced in
    ENCODING = "encoding"  #: a content coding that was not asked for
    REDIRECTS = "redirects"  #: more than five hops, or a loop
    REDIRECTED_AWAY = "redirected_away"  #: to a host that is not this competitor's
    CONSENT_WALL = "consent_wall"  #: redirected to a host that asks for consent
    WAITING_ROOM = "waiting_room"  #: redirected to a host that makes visitors queue
    REQUEST_CAP = "request_cap"  #: the hard cap of requests per competitor and night
    BROWSER = "browser"  #: there is no browser, or it failed
    PROTOCOL = "protocol"  #: the answer is not HTTP
    ROBOTS = "robots"  #: a redirect led to an address that a robots.txt closes to us


#: How long a shop may answer "unchanged" before the page is asked for whole again: wrong confirmations exist.
MAX_CONFIRMED = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class KeptPage:
    """A page that was read right, kept so that the shop may confirm it instead of sending it again.

    A confirmation (304) stands for exactly this body, so the body is read again and never the old answer repeated.
    Source: RFC 9110, section 13.1; thp/urlwatch#292 (a 304 after a failed reading hid changes for ever).
    """

    final_url: str  #: where redirects ended; only this address is asked with the validators
    etag: str | None
    last_modified: str | None
    asked_with: str  #: fingerprint of the settings that the page may depend on
    content_type: str | None
    digest: str = ""  #: of the stored body
    fetched_at: datetime | None = None  #: when the shop last sent it whole


@dataclass(frozen=True, slots=True)
class Miss:
    """No page: why, in a code and in words."""

    url: str
    reason: MissReason
    words: str
    requests: int  #: HTTP requests this visit made before it failed
    may_pass: bool  #: whether one more try tonight is reasonable


@dataclass(frozen=True, slots=True)
class FetchRules:
    """The limits of one visit, from the competitor's settings.

    `hosts` are the registrable domains or bare `host:port` a visit may end at; redirects elsewhere are a miss.
    `allow_addresses` are exact `host:port` pairs that may resolve to loopback or private addresses.
    """

    hosts: tuple[str, ...]
    allow_addresses: frozenset[str] = frozenset()
    accept: str = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.5"
    accept_language: str | None = None
    deadline: timedelta = timedelta(seconds=20)
    max_wire_bytes: int = 5_000_000
    max_body_bytes: int = 5_000_000
    max_requests: int = 6
    hop_delay: timedelta = timedelta(0)
    headers: Mapping[str, str] = field(default_factory=dict)
    robots: "RobotsVerdict | None" = None  #: of the asked host, checked on every hop; None: hops are not checked
    may_cut: bool = False  #: a longer body is cut at the cap instead of being a miss; for robots.txt
    post: bytes | None = None  #: a question that is sent as the body of a POST; None: a GET
    browser: bool = False  #: shown by a browser, for pages that scripts make
    any_host: bool = False  #: redirects may lead to any public host; for robots.txt (RFC 9309, section 2.3.1.2)
    kept: KeptPage | None = None  #: offered to the shop for confirmation where its address is asked


def in_browser(rules: FetchRules, requests: int) -> FetchRules:
    """Return the limits of a page that a browser shows: its scripts make requests too, and it takes longer."""
    return replace(rules, browser=True, max_requests=requests, deadline=max(rules.deadline, BROWSER_DEADLINE))

"""The only way out for a browser: a proxy on loopback that judges every address as the client does.

A browser resolves names and opens connections by itself, and what it offers for looking into requests sees no answer of
a resolver and no redirect. So it gets a proxy, for loopback too, and this one does what the guarded client does: only
the competitor's hosts, only web ports, every resolved address judged, the connection made to a judged one. TLS passes
through untouched, so that the browser checks certificates itself. Each request of plain http has a connection of its
own, since a kept one would lead a later request to an address that was judged for another.

Bytes and connections are counted over a whole visit; when they are too many, or the time is over, every connection is
closed. A visit gets no more connections than requests: what nobody else sees has one of its own, a web socket and each
redirect of plain http.
"""

import contextlib
import re
import selectors
import socket
import threading
import time
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from monitor.adapters.http import CONNECT_S, MOST_ADDRESSES, Resolver, Stopped, without_number
from monitor.domain.address import Target, UrlRefused, address_refusal, admit, belongs, target
from monitor.domain.page import FetchRules, MissReason

#: Longest wait for the next bytes of a shop, in seconds, as in the plain client.
SILENCE_S = 10.0
_HEAD_BYTES = 65_536
_PIECE = 65_536
_FIRST_LINE = re.compile(rb"([A-Z]+) (\S+) (HTTP/1\.[01])\r\n")
_LENGTH = re.compile(rb"(?im)^content-length:\s*([0-9]{1,9})\s*$")
_HOP_HEADERS = re.compile(rb"(?im)^(?:proxy-[a-z-]+|connection|keep-alive):[^\r\n]*\r\n")
_REFUSED = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
#: A closed connection would be tried once more.
_SILENT = b"HTTP/1.1 504 Gateway Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
_OPEN = b"HTTP/1.1 200 Connection established\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Refusal:
    """A connection that was refused."""

    host: str  #: that it was for
    reason: MissReason
    words: str


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request of plain http, as far as its headers."""

    url: str
    head: bytes
    line: "re.Match[bytes]"


@dataclass(slots=True)
class Trip:
    """What one visit may do, and what became of it."""

    rules: FetchRules
    max_bytes: int
    ends_at: float  #: of the monotonic clock
    received: int = 0
    connections: int = 0  #: to the shop
    is_spent: bool = False  #: whether it made more requests than it may
    refusals: list[Refusal] = field(default_factory=list)

    @property
    def is_over(self) -> bool:
        """Whether nothing more may pass."""
        return self.is_spent or self.received > self.max_bytes or time.monotonic() > self.ends_at


class GuardedProxy:
    """Listens on a free port of loopback until it is closed; serves one visit at a time."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._lock = threading.Lock()
        self.trip: Trip | None = None  #: of the visit under way
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, name="browser proxy", daemon=True).start()

    def begin(self, trip: Trip) -> None:
        """Let a visit's connections through; those of the visit before it end by themselves."""
        self.trip = trip

    def close(self) -> None:
        """Stop listening."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, browser: socket.socket) -> None:
        with browser, contextlib.suppress(OSError):
            browser.settimeout(10)
            head = _head_of(browser)
            trip, line = self.trip, _FIRST_LINE.match(head)
            if trip is None or line is None or trip.is_over:
                browser.sendall(_REFUSED)
                return
            try:
                shop = self._connect(trip, _url_of(line))
            except Stopped as stop:
                host = urlsplit(_url_of(line)).hostname or ""
                trip.refusals.append(Refusal(host, stop.reason, stop.words))
                browser.sendall(_REFUSED)
                return
            with shop:
                shop.settimeout(SILENCE_S)
                if line[1] == b"CONNECT":
                    browser.sendall(_OPEN)
                elif not self._asked(trip, _Asked(_url_of(line), head, line), browser, shop):
                    return
                _relay(trip, browser, shop)

    def _asked(self, trip: Trip, asked: "_Asked", browser: socket.socket, shop: socket.socket) -> bool:
        """Pass one request of plain http and the beginning of its answer; say whether there is one."""
        try:
            shop.sendall(_origin_form(asked.head, asked.line))
            _pass_body(asked.head, browser, shop)
            answer = _head_of(shop)
        except TimeoutError:
            host = urlsplit(asked.url).hostname or ""
            trip.refusals.append(Refusal(host, MissReason.DEADLINE, f"{host} was silent for {SILENCE_S:g} s"))
            browser.sendall(_SILENT)
            return False
        browser.sendall(_last_answer(answer))
        return bool(answer)

    def _connect(self, trip: Trip, url: str) -> socket.socket:
        """Judge where a request leads and connect there.

        Raises:
            Stopped: it may not be visited, or nobody answers.
        """
        try:
            to = target(url)
            admit(to, trip.rules.allow_addresses)
        except UrlRefused as refused:
            raise Stopped(MissReason.REFUSED_URL, str(refused)) from None
        if not belongs(to, trip.rules.hosts):
            raise Stopped(MissReason.REDIRECTED_AWAY, f"the page wanted to leave the shop, to {to.host}")
        with self._lock:
            trip.connections += 1
            if trip.connections > trip.rules.max_requests:
                words = f"the page asked {to.host} for more than its {trip.rules.max_requests} requests"
                raise Stopped(MissReason.REQUEST_CAP, words)
        left = max(trip.ends_at - time.monotonic(), 0.1)
        why = ""
        for address in sorted(self._judged(to, trip, left), key=lambda text: ":" in text)[:MOST_ADDRESSES]:
            try:
                return socket.create_connection((address, to.port), timeout=min(CONNECT_S, left))
            except OSError as error:
                why = f"{address}: {without_number(error)}"
        raise Stopped(MissReason.CONNECT, f"nobody answers at {to.authority} ({why})")

    def _judged(self, to: Target, trip: Trip, left: float) -> tuple[str, ...]:
        found = self._resolver.addresses(to.host, to.port, left)
        is_allowed = to.authority in trip.rules.allow_addresses
        refusal = next((why for each in found if (why := address_refusal(each, allowed=is_allowed))), None)
        if refusal:
            raise Stopped(MissReason.REFUSED_ADDRESS, f"{to.host} is not visited: {refusal}")
        return found


def _url_of(line: "re.Match[bytes]") -> str:
    """Return where a request to the proxy leads."""
    place = line[2].decode("latin-1")
    return f"https://{place}/" if line[1] == b"CONNECT" else place


def _head_of(connection: socket.socket) -> bytes:
    head = b""
    while b"\r\n\r\n" not in head and len(head) < _HEAD_BYTES:
        piece = connection.recv(_PIECE)
        if not piece:
            break
        head += piece
    return head


def _pass_body(head: bytes, browser: socket.socket, shop: socket.socket) -> None:
    """Pass what of a request's body did not come with its headers; the shop answers only when it has all of it."""
    told = _LENGTH.search(head)
    left = int(told.group(1)) - len(head.partition(b"\r\n\r\n")[2]) if told else 0
    while left > 0 and (piece := browser.recv(min(left, _PIECE))):
        shop.sendall(piece)
        left -= len(piece)


def _origin_form(head: bytes, line: "re.Match[bytes]") -> bytes:
    """Return a request as its shop expects it: the path only, and one request per connection."""
    path = b"/" + line[2].split(b"://", 1)[-1].partition(b"/")[2]
    rest = _HOP_HEADERS.sub(b"", head[line.end() :])
    return line[1] + b" " + path + b" " + line[3] + b"\r\nConnection: close\r\n" + rest


def _last_answer(head: bytes) -> bytes:
    """Return the beginning of an answer after which the browser opens a new connection for the next request."""
    if not head:
        return b""
    status, _, rest = head.partition(b"\r\n")
    fields, end, body = rest.partition(b"\r\n\r\n")
    return status + b"\r\nConnection: close\r\n" + _HOP_HEADERS.sub(b"", fields + b"\r\n") + end[2:] + body


def _relay(trip: Trip, browser: socket.socket, shop: socket.socket) -> None:
    """Pass bytes both ways until one side ends or the visit is over."""
    other = {browser: shop, shop: browser}
    with selectors.DefaultSelector() as ready:
        for side in other:
            ready.register(side, selectors.EVENT_READ)
        while not trip.is_over:
            for key, _ in ready.select(timeout=0.5):
                one = key.fileobj
                if not isinstance(one, socket.socket):
                    return
                piece = one.recv(_PIECE)
                if not piece:
                    return
                trip.received += len(piece) if one is shop else 0
                other[one].sendall(piece)

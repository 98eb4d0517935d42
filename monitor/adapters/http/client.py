"""Send one request and read its answer, guarded, bounded and on time.

There is no `httpx.Client` here on purpose: it would bring a cookie jar, proxies from the environment,
redirects and a log line with the whole URL. httpx reads the address (see `asking`), httpcore has the connections.

Each thread has connections of its own and all share one SSL context: a pool shared by many threads lost
pages to a race when measured. Connections opened for an operator's allowed address are kept apart, so
that no other caller can reach that address through a connection that is already open. A request that may
have an effect never uses a connection opened before: an old one that the server has just closed would leave
us not knowing whether it acted.
"""

import re
import ssl
import threading
import weakref
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import certifi
import httpcore

from monitor.adapters.http.asking import request_to
from monitor.adapters.http.call import Answer, Call, CallRules, Stopped, Unanswered
from monitor.adapters.http.connections import Connections
from monitor.adapters.http.decode import read_body
from monitor.adapters.http.network import Current, GuardedNetwork
from monitor.adapters.http.resolve import Resolver
from monitor.domain.address import Target, UrlRefused, admit, target
from monitor.domain.page import MissReason

_SAFE = frozenset({b"GET", b"HEAD"})
#: Headers that take one value; of several the first counts, since joined they would name a place that nobody meant.
_SAID_ONCE = frozenset({"location", "retry-after", "etag", "last-modified"})
_DEFAULT_RULES = CallRules()
#: Pieces of a body after which they must be of some size, in bytes on average.
_MOST_PIECES, _CRUMB = 50_000, 64
#: Bytes as the library quotes them, in words of ours only their text; and how much of it.
_QUOTED = re.compile(r"bytearray\(b(['\"])(.*?)\1\)", re.DOTALL)
_MOST_QUOTED = 60
_HIGH = re.compile(rb"[\x80-\xff]")
_BROKEN_OFF = (httpcore.RemoteProtocolError, httpcore.ReadError, httpcore.WriteError)


def trusting_context() -> ssl.SSLContext:
    """Return a context that trusts the system's certificates and Mozilla's, TLS 1.2 or newer."""
    context = ssl.create_default_context()
    context.load_verify_locations(cafile=certifi.where())
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


@dataclass(slots=True)
class _Owned:
    """The connections of one thread, by whether they serve an allowed address."""

    thread: weakref.ref[threading.Thread]
    connections: dict[bool, Connections] = field(default_factory=dict)


class Client:
    """Sends guarded requests; safe to share between threads.

    Args:
        resolver: shared cache of names.
        ssl_context: default `trusting_context()`.
        network: opens the sockets, below the guard; tests lead public addresses to loopback here.
    """

    def __init__(
        self,
        *,
        resolver: Resolver | None = None,
        ssl_context: ssl.SSLContext | None = None,
        network: httpcore.NetworkBackend | None = None,
    ) -> None:
        self._ssl = ssl_context or trusting_context()
        self._current = Current()
        self._network = GuardedNetwork(self._current, resolver or Resolver(), network or httpcore.SyncBackend())
        self._lock = threading.Lock()
        self._owned: dict[int, _Owned] = {}

    def send(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
        rules: CallRules = _DEFAULT_RULES,
    ) -> Answer | Unanswered:
        """Send one request and return its answer, or why there is none; redirects are not followed.

        Never raises for what a server, a name or a URL does. Safe to repeat for GET and HEAD only.
        """
        try:
            to = target(url)
            admit(to, rules.allow_addresses, rules.ports)
            request = request_to(to, method.upper(), headers or {}, body)
        except UrlRefused as refused:
            return Unanswered(url, MissReason.REFUSED_URL, str(refused), sent=False, may_pass=False)
        call = Call(rules, to.authority)
        try:
            return self._answer(request, to, call)
        except Stopped as stop:
            return Unanswered(url, stop.reason, stop.words, call.sent, stop.may_pass, call.status, call.requests)

    def close(self) -> None:
        """Close the idle connections of every thread."""
        with self._lock:
            owned, self._owned = list(self._owned.values()), {}
        for one in owned:
            for connections in one.connections.values():
                connections.close()

    def _answer(self, request: httpcore.Request, to: Target, call: Call) -> Answer:
        if request.method not in _SAFE:
            connections = self._connections()
            try:
                return self._exchange(connections, request, to, call)
            finally:
                connections.close()
        connections = self._own_connections(to.authority in call.rules.allow_addresses)
        try:
            return self._exchange(connections, request, to, call)
        except _Stale:
            call.requests += 1
            return self._exchange(connections, request, to, call)

    def _exchange(self, connections: Connections, request: httpcore.Request, to: Target, call: Call) -> Answer:
        self._current.call = call
        call.connected = False
        try:
            response = connections.send(request)
            call.status = response.status
            try:
                return _read(response, request, to, call)
            finally:
                response.close()
        except _BROKEN_OFF as error:
            is_stale = not call.connected and not call.received and request.method in _SAFE
            if is_stale and call.rules.may_reopen:
                raise _Stale from None
            raise _broken_off(call, error) from None
        except (httpcore.ProtocolError, httpcore.UnsupportedProtocol) as error:
            words = f"the request to {call.place} could not be written: {error}"
            raise Stopped(MissReason.PROTOCOL, words) from None

    def _connections(self) -> Connections:
        return Connections(self._ssl, self._network)

    def _own_connections(self, is_allowed: bool) -> Connections:
        thread = threading.current_thread()
        with self._lock:
            owned = self._owned.get(threading.get_ident())
            if owned is None or owned.thread() is not thread:
                self._close_left_behind()
                owned = self._owned[threading.get_ident()] = _Owned(weakref.ref(thread))
            if is_allowed not in owned.connections:
                owned.connections[is_allowed] = self._connections()
            return owned.connections[is_allowed]

    def _close_left_behind(self) -> None:
        """Close the connections of threads that have ended; the lock is held."""
        for ident, owned in list(self._owned.items()):
            thread = owned.thread()
            if thread is None or not thread.is_alive():
                for connections in owned.connections.values():
                    connections.close()
                del self._owned[ident]


class _Stale(Exception):
    """A kept connection was closed by the server before it read our request; a new one is opened."""


def _read(response: httpcore.Response, request: httpcore.Request, to: Target, call: Call) -> Answer:
    if response.status == 101:
        raise Stopped(MissReason.PROTOCOL, f"{call.place} switched to another protocol unasked")
    headers = _decoded(response.headers)
    rules = call.rules
    length = headers.get("content-length", "")
    has_body = request.method != b"HEAD" and response.status not in (204, 304)
    if has_body and length.isdecimal() and int(length[:18]) > rules.max_wire_bytes and not rules.may_cut:
        words = f"{call.place} announced {int(length[:18]):,} bytes, more than {rules.max_wire_bytes:,}"
        raise Stopped(MissReason.TOO_LARGE, words)
    coding = headers.get("content-encoding", "") if has_body else ""
    pieces = _no_crumbs(response.iter_stream(), call)
    body = read_body(pieces, coding, cap=rules.max_body_bytes, may_cut=rules.may_cut, place=call.place)
    cookies = tuple(_text(value) for name, value in response.headers if name.lower() == b"set-cookie")
    return Answer(to.url, response.status, headers, body, cookies, call.requests)


def _no_crumbs(pieces: Iterable[bytes], call: Call) -> Iterator[bytes]:
    """Yield the pieces of a body; one that comes in a flood of crumbs would cost seconds of the processor."""
    count = size = 0
    for piece in pieces:
        count, size = count + 1, size + len(piece)
        if count > _MOST_PIECES and size < count * _CRUMB:
            words = f"{call.place} sent its body in {count:,} pieces of {size // count} bytes; the rest was not read"
            raise Stopped(MissReason.PROTOCOL, words)
        yield piece


def _decoded(raw: list[tuple[bytes, bytes]]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for name, value in raw:
        key = name.decode("latin-1").lower()
        text = _text(_escaped(value) if key == "location" else value)
        if key not in headers:
            headers[key] = text
        elif key not in _SAID_ONCE:
            headers[key] = f"{headers[key]}, {text}"
    return headers


def _escaped(place: bytes) -> bytes:
    """Return an address whose bytes are no UTF-8 with them escaped as they are, which is where browsers go."""
    try:
        place.decode("utf-8")
    except UnicodeDecodeError:
        return _HIGH.sub(lambda found: b"%%%02X" % found.group()[0], place)
    return place


def _text(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")


def _broken_off(call: Call, error: Exception) -> Stopped:
    why = _QUOTED.sub(lambda found: f"'{found.group(2)[:_MOST_QUOTED]}'", str(error))
    if call.status is not None:
        return Stopped(MissReason.INCOMPLETE, f"the answer of {call.place} ended before it was complete ({why})")
    if isinstance(error, httpcore.RemoteProtocolError) and call.received:
        return Stopped(MissReason.PROTOCOL, f"{call.place} does not answer in HTTP ({why})")
    return Stopped(MissReason.INCOMPLETE, f"{call.place} closed the connection without an answer ({why})")

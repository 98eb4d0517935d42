"""Send one request and read its answer, guarded, bounded and on time.

There is no `httpx.Client` here on purpose: it would bring a cookie jar, proxies from the environment,
redirects and a log line with the whole URL. httpx gives the request and the transport interface, httpcore the
connections.

Each thread has connection pools of its own and all share one SSL context: a pool shared by many threads lost
pages to a race when measured. Connections opened for an operator's allowed address live in a separate pool, so
that no other caller can reach that address through a connection that is already open. A request that may
have an effect never uses a connection opened before: an old one that the server has just closed would leave
us not knowing whether it acted.
"""

import ssl
import threading
import weakref
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import certifi
import httpcore
import httpx

from monitor.adapters.http.call import Answer, Call, CallRules, Stopped, Unanswered
from monitor.adapters.http.decode import ACCEPTED, read_body
from monitor.adapters.http.network import Current, GuardedNetwork
from monitor.adapters.http.resolve import Resolver
from monitor.domain.address import Target, UrlRefused, admit, target
from monitor.domain.page import MissReason

#: Seconds an idle connection is kept.
KEEP_ALIVE_S = 15.0
#: Idle connections kept by each thread: it visits one shop at a time, and every request looks at all that are kept.
MOST_KEPT = 2

_SAFE = frozenset({"GET", "HEAD"})
#: Headers that take one value; of several the first counts, since joined they would name a place that nobody meant.
_SAID_ONCE = frozenset({"location", "retry-after", "etag", "last-modified"})
_DEFAULT_RULES = CallRules()
_BROKEN_OFF = (httpcore.RemoteProtocolError, httpcore.ReadError, httpcore.WriteError)


def trusting_context() -> ssl.SSLContext:
    """Return a context that trusts the system's certificates and Mozilla's, TLS 1.2 or newer."""
    context = ssl.create_default_context()
    context.load_verify_locations(cafile=certifi.where())
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


class GuardedTransport(httpx.BaseTransport):
    """httpx's transport interface over a pool whose network is guarded."""

    def __init__(self, pool: httpcore.ConnectionPool) -> None:
        self._pool = pool

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send the request; the response's stream is read and closed by the caller."""
        answer = self._pool.handle_request(
            httpcore.Request(
                method=request.method,
                url=httpcore.URL(
                    scheme=request.url.raw_scheme,
                    host=request.url.raw_host,
                    port=request.url.port,
                    target=request.url.raw_path,
                ),
                headers=request.headers.raw,
                content=request.stream,
            )
        )
        return httpx.Response(answer.status, headers=answer.headers, stream=_Chunks(answer))

    def close(self) -> None:
        """Close every connection."""
        self._pool.close()


class _Chunks(httpx.SyncByteStream):
    def __init__(self, answer: httpcore.Response) -> None:
        self._answer = answer

    def __iter__(self) -> Iterator[bytes]:
        yield from self._answer.iter_stream()

    def close(self) -> None:
        self._answer.close()


@dataclass(slots=True)
class _Owned:
    """The transports of one thread, by whether they serve an allowed address."""

    thread: weakref.ref[threading.Thread]
    transports: dict[bool, GuardedTransport] = field(default_factory=dict)


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
            request = _request(method, to, headers or {}, body)
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
            for transport in one.transports.values():
                transport.close()

    def _answer(self, request: httpx.Request, to: Target, call: Call) -> Answer:
        if request.method not in _SAFE:
            transport = self._transport()
            try:
                return self._exchange(transport, request, to, call)
            finally:
                transport.close()
        transport = self._own_transport(to.authority in call.rules.allow_addresses)
        try:
            return self._exchange(transport, request, to, call)
        except _Stale:
            call.requests += 1
            return self._exchange(transport, request, to, call)

    def _exchange(self, transport: GuardedTransport, request: httpx.Request, to: Target, call: Call) -> Answer:
        self._current.call = call
        call.connected = False
        try:
            response = transport.handle_request(request)
            call.status = response.status_code
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

    def _transport(self) -> GuardedTransport:
        return GuardedTransport(
            httpcore.ConnectionPool(
                ssl_context=self._ssl,
                max_connections=8,
                max_keepalive_connections=MOST_KEPT,
                keepalive_expiry=KEEP_ALIVE_S,
                network_backend=self._network,
            )
        )

    def _own_transport(self, is_allowed: bool) -> GuardedTransport:
        thread = threading.current_thread()
        with self._lock:
            owned = self._owned.get(threading.get_ident())
            if owned is None or owned.thread() is not thread:
                self._close_left_behind()
                owned = self._owned[threading.get_ident()] = _Owned(weakref.ref(thread))
            if is_allowed not in owned.transports:
                owned.transports[is_allowed] = self._transport()
            return owned.transports[is_allowed]

    def _close_left_behind(self) -> None:
        """Close the connections of threads that have ended; the lock is held."""
        for ident, owned in list(self._owned.items()):
            thread = owned.thread()
            if thread is None or not thread.is_alive():
                for transport in owned.transports.values():
                    transport.close()
                del self._owned[ident]


class _Stale(Exception):
    """A kept connection was closed by the server before it read our request; a new one is opened."""


def _request(method: str, to: Target, headers: Mapping[str, str], body: bytes) -> httpx.Request:
    sent = {name.lower(): value for name, value in headers.items()} | {"accept-encoding": ACCEPTED}
    raw = [(name.encode("ascii"), value.encode("utf-8")) for name, value in sent.items()]
    try:
        return httpx.Request(method, to.url, headers=raw, content=body or None)
    except httpx.InvalidURL as invalid:
        raise UrlRefused(to.url, f"it cannot be read ({invalid})") from None


def _read(response: httpx.Response, request: httpx.Request, to: Target, call: Call) -> Answer:
    if response.status_code == 101:
        raise Stopped(MissReason.PROTOCOL, f"{call.place} switched to another protocol unasked")
    headers = _decoded(response.headers.raw)
    rules = call.rules
    length = headers.get("content-length", "")
    has_body = request.method != "HEAD" and response.status_code not in (204, 304)
    if has_body and length.isdecimal() and int(length[:18]) > rules.max_wire_bytes and not rules.may_cut:
        words = f"{call.place} announced {int(length[:18]):,} bytes, more than {rules.max_wire_bytes:,}"
        raise Stopped(MissReason.TOO_LARGE, words)
    coding = headers.get("content-encoding", "") if has_body else ""
    body = read_body(response.iter_raw(), coding, cap=rules.max_body_bytes, may_cut=rules.may_cut, place=call.place)
    cookies = tuple(_text(value) for name, value in response.headers.raw if name.lower() == b"set-cookie")
    return Answer(to.url, response.status_code, headers, body, cookies, call.requests)


def _decoded(raw: list[tuple[bytes, bytes]]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for name, value in raw:
        key, text = name.decode("latin-1").lower(), _text(value)
        if key not in headers:
            headers[key] = text
        elif key not in _SAID_ONCE:
            headers[key] = f"{headers[key]}, {text}"
    return headers


def _text(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")


def _broken_off(call: Call, error: Exception) -> Stopped:
    if call.status is not None:
        return Stopped(MissReason.INCOMPLETE, f"the answer of {call.place} ended before it was complete ({error})")
    if isinstance(error, httpcore.RemoteProtocolError) and call.received:
        return Stopped(MissReason.PROTOCOL, f"{call.place} does not answer in HTTP ({error})")
    return Stopped(MissReason.INCOMPLETE, f"{call.place} closed the connection without an answer ({error})")

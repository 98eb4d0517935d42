"""The guard: names are resolved once, every address is judged, the connection goes to a judged one.

It sits below the URL, as httpcore's network backend, so that the Host header, SNI and the certificate check
still use the name. A second look-up cannot happen between the judgement and the connection. Every
operation gets at most what is left of the call's deadline; so a server that sends its headers one byte at
a time is stopped as well, which a loop around the body cannot do.
"""

import ssl
import threading
from collections.abc import Iterable
from typing import Any

import httpcore

from monitor.adapters.http.call import Call, Stopped, without_number
from monitor.adapters.http.resolve import Resolver
from monitor.domain.address import address_refusal
from monitor.domain.page import MissReason

#: Seconds to reach one address, and how many addresses of a name are tried.
CONNECT_S, MOST_ADDRESSES = 4.0, 3

_WRITE_BYTES = 16_384


class Current(threading.local):
    """The call under way in this thread."""

    call: Call


class GuardedNetwork(httpcore.NetworkBackend):
    """Connects to judged addresses only, within the deadline of the current call."""

    def __init__(self, current: Current, resolver: Resolver, network: httpcore.NetworkBackend) -> None:
        self._current, self._resolver, self._network = current, resolver, network

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to the first of three addresses that answers, IPv4 first.

        Raises:
            Stopped: the name does not resolve, one of its addresses is refused, or none answers in time.
        """
        call = self._current.call
        call.connected = True
        found = self._resolver.addresses(host, port, call.left())
        _judge(call, host, found)
        why = ""
        for address in sorted(found, key=lambda text: ":" in text)[:MOST_ADDRESSES]:
            try:
                stream = self._network.connect_tcp(address, port, call.left(CONNECT_S), local_address, socket_options)
                return GuardedStream(stream, self._current)
            except httpcore.ConnectTimeout:
                why = f"{address} did not answer in time"
            except (httpcore.ConnectError, OSError) as error:
                why = f"{address}: {without_number(error)}"
        raise Stopped(MissReason.CONNECT, f"nobody answers at {call.place} ({why})")


def _judge(call: Call, host: str, found: tuple[str, ...]) -> None:
    is_allowed = call.place in call.rules.allow_addresses
    for address in found:
        refusal = address_refusal(address, allowed=is_allowed)
        if refusal:
            helps = address_refusal(address, allowed=True) is None
            advice = f". If this is a server of your own, name {call.place} in allow_addresses" if helps else ""
            raise Stopped(MissReason.REFUSED_ADDRESS, f"{host} is not visited: {refusal}{advice}")


class GuardedStream(httpcore.NetworkStream):
    """A connection whose every operation ends by the deadline and whose bytes are counted."""

    def __init__(self, stream: httpcore.NetworkStream, current: Current) -> None:
        self._stream, self._current = stream, current

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Read what has come, at most `max_bytes`."""
        call = self._current.call
        try:
            got = self._stream.read(max_bytes, call.next_bytes())
        except httpcore.ReadTimeout:
            raise call.silent() from None
        call.take(len(got))
        return got

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Write everything; from the first byte on, the request counts as sent."""
        call = self._current.call
        for start in range(0, len(buffer), _WRITE_BYTES):
            limit = call.next_bytes()
            call.sent = True
            try:
                self._stream.write(buffer[start : start + _WRITE_BYTES], limit)
            except httpcore.WriteTimeout:
                raise call.silent() from None

    def close(self) -> None:
        """Close the connection."""
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        """Shake hands; the certificate must be valid for the name in the URL.

        Raises:
            Stopped: it is not, or the other side does not speak TLS, or not in time.
        """
        call = self._current.call
        try:
            stream = self._stream.start_tls(ssl_context, server_hostname, call.next_bytes())
        except httpcore.ConnectTimeout:
            raise call.silent() from None
        except httpcore.ConnectError as error:
            raise _tls_failure(call, error) from None
        return GuardedStream(stream, self._current)

    def get_extra_info(self, info: str) -> Any:
        """Pass on what httpcore asks of the connection."""
        return self._stream.get_extra_info(info)


def _tls_failure(call: Call, error: httpcore.ConnectError) -> Stopped:
    cause = error.__cause__
    if isinstance(cause, ssl.SSLCertVerificationError):
        return Stopped(MissReason.TLS, f"the certificate of {call.place} is not valid: {cause.verify_message}")
    if isinstance(cause, ssl.SSLError) and cause.reason:
        return Stopped(MissReason.TLS, f"{call.place} does not speak TLS as we do: {cause.reason}")
    return Stopped(MissReason.TLS, f"{call.place} broke off the TLS handshake ({error})", may_pass=True)

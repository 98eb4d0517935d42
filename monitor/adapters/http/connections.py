"""The connections of one thread: it makes one request at a time, so a short list of them is all the pool it needs.

httpcore's own pool serves many callers at once. It queues every request and looks at all its connections before and
after each; measured on a night, that and httpx's models of an answer were a fifth of what a request costs.
"""

import ssl

import httpcore

#: Seconds an idle connection is kept.
KEEP_ALIVE_S = 15.0
#: Connections kept: a thread visits one shop at a time, and every request looks at all that are kept.
MOST_KEPT = 2


class Connections:
    """Sends requests over kept connections; used by one thread, which closes each answer before its next request."""

    def __init__(self, ssl_context: ssl.SSLContext, network: httpcore.NetworkBackend) -> None:
        self._ssl, self._network = ssl_context, network
        self._kept: list[httpcore.HTTPConnection] = []

    def send(self, request: httpcore.Request) -> httpcore.Response:
        """Send the request and return the answer as far as its head; the caller reads its stream and closes it."""
        return self._to(request.url.origin).handle_request(request)

    def close(self) -> None:
        """Close every connection."""
        kept, self._kept = self._kept, []
        for connection in kept:
            connection.close()

    def _to(self, origin: httpcore.Origin) -> httpcore.HTTPConnection:
        kept = [connection for connection in self._kept if _is_open(connection)]
        found = next((one for one in kept if one.can_handle_request(origin) and one.is_available()), None)
        if found is None:
            for former in kept[: 1 - MOST_KEPT]:
                former.close()
            found = httpcore.HTTPConnection(
                origin, ssl_context=self._ssl, keepalive_expiry=KEEP_ALIVE_S, network_backend=self._network
            )
            kept = [*kept[1 - MOST_KEPT :], found]
        self._kept = kept
        return found


def _is_open(connection: httpcore.HTTPConnection) -> bool:
    """Say whether a connection may be used again.

    One that idled too long, that its server closed, or on which more came than one answer, is closed: what is left of
    a body that is longer than announced would be taken for the answer to the next request.
    """
    if connection.is_closed():
        return False
    if connection.has_expired() or _has_left_over(connection):
        connection.close()
        return False
    return True


def _has_left_over(connection: httpcore.HTTPConnection) -> bool:
    """Say whether bytes were received that belong to no answer; httpcore has no public word for it."""
    parser = getattr(getattr(connection, "_connection", None), "_h11_state", None)
    return parser is not None and bool(parser.trailing_data[0])

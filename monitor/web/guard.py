"""What holds for every request: security headers on every answer, and no trace of an error in any.

Written as plain ASGI around the whole application, so that the answer to an unforeseen error carries the
headers too. Review links are secrets: the request log has `/a/…` instead of their paths.
"""

import secrets
from collections.abc import Callable
from time import perf_counter
from traceback import format_exception

import structlog
from starlette.datastructures import MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_log = structlog.get_logger(__name__)

#: Where an answer to an unforeseen error leaves its number, under which the error is logged.
FAILURE = "monitor.failure"

#: Nothing loaded from elsewhere, no scripts, framed by nobody.
CONTENT_POLICY = (
    "default-src 'none'; img-src 'self' data:; style-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)

#: For a page with charts: our own scripts, which compile nothing, and data from here.
CHART_POLICY = f"{CONTENT_POLICY}; script-src 'self'; connect-src 'self'"

#: For a stored report: its styles are inside it, and it has no forms.
REPORT_POLICY = (
    "default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'none'"
)

#: `same-origin` and not `no-referrer`: with the latter Chrome posts our own forms with `Origin: null`.
HEADERS = {
    "Cache-Control": "no-store, private",
    "Referrer-Policy": "same-origin",
    "X-Robots-Tag": "noindex, nofollow",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": CONTENT_POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Strict-Transport-Security": "max-age=31536000",
}


class Guard:
    """Wraps the application."""

    def __init__(self, app: ASGIApp, broken: Callable[[str, str], Response]) -> None:
        """Take the application and what answers an unforeseen error, given the path and the number in the log."""
        self._app, self._broken = app, broken

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answer = _Answer(send)
        began = perf_counter()
        try:
            await self._app(scope, receive, answer)
        except Exception as error:
            number = scope.get(FAILURE) or secrets.token_hex(4)
            trace = "".join(format_exception(error))  # without the values of variables, among which are tokens
            _log.error("request_failed", number=number, path=shown_path(scope["path"]), trace=trace)
            if not answer.status:
                await self._broken(scope["path"], number)(scope, receive, answer)
        _log.debug(
            "request",
            method=scope["method"],
            path=shown_path(scope["path"]),
            status=answer.status,
            ms=round((perf_counter() - began) * 1000),
        )


class _Answer:
    """Sends on, with the headers, and remembers the status."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await self._send(message)


def shown_path(path: str) -> str:
    """Return a path as it may be logged: without the token of a review link."""
    return "/a/…" if path.startswith("/a/") else path

"""A real HTTP server on loopback for the fakes of shops' own APIs: they say what to answer, it says it or goes wrong.

A `Reply` may hang until the client gives up, reset the connection, or break off in the middle of its body.
"""

import contextlib
import json
import socket
import struct
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import SplitResult, urlsplit


class Manner(StrEnum):
    """How an answer reaches the client."""

    WHOLE = "whole"
    HANG = "hang"  #: nothing comes until the client gives up
    RESET = "reset"  #: the connection is reset
    CUT = "cut"  #: half of the body, then the connection closes


@dataclass(frozen=True)
class Reply:
    """One answer."""

    status: int = 200
    document: Any = None  #: JSON, unless it is bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    manner: Manner = Manner.WHOLE

    @property
    def body(self) -> bytes:
        """Return the bytes of the body."""
        return self.document if isinstance(self.document, bytes) else json.dumps(self.document).encode()


@dataclass(frozen=True)
class Request:
    """What a client sent."""

    method: str
    url: SplitResult
    headers: Mapping[str, str]
    body: bytes


class HttpFake(ThreadingHTTPServer):
    """Listens on a free loopback port and asks `answer` what to say; `requests` is what came."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, answer: Callable[[Request], Reply]) -> None:
        super().__init__(("127.0.0.1", 0), _Conversation)
        self.answer = answer
        self.requests: list[Request] = []
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def url(self) -> str:
        """The address without a path."""
        return f"http://127.0.0.1:{self.server_port}"

    def __enter__(self) -> "HttpFake":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()

    def handle_error(self, *_: Any) -> None:
        """A client that left is what several tests are about."""


class _Conversation(BaseHTTPRequestHandler):
    server: HttpFake
    timeout = 20

    def _talk(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.command, urlsplit(self.path), headers, body)
        self.server.requests.append(request)
        self._say(self.server.answer(request))

    do_GET = do_POST = do_PUT = _talk  # noqa: N815 - names of the library

    def _say(self, reply: Reply) -> None:
        if reply.manner is Manner.HANG:
            with contextlib.suppress(OSError):
                self.rfile.read(1)
            return
        if reply.manner is Manner.RESET:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            return
        self.send_response(reply.status)
        for name, value in {"Content-Type": "application/json", **reply.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        self.wfile.write(reply.body[: len(reply.body) // 2] if reply.manner is Manner.CUT else reply.body)
        if reply.manner is Manner.CUT:
            self.close_connection = True

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

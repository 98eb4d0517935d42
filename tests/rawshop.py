"""A shop on loopback that says exactly the bytes a test tells it to, and counts who comes.

`Elsewhere` leads every judged address to such a shop: names resolve to public addresses, the guard judges
those, and the socket still ends on loopback. So a test may visit `alpkontor.example` and nothing leaves the machine.
"""

import contextlib
import gzip
import socket
import ssl
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Self

import httpcore

Say = Callable[[socket.socket], None]

#: What an unknown path gets.
_NOTHING_HERE = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"


def answer(body: bytes = b"", *, status: int = 200, headers: Mapping[str, str] | None = None) -> bytes:
    """Return the bytes of a well-formed answer with its length."""
    lines = {"Content-Type": "text/html; charset=utf-8", "Content-Length": str(len(body)), **(headers or {})}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"HTTP/1.1 {status} Said\r\n{head}\r\n".encode() + body


def moved(location: str, *, status: int = 302, headers: Mapping[str, str] | None = None) -> bytes:
    """Return the bytes of a redirect."""
    return answer(status=status, headers={"Location": location, **(headers or {})})


def gzipped(body: bytes) -> bytes:
    """Return the bytes of a gzip answer."""
    return answer(gzip.compress(body), headers={"Content-Encoding": "gzip"})


class RawShop:
    """Listens on a free loopback port; `routes` maps a path to bytes, to a list of them, or to a function.

    Of a list each request gets the next element, the last one for ever. A connection is kept open after bytes with
    a Content-Length and closed after everything else.
    """

    def __init__(self, *, tls: ssl.SSLContext | None = None) -> None:
        self.routes: dict[str, bytes | list[bytes] | Say] = {}
        self.requests: list[bytes] = []
        self.connections = 0
        self.stopped = threading.Event()
        self._tls = tls
        self._open: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]

    @property
    def authority(self) -> str:
        """`127.0.0.1:port`."""
        return f"127.0.0.1:{self.port}"

    def url(self, path: str = "/") -> str:
        """Return the loopback URL of a path."""
        return f"http://{self.authority}{path}"

    def drip(self, data: Iterable[bytes], every_s: float = 0.02) -> Say:
        """Return a route that sends one piece at a time until the client leaves."""

        def say(connection: socket.socket) -> None:
            for piece in data:
                connection.sendall(piece)
                if self.stopped.wait(every_s):
                    return

        return say

    def __enter__(self) -> Self:
        self._start(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        self.stopped.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in list(self._open):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(5)

    def _start(self, run: Callable[..., None], *args: Any) -> None:
        thread = threading.Thread(target=run, args=args, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self.stopped.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            self._start(self._serve, connection)

    def _serve(self, connection: socket.socket) -> None:
        self._open.add(connection)
        try:
            with contextlib.suppress(OSError):
                if self._tls:
                    connection = self._tls.wrap_socket(connection, server_side=True)
                while self._serve_one(connection):
                    pass
        finally:
            self._open.discard(connection)
            connection.close()

    def _serve_one(self, connection: socket.socket) -> bool:
        request = _read_request(connection)
        if not request:
            return False
        self.requests.append(request)
        said = self.routes.get(request.split(b" ", 2)[1].decode(), _NOTHING_HERE)
        if isinstance(said, list):
            said = said.pop(0) if len(said) > 1 else said[0]
        if callable(said):
            said(connection)
            return False
        connection.sendall(said)
        return b"content-length:" in said.lower() and b"connection: close" not in said.lower()


def _read_request(connection: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65536)
        if not piece:
            return b""
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    length = next((int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0)
    while len(body) < length:
        piece = connection.recv(65536)
        if not piece:
            return b""
        body += piece
    return head + b"\r\n\r\n" + body


class Elsewhere(httpcore.NetworkBackend):
    """Opens every connection to one loopback port and remembers which address was meant."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.meant: list[tuple[str, int]] = []

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to the shop instead."""
        self.meant.append((host, port))
        return httpcore.SyncBackend().connect_tcp("127.0.0.1", self.port, timeout, local_address)


class Names:
    """A resolver of the test's own: what is not in the table does not exist. Counts its look-ups."""

    def __init__(self, **table: str | list[str]) -> None:
        self.table: dict[str, str | list[str]] = {name.replace("_", "."): to for name, to in table.items()}
        self.asked: list[str] = []

    def __call__(self, host: str, port: int) -> list[str]:
        self.asked.append(host)
        if host not in self.table:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        found = self.table[host]
        return [found] if isinstance(found, str) else found

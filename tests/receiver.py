"""The other end of the shop webhook: a real HTTP server on loopback over `tests.fake_shop.Books`.

It does what a careful receiver does: checks the signature and its age, asks for an `Idempotency-Key`, changes a price
once per key, replays its answer to a repeat, and refuses a key that comes with another body.
"""

import base64
import contextlib
import hashlib
import hmac
import json
import socket
import struct
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import time
from typing import Any
from urllib.parse import parse_qs, urlsplit

from monitor.domain.money import Money, plain_amount
from monitor.domain.shop_price import compare_at_of
from tests.fake_shop import Books, Fault

SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
#: Signatures older than this are refused.
TOLERANCE_S = 300


def is_signed(headers: Mapping[str, str], body: bytes, secret: str = SECRET) -> bool:
    """Check one message as Standard Webhooks asks of a receiver."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    message_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not timestamp.isdecimal() or abs(time() - int(timestamp)) > TOLERANCE_S:
        return False
    expected = base64.b64encode(hmac.digest(key, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256))
    marks = [each.removeprefix("v1,").encode() for each in headers.get("webhook-signature", "").split()]
    return any(hmac.compare_digest(expected, mark) for mark in marks)


class Receiver(ThreadingHTTPServer):
    """Listens on a free loopback port; `books` is what it sells, `bodies` and `headers` what it was sent."""

    daemon_threads = True

    def __init__(self, books: Books) -> None:
        super().__init__(("127.0.0.1", 0), _Conversation)
        self.books = books
        self.answers: dict[str, tuple[bytes, int, dict[str, Any]]] = {}
        self.bodies: list[bytes] = []
        self.headers: list[dict[str, str]] = []
        self.asked: list[str] = []
        self.scripted: list[tuple[int, dict[str, str], bytes]] = []
        self.arrived = threading.Event()
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def url(self) -> str:
        """Where calls go."""
        return f"http://127.0.0.1:{self.server_port}/prices"

    def say(self, status: int, body: object = None, **headers: str) -> None:
        """Answer the next request so, whatever it is, and do nothing else about it."""
        raw = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        self.scripted.append((status, {name.replace("_", "-"): value for name, value in headers.items()}, raw))

    def __enter__(self) -> "Receiver":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()

    def handle_error(self, *_: Any) -> None:
        """A client that left is what several tests are about."""


class _Conversation(BaseHTTPRequestHandler):
    server: Receiver
    timeout = 20

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        self.server.headers.append({name.lower(): value for name, value in self.headers.items()})
        if self._scripted():
            return
        if not is_signed(self.server.headers[-1], b""):
            self._answer(401, {"status": "error", "message": "bad signature"})
            return
        sku = parse_qs(urlsplit(self.path).query).get("sku", [""])[0]
        found = self.server.books.told(sku)
        self._answer(*((200, {"sku": sku, **found.as_json()}) if found else (404, {"status": "not_found"})))

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.bodies.append(body)
        self.server.headers.append(headers)
        self.server.arrived.set()
        if self._scripted():
            return
        if not is_signed(headers, body):
            self._answer(401, {"status": "error", "message": "bad signature"})
            return
        key = headers.get("idempotency-key", "")
        if len(key) < 3 or key[0] != '"' or key[-1] != '"':
            self._answer(400, {"status": "invalid", "message": "Idempotency-Key must be a quoted string"})
            return
        self._once(key[1:-1], body)

    def _once(self, key: str, body: bytes) -> None:
        earlier = self.server.answers.get(key)
        if earlier and earlier[0] != body:
            self._answer(422, {"status": "invalid", "message": "this key came with another body"})
            return
        fault = self.server.books.fault(key)
        if earlier and fault is Fault.NONE:
            self._answer(*earlier[1:])
            return
        self._do(key, body, fault)

    def _do(self, key: str, body: bytes, fault: Fault) -> None:
        wanted = json.loads(body)["data"]
        if fault is Fault.THROTTLE:
            self._answer(429, {"status": "throttled"}, {"Retry-After": "30"})
        elif fault is Fault.REFUSE:
            self._answer(422, {"status": "invalid", "message": "does not like this price"})
        elif wanted["sku"] not in self.server.books.prices:
            self._answer(404, {"status": "not_found"})
        else:
            self._change(key, body, wanted, fault)

    def _change(self, key: str, body: bytes, wanted: dict[str, Any], fault: Fault) -> None:
        books, done = self.server.books, (200, {"status": "applied", "price": wanted["new_price"]})
        price = Money(plain_amount(wanted["new_price"]), wanted["currency"])
        change = (key, wanted["sku"], price, compare_at_of({"compare_at_change": wanted["compare_at"]}))
        if fault is Fault.LATE:
            books.late.append(change)
        if fault not in (Fault.ERROR_BEFORE, Fault.RESET, Fault.LATE, Fault.SILENT_NOOP):
            books.change(*change)
        if fault in (Fault.NONE, Fault.HANG_AFTER_COMMIT, Fault.ERROR_AFTER, Fault.DRIFT, Fault.SILENT_NOOP):
            self.server.answers[key] = (body, *done)
        if fault is Fault.DRIFT:
            books.somebody_sets(wanted["sku"], "1.23", wanted["currency"])
        if fault in (Fault.HANG_AFTER_COMMIT, Fault.LATE):
            with contextlib.suppress(OSError):
                self.rfile.read(1)  # until the client gives up
        elif fault is Fault.RESET:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
        elif fault in (Fault.ERROR_BEFORE, Fault.ERROR_AFTER):
            self._answer(500, {"status": "oops"})
        else:
            self._answer(*done)

    def _scripted(self) -> bool:
        if not self.server.scripted:
            return False
        status, headers, body = self.server.scripted.pop(0)
        self._raw(status, headers, body)
        return True

    def _answer(self, status: int, document: dict[str, Any], headers: Mapping[str, str] | None = None) -> None:
        self._raw(status, {"Content-Type": "application/json", **(headers or {})}, json.dumps(document).encode())

    def _raw(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

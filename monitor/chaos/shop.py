"""Our own shop and our mail server, both real servers on loopback that fail as drawn and count what arrived.

The shop honours the idempotency key, as `docs/shops.md` asks of a receiver, and remembers which proposal each change
was for, so that a second key for the same proposal would be seen as the duplicate that it is.
"""

import json
import socketserver
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from email import message_from_bytes
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

_CRLF_DOT = b".\r\n"


class ShopFault(StrEnum):
    """How one call goes wrong."""

    NONE = "none"
    ERROR = "500 before the change"
    ERROR_AFTER = "500 after the change"
    SILENT = "connection closed after the change"


class OwnShop(ThreadingHTTPServer):
    """Takes price changes once per key."""

    daemon_threads = True

    def __init__(self, prices: dict[str, Decimal], rng: Random, tell: Callable[[str], None]) -> None:
        super().__init__(("127.0.0.1", 0), _Visit)
        self.prices = prices
        self.changes: Counter[tuple[int, int]] = Counter()  #: by proposal and version
        self._answers: dict[str, bytes] = {}
        self._rng, self._tell, self._guard = rng, tell, threading.Lock()
        self.is_calm = False  #: nothing fails any more
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    @property
    def url(self) -> str:
        """Where it is called."""
        return f"http://127.0.0.1:{self.server_port}/prices"

    def change(self, key: str, body: bytes) -> tuple[int, dict[str, Any]] | None:
        """Change a price once; return the answer, or None to close without one."""
        wanted = json.loads(body)["data"]
        with self._guard:
            fault = self._fault()
            if fault is not ShopFault.NONE:
                self._tell(f"our shop: {fault.value}")
            if fault is ShopFault.ERROR:
                return 500, {"status": "oops"}
            if key not in self._answers:
                self._answers[key] = body
                self.prices[wanted["sku"]] = Decimal(wanted["new_price"])
                self.changes[wanted["proposal_id"], wanted["version"]] += 1
        if fault is ShopFault.SILENT:
            return None
        return (500 if fault is ShopFault.ERROR_AFTER else 200), {"status": "applied", "price": wanted["new_price"]}

    def _fault(self) -> ShopFault:
        if self.is_calm or self._rng.random() > 0.15:
            return ShopFault.NONE
        return self._rng.choice((ShopFault.ERROR, ShopFault.ERROR_AFTER, ShopFault.SILENT))

    def handle_error(self, *_: Any) -> None:
        """A caller that was killed is what this is about."""


class _Visit(BaseHTTPRequestHandler):
    server: OwnShop
    timeout = 20

    def do_GET(self) -> None:
        """Tell a price."""
        sku = parse_qs(urlsplit(self.path).query).get("sku", [""])[0]
        price = self.server.prices.get(sku)
        if price is None:
            self._answer(404, {"status": "not_found"})
        else:
            self._answer(200, {"sku": sku, "price": f"{price:.2f}", "currency": "EUR"})

    def do_POST(self) -> None:
        """Change a price."""
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        answer = self.server.change(self.headers["idempotency-key"], body)
        if answer is not None:
            self._answer(*answer)

    def _answer(self, status: int, document: dict[str, Any]) -> None:
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Say nothing: standard output is for the figures."""


class MailDeath(StrEnum):
    """When the mail server goes away during one conversation."""

    NEVER = "never"
    CONNECT = "at once"
    ENVELOPE = "after the sender"
    DATA = "before the final dot"
    KEPT = "after it kept the mail, before it said so"


class MailServer(socketserver.ThreadingTCPServer):
    """Counts the mails it took by their Message-ID."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, rng: Random, tell: Callable[[str], None]) -> None:
        super().__init__(("127.0.0.1", 0), _Conversation)
        self.taken: Counter[str] = Counter()
        self._rng, self._tell, self._guard = rng, tell, threading.Lock()
        self.is_calm = False
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"smtp://127.0.0.1:{self.server_address[1]}"

    def death(self) -> MailDeath:
        """Draw when this conversation dies."""
        with self._guard:
            if self.is_calm or self._rng.random() > 0.3:
                return MailDeath.NEVER
            drawn = self._rng.choice([death for death in MailDeath if death is not MailDeath.NEVER])
            self._tell(f"mail server: gone {drawn.value}")
            return drawn

    def keep(self, content: bytes) -> None:
        """Count a mail."""
        with self._guard:
            self.taken[str(message_from_bytes(content)["Message-ID"])] += 1

    def handle_error(self, *_: Any) -> None:
        """A sender that was killed is what this is about."""


class _Conversation(socketserver.StreamRequestHandler):
    timeout = 30

    def handle(self) -> None:
        """Talk SMTP (RFC 5321, section 4.5.1) until somebody leaves."""
        server = cast(MailServer, self.server)
        death = server.death()
        if death is MailDeath.CONNECT:
            return
        self._say("220 ready")
        while line := self.rfile.readline(1000):
            verb = line[:4].upper()
            if verb == b"QUIT":
                self._say("221 bye")
                return
            if (verb == b"MAIL" and death is MailDeath.ENVELOPE) or (verb == b"DATA" and not self._data(server, death)):
                return
            if verb != b"DATA":
                self._say("250 ok")

    def _data(self, server: MailServer, death: MailDeath) -> bool:
        self._say("354 go on")
        lines: list[bytes] = []
        while (line := self.rfile.readline()) not in (_CRLF_DOT, b""):
            lines.append(line[1:] if line.startswith(b".") else line)
            if death is MailDeath.DATA:
                return False
        if not line:
            return False  # broken off before the final dot: not accepted
        server.keep(b"".join(lines))
        if death is MailDeath.KEPT:
            return False
        self._say("250 kept")
        return True

    def _say(self, words: str) -> None:
        with suppress(OSError):
            self.wfile.write(words.encode() + b"\r\n")

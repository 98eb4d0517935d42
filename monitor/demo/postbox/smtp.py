"""The receiving side of SMTP, as far as one well-behaved client needs it (RFC 5321, section 4.5.1)."""

import socketserver
from collections.abc import Callable
from typing import cast

#: Larger mails are refused.
MAX_BYTES = 20_000_000
_TIMEOUT_S = 30


class SmtpSink(socketserver.ThreadingTCPServer):
    """Takes every mail on a free loopback port and hands its bytes to `keep`."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, keep: Callable[[bytes], object]) -> None:
        super().__init__(("127.0.0.1", 0), _Conversation)
        self.keep = keep

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self.server_address[1])


class _Conversation(socketserver.StreamRequestHandler):
    timeout = _TIMEOUT_S

    def handle(self) -> None:
        """Talk until the client leaves."""
        self._say("220 postbox ready")
        while line := self.rfile.readline(1000):
            verb = line.strip().split(b" ", 1)[0].upper().partition(b":")[0]
            if verb == b"QUIT":
                self._say("221 bye")
                return
            if verb == b"DATA":
                self._data()
            else:
                self._say(_ANSWERS.get(verb, "502 not known here"))

    def _data(self) -> None:
        self._say("354 go on")
        lines, size = [], 0
        while (line := self.rfile.readline()) not in (b".\r\n", b""):
            size += len(line)
            if size <= MAX_BYTES:
                lines.append(line[1:] if line.startswith(b".") else line)
        if not line:
            return  # broken off before the final dot: not accepted
        if size > MAX_BYTES:
            self._say("552 too large")
            return
        cast(SmtpSink, self.server).keep(b"".join(lines))
        self._say("250 kept")

    def _say(self, words: str) -> None:
        self.wfile.write(words.encode() + b"\r\n")


_ANSWERS = {
    b"EHLO": f"250-postbox\r\n250-8BITMIME\r\n250 SIZE {MAX_BYTES}",
    b"HELO": "250 postbox",
    b"MAIL": "250 ok",
    b"RCPT": "250 ok",
    b"RSET": "250 ok",
    b"NOOP": "250 ok",
}

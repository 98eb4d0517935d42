"""Hand one stored message to a mail server over SMTP, phase by phase; the only module that knows smtplib.

Which phase fails decides what is known. Until the final dot the server has not accepted anything, so the same
bytes may be sent again. After the final dot without a reply nobody knows (RFC 5321, section 4.5.3.2.6; RFC 1047):
that is OutcomeUnknown, never a retry. Only a refusal of this very mail (5xx to MAIL, RCPT, DATA or the message) is
for good; a server that refuses our greeting, our password or its own certificate can be put right within the day
for which the outbox tries.

Not promised: delivery. The server accepted the message; a bounce may still come back by mail.
"""

import re
import smtplib
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email import message_from_bytes
from email.utils import parseaddr
from enum import StrEnum

from monitor.domain.message import Mail
from monitor.errors import CannotSucceed, OutcomeUnknown, RetryLater

_STEP_TIMEOUT_S = 30.0
_REPLY_TIMEOUT_S = 300.0
_GOODBYE_TIMEOUT_S = 2.0


class Tls(StrEnum):
    """How the connection is protected."""

    STARTTLS = "starttls"  #: begins in the clear and must switch, usually port 587
    IMPLICIT = "implicit"  #: from the first byte, usually port 465
    NONE = "none"  #: in the clear, for a relay on this machine


@dataclass(frozen=True, slots=True)
class SmtpServer:
    """Where and how mail is handed over."""

    host: str
    port: int
    tls: Tls
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    step_timeout_s: float = _STEP_TIMEOUT_S
    reply_timeout_s: float = _REPLY_TIMEOUT_S  #: for the reply after the final dot; servers may think long

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


class SmtpMailer:
    """`monitor.ports.messages.Mailer` over SMTP; one connection per mail, safe to use from many threads."""

    def __init__(self, server: SmtpServer, *, context: ssl.SSLContext | None = None) -> None:
        """Connect to nothing yet.

        Args:
            server: where mail is handed over.
            context: trust for TLS; by default what this machine trusts.
        """
        self._server = server
        self._context = context

    def send(self, mail: Mail) -> None:
        """Hand over the stored bytes to the one recipient."""
        with self._connected() as smtp:
            self._envelope(smtp, mail)
            self._data(smtp, mail.content)

    def probe(self) -> str:
        """Connect, greet, switch to TLS and sign in as for a mail; return the server's greeting name.

        Raises:
            RetryLater: with what went wrong, in words.
        """
        with self._connected() as smtp:
            return (smtp.ehlo_resp or b"").decode("utf-8", "replace").split("\n")[0]

    @contextmanager
    def _connected(self) -> Iterator[smtplib.SMTP]:
        """Yield a session that is ready for a mail; say goodbye afterwards without minding the answer."""
        smtp: smtplib.SMTP | None = None
        try:
            smtp = self._connect()
            self._prepare(smtp)
        except (OSError, smtplib.SMTPException, UnicodeEncodeError) as broken:
            if smtp is not None:
                smtp.close()
            raise RetryLater(f"{self._server} is not ready to take mail: {_words(broken)}.") from broken
        try:
            yield smtp
        finally:
            with suppress(OSError, smtplib.SMTPException):
                if smtp.sock is not None:
                    smtp.sock.settimeout(_GOODBYE_TIMEOUT_S)
                smtp.quit()
            smtp.close()

    def _connect(self) -> smtplib.SMTP:
        server = self._server
        if server.tls is Tls.IMPLICIT:
            return smtplib.SMTP_SSL(server.host, server.port, timeout=server.step_timeout_s, context=self._trusted())
        return smtplib.SMTP(server.host, server.port, timeout=server.step_timeout_s)

    def _prepare(self, smtp: smtplib.SMTP) -> None:
        smtp.ehlo_or_helo_if_needed()
        if self._server.tls is Tls.STARTTLS:
            smtp.starttls(context=self._trusted())
            smtp.ehlo()
        if self._server.user is not None:
            smtp.login(self._server.user, self._server.password or "")

    def _trusted(self) -> ssl.SSLContext:
        return self._context or ssl.create_default_context()

    def _envelope(self, smtp: smtplib.SMTP, mail: Mail) -> None:
        sender = parseaddr(str(message_from_bytes(mail.content)["From"]))[1]
        with self._before_the_dot():
            self._judge(*smtp.mail(sender), of=f"the sender {sender}")
            self._judge(*smtp.rcpt(mail.recipient), of=f"the recipient {mail.recipient}")
            code, words = smtp.docmd("DATA")
            if code != 354:
                self._judge(code if code >= 400 else 0, words, of="the message")

    def _data(self, smtp: smtplib.SMTP, content: bytes) -> None:
        body = re.sub(rb"(?m)^\.", b"..", content)
        with self._before_the_dot():
            smtp.send(body if body.endswith(b"\r\n") else body + b"\r\n")
        try:
            if smtp.sock is not None:
                smtp.sock.settimeout(self._server.reply_timeout_s)
            smtp.send(b".\r\n")
            code, words = smtp.getreply()
        except (OSError, smtplib.SMTPException) as broken:
            raise OutcomeUnknown(
                f"{self._server} was given the whole message and then did not answer ({_words(broken)})."
            ) from broken
        if code // 100 not in (2, 4, 5):
            raise OutcomeUnknown(f"{self._server} was given the whole message and answered {code} {_text(words)}.")
        self._judge(code, words, of="the message")

    @contextmanager
    def _before_the_dot(self) -> Iterator[None]:
        """Nothing is accepted before the final dot, so whatever breaks here may be tried again."""
        try:
            yield
        except UnicodeEncodeError as foreign:
            raise CannotSucceed(
                f"an address has characters outside ASCII, which {self._server} cannot be given: {foreign.object!r}."
            ) from foreign
        except (OSError, smtplib.SMTPException) as broken:
            raise RetryLater(f"{self._server} broke off before it had the message: {_words(broken)}.") from broken

    def _judge(self, code: int, words: bytes, *, of: str) -> None:
        """Pass a 2xx; a 5xx is for good, anything else may succeed later."""
        answer = f"{self._server} did not take {of}: {code} {_text(words)}."
        if code >= 500:
            raise CannotSucceed(answer)
        if code // 100 != 2:
            raise RetryLater(answer)


def _text(words: bytes) -> str:
    return " ".join(words.decode("utf-8", "replace").split())[:200]


def _words(broken: Exception) -> str:
    if isinstance(broken, UnicodeEncodeError):  # its own words would show a part of the password
        return "user and password may hold ASCII characters only"
    if isinstance(broken, smtplib.SMTPResponseException):
        error = broken.smtp_error
        return f"{broken.smtp_code} {_text(error if isinstance(error, bytes) else error.encode())}"
    return " ".join(str(broken).split())[:200] or type(broken).__name__

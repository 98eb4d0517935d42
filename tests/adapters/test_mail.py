"""Mail over real sockets: what each way of ending means for whether it may be sent again."""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from aiosmtpd.smtp import AuthResult, LoginPassword

from monitor.adapters.mail import SmtpMailer, SmtpServer, Tls
from monitor.domain.message import Mail, MailState
from monitor.domain.plan import MailPlan
from monitor.domain.report import letter
from monitor.errors import CannotSucceed, OutcomeUnknown, RetryLater
from tests.adapters.fetch.certificates import serving, trusting
from tests.servers import Reply
from tests.servers import SmtpServer as RunningServer

_AT = datetime(2026, 11, 29, 5, 30, tzinfo=UTC)
_TEXT = "Good morning\n.\n..two dots\nlast line, € 24.90\n"


def a_mail(recipient: str = "anna@acme.example", text: str = _TEXT) -> Mail:
    plan = MailPlan(sender="Prices <monitor@acme.example>", brand="Acme")
    own_id = "<report.n.1@acme.example>"
    content = letter(plan, recipient=recipient, subject="Night", message_id=own_id, at=_AT, text=text, html="<p>é</p>")
    return Mail(1, "report:n:a", recipient, "Night", content, own_id, MailState.SENDING, 1, _AT, 1, None, _AT, None)


def mailer(server: RunningServer, tls: Tls = Tls.NONE, **options: object) -> SmtpMailer:
    return SmtpMailer(SmtpServer(server.host, server.port, tls, **options))  # type: ignore[arg-type]


def test_the_stored_bytes_arrive_as_they_are_for_one_recipient(smtp: RunningServer) -> None:
    mail = a_mail()

    mailer(smtp).send(mail)

    assert smtp.envelopes[0].original_content == mail.content
    assert smtp.envelopes[0].mail_from == "monitor@acme.example"
    assert smtp.envelopes[0].rcpt_tos == ["anna@acme.example"]
    plain = smtp.messages[0].get_body(("plain",))
    assert plain is not None
    assert plain.get_content().replace("\r\n", "\n") == _TEXT


@pytest.mark.parametrize(
    ("reply", "outcome", "words"),
    [
        (Reply.BUSY, RetryLater, "451 4.3.0 try again later"),
        (Reply.REFUSE, CannotSucceed, "550 5.7.1 refused"),
        (Reply.DROP, OutcomeUnknown, "did not answer"),
    ],
)
def test_the_reply_to_the_whole_message_decides_what_is_known(
    smtp: RunningServer, reply: Reply, outcome: type[Exception], words: str
) -> None:
    smtp.replies.append(reply)

    with pytest.raises(outcome, match=words):
        mailer(smtp).send(a_mail())


def test_nobody_listening_is_worth_another_try() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]

    with pytest.raises(RetryLater, match=f"127.0.0.1:{port} is not ready"):
        SmtpMailer(SmtpServer("127.0.0.1", port, Tls.NONE)).send(a_mail())


@contextmanager
def scripted(answers: Mapping[str, str]) -> Iterator[SmtpServer]:
    """Serve one connection by verb; `.` is the end of the data, `drop` cuts the line, `hang` says nothing."""
    released = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=_serve, args=(listening, answers, released))
        thread.start()
        try:
            port = listening.getsockname()[1]
            yield SmtpServer("127.0.0.1", port, Tls.NONE, step_timeout_s=5, reply_timeout_s=0.2)
        finally:
            released.set()
            thread.join()


def _serve(listening: socket.socket, answers: Mapping[str, str], released: threading.Event) -> None:
    connection, _ = listening.accept()
    with connection, connection.makefile("rb") as lines:
        connection.sendall(answers.get("greeting", "220 hello").encode() + b"\r\n")
        in_data = False
        for line in lines:
            verb = line.strip().decode().split(" ")[0].upper()
            if in_data and verb != ".":
                continue
            answer = answers.get(verb, "354 go on" if verb == "DATA" else "250 fine")
            if answer == "drop":
                return
            if answer == "hang":
                released.wait(10)
                return
            connection.sendall(answer.encode() + b"\r\n")
            in_data = answer.startswith("354")


@pytest.mark.parametrize(
    ("answers", "outcome"),
    [
        ({"greeting": "421 closing"}, RetryLater),
        ({"greeting": "554 no service here"}, RetryLater),  # about us, not about this mail
        ({"MAIL": "451 greylisted"}, RetryLater),
        ({"MAIL": "553 not allowed"}, CannotSucceed),
        ({"RCPT": "450 mailbox busy"}, RetryLater),
        ({"RCPT": "550 no such user"}, CannotSucceed),
        ({"RCPT": "drop"}, RetryLater),
        ({"DATA": "451 later"}, RetryLater),
        ({"DATA": "554 no valid recipients"}, CannotSucceed),
        ({"DATA": "250 what?"}, RetryLater),
        ({"DATA": "drop"}, RetryLater),
        ({".": "452 disk full"}, RetryLater),
        ({".": "554 looks like spam"}, CannotSucceed),
        ({".": "354 what?"}, OutcomeUnknown),
        ({".": "drop"}, OutcomeUnknown),
        ({".": "hang"}, OutcomeUnknown),
        ({".": "nonsense"}, OutcomeUnknown),
    ],
    ids=str,
)
def test_only_what_fails_after_the_final_dot_is_unknown(answers: Mapping[str, str], outcome: type[Exception]) -> None:
    with scripted(answers) as server, pytest.raises(outcome):
        SmtpMailer(server).send(a_mail())


@pytest.mark.parametrize("goodbye", ["drop", "500 what?"])
def test_an_accepted_mail_stays_accepted_however_the_goodbye_ends(goodbye: str) -> None:
    with scripted({"QUIT": goodbye}) as server:
        SmtpMailer(server).send(a_mail())


def test_an_address_that_smtp_cannot_carry_is_refused_for_good(smtp: RunningServer) -> None:
    with pytest.raises(CannotSucceed, match="outside ASCII"):
        mailer(smtp).send(replace(a_mail(), recipient="änna@acme.example"))


def unnamed(trust: Callable[[], ssl.SSLContext]) -> ssl.SSLContext:
    """Trust as `trust`, whatever name the certificate has; the test server has an address only."""
    context = trust()
    context.check_hostname = False
    return context


@pytest.mark.parametrize("tls", [Tls.STARTTLS, Tls.IMPLICIT])
def test_mail_travels_encrypted_when_that_is_asked_for(tls: Tls) -> None:
    options = (
        {"ssl_context": serving("shop.pem")}
        if tls is Tls.IMPLICIT
        else {"tls_context": serving("shop.pem"), "require_starttls": True}
    )
    with RunningServer(**options) as server:
        address = SmtpServer(server.host, server.port, tls)
        SmtpMailer(address, context=unnamed(trusting)).send(a_mail())

    assert len(server.messages) == 1


def test_nothing_is_said_to_a_server_whose_certificate_is_not_trusted() -> None:
    with RunningServer(tls_context=serving("shop.pem")) as server:
        with pytest.raises(RetryLater, match=r"(?i)certificate"):
            mailer(server, Tls.STARTTLS).send(a_mail())

        assert server.attempts == 0


def test_a_server_without_starttls_is_given_nothing_in_the_clear(smtp: RunningServer) -> None:
    with pytest.raises(RetryLater, match="STARTTLS"):
        mailer(smtp, Tls.STARTTLS, user="anna", password="s3cret").send(a_mail())

    assert smtp.attempts == 0


@pytest.mark.parametrize(("password", "words"), [("wrong", "535"), ("pässword", "ASCII")])
def test_a_refused_sign_in_is_tried_again_and_never_shows_the_password(password: str, words: str) -> None:
    def check(_server: object, _session: object, _envelope: object, _mechanism: str, given: object) -> AuthResult:
        assert isinstance(given, LoginPassword)
        return AuthResult(success=given.password == b"right", handled=False)

    with RunningServer(authenticator=check, auth_require_tls=False) as server:
        mailer(server, user="anna", password="right").send(a_mail())
        with pytest.raises(RetryLater, match=words) as refused:
            mailer(server, user="anna", password=password).send(a_mail())

    assert len(server.messages) == 1
    assert password not in str(refused.value)
    assert password not in repr(SmtpServer("h", 1, Tls.NONE, "anna", password))


def test_a_probe_greets_and_sends_nothing(smtp: RunningServer) -> None:
    assert mailer(smtp).probe()
    assert smtp.attempts == 0

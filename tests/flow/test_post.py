"""The outbox on a real store and a real mail server: each mail at most once, and nothing lost in silence."""

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from aiosmtpd.smtp import SMTP, Envelope, Session

from monitor.adapters.db.store import SqlStore
from monitor.adapters.mail import SmtpMailer, SmtpServer, Tls
from monitor.adapters.render import JinjaRenderer, Templates
from monitor.domain.message import Alert, AlertKind, Mail, MailState
from monitor.domain.report import letter
from monitor.domain.run import RunState
from monitor.errors import MonitorError, RetryLater
from monitor.flow.post import LEASE, NotHeld, mail_alerts, post_due, send_again, stuck
from monitor.ports.messages import StoredReport
from monitor.resources import find_all
from tests.core_scene import SetClock, begun, opened
from tests.nights import PLAN
from tests.servers import Reply
from tests.servers import SmtpServer as RunningServer

ANNA, BEN = "anna@acme.example", "ben@acme.example"
MORNING = datetime(2026, 11, 29, 5, 30, tzinfo=UTC)
TWO = replace(PLAN, mail=replace(PLAN.mail, recipients=(ANNA, BEN)))


@dataclass
class Post:
    """A store with an outbox and a mail server."""

    store: SqlStore
    clock: SetClock
    server: RunningServer

    @property
    def mailer(self) -> SmtpMailer:
        return SmtpMailer(SmtpServer(self.server.host, self.server.port, Tls.NONE))

    def write(self, recipient: str = ANNA, kind: str = "report:n") -> None:
        content = letter(
            PLAN.mail, recipient=recipient, subject="Night", message_id="<1@a>", at=MORNING, text="morning"
        )
        with self.store.write() as unit:
            unit.mails.post(
                dedupe_key=f"{kind}:{recipient}",
                run_id=None,
                recipient=recipient,
                subject="Night",
                content=content,
                message_id="<1@a>",
                not_before=unit.now,
            )

    def send(self) -> int:
        return post_due(self.store, self.mailer)

    def mail(self, recipient: str = ANNA) -> Mail:
        with self.store.read() as unit:
            mail = unit.mails.get(f"report:n:{recipient}")
        assert mail is not None
        return mail

    def alerts(self) -> list[str]:
        with self.store.read() as unit:
            return [alert.key for alert in unit.alerts.latest(100)]


@pytest.fixture
def post(own_sqlite_url: str, smtp: RunningServer) -> Iterator[Post]:
    clock = SetClock(MORNING)
    store = opened(own_sqlite_url, clock)
    yield Post(store, clock, smtp)
    store.close()


def test_every_recipient_is_mailed_once_however_often_it_is_asked(post: Post) -> None:
    post.write(ANNA)
    post.write(BEN)

    assert [post.send(), post.send()] == [2, 0]

    assert [envelope.rcpt_tos for envelope in post.server.envelopes] == [[ANNA], [BEN]]
    assert (post.mail().state, post.mail().sent_at) == (MailState.SENT, MORNING)
    assert post.alerts() == []


def test_many_senders_at_once_mail_once(post: Post) -> None:
    post.write()

    with ThreadPoolExecutor(4) as threads:
        sent = sum(threads.map(lambda _n: post.send(), range(8)))

    assert (sent, post.server.attempts) == (1, 1)


def test_a_busy_server_is_asked_again_with_the_same_bytes(post: Post) -> None:
    post.server.replies.append(Reply.BUSY)
    post.write()

    assert post.send() == 0
    assert (post.mail().state, post.mail().not_before) == (MailState.PENDING, MORNING + timedelta(minutes=1))
    assert "451" in str(post.mail().error)
    post.clock.forward(seconds=59)
    assert (post.send(), post.server.attempts) == (0, 1)
    post.clock.forward(seconds=1)
    assert post.send() == 1

    assert post.server.messages[0]["Message-ID"] == "<1@a>"
    assert post.server.envelopes[0].original_content == post.mail().content


def test_a_refused_mail_fails_at_once_and_raises_one_alert(post: Post) -> None:
    post.server.replies.append(Reply.REFUSE)
    post.write()

    post.send()
    post.clock.forward(days=1)
    post.send()

    assert (post.mail().state, post.server.attempts) == (MailState.FAILED, 1)
    assert post.alerts() == [f"mail:report:n:{ANNA}:failed"]


def test_a_mail_without_an_answer_is_held_and_never_sent_again(post: Post) -> None:
    post.server.replies.append(Reply.DROP)
    post.write()

    post.send()
    post.clock.forward(hours=2)
    post.send()

    assert (post.mail().state, post.server.attempts) == (MailState.UNKNOWN, 1)
    assert post.alerts() == [f"mail:report:n:{ANNA}:unknown"]


def test_a_held_mail_is_sent_again_on_a_persons_word_and_is_news_when_it_is_stuck_again(post: Post) -> None:
    post.server.replies.extend([Reply.DROP, Reply.DROP])
    post.write()
    post.send()
    (held,) = stuck(post.store)

    send_again(post.store, held.id, by="anna")
    with pytest.raises(NotHeld, match=f"Message {held.id} is neither held nor given up"):
        send_again(post.store, held.id, by="ben")
    post.send()
    assert sorted(post.alerts()) == [f"mail:report:n:{ANNA}:unknown", f"mail:report:n:{ANNA}:unknown:2"]
    send_again(post.store, held.id, by="anna")

    assert post.send() == 1
    assert (post.mail().state, post.mail().attempts, post.server.attempts) == (MailState.SENT, 3, 3)
    assert {message["Message-ID"] for message in post.server.messages} == {"<1@a>"}
    assert stuck(post.store) == ()


def test_a_refused_mail_can_be_sent_again_once_the_reason_is_gone(post: Post) -> None:
    post.server.replies.append(Reply.REFUSE)
    post.write()
    post.send()
    post.clock.forward(hours=30)

    send_again(post.store, stuck(post.store)[0].id, by="anna")

    assert post.send() == 1
    assert post.mail().state is MailState.SENT


class Killed(BaseException):
    """The process ends here."""


@dataclass
class Dying:
    """Sends the mail and dies before it can say so."""

    mailer: SmtpMailer

    def send(self, mail: Mail) -> None:
        self.mailer.send(mail)
        raise Killed


def test_a_mail_whose_sender_was_killed_is_held_once_its_lease_has_ended(post: Post) -> None:
    post.write(ANNA)
    post.write(BEN)
    with pytest.raises(Killed):
        post_due(post.store, Dying(post.mailer))

    post.clock.forward(seconds=1)
    assert post.send() == 1  # Ben's, which nobody had claimed
    assert post.mail(ANNA).state is MailState.SENDING
    post.clock.at += LEASE
    assert post.send() == 0

    assert (post.mail(ANNA).state, post.mail(BEN).state) == (MailState.UNKNOWN, MailState.SENT)
    assert post.alerts() == [f"mail:report:n:{ANNA}:unknown"]
    assert [envelope.rcpt_tos for envelope in post.server.envelopes] == [[ANNA], [BEN]]


_SENDER = """
import sys
from monitor.adapters.db.store import SqlStore
from monitor.adapters.mail import SmtpMailer, SmtpServer, Tls
from monitor.flow.post import post_due
from tests.core_scene import SetClock
from tests.flow.test_post import MORNING

post_due(SqlStore(sys.argv[1], SetClock(MORNING)), SmtpMailer(SmtpServer("127.0.0.1", int(sys.argv[2]), Tls.NONE)))
"""


@pytest.mark.slow
def test_kill_minus_nine_while_sending_leaves_a_held_mail_and_one_alert(post: Post) -> None:
    post.write()
    with socket.create_server(("127.0.0.1", 0)) as silent:  # takes the connection and says nothing
        sender = subprocess.Popen(
            [sys.executable, "-c", _SENDER, str(post.store.url), str(silent.getsockname()[1])],
            cwd=Path(__file__).parents[2],
        )
        deadline = time.monotonic() + 60
        while post.mail().state is not MailState.SENDING and time.monotonic() < deadline:
            time.sleep(0.05)
        sender.kill()
        assert sender.wait() == -signal.SIGKILL

    assert (post.send(), post.mail().state) == (0, MailState.SENDING)
    post.clock.at += LEASE
    assert [post.send(), post.send()] == [0, 0]
    assert (post.mail().state, post.server.attempts) == (MailState.UNKNOWN, 0)
    assert post.alerts() == [f"mail:report:n:{ANNA}:unknown"]


class KillsItsSender(RunningServer):
    """Takes every mail, and kills the process that sends the third before it hears so."""

    sender: "subprocess.Popen[bytes] | None" = None

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        reply = await super().handle_DATA(server, session, envelope)
        if self.sender is not None and self.attempts == 3:
            self.sender.kill()
            self.sender.wait()
        return reply


@pytest.mark.slow
def test_ten_recipients_and_a_kill_after_the_third_nobody_is_mailed_twice(post: Post) -> None:
    recipients = [f"reader-{n}@acme.example" for n in range(10)]
    for recipient in recipients:
        post.write(recipient)
    with KillsItsSender() as server:
        command = [sys.executable, "-c", _SENDER, str(post.store.url), str(server.port)]
        server.sender = subprocess.Popen(command, cwd=Path(__file__).parents[2])
        assert server.sender.wait(timeout=60) == -signal.SIGKILL
        post.server = server
        while post.send():
            pass
        post.clock.at += LEASE
        while post.send():
            pass
        got = [envelope.rcpt_tos[0] for envelope in server.envelopes]

    assert sorted(got) == recipients
    states = [post.mail(recipient).state for recipient in recipients]
    assert (states.count(MailState.SENT), states.count(MailState.UNKNOWN)) == (9, 1)
    assert post.mail(got[2]).state is MailState.UNKNOWN
    assert post.alerts() == [f"mail:report:n:{got[2]}:unknown"]


@dataclass
class Refusing:
    """A mail server that answers every mail alike."""

    error: MonitorError
    calls: int = 0

    def send(self, mail: Mail) -> None:
        self.calls += 1
        raise self.error


def test_waits_grow_to_an_hour_and_after_a_day_the_mail_is_given_up(post: Post) -> None:
    server, tried_at = Refusing(RetryLater("nobody answers")), []
    post.write()
    while post.mail().state is MailState.PENDING:
        post.clock.at = post.mail().not_before
        tried_at.append(post.clock.at - MORNING)
        post_due(post.store, server)

    minutes = [round(after / timedelta(minutes=1)) for after in tried_at]
    assert minutes[:6] == [0, 1, 6, 21, 81, 141]
    assert timedelta(days=1) <= tried_at[-1] < timedelta(days=1, hours=1)
    assert post.mail().state is MailState.FAILED
    assert sorted(post.alerts()) == [f"mail:report:n:{ANNA}:failed", f"mail:report:n:{ANNA}:late"]


def test_a_server_that_names_a_later_time_is_heard(post: Post) -> None:
    later = MORNING + timedelta(minutes=42)
    post.write()

    post_due(post.store, Refusing(RetryLater("busy", not_before=later)))

    assert post.mail().not_before == later


def test_old_news_do_not_leave_when_mail_is_switched_on_later(post: Post) -> None:
    post.write()
    post.clock.forward(days=1)

    assert (post.send(), post.server.attempts) == (0, 0)
    assert post.mail().state is MailState.FAILED
    assert post.alerts() == []


# Alerts


@pytest.fixture(scope="module")
def renderer() -> JinjaRenderer:
    return JinjaRenderer(Templates(find_all("templates")))


def alerted(post: Post, key: str = "write:1", kind: AlertKind = AlertKind.WRITE, run_id: str | None = None) -> None:
    with post.store.write() as unit:
        unit.alerts.raise_once(Alert(key, kind, run_id, "The price of TJ-40 was not written.", unit.now))


def test_an_alert_is_mailed_to_every_recipient_once(post: Post, renderer: JinjaRenderer) -> None:
    alerted(post)

    assert [mail_alerts(post.store, renderer, TWO) for _ in range(2)] == [2, 0]
    assert post.send() == 2

    assert [envelope.rcpt_tos for envelope in post.server.envelopes] == [[ANNA], [BEN]]
    assert str(post.server.messages[0]["Subject"]) == "[Acme] Alert: A price was not written as approved - Sun 29 Nov"
    assert "TJ-40 was not written" in post.server.messages[0].get_body(("plain",)).get_content()  # type: ignore[union-attr]


def test_the_alerts_of_a_night_wait_for_its_report_and_are_told_there(post: Post, renderer: JinjaRenderer) -> None:
    run = begun(post.store, day=date(2026, 11, 29))
    alerted(post, "budget:1", AlertKind.BUDGET, run.id)
    assert mail_alerts(post.store, renderer, TWO) == 0

    post.clock.forward(minutes=1)
    with post.store.write() as unit:
        unit.runs.start_synthesis(run.id, partial=False)
        unit.reports.store(StoredReport(run.id, {}, "", "", unit.now))
        unit.runs.close(run.id, RunState.REPORTED)
    assert mail_alerts(post.store, renderer, TWO) == 0

    post.clock.forward(minutes=1)
    alerted(post, "write:2", AlertKind.WRITE, run.id)
    assert mail_alerts(post.store, renderer, TWO) == 2


def test_the_alerts_of_a_night_that_failed_or_has_no_report_in_time_are_mailed(
    post: Post, renderer: JinjaRenderer
) -> None:
    run = begun(post.store, day=date(2026, 11, 29))
    with post.store.read() as unit:
        known = unit.runs.get(run.id)
    assert known is not None
    post.clock.at = known.deadline_at + timedelta(minutes=29)
    alerted(post, "deadline:1", AlertKind.DEADLINE, run.id)
    assert mail_alerts(post.store, renderer, TWO) == 0

    post.clock.forward(minutes=1)
    assert mail_alerts(post.store, renderer, TWO) == 2
    with post.store.read() as unit:
        mail = unit.mails.get(f"alert:deadline:1:{ANNA}")
    assert mail is not None
    assert "RUN DID NOT COMPLETE" in mail.subject


def test_an_alert_about_an_alert_is_not_mailed(post: Post, renderer: JinjaRenderer) -> None:
    post.server.replies.extend([Reply.REFUSE, Reply.REFUSE])
    alerted(post)
    mail_alerts(post.store, renderer, TWO)
    post.send()

    assert len(post.alerts()) == 3
    assert mail_alerts(post.store, renderer, TWO) == 0


def test_alerts_of_the_day_before_yesterday_are_not_mailed(post: Post, renderer: JinjaRenderer) -> None:
    alerted(post)
    post.clock.forward(hours=24)

    assert mail_alerts(post.store, renderer, TWO) == 0

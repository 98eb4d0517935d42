"""Send what waits in the outbox: each mail at most once, the same bytes on every try.

A mail is claimed in one transaction, sent outside any, and closed in another. A server that takes it later is
asked again after 1, 5, 15 and then every 60 minutes, for a day. When nobody knows whether the server took
it (no reply after the data, or the sender died), the mail is held: sending twice is worse than asking a
person, so an alert is raised instead. A person who has asked the recipient lets it go again with `send_again`.

Alerts of a night stand in its morning report; those that the report could not carry are mailed on their own.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from monitor.domain.message import Alert, AlertKind, Carrier, Mail, MailState, carrier_of
from monitor.domain.plan import NightPlan
from monitor.domain.report import alert_subject, letter, message_id
from monitor.domain.run import RunState
from monitor.durable import attempted
from monitor.errors import CannotSucceed, LeaseLost, OutcomeUnknown, RetryLater
from monitor.ports.messages import Mailer, Renderer
from monitor.ports.store import Store, Unit

#: Longer than any conversation with a mail server may take, so that a living sender is never taken for dead.
LEASE = timedelta(minutes=20)

#: How long to wait after the first, second, third and any later attempt that the server did not take.
BACKOFF = (timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=15), timedelta(minutes=60))

#: How long a mail is tried before it is given up.
PATIENCE = timedelta(hours=24)

#: A mail not taken after so many attempts is worth an alert, although it is still tried.
_WORRYING_ATTEMPTS = 4

#: How long the alerts of a night wait for its report once that was due.
_REPORT_GRACE = timedelta(minutes=30)

#: Alerts older than this are not mailed any more.
_NEWS = timedelta(hours=24)
_MAX_ALERTS = 50
_MAX_LOST = 100

#: How long a message that is stuck is shown to people.
_REMEMBERED = timedelta(days=7)


def post_due(
    store: Store, mailer: Mailer, *, owner: str | None = None, limit: int = 20, carrier: Carrier = Carrier.MAIL
) -> int:
    """Send at most `limit` messages of one carrier whose time has come; return how many were taken.

    Safe to call from many processes at once: a message that another has claimed is left to it.
    """
    with store.write() as unit:
        for mail in unit.mails.lost(_MAX_LOST):
            _tell(unit, mail, MailState.UNKNOWN, mail.error or "")
        due = unit.mails.due(limit, carrier)
    return sum(_send(store, mailer, mail_id, owner) for mail_id in due)


def _send(store: Store, mailer: Mailer, mail_id: int, owner: str | None) -> bool:
    with store.write() as unit:
        mail = unit.mails.claim(mail_id, LEASE, owner)
    if mail is None or _is_stale(store, mail):
        return False
    try:
        attempted(_Outbox(store), mail, lambda: mailer.send(mail))
    except LeaseLost:
        raise
    except (OutcomeUnknown, CannotSucceed, RetryLater):
        return False
    return True


@dataclass(frozen=True, slots=True)
class _Outbox:
    """Keeps how an attempt to send ended, and raises the alert that it is worth."""

    store: Store

    def done(self, held: Mail, answer: None) -> None:
        self._close(held, MailState.SENT, None)

    def failed(self, held: Mail, refused: CannotSucceed) -> None:
        self._close(held, MailState.FAILED, str(refused))

    def unclear(self, held: Mail, broken: Exception) -> None:
        self._close(held, MailState.UNKNOWN, str(broken))

    def later(self, held: Mail, busy: RetryLater) -> None:
        _try_later(self.store, held, busy)

    def _close(self, mail: Mail, state: MailState, error: str | None) -> None:
        with self.store.write() as unit:
            unit.mails.close(mail, state, error)
            if error is not None:
                _tell(unit, mail, state, error)


class NotHeld(CannotSucceed):
    """A message was to be sent again that is neither held nor given up."""

    def __init__(self, mail_id: int) -> None:
        super().__init__(
            f"Message {mail_id} is neither held nor given up, so it was not sent again. `monitor mails held` lists "
            "those that are; it may have been let go already, and is then on its way."
        )
        self.mail_id = mail_id


def stuck(store: Store) -> tuple[Mail, ...]:
    """Return what is held or was given up in the last days and may be sent again, newest first."""
    with store.read() as unit:
        return unit.mails.stuck(unit.now - _REMEMBERED, _MAX_LOST)


def send_again(store: Store, mail_id: int, *, by: str) -> Mail:
    """Let a message that is held or was given up leave again, at once and with the same bytes.

    Args:
        store: the database.
        mail_id: its number in the outbox.
        by: who says so.

    Raises:
        NotHeld: it is neither, or somebody else has just let it go.
    """
    with store.write() as unit:
        released = unit.mails.release(mail_id, f"to be sent again on the word of {by}")
    if released is None:
        raise NotHeld(mail_id)
    return released


def _is_stale(store: Store, mail: Mail) -> bool:
    """Close a mail that nobody tried in time, so that last week's reports do not leave when mail is switched on."""
    with store.write() as unit:
        is_stale = mail.attempts == 1 and unit.now >= mail.created_at + PATIENCE
        if is_stale:
            unit.mails.close(mail, MailState.FAILED, "nothing sent it within a day; its news are old by now")
    return is_stale


_SAYINGS = {
    MailState.FAILED: "was not sent and is not tried again",
    MailState.UNKNOWN: "may or may not have arrived and is held; ask the recipient before sending it again",
}


def _tell(unit: Unit, mail: Mail, state: MailState, error: str) -> None:
    """Raise the alert about the end of a message; one that was let go and is stuck again is news once more."""
    words = f"{_SAYINGS[state]}: {error}"
    if not unit.alerts.raise_once(_about(mail, state.value, words, unit.now)):
        unit.alerts.raise_once(_about(mail, f"{state.value}:{mail.attempts}", words, unit.now))


def _try_later(store: Store, mail: Mail, busy: RetryLater) -> None:
    """Give the mail back for another try, or give it up when it has been tried for a day."""
    with store.write() as unit:
        if unit.now >= mail.created_at + PATIENCE:
            unit.mails.close(mail, MailState.FAILED, str(busy))
            words = f"was not sent, no server took it in {PATIENCE // timedelta(hours=1)} hours: {busy}"
            unit.alerts.raise_once(_about(mail, MailState.FAILED.value, words, unit.now))
            return
        again = unit.now + BACKOFF[min(mail.attempts, len(BACKOFF)) - 1]
        unit.mails.retry(mail, max(again, busy.not_before or again), str(busy))
        if mail.attempts == _WORRYING_ATTEMPTS:
            words = f"was not taken after {mail.attempts} attempts and is tried further: {busy}"
            unit.alerts.raise_once(_about(mail, "late", words, unit.now))


def _about(mail: Mail, state: str, words: str, now: datetime) -> Alert:
    told = f"The {_NOUNS[carrier_of(mail.recipient)]} {mail.subject!r} to {mail.recipient} {words}"
    return Alert(f"mail:{mail.dedupe_key}:{state}", AlertKind.MAIL, mail.run_id, told, now)


_NOUNS = {Carrier.MAIL: "mail", Carrier.NOTIFY: "notice", Carrier.WEBHOOK: "event"}


def mail_alerts(store: Store, renderer: Renderer, plan: NightPlan) -> int:
    """Put alerts that no report tells into the outbox, one mail per recipient; return how many were added.

    An alert stays away from the outbox while its night may still report it, when the report did, and when it is
    about an alert's own mail, which would only breed more.
    """
    with store.read() as unit:
        fresh = [alert for alert in unit.alerts.latest(_MAX_ALERTS) if unit.now - alert.raised_at < _NEWS]
        wanted = [alert for alert in fresh if not _breeds(alert) and not _is_reported(unit, alert)]
        missing = [
            (alert, recipient)
            for alert in wanted
            for recipient in dict.fromkeys(plan.mail.recipients)
            if unit.mails.get(_alert_key(alert, recipient)) is None
        ]
    letters = [(alert, recipient, *_letter(renderer, plan, alert, recipient)) for alert, recipient in missing]
    with store.write() as unit:
        return sum(_post(unit, plan, *written) for written in letters)


def _alert_key(alert: Alert, recipient: str) -> str:
    return f"alert:{alert.key}:{recipient}"


def _breeds(alert: Alert) -> bool:
    return alert.key.startswith("mail:alert:")


def _is_reported(unit: Unit, alert: Alert) -> bool:
    """Say whether a report tells this alert, or is still expected to."""
    run = unit.runs.get(alert.run_id) if alert.run_id else None
    if run is None or run.state is RunState.FAILED:
        return False
    if run.state is not RunState.REPORTED:
        return unit.now < run.deadline_at + _REPORT_GRACE
    stored = unit.reports.get(run.id)
    return stored is not None and alert.raised_at <= stored.created_at


def _letter(renderer: Renderer, plan: NightPlan, alert: Alert, recipient: str) -> tuple[str, bytes]:
    """Return the Message-ID and the bytes of an alert's mail."""
    mail, zone = plan.mail, plan.schedule.zone
    rendered = renderer.alert(alert, mail.brand, zone)
    own_id = message_id("alert", alert.key, recipient, mail.sender)
    content = letter(
        mail,
        recipient=recipient,
        subject=_subject(plan, alert),
        message_id=own_id,
        at=alert.raised_at,
        text=rendered.text,
        html=rendered.html,
    )
    return own_id, content


def _subject(plan: NightPlan, alert: Alert) -> str:
    day = alert.raised_at.astimezone(ZoneInfo(plan.schedule.zone)).date()
    return alert_subject(alert.kind, plan.mail.brand, day)


def _post(unit: Unit, plan: NightPlan, alert: Alert, recipient: str, own_id: str, content: bytes) -> bool:
    return unit.mails.post(
        dedupe_key=_alert_key(alert, recipient),
        run_id=alert.run_id,
        recipient=recipient,
        subject=_subject(plan, alert),
        content=content,
        message_id=own_id,
        not_before=unit.now,
    )

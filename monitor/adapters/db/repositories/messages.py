"""The outbox, the alerts and the stored reports.

A mail is claimed by a conditional update that raises its fence; whoever claimed it may say how it ended
as long as nobody claimed it since. A sender that died while sending leaves a mail of which nobody knows
whether the server took it: it becomes `unknown` when its lease has ended, and is never sent again by itself.
"""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Row, select, true, update

from monitor.adapters.db.schema import alerts, mails, reports
from monitor.adapters.db.transaction import Transaction
from monitor.domain.message import STUCK, Alert, Carrier, Mail, MailState
from monitor.errors import LeaseLost
from monitor.ports.messages import StoredReport

_DIED = (
    "the process that sent it ended before it could say whether the server took it; the mail is held. "
    "Ask the recipient before sending it again."
)

_MAIL = [mails.c[name] for name in Mail.__dataclass_fields__]


class MailTable:
    """The outbox behind `monitor.ports.messages.Mails`."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    def post(
        self,
        *,
        dedupe_key: str,
        run_id: str | None,
        recipient: str,
        subject: str,
        content: bytes,
        message_id: str,
        not_before: datetime,
    ) -> bool:
        """Store a mail once per key; False when it was there already, which stays as it is."""
        return self._tx.insert_once(
            mails,
            {
                "dedupe_key": dedupe_key,
                "run_id": run_id,
                "recipient": recipient,
                "subject": subject,
                "content": content,
                "message_id": message_id,
                "state": MailState.PENDING,
                "attempts": 0,
                "not_before": not_before,
                "fence": 0,
                "created_at": self._tx.now,
            },
        )

    def get(self, dedupe_key: str) -> Mail | None:
        """Return one mail."""
        row = self._tx.run(select(*_MAIL).where(mails.c.dedupe_key == dedupe_key)).one_or_none()
        return None if row is None else _mail(row)

    def of_run(self, run_id: str) -> tuple[Mail, ...]:
        """Return the mails of a run in the order in which they were posted."""
        rows = self._tx.run(select(*_MAIL).where(mails.c.run_id == run_id).order_by(mails.c.id))
        return tuple(_mail(row) for row in rows)

    def due(self, limit: int, carrier: Carrier = Carrier.MAIL) -> tuple[int, ...]:
        """Return pending messages of one carrier whose time has come, the longest waiting first."""
        waiting = (
            select(mails.c.id)
            .where(mails.c.state == MailState.PENDING, mails.c.not_before <= self._tx.now, _taken_by(carrier))
            .order_by(mails.c.not_before, mails.c.id)
            .limit(limit)
        )
        return tuple(self._tx.run(waiting).scalars())

    def claim(self, mail_id: int, lease: timedelta, owner: str | None = None) -> Mail | None:
        """Take a pending mail whose time has come; None when another has it or it is not its time."""
        row = self._tx.run(
            update(mails)
            .where(mails.c.id == mail_id, mails.c.state == MailState.PENDING, mails.c.not_before <= self._tx.now)
            .values(
                state=MailState.SENDING,
                fence=mails.c.fence + 1,
                attempts=mails.c.attempts + 1,
                lease_until=self._tx.now + lease,
                owner=owner,
                error=None,
            )
            .returning(*_MAIL)
        ).one_or_none()
        return None if row is None else _mail(row)

    def close(self, mail: Mail, state: MailState, error: str | None = None) -> None:
        """Close a claimed mail as sent, failed or unknown.

        The claimant may say so even after its lease ended and the mail was marked unknown: what it
        knows is better than not knowing.

        Raises:
            LeaseLost: the mail was claimed again, or given back, since.
        """
        if state not in (MailState.SENT, MailState.FAILED, MailState.UNKNOWN):
            raise ValueError(f"a mail is closed as sent, failed or unknown, not as {state}")
        sent_at = self._tx.now if state is MailState.SENT else None
        self._fenced(mail, (MailState.SENDING, MailState.UNKNOWN), state=state, error=error, sent_at=sent_at)

    def retry(self, mail: Mail, not_before: datetime, error: str) -> None:
        """Give a claimed mail back for a later try. Raises LeaseLost."""
        self._fenced(mail, (MailState.SENDING,), state=MailState.PENDING, not_before=not_before, error=error)

    def lost(self, limit: int) -> tuple[Mail, ...]:
        """Mark messages unknown whose sender's lease ended while sending; return them, each once.

        An event for a program is given back instead: it carries its id, so that a repeat is known as one.
        """
        ended = (mails.c.state == MailState.SENDING) & (mails.c.lease_until <= self._tx.now)
        events = ended & _taken_by(Carrier.WEBHOOK)
        self._tx.run(update(mails).where(events).values(state=MailState.PENDING, owner=None, lease_until=None))
        some = select(mails.c.id).where(ended).order_by(mails.c.id).limit(limit)
        marked = (
            update(mails)
            .where(mails.c.id.in_(some), ended)
            .values(state=MailState.UNKNOWN, error=_DIED, owner=None, lease_until=None)
            .returning(*_MAIL)
        )
        return tuple(_mail(row) for row in self._tx.run(marked))

    def stuck(self, since: datetime, limit: int) -> tuple[Mail, ...]:
        """Return messages posted since then that are held or were given up, newest first."""
        found = select(*_MAIL).where(mails.c.state.in_(STUCK), mails.c.created_at >= since)
        return tuple(_mail(row) for row in self._tx.run(found.order_by(mails.c.id.desc()).limit(limit)))

    def release(self, mail_id: int, words: str) -> Mail | None:
        """Let a held or given up message be sent again; of several who ask at once one gets it."""
        released = (
            update(mails)
            .where(mails.c.id == mail_id, mails.c.state.in_(STUCK))
            .values(state=MailState.PENDING, not_before=self._tx.now, error=words)
            .returning(*_MAIL)
        )
        row = self._tx.run(released).one_or_none()
        return None if row is None else _mail(row)

    def _fenced(self, mail: Mail, states: tuple[MailState, ...], **values: Any) -> None:
        ours = (mails.c.id == mail.id) & (mails.c.fence == mail.fence) & mails.c.state.in_(states)
        closed = self._tx.run(update(mails).where(ours).values(owner=None, lease_until=None, **values))
        if closed.rowcount != 1:
            raise LeaseLost(f"mail {mail.dedupe_key}", mail.fence)


class AlertTable:
    """Alerts behind `monitor.ports.messages.Alerts`."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    def raise_once(self, alert: Alert) -> bool:
        """Store an alert; False when its key was raised before."""
        values = {name: getattr(alert, name) for name in Alert.__dataclass_fields__}
        return self._tx.insert_once(alerts, values)

    def of_run(self, run_id: str) -> tuple[Alert, ...]:
        """Return a run's alerts, oldest first."""
        found = select(alerts).where(alerts.c.run_id == run_id).order_by(alerts.c.raised_at, alerts.c.key)
        return tuple(Alert(**row._mapping) for row in self._tx.run(found))

    def latest(self, limit: int) -> tuple[Alert, ...]:
        """Return the newest alerts, newest first."""
        found = select(alerts).order_by(alerts.c.raised_at.desc(), alerts.c.key).limit(limit)
        return tuple(Alert(**row._mapping) for row in self._tx.run(found))


class ReportTable:
    """Stored reports behind `monitor.ports.messages.Reports`."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    def store(self, report: StoredReport) -> bool:
        """Store a run's report once; False when there was one, which stays."""
        values = {name: getattr(report, name) for name in StoredReport.__dataclass_fields__}
        return self._tx.insert_once(reports, values)

    def get(self, run_id: str) -> StoredReport | None:
        """Return a run's report."""
        row = self._tx.run(select(reports).where(reports.c.run_id == run_id)).one_or_none()
        return None if row is None else StoredReport(**row._mapping)


def _taken_by(carrier: Carrier) -> ColumnElement[bool]:
    """Return which recipients one carrier leads to."""
    others = (Carrier.NOTIFY, Carrier.WEBHOOK)
    if carrier in others:
        return mails.c.recipient.startswith(f"{carrier.value}:", autoescape=True)
    found: ColumnElement[bool] = true()
    for other in others:
        found = found & ~mails.c.recipient.startswith(f"{other.value}:", autoescape=True)
    return found


def _mail(row: Row[Any]) -> Mail:
    return Mail(**row._mapping)

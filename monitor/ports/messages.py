"""Mails, alerts and stored reports."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

from monitor.domain.message import Alert, Carrier, Mail, MailState
from monitor.domain.report import Report


@dataclass(frozen=True, slots=True)
class Picture:
    """A chart in a mail."""

    name: str  #: the mail shows `cid:NAME`
    words: str  #: what it shows, for those who do not see it
    width: int  #: in pixels of the mail
    height: int
    body: bytes  #: a PNG of twice the size


class Mails(Protocol):
    """The outbox: a mail is stored before it is sent, and its bytes never change."""

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
        """Store a mail once per key; False when it was there already."""

    def get(self, dedupe_key: str) -> Mail | None:
        """Return one mail."""

    def of_run(self, run_id: str) -> tuple[Mail, ...]:
        """Return the mails of a run."""

    def due(self, limit: int, carrier: Carrier = Carrier.MAIL) -> tuple[int, ...]:
        """Return pending messages of one carrier whose time has come."""

    def claim(self, mail_id: int, lease: timedelta, owner: str | None = None) -> Mail | None:
        """Take a pending mail for sending; None when another has it. The death of its `owner` ends the lease."""

    def close(self, mail: Mail, state: MailState, error: str | None = None) -> None:
        """Close a claimed mail as sent, failed or unknown; late is better than never. Raises LeaseLost."""

    def retry(self, mail: Mail, not_before: datetime, error: str) -> None:
        """Give a claimed mail back for a later try. Raises LeaseLost."""

    def lost(self, limit: int) -> tuple[Mail, ...]:
        """Mark messages unknown whose sender died while sending; return them, each once. Events are given back."""

    def stuck(self, since: datetime, limit: int) -> tuple[Mail, ...]:
        """Return messages posted since then that are held or were given up, newest first."""

    def release(self, mail_id: int, words: str) -> Mail | None:
        """Let a held or given up message be sent again, the same bytes; None when it is neither (any more)."""


class Alerts(Protocol):
    """What a person should know, raised once per key."""

    def raise_once(self, alert: Alert) -> bool:
        """Store an alert; False when its key was raised before."""

    def of_run(self, run_id: str) -> tuple[Alert, ...]:
        """Return a run's alerts, oldest first."""

    def latest(self, limit: int) -> tuple[Alert, ...]:
        """Return the newest alerts."""


@dataclass(frozen=True, slots=True)
class StoredReport:
    """A report as it was made; never rendered again."""

    run_id: str
    model: dict[str, Any]
    html: str
    text: str
    created_at: datetime


class Reports(Protocol):
    """The one report of each run."""

    def store(self, report: StoredReport) -> bool:
        """Store a run's report once; False when there was one, which stays."""

    def get(self, run_id: str) -> StoredReport | None:
        """Return a run's report."""


class Mailer(Protocol):
    """Hands one message to a mail server, a channel or a program: to whom its recipient's carrier leads."""

    def send(self, mail: Mail) -> None:
        """Deliver the stored bytes to the one recipient.

        Raises:
            RetryLater: not accepted (no connection, or a 4xx before the end of the data).
            CannotSucceed: refused for good (5xx).
            OutcomeUnknown: everything was handed over and no reply came (RFC 1047).
        """


@dataclass(frozen=True, slots=True)
class Rendered:
    """The two parts of a mail, the same facts in both."""

    html: str
    text: str


class ReviewLink(Protocol):
    """Where one recipient decides."""

    @property
    def url(self) -> str:
        """The page, absolute and signed."""

    @property
    def code(self) -> str:
        """Six digits, asked for when a decision is large."""


class Renderer(Protocol):
    """Turns view models into what a person reads. Never computes a number."""

    def mail(self, report: Report, link: ReviewLink | None = None, pictures: Sequence[Picture] = ()) -> Rendered:
        """Return the morning mail; without a link it has no button and no code. Its pictures stand beside it."""

    def page(self, report: Report) -> str:
        """Return the report as a page to be stored; it carries nothing personal."""

    def fresh_link(self, link: ReviewLink) -> Rendered:
        """Return the mail with a link that somebody asked for because theirs was over."""

    def alert(self, alert: Alert, brand: str, zone: str) -> Rendered:
        """Return the mail of an alert."""

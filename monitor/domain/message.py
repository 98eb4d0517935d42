"""What goes out, through one outbox that sends each message at most once: mails, notices of alerts, events of a run."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class MailState(StrEnum):
    """Where a mail is."""

    PENDING = "pending"  #: waits for its time or its next try
    SENDING = "sending"  #: claimed; if the process dies now it becomes unknown
    SENT = "sent"  #: the server took it
    FAILED = "failed"  #: the server refused it for good
    UNKNOWN = "unknown"  #: the server may have taken it: held, never resent by itself


#: Nothing moves a message out of these but a person's word.
STUCK = (MailState.UNKNOWN, MailState.FAILED)


class Carrier(StrEnum):
    """Who takes a message to its recipient."""

    MAIL = "mail"  #: a mail server; the recipient is an address
    NOTIFY = "notify"  #: a channel of `[notify]`; the recipient is `notify:NAME`
    WEBHOOK = "webhook"  #: a program that is told of events; the recipient is `webhook:NAME`


def carrier_of(recipient: str) -> Carrier:
    """Return who takes messages to this recipient."""
    scheme = recipient.partition(":")[0]
    return Carrier(scheme) if scheme in (Carrier.NOTIFY, Carrier.WEBHOOK) else Carrier.MAIL


@dataclass(frozen=True, slots=True)
class Mail:
    """One message to one recipient. Its bytes are stored: a retry sends the same ones."""

    id: int
    dedupe_key: str  #: unique: `report:{run}:{recipient}`
    recipient: str
    subject: str
    content: bytes  #: RFC 5322 message; for the other carriers a JSON document
    message_id: str
    state: MailState
    attempts: int
    not_before: datetime
    fence: int
    error: str | None
    created_at: datetime
    sent_at: datetime | None
    run_id: str | None = None  #: the night it tells of


class AlertKind(StrEnum):
    """What an alert is about."""

    BUDGET = "budget"  #: a competitor's tool budget or the night's token cap was spent
    DEADLINE = "deadline"  #: no report by the deadline, or a partial one; a night that had nothing to visit
    COVERAGE = "coverage"  #: fewer watches read than `min_coverage_pct`
    WRITE = "write"  #: an execution failed, conflicted or is unknown
    MAIL = "mail"  #: a mail failed or is held
    JOB = "job"  #: a competitor's job failed
    ACCESS = "access"  #: somebody tries codes of a review link
    BREAKER = "breaker"  #: the night is so unlike others that its proposals need a second look
    SITE = "site"  #: nothing could be read at a competitor that was read the night before
    MAP = "map"  #: a rival newly advertises below our minimum advertised price
    STOCK = "stock"  #: a rival ran out of something that we have
    FILES = "files"  #: files with a mistake, or settings that wait for a new process


@dataclass(frozen=True, slots=True)
class Alert:
    """Something a person should know; raised once per key."""

    key: str  #: unique, such as `budget:{run}:{competitor}:100`
    kind: AlertKind
    run_id: str | None
    words: str
    raised_at: datetime


def worth_telling(alerts: Iterable[Alert]) -> tuple[Alert, ...]:
    """Leave out that a budget runs low where another alert tells that it is spent; who was told then has both."""
    found = tuple(alerts)
    spent = {alert.key.removesuffix(":100") for alert in found if alert.key.endswith(":100")}
    return tuple(alert for alert in found if alert.key.removesuffix(":80") not in spent)

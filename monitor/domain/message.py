"""Mails and alerts on their way out, through an outbox that sends each at most once."""

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


@dataclass(frozen=True, slots=True)
class Mail:
    """One message to one recipient. Its bytes are stored: a retry sends the same ones."""

    id: int
    dedupe_key: str  #: unique: `report:{run}:{recipient}`
    recipient: str
    subject: str
    content: bytes  #: RFC 5322 message
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
    DEADLINE = "deadline"  #: no report by the deadline, or a partial one
    COVERAGE = "coverage"  #: fewer watches read than `min_coverage_pct`
    WRITE = "write"  #: an execution failed, conflicted or is unknown
    MAIL = "mail"  #: a mail failed or is held
    JOB = "job"  #: a competitor's job failed
    ACCESS = "access"  #: somebody tries codes of a review link
    BREAKER = "breaker"  #: so many prices moved at once that nothing was proposed on them


@dataclass(frozen=True, slots=True)
class Alert:
    """Something a person should know; raised once per key."""

    key: str  #: unique, such as `budget:{run}:{competitor}:100`
    kind: AlertKind
    run_id: str | None
    words: str
    raised_at: datetime

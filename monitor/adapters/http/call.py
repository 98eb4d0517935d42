"""The words of one HTTP call: its limits, its answer, and how it ended without one."""

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from monitor.domain.address import WEB_PORTS
from monitor.domain.page import MissReason

#: Most bytes before the head of an answer is there: the longest head that is read, and what one read brings beyond it.
#: A flood of interim answers costs the sender little and each of them us a tenth of a millisecond.
MOST_BEFORE_HEAD = 300_000

_NUMBER = re.compile(r"^\[Errno -?[0-9]+\] ")

#: Reasons after which the same call may succeed within the night.
_MAY_PASS = frozenset({MissReason.CONNECT, MissReason.INCOMPLETE})


def without_number(error: Exception) -> str:
    """Return the words of an error of the system, `Connection refused` for `[Errno 111] Connection refused`."""
    return _NUMBER.sub("", str(error))


@dataclass(frozen=True, slots=True)
class CallRules:
    """The limits of one call."""

    deadline: timedelta = timedelta(seconds=20)  #: total, from the look-up to the last byte
    silence: timedelta = timedelta(seconds=10)  #: longest wait for the next bytes, either way
    max_wire_bytes: int = 5_000_000  #: everything received, headers included
    max_body_bytes: int = 5_000_000  #: after decoding
    may_cut: bool = False  #: a longer body is cut instead of refused
    allow_addresses: frozenset[str] = frozenset()  #: exact `host:port` that may be loopback or private
    ports: frozenset[int] = WEB_PORTS
    may_reopen: bool = True  #: a read that finds its kept connection closed is sent once more on a new one


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server answered, whatever its status; redirects are not followed."""

    url: str
    status: int
    headers: Mapping[str, str]  #: lower-case names, repeated ones joined by a comma
    body: bytes  #: decoded from its content coding
    set_cookies: tuple[str, ...] = ()  #: each Set-Cookie header as received
    requests: int = 1  #: how often the request was sent: twice when a kept connection turned out to be closed


@dataclass(frozen=True, slots=True)
class Unanswered:
    """No complete answer. `sent` tells a definite failure from an ambiguous one.

    While `sent` is False nothing of the request has left, so it cannot have had an effect. Once it is True,
    the server may have acted on it, and a write must be settled by reading.
    """

    url: str
    reason: MissReason
    words: str
    sent: bool
    may_pass: bool
    status: int | None = None  #: when the head of an answer had come
    requests: int = 1  #: as of an answer


class Stopped(Exception):
    """Ends a call from inside the network layer; `Client` makes it an `Unanswered`, the browser's proxy a refusal."""

    def __init__(self, reason: MissReason, words: str, *, may_pass: bool | None = None) -> None:
        super().__init__(words)
        self.reason, self.words = reason, words
        self.may_pass = reason in _MAY_PASS if may_pass is None else may_pass


@dataclass(slots=True)
class Call:
    """What is known of the call under way in this thread; the network layer reads and updates it."""

    rules: CallRules
    place: str  #: `host:port`, for words
    started: float = field(default_factory=time.monotonic)
    sent: bool = False
    connected: bool = False  #: False while a pooled connection is used
    received: int = 0
    requests: int = 1
    status: int | None = None

    def left(self, limit: float | None = None) -> float:
        """Return the seconds the next operation may take.

        Raises:
            Stopped: the deadline has passed.
        """
        total = self.rules.deadline.total_seconds()
        rest = self.started + total - time.monotonic()
        if rest <= 0:
            raise Stopped(MissReason.DEADLINE, f"{self.place} had not answered completely after {total:g} s")
        return rest if limit is None else min(rest, limit)

    def next_bytes(self) -> float:
        """Return the seconds the next read, write or handshake may take."""
        return self.left(self.rules.silence.total_seconds())

    def silent(self) -> Stopped:
        """Return the reason for an operation that timed out: the deadline, or silence before it."""
        try:
            self.left()
        except Stopped as late:
            return late
        return Stopped(MissReason.DEADLINE, f"{self.place} was silent for {self.rules.silence.total_seconds():g} s")

    def take(self, count: int) -> None:
        """Count received bytes.

        Raises:
            Stopped: the wire cap is passed, or there is no end of what comes before the answer.
        """
        self.received += count
        if self.status is None and self.received > MOST_BEFORE_HEAD:
            raise Stopped(MissReason.PROTOCOL, f"{self.place} sent {self.received:,} bytes and no answer among them")
        if self.received > self.rules.max_wire_bytes and not self.rules.may_cut:
            raise Stopped(
                MissReason.TOO_LARGE,
                f"{self.place} sent more than {self.rules.max_wire_bytes:,} bytes; the rest was not read",
            )

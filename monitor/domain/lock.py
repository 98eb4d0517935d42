"""A product whose price a person keeps for a while: nothing is proposed for it and nothing is written.

A lock is put in the application, beside whatever the catalogue says, and taken away by a person or by its date. The row
stays for the record.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class PriceLock:
    """One lock of one product."""

    id: int
    sku: str
    until: datetime | None  #: None: until somebody takes it away
    reason: str | None
    by: str
    created_at: datetime
    released_at: datetime | None = None
    released_by: str | None = None

    def holds(self, now: datetime) -> bool:
        """Say whether the price may not be changed at this moment."""
        return self.released_at is None and (self.until is None or now < self.until)

    @property
    def words(self) -> str:
        """Return who keeps the price, until when and why."""
        until = "" if self.until is None else f" until {self.until.isoformat(timespec='minutes')}"
        why = f" ({self.reason})" if self.reason else ""
        return f"{self.by} locked this price{until}{why}"


class Writing(StrEnum):
    """Whether approved prices reach the shop."""

    ON = "on"  #: they do
    OFF = "off"  #: `writes.enabled` is false: recorded as a dry run
    STOPPED = "stopped"  #: somebody threw the kill switch


@dataclass(frozen=True, slots=True)
class WriteStop:
    """The kill switch as it was last thrown."""

    is_stopped: bool
    by: str
    reason: str | None
    at: datetime


def writing_of(stop: WriteStop | None, *, enabled: bool) -> Writing:
    """Return whether approved prices reach the shop; the switch counts before the setting."""
    if stop is not None and stop.is_stopped:
        return Writing.STOPPED
    return Writing.ON if enabled else Writing.OFF

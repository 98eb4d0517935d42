"""Everything that is kept about one proposal, from what proposed it to what the shop answered."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from monitor.domain.action import Action, Decision, PriceWrite


@dataclass(frozen=True, slots=True)
class AttemptRow:
    """One call to the shop."""

    n: int
    started_at: datetime
    ended_at: datetime | None
    outcome: str | None
    answer: str | None


@dataclass(frozen=True, slots=True)
class WriteTrail:
    """One write with what the shop said before, after and at each call."""

    write: PriceWrite
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    attempts: tuple[AttemptRow, ...]


@dataclass(frozen=True, slots=True)
class Trail:
    """A proposal, who decided what about it, and what became of it."""

    action: Action
    decisions: tuple[Decision, ...]
    writes: tuple[WriteTrail, ...]
    renewals: tuple[tuple[datetime, str], ...] = ()  #: when which later run proposed the same; its words stand now


class Audit(Protocol):
    """The record as an auditor reads it."""

    def of_sku(self, sku: str, limit: int) -> tuple[Trail, ...]:
        """Return the trails of a product, newest proposal first."""

    def of_action(self, named: str | int) -> Trail | None:
        """Return the trail of one action, by its key or its number."""

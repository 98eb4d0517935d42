"""Effects on the outside world that are made once: see `monitor.durable.once`."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

from monitor.domain.durability import EffectState


@dataclass(frozen=True, slots=True)
class Claimed:
    """The right to make an effect; its fence proves it."""

    key: str
    fence: int


@dataclass(frozen=True, slots=True)
class Settled:
    """An effect that is not for this caller to make: it ended, is unknown, or somebody else is at it."""

    state: EffectState
    result: dict[str, Any] | None
    error: str | None


@dataclass(frozen=True, slots=True)
class EffectLine:
    """One effect in a list."""

    key: str
    state: EffectState
    intent: dict[str, Any]
    error: str | None
    created_at: datetime
    done_at: datetime | None


class Effects(Protocol):
    """The effects, one row per key."""

    def claim(
        self, key: str, intent: dict[str, Any], owner: str, lease: timedelta, *, repeatable: bool
    ) -> Claimed | Settled:
        """Write the intent and take the effect, or say why not.

        One whose owner died is taken over when it is repeatable, and else becomes `unknown`.

        Raises:
            CannotSucceed: the key was used for another intent.
        """

    def close(
        self, claimed: Claimed, state: EffectState, *, result: dict[str, Any] | None = None, error: str | None = None
    ) -> bool:
        """Record how a claimed effect ended; False when somebody else took it over."""

    def release(self, claimed: Claimed) -> None:
        """Give a claimed effect back: it was certainly not made."""

    def settle(self, key: str, state: EffectState, *, result: dict[str, Any] | None = None) -> bool:
        """End an `unknown` effect after somebody looked; False when it is not unknown."""

    def open(self, limit: int) -> tuple[EffectLine, ...]:
        """Return effects that have not ended, unknown ones too, oldest first."""

"""Effects made once: the intent, who is at it, and how it ended."""

from datetime import timedelta
from typing import Any

from sqlalchemy import Row, select, update

from monitor.adapters.db.schema import effects
from monitor.adapters.db.transaction import Transaction
from monitor.domain.durability import EffectState
from monitor.errors import CannotSucceed
from monitor.ports.effects import Claimed, EffectLine, Settled

_LINE = tuple(effects.c[name] for name in EffectLine.__dataclass_fields__)


class EffectTable:
    """`monitor.ports.effects.Effects` on SQL."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    def claim(
        self, key: str, intent: dict[str, Any], owner: str, lease: timedelta, *, repeatable: bool
    ) -> Claimed | Settled:
        """Write the intent and take the effect, or say why not."""
        row = {
            "key": key,
            "state": EffectState.INTENDED,
            "intent": intent,
            "fence": 1,
            "owner": owner,
            "lease_until": self._tx.now + lease,
            "created_at": self._tx.now,
        }
        if self._tx.insert_once(effects, row):
            return Claimed(key, 1)
        found = self._tx.run(select(effects).where(effects.c.key == key).with_for_update()).one()
        if found.intent != intent:
            raise CannotSucceed(f"{key}: this key stands for {found.intent!r}; {intent!r} needs a key of its own")
        return self._again(found, owner, lease, repeatable=repeatable)

    def _again(self, found: Row[Any], owner: str, lease: timedelta, *, repeatable: bool) -> Claimed | Settled:
        is_free = found.lease_until is None  # given back: certainly not made
        is_left = found.lease_until is not None and found.lease_until <= self._tx.now
        if found.state is not EffectState.INTENDED or not (is_free or is_left):
            return Settled(found.state, found.result, found.error)
        if is_left and not repeatable:
            words = "whoever did it died before its end was recorded"
            self._change(found.key, found.fence, state=EffectState.UNKNOWN, error=words)
            return Settled(EffectState.UNKNOWN, None, words)
        self._change(
            found.key, found.fence, fence=found.fence + 1, owner=owner, lease_until=self._tx.now + lease, error=None
        )
        return Claimed(found.key, found.fence + 1)

    def close(
        self, claimed: Claimed, state: EffectState, *, result: dict[str, Any] | None = None, error: str | None = None
    ) -> bool:
        """Record how a claimed effect ended. Late is better than never: also when it was given up as unknown."""
        ended = {"state": state, "result": result, "error": error, "done_at": self._tx.now}
        return self._change(claimed.key, claimed.fence, owner=None, lease_until=None, **ended)

    def release(self, claimed: Claimed) -> None:
        """Give a claimed effect back."""
        self._change(claimed.key, claimed.fence, owner=None, lease_until=None)

    def settle(self, key: str, state: EffectState, *, result: dict[str, Any] | None = None) -> bool:
        """End an unknown effect."""
        unknown = update(effects).where(effects.c.key == key, effects.c.state == EffectState.UNKNOWN)
        ended = unknown.values(state=state, result=result, done_at=self._tx.now, owner=None, lease_until=None)
        return self._tx.run(ended).rowcount == 1

    def open(self, limit: int) -> tuple[EffectLine, ...]:
        """Return effects that have not ended, oldest first."""
        waiting = effects.c.state.in_([EffectState.INTENDED, EffectState.UNKNOWN])
        query = select(*_LINE).where(waiting).order_by(effects.c.created_at, effects.c.key).limit(limit)
        return tuple(EffectLine(**row._mapping) for row in self._tx.run(query).all())

    def _change(self, key: str, held: int, **values: Any) -> bool:
        live = effects.c.state.in_([EffectState.INTENDED, EffectState.UNKNOWN])
        ours = update(effects).where(effects.c.key == key, effects.c.fence == held, live)
        return self._tx.run(ours.values(**values)).rowcount == 1

"""Do something to the outside world once, whoever asks and however often.

The intent is committed before the action, the result after it, both under the same key; a repeat gets the stored
result. A second caller at the same time is told to come back. What the first one leaves behind when it dies
in between depends on what the caller knows of the action: one that may be repeated (a PUT, a file written under
a name) is claimed by the next caller; of any other nobody can tell whether it happened, so it is held as `unknown`
until somebody looks, and never made again blindly.

`once` keeps its intents in `effects`. Messages that leave this house need more (retries over hours, a time before which
they stay), so they keep theirs in the outbox, and `attempted` is what both have in common: one attempt between two
transactions, whose end is always recorded. Price writes are called for many at once and read before and after, so
`monitor.flow.submit` records attempts of its own; `docs/durability.md` says which boundary is kept by what.
"""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Protocol, TypeAlias, TypeVar

from monitor.domain.durability import EffectState
from monitor.errors import CannotSucceed, LeaseLost, OutcomeUnknown, RetryLater
from monitor.ports.effects import Claimed, Settled
from monitor.ports.store import Store

#: Longest an action may take; a caller silent for longer is taken for dead. Its worker's lock tells it sooner.
LEASE = timedelta(minutes=5)

#: What an action returns: JSON values.
Result: TypeAlias = dict[str, Any]


Held = TypeVar("Held")
Answer = TypeVar("Answer")
HeldIn = TypeVar("HeldIn", contravariant=True)
AnswerIn = TypeVar("AnswerIn", contravariant=True)


class Record(Protocol[HeldIn, AnswerIn]):
    """Where it is kept how an attempt ended; each is a transaction of its own and raises LeaseLost when taken over."""

    def done(self, held: HeldIn, answer: AnswerIn) -> None:
        """It happened."""

    def failed(self, held: HeldIn, refused: CannotSucceed) -> None:
        """It did not happen and will not."""

    def later(self, held: HeldIn, busy: RetryLater) -> None:
        """It certainly did not happen, and may be tried again."""

    def unclear(self, held: HeldIn, broken: Exception) -> None:
        """Nobody knows whether it happened."""


def attempted(record: Record[Held, Answer], held: Held, action: Callable[[], Answer]) -> Answer:
    """Make one attempt at an effect whose intent is committed, and record its end whatever it is.

    Args:
        record: where the end is kept.
        held: the right to make the attempt, with its fence.
        action: makes it, outside any transaction.

    Raises:
        RetryLater, CannotSucceed, Exception: what the action raised, after it was recorded.
        LeaseLost: it took longer than its lease and somebody else took over.
    """
    try:
        answer = action()
    except RetryLater as busy:
        record.later(held, busy)
        raise
    except CannotSucceed as refused:
        record.failed(held, refused)
        raise
    except Exception as broken:
        record.unclear(held, broken)
        raise
    record.done(held, answer)
    return answer


class Pending(RetryLater):
    """Another caller is making this very effect now."""

    def __init__(self, key: str) -> None:
        super().__init__(f"{key}: another caller is doing this now. Nothing was done here; ask again for its result.")
        self.key = key


class Unsettled(OutcomeUnknown):
    """An effect began and never ended, and it may not be repeated."""

    def __init__(self, key: str) -> None:
        super().__init__(
            f"{key}: it began and its end was not recorded, so nobody knows whether it happened. It is held and "
            "not done again. Look at the other side, then settle it."
        )
        self.key = key


def once(
    store: Store,
    key: str,
    intent: Result,
    action: Callable[[], Result],
    *,
    repeatable: bool = False,
    owner: str | None = None,
    lease: timedelta = LEASE,
) -> Result:
    """Make an effect unless it was made, and return its result, now or then.

    Args:
        store: where intent and result are kept.
        key: names the effect; the same key always means the same effect.
        intent: what is about to be done, JSON values; a repeat must intend the same.
        action: does it, outside any transaction. RetryLater says that it certainly did nothing.
        repeatable: whether doing it twice is the same as once.
        owner: the incarnation at work, so that its death is seen at once; by default nobody's, and the lease tells.
        lease: longest the action may take.

    Raises:
        Pending: somebody else is at it.
        Unsettled: it began, its end is unknown, and it is not repeatable.
        CannotSucceed: it failed for good, now or then; or the key was used for another intent.
        LeaseLost: it took longer than its lease and somebody else took over.
    """
    with store.write() as unit:
        found = unit.effects.claim(key, intent, owner or uuid.uuid4().hex, lease, repeatable=repeatable)
    if isinstance(found, Settled):
        return _settled(key, found)
    return attempted(_Effects(store, repeatable), found, action)


def _settled(key: str, found: Settled) -> Result:
    if found.state is EffectState.DONE:
        return found.result or {}
    if found.state is EffectState.FAILED:
        raise CannotSucceed(found.error or f"{key}: failed for good")
    if found.state is EffectState.INTENDED:
        raise Pending(key)
    raise Unsettled(key)


@dataclass(frozen=True, slots=True)
class _Effects:
    """Keeps how effects ended in `effects`."""

    store: Store
    is_repeatable: bool

    def done(self, held: Claimed, answer: Result) -> None:
        self._close(held, EffectState.DONE, result=answer)

    def failed(self, held: Claimed, refused: CannotSucceed) -> None:
        self._close(held, EffectState.FAILED, error=str(refused))

    def later(self, held: Claimed, busy: RetryLater) -> None:
        with self.store.write() as unit:
            unit.effects.release(held)

    def unclear(self, held: Claimed, broken: Exception) -> None:
        if self.is_repeatable:
            with self.store.write() as unit:
                unit.effects.release(held)
        else:
            self._close(held, EffectState.UNKNOWN, error=str(broken))

    def _close(
        self, held: Claimed, state: EffectState, *, result: Result | None = None, error: str | None = None
    ) -> None:
        with self.store.write() as unit:
            if not unit.effects.close(held, state, result=result, error=error):
                raise LeaseLost(held.key, held.fence)

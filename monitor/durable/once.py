"""Do something to the outside world once, whoever asks and however often.

The intent is committed before the action, the result after it, both under the same key; a repeat gets the stored
result. A second caller at the same time is told to come back. What the first one leaves behind when it dies
in between depends on what the caller knows of the action: one that may be repeated (a PUT, a file written under
a name) is claimed by the next caller; of any other nobody can tell whether it happened, so it is held as `unknown`
until somebody looks, and never made again blindly.

Mails and price writes are effects of this kind that need more (retries over hours, reading back, a person's decision),
so they keep the same states in tables of their own; `docs/durability.md` says which boundary is kept by what.
"""

import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any, TypeAlias

from monitor.domain.durability import EffectState
from monitor.errors import CannotSucceed, LeaseLost, OutcomeUnknown, RetryLater
from monitor.ports.effects import Claimed, Settled
from monitor.ports.store import Store

#: Longest an action may take; a caller silent for longer is taken for dead. Its worker's lock tells it sooner.
LEASE = timedelta(minutes=5)

#: What an action returns: JSON values.
Result: TypeAlias = dict[str, Any]


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
    try:
        result = action()
    except RetryLater:
        _release(store, found)
        raise
    except CannotSucceed as refused:
        _close(store, found, EffectState.FAILED, error=str(refused))
        raise
    except Exception as broken:
        if repeatable:
            _release(store, found)
        else:
            _close(store, found, EffectState.UNKNOWN, error=str(broken))
        raise
    _close(store, found, EffectState.DONE, result=result)
    return result


def _settled(key: str, found: Settled) -> Result:
    if found.state is EffectState.DONE:
        return found.result or {}
    if found.state is EffectState.FAILED:
        raise CannotSucceed(found.error or f"{key}: failed for good")
    if found.state is EffectState.INTENDED:
        raise Pending(key)
    raise Unsettled(key)


def _release(store: Store, claimed: Claimed) -> None:
    with store.write() as unit:
        unit.effects.release(claimed)


def _close(
    store: Store, claimed: Claimed, state: EffectState, *, result: Result | None = None, error: str | None = None
) -> None:
    with store.write() as unit:
        if not unit.effects.close(claimed, state, result=result, error=error):
            raise LeaseLost(claimed.key, claimed.fence)

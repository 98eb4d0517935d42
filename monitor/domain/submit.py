"""What the executor decides about one approved price: go, leave it, or ask a person.

Pure. The flow reads the shop, asks here, and records. The rails hold whatever a rule or a person said: they are
checked again at the moment of writing, against the price the shop has then.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any

from monitor.domain.action import ActionState, PriceWrite, WriteState
from monitor.domain.money import Money, plain_amount

#: How long an unclear call may still land late; before that its outcome is not read, and nothing newer is written.
QUARANTINE = timedelta(seconds=60)
#: Calls that may have reached the shop before a person is asked.
MAX_CALLS = 3
_FIRST_WAIT = timedelta(seconds=15)
_LONGEST_WAIT = timedelta(minutes=15)

#: What a write that reaches a state means for its action.
_OUTCOMES: dict[WriteState, ActionState] = {
    WriteState.APPLIED: ActionState.APPLIED,
    WriteState.APPLIED_NOOP: ActionState.APPLIED_NOOP,
    WriteState.CONFLICT: ActionState.CONFLICT,
    WriteState.FAILED: ActionState.FAILED,
    WriteState.UNKNOWN: ActionState.UNKNOWN,
    WriteState.TARGET_GONE: ActionState.TARGET_GONE,
    WriteState.EXPIRED: ActionState.EXPIRED,
    WriteState.CANCELLED: ActionState.CANCELLED,
    WriteState.DRY_RUN: ActionState.APPROVED,
}

_WRITTEN = (ActionState.EXECUTING, ActionState.UNKNOWN)
_WAITING = (ActionState.APPROVED, ActionState.EXECUTING)
#: From which states the end of a write may move its action; each is a walk along `action.ARROWS`.
_SOURCES: dict[ActionState, tuple[ActionState, ...]] = {
    ActionState.APPLIED: _WRITTEN,
    ActionState.APPLIED_NOOP: _WRITTEN,
    ActionState.CONFLICT: _WRITTEN,
    ActionState.FAILED: _WRITTEN,
    ActionState.TARGET_GONE: _WRITTEN,
    ActionState.UNKNOWN: (ActionState.EXECUTING,),
    ActionState.EXECUTING: (ActionState.APPROVED, ActionState.UNKNOWN),
    ActionState.APPROVED: (ActionState.EXECUTING,),
    ActionState.EXPIRED: _WAITING,
    ActionState.CANCELLED: _WAITING,
    ActionState.SUPERSEDED: _WAITING,
}

_GIVES_BACK = frozenset({WriteState.UNKNOWN, WriteState.DRY_RUN})


def outcome_of(state: WriteState) -> ActionState:
    """Return where an action goes when its write is closed in `state`."""
    return _OUTCOMES[state]


def came_from(state: ActionState) -> tuple[ActionState, ...]:
    """Return the states from which a write may move its action to `state`."""
    return _SOURCES[state]


def ends(state: WriteState) -> bool:
    """Say whether a write closed in `state` is finished for good."""
    return state in _OUTCOMES and state not in _GIVES_BACK


class Verdict(StrEnum):
    """What the shop's current price means for a write."""

    GO = "go"  #: the shop has the price that the decision was based on
    NOOP = "noop"  #: the shop has the approved price already
    CONFLICT = "conflict"  #: the shop has another price: somebody else changed it
    GONE = "gone"  #: the shop does not have this product


def classify(expected: Money, target: Money, current: Money | None) -> Verdict:
    """Compare exactly, currency included; 24.9 and 24.90 are one price, 24.904 is another."""
    if current is None:
        return Verdict.GONE
    if current == target:
        return Verdict.NOOP
    return Verdict.GO if current == expected else Verdict.CONFLICT


@dataclass(frozen=True, slots=True)
class Rails:
    """What no write may cross, whoever approved it."""

    max_step_pct: Decimal
    floor: Decimal | None = None
    ceiling: Decimal | None = None


def rails_of(facts: Mapping[str, Any], max_step_pct: Decimal) -> Rails:
    """Take the limits that the decision was made within from its facts, `limits.lower` and `limits.upper`."""
    limits = facts.get("limits") or {}
    return Rails(max_step_pct, _limit(limits, "lower"), _limit(limits, "upper"))


def _limit(limits: Mapping[str, Any], name: str) -> Decimal | None:
    limit = limits.get(name)
    return None if limit is None else plain_amount(limit["amount"])


def refusal(write: PriceWrite, current: Money | None, rails: Rails) -> str | None:
    """Return why this write must not be made, in words; None when nothing speaks against it.

    Args:
        write: what was approved.
        current: what the shop says now; None when it offers no reading.
        rails: limits in the write's currency; the step is measured from the price the decision was based on.
    """
    target = write.target_price
    if not target.is_finite() or target <= 0:
        return f"the approved price {target} is not above zero"
    if current is not None and current.currency != write.currency:
        return f"the shop sells in {current.currency}, the price was approved in {write.currency}"
    if rails.floor is not None and target < rails.floor:
        return f"the approved price {Money(target, write.currency)} is below the lowest that was allowed, {rails.floor}"
    if rails.ceiling is not None and target > rails.ceiling:
        return (
            f"the approved price {Money(target, write.currency)} is above the highest that was allowed, {rails.ceiling}"
        )
    return _too_far(write, rails.max_step_pct)


def _too_far(write: PriceWrite, max_step_pct: Decimal) -> str | None:
    step = abs(write.target_price - write.expected_price) * 100
    if step <= max_step_pct * write.expected_price:
        return None
    shown = f"{Money(write.expected_price, write.currency)} to {Money(write.target_price, write.currency)}"
    return f"a step from {shown} is more than writes.max_step_pct = {max_step_pct} allows"


@dataclass(frozen=True, slots=True)
class Judgement:
    """Where a write goes, and why, for whoever reads its record."""

    state: WriteState
    words: str


def judged(write: PriceWrite, current: Money | None, rails: Rails) -> Judgement:
    """Say what the shop's price before a write asks for; `calling` is the go-ahead."""
    old, new = _prices(write)
    verdict = classify(old, new, current)
    if verdict is Verdict.GONE:
        return Judgement(WriteState.TARGET_GONE, "the shop does not have this product any more")
    if verdict is Verdict.NOOP and write.attempts:
        return Judgement(WriteState.APPLIED, f"an earlier call took effect late: the shop has {new}")
    if verdict is Verdict.NOOP:
        return Judgement(WriteState.APPLIED_NOOP, f"the shop had {new} already")
    refused = refusal(write, current, rails)
    if refused:
        return Judgement(WriteState.FAILED, refused)
    if verdict is Verdict.CONFLICT:
        return Judgement(WriteState.CONFLICT, f"the shop has {current}, but {old} was decided on; propose it again")
    return Judgement(WriteState.CALLING, f"{old} to {new}")


def confirmed(write: PriceWrite, current: Money | None, answer: str) -> Judgement:
    """Say what reading back after a clear answer makes of a write. Only the new price confirms it.

    A shop that still shows the old price may be slow or may have stored nothing: that is unknown for now.
    """
    old, new = _prices(write)
    verdict = classify(old, new, current)
    if verdict is Verdict.NOOP:
        return Judgement(WriteState.APPLIED, f"the shop has {new}")
    state = WriteState.CONFLICT if verdict is Verdict.CONFLICT else WriteState.UNKNOWN
    return Judgement(state, f"the shop answered {answer!r}, but read back it has {current or 'no such product'}")


def settled(write: PriceWrite, current: Money | None) -> Judgement:
    """Say what reading the shop makes of an unknown write.

    `queued` asks for the same call again under the same key. `write.attempts` calls may have reached the shop;
    after `MAX_CALLS` of them a person is asked.
    """
    old, new = _prices(write)
    verdict, calls = classify(old, new, current), write.attempts
    if verdict is Verdict.NOOP:
        return Judgement(WriteState.APPLIED, f"read after an unclear call: the shop has {new}")
    if verdict is Verdict.CONFLICT:
        words = f"read after an unclear call: the shop has {current}, neither the old nor the new price"
        return Judgement(WriteState.CONFLICT, words)
    if verdict is Verdict.GONE:
        return Judgement(WriteState.TARGET_GONE, "read after an unclear call: the shop does not have this product")
    return _again(calls, f"the shop still has {old} after {_calls(calls)}")


def unsettled(write: PriceWrite) -> Judgement:
    """Say what becomes of an unknown write at a shop that cannot be read: the same call again, under the same key."""
    return _again(write.attempts, f"{_calls(write.attempts)} had no clear answer, and this shop cannot be read")


def too_late(write: PriceWrite, expires_at: datetime, *, is_readable: bool) -> Judgement:
    """Say what becomes of a write whose proposal has expired."""
    expired = f"the proposal expired at {expires_at.isoformat()}"
    if write.attempts and not is_readable:
        words = f"{expired}; {_calls(write.attempts)} had no clear answer: look what the shop made of it"
        return Judgement(WriteState.FAILED, words)
    return Judgement(WriteState.EXPIRED, f"{expired}, before it was written")


def _again(calls: int, words: str) -> Judgement:
    if calls < MAX_CALLS:
        return Judgement(WriteState.QUEUED, f"{words}; the same call is made again")
    return Judgement(WriteState.FAILED, f"{words}; look at the shop and change the price by hand")


def _calls(calls: int) -> str:
    return "1 call" if calls == 1 else f"{calls} calls"


def _prices(write: PriceWrite) -> tuple[Money, Money]:
    return Money(write.expected_price, write.currency), Money(write.target_price, write.currency)


def next_try(now: datetime, tries: int) -> datetime:
    """Return when to try again after `tries` tries: 15 s, doubling, at most 15 minutes."""
    doubled: int = 2 ** min(max(tries - 1, 0), 10)
    return now + min(_FIRST_WAIT * doubled, _LONGEST_WAIT)


_FOR_A_PERSON = frozenset(
    {WriteState.FAILED, WriteState.CONFLICT, WriteState.UNKNOWN, WriteState.TARGET_GONE, WriteState.EXPIRED}
)


def is_for_a_person(state: WriteState) -> bool:
    """Say whether a write that ended so raises an alert: whoever approved it would expect otherwise."""
    return state in _FOR_A_PERSON

"""What the executor decides about one approved price: go, leave it, or ask a person.

Pure. The flow reads the shop, asks here, and records. The rails (`rails`) hold whatever a rule or a person said: they
are checked again at the moment of writing, against the price the shop has then.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum

from monitor.domain.action import ActionState, PriceWrite, WriteState
from monitor.domain.money import Money
from monitor.domain.rails import Rails, refusal, shop_changed
from monitor.domain.shop_price import CompareAtAction, ShopPrice

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


def classify(write: PriceWrite, current: ShopPrice | None) -> Verdict:
    """Compare exactly, currency and compare-at price included; 24.9 and 24.90 are one price, 24.904 is another.

    A compare-at price counts where the shop tells it and the decision knew it: a kept one must still be there, before
    the call and after it.
    """
    if current is None:
        return Verdict.GONE
    if current.price == Money(write.target_price, write.currency) and _has(current, *_wanted_compare_at(write)):
        return Verdict.NOOP
    if current.price != Money(write.expected_price, write.currency):
        return Verdict.CONFLICT
    is_as_decided = _has(current, write.is_compare_at_known, write.expected_compare_at)
    return Verdict.GO if is_as_decided else Verdict.CONFLICT


def _has(current: ShopPrice, is_asked: bool, compare_at: Decimal | None) -> bool:
    return not is_asked or not current.tells_compare_at or current.compare_at == compare_at


def _wanted_compare_at(write: PriceWrite) -> tuple[bool, Decimal | None]:
    if write.compare_at_action is CompareAtAction.KEEP:
        return write.is_compare_at_known, write.expected_compare_at
    return True, write.compare_at


@dataclass(frozen=True, slots=True)
class Judgement:
    """Where a write goes, and why, for whoever reads its record."""

    state: WriteState
    words: str


def judged(
    write: PriceWrite,
    current: ShopPrice | None,
    rails: Rails,
    objection: str | None = None,
    revision: str | None = None,
) -> Judgement:
    """Say what the shop's price before a write asks for; `calling` is the go-ahead.

    Args:
        objection: why this shop in particular would not do what is meant, if it would not.
        revision: the shop's mark of its last change before an earlier call of this write, when there was one.
    """
    verdict, new = classify(write, current), target_words(write)
    if current is None:
        return Judgement(
            WriteState.TARGET_GONE, "the shop does not have this product (in a price file: no row with its SKU)"
        )
    if verdict is Verdict.NOOP and write.attempts:
        return Judgement(WriteState.APPLIED, f"an earlier call took effect late: the shop has {new}")
    refused = shop_changed(write, current) or objection
    if refused:
        return Judgement(WriteState.FAILED, f"{refused}. Nothing was sent")
    if verdict is Verdict.NOOP:
        return Judgement(WriteState.APPLIED_NOOP, f"the shop had {new} already")
    refused = refusal(write, current, rails)
    if refused:
        return Judgement(WriteState.FAILED, f"{refused}. Nothing was sent")
    if verdict is Verdict.CONFLICT:
        words = f"the shop has {current}, but {expected_words(write)} was decided on; propose it again"
        return Judgement(WriteState.CONFLICT, words)
    if _was_touched(write, current, revision):
        return _touched(write)
    return Judgement(WriteState.CALLING, f"{expected_words(write)} to {new}")


def confirmed(write: PriceWrite, current: ShopPrice | None, answer: str) -> Judgement:
    """Say what reading back after a clear answer makes of a write. Only the new price confirms it.

    A shop that still shows the old price may be slow or may have stored nothing: that is unknown for now.
    """
    verdict = classify(write, current)
    if verdict is Verdict.NOOP:
        return Judgement(WriteState.APPLIED, f"the shop has {target_words(write)}")
    state = WriteState.CONFLICT if verdict is Verdict.CONFLICT else WriteState.UNKNOWN
    has = current or "no such product"
    return Judgement(state, f"not confirmed: the shop answered {answer!r}, but read back it has {has}")


def settled(write: PriceWrite, current: ShopPrice | None, revision: str | None = None) -> Judgement:
    """Say what reading the shop makes of an unknown write.

    `queued` asks for the same call again under the same key. `write.attempts` calls may have reached the shop;
    after `MAX_CALLS` of them a person is asked. So is one when the shop shows the old price but marks a change since
    our call: the call may have been taken and set back by somebody, and it must not be made a second time.

    Args:
        revision: the shop's mark of its last change before the call, where it has one.
    """
    verdict, calls = classify(write, current), write.attempts
    if verdict is Verdict.NOOP:
        return Judgement(WriteState.APPLIED, f"read after an unclear call: the shop has {target_words(write)}")
    if verdict is Verdict.CONFLICT:
        words = f"read after an unclear call: the shop has {current}, neither the old nor the new price"
        return Judgement(WriteState.CONFLICT, words)
    if verdict is Verdict.GONE:
        return Judgement(WriteState.TARGET_GONE, "read after an unclear call: the shop does not have this product")
    if _was_touched(write, current, revision):
        return _touched(write)
    return _again(calls, f"the shop still has {expected_words(write)} after {_calls(calls)}")


def _was_touched(write: PriceWrite, current: ShopPrice | None, revision: str | None) -> bool:
    """Say whether the shop marks a change since an earlier call of this write."""
    now = None if current is None else current.revision
    return write.attempts > 0 and None not in (revision, now) and revision != now


def _touched(write: PriceWrite) -> Judgement:
    words = (
        f"the shop has {expected_words(write)} and changed the product since our call: the price may have been taken "
        "and set back. It is not sent a second time; look, and decide again"
    )
    return Judgement(WriteState.CONFLICT, words)


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


def expected_words(write: PriceWrite) -> str:
    """Return the price that was decided on, with its compare-at price when that was known to be there."""
    beside = write.expected_compare_at if write.is_compare_at_known else None
    return _words(write, write.expected_price, beside)


def target_words(write: PriceWrite) -> str:
    """Return the approved price, with the compare-at price when that was decided too."""
    is_asked, beside = _wanted_compare_at(write)
    return _words(write, write.target_price, beside if is_asked else None)


def _words(write: PriceWrite, price: Decimal, compare_at: Decimal | None) -> str:
    beside = "" if compare_at is None else f", compare-at {Money(compare_at, write.currency)}"
    return f"{Money(price, write.currency)}{beside}"


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

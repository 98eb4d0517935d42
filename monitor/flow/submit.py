"""Stage submit: an approved price reaches the shop once, and what became of it is known or said to be unknown.

For each write that is due:

1. Claim it. Whoever else has it, or it is finished: nothing to do.
2. Past the proposal's time it is `expired` and not written.
3. Read the shop's price. Ours already: `applied_noop`. Neither ours nor the one that was decided on: `conflict`.
4. Commit the attempt, then send the absolute price under the write's key. A crash from here on leaves an attempt
   without an answer, which becomes `unknown` when its lease has passed.
5. Read back. Only a shop that shows the new price makes the write `applied`.

A failure before anything was sent is tried again under the same key, at growing intervals, until the proposal
expires. An `unknown` write is settled by reading after a quarantine: the new price is `applied`, the old one is sent
again under the same key (three calls at most, then `failed`), any other is `conflict`. A shop that cannot be read is
told again under the same key, which it must honour; the last clear answer counts. While writes are switched off,
steps 1 to 3 run once as a rehearsal and nothing is sent.

Exactly once means: at most one change at the shop for each approved version, verified by reading. Not promised:
that the shop keeps it, nor anything about what others do to the same price between reading and writing.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from monitor.domain.action import Action, PriceWrite, WriteState
from monitor.domain.message import Alert, AlertKind
from monitor.domain.money import Money, amount_text
from monitor.domain.plan import NightPlan
from monitor.domain.submit import (
    Judgement,
    confirmed,
    is_for_a_person,
    judged,
    next_try,
    rails_of,
    settled,
    too_late,
    unsettled,
)
from monitor.errors import CannotSucceed, LeaseLost, OutcomeUnknown, RetryLater
from monitor.ports.review import ProductGone, Shop, ShopConflict
from monitor.ports.store import Store, Unit
from monitor.ports.world import Clock

#: Longer than reading, calling and reading back may take together.
LEASE = timedelta(seconds=120)
#: When a write that met the hourly cap asks again.
CAP_WAIT = timedelta(minutes=5)
_HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Submitted:
    """What one round made of one write."""

    write_id: str
    sku: str
    state: WriteState  #: `queued` when it was given back for later
    words: str
    shop_is_silent: bool = False  #: the rest of the round waits too


@dataclass(frozen=True, slots=True)
class _Round:
    store: Store
    shop: Shop
    plan: NightPlan
    clock: Clock


@dataclass(frozen=True, slots=True)
class _Held:
    """A claimed write, its action, and when it was claimed by the store's clock."""

    write: PriceWrite
    action: Action
    now: datetime


def submit_due(
    store: Store, shop: Shop, plan: NightPlan, owner: str, clock: Clock, *, limit: int = 10
) -> tuple[Submitted, ...]:
    """Execute what is due, one write after the other; several processes may do so at once.

    Args:
        owner: names this worker in the claims.
        clock: the time at which a price was read, as recorded beside it.
        limit: writes of one round; a round stops early when the shop does not answer.

    Raises:
        StoreUnavailable: what was not committed is found again by a later round.
    """
    this = _Round(store, shop, plan, clock)
    with store.write() as unit:
        _give_up_lost(unit, limit)
        if plan.writes.enabled:
            unit.writes.release_dry_runs()
        due = unit.writes.due(limit)
    return tuple(_each(this, due, owner))


def _each(this: _Round, due: tuple[str, ...], owner: str) -> Iterator[Submitted]:
    for write_id in due:
        try:
            held = _claim(this, write_id, owner)
            result = held and _turn(this, held)
        except LeaseLost:
            continue  # whoever has it now decides; ours was too slow
        if result:
            yield result
        if result and result.shop_is_silent:
            return


def _give_up_lost(unit: Unit, limit: int) -> None:
    for write_id in unit.writes.lost(limit):
        write = unit.writes.get(write_id)
        action = write and unit.actions.get(write.action_id)
        if write and action and write.state is WriteState.UNKNOWN:
            _alert(unit, _Held(write, action, unit.now), Judgement(write.state, write.error or ""))


def _claim(this: _Round, write_id: str, owner: str) -> _Held | None:
    with this.store.write() as unit:
        write = unit.writes.claim(write_id, owner, LEASE)
        action = write and unit.actions.get(write.action_id)
        return _Held(write, action, unit.now) if write and action else None


def _turn(this: _Round, held: _Held) -> Submitted:
    write, proposal = held.write, held.action.proposal
    if write.state is WriteState.UNKNOWN:
        return _settle(this, held)
    if held.now >= proposal.expires_at:
        return _close(this, held, too_late(write, proposal.expires_at, is_readable=this.shop.reads))
    try:
        current = _current(this, write)
    except RetryLater as later:
        return _give_back(this, held, later)
    except CannotSucceed as refused:
        words = f"the shop's price cannot be read: {refused}"
        return _before_call(this, held, Judgement(WriteState.FAILED, words), {"read": None})
    judgement = judged(write, current, rails_of(proposal.facts, this.plan.writes.max_step_pct))
    return _before_call(this, held, judgement, _seen(this, current))


def _current(this: _Round, write: PriceWrite) -> Money | None:
    """Return the shop's price; for a shop that cannot be read, what it is expected to be: the shop itself compares."""
    if this.shop.reads:
        return this.shop.read(write.sku)
    return Money(write.expected_price, write.currency)


def _before_call(this: _Round, held: _Held, judgement: Judgement, before: dict[str, Any]) -> Submitted:
    if not this.plan.writes.enabled:
        would = {"would_be": judgement.state.value, "words": judgement.words}
        return _close(this, held, Judgement(WriteState.DRY_RUN, judgement.words), before=before, after=would)
    if judgement.state is not WriteState.CALLING:
        return _close(this, held, judgement, before=before)
    return _call(this, held, before)


def _call(this: _Round, held: _Held, before: dict[str, Any]) -> Submitted:
    with this.store.write() as unit:
        cap = this.plan.writes.hourly_cap
        if unit.writes.written_since(held.write.channel, unit.now - _HOUR) >= cap:
            return _capped(unit, held, cap)
        unit.writes.call(held.write, before, LEASE)
    try:
        answer = this.shop.write(held.write)
    except RetryLater as later:
        return _give_back(this, held, later)
    except ShopConflict as conflict:
        return _close(this, held, Judgement(WriteState.CONFLICT, str(conflict)), answer=str(conflict))
    except ProductGone as gone:
        return _close(this, held, Judgement(WriteState.TARGET_GONE, str(gone)), answer=str(gone))
    except CannotSucceed as refused:
        return _close(this, held, Judgement(WriteState.FAILED, str(refused)), answer=str(refused))
    except OutcomeUnknown as unclear:
        return _close(this, held, Judgement(WriteState.UNKNOWN, str(unclear)), answer=str(unclear))
    return _read_back(this, held, answer)


def _read_back(this: _Round, held: _Held, answer: str) -> Submitted:
    if not this.shop.reads:
        trusted = Judgement(WriteState.APPLIED, f"the shop answered {answer!r}; it cannot be read back")
        return _close(this, held, trusted, after=_seen(this, None), answer=answer)
    try:
        current = this.shop.read(held.write.sku)
    except (RetryLater, CannotSucceed) as failed:
        words = f"the shop answered {answer!r}, but reading back failed: {failed}"
        return _close(this, held, Judgement(WriteState.UNKNOWN, words), answer=answer)
    return _close(this, held, confirmed(held.write, current, answer), after=_seen(this, current), answer=answer)


def _settle(this: _Round, held: _Held) -> Submitted:
    if not this.shop.reads:
        return _settled(this, held, unsettled(held.write), None)
    try:
        current = this.shop.read(held.write.sku)
    except (RetryLater, CannotSucceed) as failed:
        return _still_unknown(this, held, failed)
    return _settled(this, held, settled(held.write, current), current)


def _settled(this: _Round, held: _Held, judgement: Judgement, current: Money | None) -> Submitted:
    if judgement.state is WriteState.QUEUED:
        with this.store.write() as unit:
            unit.writes.requeue(held.write, unit.now, judgement.words)
        return _result(held, judgement)
    return _close(this, held, judgement, after=_seen(this, current))


def _still_unknown(this: _Round, held: _Held, why: RetryLater | CannotSucceed) -> Submitted:
    judgement = Judgement(WriteState.UNKNOWN, f"still unknown, the shop cannot be read: {why}")
    with this.store.write() as unit:
        wait = next_try(unit.now, held.write.fence) - unit.now
        unit.writes.close(held.write, judgement.state, error=judgement.words, quarantine=wait)
    return _result(held, judgement, shop_is_silent=isinstance(why, RetryLater))


def _capped(unit: Unit, held: _Held, cap: int) -> Submitted:
    waits = Judgement(WriteState.QUEUED, f"the hourly cap of {cap} writes is reached; it waits")
    unit.writes.requeue(held.write, unit.now + CAP_WAIT, waits.words)
    channel, hour = held.write.channel, unit.now.replace(minute=0, second=0, microsecond=0).isoformat()
    said = f"{channel}: {cap} prices were written within an hour, the rest waits. Raise writes.hourly_cap if meant."
    unit.alerts.raise_once(Alert(f"write:cap:{channel}:{hour}", AlertKind.WRITE, None, said, unit.now))
    return _result(held, waits)


def _give_back(this: _Round, held: _Held, later: RetryLater) -> Submitted:
    with this.store.write() as unit:
        not_before = max(later.not_before or unit.now, next_try(unit.now, held.write.fence))
        unit.writes.requeue(held.write, not_before, str(later))
    return _result(held, Judgement(WriteState.QUEUED, str(later)), shop_is_silent=True)


def _close(
    this: _Round,
    held: _Held,
    judgement: Judgement,
    *,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
    answer: str | None = None,
) -> Submitted:
    state, alarming = judgement.state, is_for_a_person(judgement.state)
    error = judgement.words if alarming else None
    with this.store.write() as unit:
        unit.writes.close(held.write, state, before=before, after=after, error=error, answer=answer)
        if alarming:
            _alert(unit, held, judgement)
    return _result(held, judgement)


def _alert(unit: Unit, held: _Held, judgement: Judgement) -> None:
    write, proposal = held.write, held.action.proposal
    prices = f"{Money(write.expected_price, write.currency)} to {Money(write.target_price, write.currency)}"
    state = judgement.state.value
    words = f"{write.sku} ({proposal.title}), {prices}: {state.replace('_', ' ')}, {judgement.words}"
    unit.alerts.raise_once(Alert(f"write:{write.id}:{state}", AlertKind.WRITE, proposal.run_id, words, unit.now))


def _seen(this: _Round, current: Money | None) -> dict[str, Any]:
    if not this.shop.reads:
        return {"read": None}
    price = amount_text(current.amount, current.currency) if current else None
    currency = current.currency if current else None
    return {"price": price, "currency": currency, "read_at": this.clock.now().isoformat()}


def _result(held: _Held, judgement: Judgement, *, shop_is_silent: bool = False) -> Submitted:
    return Submitted(held.write.id, held.write.sku, judgement.state, judgement.words, shop_is_silent)

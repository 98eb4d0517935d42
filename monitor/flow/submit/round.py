"""One round over the writes that are due."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

from monitor.domain.action import WriteState
from monitor.domain.lock import WriteStop
from monitor.domain.money import Money
from monitor.domain.plan import NightPlan
from monitor.domain.rails import rails_of
from monitor.domain.shop_price import ShopPrice
from monitor.domain.submit import Judgement, confirmed, judged, settled, too_late, unsettled
from monitor.errors import CannotSucceed, LeaseLost, MonitorError, OutcomeUnknown, RetryLater
from monitor.flow.submit.record import (
    Held,
    Round,
    Submitted,
    alert,
    cap,
    close,
    close_in,
    give_back,
    rehearse,
    result,
    seen,
    still_unknown,
)
from monitor.ports.shop import ProductGone, Reading, Shop, ShopConflict
from monitor.ports.store import Store, Unit
from monitor.ports.world import Clock

#: Longer than reading, calling and reading back may take together.
LEASE = timedelta(seconds=120)
#: A worker that took longer than this to commit its attempts makes no call: it may have been declared dead meanwhile.
STALL = timedelta(seconds=30)
#: Writes of one round, unless the shop takes more of them together.
ROUND = 10
_HOUR = timedelta(hours=1)


def submit_due(
    store: Store, shop: Shop, plan: NightPlan, owner: str, clock: Clock, *, limit: int | None = None
) -> tuple[Submitted, ...]:
    """Execute what is due, in batches as large as the shop takes; several processes may do so at once.

    Args:
        owner: names this worker in the claims.
        clock: the time at which a price was read, as recorded beside it.
        limit: writes of one round, by default what goes well; a round stops early when the shop does not answer.

    Raises:
        StoreUnavailable: what was not committed is found again by a later round.
    """
    this, most = Round(store, shop, plan, clock), limit or max(ROUND, shop.max_batch)
    with store.write() as unit:
        _give_up_lost(unit, most)
        is_stopped = unit.holds.stop() is not None
        if plan.writes.enabled and not is_stopped:
            unit.writes.release_dry_runs()
        due = unit.writes.due(most, only_unknown=is_stopped)
    return tuple(_all(this, due, owner))


def _all(this: Round, due: Sequence[str], owner: str) -> Iterator[Submitted]:
    size = this.shop.max_batch
    for start in range(0, len(due), size):
        claimed = [held for each in due[start : start + size] if (held := _claim(this, each, owner)) is not None]
        results = [one for one in _turn(this, claimed) if one is not None]
        yield from results
        if any(one.shop_is_silent for one in results):
            return


def _give_up_lost(unit: Unit, limit: int) -> None:
    for write_id in unit.writes.lost(limit):
        write = unit.writes.get(write_id)
        action = write and unit.actions.get(write.action_id)
        if write and action and write.state is WriteState.UNKNOWN:
            alert(unit, Held(write, action, unit.now), Judgement(write.state, write.error or ""))


def _claim(this: Round, write_id: str, owner: str) -> Held | None:
    with this.store.write() as unit:
        write = unit.writes.claim(write_id, owner, LEASE)
        action = None if write is None else unit.actions.get(write.action_id)
        if write is None or action is None:
            return None
        lock = unit.holds.locks([write.sku]).get(write.sku)
        before = (unit.writes.before(write.id) or {}) if write.attempts else {}
        return Held(write, action, unit.now, lock.words if lock else None, before.get("revision"))


def _if_ours(record: Callable[..., Submitted], *given: Any, **named: Any) -> Submitted | None:
    """Record what became of a write, or nothing when another worker has it now: ours was too slow, that one decides."""
    try:
        return record(*given, **named)
    except LeaseLost:
        return None


def _turn(this: Round, claimed: Sequence[Held]) -> Iterator[Submitted | None]:
    """Settle what is unknown, close what may not be written, compare and call the rest together."""
    silence: RetryLater | None = None
    fresh = []
    for held in claimed:
        barred = _barred(this, held)
        if barred is not None:
            yield _if_ours(close, this, held, barred)
        elif held.write.state is WriteState.UNKNOWN:
            settling = _if_ours(_settle, this, held)
            silence = silence or (RetryLater(settling.words) if settling and settling.shop_is_silent else None)
            yield settling
        else:
            fresh.append(held)
    if silence is None:
        yield from _compared(this, fresh)
        return
    for held in fresh:
        yield _if_ours(give_back, this, held, silence)


def _barred(this: Round, held: Held) -> Judgement | None:
    """Say what ends a write without asking the shop."""
    write, proposal = held.write, held.action.proposal
    if write.channel != this.plan.writes.channel:
        words = (
            f"it was approved for the channel {write.channel}, and this installation writes to "
            f"{this.plan.writes.channel} now. Nothing was sent there"
        )
        return Judgement(WriteState.FAILED, words)
    if write.state is WriteState.UNKNOWN:
        return None
    if held.now >= proposal.expires_at:
        return too_late(write, proposal.expires_at, is_readable=this.shop.reads)
    return None


def _compared(this: Round, helds: Sequence[Held]) -> Iterator[Submitted | None]:
    if not helds:
        return
    try:
        readings = _readings(this, helds)
    except RetryLater as later:
        yield from (_if_ours(give_back, this, held, later) for held in helds)
        return
    ready = []
    for held in helds:
        if held.write.sku not in readings:
            yield _if_ours(give_back, this, held, RetryLater("the shop's answer does not mention this product"))
            continue
        reading = readings[held.write.sku]
        judgement = _judged(this, held, reading)
        before = {"read": None} if isinstance(reading, CannotSucceed) else seen(this, reading)
        if not this.plan.writes.enabled:
            yield _if_ours(rehearse, this, held, judgement, before)
        elif judgement.state is WriteState.CALLING:
            ready.append((held, before))
        else:
            yield _if_ours(close, this, held, judgement, before=before)
    yield from _call(this, ready)


def _readings(this: Round, helds: Iterable[Held]) -> Mapping[str, Reading]:
    """Return the shop's prices; of a shop that cannot be read the expected ones: there the shop itself compares."""
    writes = [held.write for held in helds]
    if this.shop.reads:
        return this.shop.read_many([write.sku for write in writes])
    return {write.sku: ShopPrice(Money(write.expected_price, write.currency)) for write in writes}


def _judged(this: Round, held: Held, reading: Reading) -> Judgement:
    if held.locked:
        return Judgement(WriteState.FAILED, f"{held.locked}. Nothing was sent")
    if isinstance(reading, CannotSucceed):
        return Judgement(WriteState.FAILED, f"the shop's price cannot be read: {reading}")
    rails = rails_of(held.action.proposal.facts, this.plan.writes.max_step_pct)
    objection = None if reading is None else this.shop.objection(held.write, reading)
    return judged(held.write, reading, rails, objection, held.revision)


def _call(this: Round, ready: Sequence[tuple[Held, dict[str, Any]]]) -> Iterator[Submitted | None]:
    if not ready:
        return
    started = this.clock.now()
    called, others = _attempts(this, ready)
    yield from others
    if not called:
        return
    if this.clock.now() - started > STALL:
        slow = RetryLater("this worker was stopped before it could call the shop")
        yield from (_if_ours(give_back, this, held, slow) for held in called)
        return
    answers = this.shop.write_many([held.write for held in called])
    taken: list[tuple[Held, str]] = []
    for held in called:
        answer = answers.get(held.write.id, OutcomeUnknown("the shop's answer does not mention this product"))
        if isinstance(answer, str):
            taken.append((held, answer))
        else:
            yield _if_ours(_not_taken, this, held, answer)
    yield from _read_back(this, taken)


def _attempts(this: Round, ready: Sequence[tuple[Held, dict[str, Any]]]) -> tuple[list[Held], list[Submitted]]:
    """Commit an attempt for each write that may be called now; return these, and what became of the others.

    The kill switch, the locks and the cap are asked in the same transaction. In order of action, as decisions are.
    """
    called: list[Held] = []
    others: list[Submitted] = []
    rules = this.plan.writes
    with this.store.write() as unit:
        stop, locks = unit.holds.stop(), unit.holds.locks(held.write.sku for held, _ in ready)
        room = rules.hourly_cap - unit.writes.written_since(rules.channel, unit.now - _HOUR)
        for held, before in sorted(ready, key=lambda one: one[0].write.action_id):
            lock = locks.get(held.write.sku)
            try:
                if stop is not None:
                    others.append(_stopped(unit, held, stop))
                elif lock is not None:
                    judgement = Judgement(WriteState.FAILED, f"{lock.words}. Nothing was sent")
                    close_in(unit, held, judgement, before=before)
                    others.append(result(held, judgement))
                elif room <= 0:
                    others.append(cap(unit, held, rules.hourly_cap))
                else:
                    unit.writes.call(held.write, before, LEASE)
                    called.append(held)
                    room -= 1
            except LeaseLost:
                continue
    return called, others


def _stopped(unit: Unit, held: Held, stop: WriteStop) -> Submitted:
    why = f" ({stop.reason})" if stop.reason else ""
    waits = Judgement(WriteState.QUEUED, f"{stop.by} stopped all writes{why}; it waits")
    unit.writes.requeue(held.write, unit.now, waits.words)
    return result(held, waits)


def _not_taken(this: Round, held: Held, answer: MonitorError) -> Submitted:
    """Record a write that the shop did not take, or of which that is not known. Raises LeaseLost."""
    if isinstance(answer, RetryLater):
        return give_back(this, held, answer)
    state = WriteState.UNKNOWN
    if isinstance(answer, ShopConflict):
        state = WriteState.CONFLICT
    elif isinstance(answer, ProductGone):
        state = WriteState.TARGET_GONE
    elif isinstance(answer, CannotSucceed):
        state = WriteState.FAILED
    return close(this, held, Judgement(state, str(answer)), answer=str(answer))


def _read_back(this: Round, taken: Sequence[tuple[Held, str]]) -> Iterator[Submitted | None]:
    if not taken:
        return
    try:
        readings = this.shop.read_many([held.write.sku for held, _ in taken]) if this.shop.reads else {}
    except RetryLater as failed:
        readings = {held.write.sku: CannotSucceed(str(failed)) for held, _ in taken}
    for held, answer in taken:
        reading = readings.get(held.write.sku, CannotSucceed("the shop's answer does not mention this product"))
        yield _if_ours(_confirmed, this, held, answer, reading)


def _confirmed(this: Round, held: Held, answer: str, reading: Reading) -> Submitted:
    if not this.shop.reads:
        trusted = Judgement(WriteState.APPLIED, f"the shop answered {answer!r}; it cannot be read back")
        return close(this, held, trusted, after=seen(this, None), answer=answer)
    if isinstance(reading, CannotSucceed):
        words = f"the shop answered {answer!r}, but reading back failed: {reading}"
        return close(this, held, Judgement(WriteState.UNKNOWN, words), answer=answer)
    return close(this, held, confirmed(held.write, reading, answer), after=seen(this, reading), answer=answer)


def _settle(this: Round, held: Held) -> Submitted:
    """Find out by reading what became of an unknown write. Raises LeaseLost."""
    if not this.shop.reads:
        return _settled(this, held, unsettled(held.write), None)
    try:
        current = this.shop.read(held.write.sku)
    except (RetryLater, CannotSucceed) as failed:
        return still_unknown(this, held, failed)
    return _settled(this, held, settled(held.write, current, held.revision), current)


def _settled(this: Round, held: Held, judgement: Judgement, current: ShopPrice | None) -> Submitted:
    if judgement.state is WriteState.QUEUED:
        with this.store.write() as unit:
            unit.writes.requeue(held.write, unit.now, judgement.words)
        return result(held, judgement)
    return close(this, held, judgement, after=seen(this, current))

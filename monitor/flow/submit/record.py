"""Putting down what became of a claimed write, in one transaction each, and telling a person where one must act."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from monitor.domain.action import Action, PriceWrite, WriteState
from monitor.domain.message import Alert, AlertKind
from monitor.domain.money import Money, amount_text
from monitor.domain.plan import NightPlan
from monitor.domain.shop_price import ShopPrice
from monitor.domain.submit import Judgement, is_for_a_person, next_try
from monitor.errors import CannotSucceed, RetryLater
from monitor.ports.shop import AccessRefused, Shop
from monitor.ports.store import Store, Unit
from monitor.ports.world import Clock

#: When a write that met the hourly cap asks again.
CAP_WAIT = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Submitted:
    """What one round made of one write."""

    write_id: str
    sku: str
    state: WriteState  #: `queued` when it was given back for later
    words: str
    shop_is_silent: bool = False  #: the rest of the round waits too


@dataclass(frozen=True, slots=True)
class Round:
    """What one round works with."""

    store: Store
    shop: Shop
    plan: NightPlan
    clock: Clock


@dataclass(frozen=True, slots=True)
class Held:
    """A claimed write, its action, and when it was claimed by the store's clock."""

    write: PriceWrite
    action: Action
    now: datetime
    locked: str | None = None  #: who locked the product, in words
    revision: str | None = None  #: the shop's mark of its last change before an earlier call of this write


def close(
    this: Round,
    held: Held,
    judgement: Judgement,
    *,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
    answer: str | None = None,
) -> Submitted:
    """Close a write, and raise an alert when whoever approved it would expect otherwise. Raises LeaseLost."""
    with this.store.write() as unit:
        close_in(unit, held, judgement, before=before, after=after, answer=answer)
    return result(held, judgement)


def close_in(
    unit: Unit,
    held: Held,
    judgement: Judgement,
    *,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
    answer: str | None = None,
) -> None:
    """Close a write in a transaction that does more. Raises LeaseLost."""
    alarming = is_for_a_person(judgement.state)
    error = judgement.words if alarming else None
    unit.writes.close(held.write, judgement.state, before=before, after=after, error=error, answer=answer)
    if alarming:
        alert(unit, held, judgement)


def rehearse(this: Round, held: Held, judgement: Judgement, before: dict[str, Any]) -> Submitted:
    """Record what would be written if writes were on. Raises LeaseLost."""
    write = held.write
    would: dict[str, Any] = {"would_be": judgement.state.value, "words": judgement.words}
    if judgement.state is WriteState.CALLING:
        would["would_write"] = {
            "price": amount_text(write.target_price, write.currency),
            "currency": write.currency,
            "compare_at": write.compare_at_change.as_json(write.currency),
        }
    return close(this, held, Judgement(WriteState.DRY_RUN, judgement.words), before=before, after=would)


def give_back(this: Round, held: Held, later: RetryLater) -> Submitted:
    """Queue a write again under its key: the shop was certainly not changed. Raises LeaseLost."""
    with this.store.write() as unit:
        not_before = max(later.not_before or unit.now, next_try(unit.now, held.write.fence))
        unit.writes.requeue(held.write, not_before, str(later))
        if isinstance(later, AccessRefused):
            _alert_access(unit, held.write.channel, later)
    return result(held, Judgement(WriteState.QUEUED, str(later)), shop_is_silent=True)


def still_unknown(this: Round, held: Held, why: RetryLater | CannotSucceed) -> Submitted:
    """Leave a write unknown while the shop cannot be read. Raises LeaseLost."""
    judgement = Judgement(WriteState.UNKNOWN, f"still unknown, the shop cannot be read: {why}")
    with this.store.write() as unit:
        wait = next_try(unit.now, held.write.fence) - unit.now
        unit.writes.close(held.write, judgement.state, error=judgement.words, quarantine=wait)
        if isinstance(why, AccessRefused):
            _alert_access(unit, held.write.channel, why)
    return result(held, judgement, shop_is_silent=isinstance(why, RetryLater))


def cap(unit: Unit, held: Held, most: int) -> Submitted:
    """Let a write wait because enough was written within the hour. Raises LeaseLost."""
    waits = Judgement(WriteState.QUEUED, f"the hourly cap of {most} writes is reached; it waits")
    unit.writes.requeue(held.write, unit.now + CAP_WAIT, waits.words)
    channel, hour = held.write.channel, unit.now.replace(minute=0, second=0, microsecond=0).isoformat()
    said = f"{channel}: {most} prices were written within an hour, the rest waits. Raise writes.hourly_cap if meant."
    unit.alerts.raise_once(Alert(f"write:cap:{channel}:{hour}", AlertKind.WRITE, None, said, unit.now))
    return result(held, waits)


def alert(unit: Unit, held: Held, judgement: Judgement) -> None:
    """Tell of a write that did not go as approved, once for each state."""
    write, proposal = held.write, held.action.proposal
    prices = f"{Money(write.expected_price, write.currency)} to {Money(write.target_price, write.currency)}"
    state = judgement.state.value
    words = f"{write.sku} ({proposal.title}), {prices}: {state.replace('_', ' ')}, {judgement.words}"
    unit.alerts.raise_once(Alert(f"write:{write.id}:{state}", AlertKind.WRITE, proposal.run_id, words, unit.now))


def _alert_access(unit: Unit, channel: str, refused: AccessRefused) -> None:
    words = (
        f"{channel}: the shop does not let the monitor in ({refused}). Approved prices wait until it does, or until "
        "their proposals expire. Check the credentials with: monitor doctor"
    )
    unit.alerts.raise_once(Alert(f"write:access:{channel}:{unit.now:%Y-%m-%d}", AlertKind.WRITE, None, words, unit.now))


def seen(this: Round, current: ShopPrice | None) -> dict[str, Any]:
    """Return what the record keeps of a reading."""
    if not this.shop.reads:
        return {"read": None}
    told: Mapping[str, Any] = {"price": None, "currency": None} if current is None else current.as_json()
    return {**told, "read_at": this.clock.now().isoformat()}


def result(held: Held, judgement: Judgement, *, shop_is_silent: bool = False) -> Submitted:
    """Return what became of a write, for whoever runs the round."""
    return Submitted(held.write.id, held.write.sku, judgement.state, judgement.words, shop_is_silent)

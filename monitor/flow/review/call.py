"""Answers the signed call of a program that decides: the same decision again gets the same answer, another one 409.

An answer is made from the recorded decisions alone, not from what happens to the price afterwards, so that a repeat is
word for word what the first call got, also when it comes under another id. A call of which only some rows could be
decided is repeated like any other: the rest is tried again. The same id that leaves out or turns around what it decided
before is a contradiction and decides nothing.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from monitor.domain.action import Action, Actor, Decision, Verb
from monitor.domain.money import plain_amount
from monitor.domain.plan import NightPlan
from monitor.domain.review import Choice, RowOutcome, RowResult
from monitor.flow.review.decide import decided
from monitor.ports.store import Store, Unit


@dataclass(frozen=True, slots=True)
class Asked:
    """One decision that a call asks for; the action by its key or its number."""

    action: str | int
    version: int
    verb: Verb
    price: str | None = None
    reason: str | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """A call whose signature was right."""

    id: str  #: `webhook-id`, the same on every try
    asked: tuple[Asked, ...]


@dataclass(frozen=True, slots=True)
class CallAnswer:
    """An HTTP status and what is said, as JSON values."""

    status: int
    body: dict[str, Any]


_STATUS = {
    RowOutcome.DECIDED: 200,
    RowOutcome.ALREADY: 409,
    RowOutcome.STALE: 409,
    RowOutcome.EXPIRED: 410,
    RowOutcome.REFUSED: 422,
}


def answer_call(store: Store, plan: NightPlan, actor: Actor, call: Call) -> CallAnswer:
    """Decide what a call asks for, once, in one transaction."""
    batch = f"call-{hashlib.sha256(repr((actor.name, call.id)).encode()).hexdigest()[:32]}"
    with store.write() as unit:
        found = [_found(unit, asked.action) for asked in call.asked]
        if _contradicts(unit.actions.batch(batch), call.asked, found):
            words = f"{call.id} asked for other decisions before; those stand and nothing was changed."
            return CallAnswer(409, {"error": words})
        pairs = enumerate(zip(call.asked, found, strict=True))
        choices = [_choice(place, asked, action) for place, (asked, action) in pairs]
        if len({choice.action_id for choice in choices}) != len(choices):
            return CallAnswer(422, {"error": "One action is in the call twice. Nothing was changed."})
        if twice := _approved_twice(call.asked, found):
            words = f"{twice} would be approved twice, and of two prices only one can stand. Nothing was changed."
            return CallAnswer(422, {"error": words})
        results = decided(unit, plan, replace(actor, nonce=call.id), choices, batch)
        rows = [_row(unit, *each) for each in zip(call.asked, found, results, strict=True)]
    statuses = {status for status, _ in rows}
    status = statuses.pop() if len(statuses) == 1 else 409
    return CallAnswer(status, {"results": [row for _, row in rows]})


def _found(unit: Unit, named: str | int) -> Action | None:
    return unit.actions.get(named) if isinstance(named, int) else unit.actions.find(named)


def _choice(place: int, asked: Asked, action: Action | None) -> Choice:
    """Return the choice about the version that was named, as it is stored; an unknown action is refused."""
    if action is None:
        return Choice(-1 - place, asked.version, "", asked.verb)  # a number that nothing has
    return Choice(
        action.id, asked.version, action.content_hash, asked.verb, asked.reason, until=asked.until, price=asked.price
    )


def _approved_twice(asked: Sequence[Asked], found: Sequence[Action | None]) -> str | None:
    """Return the SKU of a product of which the call approves two proposals, for one shop."""
    seen: set[tuple[str, str]] = set()
    for each, action in zip(asked, found, strict=True):
        if action is None or each.verb is not Verb.APPROVE:
            continue
        product = (action.proposal.channel, action.proposal.sku)
        if product in seen:
            return action.proposal.sku
        seen.add(product)
    return None


def _contradicts(earlier: Sequence[Decision], asked: Sequence[Asked], found: Sequence[Action | None]) -> bool:
    """Say whether this id decided before what it does not ask for now; rows that were refused then left no decision."""
    wanted = {(action.id, each.verb) for each, action in zip(asked, found, strict=True) if action is not None}
    return not {(one.action_id, one.verb) for one in earlier} <= wanted


def _row(unit: Unit, asked: Asked, action: Action | None, result: RowResult) -> tuple[int, dict[str, Any]]:
    """Return the status and the JSON of one row, from the decision that stands for it."""
    if action is None:
        return 404, {"action": asked.action, "error": "There is no such action."}
    shown: dict[str, Any] = {"action": action.proposal.action_key, "id": action.id, "version": asked.version}
    standing = next((one for one in reversed(unit.actions.decisions(action.id)) if _is_of(one, asked)), None)
    if standing is not None and _is_same(standing, asked):
        return 200, shown | _told(standing)
    status = _STATUS[result.outcome]
    told = {} if standing is None else {"stands": _told(standing)}
    return status, shown | {"outcome": result.outcome.value, "error": result.words} | told


def _is_of(decision: Decision, asked: Asked) -> bool:
    """Say whether a decision is about the version that was named; an edited price is decided as the next one."""
    amended = decision.figures.get("facts", {}).get("amended") or {}
    edited_from = amended.get("from_version") if amended.get("how") == "edited" else None
    return asked.version in (decision.version, edited_from)


def _is_same(decision: Decision, asked: Asked) -> bool:
    if decision.verb is not asked.verb:
        return False
    if asked.price is None:
        return decision.version == asked.version
    return _amount(decision.figures["new_price"]) == _amount(asked.price)


def _amount(text: str) -> Decimal | None:
    try:
        return plain_amount(text)
    except ValueError:
        return None


def _told(decision: Decision) -> dict[str, Any]:
    figures = decision.figures
    return {
        "decision": decision.verb.value,
        "by": decision.actor.name,
        "at": decision.decided_at.isoformat(),
        "sku": figures["sku"],
        "currency": figures["currency"],
        "old_price": figures["old_price"],
        "new_price": figures["new_price"],
    }

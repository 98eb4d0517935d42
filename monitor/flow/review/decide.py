"""Decides rows, each once: the one function behind every way to decide."""

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from monitor.domain.action import Action, ActionState, Actor, Verb, WriteState
from monitor.domain.amend import PriceRefused, edited, renewed, reverted, typed_price
from monitor.domain.money import Money, plain_amount
from monitor.domain.plan import NightPlan
from monitor.domain.review import (
    MAX_REASON,
    STATE_WORDS,
    UNAPPROVED,
    Choice,
    RowOutcome,
    RowResult,
    evidence_too_old,
    explained,
    figures_words,
    not_with_others,
    passes_first,
    put_off_problem,
)
from monitor.ports.store import Store, Unit


def decide(
    store: Store, plan: NightPlan, actor: Actor, choices: Sequence[Choice], *, batch: str | None = None
) -> tuple[RowResult, ...]:
    """Decide these rows in one transaction; the results are in the order of the choices.

    Args:
        batch: names the decisions that belong together; by default a new one.
    """
    with store.write() as unit:
        return decided(unit, plan, actor, choices, batch or new_batch())


def new_batch() -> str:
    """Return the name of a new batch of decisions, not to be guessed."""
    return secrets.token_urlsafe(12)


def decided(unit: Unit, plan: NightPlan, actor: Actor, choices: Sequence[Choice], batch: str) -> tuple[RowResult, ...]:
    """Decide in order of action, so that two posts about the same rows never wait for each other in a circle.

    The rows are looked up together; whether one still stands as it was looked up is asked by each update.
    """
    in_order = sorted(choices, key=lambda choice: choice.action_id)
    approved = sum(choice.verb is Verb.APPROVE for choice in choices)
    known = unit.actions.several(choice.action_id for choice in choices)
    results = {
        choice.action_id: _row(unit, plan, actor, known.get(choice.action_id), choice, batch, approved)
        for choice in in_order
    }
    return tuple(_as_it_ended(unit, [results[choice.action_id] for choice in choices]))


def _as_it_ended(unit: Unit, results: Sequence[RowResult]) -> Iterator[RowResult]:
    """Yield the results as all of them together left the rows: of two about one product the later replaces one."""
    after = unit.actions.several(result.action_id for result in results if result.outcome is RowOutcome.DECIDED)
    for result in results:
        action = after.get(result.action_id)
        if action is None or action.state is not ActionState.SUPERSEDED:
            yield result
            continue
        words = (
            f"Not kept: proposal {action.superseded_by} is about the same product, was decided with it and replaces it."
        )
        yield replace(result, outcome=RowOutcome.REFUSED, words=words)


def _row(
    unit: Unit, plan: NightPlan, actor: Actor, action: Action | None, choice: Choice, batch: str, approved: int
) -> RowResult:
    if action is None:
        words = f"There is no proposal {choice.action_id}."
        return RowResult(choice.action_id, "", choice.verb, RowOutcome.REFUSED, words)
    if choice.verb is Verb.CANCEL:
        return _taken_back(unit, actor, action, choice, batch)
    if choice.verb is Verb.REVERT:
        return _given_back(unit, plan, actor, action, choice, batch)
    if choice.verb is Verb.RENEW:
        return _renewed(unit, plan, actor, action, choice, batch)
    if choice.verb is Verb.APPROVE and is_as_seen(action, choice) and (why := not_with_others(action, actor, approved)):
        return _result(action, choice, RowOutcome.REFUSED, why)
    return _answered(unit, plan, actor, action, choice, batch)


def _answered(unit: Unit, plan: NightPlan, actor: Actor, action: Action, choice: Choice, batch: str) -> RowResult:
    """Approve, reject or put off a row as it was seen."""
    seen = replace(action, version=choice.version, content_hash=choice.content_hash)
    if choice.verb is Verb.SNOOZE and (problem := put_off_problem(choice, unit.now)):
        return _result(action, choice, RowOutcome.REFUSED, f"Nothing changed: {problem}.")
    if choice.verb is Verb.APPROVE and (problem := evidence_too_old(action, plan.review, unit.now)):
        return _result(action, choice, RowOutcome.REFUSED, problem)
    if choice.price is not None and is_as_seen(action, choice):
        try:
            amended = _at_another_price(unit, plan, actor, action, choice.price)
        except PriceRefused as refused:
            return _result(action, choice, RowOutcome.REFUSED, f"Nothing changed: {refused}.")
        if amended is None:
            return _not_decided(unit, action, choice)
        seen = action = amended
    reason = (choice.reason or "").strip()[:MAX_REASON] or None
    if not unit.actions.decide(seen, choice.verb, actor, batch=batch, reason=reason, until=choice.until):
        return _not_decided(unit, action, choice)
    if choice.verb is Verb.APPROVE:
        unit.writes.queue(action, not_before=unit.now + plan.writes.undo_window, dry_run=not plan.writes.enabled)
    words = f"{_DONE[choice.verb]}: {figures_words(action)}."
    if choice.verb is Verb.SNOOZE and choice.until is not None and choice.until >= action.proposal.expires_at:
        words += f" {passes_first(action, plan.schedule.zone)}"
    return _result(action, choice, RowOutcome.DECIDED, words, by=actor.name, at=unit.now)


_DONE = {Verb.APPROVE: "Approved", Verb.REJECT: "Rejected", Verb.SNOOZE: "Put off"}


def is_as_seen(action: Action, choice: Choice) -> bool:
    """Say whether a row still waits exactly as it was shown."""
    is_same = (action.version, action.content_hash) == (choice.version, choice.content_hash)
    return is_same and action.state is ActionState.PENDING


def _at_another_price(unit: Unit, plan: NightPlan, actor: Actor, action: Action, typed: str) -> Action | None:
    """Return the next version at the typed price, the action itself at its own, None when it has moved on.

    Raises:
        PriceRefused: outside what may be approved.
    """
    if typed_is_proposed(typed, action):
        return action
    price = typed_price(typed, action, plan)
    return unit.actions.amend(action, edited(action, price, actor))


def typed_is_proposed(typed: str, action: Action) -> bool:
    """Say whether somebody typed the price that is proposed anyway."""
    try:
        return plain_amount(typed) == action.proposal.new_price
    except ValueError:
        return False


def _taken_back(unit: Unit, actor: Actor, action: Action, choice: Choice, batch: str) -> RowResult:
    """Cancel an approval whose write has not started. The write is asked first: it says whether there is time."""
    if not unit.writes.cancel(action.id, choice.version):
        return _not_taken_back(unit, action, choice)
    seen = replace(action, version=choice.version)
    if not unit.actions.decide(seen, Verb.CANCEL, actor, batch=batch, reason=choice.reason, until=None):
        raise RuntimeError(f"action {action.id}: its write was waiting but it was {action.state}; nothing was changed")
    words = f"Taken back before it reached the shop, which keeps its price ({figures_words(action)} was approved)."
    return _result(action, choice, RowOutcome.DECIDED, words, by=actor.name, at=unit.now)


def _not_taken_back(unit: Unit, action: Action, choice: Choice) -> RowResult:
    current = unit.actions.get(action.id) or action
    if current.state is ActionState.CANCELLED:
        return _not_decided(unit, current, choice)
    was_approved = current.state not in UNAPPROVED
    start = "Too late to take back" if was_approved else "There is nothing to take back"
    return _result(current, choice, RowOutcome.REFUSED, f"{start}. {STATE_WORDS[current.state]}.")


def _given_back(unit: Unit, plan: NightPlan, actor: Actor, action: Action, choice: Choice, batch: str) -> RowResult:
    """Propose the price from before an applied change, and approve it at once: whoever asks for it decides it."""
    if action.state is not ActionState.APPLIED or action.version != choice.version:
        words = f"There is no applied price to give back. {STATE_WORDS[action.state]}."
        return _result(action, choice, RowOutcome.REFUSED, words)
    if (later := _applied_later(unit, action)) is not None:
        words = f"A later change was applied: {figures_words(later)} (proposal {later.id}). Give that one back first."
        return _result(action, choice, RowOutcome.REFUSED, words)
    write = next((each for each in unit.writes.of_action(action.id) if each.version == action.version), None)
    before = unit.writes.before(write.id) if write is not None else None
    proposal = reverted(action, before or {}, actor, expires_at=unit.now + plan.review.proposal_lifetime)
    if proposal is None:
        words = "What the shop charged before is not known, so it cannot be given back. Set the price in the shop."
        return _result(action, choice, RowOutcome.REFUSED, words)
    new, is_new = unit.actions.propose(proposal)
    if not is_new:
        last = next(iter(unit.actions.decisions(new.id)), None)
        words = f"The old price was asked for before: {figures_words(new)}. {STATE_WORDS[new.state]}."
        at = last.decided_at if last else None
        return _result(action, choice, RowOutcome.ALREADY, words, by=last.actor.name if last else None, at=at)
    unit.actions.supersede(new)
    unit.actions.note(action, Verb.REVERT, actor, batch=batch, reason=choice.reason)
    if not unit.actions.decide(new, Verb.APPROVE, actor, batch=batch, reason=choice.reason, until=None):
        raise RuntimeError(f"action {new.id} was proposed in this transaction and cannot be decided")
    unit.writes.queue(new, not_before=unit.now + plan.writes.undo_window, dry_run=not plan.writes.enabled)
    words = f"The old price is approved again: {figures_words(new)}."
    return _result(new, choice, RowOutcome.DECIDED, words, by=actor.name, at=unit.now)


def _applied_later(unit: Unit, action: Action) -> Action | None:
    """Return the newest change of the product when it is another one and left another price in the shop.

    None when this one was given back before: that is what is told then.
    """
    shown = action.proposal
    of_product = [one for one in unit.actions.of_sku(shown.sku) if one.proposal.channel == shown.channel]
    if any(one.proposal.facts.get("revert_of") == action.id for one in of_product):
        return None
    reached = [one for one in of_product if one.state in (ActionState.APPLIED, ActionState.APPLIED_NOOP)]
    newest = max(reached, key=lambda one: (one.decided_at or one.created_at, one.id), default=action)
    return newest if newest.id != action.id and newest.proposal.new_price != shown.new_price else None


def _renewed(unit: Unit, plan: NightPlan, actor: Actor, action: Action, choice: Choice, batch: str) -> RowResult:
    """Propose the same target on top of what the shop charges now; it needs a decision of its own."""
    is_same = (action.version, action.content_hash) == (choice.version, choice.content_hash)
    if not is_same or action.state not in (ActionState.PENDING, ActionState.CONFLICT):
        return _not_decided(unit, action, choice)
    current = _price_now(unit, action, choice)
    if current is None:
        words = (
            "What the shop charges now is not known yet, so nothing was changed. It is read while the review page is "
            "open, and when a write meets another price; try again a minute after."
        )
        return _result(action, choice, RowOutcome.REFUSED, words)
    proposal = renewed(action, current, actor, expires_at=unit.now + plan.review.proposal_lifetime)
    if proposal is None:
        words = f"The shop charges {current} now; there is nothing to propose from there."
        return _result(action, choice, RowOutcome.REFUSED, words)
    unit.actions.note(action, Verb.RENEW, actor, batch=batch, reason=choice.reason)
    new = unit.actions.amend(action, proposal, old=action.state)
    if new is None:
        raise RuntimeError(f"action {action.id} was {action.state} in this transaction and cannot be amended")
    words = f"Proposed afresh: {figures_words(new)}. It waits for your decision."
    return _result(new, choice, RowOutcome.DECIDED, words, by=actor.name, at=unit.now)


def _price_now(unit: Unit, action: Action, choice: Choice) -> Money | None:
    """Return what the shop charges: as it was read for the page, or right before the write that met another price."""
    if choice.price is not None:
        return Money(plain_amount(choice.price), action.proposal.currency)
    writes = [each for each in unit.writes.of_action(action.id) if each.version == action.version]
    before = unit.writes.before(writes[-1].id) if writes and writes[-1].state is WriteState.CONFLICT else None
    if not before or before.get("price") is None:
        return None
    return Money(plain_amount(str(before["price"])), str(before["currency"]))


def _not_decided(unit: Unit, action: Action, choice: Choice) -> RowResult:
    current = unit.actions.get(action.id) or action
    return explained(current, choice, unit.actions.decisions(action.id), unit.now)


def _result(
    action: Action,
    choice: Choice,
    outcome: RowOutcome,
    words: str,
    *,
    by: str | None = None,
    at: datetime | None = None,
) -> RowResult:
    return RowResult(action.id, action.proposal.sku, choice.verb, outcome, words, by, at)

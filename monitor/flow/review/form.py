"""Answers a form behind a link, once: the hurdles in front of a decision, and the same answer to a repeat."""

from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal
from enum import StrEnum

from monitor.domain.access import AccessEvent, AccessEventKind
from monitor.domain.action import Action, Actor, Verb
from monitor.domain.amend import PriceRefused, edited, reverted, typed_price
from monitor.domain.message import Alert, AlertKind
from monitor.domain.plan import NightPlan
from monitor.domain.review import Choice, RowResult, needs_code, put_off_problem, row_result
from monitor.flow.review.decide import decided, is_as_seen, new_batch, typed_is_proposed
from monitor.flow.review.links import is_over, is_review
from monitor.ports.review import Link, Signer
from monitor.ports.store import Store, Unit

#: So many wrong codes lock a link for so long.
CODE_TRIES = 5
CODE_LOCK = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Form:
    """What came back from a review page."""

    nonce: str
    choices: tuple[Choice, ...]
    code: str = ""


class Hurdle(StrEnum):
    """Why a form was not looked at row by row."""

    OVER = "over"  #: the link is expired or revoked
    NOT_SHOWN = "not_shown"  #: its number was not issued here or is past its time
    TOO_QUICK = "too_quick"  #: it comes back sooner than a person reads it
    NOTHING_CHOSEN = "nothing_chosen"  #: no row was chosen
    CODE_MISSING = "code_missing"  #: the change is large and no code was entered
    CODE_WRONG = "code_wrong"  #: another code
    LOCKED = "locked"  #: too many wrong codes
    BAD_ENTRY = "bad_entry"  #: a price or a date that was typed cannot be taken; `words` say why


@dataclass(frozen=True, slots=True)
class FormAnswer:
    """What became of a form: results under a batch, or the hurdle at which it stopped."""

    results: tuple[RowResult, ...] = ()
    batch: str | None = None
    is_repeat: bool = False
    is_changed: bool = False  #: a repeat that chose otherwise than the first time; the first decisions stand
    hurdle: Hurdle | None = None
    tries_left: int | None = None
    words: str | None = None


def answer_form(
    store: Store, signer: Signer, plan: NightPlan, link_id: str, form: Form, actor: Actor, *, min_age: timedelta
) -> FormAnswer:
    """Decide what a form asks for, once.

    Args:
        actor: whoever is signed in (`session` is set), else the address that the link was sent to.
        min_age: a form that comes back sooner was not read by a person.

    A wrong code is counted even though nothing is decided: the answer is a value, so the count is committed.
    """
    digest = signer.digest(form.nonce)
    with store.write() as unit:
        link = unit.links.get(link_id)
        if link is None or not is_review(link):
            return FormAnswer(hurdle=Hurdle.OVER)
        unit.links.posted(link.id)
        earlier = unit.links.spent(link.id, digest)
        if earlier is not None:
            return _repeat(unit, link, earlier, form)
        answer = _stopped(unit, signer, plan, link, form, actor)
        if answer is not None:
            return answer
        return _decided_once(unit, plan, replace(actor, nonce=digest), link, form, digest, min_age)


def _repeat(unit: Unit, link: Link, batch: str, form: Form) -> FormAnswer:
    results = tuple(map(row_result, unit.links.results(link.id, batch) or ()))
    first = {(result.action_id, result.verb) for result in results}
    chosen = {(choice.action_id, choice.verb) for choice in form.choices}
    is_given_back = any(verb is Verb.REVERT for _, verb in chosen)  # its result is about the new proposal
    return FormAnswer(results, batch, is_repeat=True, is_changed=chosen != first and not is_given_back)


def _stopped(unit: Unit, signer: Signer, plan: NightPlan, link: Link, form: Form, actor: Actor) -> FormAnswer | None:
    if is_over(link, unit.now):
        return FormAnswer(hurdle=Hurdle.OVER)
    if not form.choices:
        return FormAnswer(hurdle=Hurdle.NOTHING_CHOSEN)
    try:
        known = unit.actions.several(choice.action_id for choice in form.choices)
        chosen = [
            _meant(unit, plan, known[choice.action_id], choice, actor)
            for choice in form.choices
            if choice.action_id in known
        ]
    except PriceRefused as refused:
        return FormAnswer(hurdle=Hurdle.BAD_ENTRY, words=str(refused))
    if actor.session is not None or not needs_code(chosen, plan.review):
        return None
    return _without_code(unit, signer, link, form)


def _meant(unit: Unit, plan: NightPlan, action: Action, choice: Choice, actor: Actor) -> tuple[Action, Verb]:
    """Return what a choice would decide, at the price that was typed; raises PriceRefused for what cannot be taken."""
    if choice.verb is Verb.SNOOZE and (problem := put_off_problem(choice, unit.now)):
        raise PriceRefused(f"{action.proposal.sku}: {problem}")
    is_edit = choice.verb is Verb.APPROVE and choice.price is not None and is_as_seen(action, choice)
    if is_edit and choice.price is not None and not typed_is_proposed(choice.price, action):
        return replace(action, proposal=edited(action, _typed(choice.price, action, plan), actor)), choice.verb
    return (_old_again(unit, action, actor) if choice.verb is Verb.REVERT else action), choice.verb


def _typed(text: str, action: Action, plan: NightPlan) -> Decimal:
    """Return the price that was typed; the words of a refusal name the product, for a form has many rows."""
    try:
        return typed_price(text, action, plan)
    except PriceRefused as refused:
        raise PriceRefused(f"{action.proposal.sku}: {refused}") from None


def _old_again(unit: Unit, action: Action, actor: Actor) -> Action:
    """Return an applied action as its old price would be set again; what made it need a second look stays with it."""
    write = next((each for each in unit.writes.of_action(action.id) if each.version == action.version), None)
    before = (unit.writes.before(write.id) if write is not None else None) or {}
    given_back = reverted(action, before, actor, expires_at=unit.now)
    if given_back is None:
        return action
    kept = {name: action.proposal.facts[name] for name in ("second_look",) if name in action.proposal.facts}
    return replace(action, proposal=replace(given_back, facts=given_back.facts | kept))


def _without_code(unit: Unit, signer: Signer, link: Link, form: Form) -> FormAnswer | None:
    if link.locked_until is not None and link.locked_until > unit.now:
        return FormAnswer(hurdle=Hurdle.LOCKED)
    if not form.code:
        return FormAnswer(hurdle=Hurdle.CODE_MISSING)
    if link.code_hash is not None and signer.is_code(link.id, link.code_hash, form.code):
        return None
    tries = unit.links.wrong_code(link.id, CODE_LOCK, CODE_TRIES)
    if tries >= CODE_TRIES:
        _tell_locked(unit, link)
    return FormAnswer(hurdle=Hurdle.CODE_WRONG, tries_left=max(CODE_TRIES - tries, 0))


def _tell_locked(unit: Unit, link: Link) -> None:
    """Record it and tell the readers of the mail: somebody else may hold the link."""
    words = f"{CODE_TRIES} wrong codes were entered behind the review link of {link.recipient}"
    unit.access.record(AccessEvent(AccessEventKind.CODE_LOCKED, link.recipient, "somebody", unit.now, words=words))
    said = f"{words}; for {CODE_LOCK // timedelta(minutes=1)} minutes it decides nothing that needs one. If it was not "
    said += f"{link.recipient}: ask for a fresh link, which ends this one."
    unit.alerts.raise_once(Alert(f"code:{link.id}:{unit.now:%Y%m%d%H}", AlertKind.ACCESS, None, said, unit.now))


def _decided_once(
    unit: Unit, plan: NightPlan, actor: Actor, link: Link, form: Form, digest: str, min_age: timedelta
) -> FormAnswer:
    batch = new_batch()
    spent = unit.links.use_nonce(link.id, digest, batch, min_age)
    if spent is None:
        is_known = unit.links.is_unspent(link.id, digest)
        return FormAnswer(hurdle=Hurdle.TOO_QUICK if is_known else Hurdle.NOT_SHOWN)
    if spent != batch:
        return _repeat(unit, link, spent, form)
    results = decided(unit, plan, actor, form.choices, batch)
    unit.links.keep_results(link.id, batch, [result.as_json() for result in results])
    return FormAnswer(results, batch)

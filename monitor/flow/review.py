"""Stage review: a mailed link shows, a form acts, and a decision is taken once.

`decide` is the one way to decide, for the form behind a link, the command line and webhooks alike. An
approval and the write it leads to are one transaction, so neither exists without the other; whether a row is
still there to be decided is asked of the database by a conditional update. A row that cannot be decided
any more says why and holds up no other row.

`answer_form` puts what a link needs in front: the link still open, a form that was shown here and not sent
before, something chosen, and a code where the change is large. A repeated post finds its number spent
and gets the first post's results.

Not promised: who stands behind a link. It was sent to one address, and that address is what is recorded.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from monitor.domain.action import Action, ActionState, Actor, Verb
from monitor.domain.plan import NightPlan, ReviewPlan
from monitor.domain.review import (
    MAX_REASON,
    STATE_WORDS,
    UNAPPROVED,
    Choice,
    RowOutcome,
    RowResult,
    explained,
    figures_words,
    needs_code,
    row_result,
)
from monitor.ports.review import Link, Signer
from monitor.ports.store import Store, Unit

#: The purpose of a link that may decide; signed into its token.
REVIEW = "review"

#: So many wrong codes lock a link for so long.
CODE_TRIES = 5
CODE_LOCK = timedelta(hours=1)

#: A link older than so many nights has expired by itself.
_NIGHTS_WITH_LINKS = 60


@dataclass(frozen=True, slots=True)
class IssuedLink:
    """A review link as it stands in a mail."""

    url: str
    code: str  #: six digits, printed in the mail's text and nowhere else
    expires_at: datetime


def issue_link(
    unit: Unit, plan: ReviewPlan, run_id: str, recipient: str, due_at: datetime | None = None, *, signer: Signer
) -> IssuedLink:
    """Return the review link of one recipient for one run, making it on the first call.

    Calling again gives a link to the same row, with the same code, however often a mail is rendered. Links of
    earlier nights decide until the new one is mailed and nothing from then on: what still waits is shown behind it.

    Args:
        due_at: when the mail with the link leaves, by default now.
    """
    _revoke_earlier(unit, run_id, due_at or unit.now)
    link_id = secrets.token_urlsafe(16)
    link = unit.links.issue(
        Link(
            id=link_id,
            run_id=run_id,
            recipient=recipient,
            purpose=REVIEW,
            created_at=unit.now,
            expires_at=unit.now + plan.link_lifetime,
            revoked_at=None,
            code_hash=signer.code_hash(link_id, signer.code(link_id)),
            code_tries=0,
            locked_until=None,
        )
    )
    url = f"{plan.public_url.rstrip('/')}/a/{signer.sign(link.id, REVIEW)}"
    return IssuedLink(url, signer.code(link.id, link.code_hash), link.expires_at)


def _revoke_earlier(unit: Unit, run_id: str, at: datetime) -> None:
    run = unit.runs.get(run_id)
    if run is not None:
        earlier = [each.id for each in unit.runs.latest(_NIGHTS_WITH_LINKS) if each.local_date < run.local_date]
        unit.links.revoke(earlier, f"{run_id} sent a new one", at=at)


def decide(
    store: Store, plan: NightPlan, actor: Actor, choices: Sequence[Choice], *, batch: str | None = None
) -> tuple[RowResult, ...]:
    """Decide these rows in one transaction; the results are in the order of the choices.

    Args:
        batch: names the decisions that belong together; by default a new one.
    """
    with store.write() as unit:
        return _decided(unit, plan, actor, choices, batch or new_batch())


def new_batch() -> str:
    """Return the name of a new batch of decisions, not to be guessed."""
    return secrets.token_urlsafe(12)


def _decided(unit: Unit, plan: NightPlan, actor: Actor, choices: Sequence[Choice], batch: str) -> tuple[RowResult, ...]:
    """Decide in order of action, so that two posts about the same rows never wait for each other in a circle."""
    in_order = sorted(choices, key=lambda choice: choice.action_id)
    results = {choice.action_id: _row(unit, plan, actor, choice, batch) for choice in in_order}
    return tuple(results[choice.action_id] for choice in choices)


def _row(unit: Unit, plan: NightPlan, actor: Actor, choice: Choice, batch: str) -> RowResult:
    action = unit.actions.get(choice.action_id)
    if action is None:
        words = f"There is no proposal {choice.action_id}."
        return RowResult(choice.action_id, "", choice.verb, RowOutcome.REFUSED, words)
    if choice.verb is Verb.SNOOZE and (choice.until is None or choice.until <= unit.now):
        return _result(action, choice, RowOutcome.REFUSED, "Nothing changed: name a later date to put it off until.")
    if choice.verb is Verb.CANCEL:
        return _taken_back(unit, actor, action, choice, batch)
    seen = replace(action, version=choice.version, content_hash=choice.content_hash)
    reason = (choice.reason or "").strip()[:MAX_REASON] or None
    if not unit.actions.decide(seen, choice.verb, actor, batch=batch, reason=reason, until=choice.until):
        return _not_decided(unit, action, choice)
    if choice.verb is Verb.APPROVE:
        unit.writes.queue(action, not_before=unit.now + plan.writes.undo_window, dry_run=not plan.writes.enabled)
    words = f"{_DONE[choice.verb]}: {figures_words(action)}."
    return _result(action, choice, RowOutcome.DECIDED, words, by=actor.name, at=unit.now)


_DONE = {Verb.APPROVE: "Approved", Verb.REJECT: "Rejected", Verb.SNOOZE: "Put off", Verb.CANCEL: "Taken back"}


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


@dataclass(frozen=True, slots=True)
class FormAnswer:
    """What became of a form: results under a batch, or the hurdle at which it stopped."""

    results: tuple[RowResult, ...] = ()
    batch: str | None = None
    is_repeat: bool = False
    is_changed: bool = False  #: a repeat that chose otherwise than the first time; the first decisions stand
    hurdle: Hurdle | None = None
    tries_left: int | None = None


def answer_form(
    store: Store, signer: Signer, plan: NightPlan, link_id: str, form: Form, actor: Actor, *, min_age: timedelta
) -> FormAnswer:
    """Decide what a form asks for, once.

    Args:
        min_age: a form that comes back sooner was not read by a person.

    A wrong code is counted even though nothing is decided: the answer is a value, so the count is committed.
    """
    digest = signer.digest(form.nonce)
    with store.write() as unit:
        link = unit.links.get(link_id)
        if link is None:
            return FormAnswer(hurdle=Hurdle.OVER)
        unit.links.posted(link.id)
        earlier = unit.links.spent(link.id, digest)
        if earlier is not None:
            return _repeat(unit, link, earlier, form)
        answer = _stopped(unit, signer, plan.review, link, form)
        if answer is not None:
            return answer
        return _decided_once(unit, plan, actor, link, form, digest, min_age)


def _repeat(unit: Unit, link: Link, batch: str, form: Form) -> FormAnswer:
    results = tuple(map(row_result, unit.links.results(link.id, batch) or ()))
    first = {(result.action_id, result.verb) for result in results}
    chosen = {(choice.action_id, choice.verb) for choice in form.choices}
    return FormAnswer(results, batch, is_repeat=True, is_changed=chosen != first)


def _stopped(unit: Unit, signer: Signer, plan: ReviewPlan, link: Link, form: Form) -> FormAnswer | None:
    if is_over(link, unit.now):
        return FormAnswer(hurdle=Hurdle.OVER)
    if not form.choices:
        return FormAnswer(hurdle=Hurdle.NOTHING_CHOSEN)
    chosen = [(action, choice.verb) for choice in form.choices if (action := unit.actions.get(choice.action_id))]
    if not needs_code(chosen, plan):
        return None
    if link.locked_until is not None and link.locked_until > unit.now:
        return FormAnswer(hurdle=Hurdle.LOCKED)
    if not form.code:
        return FormAnswer(hurdle=Hurdle.CODE_MISSING)
    if link.code_hash is not None and signer.is_code(link.id, link.code_hash, form.code):
        return None
    tries = unit.links.wrong_code(link.id, CODE_LOCK, CODE_TRIES)
    return FormAnswer(hurdle=Hurdle.CODE_WRONG, tries_left=max(CODE_TRIES - tries, 0))


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
    results = _decided(unit, plan, actor, form.choices, batch)
    unit.links.keep_results(link.id, batch, [result.as_json() for result in results])
    return FormAnswer(results, batch)


def is_over(link: Link, now: datetime) -> bool:
    """Say whether a link may no longer decide: expired or revoked."""
    return ends_at(link) <= now


def ends_at(link: Link) -> datetime:
    """Return when a link ceases to decide: its time has passed, or a newer mail is due."""
    return link.expires_at if link.revoked_at is None else min(link.expires_at, link.revoked_at)

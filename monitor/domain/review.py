"""What a person chose on a review page, what became of it, and when more than the link is asked for.

A choice names a row exactly as it was shown: action, version and content hash. The database decides
whether it hits; `explained` says in words why one did not. Percentages are of the old price.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Any
from zoneinfo import ZoneInfo

from monitor.domain.action import Action, ActionState, Actor, Decision, Verb
from monitor.domain.money import Money
from monitor.domain.plan import CodeRule, ReviewPlan

#: Longest reason that is kept, in characters.
MAX_REASON = 200


@dataclass(frozen=True, slots=True)
class Choice:
    """One row of a form: what was shown, and what was chosen for it."""

    action_id: int
    version: int
    content_hash: str
    verb: Verb
    reason: str | None = None
    until: datetime | None = None  #: for `snooze`
    price: str | None = None  #: for `approve` another price, as it was typed; for `renew` what the shop charges now


class RowOutcome(StrEnum):
    """What became of one choice."""

    DECIDED = "decided"  #: this choice was recorded
    ALREADY = "already"  #: decided before; the earlier decision stands
    STALE = "stale"  #: the figures changed since they were shown
    EXPIRED = "expired"  #: past its time, or a later night proposed again
    REFUSED = "refused"  #: cannot be done; `words` say why


#: Outcomes after which the row should be shown again with its new figures.
UNSETTLED = frozenset({RowOutcome.STALE, RowOutcome.EXPIRED, RowOutcome.REFUSED})


@dataclass(frozen=True, slots=True)
class RowResult:
    """What became of one choice, in words too."""

    action_id: int
    sku: str
    verb: Verb
    outcome: RowOutcome
    words: str
    by: str | None = None  #: who decided, for `already`
    at: datetime | None = None  #: when it was decided

    def as_json(self) -> dict[str, Any]:
        """Return the JSON form, which `row_result` reads back."""
        return {
            "action_id": self.action_id,
            "sku": self.sku,
            "verb": self.verb.value,
            "outcome": self.outcome.value,
            "words": self.words,
            "by": self.by,
            "at": None if self.at is None else self.at.isoformat(),
        }


def row_result(stored: dict[str, Any]) -> RowResult:
    """Read back what `RowResult.as_json` wrote."""
    return RowResult(
        action_id=stored["action_id"],
        sku=stored["sku"],
        verb=Verb(stored["verb"]),
        outcome=RowOutcome(stored["outcome"]),
        words=stored["words"],
        by=stored["by"],
        at=None if stored["at"] is None else datetime.fromisoformat(stored["at"]),
    )


#: States without an approval to take back.
UNAPPROVED = frozenset(
    {
        ActionState.PENDING,
        ActionState.SNOOZED,
        ActionState.REJECTED,
        ActionState.EXPIRED,
        ActionState.SUPERSEDED,
    }
)


def change_pct(action: Action) -> Decimal:
    """Return the change in per cent of the old price, exact; an old price of zero counts as 100 %."""
    old, new = action.proposal.old_price, action.proposal.new_price
    return (new - old) / old * 100 if old else Decimal(100)


def fact_amount(action: Action, name: str) -> Decimal | None:
    """Return an amount among the facts of a proposal, None when it is missing or no amount."""
    stored = action.proposal.facts.get(name)
    if stored is None or isinstance(stored, bool | dict | list):
        return None
    try:
        amount = Decimal(str(stored))
    except InvalidOperation:
        return None
    return amount if amount.is_finite() else None


def second_look(action: Action) -> tuple[str, ...]:
    """Return why this proposal needs a second look, each a sentence without its full stop; empty for most."""
    stored = action.proposal.facts.get("second_look") or ()
    return tuple(str(one["words"]) for one in stored)


def is_large(action: Action, plan: ReviewPlan) -> bool:
    """Say whether approving this takes more than the link: a big step, a price below cost, or an odd night."""
    cost = fact_amount(action, "cost")
    is_below_cost = cost is not None and action.proposal.new_price < cost
    return is_below_cost or bool(second_look(action)) or abs(change_pct(action)) > plan.large_change_pct


def not_with_others(action: Action, actor: Actor, approved: int) -> str | None:
    """Say why a proposal that needs a second look is not approved like this, None when it is.

    Args:
        actor: a program cannot take a second look.
        approved: how many the same form, command or call approves.
    """
    why = second_look(action)
    if not why or (approved == 1 and actor.kind != "webhook"):
        return None
    how = "by a person" if actor.kind == "webhook" else "by itself, not with others at once"
    return f"Nothing changed: this needs a second look and is approved {how}. {'. '.join(why)}."


def needs_code(chosen: Iterable[tuple[Action, Verb]], plan: ReviewPlan) -> bool:
    """Say whether the six digits from the mail's text are asked for.

    Taking an approval back never asks: it can only prevent a change.
    """
    decisive = [(action, verb) for action, verb in chosen if verb is not Verb.CANCEL]
    if plan.require_code is CodeRule.NEVER or not decisive:
        return False
    if plan.require_code is CodeRule.ALWAYS or len(decisive) > plan.large_batch:
        return True
    return any(verb in (Verb.APPROVE, Verb.REVERT) and is_large(action, plan) for action, verb in decisive)


#: Longest time for which a proposal is put off.
LONGEST_SNOOZE = timedelta(days=90)


def put_off_problem(choice: Choice, now: datetime) -> str | None:
    """Say why a proposal cannot be put off as asked, None when it can."""
    if choice.until is None or choice.until <= now:
        return "name a later date to put it off until"
    return "it cannot be put off for more than 90 days" if choice.until > now + LONGEST_SNOOZE else None


def passes_first(action: Action, zone: str) -> str:
    """Say that a proposal is put off to a day on which its own time has passed, and what comes instead."""
    ends = action.proposal.expires_at.astimezone(ZoneInfo(zone))
    return (
        f"Its own time passes before, on {ends:%Y-%m-%d at %H:%M}, so it does not come back by itself: the first night "
        "from that day on proposes again what still holds."
    )


def seen_at(action: Action) -> datetime | None:
    """Return when the oldest reading that decided was made, None when that is not known."""
    stored = action.proposal.facts.get("observed_at")
    try:
        moment = datetime.fromisoformat(stored) if isinstance(stored, str) else None
    except ValueError:
        return None
    return moment if moment is not None and moment.tzinfo is not None else None


def evidence_too_old(action: Action, plan: ReviewPlan, now: datetime) -> str | None:
    """Say that the readings behind a proposal are too old to approve it on, None when they are not."""
    moment = seen_at(action)
    if moment is None or now - moment <= plan.max_evidence_age:
        return None
    hours = plan.max_evidence_age // timedelta(hours=1)
    return f"Nothing changed: what it rests on was read more than {hours} hours ago. The next night proposes again."


def explained(action: Action, choice: Choice, decisions: Sequence[Decision], now: datetime) -> RowResult:
    """Say why a choice did not hit its row, from the row as it is now."""
    outcome, words, last = _why_not(action, choice, decisions, now)
    return RowResult(
        action_id=action.id,
        sku=action.proposal.sku,
        verb=choice.verb,
        outcome=outcome,
        words=words,
        by=last.actor.name if last else None,
        at=last.decided_at if last else None,
    )


#: Decisions that are recorded beside an action and leave it as it is.
_NOTES = frozenset({Verb.REVERT, Verb.RENEW})


def _why_not(
    action: Action, choice: Choice, decisions: Sequence[Decision], now: datetime
) -> tuple[RowOutcome, str, Decision | None]:
    if action.state is ActionState.SUPERSEDED and action.superseded_by is None:
        return RowOutcome.EXPIRED, "The night was run again and does not propose this any more.", None
    if action.state is ActionState.SUPERSEDED:
        return RowOutcome.EXPIRED, "A later night proposed a price again; decide about that one.", None
    has_passed = action.state is ActionState.PENDING and action.proposal.expires_at <= now
    if action.state is ActionState.EXPIRED or has_passed:
        return RowOutcome.EXPIRED, "This proposal has passed its time. The next night proposes again.", None
    if action.state is ActionState.PENDING:
        return RowOutcome.STALE, f"The figures changed since they were shown: {figures_words(action)}.", None
    last = next((one for one in reversed(decisions) if one.verb not in _NOTES), None)
    return RowOutcome.ALREADY, f"{STATE_WORDS[action.state]}.", last


def figures_words(action: Action) -> str:
    """Return `24.90 → 22.90 EUR`."""
    shown = action.proposal
    return f"{Money(shown.old_price, shown.currency)} → {Money(shown.new_price, shown.currency)}"


#: What a reader is told about each state.
STATE_WORDS: dict[ActionState, str] = {
    ActionState.PENDING: "Waits for a decision",
    ActionState.APPROVED: "Approved, not yet written",
    ActionState.REJECTED: "Rejected",
    ActionState.SNOOZED: "Put off",
    ActionState.EXPIRED: "Expired without a decision",
    ActionState.SUPERSEDED: "Replaced by a later proposal",
    ActionState.CANCELLED: "Approved and taken back",
    ActionState.EXECUTING: "Approved, being written to the shop",
    ActionState.APPLIED: "Approved and applied in the shop",
    ActionState.APPLIED_NOOP: "Approved; the shop had this price already",
    ActionState.CONFLICT: "Approved, not written: the shop's price had changed in between",
    ActionState.FAILED: "Approved, but the write failed",
    ActionState.UNKNOWN: "Approved and sent; the shop's answer is still being checked",
    ActionState.TARGET_GONE: "Approved, but the shop does not have this product",
}

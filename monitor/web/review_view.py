"""What the review page says, as values for its templates: texts ready to be shown, nothing to compute.

Times are shown in the zone of the schedule with their offset from UTC; amounts with their currency.
Whatever a shop or a file wrote is cleaned here and escaped by the template.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from monitor.domain.action import Action, ActionState, Verb
from monitor.domain.money import Money, amount_text
from monitor.domain.plan import CodeRule, NightPlan
from monitor.domain.report.clean import clean
from monitor.domain.review import (
    STATE_WORDS,
    Choice,
    RowOutcome,
    RowResult,
    change_pct,
    fact_amount,
    is_large,
    second_look,
)
from monitor.web.review_facts import Fact, facts, is_drifted, local_time, more, one_decimal, sign, warnings
from monitor.web.sheet import SheetRow
from monitor.web.shop_prices import SeenPrice


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """One proposal on the page."""

    id: int
    field: str  #: binds the form to exactly what is shown
    sku: str
    title: str
    old: str
    new: str
    change: str
    percent: str
    goes_down: bool
    why: str
    facts: tuple[Fact, ...]  #: what to look at
    more: tuple[Fact, ...]  #: what to look up
    warnings: tuple[str, ...]
    needs_code: bool
    is_alone: bool  #: approved by itself only
    is_open: bool  #: waits for a decision
    state: str
    decided: str | None  #: who decided and when
    take_back_until: str | None
    may_be_given_back: bool  #: it was applied, so the old price can be asked for again
    may_be_renewed: bool  #: the shop charges something else now, so it can be proposed on top of that
    currency: str
    new_plain: str  #: the proposed amount as a person would type it
    first_day: str  #: earliest day until which it can be put off, ISO
    week_on: str  #: a week from now, ISO
    chosen: str  #: what this reader chose before, when a form comes back to them
    reason: str
    price: str  #: another price that was typed

    @property
    def may_be_undone(self) -> bool:
        """Whether something can still be done about a row that is settled."""
        return self.take_back_until is not None or self.may_be_given_back or self.may_be_renewed


@dataclass(frozen=True, slots=True)
class ResultRow:
    """What became of one row of a form."""

    sku: str
    title: str
    outcome: str
    words: str
    decided: str | None
    state: str | None  #: where the change is now, when that says more
    row: ReviewRow | None


def by_stake(row: SheetRow) -> tuple[bool, Decimal, str]:
    """Return the key that sorts rows as the mail does: the most money at stake first, unknown last."""
    effect = fact_amount(row.action, "weekly_effect")
    return (effect is None, -abs(effect or Decimal(0)), row.action.proposal.sku)


def is_open(row: SheetRow, now: datetime) -> bool:
    """Say whether a proposal waits for a decision."""
    return row.action.state is ActionState.PENDING and row.action.proposal.expires_at > now


def review_row(
    row: SheetRow, plan: NightPlan, now: datetime, *, seen: SeenPrice | None = None, choice: Choice | None = None
) -> ReviewRow:
    """Return one row of the page."""
    action, shown, zone = row.action, row.action.proposal, plan.schedule.zone
    change = shown.new_price - shown.old_price
    return ReviewRow(
        id=action.id,
        field=f"{action.id}:{action.version}:{action.content_hash}",
        sku=clean(shown.sku, 60),
        title=clean(shown.title, 140),
        old=str(Money(shown.old_price, shown.currency)),
        new=str(Money(shown.new_price, shown.currency)),
        change=f"{sign(change)}{amount_text(abs(change), shown.currency)}",
        percent=f"{sign(change)}{one_decimal(abs(change_pct(action)))} %",
        goes_down=change < 0,
        why=clean(shown.words, 400),
        facts=tuple(facts(action, zone, seen)),
        more=tuple(more(action, zone)),
        warnings=tuple(warnings(action, plan, seen, now)),
        needs_code=plan.review.require_code is not CodeRule.NEVER and is_large(action, plan.review),
        is_alone=bool(second_look(action)),
        is_open=is_open(row, now),
        state=STATE_WORDS[action.state],
        decided=_decided(row, zone),
        take_back_until=_take_back_until(row, zone, now),
        may_be_given_back=action.state is ActionState.APPLIED,
        may_be_renewed=_may_be_renewed(action, seen),
        currency=shown.currency,
        new_plain=amount_text(shown.new_price, shown.currency),
        first_day=_day(now, zone, 1),
        week_on=_day(now, zone, 7),
        chosen=_chosen(choice),
        reason=(choice.reason or "") if choice else "",
        price=(choice.price or "") if choice and choice.verb is Verb.APPROVE else "",
    )


def _may_be_renewed(action: Action, seen: SeenPrice | None) -> bool:
    is_waiting = action.state is ActionState.PENDING and is_drifted(action.proposal, seen)
    return is_waiting or action.state is ActionState.CONFLICT


def _chosen(choice: Choice | None) -> str:
    if choice is None:
        return ""
    return "approve_at" if choice.price is not None and choice.verb is Verb.APPROVE else choice.verb.value


def _day(now: datetime, zone: str, later: int) -> str:
    return (now.astimezone(ZoneInfo(zone)).date() + timedelta(days=later)).isoformat()


def result_row(result: RowResult, row: SheetRow | None, plan: NightPlan, now: datetime) -> ResultRow:
    """Return one line of the result page."""
    decided = f"{result.by}, {local_time(result.at, plan.schedule.zone)}" if result.by and result.at else None
    return ResultRow(
        sku=clean(result.sku, 60),
        title=clean(row.action.proposal.title, 140) if row else "",
        outcome=result.outcome.value,
        words=result.words,
        decided=decided,
        state=_where_now(result, row.action) if row else None,
        row=review_row(row, plan, now) if row else None,
    )


def _where_now(result: RowResult, action: Action) -> str | None:
    """Return where a change is now, unless the words of its result say that already."""
    now = STATE_WORDS[action.state]
    says_more = {
        RowOutcome.DECIDED: result.verb is not Verb.REJECT,
        RowOutcome.ALREADY: not result.words.endswith(f"{now}."),
    }
    return now if says_more.get(result.outcome, False) else None


def _decided(row: SheetRow, zone: str) -> str | None:
    if not row.decisions or row.action.state is ActionState.PENDING:
        return None
    last = row.decisions[-1]
    reason = f": “{clean(last.reason, 200)}”" if last.reason else ""
    return f"{clean(last.actor.name, 100)}, {local_time(last.decided_at, zone)}{reason}"


def _take_back_until(row: SheetRow, zone: str, now: datetime) -> str | None:
    if row.write is None:
        return None
    if row.write.not_before <= now:
        return "as long as it has not been written"
    shown = row.write.not_before.astimezone(ZoneInfo(zone))
    return f"until {shown:%H:%M:%S}"

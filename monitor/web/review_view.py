"""What the review page says, as values for its templates: texts ready to be shown, nothing to compute.

Times are shown in the zone of the schedule with their offset from UTC; amounts with their currency.
Whatever a shop or a file wrote is cleaned here and escaped by the template.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Any
from zoneinfo import ZoneInfo

from monitor.domain.action import Action, ActionState, Verb
from monitor.domain.money import Money, amount_text
from monitor.domain.plan import CodeRule, NightPlan
from monitor.domain.report.clean import clean
from monitor.domain.review import STATE_WORDS, Choice, RowOutcome, RowResult, change_pct, fact_amount, is_large
from monitor.web.sheet import SheetRow
from monitor.web.shop_prices import SeenPrice

#: Offers that are shown of those that set a target.
_MAX_RIVALS = 3


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that a proposal rests on."""

    label: str
    text: str
    url: str | None = None  #: the competitor's page


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
    is_open: bool  #: waits for a decision
    state: str
    decided: str | None  #: who decided and when
    take_back_until: str | None
    chosen: str  #: what this reader chose before, when a form comes back to them
    reason: str


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


def local_time(moment: datetime, zone: str) -> str:
    """Return `29 Nov 2026, 07:43 (UTC+01:00)`."""
    shown = moment.astimezone(ZoneInfo(zone))
    offset = f"{shown:%z}"
    return f"{shown.day} {shown:%b %Y, %H:%M} (UTC{offset[:3]}:{offset[3:5]})"


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
        change=f"{_sign(change)}{amount_text(abs(change), shown.currency)}",
        percent=f"{_sign(change)}{_one_decimal(abs(change_pct(action)))} %",
        goes_down=change < 0,
        why=clean(shown.words, 400),
        facts=tuple(_facts(action, zone, seen)),
        more=tuple(_more(action, zone)),
        warnings=tuple(_warnings(action, plan, seen)),
        needs_code=plan.review.require_code is not CodeRule.NEVER and is_large(action, plan.review),
        is_open=action.state is ActionState.PENDING and shown.expires_at > now,
        state=STATE_WORDS[action.state],
        decided=_decided(row, zone),
        take_back_until=_take_back_until(row, zone, now),
        chosen=choice.verb.value if choice else "",
        reason=(choice.reason or "") if choice else "",
    )


def result_row(result: RowResult, row: SheetRow | None, plan: NightPlan, now: datetime) -> ResultRow:
    """Return one line of the result page."""
    has_moved = row is not None and result.outcome is RowOutcome.DECIDED and result.verb is not Verb.REJECT
    decided = f"{result.by}, {local_time(result.at, plan.schedule.zone)}" if result.by and result.at else None
    return ResultRow(
        sku=clean(result.sku, 60),
        title=clean(row.action.proposal.title, 140) if row else "",
        outcome=result.outcome.value,
        words=result.words,
        decided=decided,
        state=STATE_WORDS[row.action.state] if row and has_moved else None,
        row=review_row(row, plan, now) if row else None,
    )


def _sign(change: Decimal) -> str:
    return "−" if change < 0 else "+"


def _one_decimal(value: Decimal) -> str:
    return str(value.quantize(Decimal("0.1"), ROUND_HALF_UP))


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


def _facts(action: Action, zone: str, seen: SeenPrice | None) -> Iterable[Fact]:
    """Yield what a proposal rests on; what is not known is left out."""
    shown = action.proposal
    if seen is not None:
        price = str(seen.money) if seen.money else "not in the shop"
        yield Fact("Our shop now", f"{price}, read {local_time(seen.seen_at, zone)}")
    yield from _rivals(shown.facts.get("reference"), zone)
    yield from _margin_change(action)
    effect = fact_amount(action, "weekly_effect")
    if effect is not None:
        words = f"{_sign(effect)}{Money(abs(effect), shown.currency)} at the volume of today, an estimate"
        yield Fact("Effect per week", words)


def _more(action: Action, zone: str) -> Iterable[Fact]:
    shown, cost = action.proposal, fact_amount(action, "cost")
    compare_at = fact_amount(action, "compare_at")
    if cost is not None:
        yield Fact("Cost", str(Money(cost, shown.currency)))
    limits = _limits(shown.facts.get("limits"))
    if limits:
        yield Fact("Allowed", limits)
    yield Fact("Compare-at price", f"{Money(compare_at, shown.currency)}, unchanged" if compare_at else "unchanged")
    yield Fact("Rule", clean(shown.rule_id, 80))
    yield Fact("Proposed by", clean(shown.run_id, 80))
    yield Fact("Valid until", local_time(shown.expires_at, zone))


def _rivals(reference: Any, zone: str) -> Iterable[Fact]:
    """Yield the offers that set the target."""
    offers = reference.get("offers") if isinstance(reference, Mapping) else None
    for offer in (offers or ())[:_MAX_RIVALS]:
        words = [clean(f"{offer.get('price')} {offer.get('currency')}", 40)]
        if offer.get("shipping"):
            words.append(clean(f"shipping {offer['shipping']}", 40))
        words.append({True: "in stock", False: "out of stock"}.get(offer.get("in_stock"), "stock unknown"))
        seen_at = _instant(offer.get("seen_at"))
        if seen_at is not None:
            words.append(f"seen {local_time(seen_at, zone)}")
        yield Fact(
            clean(str(offer.get("name") or offer.get("seller")), 80), ", ".join(words), _web_url(offer.get("url"))
        )


def _web_url(url: Any) -> str | None:
    """Return a competitor's address if a browser may follow it."""
    is_web = isinstance(url, str) and url.lower().startswith(("https://", "http://"))
    return clean(url, 2000) if is_web else None


def _margin_change(action: Action) -> Iterable[Fact]:
    cost, shown = fact_amount(action, "cost"), action.proposal
    if cost is None:
        return
    before, after = (_margin(price, cost) for price in (shown.old_price, shown.new_price))
    if before and after:
        yield Fact("Margin", f"{before} → {after}")


def _margin(price: Decimal, cost: Decimal) -> str | None:
    """Return (price - cost) / price, which needs no tax to be known."""
    if not price:
        return None
    margin = (price - cost) / price * 100
    return f"{'−' if margin < 0 else ''}{_one_decimal(abs(margin))} %"


def _limits(limits: Any) -> str:
    """Return what the rule allows, such as `at least 24.00 EUR (min price), at most 39.00 EUR (msrp)`."""
    if not isinstance(limits, Mapping):
        return ""
    sides = ((word, limits.get(side)) for side, word in (("lower", "at least"), ("upper", "at most")))
    return ", ".join(
        clean(f"{word} {limit['amount']} ({str(limit.get('code')).replace('_', ' ').lower()})", 80)
        for word, limit in sides
        if isinstance(limit, Mapping) and limit.get("amount")
    )


def _instant(value: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return moment if moment is not None and moment.tzinfo is not None else None


def _warnings(action: Action, plan: NightPlan, seen: SeenPrice | None) -> Iterable[str]:
    shown, cost = action.proposal, fact_amount(action, "cost")
    if cost is not None and shown.new_price < cost:
        yield f"Below cost ({Money(cost, shown.currency)})."
    if abs(change_pct(action)) > plan.review.large_change_pct:
        yield f"A change of more than {plan.review.large_change_pct:f} %."
    if seen is None or action.state is not ActionState.PENDING:
        return
    if seen.money is None:
        yield "The shop does not have this product any more; approving it will change nothing."
    elif seen.money != Money(shown.old_price, shown.currency):
        old = Money(shown.old_price, shown.currency)
        yield f"{old} when proposed, {seen.money} now. Approving leads to a conflict, not to a change."

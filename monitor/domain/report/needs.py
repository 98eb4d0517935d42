"""What waits for a decision: proposals as rows, the most money at stake first.

Every figure is the one that was stored with the proposal (`monitor.domain.pricing.facts`), so that mail, review page
and audit say the same. Money at stake is the size of its weekly effect at constant volume: an order of reading,
not a forecast.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

from monitor.domain.action import Action, ActionState
from monitor.domain.report.clean import clean
from monitor.domain.report.view import Amount, Needs, Rival, Row
from monitor.domain.report.wording import percent
from monitor.domain.review import second_look

MAX_ROWS = 25
SKU_LIMIT = 40
TITLE_LIMIT = 90
_WHY_LIMIT = 220
_RIVAL_LIMIT = 60
#: Reasons for a second look that are told; each competitor may have one.
_MOST_REASONS = 5


def needs_of(actions: Iterable[Action], older: Iterable[Action]) -> Needs:
    """Return the pending proposals of this night, and how many of earlier nights still wait.

    Args:
        actions: the actions of this run; only pending ones count.
        older: actions of other runs, likewise.
    """
    pending = [action for action in actions if action.state is ActionState.PENDING]
    rows = sorted(map(_row, pending), key=_by_stake)
    why = dict.fromkeys(clean(words, _WHY_LIMIT) for action in pending for words in second_look(action))
    return Needs(
        rows=tuple(rows[:MAX_ROWS]),
        total=len(rows),
        more=max(0, len(rows) - MAX_ROWS),
        down=sum(row.change < 0 for row in rows),
        up=sum(row.change > 0 for row in rows),
        stake=_sums((row.stake, row.currency) for row in rows),
        effect=_sums((row.effect, row.currency) for row in rows),
        stake_unknown=sum(row.stake is None for row in rows),
        older=sum(action.state is ActionState.PENDING for action in older),
        second_look=sum(row.needs_second_look for row in rows),
        second_look_why=tuple(why)[:_MOST_REASONS],
    )


def _by_stake(row: Row) -> tuple[bool, Decimal, Decimal, str]:
    return (row.stake is None, -(row.stake or Decimal(0)), -abs(row.change_pct or Decimal(0)), row.sku)


def _sums(amounts: Iterable[tuple[Decimal | None, str]]) -> tuple[Amount, ...]:
    sums: dict[str, Decimal] = {}
    for amount, currency in amounts:
        if amount is not None:
            sums[currency] = sums.get(currency, Decimal(0)) + amount
    return tuple(Amount(amount, currency) for currency, amount in sorted(sums.items()))


def _row(action: Action) -> Row:
    proposal, facts = action.proposal, action.proposal.facts
    change = proposal.new_price - proposal.old_price
    effect, cost = _decimal(facts.get("weekly_effect")), _decimal(facts.get("cost"))
    return Row(
        action_id=action.id,
        version=action.version,
        sku=clean(proposal.sku, SKU_LIMIT),
        title=clean(proposal.title, TITLE_LIMIT),
        currency=proposal.currency,
        old_price=proposal.old_price,
        new_price=proposal.new_price,
        change=change,
        change_pct=percent(change, proposal.old_price),
        stake=None if effect is None else abs(effect),
        margin_before_pct=_decimal(facts.get("margin_pct_before")),
        margin_after_pct=_decimal(facts.get("margin_pct")),
        is_below_cost=cost is not None and proposal.new_price < cost,
        why=clean(proposal.words, _WHY_LIMIT),
        effect=effect,
        rival=_rival(facts.get("reference")),
        needs_second_look=bool(second_look(action)),
    )


def _rival(reference: Any) -> Rival | None:
    """Return the first of the offers that set the target; a rule on our own cost has none."""
    offers = reference.get("offers") if isinstance(reference, Mapping) else None
    if not offers:
        return None
    offer, price = offers[0], _decimal(offers[0].get("price"))
    if price is None:
        return None
    return Rival(
        name=clean(str(offer.get("name") or offer.get("seller")), _RIVAL_LIMIT),
        price=price,
        currency=clean(str(offer.get("currency")), 3),
        seen_at=_instant(offer.get("seen_at")),
    )


def _decimal(text: Any) -> Decimal | None:
    return None if text is None else Decimal(text)


def _instant(text: Any) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)

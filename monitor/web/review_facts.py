"""What the review page says about one proposal: the offers behind it, margins, limits, and what speaks against it.

What is not known is left out. Whatever a shop or a file wrote is cleaned here and escaped by the template.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any
from zoneinfo import ZoneInfo

from monitor.domain.action import Action, ActionState, Proposal
from monitor.domain.money import Money
from monitor.domain.plan import NightPlan
from monitor.domain.report.clean import clean
from monitor.domain.review import change_pct, fact_amount, second_look
from monitor.domain.review import seen_at as read_time
from monitor.domain.shop_price import CompareAtAction, compare_at_of, expected_compare_at
from monitor.web.shop_prices import SeenPrice

#: Offers that are shown of those that set a target.
_MAX_RIVALS = 3
#: Readings older than this are worth a word.
_OLD = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that a proposal rests on."""

    label: str
    text: str
    url: str | None = None  #: the competitor's page


def local_time(moment: datetime, zone: str) -> str:
    """Return `29 Nov 2026, 07:43 (UTC+01:00)`."""
    shown = moment.astimezone(ZoneInfo(zone))
    offset = f"{shown:%z}"
    return f"{shown.day} {shown:%b %Y, %H:%M} (UTC{offset[:3]}:{offset[3:5]})"


def sign(change: Decimal) -> str:
    """Return the sign to show before the size of a change."""
    return "−" if change < 0 else "+"


def one_decimal(value: Decimal) -> str:
    """Return a rate with one decimal."""
    return str(value.quantize(Decimal("0.1"), ROUND_HALF_UP))


def facts(action: Action, zone: str, seen: SeenPrice | None) -> Iterable[Fact]:
    """Yield what a proposal rests on; what is not known is left out."""
    shown = action.proposal
    if seen is not None:
        price = str(seen.money) if seen.money else "not in the shop"
        yield Fact("Our shop now", f"{price}, read {local_time(seen.seen_at, zone)}")
    yield from _rivals(shown.facts.get("reference"), zone)
    yield from _margin_change(action)
    effect = fact_amount(action, "weekly_effect")
    if effect is not None:
        words = f"{sign(effect)}{Money(abs(effect), shown.currency)} at the volume of today, an estimate"
        yield Fact("Effect per week", words)


def more(action: Action, zone: str) -> Iterable[Fact]:
    """Yield what can be looked up about a proposal."""
    shown, cost = action.proposal, fact_amount(action, "cost")
    if cost is not None:
        yield Fact("Cost", str(Money(cost, shown.currency)))
    limits = _limits(shown.facts.get("limits"))
    if limits:
        yield Fact("Allowed", limits)
    yield Fact("Compare-at price", _compare_at_change(shown))
    if shown.facts.get("tax_included") is not None:
        yield Fact("Tax", "included" if shown.facts["tax_included"] else "not included")
    yield Fact("Rule", clean(shown.rule_id, 80))
    yield Fact("Proposed by", clean(shown.run_id, 80))
    yield Fact("Valid until", local_time(shown.expires_at, zone))


def _compare_at_change(shown: Proposal) -> str:
    """Return `29.90 EUR → none`, or that it stays as it is."""
    is_known, before = expected_compare_at(shown.facts)
    change = compare_at_of(shown.facts)
    had = "not known" if not is_known else "none" if before is None else str(Money(before, shown.currency))
    if change.action is CompareAtAction.KEEP:
        return "unchanged" if not is_known else f"{had}, unchanged"
    new = "none" if change.amount is None else str(Money(change.amount, shown.currency))
    return f"{had} → {new}"


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
    return f"{'−' if margin < 0 else ''}{one_decimal(abs(margin))} %"


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


def warnings(action: Action, plan: NightPlan, seen: SeenPrice | None, now: datetime) -> Iterable[str]:
    """Yield what speaks against approving without a second look."""
    shown, cost = action.proposal, fact_amount(action, "cost")
    if cost is not None and shown.new_price < cost:
        yield f"Below cost ({Money(cost, shown.currency)})."
    if abs(change_pct(action)) > plan.review.large_change_pct:
        yield f"A change of more than {plan.review.large_change_pct:f}\u00a0%."
    if action.state is not ActionState.PENDING:
        return
    if why := second_look(action):
        yield f"Needs a second look, so it is approved by itself only. {clean('. '.join(why), 400)}."
    read_at = read_time(action)
    if read_at is not None and now - read_at > _OLD:
        yield f"What it rests on was read {int((now - read_at).total_seconds() // 3600)} hours ago."
    if seen is not None:
        yield from _drift(shown, seen)
        if seen.elsewhere:
            yield f"Fixed prices of other markets stay as they are: {clean('; '.join(seen.elsewhere), 300)}."


def _drift(shown: Proposal, seen: SeenPrice) -> Iterable[str]:
    if seen.money is None:
        yield "The shop does not have this product; approving it will change nothing."
    elif seen.money == Money(shown.new_price, shown.currency):
        yield f"The shop charges {seen.money} already; approving it will change nothing."
    elif is_drifted(shown, seen):
        old = Money(shown.old_price, shown.currency)
        yield f"{old} when proposed, {seen.money} now. Approving leads to a conflict, not to a change."


def is_drifted(shown: Proposal, seen: SeenPrice | None) -> bool:
    """Say whether the shop charges neither the price it was proposed on nor the one that is proposed."""
    if seen is None or seen.money is None or seen.money.currency != shown.currency:
        return False
    return seen.money.amount not in (shown.old_price, shown.new_price)

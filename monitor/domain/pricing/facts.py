"""What a person is shown about a decision, as JSON values, and the proposal that waits for that person.

Amounts are decimal strings or null, times ISO 8601 with offset. The effect in money is at constant volume:
the difference in price times what was sold in a week; it promises nothing about demand.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, tzinfo
from decimal import Decimal
from fractions import Fraction
from typing import Any

from monitor.domain.action import Proposal
from monitor.domain.catalogue import Product
from monitor.domain.money import amount_text
from monitor.domain.pricing.bounds import Interval, Limit, allowed
from monitor.domain.pricing.decide import Decision
from monitor.domain.pricing.exact import decimal_of
from monitor.domain.pricing.flags import SAID, Remarks
from monitor.domain.pricing.offers import Comparable, Ignored, Offer
from monitor.domain.pricing.wording import money, sentence
from monitor.domain.pricing.words import ignored_in_words, in_words

#: Nothing to remark.
NO_REMARKS = Remarks()


def weekly_effect(decision: Decision) -> Decimal | None:
    """Return the margin that a proposal gains, or below zero gives up, in a week at constant volume.

    None for no proposal, and when nobody knows how many are sold.
    """
    price, sold = decision.price, decision.product.weekly_units
    return None if price is None or sold is None else (price - decision.product.price) * sold


def by_money_at_stake(decision: Decision) -> tuple[bool, Decimal, Decimal, str]:
    """Sort key: the largest weekly effect first, unknown volume last and there by the size of the change."""
    effect, product = weekly_effect(decision), decision.product
    change = abs((decision.price or product.price) - product.price) / product.price
    return effect is None, -abs(effect or Decimal(0)), -change, product.sku


def margin_pct(product: Product, price: Decimal | None) -> Decimal | None:
    """Return the gross margin in percent of the price, to one decimal; None without a cost or a price."""
    if product.cost is None or not price:
        return None
    return decimal_of((1 - Fraction(product.cost) / Fraction(price)) * 100, 1)


def change_pct(decision: Decision) -> Decimal | None:
    """Return the proposed change in percent of the own price, to one decimal; below zero is down."""
    if decision.price is None:
        return None
    return decimal_of((Fraction(decision.price) / Fraction(decision.product.price) - 1) * 100, 1)


def proposal_of(
    decision: Decision,
    *,
    run_id: str,
    channel: str,
    expires_at: datetime,
    zone: tzinfo = UTC,
    remarks: Remarks = NO_REMARKS,
) -> Proposal | None:
    """Return the proposal that is stored for a decision, or None when it proposes nothing.

    Args:
        decision: what was decided for one product.
        run_id: the night that proposes.
        channel: the shop that the price is for.
        expires_at: until when it can be approved.
        zone: the time zone of the words.
        remarks: what a person should know besides the reason.
    """
    product, price, rule = decision.product, decision.price, decision.rule
    if price is None or rule is None:
        return None
    return Proposal(
        run_id=run_id,
        channel=channel,
        sku=product.sku,
        title=product.full_title,
        currency=product.currency,
        old_price=product.price,
        new_price=price,
        rule_id=rule.id,
        words=" ".join([in_words(decision, zone=zone), *_said(remarks)]),
        facts=facts_of(decision) | remarked(remarks, product.currency),
        expires_at=expires_at,
    )


def _said(remarks: Remarks) -> list[str]:
    return [f"{sentence(flag.words)}." for flag in remarks.flags if flag.code in SAID]


def remarked(remarks: Remarks, currency: str) -> dict[str, Any]:
    """Return remarks as JSON values: `flags`, each `{"code", "words"}`, and `lowest_30_days`."""
    return {
        "flags": [{"code": flag.code.value, "words": flag.words} for flag in remarks.flags],
        "lowest_30_days": _amount(remarks.lowest_30_days, currency),
    }


def facts_of(decision: Decision) -> dict[str, Any]:
    """Return everything a person may want to see about a decision, whether or not it proposes.

    Keys: `sku outcome reason rule price target change_pct margin_pct margin_pct_before weekly_effect cost compare_at
    trail bound limits reference offers ignored evidence observed_at second_look`. `evidence` is the list of hashes of
    the readings that decided, `observed_at` the time of the oldest of them, `second_look` why it is approved by itself
    only, each `{"code", "words"}`.
    """
    product, deciding = decision.product, _deciding(decision)
    times = [one.offer.seen_at for one in deciding if one.offer.seen_at is not None]
    currency = product.currency
    return {
        "sku": product.sku,
        "outcome": "propose" if decision.is_proposal else "none",
        "reason": decision.reason.value if decision.reason else None,
        "rule": decision.rule.id if decision.rule else None,
        "price": _amount(decision.price, currency),
        "target": None if decision.target is None else str(decision.target),
        "change_pct": _plain(change_pct(decision)),
        "margin_pct_before": _plain(margin_pct(product, product.price)),
        "margin_pct": _plain(margin_pct(product, decision.price)),
        "weekly_effect": _amount(weekly_effect(decision), currency),
        "cost": _amount(product.cost, currency),
        "compare_at": _amount(product.compare_at, currency),
        "trail": list(decision.trail),
        "bound": _limit(decision.bound, currency),
        "limits": _limits(decision),
        "reference": _reference(decision),
        "offers": [_comparable(one, currency) for one in decision.usable],
        "ignored": [_ignored(one) for one in decision.ignored],
        "evidence": sorted(one.offer.evidence for one in deciding if one.offer.evidence),
        "observed_at": min(times).isoformat() if times else None,
        "second_look": [{"code": one.code.value, "words": one.words} for one in decision.second_look],
    }


def _deciding(decision: Decision) -> tuple[Comparable, ...]:
    return decision.reference.offers if decision.reference else ()


def _reference(decision: Decision) -> dict[str, Any] | None:
    reference, currency = decision.reference, decision.product.currency
    if reference is None or decision.rule is None:
        return None
    return {
        "kind": decision.rule.target.reference.value,
        "amount": money(reference.amount, currency),
        "currency": currency,
        "offers": [_comparable(one, currency) for one in reference.offers],
    }


def _limits(decision: Decision) -> dict[str, Any] | None:
    """The lowest and the highest price that the deciding rule allows, with the limits that set them."""
    if decision.rule is None:
        return None
    interval: Interval = allowed(decision.product, decision.rule.guardrails)
    currency = decision.product.currency
    return {"lower": _limit(interval.lower, currency), "upper": _limit(interval.upper, currency)}


def _limit(limit: Limit | None, currency: str) -> dict[str, str] | None:
    return None if limit is None else {"code": limit.code.value, "amount": money(limit.amount, currency)}


def _comparable(one: Comparable, currency: str) -> dict[str, Any]:
    return _offer(one.offer) | {"comparable": money(one.amount, currency)}


def _ignored(one: Ignored) -> dict[str, Any]:
    return _offer(one.offer) | {"code": one.code.value, "words": ignored_in_words(one)}


def _offer(offer: Offer) -> dict[str, Any]:
    return {
        "seller": offer.seller,
        "name": offer.called,
        "price": amount_text(offer.price, offer.currency),
        "currency": offer.currency,
        "shipping": _amount(offer.shipping, offer.currency),
        "in_stock": offer.in_stock,
        "seen_at": offer.seen_at.isoformat() if offer.seen_at else None,
        "url": offer.url,
        "evidence": offer.evidence,
    }


def _amount(amount: Decimal | None, currency: str) -> str | None:
    return None if amount is None else amount_text(amount, currency)


def _plain(number: Decimal | None) -> str | None:
    return None if number is None else str(number)


def largest_first(decisions: Iterable[Decision]) -> list[Decision]:
    """Return the proposals among the decisions, most money at stake first."""
    return sorted((one for one in decisions if one.is_proposal), key=by_money_at_stake)

"""What no write may cross, whoever approved it: checked at the moment of writing, apart from the code that proposes.

A price above zero, in the shop's own currency and tax mode, within the limits it was decided in, at most one step away
from the price it was decided on, and never at or above a compare-at price that is kept.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from monitor.domain.action import PriceWrite
from monitor.domain.money import Money, plain_amount
from monitor.domain.shop_price import CompareAtAction, ShopPrice


@dataclass(frozen=True, slots=True)
class Rails:
    """The limits of one write, in its currency."""

    max_step_pct: Decimal
    floor: Decimal | None = None
    ceiling: Decimal | None = None


def rails_of(facts: Mapping[str, Any], max_step_pct: Decimal) -> Rails:
    """Take the limits that the decision was made within from its facts, `limits.lower` and `limits.upper`."""
    limits = facts.get("limits") or {}
    return Rails(max_step_pct, _limit(limits, "lower"), _limit(limits, "upper"))


def _limit(limits: Mapping[str, Any], name: str) -> Decimal | None:
    limit = limits.get(name)
    return None if limit is None else plain_amount(limit["amount"])


def refusal(write: PriceWrite, current: ShopPrice | None, rails: Rails) -> str | None:
    """Return why this write must not be made, in words; None when nothing speaks against it.

    Args:
        write: what was approved.
        current: what the shop says now; None when it offers no reading.
        rails: limits in the write's currency; the step is measured from the price the decision was based on.
    """
    target = write.target_price
    if not target.is_finite() or target <= 0:
        return f"the approved price {target} is not above zero"
    changed = current and shop_changed(write, current)
    return changed or _outside(write, rails) or _too_far(write, rails.max_step_pct) or _bad_compare_at(write, current)


def shop_changed(write: PriceWrite, current: ShopPrice) -> str | None:
    """Return what the shop states otherwise than when the price was approved: its currency, or its tax mode."""
    if current.price.currency != write.currency:
        return (
            f"the shop's currency changed since the proposal: it sells in {current.price.currency}, the price was "
            f"approved in {write.currency}"
        )
    if None in (write.tax_included, current.tax_included) or write.tax_included is current.tax_included:
        return None
    approved, stated = _tax(write.tax_included), _tax(current.tax_included)
    return f"the price was approved {approved} tax, the shop states its prices {stated} tax"


def _tax(included: bool | None) -> str:
    return "including" if included else "without"


def _outside(write: PriceWrite, rails: Rails) -> str | None:
    target = write.target_price
    if rails.floor is not None and target < rails.floor:
        return f"the approved price {Money(target, write.currency)} is below the lowest that was allowed, {rails.floor}"
    if rails.ceiling is not None and target > rails.ceiling:
        return (
            f"the approved price {Money(target, write.currency)} is above the highest that was allowed, {rails.ceiling}"
        )
    return None


def _too_far(write: PriceWrite, max_step_pct: Decimal) -> str | None:
    step = abs(write.target_price - write.expected_price) * 100
    if step <= max_step_pct * write.expected_price:
        return None
    shown = f"{Money(write.expected_price, write.currency)} to {Money(write.target_price, write.currency)}"
    return f"a step from {shown} is more than writes.max_step_pct = {max_step_pct} allows"


def _bad_compare_at(write: PriceWrite, current: ShopPrice | None) -> str | None:
    target, new = write.target_price, Money(write.target_price, write.currency)
    if write.compare_at_action is CompareAtAction.SET and (write.compare_at is None or write.compare_at <= target):
        return f"the compare-at price {write.compare_at} that was approved is not above the new price {new}"
    kept = write.compare_at_action is CompareAtAction.KEEP and current is not None and current.compare_at
    if not kept or target < kept:
        return None
    return (
        f"the new price {new} would be at or above the compare-at price {Money(kept, write.currency)}, which was to "
        "be kept; decide again and clear or set it"
    )

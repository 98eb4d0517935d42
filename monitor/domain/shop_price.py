"""What our own shop charges for a product, and what a decision says about the compare-at price beside it.

A compare-at price is the former or regular price that a shop shows crossed out. It is never touched implicitly: a
decision keeps it, sets it or clears it, and says which. In the facts of a proposal `compare_at` is the one it had when
proposed (null: none; no such fact: not known) and `compare_at_change` what is to become of it: nothing or
`{"action": "keep"}`, `{"action": "set", "amount": "29.90"}`, `{"action": "clear"}`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any

from monitor.domain.money import Money, UnreadableAmount, amount_text, plain_amount


class CompareAtAction(StrEnum):
    """What becomes of the compare-at price when a price is written."""

    KEEP = "keep"  #: it is not mentioned in the call, so that the shop leaves it
    SET = "set"  #: it becomes an amount
    CLEAR = "clear"  #: it is removed, in the same call as the price


@dataclass(frozen=True, slots=True)
class CompareAt:
    """What a decision says about the compare-at price."""

    action: CompareAtAction = CompareAtAction.KEEP
    amount: Decimal | None = None  #: with `set` only, in the currency of the price

    def as_json(self, currency: str) -> dict[str, str]:
        """Return the form that stands in the facts of a proposal and in calls."""
        amount = {} if self.amount is None else {"amount": amount_text(self.amount, currency)}
        return {"action": self.action.value, **amount}


KEEP = CompareAt()
CLEAR = CompareAt(CompareAtAction.CLEAR)


def set_to(amount: Decimal) -> CompareAt:
    """Return the decision to set the compare-at price."""
    return CompareAt(CompareAtAction.SET, amount)


def compare_at_of(facts: Mapping[str, Any]) -> CompareAt:
    """Read what the facts of a proposal say is to become of the compare-at price.

    Raises:
        ValueError: `compare_at_change` has another form; whoever wrote it made a mistake, nothing may be guessed.
    """
    stored = facts.get("compare_at_change")
    if stored is None:
        return KEEP
    try:
        action = CompareAtAction(stored["action"])
        amount = plain_amount(str(stored["amount"])) if action is CompareAtAction.SET else None
    except (KeyError, TypeError, UnreadableAmount) as wrong:
        raise ValueError(f"compare_at_change {stored!r} is not of the form {{'action': 'set', 'amount': …}}") from wrong
    return CompareAt(action, amount)


def expected_compare_at(facts: Mapping[str, Any]) -> tuple[bool, Decimal | None]:
    """Return whether the compare-at price was known when it was proposed, and which it was."""
    if "compare_at" not in facts:
        return False, None
    stored = facts["compare_at"]
    return True, None if stored is None else plain_amount(str(stored))


def compare_at_words(facts: Mapping[str, Any], currency: str) -> str:
    """Return `120.00 EUR → none`, or `unchanged`, for whoever decides."""
    change, (is_known, before) = compare_at_of(facts), expected_compare_at(facts)
    old = "unknown" if not is_known else "none" if before is None else str(Money(before, currency))
    if change.action is CompareAtAction.KEEP:
        return "unchanged" if before is None else f"{old}, unchanged"
    return f"{old} → {'none' if change.amount is None else Money(change.amount, currency)}"


@dataclass(frozen=True, slots=True)
class ShopPrice:
    """What the shop charges for one product at the moment it was read."""

    price: Money  #: what a customer pays, as the shop states it
    compare_at: Decimal | None = None  #: in the same currency
    tells_compare_at: bool = False  #: False: this shop says nothing about it, None means nothing then
    tax_included: bool | None = None  #: None: the shop does not say
    ref: str | None = None  #: the shop's own number of the variant
    revision: str | None = None  #: the shop's own mark of its last change, for the record only
    sale_price: Decimal | None = None  #: a sale price that is stored, in force or not
    is_on_sale: bool = False  #: the sale price is what customers pay now

    def __str__(self) -> str:
        beside = "" if self.compare_at is None else f", compare-at {Money(self.compare_at, self.price.currency)}"
        return f"{self.price}{beside}"

    def as_json(self) -> dict[str, Any]:
        """Return what the record of a write keeps of it; a revert starts from this."""
        shown: dict[str, Any] = {
            "price": amount_text(self.price.amount, self.price.currency),
            "currency": self.price.currency,
        }
        if self.tells_compare_at:
            known = self.compare_at
            shown["compare_at"] = None if known is None else amount_text(known, self.price.currency)
        told = {"tax_included": self.tax_included, "ref": self.ref, "revision": self.revision}
        return shown | {name: value for name, value in told.items() if value is not None}


@dataclass(frozen=True, slots=True)
class ShopProduct:
    """One variant as the shop lists it; whatever a shop does not tell is None."""

    sku: str
    ref: str
    title: str  #: of the product; what sets the variant apart is in `options`
    price: ShopPrice | None  #: None when it has none
    options: tuple[str, ...] = ()
    not_sold: str | None = None  #: why nobody can buy it now; None when it is for sale
    cost: Decimal | None = None  #: in the currency of the price
    is_stock_told: bool = False
    stock: int | None = None  #: None when told: there is always some
    gtin: str | None = None
    brand: str | None = None
    category: str | None = None
    url: str | None = None

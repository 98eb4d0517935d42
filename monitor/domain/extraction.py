"""What reading one page or one catalogue entry gave: an outcome before it has a price.

Only `ok` may move history. Every other outcome stores no price and keeps the last good one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum


class Outcome(StrEnum):
    """How a watch ended in one night."""

    OK = "ok"  #: one product, one price, one currency
    NO_PRICE = "no_price"  #: a page without a price to be had
    LISTING = "listing"  #: a category, search or home page
    AMBIGUOUS = "ambiguous"  #: a range or several sellers, and nothing chosen
    BLOCKED = "blocked"  #: a bot wall, whatever its status code
    NOT_FOUND = "not_found"  #: gone, also when it says so with status 200
    FAILED = "failed"  #: no page came back
    ROBOTS = "robots"  #: the shop's robots.txt asks us not to
    SKIPPED_BUDGET = "skipped_budget"  #: the tool budget was spent before its turn
    UNCHANGED = "unchanged"  #: the shop confirmed what was read before (304)


#: Reasons of `no_price` that an operator's recipe gives: an error on that competitor, never read in another way.
RECIPE_FAILED = frozenset({"recipe_wrong", "recipe_no_match", "recipe_no_amount", "recipe_currency_differs"})
#: Reason of a page whose price stands in elements that nothing joins: no text of one of them is the price.
IN_PIECES = "in_pieces"
#: Reasons of a page that shows amounts, or none, without saying which is the price: a catalogue that names one is no
#: contradiction. Of a recipe that fails, a product that is gone or on request, and another currency, it would be one.
UNCLEAR = frozenset({"no_clear_price", IN_PIECES, "rival_amounts", "range", "rows", "several_in_state", "no_currency"})


class Availability(StrEnum):
    """Whether a shopper could buy it; missing is unknown."""

    IN_STOCK = "in_stock"  #: can be bought now
    OUT_OF_STOCK = "out_of_stock"  #: listed, cannot be bought now
    PREORDER = "preorder"  #: not released yet, can be ordered
    BACKORDER = "backorder"  #: can be ordered, ships when it is back
    DISCONTINUED = "discontinued"  #: will not come back
    UNKNOWN = "unknown"  #: the page does not tell


class Role(StrEnum):
    """What an amount on a page means."""

    CURRENT = "current"  #: what a shopper pays now
    LIST = "list"  #: struck through, RRP, "was"
    INSTALMENT = "instalment"  #: one payment of several
    UNIT = "unit"  #: per 100 g, per metre
    SHIPPING = "shipping"  #: delivery, or the order value that makes it free
    RANGE_END = "range_end"  #: one end of "from … to …"
    MEMBER = "member"  #: for members, subscribers or card holders only
    OTHER = "other"  #: a saving, a surcharge, a related product


class Verdict(StrEnum):
    """What reconciliation did with a candidate."""

    CHOSEN = "chosen"  #: this is the answer
    AGREES = "agrees"  #: says the same as the answer
    REJECTED = "rejected"  #: not the answer; `reason` says why


@dataclass(frozen=True, slots=True)
class Evidence:
    """One candidate amount, kept whether chosen or not."""

    source: str  #: the reader and where it stood: `json-ld offers.price`, `visible .price`
    text: str  #: as it stood on the page, at most 200 characters
    amount: Decimal | None
    currency: str | None
    role: Role
    verdict: Verdict
    reason: str  #: in words

    def as_json(self) -> dict[str, str | None]:
        """Return the contract form: amounts as decimal strings."""
        return {
            "source": self.source,
            "text": self.text,
            "amount": None if self.amount is None else str(self.amount),
            "currency": self.currency,
            "role": self.role.value,
            "verdict": self.verdict.value,
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class Hints:
    """What the operator knows about the page; used as support, never instead of the page."""

    currency: str | None = None  #: ISO 4217, from the competitor's setting
    language: str | None = None  #: BCP 47, from the competitor's setting
    sku: str | None = None
    gtin: str | None = None
    name: str | None = None
    variant: str | None = None  #: the shop's own variant key
    recipe: Mapping[str, str] = field(default_factory=dict)  #: CSS selectors by field, see `docs/recipes.md`


@dataclass(frozen=True, slots=True)
class Extraction:
    """What one page says about its main product."""

    outcome: Outcome
    reason: str  #: a short code, `declared_and_shown`, `soft_404`, `cloudflare`
    words: str  #: the same in one sentence for a person
    price: Decimal | None = None
    currency: str | None = None
    list_price: Decimal | None = None
    availability: Availability = Availability.UNKNOWN
    name: str | None = None
    brand: str | None = None
    sku: str | None = None
    gtin: str | None = None
    condition: str | None = None
    shipping: Decimal | None = None
    unit_price: str | None = None  #: as shown, `12.90 / 100 ml`
    canonical: str | None = None  #: the page's own canonical URL
    platform: str | None = None  #: `shopify`, `woocommerce` … whose catalogue answered; a page's is told by `detect`
    evidence: tuple[Evidence, ...] = ()

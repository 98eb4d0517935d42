"""What a pricing rule can say: which products, which reference, which offers, within which limits.

Every name here is the key of `config/rules.toml`, one to one; `reading.py` turns the file into these
values and names what is wrong with it. Percentages and hours are exact decimals. Absent limits are None.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction

from monitor.domain.anomaly import Doubts
from monitor.domain.catalogue import Product


class ReferenceKind(StrEnum):
    """What the target price is measured against."""

    LOWEST = "lowest"  #: the cheapest usable offer
    NTH = "nth"  #: the n-th cheapest usable offer
    MEDIAN = "median"  #: the middle of the usable offers
    AVERAGE = "average"  #: the mean of the usable offers
    SELLER = "seller"  #: the usable offer of one named seller
    COST = "cost"  #: our own cost; no offer is looked at


class Compare(StrEnum):
    """Whether delivery counts."""

    PRICE = "price"  #: without delivery
    LANDED = "landed"  #: price plus delivery


class Stock(StrEnum):
    """What to do with an offer in a certain state of stock."""

    IGNORE = "ignore"  #: it does not count
    USE = "use"  #: it counts like any other


class BelowFloor(StrEnum):
    """What to do when the market is below our floor."""

    CLAMP = "clamp"  #: propose the floor
    SKIP = "skip"  #: propose nothing


class Direction(StrEnum):
    """Which way a rule may move a price."""

    BOTH = "both"  #: either way
    DOWN = "down"  #: only lower it
    UP = "up"  #: only raise it


class Mode(StrEnum):
    """Which price ending is taken."""

    NEAREST = "nearest"  #: the closest; of two equally close the lower
    DOWN = "down"  #: the next one at or below the target
    UP = "up"  #: the next one at or above the target


class Fallback(StrEnum):
    """What happens when a rule finds too little to go on."""

    STOP = "stop"  #: nothing is proposed
    NEXT = "next"  #: the next matching rule decides


@dataclass(frozen=True, slots=True)
class Scope:
    """Which products a rule is for; a list that is not given asks nothing."""

    skus: frozenset[str] | None = None
    brands: frozenset[str] | None = None
    categories: frozenset[str] | None = None
    tags: frozenset[str] | None = None

    def covers(self, product: Product) -> bool:
        """Say whether every given list matches; of tags one in common is enough."""
        return (
            (self.skus is None or product.sku in self.skus)
            and (self.brands is None or product.brand in self.brands)
            and (self.categories is None or product.category in self.categories)
            and (self.tags is None or not self.tags.isdisjoint(product.tags))
        )


@dataclass(frozen=True, slots=True)
class Band:
    """A corridor in percent of the reference within which our price is left alone."""

    low: Decimal
    high: Decimal


@dataclass(frozen=True, slots=True)
class Target:
    """Where the price should be: a reference with an adjustment, or a band around it."""

    reference: ReferenceKind
    n: int | None = None  #: only for `nth`, counted from 1
    seller: str | None = None  #: only for `seller`
    adjust_amount: Decimal | None = None  #: negative is below the reference
    adjust_percent: Decimal | None = None  #: negative is below the reference
    band: Band | None = None


@dataclass(frozen=True, slots=True)
class OfferFilter:
    """Which offers count, and how many of them are enough."""

    only_sellers: frozenset[str] | None = None
    exclude_sellers: frozenset[str] = frozenset()
    max_age_hours: Decimal = Decimal(36)  #: exactly this old is still fresh
    out_of_stock: Stock = Stock.IGNORE
    unknown_stock: Stock = Stock.USE
    ignore_below_map: bool = False
    outlier_pct: Decimal | None = None  #: allowed distance from the median; None is no filter
    min_offers: int = 1
    min_coverage_pct: Decimal = Decimal(0)  #: share of tracked offers that must be fresh and not held


@dataclass(frozen=True, slots=True)
class Guardrails:
    """Limits that every proposal of a rule keeps, all at once."""

    min_margin_pct: Decimal | None = None  #: gross margin on the selling price, (price - cost) / price
    max_decrease_pct: Decimal | None = None  #: of the own price, in one change
    max_increase_pct: Decimal | None = None  #: of the own price, in one change
    respect_map: bool = True
    below_floor: BelowFloor = BelowFloor.CLAMP
    direction: Direction = Direction.BOTH
    cooldown_hours: Decimal = Decimal(0)
    min_change_amount: Decimal = Decimal(0)
    min_change_pct: Decimal = Decimal(0)
    skip_on_sale: bool = True
    skip_own_out_of_stock: bool = True


@dataclass(frozen=True, slots=True)
class EndingBand:
    """The price endings used below a price; `below` is None in the last band."""

    endings: tuple[Decimal, ...]
    below: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Rounding:
    """How a target becomes a price; without bands it is rounded half up to the minor unit."""

    mode: Mode = Mode.NEAREST
    bands: tuple[EndingBand, ...] = ()


@dataclass(frozen=True, slots=True)
class Rule:
    """One pricing rule; the first that matches a product decides alone."""

    id: str
    priority: int  #: smallest first; equal ones in the order written
    target: Target
    enabled: bool = True
    scope: Scope = Scope()
    compare: Compare = Compare.PRICE
    offers: OfferFilter = OfferFilter()
    guardrails: Guardrails = Guardrails()
    rounding: Rounding = Rounding()
    fallback: Fallback = Fallback.STOP


@dataclass(frozen=True, slots=True)
class Emergency:
    """A dated ceiling: from one day to another, both included, no raise far above the price before it."""

    id: str
    since: date
    until: date
    max_increase_pct: Decimal
    scope: Scope = Scope()


@dataclass(frozen=True, slots=True)
class Untouchable:
    """Products that the monitor leaves alone; being in one of the lists is enough."""

    skus: frozenset[str] = frozenset()
    brands: frozenset[str] = frozenset()
    categories: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()

    def listed(self, product: Product) -> str | None:
        """Return the entry that names a product, or None."""
        if product.sku in self.skus:
            return product.sku
        if product.brand in self.brands or product.category in self.categories:
            return product.brand if product.brand in self.brands else product.category
        return min(self.tags.intersection(product.tags), default=None)


@dataclass(frozen=True, slots=True)
class Breaker:
    """Limits beyond which the proposals of a night need a second look; an absent one is off."""

    competitor_pct: Decimal | None = None  #: share of one competitor's prices that moved in this night
    market_pct: Decimal | None = None  #: share of all prices that moved in this night
    down_pct: Decimal | None = None  #: share of our products with offers that would move down
    median_change_pct: Decimal | None = None  #: the median of the proposed changes, up or down
    coverage_drop_points: Decimal | None = None  #: fewer percent of the watches read than in the nights before
    least_prices: int = 10  #: with fewer prices or products to compare, a share says nothing


@dataclass(frozen=True, slots=True)
class PriceWar:
    """How many decreases in a row, within how many days, are enough."""

    decreases: int = 3
    days: int = 14


@dataclass(frozen=True, slots=True)
class RunGuards:
    """Limits of one night over all products; an absent one is off."""

    max_proposals: int | None = None
    max_weekly_effect: Decimal | None = None  #: summed, each without its sign, in the currency of the products
    breaker: Breaker = Breaker()
    price_war: PriceWar | None = None
    emergencies: tuple[Emergency, ...] = ()
    do_not_touch: Untouchable = Untouchable()


@dataclass(frozen=True, slots=True)
class ExchangeRates:
    """What one unit of each foreign currency is worth in `base`, on one day."""

    base: str | None = None
    rates: Mapping[str, Decimal] = field(default_factory=dict)
    as_of: date | None = None

    def into(self, currency: str) -> Mapping[str, Fraction]:
        """Return the worth of one unit of each known currency in `currency`; empty when that is unknown.

        A currency without a rate is left out, so that its offers are ignored; nothing is ever taken 1:1.
        """
        if self.base is None:
            return {}
        worth = {code: Fraction(rate) for code, rate in self.rates.items()} | {self.base: Fraction(1)}
        own = worth.get(currency)
        return {code: rate / own for code, rate in worth.items()} if own else {}


@dataclass(frozen=True)
class Rules:
    """All rules in force in the order in which they are asked, and what holds for the night as a whole."""

    rules: tuple[Rule, ...] = ()
    rates: ExchangeRates = ExchangeRates()
    guards: RunGuards = RunGuards()
    doubts: Doubts = field(default_factory=Doubts)  #: when a reading is too odd to be used at once

    def __post_init__(self) -> None:
        """Keep the enabled rules by priority; the sort keeps the written order of equal ones."""
        asked = sorted((rule for rule in self.rules if rule.enabled), key=lambda rule: rule.priority)
        object.__setattr__(self, "_asked", tuple(asked))

    @property
    def asked(self) -> tuple[Rule, ...]:
        """The enabled rules, in the order in which a product is held against them."""
        found: tuple[Rule, ...] = self.__dict__["_asked"]
        return found

    def asked_about(self, product: Product) -> Iterator[Rule]:
        """Yield the enabled rules for this product; the first decides."""
        return (rule for rule in self.asked if rule.scope.covers(product))

"""Rivals' offers: which of them count for one product under one rule, and for how much.

Steps 4 and 5 of `docs/pricing.md`. An offer that does not count keeps the first code that says why.
The result does not depend on the order in which offers come.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from monitor.domain.catalogue import MatchState, Product
from monitor.domain.pricing.codes import OfferCode, Reason
from monitor.domain.pricing.exact import Ticks, amount_of, percent_of, ticks_of, times, without_percent
from monitor.domain.pricing.rule import Compare, OfferFilter, ReferenceKind, Rule, Stock

#: The only condition that competes with a new product.
NEW = "new"

#: With fewer offers than this there is no telling which one is the outlier.
_ENOUGH_FOR_OUTLIERS = 3
_HALF = Fraction(1, 2)

_ON_PROBATION = frozenset({OfferCode.HELD, OfferCode.STALE})
_NOT_TRACKED = frozenset({OfferCode.NOT_CONFIRMED, OfferCode.CONDITION, OfferCode.SELLER_EXCLUDED})


@dataclass(frozen=True, slots=True)
class Offer:
    """What one rival asks for one of our products, and how far that can be trusted."""

    seller: str  #: unique among the offers of one product; a competitor id in the nightly run
    price: Decimal
    currency: str
    age: timedelta  #: how long ago it was seen
    match: MatchState
    shipping: Decimal | None = None  #: None is unknown
    in_stock: bool | None = None  #: None is unknown
    condition: str = NEW
    units: int = 1  #: base units in the pack
    tax_included_pct: Decimal = Decimal(0)  #: tax contained in price and shipping
    held: bool = False  #: suspicious, waits for confirmation
    name: str | None = None  #: how people call the seller
    seen_at: datetime | None = None
    url: str | None = None
    evidence: str | None = None  #: hash of the stored evidence blob

    @property
    def called(self) -> str:
        """The seller as people call it."""
        return self.name or self.seller


@dataclass(frozen=True, slots=True)
class Comparable:
    """A usable offer with its exact price in our currency, for our pack size, without tax."""

    offer: Offer
    ticks: Ticks

    @property
    def amount(self) -> Fraction:
        """The price in currency units."""
        return amount_of(self.ticks)


@dataclass(frozen=True, slots=True)
class Ignored:
    """An offer that did not count, and why."""

    offer: Offer
    code: OfferCode


@dataclass(frozen=True, slots=True)
class Market:
    """The offers for one product as one rule sees them."""

    usable: tuple[Comparable, ...] = ()  #: cheapest first, then by seller
    ignored: tuple[Ignored, ...] = ()  #: by seller

    @property
    def tracked(self) -> int:
        """How many offers are of confirmed, new products of sellers that the rule looks at."""
        return len(self.usable) + sum(ignored.code not in _NOT_TRACKED for ignored in self.ignored)

    @property
    def fresh(self) -> int:
        """How many of the tracked offers are recent enough and not held."""
        return self.tracked - sum(ignored.code in _ON_PROBATION for ignored in self.ignored)


@dataclass(frozen=True, slots=True)
class Reference:
    """The amount a target is measured against, and the offers that decided it (none for our cost)."""

    ticks: Ticks
    offers: tuple[Comparable, ...] = ()

    @property
    def amount(self) -> Fraction:
        """The reference in currency units."""
        return amount_of(self.ticks)


def market_of(product: Product, offers: Iterable[Offer], rule: Rule, rates: Mapping[str, Fraction]) -> Market:
    """Sort the offers into usable and ignored ones.

    Args:
        product: its currency is the one everything is converted to.
        offers: at most one per seller.
        rule: brings the filters and says whether delivery counts.
        rates: the worth of one unit of each foreign currency in the product's currency.
    """
    left: list[Comparable] = []
    ignored: list[Ignored] = []
    is_landed, asked = rule.compare is Compare.LANDED, rule.offers
    for offer in offers:
        code = _distrust(offer, asked) or _unusable(offer, product, rule, rates)
        if code is None:
            left.append(Comparable(offer, _worth(offer, product, rates, is_landed)))
        else:
            ignored.append(Ignored(offer, code))
    left.sort(key=_seller)
    left.sort(key=_ticks)
    if asked.outlier_pct is not None and len(left) >= _ENOUGH_FOR_OUTLIERS:
        left, outliers = _without_outliers(left, asked.outlier_pct)
        ignored += (Ignored(comparable.offer, OfferCode.OUTLIER) for comparable in outliers)
    ignored.sort(key=_seller)
    return Market(tuple(left), tuple(ignored))


def shortage(market: Market, rule: Rule) -> Reason | None:
    """Say what the market lacks for this rule to decide, or None; a missing reference is asked for apart."""
    asked = rule.offers
    if asked.min_coverage_pct and market.fresh < market.tracked * percent_of(asked.min_coverage_pct):
        return Reason.COVERAGE_LOW
    return Reason.TOO_FEW_OFFERS if len(market.usable) < asked.min_offers else None


def reference_in(market: Market, rule: Rule) -> Reference | None:
    """Return what the rule measures against among the usable offers, or None when it is not there."""
    usable, target = market.usable, rule.target
    if target.reference is ReferenceKind.SELLER:
        usable = tuple(one for one in usable if one.offer.seller == target.seller)
    elif target.reference is ReferenceKind.NTH:
        usable = usable[(target.n or 1) - 1 :]
    if not usable:
        return None
    if target.reference is ReferenceKind.MEDIAN:
        return Reference(median_ticks(usable), usable[(len(usable) - 1) // 2 : len(usable) // 2 + 1])
    if target.reference is ReferenceKind.AVERAGE:
        return Reference(times(sum(map(_ticks, usable)), Fraction(1, len(usable))), usable)
    return Reference(usable[0].ticks, usable[:1])


def median(ordered: Sequence[Comparable]) -> Fraction:
    """Return the middle amount of offers in order, or the mean of the two middle ones, in currency units."""
    return amount_of(median_ticks(ordered))


def advertised(offer: Offer, product: Product, rates: Mapping[str, Fraction]) -> Fraction:
    """Return what an offer asks without tax and delivery, for the product's pack and in its currency."""
    return amount_of(_worth(offer, product, rates, with_shipping=False))


def median_ticks(ordered: Sequence[Comparable]) -> Ticks:
    """Return the middle amount of offers in order, or the mean of the two middle ones, in ticks."""
    low, high = ordered[(len(ordered) - 1) // 2].ticks, ordered[len(ordered) // 2].ticks
    return low if low == high else times(low + high, _HALF)


def _distrust(offer: Offer, asked: OfferFilter) -> OfferCode | None:
    """Say why an offer is not one to look at tonight, or None."""
    if offer.match is not MatchState.CONFIRMED:
        return OfferCode.NOT_CONFIRMED
    if offer.condition != NEW:
        return OfferCode.CONDITION
    if offer.seller in asked.exclude_sellers:
        return OfferCode.SELLER_EXCLUDED
    if asked.only_sellers is not None and offer.seller not in asked.only_sellers:
        return OfferCode.SELLER_EXCLUDED
    if offer.held:
        return OfferCode.HELD
    return OfferCode.STALE if offer.age > duration(asked.max_age_hours) else None


def _unusable(offer: Offer, product: Product, rule: Rule, rates: Mapping[str, Fraction]) -> OfferCode | None:
    """Say why an offer that was looked at cannot be compared, or None."""
    asked = rule.offers
    if offer.in_stock is False and asked.out_of_stock is Stock.IGNORE:
        return OfferCode.OUT_OF_STOCK
    if offer.in_stock is None and asked.unknown_stock is Stock.IGNORE:
        return OfferCode.STOCK_UNKNOWN
    if offer.currency != product.currency and offer.currency not in rates:
        return OfferCode.NO_FX_RATE
    if offer.shipping is None and rule.compare is Compare.LANDED:
        return OfferCode.SHIPPING_UNKNOWN
    if asked.ignore_below_map and product.map is not None:
        advertised = _worth(offer, product, rates, with_shipping=False)
        return OfferCode.BELOW_MAP if advertised < ticks_of(product.map) else None
    return None


def _worth(offer: Offer, product: Product, rates: Mapping[str, Fraction], with_shipping: bool) -> Ticks:
    """Return an offer's exact price without tax, in the product's currency, for the product's pack."""
    ticks = ticks_of(offer.price)
    if with_shipping and offer.shipping:
        ticks += ticks_of(offer.shipping)
    if offer.tax_included_pct:
        ticks = times(ticks, without_percent(offer.tax_included_pct))
    if offer.currency != product.currency:
        ticks = times(ticks, rates[offer.currency])
    return ticks if offer.units == product.units else times(ticks, Fraction(product.units, offer.units))


def _without_outliers(ordered: list[Comparable], outlier_pct: Decimal) -> tuple[list[Comparable], list[Comparable]]:
    """Split offers, cheapest first, into those near the median and those too far from it, in one pass."""
    middle = median_ticks(ordered)
    farthest = times(middle, percent_of(outlier_pct))
    start = bisect_left(ordered, middle - farthest, key=_ticks)
    end = bisect_right(ordered, middle + farthest, key=_ticks)
    return ordered[start:end], ordered[:start] + ordered[end:]


def _ticks(comparable: Comparable) -> Ticks:
    return comparable.ticks


def _seller(one: Comparable | Ignored) -> str:
    return one.offer.seller


@lru_cache(maxsize=256)
def duration(hours: Decimal) -> timedelta:
    """Return hours as a length of time, exact to the microsecond."""
    return timedelta(microseconds=int(hours * 3_600_000_000))

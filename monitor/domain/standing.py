"""Where our price stands among the rivals' after one night, product by product and over all of them.

Kept for every night, so that mail, pages, API and exports show the same figures and a history of them costs nothing.

Definitions: the price index is our comparable price in percent of the median of the usable comparable offers; the
portfolio's is the mean of its products' indices weighted by a week's revenue, with the unweighted mean beside it;
lowest are products at or below the lowest usable offer; the red zone is more than 10 % above it. Usable and
comparable are what the deciding rule calls so (`docs/pricing.md`, steps 4 and 5).
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Any
from zlib import compress, decompress

from monitor.domain.pricing import Decision, Offer, Rules
from monitor.domain.pricing.offers import Market, market_of, median
from monitor.domain.pricing.rule import Compare

_TENTH = Decimal("0.1")
_KEPT = Decimal("0.0001")
#: Percent above the lowest usable offer from which a product is in the red zone.
RED_ZONE_PCT = 10
#: Percent below the lowest usable offer from which we give away money.
CHEAP_PCT = 5


@dataclass(frozen=True, slots=True)
class Standing:
    """One product after one night; amounts are comparable ones in the product's currency."""

    run_id: str
    sku: str
    title: str
    currency: str
    own: Decimal
    lowest: Decimal | None = None  #: None without a usable offer
    lowest_seller: str | None = None
    median: Decimal | None = None
    position: int | None = None  #: 1 is cheapest; equal prices share the better place
    usable: int = 0
    tracked: int = 0
    weekly_units: Decimal | None = None
    brand: str | None = None
    category: str | None = None
    rule: str | None = None
    reason: str | None = None  #: why nothing is proposed; None for a proposal

    @property
    def index(self) -> Decimal | None:
        """Our price in percent of the median, to one decimal place."""
        return _percent(self.own, self.median)

    @property
    def above_lowest_pct(self) -> Decimal | None:
        """Percent above the lowest usable offer, below zero when we are cheaper."""
        found = _percent(self.own, self.lowest)
        return None if found is None else found - 100

    @property
    def is_lowest(self) -> bool:
        """At or below the lowest usable offer."""
        return self.lowest is not None and self.own <= self.lowest

    @property
    def is_red(self) -> bool:
        """In the red zone."""
        return self.lowest is not None and self.own * 100 > self.lowest * (100 + RED_ZONE_PCT)

    @property
    def is_cheap(self) -> bool:
        """So far below everybody that a raise costs nothing."""
        return self.lowest is not None and self.own * 100 < self.lowest * (100 - CHEAP_PCT)

    @property
    def weekly_revenue(self) -> Decimal | None:
        """A week's revenue at our price; None when nobody knows the units."""
        return None if self.weekly_units is None else self.own * self.weekly_units


@dataclass(frozen=True, slots=True)
class Portfolio:
    """All products of one night together; rates are percent with one decimal place, None when nothing counts."""

    products: int
    compared: int  #: with at least one usable offer
    index: Decimal | None  #: weighted by revenue; None when no compared product has known units
    index_plain: Decimal | None  #: unweighted
    lowest_pct: Decimal | None
    red_pct: Decimal | None
    cheap: int
    tracked: int
    usable: int


def standing_of(run_id: str, decision: Decision, offers: Iterable[Offer], rates: Mapping[str, Fraction]) -> Standing:
    """Return where a product stands, also when its rule did not look at the market."""
    product, rule = decision.product, decision.rule
    market = decision.market
    if rule is not None and not market.usable and not market.ignored:
        market = market_of(product, offers, rule, rates)
    landed = rule is not None and rule.compare is Compare.LANDED
    own = Fraction(product.price) + (Fraction(product.shipping or 0) if landed else 0)
    first = market.usable[0] if market.usable else None
    return Standing(
        run_id=run_id,
        sku=product.sku,
        title=product.full_title,
        currency=product.currency,
        own=_kept(own),
        lowest=None if first is None else _kept(first.amount),
        lowest_seller=None if first is None else first.offer.seller,
        median=_kept(median(market.usable)) if market.usable else None,
        position=_position(own, market),
        usable=len(market.usable),
        tracked=market.tracked,
        weekly_units=product.weekly_units,
        brand=product.brand,
        category=product.category,
        rule=None if rule is None else rule.id,
        reason=None if decision.reason is None else decision.reason.value,
    )


def standings(
    run_id: str, decided: Iterable[Decision], offers: Mapping[str, Iterable[Offer]], rules: Rules
) -> tuple[Standing, ...]:
    """Return where every decided product stands; `offers` are by SKU, as they were decided on."""
    return tuple(
        standing_of(run_id, one, offers.get(one.product.sku, ()), rules.rates.into(one.product.currency))
        for one in decided
    )


def portfolio(found: Iterable[Standing]) -> Portfolio:
    """Return the figures over all products, which are looked at one after the other."""
    counts: Counter[str] = Counter()
    weighted, plain = _Mean(), _Mean()
    for row in found:
        counts.update(products=1, tracked=row.tracked, usable=row.usable)
        if not (row.usable and row.median):
            continue
        counts.update(compared=1, lowest=row.is_lowest, red=row.is_red, cheap=row.is_cheap)
        index = Fraction(row.own) / Fraction(row.median) * 100
        plain.add(index, Fraction(1))
        if revenue := row.weekly_revenue:
            weighted.add(index, Fraction(revenue))
    return Portfolio(
        products=counts["products"],
        compared=counts["compared"],
        index=weighted.value,
        index_plain=plain.value,
        lowest_pct=_share(counts["lowest"], counts["compared"]),
        red_pct=_share(counts["red"], counts["compared"]),
        cheap=counts["cheap"],
        tracked=counts["tracked"],
        usable=counts["usable"],
    )


def packed(rows: Iterable[Standing]) -> bytes:
    """Return standings in a tenth of the memory: of thirty thousand products they take 15 MB."""
    return compress(json.dumps([[getattr(row, name) for name in _FIELDS] for row in rows], default=str).encode(), 1)


def unpacked(body: bytes) -> Iterator[Standing]:
    """Yield the standings that `packed` was given."""
    for values in json.loads(decompress(body)):
        yield Standing(*map(_read, _FIELDS, values))


_AMOUNTS = frozenset({"own", "lowest", "median", "weekly_units"})
_FIELDS = tuple(Standing.__dataclass_fields__)


def _read(name: str, value: Any) -> Any:
    return Decimal(value) if name in _AMOUNTS and value is not None else value


class _Mean:
    """A weighted mean that is added up."""

    def __init__(self) -> None:
        self._total = self._weight = Fraction(0)

    def add(self, value: Fraction, weight: Fraction) -> None:
        self._total += value * weight
        self._weight += weight

    @property
    def value(self) -> Decimal | None:
        return _rounded(self._total / self._weight, _TENTH) if self._weight else None


def _position(own: Fraction, market: Market) -> int | None:
    return 1 + sum(one.amount < own for one in market.usable) if market.usable else None


def _share(part: int, whole: int) -> Decimal | None:
    return _rounded(Fraction(part * 100, whole), _TENTH) if whole else None


def _percent(part: Decimal, whole: Decimal | None) -> Decimal | None:
    return _rounded(Fraction(part) / Fraction(whole) * 100, _TENTH) if whole else None


def _kept(amount: Fraction) -> Decimal:
    return _rounded(amount, _KEPT)


def _rounded(value: Fraction, step: Decimal) -> Decimal:
    return (Decimal(value.numerator) / Decimal(value.denominator)).quantize(step, ROUND_HALF_UP)

"""Where our prices stand tonight, and where money lies on the street: raises that cost nothing, rivals sold out.

Definitions are those of `monitor.domain.standing`. A stock-out is an opportunity when we have the product and at least
half of the sellers that are tracked for it, and at least two, do not. What nobody knows the stock of counts as had.
"""

from bisect import insort
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import TypeAlias

from monitor.domain.catalogue import Catalogue, MatchState, Product
from monitor.domain.extraction import Availability
from monitor.domain.money import rounded
from monitor.domain.observation import OWN, Span
from monitor.domain.report.clean import clean
from monitor.domain.report.needs import SKU_LIMIT, TITLE_LIMIT
from monitor.domain.report.view import Opportunities, Opportunity, OpportunityKind, Place
from monitor.domain.report.wording import counted, money, rate
from monitor.domain.standing import Portfolio, Standing

MAX_OPPORTUNITIES = 8
_GONE = frozenset({Availability.OUT_OF_STOCK, Availability.DISCONTINUED})
#: Sellers that must be sold out before it is more than chance.
_SOLD_OUT_LEAST = 2


def place_of(portfolio: Portfolio | None) -> Place | None:
    """Return the figures over all products, or None when nothing could be compared."""
    if portfolio is None or not portfolio.compared:
        return None
    return Place(
        index=portfolio.index if portfolio.index is not None else portfolio.index_plain,
        is_weighted=portfolio.index is not None,
        lowest_pct=portfolio.lowest_pct,
        red_pct=portfolio.red_pct,
        compared=portfolio.compared,
        products=portfolio.products,
    )


def opportunities_of(standings: Iterable[Standing], current: Iterable[Span], catalogue: Catalogue) -> Opportunities:
    """Return the opportunities of a night, most weekly revenue first, unknown last."""
    gone, tracked = _stock(current, catalogue)
    names = {competitor.id: competitor.name for competitor in catalogue.competitors}
    products = {product.sku: product for product in catalogue.products}
    total, best = 0, list[tuple[_Rank, Opportunity]]()
    for one in standings:
        product = products.get(one.sku)
        made = product and _opportunity(one, product, gone.get(one.sku, ()), tracked.get(one.sku, 0), names)
        if made:
            total += 1
            insort(best, ((one.weekly_revenue is None, -(one.weekly_revenue or Decimal(0)), one.sku), made), key=_rank)
            del best[MAX_OPPORTUNITIES:]
    return Opportunities(tuple(made for _, made in best), total, total - len(best))


#: What the first of them are chosen by.
_Rank: TypeAlias = tuple[bool, Decimal, str]


def _rank(ranked: tuple[_Rank, Opportunity]) -> _Rank:
    return ranked[0]


def _stock(current: Iterable[Span], catalogue: Catalogue) -> tuple[Mapping[str, Sequence[str]], Mapping[str, int]]:
    """Return, by SKU, who is sold out, and how many sellers are tracked."""
    confirmed = {(one.competitor, one.sku) for one in catalogue.watches if one.match is MatchState.CONFIRMED}
    gone: dict[str, list[str]] = defaultdict(list)
    tracked: dict[str, int] = defaultdict(int)
    for span in current:
        if span.competitor == OWN or (span.competitor, span.sku) not in confirmed:
            continue
        tracked[span.sku] += 1
        if span.availability in _GONE:
            gone[span.sku].append(span.competitor)
    return gone, tracked


def _opportunity(
    one: Standing, product: Product, gone: Sequence[str], tracked: int, names: Mapping[str, str]
) -> Opportunity | None:
    if product.stock is not None and product.stock <= 0:
        return None
    if len(gone) >= _SOLD_OUT_LEAST and len(gone) * 2 >= tracked:
        who = ", ".join(names.get(key, key) for key in sorted(gone)[:3])
        more = f" and {len(gone) - 3} more" if len(gone) > 3 else ""
        words = f"{len(gone)} of {counted(tracked, 'rival')} sold out: {who}{more}"
        return _row(OpportunityKind.SOLD_OUT, one, words)
    if one.is_cheap and one.lowest is not None:
        below = (one.lowest - one.own) / one.lowest * 100
        seller = names.get(one.lowest_seller or "", one.lowest_seller or "")
        words = f"{rate(below)} below the lowest, {seller} at {_amount(one.lowest, one.currency)}"
        return _row(OpportunityKind.CHEAP, one, words)
    return None


def _row(kind: OpportunityKind, one: Standing, words: str) -> Opportunity:
    return Opportunity(kind, clean(one.sku, SKU_LIMIT), clean(one.title, TITLE_LIMIT), clean(words, 200))


def _amount(amount: Decimal, currency: str) -> str:
    return money(rounded(amount, currency), currency)

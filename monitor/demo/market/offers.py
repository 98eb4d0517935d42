"""Which shop sells which product, and what it asks for it on each night.

At rest one shop, the leader, asks exactly our price for each product and all others ask more, so that nothing is to
be done. The moves of `moves.py` disturb that rest. Foreign prices are converted once and stay above ours.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import cycle
from random import Random

from monitor.demo.goods import Good, goods, rounded
from monitor.demo.market.moves import Move, Places, moves_of
from monitor.demo.market.shops import SHOPS, UNQUOTED_WORTHS, WORTHS, Fault, Shop


@dataclass(frozen=True, slots=True)
class Offer:
    """What a shop asks for a product on one night."""

    price: Decimal
    list_price: Decimal | None = None
    in_stock: bool = True
    is_gone: bool = False  #: the page says that there is no such product


@dataclass(frozen=True, slots=True)
class Market:
    """The whole market of a seed; pure, so anybody may ask what a page should have said."""

    seed: int
    shops: tuple[Shop, ...]
    goods: tuple[Good, ...]
    rest: Mapping[str, Mapping[str, Offer]]  #: by shop and SKU
    moves: tuple[Move, ...]

    def offer(self, shop: str, sku: str, night: int) -> Offer:
        """Return an offer as it is on a night, counted from 1."""
        offer = self.rest[shop][sku]
        for move in self.moves:
            if (move.shop, move.sku) == (shop, sku) and move.first <= night <= move.last:
                offer = _moved(offer, move, self.rest[move.leader][sku])
        return offer

    def good(self, slug: str) -> Good | None:
        """Return the product that an address names."""
        return next((good for good in self.goods if good.slug == slug), None)

    def watches(self) -> int:
        """Return how many pages show one of our products."""
        return sum(map(len, self.rest.values()))


def _moved(offer: Offer, move: Move, lowest: Offer) -> Offer:
    if move.factor is None:
        return replace(offer, in_stock=False)
    price = rounded(lowest.price * move.factor)
    return replace(offer, price=price, list_price=offer.price if move.is_sale else None)


def market_of(seed: int) -> Market:
    """Return the market of a seed."""
    own, rng = goods(seed), Random(f"market {seed}")
    sold = _assortments(own, rng)
    leaders = {sku: shop for shop, skus in sold.items() for sku in skus[: _led(shop, own)]}
    by_sku = {good.sku: good for good in own}
    rest = {shop.id: {sku: _at_rest(shop, by_sku[sku], sku, leaders, rng) for sku in sold[shop.id]} for shop in SHOPS}
    gone = next(shop for shop in SHOPS if shop.fault is Fault.SOFT_404)
    first = next(iter(rest[gone.id]))
    rest[gone.id][first] = replace(rest[gone.id][first], is_gone=True)
    places = Places(leaders, {shop.id: tuple(sold[shop.id]) for shop in SHOPS if shop.may_lead})
    return Market(seed, SHOPS, own, rest, moves_of(places, rng))


def _led(shop: str, own: tuple[Good, ...]) -> int:
    """Return how many of its products a shop leads: they are dealt round, so the first shops may have one more."""
    leading = [each.id for each in SHOPS if each.may_lead]
    return len(own[leading.index(shop) :: len(leading)]) if shop in leading else 0


def _assortments(own: tuple[Good, ...], rng: Random) -> dict[str, list[str]]:
    """Deal each product to one leader, then fill every shop up with others at random."""
    sold: dict[str, list[str]] = {shop.id: [] for shop in SHOPS}
    dealt = rng.sample(own, len(own))
    for good, shop in zip(dealt, cycle(shop for shop in SHOPS if shop.may_lead), strict=False):
        sold[shop.id].append(good.sku)
    for shop in SHOPS:
        others = [good.sku for good in own if good.sku not in sold[shop.id]]
        sold[shop.id] += rng.sample(others, max(shop.watches - len(sold[shop.id]), 0))
    return sold


def _at_rest(shop: Shop, good: Good, sku: str, leaders: Mapping[str, str], rng: Random) -> Offer:
    factor = Decimal(1) if leaders[sku] == shop.id else Decimal(rng.randint(103, 112)) / 100
    in_stock = shop.fault is not Fault.SOLD_OUT
    if shop.currency == "EUR":
        return Offer(good.price if factor == 1 else rounded(good.price * factor), in_stock=in_stock)
    worth = Decimal((WORTHS | UNQUOTED_WORTHS)[shop.currency])
    foreign = good.price * (factor + Decimal("0.03")) / worth
    if shop.currency == "JPY":
        return Offer((foreign / 10).quantize(Decimal(1)) * 10, in_stock=in_stock)
    return Offer(foreign.quantize(Decimal(1)) - Decimal("0.01"), in_stock=in_stock)

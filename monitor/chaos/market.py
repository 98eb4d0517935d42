"""The market of a chaos run: so many shops of a few pages each, and two prices that move every night."""

from collections.abc import Iterator
from decimal import Decimal
from random import Random

from monitor.demo.goods import Good, goods, rounded
from monitor.demo.market import Market, Offer, Shop
from monitor.demo.market.moves import Move
from monitor.demo.market.shops import Style

#: Products of ours, and how many of them each shop sells.
PRODUCTS, PAGES = 8, 3
_STYLES = (Style.JSON_LD, Style.GRAPH, Style.MICRODATA, Style.META, Style.VISIBLE)


def chaos_market(seed: int, competitors: int, nights: int) -> Market:
    """Return the market of a seed; every shop asks more than we do, except for the moves of a night."""
    rng = Random(f"chaos market {seed}")
    own = goods(seed)[:PRODUCTS]
    shops = tuple(_shop(number) for number in range(1, competitors + 1))
    rest = {shop.id: {good.sku: _dearer(good, rng) for good in rng.sample(own, PAGES)} for shop in shops}
    return Market(seed, shops, own, rest, tuple(_moves(rest, nights, rng)))


def _shop(number: int) -> Shop:
    style = _STYLES[number % len(_STYLES)]
    return Shop(f"rival-{number:02}", f"Rival {number:02}", style, "EUR", "en", PAGES)


def _dearer(good: Good, rng: Random) -> Offer:
    return Offer(rounded(good.price * rng.randint(103, 112) / 100))


def _moves(rest: dict[str, dict[str, Offer]], nights: int, rng: Random) -> Iterator[Move]:
    """Yield two lower prices per night, of two products, so that every night has something to propose."""
    for night in range(1, nights + 1):
        shops = rng.sample(sorted(rest), min(2, len(rest)))
        taken: set[str] = set()
        for shop in shops:
            sku = rng.choice([each for each in sorted(rest[shop]) if each not in taken])
            taken.add(sku)
            yield Move("cheaper", shop, sku, night, night, Decimal(rng.randint(84, 92)) / 100, shop)

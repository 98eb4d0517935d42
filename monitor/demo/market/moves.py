"""What happens on the market during seven nights: the same kinds of events for every seed, other shops and products.

night 1  two shops are already cheaper than we are
night 2  a sale begins (until night 4)
night 3  two products sell out (until night 4), a new lowest rival
night 4  a glitch: one shop asks a tenth, for one night; a second sale begins (until night 6)
night 5  the first sale is over, stock is back, new lowest rivals
night 6  another two
night 7  the second sale is over, a third begins, new lowest rivals
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from random import Random

#: How many nights the demo simulates.
NIGHTS = 7
#: The night of the glitch.
GLITCH_NIGHT = 4


@dataclass(frozen=True, slots=True)
class Move:
    """A change of one offer for some nights."""

    kind: str  #: `cheaper`, `sale`, `sold out`, `glitch`, `new lowest`
    shop: str
    sku: str
    first: int  #: night, from 1
    last: int  #: the last night on which it holds
    factor: Decimal | None  #: of the lowest price at rest; None: nothing in stock
    leader: str  #: the shop that asks the lowest price at rest

    @property
    def is_sale(self) -> bool:
        """Whether the former price is shown struck through."""
        return self.kind == "sale"


@dataclass(frozen=True, slots=True)
class Places:
    """Where moves can happen."""

    leaders: Mapping[str, str]  #: by SKU the shop that asks our price
    sold: Mapping[str, tuple[str, ...]]  #: by shop in EUR, what it sells


#: Kind, first night, last night, how many products, lowest and highest factor in per cent.
_LEADER_MOVES = (
    ("cheaper", 1, NIGHTS, 2, 94, 96),
    ("sale", 2, 4, 4, 86, 90),
    ("sold out", 3, 4, 2, 0, 0),
    ("glitch", GLITCH_NIGHT, GLITCH_NIGHT, 1, 10, 10),
    ("sale", 4, 6, 3, 87, 91),
    ("sale", 7, NIGHTS, 2, 88, 91),
)
#: First night, how many products; from then on.
_NEW_LOWEST = ((3, 2), (5, 2), (6, 2), (7, 3))


def moves_of(places: Places, rng: Random) -> tuple[Move, ...]:
    """Draw the moves; no product is in two of them."""
    return tuple(_drawn(places, rng))


def _drawn(places: Places, rng: Random) -> Iterator[Move]:
    free = rng.sample(sorted(places.leaders), len(places.leaders))
    for kind, first, last, count, low, high in _LEADER_MOVES:
        for _ in range(count):
            sku, factor = free.pop(), Decimal(rng.randint(low, high)) / 100
            yield Move(kind, places.leaders[sku], sku, first, last, factor or None, places.leaders[sku])
    for first, count in _NEW_LOWEST:
        for _ in range(count):
            sku = next(each for each in free if _rivals(places, each))
            free.remove(sku)
            shop = rng.choice(_rivals(places, sku))
            factor = Decimal(rng.randint(91, 96)) / 100
            yield Move("new lowest", shop, sku, first, NIGHTS, factor, places.leaders[sku])


def _rivals(places: Places, sku: str) -> list[str]:
    return [shop for shop, skus in places.sold.items() if sku in skus and places.leaders[sku] != shop]

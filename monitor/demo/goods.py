"""What the demo's own brand sells: about sixty products with plausible prices, costs and limits.

Costs, sales and stock are drawn from the seed, so that the same seed gives the same catalogue.
"""

from dataclasses import dataclass
from decimal import Decimal
from random import Random

BRAND = "Fjordwerk"

#: Category, then each product's name and price in EUR.
_RANGE = """
Tents
  Lofot 1 tent                  349.00
  Lofot 2 tent                  429.00
  Lofot 3 tent                  499.00
  Hardanger 4 tunnel tent       649.00
  Skerry tarp 3 x 3             119.00
  Groundsheet for Lofot 2        49.90
Packs
  Skarv 22 day pack              89.90
  Skarv 30 day pack             109.90
  Skarv 45 trekking pack        169.90
  Skarv 65 trekking pack        219.00
  Tern 12 running vest           99.90
  Rain cover M                   24.90
  Dry bag 8 litres               17.90
  Dry bag 20 litres              24.90
  Hip bag Pika                   34.90
Sleeping
  Polar down bag -10             449.00
  Polar down bag -2              379.00
  Summer quilt 8                 189.00
  Silk liner                      64.90
  Air mat Moss classic           139.00
  Air mat Moss long              159.00
  Foam mat Heath                  44.90
  Inflatable pillow               29.90
Kitchen
  Gas stove Ember                 59.90
  Spirit stove Glow               89.00
  Titanium pot 0.75 litres        54.90
  Titanium mug 0.45 litres        34.90
  Pot set for two                 79.90
  Spork, titanium                 12.90
  Insulated bottle 0.5 litres     29.90
  Insulated bottle 0.75 litres    34.90
  Insulated bottle 1 litre        39.90
  Water filter Spring             69.90
  Folding kettle                  27.90
Lights
  Head torch Vega 350             49.90
  Head torch Vega 600             79.90
  Lantern Lykta                   44.90
  Solar panel 10 W                89.90
  Power bank 10 Ah                39.90
Clothing
  Rain jacket Regn men           229.00
  Rain jacket Regn women         229.00
  Rain trousers Regn             149.00
  Down jacket Ise men            279.00
  Down jacket Ise women          279.00
  Fleece Ull men                 109.00
  Fleece Ull women               109.00
  Merino shirt long              79.90
  Merino shirt short             64.90
  Merino leggings                69.90
  Hiking trousers Fjell          119.00
  Hiking shorts Fjell             79.90
  Wool hat                        29.90
  Liner gloves                    24.90
  Storm gloves                    59.90
Feet
  Hiking boot Granit             219.00
  Trail shoe Skifer              149.00
  Gaiters                         54.90
  Merino socks (2 pairs)          29.90
  Trekking poles, carbon         129.00
  Micro spikes                    59.90
"""


@dataclass(frozen=True, slots=True)
class Good:
    """One product of the demo's own brand."""

    sku: str
    slug: str  #: as shops write it in an address
    title: str
    category: str
    price: Decimal  #: ours before the first night, in EUR
    cost: Decimal
    weekly_units: int
    stock: int

    @property
    def min_price(self) -> Decimal:
        """The least we would ask: cost and a quarter, or 78 % of today's price, whichever is more."""
        return max(rounded(self.cost * Decimal("1.25")), rounded(self.price * Decimal("0.78")))

    @property
    def max_price(self) -> Decimal:
        """The most we would ask."""
        return rounded(self.price * Decimal("1.15"))


def rounded(amount: Decimal) -> Decimal:
    """Round to five cents, the way these shops end their prices."""
    return (amount * 20).quantize(Decimal(1)) / Decimal(20) + Decimal("0.00")


def goods(seed: int) -> tuple[Good, ...]:
    """Return the catalogue of a seed."""
    rng, category = Random(f"goods {seed}"), ""
    found: list[Good] = []
    for line in filter(None, _RANGE.splitlines()):
        if not line.startswith(" "):
            category = line
            continue
        title, price = line.strip().rsplit(maxsplit=1)
        found.append(_good(len(found) + 1, title.strip(), category, Decimal(price), rng))
    return tuple(found)


def _good(number: int, title: str, category: str, price: Decimal, rng: Random) -> Good:
    words = "".join(letter if letter.isalnum() else " " for letter in title.lower()).split()
    return Good(
        sku=f"FW-{number:03}",
        slug="-".join([BRAND.lower(), *words]),
        title=f"{BRAND} {title}",
        category=category,
        price=price,
        cost=rounded(price * Decimal(rng.randint(44, 60)) / 100),
        weekly_units=max(2, int(1800 / price * rng.randint(50, 160) / 100)),
        stock=rng.randint(20, 400),
    )

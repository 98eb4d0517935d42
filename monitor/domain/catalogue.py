"""The brand's own products, the competitors it watches, and which page shows which product."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from decimal import Decimal
from enum import StrEnum

from monitor.domain.money import Money
from monitor.domain.quiet_hours import QuietHours


@dataclass(frozen=True, slots=True)
class Product:
    """One of our own products (one sellable variant) as the catalogue states it."""

    sku: str
    title: str
    currency: str
    price: Decimal
    brand: str | None = None
    category: str | None = None
    tags: tuple[str, ...] = ()
    gtin: str | None = None
    mpn: str | None = None
    compare_at: Decimal | None = None
    cost: Decimal | None = None
    min_price: Decimal | None = None
    max_price: Decimal | None = None
    map: Decimal | None = None  #: minimum advertised price
    msrp: Decimal | None = None
    shipping: Decimal | None = None
    units: int = 1  #: base units in the pack
    unit_kind: str | None = None  #: what a base unit is: piece, g, ml
    weekly_units: Decimal | None = None  #: sold per week, for the money at stake
    stock: int | None = None
    url: str | None = None
    price_group: str | None = None
    locked: bool = False  #: a person froze this price
    options: tuple[str, ...] = ()  #: what sets this variant apart from the others of its product: Blue, XL
    active: bool = True  #: whether anybody can buy it; a draft or an archived product is not visited and not priced

    @property
    def full_title(self) -> str:
        """The title with what sets this variant apart, where the title does not say so itself."""
        told = self.title.casefold()
        return " - ".join((self.title, *(option for option in self.options if option.casefold() not in told)))


class MatchState(StrEnum):
    """Whether a watch may feed a price."""

    CONFIRMED = "confirmed"  #: a person entered or confirmed it
    SUGGESTED = "suggested"  #: found by the machine, feeds nothing
    REJECTED = "rejected"  #: a person said no


@dataclass(frozen=True, slots=True)
class Watch:
    """One of our products on one competitor page; unique per (competitor, sku)."""

    competitor: str
    sku: str
    url: str
    match: MatchState = MatchState.CONFIRMED
    variant: str | None = None  #: the shop's own variant key, when one page shows several
    their_sku: str | None = None
    their_gtin: str | None = None

    @property
    def key(self) -> str:
        """`competitor/sku`, as the report and the command line write it."""
        return f"{self.competitor}/{self.sku}"


class RobotsPolicy(StrEnum):
    """What to do about a shop's robots.txt."""

    OBEY = "obey"  #: the default
    IGNORE = "ignore"  #: only with the operator's explicit setting; logged every night


class Showing(StrEnum):
    """How a shop's pages are asked for."""

    PLAIN = "plain"  #: as they come over the line
    BROWSER = "browser"  #: as a browser shows them; only where scripts make the price


@dataclass(frozen=True, slots=True)
class Competitor:
    """One shop that is visited every night, with what its operator set for it."""

    id: str  #: `[a-z0-9-]`, at most 60 characters
    name: str
    base_url: str
    currency: str | None = None
    language: str | None = None
    platform: str = "auto"  #: `auto`, `pages`, or an adapter's name: `shopify`, `woocommerce` …
    feed: str | None = None  #: address of a merchant feed of this shop, entered by the operator
    enabled: bool = True
    tool_calls: int = 12  #: budget of one night
    request_cap: int = 24  #: hard cap of HTTP requests of one night
    delay: timedelta = timedelta(seconds=3)
    jitter: float = 0.2  #: share of the delay added or taken at random
    robots: RobotsPolicy = RobotsPolicy.OBEY
    extra_hosts: tuple[str, ...] = ()
    allow_addresses: tuple[str, ...] = ()  #: exact `host:port` that may be loopback or private
    recipe: Mapping[str, str] = field(default_factory=dict)
    quiet_windows: tuple[str, ...] = ()  #: `HH:MM-HH:MM`, when it is not visited
    quiet_zone: str = "UTC"  #: IANA name, of the night
    fetch: Showing = Showing.PLAIN
    refuse: tuple[str, ...] = ()  #: paths as robots.txt writes them that are never asked for, whatever it allows
    allow: tuple[str, ...] = ()  #: paths that are asked for although it closes them; logged every night

    @property
    def quiet_hours(self) -> QuietHours:
        """The windows of local time without visits."""
        return QuietHours.of(self.quiet_windows, self.quiet_zone)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Everything one night works on, frozen when the run begins."""

    products: tuple[Product, ...]
    competitors: tuple[Competitor, ...]
    watches: tuple[Watch, ...]

    def product(self, sku: str) -> Product | None:
        """Return the product with this SKU, or None."""
        return next((p for p in self.products if p.sku == sku), None)

    def for_sale(self) -> "Catalogue":
        """Return the catalogue without the products that nobody can buy now, and without their watches."""
        if all(product.active for product in self.products):
            return self
        products = tuple(product for product in self.products if product.active)
        sold = frozenset(product.sku for product in products)
        return replace(self, products=products, watches=tuple(w for w in self.watches if w.sku in sold))

    def at_prices(self, prices: Mapping[str, Money]) -> "Catalogue":
        """Return the catalogue with these current prices; one in another currency than the product's is left out."""
        products = tuple(
            replace(product, price=now.amount)
            if (now := prices.get(product.sku)) is not None and now.currency == product.currency
            else product
            for product in self.products
        )
        return replace(self, products=products)

    def watches_of(self, competitor: str) -> tuple[Watch, ...]:
        """Return the watches on one competitor, in file order."""
        return tuple(w for w in self.watches if w.competitor == competitor)

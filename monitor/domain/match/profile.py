"""What is compared of a product or a listing, worked out once for each."""

from dataclasses import dataclass, replace
from decimal import Decimal

from monitor.domain.catalogue import Product
from monitor.domain.match.gtin import Gtin, gtin_or_none
from monitor.domain.match.traits import Traits, brand_key, mpn_key, read_traits


@dataclass(frozen=True, slots=True)
class Listing:
    """One thing that a rival sells, as its page, feed or catalogue names it."""

    url: str
    title: str
    brand: str | None = None
    gtin: str | None = None
    mpn: str | None = None
    sku: str | None = None
    variant: str | None = None  #: the shop's own variant key
    options: tuple[str, ...] = ()
    condition: str | None = None
    price: Decimal | None = None
    currency: str | None = None


@dataclass(frozen=True, slots=True)
class Profile:
    """What is compared of a product or a listing, worked out once."""

    title: str
    brand: str  #: as a key; empty when nobody says
    gtin: Gtin | None
    mpn: str  #: as a key; empty when nobody says
    traits: Traits
    brand_words: frozenset[str]  #: of the brand, as words of a title
    price: tuple[Decimal, str] | None


def profile_of_product(product: Product) -> Profile:
    """Return what is compared of one of our products."""
    traits = read_traits(product.title, product.options, product.brand)
    if product.units > 1 and traits.quantity.packs is None and not traits.quantity.sizes and not product.unit_kind:
        traits = _with_packs(traits, product.units)
    return _profile(product.title, product.brand, product.gtin, product.mpn, traits, (product.price, product.currency))


def profile_of_listing(listing: Listing) -> Profile:
    """Return what is compared of a rival's listing."""
    traits = read_traits(listing.title, listing.options, listing.brand)
    stated = (listing.condition or "").casefold().rpartition("/")[2].removesuffix("condition")
    if stated in ("used", "refurbished", "damaged"):
        traits = _with_condition(traits, stated)
    price = None if listing.price is None or listing.currency is None else (listing.price, listing.currency)
    return _profile(listing.title, listing.brand, listing.gtin, listing.mpn, traits, price)


def _profile(
    title: str,
    brand: str | None,
    gtin: str | None,
    mpn: str | None,
    traits: Traits,
    price: tuple[Decimal, str] | None,
) -> Profile:
    return Profile(
        title=title,
        brand=brand_key(brand or ""),
        gtin=gtin_or_none(gtin),
        mpn=mpn_key(mpn or ""),
        traits=traits,
        brand_words=frozenset(brand_key(word) for word in (brand or "").split()),
        price=price,
    )


def _with_packs(traits: Traits, packs: int) -> Traits:
    return replace(traits, quantity=replace(traits.quantity, packs=packs))


def _with_condition(traits: Traits, condition: str) -> Traits:
    return replace(traits, conditions=traits.conditions | {condition})

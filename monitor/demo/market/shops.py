"""The thirty shops of the demo's market."""

from dataclasses import dataclass
from enum import StrEnum


class Style(StrEnum):
    """How a shop's pages tell their price."""

    JSON_LD = "json-ld"  #: structured data, as most platforms write it
    GRAPH = "graph"  #: structured data in an `@graph`, as WooCommerce plugins write it
    MICRODATA = "microdata"  #: `itemprop` in the page
    META = "meta"  #: `product:price:amount`
    VISIBLE = "visible"  #: only words on the page
    SHOPIFY = "shopify"  #: pages and `products.json`


class Fault(StrEnum):
    """What is wrong with a shop."""

    NONE = "none"
    SLOW = "slow"  #: answers after a second and a half
    WALL = "wall"  #: a bot wall with status 403
    QUIET_WALL = "quiet wall"  #: a bot wall with status 200
    BROKEN = "broken"  #: every page is an error of the server
    CLOSED = "closed"  #: robots.txt disallows all
    SOFT_404 = "soft 404"  #: one product is gone, and the page says so with status 200
    SOLD_OUT = "sold out"  #: nothing in stock
    LARGE = "large"  #: more pages than one night's budget


@dataclass(frozen=True, slots=True)
class Shop:
    """One shop."""

    id: str
    name: str
    style: Style
    currency: str
    language: str
    watches: int  #: how many of our products it sells
    fault: Fault = Fault.NONE

    @property
    def may_lead(self) -> bool:
        """Whether it may be the cheapest: its prices are in EUR and read every night."""
        return self.currency == "EUR" and self.fault is Fault.NONE


def _shop(name: str, style: Style, currency: str, language: str, watches: int, fault: Fault = Fault.NONE) -> Shop:
    id_ = "-".join("".join(letter if letter.isalnum() else " " for letter in name.lower()).split())
    return Shop(id_, name, style, currency, language, watches, fault)


#: In the order in which a night visits them; Globex is the seventeenth.
SHOPS = (
    _shop("Alpkontor", Style.JSON_LD, "EUR", "de", 7),
    _shop("Base Camp Direct", Style.SHOPIFY, "GBP", "en", 12),
    _shop("Bergfreund", Style.MICRODATA, "EUR", "de", 7),
    _shop("Bivouac", Style.VISIBLE, "EUR", "fr", 6),
    _shop("Cairn & Co", Style.GRAPH, "GBP", "en", 6),
    _shop("Campo Base", Style.META, "EUR", "it", 6),
    _shop("Carabiner Shop", Style.SHOPIFY, "USD", "en", 12),
    _shop("Cima", Style.JSON_LD, "EUR", "it", 6),
    _shop("Dolomiti Sport", Style.VISIBLE, "EUR", "it", 6),
    _shop("Eiger Outlet", Style.JSON_LD, "EUR", "de", 7),
    _shop("Fernweh", Style.SHOPIFY, "EUR", "de", 14),
    _shop("Firn", Style.JSON_LD, "EUR", "de", 1, Fault.SLOW),
    _shop("Fjellhuset", Style.JSON_LD, "SEK", "sv", 6),
    _shop("Freiluft", Style.MICRODATA, "EUR", "de", 15, Fault.LARGE),
    _shop("Gipfelhaus", Style.GRAPH, "EUR", "de", 7),
    _shop("Glacier Goods", Style.JSON_LD, "USD", "en", 6),
    _shop("Globex", Style.JSON_LD, "EUR", "en", 9),
    _shop("Grat und Tal", Style.META, "EUR", "de", 6),
    _shop("Hikeland", Style.JSON_LD, "EUR", "en", 4, Fault.WALL),
    _shop("Isbre", Style.MICRODATA, "SEK", "sv", 5),
    _shop("Kompass", Style.GRAPH, "EUR", "de", 2, Fault.BROKEN),
    _shop("Lavvu", Style.JSON_LD, "EUR", "de", 5, Fault.CLOSED),
    _shop("Moraine", Style.META, "EUR", "en", 4, Fault.QUIET_WALL),
    _shop("Norrsken", Style.SHOPIFY, "SEK", "sv", 10),
    _shop("Outpost", Style.GRAPH, "USD", "en", 5),
    _shop("Pico", Style.VISIBLE, "EUR", "es", 5, Fault.SOFT_404),
    _shop("Refuge", Style.MICRODATA, "EUR", "fr", 6),
    _shop("Sherpa Supply", Style.SHOPIFY, "EUR", "en", 12),
    _shop("Tatra", Style.JSON_LD, "EUR", "pl", 5, Fault.SOLD_OUT),
    _shop("Yamabiko", Style.JSON_LD, "JPY", "ja", 4),
)

#: What one unit of a currency is worth in EUR. There is none for JPY, so those offers are read and do not count.
WORTHS = {"USD": "0.8612", "GBP": "1.1405", "SEK": "0.0912"}

#: For writing prices of shops whose currency has no rate in the rules.
UNQUOTED_WORTHS = {"JPY": "0.0055"}

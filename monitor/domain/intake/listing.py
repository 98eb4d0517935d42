"""What a file or a shop says about our own products, whatever its form, on the way into catalogue.csv.

Every reader of this package turns its form into one `Intake`. Nothing is lost in it: a row is a `Listed` product, or it
is named in `left_out`, or it is one of the counted rows that carry only an image. A product that cannot be bought
(a draft, an archived one, a free one) is listed with the reason; it is never taken for one that can.

`facts` hold the fields of `Product` that the source states. A field that is not there is kept as it was; one that is
there and None is known to be empty now.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Any


class Kind(StrEnum):
    """The forms in which a catalogue can come."""

    OWN = "own"  #: our own simple CSV
    SHOPIFY = "shopify"  #: product export of Shopify, legacy or current headers
    WOOCOMMERCE = "woocommerce"  #: product export of WooCommerce, headers in the shop's language
    MERCHANT = "merchant"  #: Google Merchant or price comparison feed, as a table or as XML
    SHOP = "shop"  #: pulled from the shop's API


@dataclass(frozen=True, slots=True)
class Asked:
    """What the person who imports says about the file, where it does not say so itself."""

    currency: str  #: of amounts that name none
    today: date  #: decides whether a dated sale is on
    kind: Kind | None = None  #: None: recognised by its columns
    encoding: str | None = None  #: None: UTF-8, UTF-16 with a byte order mark, or Windows-1252 where it is plain
    decimal: str | None = None  #: `.` or `,`; None: seen from the amounts of each column
    columns: Mapping[str, str] = field(default_factory=dict)  #: header of the file by name of our own column


@dataclass(frozen=True, slots=True)
class Listed:
    """One sellable variant as its source states it."""

    key: str  #: our SKU: theirs when it is there and unique, else what their form identifies it by
    record: int  #: which record of the file, the header is 1; 0 from an API
    line: int  #: the physical line it begins in; 0 from an API
    facts: Mapping[str, Any]
    not_sold: str | None = None  #: why nobody can buy it now; None when it is for sale
    remarks: tuple[str, ...] = ()  #: what was not taken as it stands
    stated: Mapping[str, str] = field(default_factory=dict)  #: the cells it was read from, as they are written


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A row that is no sellable variant, and why."""

    record: int
    line: int
    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Intake:
    """Everything that one source says, and everything wrong with it; only to be used without problems."""

    name: str
    kind: Kind
    form: str = ""  #: more about the form in words: the header generation, the encoding
    listed: tuple[Listed, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    image_rows: int = 0  #: rows that carry only one more image of the product above them
    notes: tuple[str, ...] = ()  #: what whoever imports should know about the whole file
    problems: tuple[str, ...] = ()

    @property
    def for_sale(self) -> tuple[Listed, ...]:
        """The variants that somebody can buy."""
        return tuple(each for each in self.listed if each.not_sold is None)


def variant_key(*parts: str) -> str:
    """Return a key made of a product's handle and what sets the variant apart, of at most 100 characters.

    >>> variant_key("classic-varsity-top", "Small")
    'classic-varsity-top/Small'
    """
    key = "/".join(" ".join(part.split()) for part in parts if part)
    return key if len(key) <= _KEY else f"{key[: _KEY - 9]}~{_digest(key)}"


#: The longest key that catalogue.csv takes.
_KEY = 100


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]

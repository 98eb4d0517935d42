"""`[shop]` of monitor.toml, and the credentials of the shop from the environment: where approved prices go."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated

from pydantic import model_validator

from monitor.settings.forms import Currency, Switch, WebAddress, one_of, slug, text_of, words
from monitor.settings.toml_file import Section


class ShopKind(StrEnum):
    """Where approved prices go."""

    PRICE_FILE = "price_file"  #: a CSV file that the shop imports
    WEBHOOK = "webhook"  #: a signed HTTP call
    SHOPIFY = "shopify"  #: Shopify's GraphQL Admin API
    WOOCOMMERCE = "woocommerce"  #: WooCommerce's REST API v3


class PriceField(StrEnum):
    """Which of WooCommerce's two prices an approved price becomes."""

    REGULAR = "regular"  #: the regular price; refused while a sale is on
    SALE = "sale"  #: the sale price, below the regular price


class KeyPlace(StrEnum):
    """Where WooCommerce's key stands in a call."""

    HEADER = "header"  #: in the Authorization header
    QUERY = "query"  #: in the address, for hosts that strip the header; their logs may keep it


#: What each kind of shop needs a url for.
_NEEDS_URL = {
    ShopKind.WEBHOOK: "the address that receives the calls",
    ShopKind.SHOPIFY: "the address of the shop that ends in .myshopify.com",
    ShopKind.WOOCOMMERCE: "the address of the shop, as WordPress knows it",
}


def _version(text: str) -> str:
    if re.fullmatch(r"20\d\d-(01|04|07|10)", text):
        return text
    raise ValueError(f'{text!r} is not a version of Shopify\'s Admin API; write a year and a quarter such as "2026-10"')


class ShopSection(Section):
    kind: Annotated[ShopKind, one_of(ShopKind)] = ShopKind.PRICE_FILE
    channel: Annotated[str, slug(40)] = "shop"
    currency: Currency = "EUR"
    tax_included: Switch | None = None
    path: Annotated[str, words(500)] = "var/prices.csv"
    url: WebAddress | None = None
    read_url: WebAddress | None = None
    write_mode: Annotated[PriceField, one_of(PriceField)] = PriceField.REGULAR
    auth: Annotated[KeyPlace, one_of(KeyPlace)] = KeyPlace.HEADER
    api_version: Annotated[str, text_of(_version)] = "2026-10"

    @model_validator(mode="after")
    def _has_its_url(self) -> "ShopSection":
        if self.url is None and self.kind in _NEEDS_URL:
            raise ValueError(f'kind = "{self.kind}" needs the key url, {_NEEDS_URL[self.kind]}')
        return self


@dataclass(frozen=True, slots=True)
class ShopKeys:
    """The credentials of a shop's own API."""

    shopify_token: str | None = field(default=None, repr=False)
    shopify_client: tuple[str, str] | None = field(default=None, repr=False)  #: id and secret
    woocommerce: tuple[str, str] | None = field(default=None, repr=False)  #: key and its secret


#: Variables that hold them, and what each is for.
KNOWN_KEYS = {
    "MONITOR_SHOPIFY_TOKEN": "the permanent access token of the shop's app",
    "MONITOR_SHOPIFY_CLIENT_ID": "the client id of the app, when it has no permanent token",
    "MONITOR_SHOPIFY_CLIENT_SECRET": "the secret of that client id",
    "MONITOR_WOOCOMMERCE_KEY": "the consumer key of the REST API",
    "MONITOR_WOOCOMMERCE_SECRET": "the consumer secret of that key",
}
_BEGINNINGS = {"MONITOR_WOOCOMMERCE_KEY": "ck_", "MONITOR_WOOCOMMERCE_SECRET": "cs_"}
_PLACEHOLDER = re.compile(r"change.?me|example|placeholder|your[-_ ]|<|\.\.\.|x{6}", re.IGNORECASE)
_SHORTEST = 20


def shop_keys(given: Mapping[str, str]) -> ShopKeys:
    """Return the credentials; a pair of which one half is missing is none."""
    return ShopKeys(
        shopify_token=given.get("MONITOR_SHOPIFY_TOKEN"),
        shopify_client=_pair(given, "MONITOR_SHOPIFY_CLIENT_ID", "MONITOR_SHOPIFY_CLIENT_SECRET"),
        woocommerce=_pair(given, "MONITOR_WOOCOMMERCE_KEY", "MONITOR_WOOCOMMERCE_SECRET"),
    )


def _pair(given: Mapping[str, str], first: str, second: str) -> tuple[str, str] | None:
    return (given[first], given[second]) if first in given and second in given else None


def key_problems(given: Mapping[str, str], kind: str) -> Iterator[str]:
    """Yield what is wrong with the credentials, never the credentials themselves.

    Args:
        given: variables by name.
        kind: `shop.kind`.
    """
    for name in KNOWN_KEYS.keys() & given.keys():
        if _PLACEHOLDER.search(given[name]):
            yield f"{name}: it is the placeholder of an example; copy it from the settings of your shop"
        elif len(given[name]) < _SHORTEST or not given[name].startswith(_BEGINNINGS.get(name, "")):
            form = f"it begins with {_BEGINNINGS[name]} and " if name in _BEGINNINGS else "it "
            yield f"{name}: {form}has at least {_SHORTEST} characters; copy it whole from the settings of your shop"
    keys = shop_keys(given)
    if kind == ShopKind.SHOPIFY and keys.shopify_token is None and keys.shopify_client is None:
        yield (
            'MONITOR_SHOPIFY_TOKEN: not set, and shop.kind = "shopify" needs it; an app without a permanent token has '
            "MONITOR_SHOPIFY_CLIENT_ID and MONITOR_SHOPIFY_CLIENT_SECRET instead, both of them"
        )
    if kind == ShopKind.WOOCOMMERCE and keys.woocommerce is None:
        yield (
            'MONITOR_WOOCOMMERCE_KEY and MONITOR_WOOCOMMERCE_SECRET: not both set, and shop.kind = "woocommerce" needs '
            "them; make a key that may read and write under WooCommerce, Settings, Advanced, REST API"
        )

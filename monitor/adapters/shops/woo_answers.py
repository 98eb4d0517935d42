"""What a WooCommerce shop says about its products, and what a write says to it; nothing here calls anybody.

Prices are strings, "" means none. `price` is what customers pay and cannot be set; `regular_price` and `sale_price`
can. A setter runs only when its field is there and not null: "" clears, null does nothing. A sale price at or above the
regular price is silently dropped by the shop, and lowering the regular price to a stored sale price ends the sale: both
are refused here before anything is sent.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any

from monitor.adapters.shops.speaking import amount_in, shown
from monitor.domain.action import PriceWrite
from monitor.domain.money import Money, amount_text, is_currency
from monitor.domain.shop_price import CompareAtAction, ShopPrice, ShopProduct
from monitor.errors import CannotSucceed

#: Kinds of products without a price of their own.
_PRICELESS = {
    "variable": "its variations carry the prices",
    "grouped": "the products in it carry the prices",
}
#: Where plug-ins for several currencies keep a price that a person fixed.
_CURRENCY_KEY = re.compile(r"_(?:woocs_)?(?:regular_)?price_([A-Za-z]{3})")
#: Where plug-ins for costs keep them, in order of preference after WooCommerce's own field.
_COST_FIELDS = ("_wc_cog_cost", "_alg_wc_cog_cost", "_purchase_price")


class WriteMode(StrEnum):
    """Which of WooCommerce's two prices an approved price becomes, unless the decision says so itself."""

    REGULAR = "regular"  #: the regular price; refused while a sale is on
    SALE = "sale"  #: the sale price, below the regular price, which stays


@dataclass(frozen=True, slots=True)
class Terms:
    """How the shop states its prices."""

    currency: str
    decimals: int
    tax_included: bool | None  #: None: the shop does not reckon with taxes


def terms_of(general: Iterable[Mapping[str, Any]], tax: Iterable[Mapping[str, Any]]) -> Terms:
    """Read the settings groups `general` and `tax`.

    Raises:
        CannotSucceed: the currency or the decimals are not there.
    """
    values = {str(option.get("id")): str(option.get("value")) for option in (*general, *tax)}
    currency, decimals = values.get("woocommerce_currency", ""), values.get("woocommerce_price_num_decimals", "")
    if not is_currency(currency) or not decimals.isdecimal():
        raise CannotSucceed(
            f"WooCommerce does not say its currency and decimals (currency {shown(currency)!r}, decimals "
            f"{shown(decimals)!r})"
        )
    reckons = values.get("woocommerce_calc_taxes", "yes") == "yes"
    return Terms(currency, int(decimals), values.get("woocommerce_prices_include_tax") == "yes" if reckons else None)


def price_of(product: Mapping[str, Any], terms: Terms, mode: WriteMode) -> ShopPrice:
    """Return the price of a simple product or a variation.

    The compare-at price is the regular price while a sale is on, and in mode `sale` always: there it is what a sale
    price is measured against.

    Raises:
        CannotSucceed: the product has no price of its own, or one that cannot be read exactly.
    """
    sku, kind = product.get("sku"), str(product.get("type"))
    if kind in _PRICELESS:
        raise CannotSucceed(
            f"{sku} is a {kind} product in WooCommerce: {_PRICELESS[kind]}; name the SKU of one of them"
        )
    price, regular = amount_in(product.get("price")), amount_in(product.get("regular_price"))
    if price is None:
        raise CannotSucceed(f"{sku} has no price in WooCommerce that can be read ({shown(product.get('price'))!r})")
    is_on_sale = product.get("on_sale") is True
    beside = regular if is_on_sale or mode is WriteMode.SALE else None
    return ShopPrice(
        Money(price, terms.currency),
        beside,
        tells_compare_at=True,
        tax_included=terms.tax_included,
        ref=ref_of(product),
        revision=product.get("date_modified_gmt"),
        sale_price=amount_in(product.get("sale_price")),
        is_on_sale=is_on_sale,
    )


def ref_of(product: Mapping[str, Any]) -> str:
    """Return `42` for a product, `42/421` for a variation of it."""
    parent = product.get("parent_id") if product.get("type") in (None, "variation") else None
    return f"{parent}/{product.get('id')}" if parent else str(product.get("id"))


def objection(write: PriceWrite, current: ShopPrice, mode: WriteMode) -> str | None:
    """Say why the shop would not do what is meant: it would drop or end a sale without a word."""
    target = write.target_price
    if write.compare_at_action is not CompareAtAction.KEEP:
        return None
    if mode is WriteMode.SALE:
        regular = current.compare_at
        if regular is None or target < regular:
            return None
        return f"a sale price must be below the regular price: {target} is not below {Money(regular, write.currency)}"
    if target == current.price.amount:
        return None
    if current.is_on_sale:
        return (
            f"a sale is on ({current}): changing the regular price would end it or change nothing that customers pay. "
            'Decide again and clear or set the compare-at price, or set shop.write_mode = "sale"'
        )
    if current.sale_price is not None and target <= current.sale_price:
        planned = Money(current.sale_price, write.currency)
        return f"the regular price would be at or below the sale price {planned} that is stored, which would drop it"
    return None


def fields_of(write: PriceWrite, mode: WriteMode) -> dict[str, str]:
    """Return the fields of a write, all of them text: a batch would take numbers and store them otherwise."""
    price = amount_text(write.target_price, write.currency)
    if write.compare_at_action is CompareAtAction.CLEAR:
        return {"regular_price": price, "sale_price": ""}
    if write.compare_at_action is CompareAtAction.SET and write.compare_at is not None:
        return {"regular_price": amount_text(write.compare_at, write.currency), "sale_price": price}
    return {"sale_price": price} if mode is WriteMode.SALE else {"regular_price": price}


def product_of(
    product: Mapping[str, Any], terms: Terms, mode: WriteMode, parent: Mapping[str, Any] | None = None
) -> ShopProduct | None:
    """Return a listed product or variation; None when it has no SKU or is only a frame around others.

    Args:
        parent: the variable product of a variation.
    """
    sku = str(product.get("sku") or "").strip()
    if not sku or product.get("type") in _PRICELESS:
        return None
    whole, placed = parent or product, {**product, **_placed(parent)}
    return ShopProduct(
        sku=sku,
        ref=ref_of(placed),
        title=str(whole.get("name") or ""),
        options=_options(product) if parent else (),
        price=_price_or_none(placed, terms, mode),
        not_sold=_not_sold(product, whole),
        cost=_cost(product),
        is_stock_told="manage_stock" in product,
        stock=_stock(product),
        gtin=product.get("global_unique_id") or None,
        brand=_first_name(whole.get("brands")),
        category=_first_name(whole.get("categories")),
        url=product.get("permalink") or None,
    )


def _price_or_none(product: Mapping[str, Any], terms: Terms, mode: WriteMode) -> ShopPrice | None:
    try:
        return price_of(product, terms, mode)
    except CannotSucceed:
        return None


def _not_sold(product: Mapping[str, Any], whole: Mapping[str, Any]) -> str | None:
    statuses = {str(each.get("status") or "publish") for each in (product, whole)} - {"publish"}
    return f"its status is {min(statuses)}, not publish" if statuses else None


def _placed(parent: Mapping[str, Any] | None) -> dict[str, Any]:
    return {} if parent is None else {"parent_id": parent.get("id"), "type": "variation"}


def _options(product: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(each["option"]) for each in product.get("attributes") or () if each.get("option"))


def _stock(product: Mapping[str, Any]) -> int | None:
    count = product.get("stock_quantity")
    return count if product.get("manage_stock") is True and isinstance(count, int) else None


def _cost(product: Mapping[str, Any]) -> Decimal | None:
    own = product.get("cost_of_goods_sold")
    if isinstance(own, dict) and (total := amount_in(own.get("total_value"))) is not None:
        return total
    kept = _kept(product)
    return next((cost for name in _COST_FIELDS if (cost := amount_in(kept.get(name))) is not None), None)


def other_currencies(product: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the fixed prices in other currencies that multi-currency plug-ins keep with a product, in words.

    One key for each currency (`_price_USD`, `_regular_price_USD`, `_woocs_regular_price_USD`), or one for all of them
    (`_regular_currency_prices`, a JSON object). A negative or empty amount is none: the plug-in converts.
    """
    found: dict[str, Decimal] = {}
    for key, value in _kept(product).items():
        each = _CURRENCY_KEY.fullmatch(str(key))
        if each is not None:
            _note(found, each[1], value)
        elif key == "_regular_currency_prices":
            for currency, amount in _object(value).items():
                _note(found, str(currency), amount)
    return tuple(str(Money(amount, currency)) for currency, amount in sorted(found.items()))


def _note(found: dict[str, Decimal], currency: str, value: object) -> None:
    amount = amount_in(value)
    if amount is not None and amount > 0 and is_currency(currency.upper()):
        found.setdefault(currency.upper(), amount)


def _object(value: object) -> dict[str, Any]:
    try:
        read = json.loads(value, parse_float=Decimal) if isinstance(value, str) else value
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}


def _kept(product: Mapping[str, Any]) -> dict[Any, Any]:
    """Return what plug-ins keep with a product."""
    return {each.get("key"): each.get("value") for each in product.get("meta_data") or () if isinstance(each, dict)}


def _first_name(of: Any) -> str | None:
    return next((str(each["name"]) for each in of or () if isinstance(each, dict) and each.get("name")), None)

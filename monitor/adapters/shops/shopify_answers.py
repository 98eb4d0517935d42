"""What Shopify's Admin API says about variants and about writes, read from its JSON; nothing here calls anybody.

Amounts are decimal strings, `compareAtPrice` is a string or null, and `nodes(ids:)` has null for an unknown id.
A mutation has succeeded only when its `userErrors` is an empty list; `product` and `productVariants` may be there with
errors too. Callers look at `code`, messages may change. Version 2026-10.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from monitor.adapters.shops.speaking import amount_in, shown
from monitor.domain.action import PriceWrite
from monitor.domain.money import Money, amount_text, is_currency
from monitor.domain.shop_price import CompareAtAction, ShopPrice, ShopProduct
from monitor.errors import CannotSucceed, RetryLater
from monitor.ports.shop import Answer, ProductGone

_NO_OPTION = "Default Title"  # Shopify's word for a product without options
_NOT_SOLD = {"DRAFT": "is a draft", "ARCHIVED": "is archived"}
_GONE_CODES = frozenset({"PRODUCT_DOES_NOT_EXIST", "PRODUCT_VARIANT_DOES_NOT_EXIST"})


def connection(of: Any) -> tuple[list[dict[str, Any]], str | None]:
    """Return the items of one page, listed as `nodes` or as `edges`, and the cursor of the next page.

    Raises:
        CannotSucceed: it is no page.
    """
    if not isinstance(of, dict):
        raise CannotSucceed("Shopify's answer holds no list where one was asked for")
    nodes = of.get("nodes")
    edges = of.get("edges")
    if nodes is None and isinstance(edges, list):
        nodes = [edge.get("node") for edge in edges if isinstance(edge, dict)]
    if not isinstance(nodes, list):
        raise CannotSucceed("Shopify's answer holds no list where one was asked for")
    page = of.get("pageInfo") or {}
    cursor = page.get("endCursor") if page.get("hasNextPage") else None
    return [node for node in nodes if isinstance(node, dict)], cursor


def shop_terms(data: Mapping[str, Any]) -> tuple[str, bool | None]:
    """Return the shop's currency and whether its prices include tax. Raises CannotSucceed."""
    shop = data.get("shop")
    currency = shop.get("currencyCode") if isinstance(shop, dict) else None
    if not isinstance(currency, str) or not is_currency(currency):
        raise CannotSucceed(f"Shopify does not say the shop's currency (it says {currency!r})")
    included = shop.get("taxesIncluded") if isinstance(shop, dict) else None
    return currency, included if isinstance(included, bool) else None


def is_sold(variant: Mapping[str, Any]) -> bool:
    """Say whether a variant belongs to a product that is not archived."""
    product = variant.get("product")
    return not (isinstance(product, dict) and product.get("status") == "ARCHIVED")


def price_of(variant: Mapping[str, Any], currency: str, tax_included: bool | None) -> ShopPrice:
    """Return the price of a variant.

    Raises:
        CannotSucceed: it cannot be read exactly.
    """
    price, beside = amount_in(variant.get("price")), amount_in(variant.get("compareAtPrice"))
    if price is None or (beside is None and variant.get("compareAtPrice") not in (None, "")):
        said = f"price {variant.get('price')!r}, compareAtPrice {variant.get('compareAtPrice')!r}"
        raise CannotSucceed(f"Shopify's price of {variant.get('sku')!r} cannot be read ({shown(said)})")
    return ShopPrice(
        Money(price, currency),
        beside,
        tells_compare_at="compareAtPrice" in variant,
        tax_included=tax_included,
        ref=variant.get("id"),
        revision=variant.get("updatedAt"),
    )


def reading_of(variant: Mapping[str, Any], currency: str, tax_included: bool | None) -> ShopPrice | CannotSucceed:
    """Return the price of a variant, or why it cannot be read."""
    try:
        return price_of(variant, currency, tax_included)
    except CannotSucceed as unreadable:
        return unreadable


def products_of(data: Mapping[str, Any]) -> Iterator[ShopProduct]:
    """Yield what a page of variants lists; variants without a SKU are left out, nothing could be written to them."""
    currency, tax_included = shop_terms(data)
    for variant in connection(data.get("productVariants"))[0]:
        sku = str(variant.get("sku") or "").strip()
        if sku:
            yield _product(variant, sku, currency, tax_included)


def _product(variant: Mapping[str, Any], sku: str, currency: str, tax_included: bool | None) -> ShopProduct:
    product, item = variant.get("product") or {}, variant.get("inventoryItem") or {}
    price, cost = reading_of(variant, currency, tax_included), item.get("unitCost") or {}
    own = str(variant.get("title") or "")
    return ShopProduct(
        sku=sku,
        ref=str(variant.get("id")),
        title=str(product.get("title") or ""),
        options=() if own in ("", _NO_OPTION) else tuple(part.strip() for part in own.split(" / ")),
        price=price if isinstance(price, ShopPrice) else None,
        not_sold=_NOT_SOLD.get(str(product.get("status") or "ACTIVE")),
        cost=amount_in(cost.get("amount")) if cost.get("currencyCode", currency) == currency else None,
        is_stock_told="inventoryQuantity" in variant,
        stock=_stock(variant, item),
        gtin=variant.get("barcode") or None,
        brand=product.get("vendor") or None,
        category=product.get("productType") or None,
        url=product.get("onlineStoreUrl") or None,
    )


def _stock(variant: Mapping[str, Any], item: Mapping[str, Any]) -> int | None:
    """Return what is left; without a tracker, or sold beyond it, there is always some."""
    count = variant.get("inventoryQuantity")
    is_counted = item.get("tracked") and variant.get("inventoryPolicy") != "CONTINUE"
    return count if is_counted and isinstance(count, int) else None


def variant_input(write: PriceWrite, variant_id: str) -> dict[str, str | None]:
    """Return what a write says of one variant.

    A kept compare-at price is left out, a cleared one is an explicit null: "0" would be stored and show a bogus sale.
    """
    sent: dict[str, str | None] = {"id": variant_id, "price": amount_text(write.target_price, write.currency)}
    if write.compare_at_action is CompareAtAction.CLEAR:
        sent["compareAtPrice"] = None
    elif write.compare_at_action is CompareAtAction.SET and write.compare_at is not None:
        sent["compareAtPrice"] = amount_text(write.compare_at, write.currency)
    return sent


def answers_of(data: Mapping[str, Any], writes: Sequence[PriceWrite], ids: Sequence[str]) -> dict[str, Answer]:
    """Return the outcome of each write of one `productVariantsBulkUpdate`, by the write's id.

    Without `allowPartialUpdates` one bad variant refuses all: it is named in `field`, the others are just not written.
    A write that the answer does not mention has no entry.

    Args:
        writes: in the order in which they were sent.
        ids: the variant of each.
    """
    payload = data.get("productVariantsBulkUpdate")
    if not isinstance(payload, dict) or not isinstance(payload.get("userErrors"), list):
        return {}
    if payload["userErrors"]:
        return _refused(payload["userErrors"], writes)
    listed = payload.get("productVariants")
    named = {node.get("id"): node for node in listed if isinstance(node, dict)} if isinstance(listed, list) else {}
    pairs = zip(writes, ids, strict=True)
    return {write.id: f"Shopify set {named[each].get('price')}" for write, each in pairs if each in named}


def _refused(errors: Sequence[Any], writes: Sequence[PriceWrite]) -> dict[str, Answer]:
    blamed: dict[int, list[Mapping[str, Any]]] = {}
    for error in (each for each in errors if isinstance(each, dict)):
        at = _position(error.get("field"), len(writes))
        for position in range(len(writes)) if at is None else (at,):
            blamed.setdefault(position, []).append(error)
    if not blamed:  # errors of a form that we do not know: refused all the same
        blamed = {position: [{"message": shown(errors)}] for position in range(len(writes))}
    return {
        write.id: _refusal(write, blamed[position])
        if position in blamed
        else RetryLater("not written, because Shopify refused another variant of the same call")
        for position, write in enumerate(writes)
    }


def _position(field: Any, count: int) -> int | None:
    """Return which variant `["variants", "1", "id"]` names, None when it names none."""
    if isinstance(field, list) and len(field) > 1 and field[0] == "variants" and str(field[1]).isdecimal():
        position = int(field[1])
        return position if position < count else None
    return None


def _refusal(write: PriceWrite, errors: Sequence[Mapping[str, Any]]) -> CannotSucceed:
    words = shown("; ".join(f"{each.get('message')} ({each.get('code') or 'no code'})" for each in errors))
    if any(each.get("code") in _GONE_CODES for each in errors):
        return ProductGone(f"Shopify has no {write.sku} any more: {words}. Nothing was changed")
    return CannotSucceed(f"Shopify refused the price of {write.sku}: {words}. Nothing was changed")

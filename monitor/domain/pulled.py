"""What the shop's own API lists, as an intake: from here on a pull means the same as the import of an export file."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from monitor.domain.intake import Intake, Kind, LeftOut, Listed
from monitor.domain.intake.cells import address_of, cost_facts, gtin_of, price_facts, words_of
from monitor.domain.shop_price import ShopProduct


def intake_of(products: Iterable[ShopProduct], name: str) -> Intake:
    """Return what a shop lists. A SKU that several variants have is left out: no price could be written to it.

    Args:
        name: names the shop in words.
    """
    listed = list(products)
    counts = Counter(product.sku for product in listed)
    shared = (
        LeftOut(0, 0, each.sku, f"{counts[each.sku]} variants have this SKU ({each.ref}); give each its own")
        for each in listed
        if counts[each.sku] > 1
    )
    return Intake(
        name=name,
        kind=Kind.SHOP,
        form="the shop's own API",
        listed=tuple(_listed(each) for each in listed if counts[each.sku] == 1),
        left_out=tuple(shared),
    )


def _listed(product: ShopProduct) -> Listed:
    price = product.price
    facts: dict[str, Any] = {}
    unsellable: str | None = "has no price"
    remarks: tuple[str, ...] = ()
    if price is not None:
        facts, unsellable, remarks = price_facts(price.price.amount, price.compare_at, price.price.currency)
        if not price.tells_compare_at:
            facts.pop("compare_at", None)
    code, odd = gtin_of(product.gtin or "")
    address, wrong = address_of(product.url or "")
    known = {
        "title": words_of(product.title) or product.sku,
        "gtin": code,
        "url": address,
        "brand": words_of(product.brand or ""),
        "category": words_of(product.category or ""),
    }
    facts |= {field: value for field, value in known.items() if value}
    facts |= {"options": product.options, **cost_facts(product.cost)}
    facts |= {"stock": product.stock} if product.is_stock_told else {}
    return Listed(
        key=product.sku,
        record=0,
        line=0,
        facts=facts,
        not_sold=product.not_sold or unsellable,
        remarks=(*remarks, *odd, *wrong),
        stated={"sku": product.sku, "price": "" if price is None else str(price)},
    )

"""Products, offers and rules with calm defaults, so that a test shows only what matters."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from monitor.domain.catalogue import MatchState, Product
from monitor.domain.pricing import Offer, Rules, read_rules

#: When the offers of these tests were seen: 02:04 in UTC.
SEEN = datetime(2026, 11, 29, 2, 4, tzinfo=UTC)

_MONEY = {"price", "cost", "min_price", "max_price", "map", "msrp", "compare_at", "shipping", "weekly_units"}


def a_product(**facts: object) -> Product:
    """Return a product at 30.00 EUR; amounts are given as texts."""
    told = {"sku": "MUG-1", "title": "Mug", "currency": "EUR", "price": "30.00"} | facts
    return Product(**{key: Decimal(str(one)) if key in _MONEY else one for key, one in told.items()})


def an_offer(price: str = "24.90", seller: str = "acme", **facts: object) -> Offer:
    """Return a confirmed, fresh, in-stock offer in EUR."""
    told: dict[str, object] = {
        "currency": "EUR",
        "age": timedelta(hours=1),
        "match": MatchState.CONFIRMED,
        "in_stock": True,
        "name": seller.capitalize(),
        "seen_at": SEEN,
    }
    if "shipping" in facts:
        facts["shipping"] = Decimal(str(facts["shipping"]))
    return Offer(seller=seller, price=Decimal(price), **(told | facts))


def rules(**keys: object) -> Rules:
    """Return one rule `match` for every product, as the keys of rules.toml say."""
    table: Mapping[str, object] = {"id": "match", "priority": 10, "target": {"reference": "lowest"}} | keys
    return read_rules({"rules": [table]}, where="rules.toml")

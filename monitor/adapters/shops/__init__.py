"""Our own shop, where approved prices go: a price file, or a signed webhook. `docs/shops.md` tells their contracts."""

from monitor.adapters.shops.price_file import PriceFile
from monitor.adapters.shops.webhook import WebhookShop

__all__ = ["PriceFile", "WebhookShop"]

"""Our own shop, where approved prices go; `docs/shops.md` tells their contracts.

A price file, a signed webhook, a Shopify shop and a WooCommerce shop, all behind `monitor.ports.shop.Shop`.
"""

from monitor.adapters.shops.price_file import PriceFile
from monitor.adapters.shops.refs import KnownRefs, StoredRefs
from monitor.adapters.shops.shopify import ShopifyShop
from monitor.adapters.shops.shopify_api import API_VERSION, ShopifyApi
from monitor.adapters.shops.shopify_token import FixedToken, GrantedTokens
from monitor.adapters.shops.speaking import base_address
from monitor.adapters.shops.webhook import WebhookShop
from monitor.adapters.shops.woo_answers import WriteMode
from monitor.adapters.shops.woo_api import WooApi
from monitor.adapters.shops.woocommerce import WooShop

__all__ = [
    "API_VERSION",
    "FixedToken",
    "GrantedTokens",
    "KnownRefs",
    "PriceFile",
    "ShopifyApi",
    "ShopifyShop",
    "StoredRefs",
    "WebhookShop",
    "WooApi",
    "WooShop",
    "WriteMode",
    "base_address",
]

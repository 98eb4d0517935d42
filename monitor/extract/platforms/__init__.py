"""Shop platforms: how one gives itself away, and the adapters that ask it for many products at once.

An adapter is one file here, one line in `ADAPTERS` and one folder of recorded answers under
`tests/extract/platforms`. Platforms without one are named and read page by page.
"""

from monitor.domain.asking import Platform
from monitor.extract.platforms.bigcommerce import BigCommerce
from monitor.extract.platforms.feed import Feed
from monitor.extract.platforms.magento import Magento
from monitor.extract.platforms.marks import NAMES, Detected, detect, detected
from monitor.extract.platforms.shopify import Shopify
from monitor.extract.platforms.woocommerce import WooCommerce

__all__ = ["ADAPTERS", "NAMES", "Detected", "adapter_of", "detect", "detected"]

#: Every adapter by the name that `competitors.toml` and detection use.
ADAPTERS: dict[str, Platform] = {
    adapter.name: adapter for adapter in (Shopify(), WooCommerce(), Magento(), BigCommerce(), Feed())
}


def adapter_of(platform: str | None) -> Platform | None:
    """Return the adapter of a platform, None for one that is read page by page."""
    return ADAPTERS.get(platform or "")

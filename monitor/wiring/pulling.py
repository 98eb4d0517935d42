"""What our own shop lists, for `monitor catalogue pull`."""

from monitor.adapters.clock import SystemClock
from monitor.adapters.http import Client
from monitor.adapters.shops import ShopifyShop, WooShop
from monitor.domain.intake import Intake
from monitor.domain.pulled import intake_of
from monitor.errors import Misconfigured
from monitor.settings import Settings
from monitor.wiring.own_shop import shop_of


def pulled(settings: Settings) -> Intake:
    """Return everything that the shop's own API lists.

    Raises:
        Misconfigured: this kind of shop lists nothing.
        RetryLater, CannotSucceed: the shop did not answer, or refuses us; nothing was taken.
    """
    client = Client()
    try:
        shop = shop_of(settings, client, SystemClock())
        if not isinstance(shop, ShopifyShop | WooShop):
            raise Misconfigured(
                [
                    f'shop.kind = "{settings.shop.kind}" lists no products; import a file with: monitor catalogue '
                    'import, or set kind = "shopify" or "woocommerce"'
                ]
            )
        return intake_of(shop.products(), settings.shop.url or settings.shop.kind.value)
    finally:
        client.close()

"""Our own shop from the settings: opening it, and its prices when a night begins."""

from collections.abc import Mapping
from dataclasses import replace

from monitor import __version__
from monitor.adapters.clock import SystemClock
from monitor.adapters.fetch import user_agent
from monitor.adapters.http import Client
from monitor.adapters.shops import (
    FixedToken,
    GrantedTokens,
    KnownRefs,
    PriceFile,
    ShopifyApi,
    ShopifyShop,
    StoredRefs,
    WebhookShop,
    WooApi,
    WooShop,
    WriteMode,
    base_address,
)
from monitor.domain.catalogue import Catalogue, Product
from monitor.domain.lock import PriceLock
from monitor.domain.message import Alert, AlertKind
from monitor.domain.money import Money
from monitor.domain.shop_price import ShopPrice
from monitor.errors import CannotSucceed, Misconfigured, MonitorError, RetryLater
from monitor.ports.shop import Reading, Shop, ShopRefs
from monitor.ports.store import Store
from monitor.ports.world import Clock
from monitor.settings import Settings, ShopKind
from monitor.settings.shop import KeyPlace


def shop_of(settings: Settings, client: Client, clock: Clock, store: Store | None = None) -> Shop:
    """Return our own shop.

    Args:
        store: where the shop's numbers of our SKUs are remembered; None: for as long as the value lives.

    Raises:
        Misconfigured: an address or a key is none.
    """
    section, agent = settings.shop, user_agent(__version__, settings.fetch.contact)
    if section.kind is ShopKind.PRICE_FILE or section.url is None:
        return PriceFile(settings.price_file, clock)
    if section.kind is ShopKind.WEBHOOK:
        secrets = (settings.secrets.shop,) if settings.secrets.shop else ()
        return WebhookShop(section.url, secrets, client, clock, read_url=section.read_url)
    refs = KnownRefs() if store is None else StoredRefs(store, section.channel)
    if section.kind is ShopKind.SHOPIFY:
        return _shopify(settings, base_address(section.url), client, clock, refs, agent)
    return _woocommerce(settings, base_address(section.url), client, clock, refs, agent)


def _shopify(settings: Settings, base: str, client: Client, clock: Clock, refs: ShopRefs, agent: str) -> ShopifyShop:
    keys = settings.secrets.shop_keys
    if keys.shopify_token is not None:
        tokens: FixedToken | GrantedTokens = FixedToken(keys.shopify_token)
    elif keys.shopify_client is not None:
        tokens = GrantedTokens(base, *keys.shopify_client, client, clock)
    else:
        raise Misconfigured(["MONITOR_SHOPIFY_TOKEN: not set"])
    api = ShopifyApi(base, tokens, client, clock, version=settings.shop.api_version, agent=agent)
    return ShopifyShop(api, refs)


def _woocommerce(settings: Settings, base: str, client: Client, clock: Clock, refs: ShopRefs, agent: str) -> WooShop:
    pair = settings.secrets.shop_keys.woocommerce
    if pair is None:
        raise Misconfigured(["MONITOR_WOOCOMMERCE_KEY and MONITOR_WOOCOMMERCE_SECRET: not both set"])
    api = WooApi(base, *pair, client, clock, key_in_query=settings.shop.auth is KeyPlace.QUERY, agent=agent)
    return WooShop(api, WriteMode(settings.shop.write_mode.value), refs)


def catalogue_now(shop: Shop, catalogue: Catalogue, store: Store) -> Catalogue:
    """Return our catalogue with the prices that the shop has now, and with what a person locked.

    The price file is the shop, and is made from the catalogue when it is not there. A shop that cannot be read leaves
    the prices of the catalogue and an alert: a write compares with the shop again and refuses what does not fit.
    """
    try:
        catalogue = _at_prices(catalogue, _readings(shop, catalogue))
    except (CannotSucceed, RetryLater) as unreadable:
        _tell_unreadable(store, str(unreadable))
    with store.read() as unit:
        locks = unit.holds.locks()
    return _with_locks(catalogue, locks)


def _readings(shop: Shop, catalogue: Catalogue) -> Mapping[str, Reading]:
    if isinstance(shop, PriceFile):
        if not catalogue.products:  # a file without rows would be a shop that has none of the products imported later
            return {}
        shop.create((product.sku, Money(product.price, product.currency)) for product in catalogue.products)
        return shop.prices()
    if not shop.reads or shop.max_batch == 1:  # a webhook would be asked about one product after the other
        return {}
    return shop.read_many([product.sku for product in catalogue.for_sale().products])


def _at_prices(catalogue: Catalogue, readings: Mapping[str, Reading]) -> Catalogue:
    products = tuple(_at_price(product, readings.get(product.sku)) for product in catalogue.products)
    return replace(catalogue, products=products)


def _at_price(product: Product, reading: Reading) -> Product:
    if not isinstance(reading, ShopPrice) or reading.price.currency != product.currency:
        return product
    compare_at = reading.compare_at if reading.tells_compare_at else product.compare_at
    if (reading.price.amount, compare_at) == (product.price, product.compare_at):
        return product  # and not a copy of each of ten thousand
    return replace(product, price=reading.price.amount, compare_at=compare_at)


def _with_locks(catalogue: Catalogue, locks: Mapping[str, PriceLock]) -> Catalogue:
    if not locks:
        return catalogue
    products = tuple(
        replace(product, locked=True) if product.sku in locks else product for product in catalogue.products
    )
    return replace(catalogue, products=products)


def _tell_unreadable(store: Store, why: str) -> None:
    words = f"The night began with the prices of catalogue.csv, because those of the shop cannot be read: {why}"
    with store.write() as unit:
        unit.alerts.raise_once(Alert(f"shop:{unit.now:%Y-%m-%d}", AlertKind.WRITE, None, words, unit.now))


def shop_words(settings: Settings) -> str:
    """Say for `monitor doctor` which shop answers, and how. Raises what is wrong; changes nothing."""
    if settings.shop.kind is ShopKind.PRICE_FILE and not settings.price_file.exists():
        return f"the price file {settings.price_file} is made by the first run, from catalogue.csv"
    client = Client()
    try:
        shop = shop_of(settings, client, SystemClock())
        answers = f"{shop.probe()}. " if isinstance(shop, ShopifyShop | WooShop) else "answers; "
        sku = next((product.sku for product in settings.catalogue.products), None)
        price = shop.read(sku or "none")
    finally:
        client.close()
    _check_terms(settings, price)
    if sku is None:
        return f"{answers}your catalogue has no product to look for yet"
    return answers + (f"{sku} costs {price}" if price is not None else f"it has no product {sku}")


def without_row(settings: Settings) -> tuple[str, ...]:
    """Return the SKUs for sale that have no row in the price file, in the catalogue's order; changes nothing.

    Empty while there is no such file, and when it cannot be read: the probe of the shop says why.
    """
    if settings.shop.kind is not ShopKind.PRICE_FILE or not settings.price_file.exists():
        return ()
    try:
        prices = PriceFile(settings.price_file, SystemClock()).prices()
    except MonitorError:
        return ()
    return tuple(product.sku for product in settings.catalogue.for_sale().products if product.sku not in prices)


def _check_terms(settings: Settings, price: ShopPrice | None) -> None:
    """Raise what no write would pass: another currency or tax mode than the settings say."""
    if price is None:
        return
    if price.price.currency != settings.plan.currency:
        raise CannotSucceed(
            f"the shop sells in {price.price.currency}, but shop.currency is {settings.plan.currency}; no price would "
            "be written. Correct shop.currency and the currencies of the catalogue"
        )
    expected = settings.shop.tax_included
    if None not in (expected, price.tax_included) and expected is not price.tax_included:
        states = "include" if price.tax_included else "do not include"
        raise CannotSucceed(
            f"the prices of the shop {states} tax, and shop.tax_included says otherwise; no price would be written. "
            "Correct it, and check cost and limits in the catalogue"
        )

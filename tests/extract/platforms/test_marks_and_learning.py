"""What gives a platform away, and what an adapter learns from a page for its later calls."""

import pytest

from monitor.domain.asking import SoFar
from monitor.domain.catalogue import Watch
from monitor.extract.platforms import ADAPTERS, NAMES, adapter_of, detect, detected
from monitor.extract.platforms.marks import _TEXTS
from monitor.extract.platforms.shopify import handle_of, presentment_currency

SHOP = "https://rival.example"
TOKEN = "eyJ0eXAiOiJKV1QiLCJhbGciOiJ.eyJjaWQiOjEsImNvcnMiOlsi.c2lnbmF0dXJlc2lnbmF0dXJl"


def a_watch(path: str = "/p/a/", sku: str = "A", **known: str) -> Watch:
    return Watch("rival", sku, SHOP + path, **known)


@pytest.mark.parametrize(
    ("platform", "markup", "headers"),
    [
        ("shopify", '<script>Shopify.shop = "a.myshopify.com";</script>', {}),
        ("shopify", "<p>headless</p>", {"x-shopid": "77"}),
        ("woocommerce", '<link href="/wp-content/plugins/woocommerce/a.css">', {}),
        ("woocommerce", "<p>x</p>", {"set-cookie": "wp_woocommerce_session_ab=1; path=/"}),
        ("magento", '<script type="text/x-magento-init">{"*":{}}</script>', {}),
        ("magento", "<p>x</p>", {"set-cookie": "X-Magento-Vary=9; path=/"}),
        ("magento", '<link href="/static/version1700000000/frontend/Rival/hyva/de_DE/css/styles.css">', {}),
        ("magento", "<script>window.hyva = window.hyva || {}</script>", {}),
        ("prestashop", "<script>var prestashop = {};</script>", {}),
        ("prestashop", "<p>x</p>", {"powered-by": "PrestaShop"}),
        ("shopware", '<link href="/bundles/storefront/a.css">', {}),
        ("shopware", "<p>x</p>", {"sw-context-token": "t"}),
        ("bigcommerce", '<link href="https://cdn11.bigcommerce.com/s-abc/stencil/a.css">', {}),
        ("salesforce_cc", '<img src="/on/demandware.static/-/a.png">', {}),
        ("salesforce_cc", "<p>x</p>", {"set-cookie": "dwsid=abc"}),
        ("squarespace", "<script>Static.SQUARESPACE_CONTEXT = {}</script>", {}),
        ("wix", '<script type="application/json" id="wix-warmup-data">{}</script>', {}),
        ("wix", "<p>x</p>", {"x-wix-request-id": "1"}),
        ("ecwid", '<script src="https://app.ecwid.com/script.js?1234"></script>', {}),
        ("square_online", "<script>window.__BOOTSTRAP_STATE__ = {}</script>", {}),
        ("vtex", '<link href="https://shop.vtexassets.com/a.css">', {}),
        ("vtex", "<p>x</p>", {"server": "VTEX"}),
        ("opencart", '<link href="catalog/view/theme/default/a.css">', {}),
        ("nopcommerce", '<meta name="generator" content="nopCommerce">', {}),
        ("shoptet", '<link href="https://cdn.myshoptet.com/a.css">', {}),
        ("shoper", '<link href="https://shop.cdn.dcsaascdn.net/a.css">', {}),
        ("lightspeed", '<link href="https://cdn.webshopapp.com/a.css">', {}),
    ],
)
def test_each_platform_gives_itself_away_with_evidence(platform: str, markup: str, headers: dict[str, str]) -> None:
    found = detected(markup, headers)

    assert found is not None
    assert (found.name, found.is_sure) == (platform, True)
    assert found.evidence
    assert platform in NAMES


@pytest.mark.parametrize("text", [text for _, _, text in _TEXTS])
def test_each_mark_is_seen_wherever_it_stands(text: str) -> None:
    """Each is looked for from a rare letter on, and the letters before it may hold that letter too."""
    for markup in (text, f"<w{text}", f"wix-w{text}h", f"hopify {text} ware"):
        found = detected(markup.encode())

        assert found is not None
        assert text in found.evidence


def test_the_picture_of_another_platform_is_no_proof() -> None:
    borrowed = detected('<img src="https://cdn.shopify.com/s/a.png">')
    mixed = detected('<img src="https://cdn.shopify.com/s/a.png"><link href="/wp-content/plugins/woocommerce/a.css">')

    assert borrowed is not None
    assert not borrowed.is_sure
    assert mixed is not None
    assert mixed.name == "woocommerce"
    assert detect("<p>hello</p>") is None


def test_a_platform_without_an_adapter_is_named_and_read_as_pages() -> None:
    assert adapter_of("prestashop") is None
    assert adapter_of("pages") is None
    assert adapter_of(None) is None
    assert set(ADAPTERS) - {"feed"} < set(NAMES)


def test_wordpress_tells_the_products_id_and_where_its_api_is() -> None:
    markup = (
        '<link rel="https://api.w.org/" href="https://rival.example/shop/wp-json/">'
        '<body class="single-product postid-301 woocommerce">'
    )

    learned = ADAPTERS["woocommerce"].learn(markup, [a_watch()])

    assert learned == {"root": "/shop/wp-json/wc/store/v1/products", "ids": {"A": "301"}}


def test_the_id_of_a_page_is_not_that_of_a_variation() -> None:
    learned = ADAPTERS["woocommerce"].learn("<body class='postid-301'>", [a_watch("/p/a/?attribute_pa_size=xl")])

    assert "ids" not in learned


def test_a_shop_in_a_folder_is_asked_there() -> None:
    known = {"root": "/shop/wp-json/wc/store/v1/products"}
    ask = ADAPTERS["woocommerce"].next(SoFar(SHOP, (a_watch(), a_watch("/p/b/", "B")), known=known))

    assert ask is not None
    assert ask.url == f"{SHOP}/shop/wp-json/wc/store/v1/products?slug=a%2Cb&per_page=100"


def test_bigcommerce_tells_tonights_token_and_its_id_and_is_not_asked_without() -> None:
    adapter = ADAPTERS["bigcommerce"]
    markup = (
        f'<script>storefront_api: {{"token": "{TOKEN}"}}</script><input type="hidden" name="product_id" value="742">'
    )

    learned = adapter.learn(markup, [a_watch()])

    assert learned == {"_token": TOKEN, "ids": {"A": "742"}}
    assert adapter.next(SoFar(SHOP, (a_watch(),))) is None
    ask = adapter.next(SoFar(SHOP, (a_watch(), a_watch("/q/", "B")), known={"_token": TOKEN}))
    assert ask is not None
    assert ask.headers["authorization"] == f"Bearer {TOKEN}"
    assert ask.post is not None
    assert 'route(path:\\"/p/a/\\")' in ask.post


def test_magento_tells_its_store_view_which_every_call_then_names() -> None:
    adapter = ADAPTERS["magento"]
    learned = adapter.learn('<script>window.config = {"storeCode":"de"}</script>', [a_watch()])

    ask = adapter.next(SoFar(SHOP, (a_watch("/de/lamp.html"),), known=learned, currency="EUR"))

    assert learned == {"store": "de"}
    assert ask is not None
    assert (ask.headers["store"], ask.headers["content-currency"], ask.post) == ("de", "EUR", None)
    assert "%22lamp%22" in ask.url


def test_only_the_collection_that_all_watches_share_is_walked() -> None:
    shared = tuple(a_watch(f"/collections/rope/products/{n}", str(n)) for n in range(3))
    mixed = (*shared, a_watch("/products/x", "X"))
    adapter = ADAPTERS["shopify"]

    one, all_ = (adapter.next(SoFar(SHOP, watches, currency="EUR")) for watches in (shared, mixed))

    assert one is not None
    assert all_ is not None
    assert one.url == f"{SHOP}/collections/rope/products.json?limit=250&page=1"
    assert all_.url == f"{SHOP}/products.json?limit=250&page=1"


@pytest.mark.parametrize(
    ("body", "currency"),
    [
        (b'<script>Shopify.currency = {"active":"USD","rate":"1.08"};</script>', "USD"),
        (b'{"product":{"variants":[{"price_currency":"EUR"},{"price_currency":"EUR"}]}}', "EUR"),
        (b'{"product":{"variants":[{"price_currency":"EUR"},{"price_currency":"USD"}]}}', None),
        (b"<html></html>", None),
    ],
)
def test_the_presentment_currency_is_what_this_visitor_is_shown(body: bytes, currency: str | None) -> None:
    assert presentment_currency(body) == currency


@pytest.mark.parametrize(
    ("url", "handle"),
    [
        ("https://a.example/products/blue-mug", "blue-mug"),
        ("https://a.example/de/products/Blue-Mug/?variant=1", "blue-mug"),
        ("https://a.example/products/blue-mug.json", "blue-mug"),
        ("https://a.example/collections/mugs", None),
        ("//[", None),
    ],
)
def test_the_handle_is_read_from_the_address(url: str, handle: str | None) -> None:
    assert handle_of(url) == handle

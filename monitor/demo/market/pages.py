"""A fake shop's answers: an offer as the page of its platform, its product list, its walls.

The pages carry what a real one carries around the price: navigation, delivery, other products. Amounts are written as
the shop's language writes them.
"""

import json
from collections.abc import Iterable
from decimal import Decimal
from html import escape
from typing import Any

from monitor.demo.goods import BRAND, Good
from monitor.demo.market.offers import Offer
from monitor.demo.market.shops import Shop, Style
from monitor.domain.money import amount_text

#: By language: in stock, sold out, add to cart, delivery, the way back to all products, not found.
_WORDS = {
    "de": ("Auf Lager", "Ausverkauft", "In den Warenkorb",
           "Lieferung in 2 bis 3 Tagen", "Alle Produkte", "Seite nicht gefunden"),
    "en": ("In stock", "Sold out", "Add to cart",
           "Delivery in 2 to 3 days", "All products", "Page not found"),
    "fr": ("En stock", "Épuisé", "Ajouter au panier",
           "Livraison en 3 jours", "Tous les produits", "Page introuvable"),
    "it": ("Disponibile", "Esaurito", "Aggiungi al carrello",
           "Consegna in 3 giorni", "Tutti i prodotti", "Pagina non trovata"),
    "es": ("En stock", "Agotado", "Añadir al carrito",
           "Entrega en 3 días", "Todos los productos", "Página no encontrada"),
    "sv": ("I lager", "Slutsåld", "Lägg i varukorg",
           "Leverans inom 3 dagar", "Alla produkter", "Sidan hittades inte"),
    "pl": ("Dostępny", "Wyprzedany", "Do koszyka",
           "Dostawa w 3 dni", "Wszystkie produkty", "Nie znaleziono strony"),
    "ja": ("在庫あり", "在庫切れ", "カートに入れる",
           "3日以内に発送", "すべての商品", "ページが見つかりません"),
}  # fmt: skip

#: A wall with a challenge, as a content network puts it before a shop.
WALL = (
    "<!doctype html><html lang='en'><head><title>Just a moment...</title></head><body>"
    "<h1>Checking your browser before accessing this shop</h1><div id='challenge-error-title'></div>"
    "<script>window._cf_chl_opt={cType:'managed'};</script></body></html>"
)
#: A wall that pretends to be a page.
QUIET_WALL = (
    "<!doctype html><html lang='en'><head><title>Pardon our interruption</title></head><body>"
    "<h1>Are you a human?</h1><p>Please enable JavaScript and cookies to continue.</p>"
    "<form class='h-captcha'></form></body></html>"
)
#: An error of the shop's own.
ERROR = "<!doctype html><html><head><title>500</title></head><body><h1>Internal Server Error</h1></body></html>"


def address(shop: Shop, good: Good) -> str:
    """Return the path of a product's page."""
    return f"/products/{good.slug}" if shop.style is Style.SHOPIFY else f"/{_SECTION[shop.style]}/{good.slug}"


_SECTION = {
    Style.JSON_LD: "p",
    Style.GRAPH: "product",
    Style.MICRODATA: "shop",
    Style.META: "artikel",
    Style.VISIBLE: "catalog",
}


def shown(amount: Decimal, currency: str, language: str) -> str:
    """Write an amount as the shop's language does: `1.299,00 €`, `£129.90`, `1 299,00 kr`."""
    text = f"{Decimal(amount_text(amount, currency)):,}"
    if language in ("de", "it", "es"):
        text = text.replace(",", "_").replace(".", ",").replace("_", ".")
    elif language in ("fr", "sv", "pl"):
        text = text.replace(",", "\u00a0").replace(".", ",")
    mark = {"EUR": "€", "GBP": "£", "USD": "$", "SEK": "kr", "JPY": "¥"}[currency]
    return f"{mark}{text}" if currency in ("GBP", "USD", "JPY") else f"{text}\u00a0{mark}"


def product_page(shop: Shop, good: Good, offer: Offer, others: Iterable[Good]) -> str:
    """Return the page of one product."""
    words = _WORDS[shop.language]
    if offer.is_gone:
        return _page(shop, words[5], "", f"<h1>{words[5]}</h1><p>404</p>")
    return _page(shop, good.title, _head(shop, good, offer), _body(shop, good, offer, others))


def _page(shop: Shop, title: str, head: str, body: str) -> str:
    name, all_products = escape(shop.name), _WORDS[shop.language][4]
    return (
        f'<!doctype html><html lang="{shop.language}"><head><meta charset="utf-8">'
        f"<title>{escape(title)} | {name}</title>{head}</head><body>"
        f'<header><a href="/">{name}</a><nav><a href="/">{all_products}</a> <a href="/service">Service</a></nav>'
        "</header>"
        f"<main>{body}</main><footer><p>© {name}</p></footer></body></html>"
    )


def _head(shop: Shop, good: Good, offer: Offer) -> str:
    amount = amount_text(offer.price, shop.currency)
    if shop.style in (Style.JSON_LD, Style.GRAPH, Style.SHOPIFY):
        product = _structured(shop, good, offer)
        whole = {"@context": "https://schema.org", **product}
        if shop.style is Style.GRAPH:
            crumbs = {"@type": "BreadcrumbList", "itemListElement": []}
            whole = {"@context": "https://schema.org", "@graph": [crumbs, product]}
        script = f'<script type="application/ld+json">{json.dumps(whole, ensure_ascii=False)}</script>'
        if shop.style is Style.SHOPIFY:
            script += (
                f'<script>var Shopify=Shopify||{{}};Shopify.shop="{shop.id}";'
                f'Shopify.currency={{"active":"{shop.currency}","rate":"1.0"}};</script>'
            )
        return script
    if shop.style is Style.META:
        stock = "instock" if offer.in_stock else "oos"
        return (
            f'<meta property="og:type" content="product"><meta property="og:title" content="{escape(good.title)}">'
            f'<meta property="product:price:amount" content="{amount}">'
            f'<meta property="product:price:currency" content="{shop.currency}">'
            f'<meta property="product:availability" content="{stock}">'
        )
    return ""


def _structured(shop: Shop, good: Good, offer: Offer) -> dict[str, Any]:
    return {
        "@type": "Product",
        "name": good.title,
        "sku": f"{shop.id[:3].upper()}-{good.sku[3:]}",
        "brand": {"@type": "Brand", "name": BRAND},
        "offers": {
            "@type": "Offer",
            "price": amount_text(offer.price, shop.currency),
            "priceCurrency": shop.currency,
            "availability": f"https://schema.org/{'InStock' if offer.in_stock else 'OutOfStock'}",
        },
    }


def _body(shop: Shop, good: Good, offer: Offer, others: Iterable[Good]) -> str:
    in_stock, sold_out, to_cart, delivery, *_ = _WORDS[shop.language]
    button = f"<button>{to_cart}</button>" if offer.in_stock else f"<button disabled>{sold_out}</button>"
    stock = in_stock if offer.in_stock else sold_out
    links = "".join(f'<li><a href="{address(shop, other)}">{escape(other.title)}</a></li>' for other in others)
    if shop.style is Style.MICRODATA:
        place = "InStock" if offer.in_stock else "OutOfStock"
        amount = amount_text(offer.price, shop.currency)
        return (
            f'<div itemscope itemtype="https://schema.org/Product"><h1 itemprop="name">{escape(good.title)}</h1>'
            f'<div itemprop="offers" itemscope itemtype="https://schema.org/Offer">{_prices(shop, offer)}'
            f'<meta itemprop="price" content="{amount}"><meta itemprop="priceCurrency" content="{shop.currency}">'
            f'<link itemprop="availability" href="https://schema.org/{place}"></div></div>'
            f"{button}<p>{delivery}</p><ul>{links}</ul>"
        )
    return (
        f'<h1>{escape(good.title)}</h1><div class="product-price">{_prices(shop, offer)}</div>'
        f'<p class="stock">{stock}</p>{button}<p>{delivery}</p><ul>{links}</ul>'
    )


def _prices(shop: Shop, offer: Offer) -> str:
    now = shown(offer.price, shop.currency, shop.language)
    if offer.list_price is None:
        return f'<span class="price">{now}</span>'
    was = shown(offer.list_price, shop.currency, shop.language)
    return f'<del class="price-was">{was}</del> <ins class="price">{now}</ins>'


def product_list(shop: Shop, listed: Iterable[tuple[Good, Offer]]) -> str:
    """Return a page of `products.json`."""
    return json.dumps({"products": [_listed(shop, good, offer) for good, offer in listed]})


def _listed(shop: Shop, good: Good, offer: Offer) -> dict[str, Any]:
    number = 7_000_000_000 + int(good.sku[3:])
    was = None if offer.list_price is None else amount_text(offer.list_price, shop.currency)
    variant = {
        "id": number * 10,
        "title": "Default Title",
        "sku": good.sku,
        "price": amount_text(offer.price, shop.currency),
        "compare_at_price": was,
        "available": offer.in_stock,
    }
    return {"id": number, "handle": good.slug, "title": good.title, "vendor": BRAND, "variants": [variant]}

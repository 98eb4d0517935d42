"""What gives a shop's platform away in one answer: headers, cookies and marks in the markup.

Marks are scored and the platform with most counts, since a headless shop can show two, and a page may embed another
platform's images. None of them is promised by a vendor: a missing mark proves nothing, and a detection only chooses
what to ask; the adapter's first answer is the proof.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from ahocorasick_rs import BytesAhoCorasick, Implementation

MAX_LOOKED = 40_000  #: characters searched
#: Score from which an adapter is tried: one mark of weight 2, or two weak ones.
SURE = 2


@dataclass(frozen=True, slots=True)
class Detected:
    """A platform and what gave it away."""

    name: str
    score: int
    evidence: tuple[str, ...]

    @property
    def is_sure(self) -> bool:
        """Whether that is enough to try the platform's adapter."""
        return self.score >= SURE


#: Header or cookie names and the part of their value that counts ("" for any), all in lower case; weight 3 each.
_HEADERS = (
    ("shopify", "x-shopid", ""),
    ("shopify", "x-shopify-stage", ""),
    ("shopify", "x-sorting-hat-shopid", ""),
    ("shopify", "powered-by", "shopify"),
    ("shopify", "set-cookie", "_shopify_y="),
    ("woocommerce", "set-cookie", "woocommerce_"),
    ("woocommerce", "set-cookie", "wp_woocommerce_session_"),
    ("magento", "set-cookie", "mage-cache-storage"),
    ("magento", "set-cookie", "mage-messages"),
    ("magento", "set-cookie", "x-magento-vary"),
    ("magento", "x-magento-tags", ""),
    ("magento", "x-magento-cache-debug", ""),
    ("magento", "x-magento-cache-id", ""),
    ("prestashop", "powered-by", "prestashop"),
    ("prestashop", "set-cookie", "prestashop-"),
    ("shopware", "sw-version-id", ""),
    ("shopware", "sw-context-token", ""),
    ("shopware", "sw-invalidation-states", ""),
    ("shopware", "set-cookie", "sw-states"),
    ("bigcommerce", "set-cookie", "shop_session_token"),
    ("bigcommerce", "set-cookie", "fornax_anonymousid"),
    ("salesforce_cc", "set-cookie", "dwsid="),
    ("salesforce_cc", "set-cookie", "dwanonymous_"),
    ("squarespace", "server", "squarespace"),
    ("squarespace", "set-cookie", "ss_cvr="),
    ("wix", "x-wix-request-id", ""),
    ("vtex", "server", "vtex"),
    ("vtex", "set-cookie", "vtex_session"),
    ("vtex", "set-cookie", "vtex_segment"),
)
#: Texts in the markup with their weight.
_TEXTS = (
    ("shopify", 3, "Shopify.shop"),
    ("shopify", 2, "shopify-features"),
    ("shopify", 2, "Shopify.currency"),
    ("shopify", 2, "myshopify.com"),
    ("shopify", 1, "cdn.shopify.com"),
    ("woocommerce", 3, "/plugins/woocommerce/"),
    ("woocommerce", 3, 'content="WooCommerce'),
    ("woocommerce", 2, "wc-ajax"),
    ("woocommerce", 2, "woocommerce-Price-amount"),
    ("woocommerce", 1, "woocommerce"),
    ("magento", 3, "text/x-magento-init"),
    ("magento", 2, "mage/cookies"),
    ("magento", 2, "data-mage-init"),
    ("magento", 2, "Mage.Cookies"),
    ("magento", 2, "Magento_"),
    ("magento", 2, "window.hyva"),
    ("magento", 2, "/static/version"),
    ("magento", 1, 'data-price-type="finalPrice"'),
    ("prestashop", 3, "var prestashop"),
    ("prestashop", 2, "/modules/ps_"),
    ("prestashop", 2, 'content="PrestaShop'),
    ("prestashop", 1, "prestashop"),
    ("prestashop", 1, "PrestaShop"),
    ("shopware", 3, "/bundles/storefront/"),
    ("shopware", 2, "window.salesChannelId"),
    ("shopware", 2, "is-ctl-navigation"),
    ("shopware", 1, "shopware"),
    ("bigcommerce", 3, "cdn11.bigcommerce.com/s-"),
    ("bigcommerce", 2, "BCData"),
    ("bigcommerce", 2, "bigcommerce.com/s-"),
    ("bigcommerce", 1, "/stencil/"),
    ("salesforce_cc", 3, "demandware.static"),
    ("salesforce_cc", 3, "demandware.store"),
    ("salesforce_cc", 2, "demandware.edgesuite"),
    ("salesforce_cc", 2, "dwvar_"),
    ("squarespace", 3, "Static.SQUARESPACE_CONTEXT"),
    ("squarespace", 2, "static1.squarespace.com"),
    ("wix", 3, "wix-warmup-data"),
    ("wix", 3, "Wix.com Website Builder"),
    ("wix", 2, "static.parastorage.com"),
    ("wix", 1, "wixstatic.com"),
    ("ecwid", 3, "app.ecwid.com/script.js"),
    ("ecwid", 2, "xProductBrowser("),
    ("ecwid", 1, "app.ecwid.com"),
    ("ecwid", 1, "ecwid_"),
    ("square_online", 3, "window.__BOOTSTRAP_STATE__"),
    ("square_online", 2, "editmysite.com"),
    ("square_online", 2, "square-online"),
    ("vtex", 3, "vtexassets.com"),
    ("vtex", 2, "vteximg.com"),
    ("vtex", 2, "vtexcommercestable"),
    ("vtex", 1, "__RUNTIME__"),
    ("opencart", 2, "catalog/view/theme"),
    ("opencart", 2, "index.php?route=product"),
    ("nopcommerce", 3, 'content="nopCommerce'),
    ("shoptet", 3, "cdn.myshoptet.com"),
    ("shoper", 3, "dcsaascdn.net"),
    ("lightspeed", 3, "cdn.webshopapp.com"),
    ("lightspeed", 3, "cdn.shoplightspeed.com"),
)
_MARKS = BytesAhoCorasick((text.encode() for _, _, text in _TEXTS), implementation=Implementation.DFA)
#: The platforms that are told by name.
NAMES = tuple(dict.fromkeys(name for name, *_ in (*_HEADERS, *_TEXTS)))


def detected(markup: str | bytes, headers: Mapping[str, str] | None = None) -> Detected | None:
    """Return the platform that most marks speak for, None when none does.

    Args:
        markup: of the page, as text or as bytes in an encoding that holds ASCII as it is; its beginning is searched.
        headers: lower-case names; cookies are looked for in `set-cookie`.
    """
    head = markup[:MAX_LOOKED]
    encoded = head if isinstance(head, bytes) else head.encode("utf-8", "replace")
    scores: dict[str, int] = {}
    evidence: dict[str, list[str]] = {}
    for name, header, part in _HEADERS if headers else ():
        if headers and header in headers and part in headers[header].lower():
            scores[name] = scores.get(name, 0) + 3
            evidence.setdefault(name, []).append(f"header {header}: {part}" if part else f"header {header}")
    for name, weight, text in _shown(encoded):
        scores[name] = scores.get(name, 0) + weight
        evidence.setdefault(name, []).append(text)
    if not scores:
        return None
    best = max(scores, key=lambda name: scores[name])
    return Detected(best, scores[best], tuple(evidence[best]))


def _shown(head: bytes) -> list[tuple[str, int, str]]:
    """Return the marks that stand in the beginning of a page, found in one pass for all."""
    found = {mark for mark, _, _ in _MARKS.find_matches_as_indexes(head, overlapping=True)}
    return [_TEXTS[mark] for mark in sorted(found)]


def detect(markup: str | bytes) -> str | None:
    """Return the platform a page was made by, or None; a hint for choosing endpoints, never proof."""
    found = detected(markup)
    return None if found is None else found.name

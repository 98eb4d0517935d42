"""Shop platforms: how a page gives its platform away, and readers of their catalogue answers."""

#: Marks in the markup, most telling first.
_MARKS = (
    ("shopify", ("cdn.shopify.com", "Shopify.shop", "shopify-features", "myshopify.com")),
    ("woocommerce", ("woocommerce", "wc-ajax", "/plugins/woocommerce/")),
    ("magento", ("Magento_", "mage/cookies", "data-mage-init", "Mage.Cookies")),
    ("prestashop", ("prestashop", "PrestaShop")),
    ("bigcommerce", ("cdn11.bigcommerce.com", "bigcommerce.com/s-")),
    ("shopware", ("shopware", "/bundles/storefront/")),
    ("salesforce_cc", ("demandware.static", "demandware.edgesuite", "dwvar_")),
    ("squarespace", ("static1.squarespace.com", "Static.SQUARESPACE_CONTEXT")),
    ("wix", ("static.parastorage.com", "wixstatic.com")),
    ("vtex", ("vtexassets.com", "vteximg.com")),
    ("ecwid", ("app.ecwid.com", "ecwid_")),
    ("square_online", ("editmysite.com", "square-online")),
)
MAX_LOOKED = 24_000  #: characters searched


def detect(markup: str) -> str | None:
    """Return the platform a page was made by, or None; a hint for choosing endpoints, never proof."""
    head = markup[:MAX_LOOKED]
    return next((name for name, marks in _MARKS if any(mark in head for mark in marks)), None)

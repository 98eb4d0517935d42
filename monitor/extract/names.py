"""What class, id, itemprop and data-* names around an amount mean; matched in lower case, remembered per name.

Class words lie: `regular-price` alone is a current price in some themes, `price-old` may hold the only one.
So a name is a vote, and the reader weighs it with words and neighbours.
"""

import re
from functools import lru_cache

_EDGE = r"(?:^|[^a-z])"
_END = r"(?:$|[^a-z])"

_LIST = re.compile(
    rf"{_EDGE}(?:old|was|former|rrp|uvp|msrp|mrp|list-?price|list_price|strike\w*|crossed\w*|barr[ée]e?|compare\w*"
    rf"|orig|original\w*|prev-?price|previous\w*|before|ancien|cross-?price"
    rf"|vorher|antes|vechi|stara|staraya|eski|gammel|tidligere|regular-?price|price-{{1,2}}regular|normal-?price|retail-?price|standard-?price"
    rf"|anterior|tachado|striked?|secondary-?price|vorige|forrige|tidigare|poprzednia|redna"
    rf"|line-?through|del|barred|full-?price|initial-?price){_END}"
    r"|old_?price|wasprice|price_?old|listprice|pricebefore|regularprice|originalprice|crossed|strikethrough"
    r"|line-through|msrp|prix-?barre|barrato|tachad|riscado|przekresl|preskrtn|cizili|durchgestr|doorgestr|athuzott|taiat"
    r"|zacherk|streichpreis|alt(?:er)?-?preis|preis-?alt|oude-?prijs|vecchio|puvodni|bezna-?cena|regi-?ar|(?:fore?|ord)-?pris"
    r"|ordinarie-?pris|vanha-?hinta|norm(?:aali)?-?hinta|prix-?public|pvpr"
)
_REGULAR = re.compile(r"(?:regular|normal|standard|full)(?:[-_]?price)?|price-{1,2}regular")
_CURRENT = re.compile(
    rf"{_EDGE}(?:sale|now|current|our|special|final|offer|actual|new|today|selling|promo|reduced|price-?sales|primary-?price"
    rf"|your)[a-z]*{_END}"
    r"|saleprice|finalprice|currentprice|ourprice"
)
_PRICE = re.compile(
    r"pric(?:e|ing)|preis|prix|precio|prezzo|preco|preço|cena|cijena|prijs|hinta|pris\b|tsena|stoimost|amount"
    r"|valor|cost|\bpre[tț]\b|hind\b|\bcijen|\bár\b|buy-?box|kaina|verd\b|bedrag|money|fiyat"
)
_SHIPPING = re.compile(
    r"(?<!and-)(?<!price-)(?:shipping|delivery|freight)|versand|livraison|dostav|postage|shipment|lieferung"
)
_INSTALMENT = re.compile(
    r"instal+ment|monthly|finance|financing|klarna|afterpay|zip-?pay|affirm|pay-?later|credit|leasing|per-month"
    r"|splitit|sezzle|rate-?calc"
)
_UNIT = re.compile(
    r"unit-?price|price-?(?:-|per-?)?unit|per[-_]?unit|price-?per(?!\b)|pangv|grundpreis|ppu|prix-?kilo|measure"
    r"|base-?price-?unit"
)
_SAVING = re.compile(
    rf"sav(?:e|ing)s?{_END}|you-?save|discount-?(?:amount|value|badge|percent)|economie|ersparnis|rebate"
    rf"|cashback|loyalty-?points"
)
_BEFORE_TAX = re.compile(
    r"exclu(?:ding|des|ded)?-?(?:tax|vat)|excl-?(?:tax|vat|btw|mwst)|ex-?vat\b|before-?tax|price-?net\b|without-?taxes"
)
_MEMBER = re.compile(
    r"member|club-?price|wallet-?price|nectar|loyalty|subscri(?:be|ption)|subsave|autoship|(?<![a-z]-)card-?price|vip|rewards"
    r"|coupon|voucher|promo-?code|campaign-?price|cmr-?price|tarjeta"
)
_ELSEWHERE = re.compile(
    r"related|up-?sell|cross-?sell|recommend|\breco[s_-]|similar|also-?(?:like|bought|viewed)|bought-?together"
    r"|frequently|carousel|slider|swiper"
    r"|slick|owl-|glide|(?:mini|float(?:ing)?|fly-?out|slid(?:e|ing)-?(?:in|out)?|off-?canvas)-?(?:cart|basket|bag)"
    r"|(?:basket|cart)-?(?:drawer|content|total|count|popup|summary"
    r"|preview|items|sidebar|(?<!p-to-cart-)block)|header-?cart|top-?cart"
    r"|shopping-?bag|site-?header|site-?footer|\bfooter|mega-?menu|\bmenu\b|\bnav\b|navigation|navbar|filter"
    r"|facet|refine|recently|viewed|accessor"
    r"|sponsored|widget|\bbundle|combo|gift-?wrap|cookie|newsletter|(?<!p)review|rating|comment|\bblog"
    r"|announcement|promo-?bar|top-?bar|wishlist"
    r"|info-?box-?(?:contents|heading)|compare-?(?:list|drawer|table)|suggest|other-?(?:products|prices?|shops|sellers|stores|offers)|more-?products|products?-?grid"
    r"|product-?list(?:ing)?(?:$|\s)|you-?may|protection"
    r"|warranty|modal|popup|lightbox|tooltip|dropdown-menu|currency-?(?:switch|select|convert)|converter|(?:price|amount)-?convert"
    r"|converted-?price|conv-?(?:bid-?)?price"
)
#: Of the words that `elsewhere` returns, those for a list of products.
IN_GRID = re.compile("grid|product-?list|products|compare")
#: An aside that is the buy box of the product.
_OWN_ASIDE = re.compile(r"product|purchase|buy|price|detail|summary|offer")
_CARD = re.compile(
    r"product-?_?(?:thumb|card|tile|miniature|teaser|preview|item|box|layout|container)\b|(?:item|catalog-item"
    r"|grid-item|list-item|listproduct|thumb|card)(?:$|[\s_-])"
)
_HIDDEN = re.compile(
    r"(?:^|\s)(?:hidden|hide|d-none|is-hidden|visually-hidden|template|display-?none|hidden-attribute)(?:\s|$)"
)


_KINDS = (
    ("list", _LIST), ("current", _CURRENT), ("price", _PRICE), ("shipping", _SHIPPING), ("instalment", _INSTALMENT),
    ("unit", _UNIT), ("saving", _SAVING), ("member", _MEMBER), ("before_tax", _BEFORE_TAX), ("hidden", _HIDDEN),
)  # fmt: skip
#: Beginnings of names that say what else a block holds, and what such a name may still say of the block itself.
_HOLDING = ("has-", "with-")
_OF_ITSELF = frozenset({"price", "current", "hidden"})
_NONE: frozenset[str] = frozenset()


@lru_cache(maxsize=8192)
def votes(names: str) -> frozenset[str]:
    """Return what the names of one element say, each a key of the patterns above.

    No pattern reaches beyond one name, so that each name is looked at once, however many elements share it.
    """
    return _NONE.union(*map(_votes_of_one, names.split())) if names else _NONE


@lru_cache(maxsize=16_384)
def _votes_of_one(name: str) -> frozenset[str]:
    found = frozenset(kind for kind, pattern in _KINDS if pattern.search(name))
    return found & _OF_ITSELF if name.startswith(_HOLDING) else found


@lru_cache(maxsize=8192)
def votes_together(names: tuple[str, ...]) -> frozenset[str]:
    """Return what the names of several elements say."""
    return _NONE.union(*map(votes, names))


@lru_cache(maxsize=8192)
def says_former(names: str) -> bool:
    """Say whether the part of a block's name, `sales-price__former`, calls it former whatever the block is called."""
    parts = " ".join(name.rsplit("__", 1)[1] for name in names.split() if "__" in name)
    return bool(parts and _LIST.search(parts) and not _CURRENT.search(parts))


@lru_cache(maxsize=8192)
def only_regular(names: str) -> bool:
    """Say whether names call a price the regular one and nothing else former: without a reduction all pay it."""
    return bool(_REGULAR.search(names)) and not _LIST.search(_REGULAR.sub(" ", names))


@lru_cache(maxsize=8192)
def is_buy_box(names: str) -> bool:
    """Say whether names call an aside the product's own."""
    return bool(names and _OWN_ASIDE.search(names) and not _ELSEWHERE.search(names))


@lru_cache(maxsize=8192)
def is_card(names: str) -> bool:
    """Say whether names call an element one product among others."""
    return bool(names and _CARD.search(names))


@lru_cache(maxsize=8192)
def shape(names: str) -> str:
    """Return names with their numbers made alike, so that ids do not hide a repetition."""
    return re.sub(r"[0-9]+", "#", names)


@lru_cache(maxsize=8192)
def elsewhere(names: str) -> str | None:
    """Return the word that places an element outside the product, None when there is none."""
    return next((word for word in map(_elsewhere_of_one, names.split()) if word), None)


@lru_cache(maxsize=16_384)
def _elsewhere_of_one(name: str) -> str | None:
    # the name of an attribute says how a script uses an element, not where it stands
    found = None if name.startswith("data-") else _ELSEWHERE.search(name)
    return found.group().strip(" -_") if found else None

"""Sitemaps: which addresses a shop has. They find pages for new watches and hold no price; `lastmod` is not believed.

Taken: XML with or without namespace, an index, RSS or Atom, gzip by its first bytes, a plain list of addresses, a raw
`&`. A
page that comes instead is no sitemap. Which address is a product's is told by the platform's own sitemap name or by
what product pages are usually called; with neither every address may be one.

Sources: sitemaps.org/protocol; eliasdabbas/advertools#107; GateNLP/ultimate-sitemap-parser#29, #73.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from monitor.extract.charset import decoded
from monitor.extract.facts import urlsplit_or_empty
from monitor.extract.platforms.matching import last_of_path
from monitor.extract.platforms.packed import MAX_REPAIRED, UnreadableXml, unpacked
from monitor.extract.platforms.xml_rows import NAME, Row, read_rows

MAX_URLS = 200_000  #: addresses of one shop
#: Places where a sitemap lies when robots.txt names none.
USUAL = ("/sitemap.xml", "/sitemap_index.xml")

_ROWS = frozenset({"url", "sitemap", "item", "entry"})
_ROOT = re.compile(r"<(?:\w+:)?(?:urlset|sitemapindex|rss|feed)\b", re.IGNORECASE)
_PAGE = re.compile(r"(?:<\?xml[^>]{0,200}>\s*)?<(?:!doctype\s+html|html)\b", re.IGNORECASE)

_PRODUCT_MAPS = re.compile(
    r"sitemap_products_|product-sitemap|products-sitemap|wp-sitemap-posts-product-|type=products\b|/products?[_-]?[0-9]*\.xml"
)
_OTHER_MAPS = re.compile(
    r"sitemap_(?:pages|collections|blogs)_|(?:post|page|category|tag|author|blog|image)s?-sitemap|type=(?:pages|categories"
    r"|brands|news)\b|posts-(?:page|post)-|taxonomies-|users-"
)
_PRODUCT_PAGES = re.compile(
    r"/(?:products?|produkte?|produits?|produto|producto|prodotti|item|p|dp|shop/p|product-page)/[^/]+"
)
_OTHER_PAGES = re.compile(
    r"/(?:blogs?|pages?|collections?|categor(?:y|ies)|product-category|tag|author|news|about|contact|cart|checkout|account)"
    r"(?:/|\Z)"
)


@dataclass(frozen=True, slots=True)
class Sitemap:
    """One file: addresses of pages, and of further sitemaps."""

    pages: tuple[str, ...] = ()
    children: tuple[str, ...] = ()
    problem: str = ""  #: why it was not read, in words


def read_sitemap(body: bytes) -> Sitemap:
    """Read one sitemap; never raises for what a shop sends."""
    pages: list[str] = []
    children: list[str] = []

    def keep(row: Row) -> None:
        if (loc := row.get("loc") or row.get("link")) and len(pages) < MAX_URLS:
            (children if row[NAME] == "sitemap" else pages).append(loc)

    def restart() -> None:
        pages.clear()
        children.clear()

    try:
        head = decoded((next(unpacked(body), b"") if body.startswith(b"\x1f\x8b") else body)[:2_000]).lstrip(
            "\ufeff \r\n\t"
        )
        if _PAGE.match(head):
            return Sitemap(problem="a page came instead of a sitemap")
        if not head.startswith("<"):
            return _plain_list(body)
        read_rows(body, _ROWS, keep, restart, frozenset())
    except UnreadableXml as refused:
        return Sitemap(problem=f"the sitemap is refused: {refused}")
    if not pages and not children and not _ROOT.search(head):
        return Sitemap(problem="the answer is no sitemap")
    return Sitemap(tuple(dict.fromkeys(pages)), tuple(dict.fromkeys(children)))


def _plain_list(body: bytes) -> Sitemap:
    whole = b"".join(unpacked(body, MAX_REPAIRED)) if body.startswith(b"\x1f\x8b") else body
    lines = (line.strip() for line in decoded(whole).lstrip("\ufeff").splitlines())
    found = tuple(dict.fromkeys(line for line in lines if re.match(r"https?://\S+\Z", line)))[:MAX_URLS]
    return Sitemap(found) if found else Sitemap(problem="the answer is no sitemap")


def in_order(children: Iterable[str]) -> tuple[str, ...]:
    """Return the sitemaps of an index that may list products, those that surely do first."""
    listed = [child for child in children if not _OTHER_MAPS.search(child.lower())]
    return tuple(sorted(listed, key=lambda child: not _PRODUCT_MAPS.search(child.lower())))


def lists_products(url: str) -> bool:
    """Say whether a sitemap's address tells that it lists products."""
    return bool(_PRODUCT_MAPS.search(url.lower()))


def product_pages(pages: Iterable[str], *, of_products: bool) -> tuple[str, ...]:
    """Return the addresses that may be product pages.

    Args:
        pages: of one shop.
        of_products: whether they stand in a sitemap of products; then only the home page is left out.
    """
    listed = [page for page in pages if (parts := urlsplit_or_empty(page)) and parts.path.strip("/")]
    if of_products:
        return tuple(listed)
    named = tuple(page for page in listed if _PRODUCT_PAGES.search(urlsplit(page).path.lower()))
    return named or tuple(page for page in listed if not _OTHER_PAGES.search(urlsplit(page).path.lower()))


def name_in(url: str) -> str:
    """Return what an address says of the product's name: `/p/trail-kettle-2l.html` gives `trail kettle 2l`."""
    last = re.sub(r"\.(?:html?|php|aspx)\Z", "", last_of_path(url) or "")
    return re.sub(r"[-_+\s]+", " ", last).strip()

"""What a page says about itself: title, headings, meta tags, address, language, place and money."""

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import chain
from urllib.parse import parse_qsl, urlsplit

from selectolax.lexbor import LexborNode

from monitor.domain.extraction import Hints
from monitor.extract.amounts import amounts
from monitor.extract.currency import Locale, currency_of_region, iso_code
from monitor.extract.document import Document

MAX_METAS = 400
MAX_ITEM = 12  #: elements around a meta element of which one may be the item in microdata that it belongs to
MAX_ADDRESS = 2_000  #: characters of a canonical address

_GENERIC = frozenset(
    {"com", "net", "org", "shop", "store", "online", "info", "biz", "io", "co", "app", "example", "xyz", "site", "eu"}
)
_CURRENCY_METAS = (
    "product:price:currency", "og:price:currency", "product:sale_price:currency", "pricecurrency", "twitter:currency",
    "product:price.currency", "currency",
)  # fmt: skip
#: What microdata says of one product; the currency of one is that of all.
_OF_ITEM = frozenset({"price", "availability"})
_PATH_LOCALE = re.compile(
    r"/(?:([a-z]{2})[-_]([a-z]{2})|(us|uk|ca|au|nz|ie|gb|eu|de|fr|es|it|nl|at|ch|be|se|dk|no|fi))(?:/|$)", re.IGNORECASE
)
_TAG = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")


@dataclass(frozen=True, slots=True)
class Facts:
    """A page's statements about itself; text is collapsed, absent is None."""

    url: str
    host: str
    canonical: str | None
    title: str
    og_title: str
    og_type: str
    headings: tuple[tuple[str, int], ...]  #: text and offset of each h1
    metas: dict[str, str]
    language: str | None
    body_class: str
    query: dict[str, str]
    locale: Locale
    watched: str | None  #: what the watch calls its product; support for telling products apart

    def meta(self, *names: str) -> str | None:
        """Return the first of these meta tags that says something."""
        for name in names:
            said = self.metas.get(name)
            if said:
                return said
        return None


@lru_cache(maxsize=4096)
def words_of(text: str) -> frozenset[str]:
    """Return the words of a text, lower case, for comparing names."""
    return frozenset(_WORD.findall(text.lower()[:600]))


@lru_cache(maxsize=4096)
def agreement(one: str | None, other: str | None) -> float:
    """Return 0 to 1: the share of the shorter name's words that the other one has too."""
    a, b = words_of(one or ""), words_of(other or "")
    if not a or not b:
        return 0.0
    return len(a & b) / min(len(a), len(b))


_WORD = re.compile(r"[^\W_]+")
_PARTED = re.compile(r"\s+[|–—»·/]\s+|\s+-\s+(?=[^-]{1,40}$)")
_SOLD_AT = re.compile(r"^(.*)\s(?:on|at|by|from|bei|chez|en|su|bij|w|в|на)\s+(\S.{2,40})$", re.IGNORECASE)
_STYLED = re.compile(r"[.#@][\w-]+\s*\{[^{}]*\}")  #: style rules of a picture inside a heading
_PRICE_ALONE = re.compile(r"(?:[€£$₹¥₽]|[A-Z]{3})? ?[0-9][0-9 .,]*(?:[.,][0-9]{2} ?(?:[€£$₹¥₽]|[A-Z]{3})?| ?[€£$₹¥₽])")
_SIGNED = re.compile(r"^(.{3,200})[,:] ?([^,:]{3,40})$")
_OPENED = re.compile(r"^([^,:]{3,40}): (.{3,})$")
_OFFERED = re.compile(r"^(?:buy|save [0-9]{1,2} ?% (?:on)?)\s+(?=\S{3})", re.IGNORECASE)


def own_title(title: str, host: str = "") -> str | None:
    """Return a page title without the shop's name, which stands at its end or, as the host tells, at its beginning."""
    title = _unsigned(title, host)
    first, *rest = (part.strip() for part in _PARTED.split(title))
    if rest and _is_shop(first, host):
        return max(rest, key=len) or None
    sold_at = _SOLD_AT.match(first)
    named = sold_at.group(1) if sold_at and _is_shop(sold_at.group(2), host) else first
    return _OFFERED.sub("", named).strip() or None


def _unsigned(title: str, host: str) -> str:
    """Return a title without the shop's name where a comma or a colon parts it from the rest."""
    signed = _SIGNED.match(title)
    if signed and _is_shop(signed.group(2), host):
        return signed.group(1)
    opened = _OPENED.match(title)
    return opened.group(2) if opened and _is_shop(opened.group(1), host) else title


def _is_shop(piece: str, host: str) -> bool:
    """Say whether a piece of a title is what the host is called after."""
    letters = "".join(_WORD.findall(piece.lower()))
    labels = host.lower().replace("-", "").split(".")
    return len(letters) >= 4 and any(len(label) >= 4 and (letters in label or label in letters) for label in labels)


def read_facts(document: Document, hints: Hints) -> Facts:
    """Return what the page says about itself."""
    metas: dict[str, str] = {}
    title: LexborNode | None = None
    canonical: str | None = None
    tree = document.tree
    root = tree.root.attributes if tree.root is not None else {}
    for node in document.metas[:MAX_METAS]:
        tag = node.tag
        if tag == "meta":
            attributes = node.attributes
            if attributes.get("itemprop") not in _OF_ITEM or not _is_of_item(node):
                _add_meta(metas, attributes)
        elif tag == "title":
            title = node if title is None else title
        elif tag == "link" and canonical is None and node.attrs.get("rel") == "canonical":
            canonical = node.attrs.get("href")
    title = tree.css_first("title") if title is None else title
    spoken = " ".join((title.text() if title is not None else "")[:1000].split())
    body = tree.body
    parts = urlsplit_or_empty(document.url)
    host, path = (parts.hostname or "", parts.path) if parts else ("", "")
    language = _language(root, metas) or hints.language
    return Facts(
        url=document.url,
        host=host,
        canonical=(canonical or metas.get("og:url") or "")[:MAX_ADDRESS] or None,
        title=spoken,
        og_title=metas.get("og:title") or metas.get("twitter:title") or "",
        og_type=metas.get("og:type", "").lower(),
        headings=_headings(document),
        metas=metas,
        language=language,
        body_class=((body.attributes.get("class") or "") + " " + (body.attributes.get("id") or "")).lower()[:2000]
        if body is not None
        else "",
        query=dict(parse_qsl(parts.query)[:40]) if parts and parts.query else {},
        locale=_locale(host, path, metas, language, hints),
        watched=hints.name,
    )


@lru_cache(maxsize=64)
def urlsplit_or_empty(url: str):  # type: ignore[no-untyped-def]  # SplitResult | None; urlsplit is overloaded
    """Return the parts of a URL, None when it is none."""
    try:
        parts = urlsplit(url)
        _ = parts.hostname, parts.port
    except ValueError:
        return None
    return parts


def _add_meta(metas: dict[str, str], attributes: Mapping[str, str | None]) -> None:
    name = (
        attributes.get("property")
        or attributes.get("name")
        or attributes.get("itemprop")
        or attributes.get("http-equiv")
    )
    content = attributes.get("content")
    if name and content:
        metas.setdefault(name.strip().lower(), " ".join(content[:2000].split()))


def _is_of_item(node: LexborNode) -> bool:
    """Say whether microdata says of a product what a meta element says, or of a quantity that its price refers to."""
    around = node.parent
    for _ in range(MAX_ITEM):
        if around is None or around.tag in ("html", "head", "body"):
            return False
        kind = around.attrs.get("itemtype") or ""
        if kind.endswith("/Product"):
            return True
        if kind.endswith("/UnitPriceSpecification") and around.css_first('[itemprop="referenceQuantity"]') is not None:
            return True
        around = around.parent
    return False


def _headings(document: Document) -> tuple[tuple[str, int], ...]:
    found = []
    for at, node in document.headings:
        text = node.text(deep=True, separator=" ")[:2000]
        text = " ".join((_STYLED.sub(" ", text) if "{" in text else text).split())[:500]
        if text and not _PRICE_ALONE.fullmatch(text):
            found.append((text, at))
    return tuple(found)


def _language(root: Mapping[str, str | None], metas: dict[str, str]) -> str | None:
    tag = root.get("lang") or root.get("xml:lang") or ""
    tag = tag or metas.get("content-language", "") or metas.get("language", "") or metas.get("og:locale", "")
    tag = tag.strip().replace("_", "-")
    return tag if _TAG.fullmatch(tag) else None


def _locale(host: str, path: str, metas: dict[str, str], language: str | None, hints: Hints) -> Locale:
    last = host.rsplit(".", 1)[-1]
    declared = [iso_code(metas[name]) for name in _CURRENCY_METAS if name in metas]
    regions: list[str] = []
    named = _PATH_LOCALE.match(path)
    if named:
        second = named.group(2) or named.group(3)
        regions += [r for r in (second, named.group(1)) if r and currency_of_region(r)]
    generic = _is_generic(last) and not host.endswith(".com.co")
    host_is_country = len(last) == 2 and not generic
    if host_is_country:  # `/fr/` below a country's host is a language, `/fr-ca/` names a country
        regions.insert(0 if named and named.group(3) else len(regions), last)
    for tag in (language, metas.get("og:locale", "").replace("_", "-")):
        region = (tag or "").split("-")[-1]
        if len(region) == 2 and "-" in (tag or "") and not (region.lower() == "us" and not generic):
            regions.append(region)
    return Locale(
        declared=tuple(dict.fromkeys(c for c in declared if c)),
        regions=tuple(r for r in regions if currency_of_region(r)),
        language=(language or "").split("-")[0].lower() or None,
        setting=iso_code(hints.currency),
        generic_host=generic and (last == "com" or language is not None),
    )


def _is_generic(last: str) -> bool:
    return len(last) > 2 or last in _GENERIC


def amounts_in_titles(facts: Facts) -> frozenset[Decimal]:
    """Return the amounts with a currency that a page has in its titles; they say which of those shown is the price.

    Not those of its headings too, which only say the title again: a headline may have a sum in it.
    """
    return _amounts_of({facts.title, facts.og_title}) - _amounts_of({text for text, _ in facts.headings})


def _amounts_of(texts: Set[str]) -> frozenset[Decimal]:
    every = (amounts(text, bare=frozenset()) for text in texts if text)
    return frozenset(a.value for a in chain.from_iterable(every) if a.sign and a.value > 0)

"""Tell a product page from a listing: category, search, brand and home pages."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from monitor.domain.extraction import Role
from monitor.extract.document import Document
from monitor.extract.errands import is_product_path
from monitor.extract.facts import Facts, urlsplit_or_empty
from monitor.extract.former import row
from monitor.extract.gather import Gathered
from monitor.extract.identity import fits
from monitor.extract.names import IN_GRID, shape, votes_together
from monitor.extract.rows import is_of_outside
from monitor.extract.standing import UNLISTED, Anchor, Seen
from monitor.extract.vocabulary import Vocabulary

_LIST_CLASS = re.compile(
    r"(?:^|[\s_-])(?:category|categories|listing|search|search-?results?|collection|archive|tax-product"
    r"|catalog-category|catalogsearch|template-collection|template-index|home|homepage|index|brand|plp"
    r"|productlist|product-list|shop-?page|woocommerce-shop)(?:$|[\s_-])"
)
_PRODUCT_CLASS = re.compile(
    r"(?:^|[\s_-])(?:single-product|product-?page|product-?detail|catalog-product-view|template-product|pdp"
    r"|page-product|product-?view|productdetails?|product-template)(?:$|[\s_-])"
)
_LIST_PATH = re.compile(
    r"/(?:search|catalogsearch|category|categories|cat|collections?|c|brands?|kategorie|categorie"
    r"|marcas?|marken?|marques?|marche|merken|značk[ay]|znack[ay]|märken|categoria|kategori|suche|buscar|recherche|ricerca|tag|wishlist|favou?rites|merkzettel|compare)(?:/[^/]*)?/?$"
    r"|/(?:product-(?:category|tag|brand)|produkt-kategorie|categorie-produit|categoria-producto|kategoria-produktu)"
    r"(?:/[^/]*){0,5}$"
    r"|/(?:s|shop|new-arrivals|nieuw|neuheiten|nouveautes|novedades|sale|outlet)/?$",
    re.IGNORECASE,
)
_HOME_PATH = re.compile(r"/?|/[a-z]{2}(?:[-_][a-z]{2})?/?", re.IGNORECASE)  #: of one language too
#: A search by its path and by what it asks for: even one hit is a list.
_SEARCH_PATH = re.compile(
    r"/(?:catalog)?(?:search|suche|recherche|ricerca|buscar|busca|zoeken|szukaj|hledat|vyhledavani|vyhladavanie|hladat"
    r"|wyszukiwanie|pesquisa|kereses|cautare|arama|haku|sok|soeg|sog|poisk|pretraga|iskanje|anazitisi)\b",
    re.IGNORECASE,
)
_SEARCHED = frozenset(("q", "s", "k", "query", "search", "keyword", "term", "text", "search_query", "string", "phrase"))
#: What titles call the page of a search.
_RESULTS = Vocabulary(
    r"search results?|results for|suchergebnisse?|résultats de (?:la |votre )?recherche|résultats pour"
    r"|resultados de (?:la )?búsqueda|resultados d[ae] (?:busca|pesquisa)|resultados (?:para|por)"
    r"|risultati (?:della |di )?ricerca|risultati per|zoekresultaten"
    r"|wyniki wyszukiwania|výsledky (?:vyhled[áa]v[áa]n[íi]a?|hledání)|sökresultat"
    r"|søkeresultat|søgeresultat|hakutulokset|találati lista|arama sonuçları|rezultate(?:le)? (?:căutării|pentru)"
    r"|результаты поиска|результати пошуку|kết quả tìm kiếm|hasil pencarian|検索結果|검색 ?결과|搜索结果|搜尋結果",
)
#: OpenCart's addresses, which name the kind of page in a query.
_LIST_ROUTE = re.compile(r"product/(?:category|search|special|manufacturer)")
_LIST_QUERY = frozenset(
    {"q", "query", "search", "s", "keyword", "cat", "category", "filter", "page", "sort", "orderby"}
)
#: Where no product is sold, in lower case.
_OFFICE_PATH = re.compile(
    r"contact|kontakt|contatt|login|account|customer|about|help|faq|terms|privacy|feedback|orderstatus|impressum"
    r"|/(?:versand|shipping|delivery|livraison|verzending|bezorging|spedizion[ei]|envios?|entregas?|dostawa|doprava|frakt"
    r"|fragt|доставка)(?:[-_]?(?:und|and|et|en|e|y|i|a))?"
    r"(?:[-_]?(?:zahlung|kosten|info\w*|costs?|rates|returns|policy|zahlungs\w*|retours?|paiement|betaling|platba))?/?$"
    r"|/(?:membership|pricing|plans|preise|tarife|tarifs|mitgliedschaft|abonnements?|precios|tarifas|prezzi|planos)"
    r"(?:-?(?:prices|pricing|plans))?/?$",
)
_PAGING = (
    "sort by", "items per page", "filter by", "refine by", "refine your", "sortieren", "trier par", "ordenar por",
    "ordina per", "sortuj", "сортировать", "sorteren",
)  # fmt: skip
_COUNTED = re.compile(r"results|products|produits|showing [0-9]")
_COUNTED_WORDS = ("results", "products", "produits", "showing ")  #: of which one is in all that `_COUNTED` finds
PAGED = 12_000  #: characters searched for words of a list: sorting, counts
PAGING = 1.0  #: votes for a listing of words over sorting or counting
BESIDE = 150  #: characters within which a buy control belongs to a price
OF_ADDRESS = 2.0  #: votes for a listing of an address that is one's
OF_CLASS = 1.5  #: the same of the class of its body
OF_NAME = OF_ADDRESS + OF_CLASS  #: the same of what can be nothing else: the first page of a shop, the hits of a search
OF_SHOWN = 1.5  #: votes for a product of a price shown beside its name
AHEAD = 1.5  #: votes by which a listing must be ahead

_TALK_TYPES = ('"DiscussionForumPosting"', '"QAPage"', '"JobPosting"', '"NewsArticle"', '"Recipe"')
_ARTICLE_TYPES = ('"Article"', '"BlogPosting"', *_TALK_TYPES)
#: A title that calls a page a review, by its first words or the last before the site's name.
_REVIEW = re.compile(
    r"^(?:(?:test|review|essai|teszt) ?:|(?:testbericht|recensi(?:one|e)|recen[zs](?:e|ia|ja|ie)|reseña|análisis de"
    r"|anmeldelse|arvostelu|обзор|огляд)\b)|\b(?:review|im test|testbericht|anmeldelse|recensi(?:one|e)|reseña"
    r"|recen[zs](?:ja|e|ia)|обзор)(?= ?(?:$| [|–—-] ))",
    re.IGNORECASE,
)
_LIST_OG_TYPES = frozenset({"website", "product.group", "category", "object", "blog"})


@dataclass(frozen=True, slots=True)
class Kind:
    """Votes for a listing and for a product page, with what they were."""

    listing: float
    product: float
    cards: int
    asked: bool  #: a search or a filter in the address
    office: bool  #: contact, account, help: prices there are somebody else's
    called_article: bool = False  #: by its meta tags
    article: bool = False  #: an article or review: prices there are those of other shops
    told: bool = False  #: address and class alike call it a list, and nothing a product page
    of_one: bool = False  #: the only prices of a list's page stand in its grid, however few

    @property
    def is_listing(self) -> bool:
        """The listing's votes are clearly ahead, or those of what it is called are not disputed."""
        return self.told or self.listing - self.product >= AHEAD

    @property
    def may_be_listing(self) -> bool:
        """A grid, and not less said for a listing: enough when no price was found."""
        ahead = self.listing > self.product if self.called_article else self.listing >= self.product
        few = self.cards == 2 and self.listing >= OF_ADDRESS and self.listing > self.product
        in_grid = self.of_one and (ahead or 0 <= self.product < OF_SHOWN)  # with no more than the grid's own buttons
        return (((self.cards >= 3 or few) and ahead) or in_grid) and not self.office


def cards(seen: Sequence[Seen]) -> int:
    """Return how many places of one markup show different amounts: the products of a grid."""
    return max((s.repeated for s in seen if s.role is not Role.SHIPPING and _may_be_card(s)), default=0)


def _may_be_card(s: Seen) -> bool:
    if s.reason in UNLISTED:
        return False
    return not s.reason.startswith("stands outside") or IN_GRID.search(s.reason) is not None


def declared_names(got: Gathered) -> int:
    """Return how many names of products with an offer a page declares."""
    return len({p.name for p in got.products if p.offers and p.name})


def declared_votes(got: Gathered) -> tuple[float, float]:
    """Return what speaks for a listing and for a product page in what a page declares, whatever it shows."""
    parts = urlsplit_or_empty(got.facts.url)
    path, query = (parts.path, parts.query) if parts else ("", "")
    return _listing_votes(got, path, query) + _rivals_votes(got), _product_votes(got, path)


def is_called_list(votes: tuple[float, float]) -> bool:
    """Say whether its address calls a page a list, or the class of its body alone and nothing a product page."""
    return votes[0] >= OF_ADDRESS or (votes[0] >= OF_CLASS and votes[1] <= 0)


def is_plain_listing(got: Gathered, votes: tuple[float, float]) -> bool:
    """Say whether what a page declares makes it a list, whatever it shows.

    Prices that it shows may add to the votes for a list, and OF_SHOWN at most to those for a product.

    Args:
        got: what it declares.
        votes: those of `declared_votes`.
    """
    listing, product = votes
    return got.facts.og_type != "article" and listing - product - _few_buys(got.anchor) - OF_SHOWN >= AHEAD


def _is_list_query(facts: Facts) -> bool:
    return any(key in _LIST_QUERY for key in facts.query) or _LIST_ROUTE.match(facts.query.get("route", "")) is not None


def kind_of(document: Document, got: Gathered, votes: tuple[float, float]) -> Kind:
    """Add to `votes`, those of `declared_votes`, what the prices that a page shows speak for."""
    parts = urlsplit_or_empty(got.facts.url)
    path = parts.path if parts else ""
    bought = _each_bought(got.anchor, got.seen)
    grid = cards(got.seen)
    listing = votes[0] + _grid_votes(grid, bought)
    product = votes[1] + (_bought(got.anchor, got.seen) if bought < 3 else 0)
    if -PAGING <= listing - product < AHEAD and _has_paging(document.lower[:PAGED]):  # asked where it may decide
        listing += PAGING
    asked = _is_list_query(got.facts)
    office, called_article = bool(_OFFICE_PATH.search(path.lower())), got.facts.og_type == "article"
    own = got.main is not None and not got.main.nested and bool(got.main.offers or got.main.variants)
    is_article_only = called_article and votes[1] <= 0
    sells = bool(got.anchor.buys and (got.declared or not (is_article_only or got.anchor.linked)))
    is_within = got.main is not None and got.main.nested  # as what a review is about
    called = (is_within or not got.declared) and _REVIEW.search(got.facts.title) is not None
    may_be_article = called_article or max(votes) <= 0  # where nothing speaks for a list or for a product
    article = not own and not sells and (called or _is_article(document, may_be=may_be_article))
    told = votes[0] >= OF_NAME and votes[1] <= 0
    return Kind(listing, product, grid, asked, office, called_article, article, told, _is_of_one(votes, got.seen))


def _is_of_one(votes: tuple[float, float], seen: Sequence[Seen]) -> bool:
    """Say whether a grid holds what a page shows and its address calls it a list: a category of one product.

    Where nothing calls it a product's page, two prices in the grid are enough.
    """
    listing, product = votes
    grid = {s.value for s in seen if s.reason.startswith("stands outside") and IN_GRID.search(s.reason)}
    return len(grid) >= (1 if listing >= OF_ADDRESS else 2 if product <= 0 else len(seen) + 1)


def _listing_votes(got: Gathered, path: str, query: str) -> float:
    facts = got.facts
    votes = OF_NAME if (_HOME_PATH.fullmatch(path) and not query) or _RESULTS.found(facts.title.lower()) else 0.0
    votes += OF_ADDRESS if _LIST_PATH.search(path) or _is_list_query(facts) else 0
    votes += OF_NAME if _is_search(facts, path) else 0
    votes += OF_CLASS if _LIST_CLASS.search(facts.body_class) else 0
    votes += 1 if facts.og_type in _LIST_OG_TYPES else 0
    votes += 2 if got.typed_as_list else 0
    return votes - (2 if _OFFICE_PATH.search(path.lower()) else 0)


def _is_search(facts: Facts, path: str) -> bool:
    return _SEARCH_PATH.search(path) is not None and any(key in _SEARCHED for key in facts.query)


def _is_article(document: Document, *, may_be: bool) -> bool:
    """Say whether a page calls itself news, talk or a job to search engines; or an article, where it may be one."""
    types = _ARTICLE_TYPES if may_be else _TALK_TYPES
    return any(mark in block for block in document.linked_data() for mark in types)


def _has_paging(lower: str) -> bool:
    if any(words in lower for words in _PAGING):
        return True
    return any(word in lower for word in _COUNTED_WORDS) and any(
        found.group()[-1].isdigit() or (lower[max(0, found.start() - 2) : found.start()] or " ")[0].isdigit()
        for found in _COUNTED.finditer(lower)
    )


def _grid_votes(grid: int, bought: int) -> float:
    votes = 1.5 if grid >= 6 else 1.0 if grid >= 4 else 0.0
    return votes + (1.5 if bought >= 3 else 0)


def _rivals_votes(got: Gathered) -> float:
    """Return the votes of several products declared and of several controls that buy."""
    votes = 2.5 if got.rivals else 0.0
    votes += 1 if len(got.anchor.buys) >= 5 else 0
    own = got.main is not None and fits(got.main, got.facts) and not got.main.nested
    return votes + (1.5 if not own and declared_names(got) >= 4 else 0)


def _product_votes(got: Gathered, path: str) -> float:
    facts, main = got.facts, got.main
    votes = 0.0
    if main and not got.rivals and not main.nested and not _is_search(facts, path):
        votes += 2.5 if (main.offers or main.variants) and fits(main, facts) else 0
        if len(got.products) == 1:
            votes += 1 if any(o.price for o in main.offers) else 0
            votes += 1 if (main.sku or main.gtin) and main.offers else 0
    votes += 2 if facts.og_type in ("product", "og:product", "product.item") else 0
    at_home = (
        _HOME_PATH.fullmatch(path) and facts.og_type in _LIST_OG_TYPES
    )  # where templates leave a price of some product
    votes += 1.5 if not at_home and any(d.source.startswith("meta") for d in got.declared) else 0
    votes += 1.5 if _PRODUCT_CLASS.search(facts.body_class) else 0
    return votes + (1.5 if is_product_path(path) else 0)


def _each_bought(anchor: Anchor, seen: Sequence[Seen]) -> int:
    """Return how many prices of one markup have a buy control of their own beside them.

    They are named as prices, or each has other words before it, as the names of products are; but a table with one
    price in each row tells the sizes of one product. Two prices of a card, in unlike markup, have one control both.
    """
    buys = [buy for buy in sorted(set(anchor.buys)) if not is_of_outside(buy, seen, BESIDE)]
    free: dict[tuple[str, ...], list[int]] = {}
    bought: dict[tuple[str, ...], list[int | None]] = {}
    labels: set[str] = set()
    for s in seen if buys else ():
        if s.role is not Role.CURRENT:
            continue
        named = "price" in votes_together(s.place.names[:3])
        if not named and (s.label in labels or not any(map(str.isalnum, s.label))):
            continue
        markup = tuple(map(shape, s.place.names[:3]))
        left = free.setdefault(markup, list(buys))
        own = bisect_right(left, s.amount.start - BESIDE)
        if own < len(left) and left[own] < s.amount.start + BESIDE:
            del left[own]
            labels.add(s.label)
            rows = bought.setdefault(markup, [])
            rows.append(None if named or "tr" not in s.place.tags else row(s))
    return max((len(rows) for rows in bought.values() if None in rows or len(set(rows)) < len(rows)), default=0)


def _bought(anchor: Anchor, seen: Sequence[Seen]) -> float:
    """Return the votes of one unrepeated price beside heading and buy control."""
    heading = anchor.heading
    near = heading is not None and any(
        s.role in (Role.CURRENT, Role.MEMBER, Role.RANGE_END)
        and s.repeated < (4 if anchor.buys else 3)
        and 0 <= s.amount.start - heading < 3000
        for s in seen
    )
    return (OF_SHOWN if near else 0) + _few_buys(anchor)


def _few_buys(anchor: Anchor) -> float:
    heading = anchor.heading
    buys = [b for b in anchor.buys if -500 <= b - heading < 5000] if heading is not None else []
    return 1.0 if 0 < len(buys) <= 4 else 0.0

"""An amount under a name that leads to a page of its own is that of a card, however few cards there are.

The one hit that a filter left over, an offer of a branch, the tip of a page that is gone: nothing repeats there, and a
button to buy stands beside it. What tells is that the name before the amount leads to another page, or that the amount
stands in such a link, and that neither the title nor a heading of this one says the name. An advertising link beside an
amount tells that it is another shop's. Asked only of pages that declare nothing.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from urllib.parse import unquote

from selectolax.lexbor import LexborNode

from monitor.domain.extraction import Role
from monitor.extract.document import Document
from monitor.extract.errands import is_product_path
from monitor.extract.facts import Facts, urlsplit_or_empty, words_of
from monitor.extract.former import NOT_CLEAR, RIVALS, Choice
from monitor.extract.own_words import digit_offset
from monitor.extract.standing import Anchor, Seen

CLIMBED = 8  #: elements around an amount of which one may be the card
MOST_LINKS, MOST_PAGES = 12, 2  #: links in it that are looked at, and pages to which they lead where it is a card
LONGEST = 300  #: characters between the beginning of the name and the amount
SAID = 0.9  #: share of the name's words in title and headings from which it is this page's own
IN_ADDRESS = 0.5  #: share of them in an address from which it is that of the name's page
SHORTEST = 4  #: letters and digits of a name

#: Links beside a price that lead to who sells, makes or wrote it, or to a page of the shop about itself.
_NO_PRODUCT = re.compile(
    r"/(?:sellers?|shops?|stores?|vendors?|merchants?|dealers?|brands?|marken?|marques?|marcas?|manufacturers?"
    r"|hersteller|fabricants?|haendler|vendeurs?|users?|members?|profile?s?|authors?|auteurs?|autor\w{0,3}|forfatter"
    r"|författare|artists?|publishers?|verlage?|editeurs?|series?|help|info|service|pages?"
    r"|go(?:to)?|out|redirect|click|relocate|leadout)/",
    re.IGNORECASE,
)
#: How a name is set.
_HEADING_TAGS = frozenset({"h2", "h3", "h4", "h5", "h6"})
_HEADINGS = ", ".join(sorted(_HEADING_TAGS))
_NAME = re.compile(r"name|title|heading|headline")
_PICTURES = "img, picture, [style*=background]"


def is_of_another_page(document: Document, facts: Facts, anchor: Anchor, choice: Choice, seen: Sequence[Seen]) -> bool:
    """Say whether the price that would be given, or the two that stand alike or clearest, are those of cards.

    Args:
        document: the page.
        facts: what it says about itself.
        anchor: where its product would stand.
        choice: what would be given.
        seen: the amounts of the page.
    """
    current = sorted((s for s in seen if s.role is Role.CURRENT), key=lambda s: -s.score)
    alike = choice.reason == RIVALS or (choice.reason == NOT_CLEAR and len({s.value for s in current[:2]}) == 2)
    shown = [choice.seen] if choice.seen else current[:2] if alike else []
    return bool(shown) and all(_is_under_another_name(document, facts, anchor, s) for s in shown)


def is_advertised(document: Document, facts: Facts, anchor: Anchor, at: Seen) -> bool:
    """Say whether an advertising link stands beside an amount, on a page with no control of its own that buys."""
    if anchor.buys and not anchor.linked:
        return False
    _, links = next(_cards(document, facts, anchor, at), (None, []))
    return any("sponsored" in (link.attributes.get("rel") or "") for link in links)


def _is_under_another_name(document: Document, facts: Facts, anchor: Anchor, at: Seen) -> bool:
    """Say whether a name before an amount leads to another page, and this one does not say it of itself."""
    offset = digit_offset(document.text, at.amount)
    before = document.text[max(0, offset - LONGEST) : offset]
    cards = _cards(document, facts, anchor, at)
    return any(_leads(card, link, facts, before) for card, links in cards for link in links)


def _cards(document: Document, facts: Facts, anchor: Anchor, at: Seen) -> Iterator[tuple[LexborNode, list[LexborNode]]]:
    """Yield the elements around an amount that hold or are a link to another page, with such links, innermost first.

    Up to the one that holds the heading too, or from which more pages are reached than from a card.
    """
    node = document.node_at(digit_offset(document.text, at.amount)) if anchor.heading is not None else None
    for _ in range(CLIMBED):
        node = node.parent if node is not None else None
        if node is None or node.mem_id in anchor.around:
            return
        links = list(islice(_elsewhere(node, facts), MOST_LINKS))
        if len({_path_of(link) for link in links}) > MOST_PAGES:
            return
        if links:
            yield node, links


def _elsewhere(card: LexborNode, facts: Facts) -> Iterator[LexborNode]:
    """Yield the links in an element, and itself, that lead to another page which may be a product's.

    A page whose address begins with that of the link is filed there: it leads to its category.
    """
    paths = [_path(url) for url in (facts.url, facts.canonical) if url]
    own = {path.rpartition("/")[2] for path in paths}
    for link in (*([card] if card.tag == "a" else ()), *card.css("a[href]")):
        path = _path_of(link)
        if not path or path.rpartition("/")[2] in own or _NO_PRODUCT.search(path):
            continue
        if not any(one.startswith(f"{path}/") for one in paths):
            yield link


def _leads(card: LexborNode, link: LexborNode, facts: Facts, before: str) -> bool:
    """Say whether a link leads to the page of a name that stands with an amount, and that is not this page's own.

    Either a picture leads there too, or the address has the name's words and the name is set like one: other links
    beside a price, "Size guide", lead to pages of their words as well.
    """
    path = _path_of(link)
    parts = urlsplit_or_empty(link.attributes.get("href") or "")
    if parts and parts.hostname and parts.hostname.removeprefix("www.") != facts.host.removeprefix("www."):
        return False
    own = words_of(" ".join([facts.title, *(text for text, _ in facts.headings)]))
    for node in (link, *card.css(_HEADINGS)):
        pieces = node.text(deep=True, separator="\x1f").split("\x1f")
        name = max((" ".join(piece.split()) for piece in pieces), key=len)
        said = words_of(name)
        if sum(map(str.isalnum, name)) < SHORTEST or len(said & own) >= SAID * len(said):
            continue
        if link.mem_id != card.mem_id and not _begins_line(name, before):
            continue
        if node is link and (_is_pictured(card, link) or (_is_heading(link) and card.css_first(_PICTURES) is not None)):
            return True
        if len(said) > 1 and len(said & words_of(path)) >= IN_ADDRESS * len(said):
            return is_product_path(path) or (_is_set_as_name(node) and card.css_first(_PICTURES) is not None)
    return False


def _is_set_as_name(node: LexborNode) -> bool:
    """Say whether an element is a heading, holds or stands in one, or is named as a name."""
    around = node.parent
    tags = {node.tag, around.tag if around is not None else ""}
    named = " ".join((one.attributes.get("class") or "") for one in (node, around) if one is not None).lower()
    return not _HEADING_TAGS.isdisjoint(tags) or node.css_first(_HEADINGS) is not None or bool(_NAME.search(named))


def _is_heading(link: LexborNode) -> bool:
    """Say whether a link is the heading of something."""
    return link.parent is not None and link.parent.tag in _HEADING_TAGS


def _begins_line(name: str, before: str) -> bool:
    """Say whether a name begins a line of a text, so that no word before it says of what it is the name."""
    led, found, _ = before.rpartition(name)
    return bool(found) and not led.rpartition("\n")[2].strip("\x1f ")


def _is_pictured(card: LexborNode, link: LexborNode) -> bool:
    """Say whether a link holds a picture, or another one in the card with the same address does."""
    href = link.attributes.get("href")
    alike = (a for a in (link, *card.css("a[href]")) if a.attributes.get("href") == href)
    return any(a.css_first("img") is not None for a in alike)


def _path_of(link: LexborNode) -> str:
    return _path(link.attributes.get("href") or "")


def _path(url: str) -> str:
    """Return the path of a link, decoded, in lower case; nothing for one that leads to a place in its own page."""
    parts = urlsplit_or_empty(url.strip())
    web = parts is not None and parts.scheme in ("", "http", "https")
    return unquote(parts.path).lower().rstrip("/") if web else ""

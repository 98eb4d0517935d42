"""Find where the page's own product stands: its name, and the controls that buy it."""

import re
from functools import lru_cache
from itertools import islice
from urllib.parse import unquote

from selectolax.lexbor import LexborNode

from monitor.extract.buy_words import BUY_SIEVE, says_buy
from monitor.extract.document import Document
from monitor.extract.facts import Facts, agreement, own_title, urlsplit_or_empty, words_of
from monitor.extract.names import IN_GRID, elsewhere, votes
from monitor.extract.needles import every
from monitor.extract.standing import Anchor
from monitor.extract.vocabulary import plain

MAX_SCANNED = 1_500_000  #: characters of markup searched for a buy control
LONGEST_LABEL = 40  #: characters of what a hidden field of a buy form or a link that buys says
MAX_BUYS = 50  #: buy controls kept
MAX_NAMED = 20  #: places looked at where the page's title stands in its text
BEFORE, AFTER = 2_500, 9_000  #: characters around the product's name in which it can be bought

#: An element named as the buy control, for shops that draw it with a picture or a link; not the name of a script,
#: which WordPress writes into every page of a shop.
_BUY_NAME = re.compile(rb"dd[-_ ]?[tT]o[-_ ]?(?:[cC]art|[bB]ag|[bB]asket|[tT]rolley)(?![a-z]|-(?:js|css))")
_NAMED = re.compile(rb"(?:id|class|name|title|alt|action)=\"[^\"<>]{0,60}[aA]$")
_DISABLED = re.compile(r"(?:^|\s)(?:is-)?disabled(?:\s|$)")
_NEVER_BUYS = frozenset({"radio", "checkbox", "text", "search", "email", "number"})


def is_disabled(attributes: dict[str, str | None]) -> bool:
    """Say whether a control cannot be used."""
    names = f"{attributes.get('class') or ''}".lower()
    return (
        "disabled" in attributes
        or attributes.get("aria-disabled") == "true"
        or bool("disabled" in names and _DISABLED.search(names))
    )


def slug(url: str) -> str:
    """Return the words of the last telling part of an address: `/a/blue-mug-12.html` gives `blue mug 12 html`."""
    parts = urlsplit_or_empty(url)
    pieces = [p for p in unquote(parts.path if parts else "").split("/") if p]
    return re.sub(r"[-_+.]", " ", max(pieces[-2:], key=len, default=""))


def find_anchor(document: Document, facts: Facts, name: str | None) -> Anchor:
    """Return the place of the product whose declared name is `name`, if it has one."""
    heading = _heading(document, facts, name)
    around = document.ancestors(heading) if heading is not None else frozenset()
    low, high = (0, len(document.text)) if heading is None else (heading - BEFORE, heading + AFTER)
    controls = document.controls_between(low, high)
    buys = list(islice((offset for offset, control in controls if is_buy(control)), MAX_BUYS))
    box = _buy_box(document, buys, heading)
    linked = not buys
    if linked:
        buys = _linked_buys(document, max(0, low), high)
    if not buys and heading is not None and _is_marked(document.encoded):
        buys = [heading]
    return Anchor(heading, around | box, tuple(sorted(buys)), linked)


def _buy_box(document: Document, buys: list[int], heading: int | None) -> frozenset[int]:
    """Return the identity of an aside that holds the first control that buys behind the name: the product's own box."""
    first = next((buy for buy in sorted(buys) if heading is not None and buy >= heading), None)
    if first is None:
        return frozenset()
    place = document.place(first)
    asides = zip(place.tags, place.names, place.ids, strict=True)
    return frozenset(i for tag, names, i in asides if tag == "aside" and not elsewhere(names))


def is_buy(control: LexborNode) -> bool:
    """Say whether a button or input buys, and can be used."""
    attributes = control.attributes
    kind = attributes.get("type")
    if kind in _NEVER_BUYS or (kind == "hidden" and len(attributes.get("value") or "") > LONGEST_LABEL):
        return False
    get = attributes.get
    label = get("value") or get("title") or get("aria-label") or get("alt") or ""
    if control.tag == "button":
        label = f"{control.text(deep=True, separator=' ')[:200]} {label} {get('name') or ''}"
    label += f" {get('id') or ''} {get('class') or ''}"[:200]
    return _says_buy(label) and not is_disabled(attributes)


@lru_cache(maxsize=4096)
def _says_buy(label: str) -> bool:
    label = plain(label)
    return BUY_SIEVE.passes(label) and says_buy(label)


def _is_marked(markup: bytes) -> bool:
    """Say whether an attribute names an element as the buy control."""
    return any(
        _NAMED.search(markup, max(0, found.start() - 80), found.start())
        for found in _BUY_NAME.finditer(markup, 0, MAX_SCANNED)
    )


def _linked_buys(document: Document, low: int, high: int) -> list[int]:
    """Return offsets of short texts that read like a buy button, for shops that use links."""
    found: list[int] = []
    for start, end in document.runs(BUY_SIEVE.places(document.lower, low, high)):
        if 4 <= end - start <= LONGEST_LABEL and says_buy(document.lower[start + 1 : end]):
            found.append(start)
            if len(found) >= MAX_BUYS:
                break
    return found


def _is_shop_name(heading: str, own: str, title: str) -> bool:
    """Say whether the best heading is the shop's part of the title, so that the name stands elsewhere."""
    return (
        len(words_of(own)) >= 2
        and agreement(heading, own) < 0.3
        and agreement(heading, title.replace(own, "", 1)) >= 0.8
    )


def _is_in_grid(document: Document, offset: int) -> bool:
    """Say whether a text stands in what is named as a grid of products: there it is, or begins, the name of one."""
    found = filter(None, map(elsewhere, document.place(offset).names))
    return any(IN_GRID.search(word) for word in found)


def _heading(document: Document, facts: Facts, name: str | None) -> int | None:
    wanted = [t for t in (name, facts.og_title, facts.title, slug(facts.url), facts.watched) if t]
    best: tuple[float, int, float, str] | None = None
    for text, offset in facts.headings:
        score = max((agreement(text, t) for t in wanted), default=0.0) + (
            0.3 if name and agreement(text, name) > 0.6 else 0
        )
        score -= 0.5 if len(text) < 4 else 0
        score += min(len(words_of(text)), 10) / 1000  # the shop's name may be a heading too: the longer one says more
        if best is None or score > best[0]:
            best = (score, offset, agreement(text, name), text)
    own = own_title(facts.title, facts.host) if best and not name else None
    if own and best and _is_shop_name(best[3], own, facts.title) and document.text.find(own[:60]) >= 0:
        return document.text.find(own[:60])
    declared_at = document.text.find(name[:60]) if name else -1
    if best and (best[0] >= 0.4 or not name) and not (name and declared_at >= 0 and best[2] < 0.3):
        return best[1]
    pieces = re.split(r"\s+[|–—»·/:-]\s+|\s*[\[【]", facts.title) if best is None else []
    named = (
        name,
        facts.og_title,
        own_title(facts.title, facts.host),
        facts.title,
        *sorted(pieces, key=len, reverse=True),
    )
    for candidate in [t for t in named if t and len(t) >= 6]:
        places = islice(every(document.text, candidate[:60]), MAX_NAMED)
        offset = next((at for at in places if not _is_in_grid(document, at)), -1)
        if offset >= 0:
            return offset
    return best[1] if best else None


def stands_apart(document: Document, offset: int, anchor: Anchor) -> bool:
    """Say whether a text is hidden or stands in a block of other products."""
    place = document.place(offset)
    for names, identity in zip(place.names, place.ids, strict=True):
        if identity in anchor.around:
            return False
        if "hidden" in votes(names) or elsewhere(names):
            return True
    return False

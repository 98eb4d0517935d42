"""One page, parsed once: its tree, its visible text as one string, and where each piece of text stood.

The visible text joins the text nodes in document order with U+001F between them and a newline where a block
begins, so that one regular expression can see "was" before an amount although markup stands between.
`walk.py` says what is text and how much of it is read.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate, compress, filterfalse, islice
from operator import add, itemgetter
from typing import NamedTuple

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

from monitor.extract.amounts import holds_rare_characters, visible_characters
from monitor.extract.walk import walked

MAX_CLIMBED = 4_000  #: ancestors followed to the top; deeper pages are refused
CLIMBED = 16  #: ancestors looked at around one amount
FARTHEST = 100  #: ancestors climbed at most to make them known

#: Attributes whose values name an element, for shops whose class names are made by a machine.
_NAMING = (
    "data-hook", "data-testid", "data-test", "data-test-id", "data-qa", "data-qa-id", "data-cy", "data-automation",
    "data-price-type",
)  # fmt: skip
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z][a-z])")
_UNDISPLAYED = re.compile(r"display\s*:\s*none")


def _numbers(*tags: str) -> frozenset[int]:
    """Return the parser's numbers for tags."""
    tree = LexborHTMLParser("")
    return frozenset(tree.create_node(tag).tag_id for tag in tags)


_METAS, _SCRIPTS, _ROOTS = _numbers("title", "meta", "link"), _numbers("script"), _numbers("body", "html")


class Place(NamedTuple):
    """What stands around one piece of text: the element and its nearest ancestors, innermost first."""

    tags: tuple[str, ...]
    names: tuple[str, ...]  #: class, id, itemprop and data-* names of each, lower case
    ids: tuple[int, ...]  #: identity of each element within this parse


#: An element with the offset of the text that follows its start.
Marks = list[tuple[int, LexborNode]]

_OFFSET_OF = itemgetter(0)
_NOWHERE = Place((), (), ())


@dataclass(slots=True)
class Document:
    """A parsed page; built by `read_document` and not changed afterwards (memos aside)."""

    url: str
    encoded: bytes  #: the page in UTF-8
    tree: LexborHTMLParser
    text: str
    lower: str  #: `text` in lower case at the same offsets, boundaries without a block as spaces
    starts: list[int]
    nodes: list[LexborNode]
    controls: Marks  #: buttons and inputs, with the offset of the text that follows
    headings: Marks  #: each h1 that holds text, with the offset of that text
    metas: list[LexborNode]  #: title, meta and link elements, those of the head first
    scripts: list[LexborNode]  #: script elements, likewise
    _places: dict[int, Place] = field(default_factory=dict)

    @property
    def markup(self) -> str:
        """The page as text, decoded anew at each call; for the readers of short pages."""
        return self.encoded.decode("utf-8", "replace")

    def linked_data(self) -> Iterator[str]:
        """Yield the JSON-LD blocks of the page, as written."""
        for node in self.scripts:
            if "ld+json" in (node.attrs.get("type") or ""):
                yield node.text() or ""

    def node_at(self, offset: int) -> LexborNode | None:
        """Return the text node that holds the character at `offset` of the visible text."""
        at = bisect_right(self.starts, offset) - 1
        return self.nodes[at] if 0 <= at < len(self.nodes) else None

    def piece_at(self, offset: int) -> int:
        """Return the number of the text that holds the character at `offset`."""
        return bisect_right(self.starts, offset) - 1

    def piece(self, number: int) -> str:
        """Return one text by its number, without the character that parts it from the one before; empty beyond them."""
        if not 0 <= number < len(self.starts):
            return ""
        end = self.starts[number + 1] if number + 1 < len(self.starts) else len(self.text)
        return self.text[self.starts[number] + 1 : end]

    def run_end(self, offset: int) -> int:
        """Return where the text that holds `offset` ends."""
        return next((end for _, end in self.runs((offset,))), offset)

    def runs(self, offsets: Iterable[int]) -> Iterator[tuple[int, int]]:
        """Yield where the texts that hold these ascending offsets begin and end, each once."""
        last = -1
        for offset in offsets:
            at = bisect_right(self.starts, offset) - 1
            if at > last:
                last = at
                yield self.starts[at], self.starts[at + 1] if at + 1 < len(self.starts) else len(self.text)

    def controls_between(self, low: int, high: int) -> Marks:
        """Return the buttons and inputs before texts that begin at two offsets or between them."""
        begin = bisect_left(self.controls, low, key=_OFFSET_OF)
        return self.controls[begin : bisect_right(self.controls, high, key=_OFFSET_OF)]

    def ancestors(self, offset: int) -> frozenset[int]:
        """Return the identities of all elements around the text at `offset`."""
        node = self.node_at(offset)
        found: list[int] = []
        while node is not None and len(found) < MAX_CLIMBED:
            found.append(node.mem_id)
            node = node.parent
        return frozenset(found)

    def place(self, offset: int) -> Place:
        """Return the nearest CLIMBED ancestors of the text at `offset`."""
        node = self.node_at(offset)
        node = node.parent if node is not None else None
        if node is None:
            return _NOWHERE
        known = self._places.get(node.mem_id)
        return known if known is not None else self._around(node)

    def place_of(self, node: LexborNode) -> Place:
        """Return an element and its nearest ancestors, CLIMBED in all."""
        known = self._places.get(node.mem_id)
        return known if known is not None else self._around(node)

    def _around(self, node: LexborNode) -> Place:
        """Return the place of what stands in an element; those of the elements around it are made once for all."""
        places = self._places
        climbed: list[tuple[LexborNode, int]] = []
        above: LexborNode | None = node
        known: Place | None = None
        while above is not None and known is None and len(climbed) < FARTHEST and above.tag_id not in _ROOTS:
            climbed.append((above, above.mem_id))
            above = above.parent
            known = places.get(above.mem_id) if above is not None else None
        place = known or _NOWHERE
        for element, identity in reversed(climbed):
            place = places[identity] = Place(
                (element.tag or "", *place.tags[: CLIMBED - 1]),
                (_names(element), *place.names[: CLIMBED - 1]),
                (identity, *place.ids[: CLIMBED - 1]),
            )
        return place


def _names(node: LexborNode) -> str:
    attributes = node.attributes
    if not attributes:
        return ""
    named = (attributes.get("class") or "")[:300].strip()
    if len(attributes) == 1 and "class" in attributes:
        return _spelled(named)
    parts = [named] if named else []
    parts += [identity[:100]] if (identity := attributes.get("id")) else []
    own = attributes.get("itemprop")
    parts += [f"itemprop={own[:40]}"] if own else []
    style = attributes.get("style")
    if style and "line-through" in style:
        parts.append("line-through")
    elif style and _UNDISPLAYED.search(style, 0, 300):
        parts.append("display-none")
    parts += ["hidden-attribute"] if "hidden" in attributes else []
    marked = [name for name in islice(attributes, 30) if name.startswith("data-") and len(name) < 40]
    if marked:
        parts += marked
        parts += [_spoken(attributes[name]) for name in _NAMING if name in attributes]
    return _spelled(" ".join(parts))


def _spelled(names: str) -> str:
    """Return names in lower case, those that are joined by capitals parted by hyphens."""
    return names if names.islower() else _parted(names)


@lru_cache(maxsize=4096)
def _parted(names: str) -> str:
    return _CAMEL.sub("-", names).lower()


def _spoken(value: str | None) -> str:
    """Return a test's name for an element without the word card, which a product page's own blocks carry too."""
    return re.sub("card", "", (value or "")[:60], flags=re.IGNORECASE)


def read_document(encoded: bytes, url: str) -> Document:
    """Parse a page and collect its visible text; never raises for what a page holds.

    Args:
        encoded: the page in UTF-8.
        url: its address.
    """
    tree = LexborHTMLParser(encoded, options=LexborDocumentOptions.WO_EVENTS)
    found = walked(tree.body)
    nodes = found.nodes
    pieces = list(map(add, found.leads, found.texts))
    text = "".join(pieces)
    if holds_rare_characters("".join(filterfalse(str.isascii, found.texts))):  # most texts are plain
        pieces = [piece if piece.isascii() else visible_characters(piece) for piece in pieces]
        text = "".join(pieces)
    starts = [0, *accumulate(map(len, pieces))]
    followed = [(starts[at], node) for at, node in found.controls]
    titled = [(starts[at], node) for at, node in found.headings if at < len(nodes) and _is_inside(nodes[at], node)]
    lower = _lowered(pieces, text).replace("\x1f", " ")
    metas, scripts = _of_head(tree)
    metas += found.metas
    scripts += found.scripts
    return Document(url, encoded, tree, text, lower, starts[:-1], nodes, followed, titled, metas, scripts)


def _of_head(tree: LexborHTMLParser) -> tuple[list[LexborNode], list[LexborNode]]:
    """Return the elements of the head that say something of the page, and its scripts."""
    if tree.head is None:
        return [], []
    nodes = list(tree.head.iter())
    tags = [node.tag_id for node in nodes]
    metas, scripts = (list(compress(nodes, map(wanted.__contains__, tags))) for wanted in (_METAS, _SCRIPTS))
    return metas, scripts


def _lowered(pieces: list[str], text: str) -> str:
    """Return the text in lower case at the same offsets; piece by piece where most of them are ASCII, far quicker."""
    if "\u0130" in text:  # the one letter that becomes two
        return text.replace("\u0130", "I").lower()
    return text.lower() if text.isascii() else "".join(map(str.lower, pieces))


def _is_inside(node: LexborNode, element: LexborNode) -> bool:
    above = node.parent
    for _ in range(CLIMBED):
        if above is None or above.mem_id == element.mem_id:
            return above is not None
        above = above.parent
    return False

"""One page, parsed once: its tree, its visible text as one string, and where each piece of text stood.

The visible text joins the text nodes in document order with U+001F between them and a newline where a block
begins, so that one regular expression can see "was" before an amount although markup stands between.
Scripts, styles and templates are not text. Bounded: MAX_TEXT characters and MAX_NODES nodes.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate, islice

from selectolax.lexbor import LexborHTMLParser, LexborNode

from monitor.extract.amounts import holds_rare_characters, visible_characters

MAX_TEXT = 600_000  #: characters of text nodes read, white space and all
MAX_NODES = 150_000  #: nodes visited
MAX_DEPTH = 4_000  #: nesting above this makes the parser quadratic
MAX_HEADINGS = 20  #: h1 elements kept
MAX_CONTROLS = 2_000  #: buttons and inputs kept
CLIMBED = 16  #: ancestors looked at around one amount

MAX_TAGS = 100_000  #: start and end tags together; the largest shop page known has a fifth of it
MAX_ATTRIBUTES = 4_000  #: of one tag; the parser compares each with all others
LONG_TAG = 20_000  #: characters; shorter tags cannot hold that many attributes
CHUNK = 60_000  #: characters of markup counted at once
MAX_RUN = 20_000  #: characters kept of one text node; no price stands behind them
MAX_TAGS_UNCHECKED = 12_000  #: fewer cannot nest deep enough to matter

#: Tags that stay open until they are closed; those with an implied end cannot nest in themselves.
_NESTING = re.compile(
    r"<(/?)(?:div|span|b|i|u|a|font|section|article|ul|ol|table|em|strong|small|blockquote|form|svg|g|center|main|nav|label|button|li|dd|dt|p|td|tr|th|template)\b",
    re.IGNORECASE,
)
_UNDISPLAYED = re.compile(r"display\s*:\s*none")
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_ATTRIBUTE = re.compile(r"\s[A-Za-z][\w:-]{0,40}(?==|\s)")


_TEXT, _SILENT, _BLOCK, _CONTROL, _HEADING = 1, 2, 4, 8, 16
_SILENT_TAGS = ("script", "style", "textarea", "noscript", "iframe", "svg", "option", "title")
_BLOCK_TAGS = (
    "div", "p", "li", "ul", "ol", "tr", "table", "section", "article", "h1", "h2", "h3", "h4", "form", "dl", "dt",
    "dd", "header", "footer", "aside", "main", "nav", "br", "label", "fieldset", "td", "th", "button",
)  # fmt: skip


def _kinds() -> dict[int, int]:
    """Return what the parser's number of a tag means here; numbers spare a string for each of thousands of nodes."""
    tree = LexborHTMLParser("<p>text")
    kinds = {node.tag_id: _TEXT for node in tree.css("p")[0].traverse(include_text=True) if node.is_text_node}
    for tags, kind in (
        (_SILENT_TAGS, _SILENT),
        (_BLOCK_TAGS, _BLOCK),
        (("button", "input"), _CONTROL),
        (("h1",), _HEADING),
    ):
        for tag in tags:
            number = tree.create_node(tag).tag_id
            kinds[number] = kinds.get(number, 0) | kind
    return kinds


_KINDS = _kinds()
_ROOTS = frozenset(LexborHTMLParser("").create_node(tag).tag_id for tag in ("body", "html"))


@dataclass(frozen=True, slots=True)
class Place:
    """What stands around one piece of text: the element and its nearest ancestors, innermost first."""

    tags: tuple[str, ...]
    names: tuple[str, ...]  #: class, id, itemprop and data-* names of each, lower case
    ids: tuple[int, ...]  #: identity of each element within this parse


#: An element with the offset of the text that follows its start.
Marks = list[tuple[int, LexborNode]]

_NOWHERE = Place((), (), ())


@dataclass(slots=True)
class Document:
    """A parsed page; built by `read_document` and not changed afterwards (memos aside)."""

    url: str
    markup: str
    tree: LexborHTMLParser
    text: str
    lower: str  #: `text` in lower case at the same offsets, boundaries without a block as spaces
    starts: list[int]
    nodes: list[LexborNode]
    controls: Marks  #: buttons and inputs, with the offset of the text that follows
    headings: Marks  #: each h1 that holds text, with the offset of that text
    _places: dict[int, Place] = field(default_factory=dict)

    def node_at(self, offset: int) -> LexborNode | None:
        """Return the text node that holds the character at `offset` of the visible text."""
        at = bisect_right(self.starts, offset) - 1
        return self.nodes[at] if 0 <= at < len(self.nodes) else None

    def ancestors(self, offset: int) -> frozenset[int]:
        """Return the identities of all elements around the text at `offset`."""
        node = self.node_at(offset)
        found: list[int] = []
        while node is not None and len(found) < MAX_DEPTH:
            found.append(node.mem_id)
            node = node.parent
        return frozenset(found)

    def place(self, offset: int) -> Place:
        """Return the ancestors of the text at `offset`, the nearest CLIMBED of them."""
        node = self.node_at(offset)
        node = node.parent if node is not None else None
        fresh: list[tuple[int, LexborNode]] = []
        known = _NOWHERE
        while node is not None:
            identity = node.mem_id
            if identity in self._places:
                known = self._places[identity]
                break
            if node.tag_id in _ROOTS:
                break
            fresh.append((identity, node))
            node = node.parent
        for identity, element in reversed(fresh):
            known = self._places[identity] = _within(known, identity, element)
        return known


def _within(outer: Place, identity: int, element: LexborNode) -> Place:
    """Return the place inside `element`, which stands at `outer`."""
    return Place(
        (element.tag or "", *outer.tags[: CLIMBED - 1]),
        (_names(element), *outer.names[: CLIMBED - 1]),
        (identity, *outer.ids[: CLIMBED - 1]),
    )


def _names(node: LexborNode) -> str:
    attributes = node.attributes
    if not attributes:
        return ""
    style = attributes.get("style")
    own = attributes.get("itemprop")
    parts = [(attributes.get("class") or "")[:300], (attributes.get("id") or "")[:100]]
    parts += [f"itemprop={own[:40]}"] if own else []
    if style and "line-through" in style:
        parts.append("line-through")
    elif style and _UNDISPLAYED.search(style, 0, 300):
        parts.append("display-none")
    parts += ["hidden-attribute"] if "hidden" in attributes else []
    if len(attributes) > 1:
        parts += [name for name in islice(attributes, 30) if name.startswith("data-") and len(name) < 40]
    return " ".join(parts).lower()


def refusal(markup: str) -> tuple[str, str] | None:
    """Return why a page is not parsed, as code and words: too many tags or attributes, or too deep; None when it is."""
    tags = markup.count("<")
    if tags > MAX_TAGS or any(_attributes_of(tag) > MAX_ATTRIBUTES for tag in _long_tags(markup)):
        return "too_complex", "the page has more tags or attributes than any shop page has"
    if tags >= MAX_TAGS_UNCHECKED and _may_nest(markup) and _nests(markup):
        return "too_deep", "the page nests elements deeper than any shop page does"
    return None


def _nests(markup: str) -> bool:
    depth = 0
    for tag in _NESTING.finditer(markup):
        depth = max(0, depth - 1) if tag.group(1) else depth + 1
        if depth > MAX_DEPTH:
            return True
    return False


def _may_nest(markup: str) -> bool:
    """Say whether some stretch opens MAX_DEPTH more tags than it closes, whatever they are: fast, and never too low."""
    ahead = 0
    for start in range(0, len(markup), CHUNK):
        closed = markup.count("</", start, start + CHUNK)
        opened = markup.count("<", start, start + CHUNK) - closed
        if ahead + opened > MAX_DEPTH:
            return True
        ahead = max(0, ahead + opened - closed)
    return False


def _attributes_of(tag: str) -> int:
    return len(_ATTRIBUTE.findall(_QUOTED.sub("", tag)))


def _long_tags(markup: str) -> Iterator[str]:
    """Yield tags of LONG_TAG characters or more; each of them covers a multiple of half that."""
    end = 0
    for middle in range(LONG_TAG // 2, len(markup), LONG_TAG // 2):
        if middle < end:
            continue
        start = markup.rfind("<", end, middle + 1)
        following = markup.find("<", middle + 1)
        end = following if following >= 0 else len(markup)
        if start >= 0 and end - start >= LONG_TAG and markup[start + 1 : start + 2].isalpha():
            yield markup[start + 1 : end].split(">", 1)[0]


def read_document(markup: str, url: str, encoded: bytes | None = None) -> Document:
    """Parse `markup` and collect its visible text; never raises for what a page holds.

    Args:
        markup: the page as text.
        url: its address.
        encoded: `markup` in UTF-8 where the caller has it; spares a copy.
    """
    tree = LexborHTMLParser(markup if encoded is None else encoded)
    pieces: list[str] = []
    nodes: list[LexborNode] = []
    controls: Marks = []
    headings: Marks = []
    root = tree.body
    if root is not None:
        _collect(root, pieces, nodes, controls, headings)
    text = "".join(pieces)
    if holds_rare_characters(text):
        pieces = [visible_characters(piece) for piece in pieces]
        text = "".join(pieces)
    starts = [0, *accumulate(map(len, pieces))]
    followed = [(starts[at], node) for at, node in controls]
    titled = [(starts[at], node) for at, node in headings if at < len(nodes) and _is_inside(nodes[at], node)]
    lower = text.replace("\u0130", "I").replace("\x1f", " ").lower()
    return Document(url, markup, tree, text, lower, starts[:-1], nodes, followed, titled)


def _is_inside(node: LexborNode, element: LexborNode) -> bool:
    above = node.parent
    for _ in range(CLIMBED):
        if above is None or above.mem_id == element.mem_id:
            return above is not None
        above = above.parent
    return False


def _collect(root: LexborNode, pieces: list[str], nodes: list[LexborNode], controls: Marks, headings: Marks) -> None:
    """Gather text nodes and controls; a control is kept with the number of the text that follows it."""
    length = before = 0
    lead = "\x1f"
    what = _KINDS.get
    for visited, node in enumerate(root.traverse(include_text=True)):
        kind = what(node.tag_id, 0)
        if kind == _TEXT:
            raw = "" if before == _SILENT else node.text_content
            if raw and not raw.isspace():
                pieces.append(lead + " ".join(raw.split())[:MAX_RUN])
                nodes.append(node)
                lead = "\x1f"
                length += len(raw)
                if length > MAX_TEXT or visited > MAX_NODES:
                    return
        elif kind > _SILENT:
            lead = "\n" if kind & _BLOCK else lead
            if kind & _CONTROL and len(controls) < MAX_CONTROLS:
                controls.append((len(pieces), node))
            elif kind & _HEADING and len(headings) < MAX_HEADINGS:
                headings.append((len(pieces), node))
        before = kind

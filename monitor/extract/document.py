"""One page, parsed once: its tree, its visible text as one string, and where each piece of text stood.

The visible text joins the text nodes in document order with U+001F between them and a newline where a block
begins, so that one regular expression can see "was" before an amount although markup stands between.
Scripts, styles and templates are not text. Bounded: MAX_TEXT characters and MAX_NODES nodes.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from monitor.extract.amounts import visible_characters

MAX_TEXT = 400_000  #: characters of visible text kept
MAX_NODES = 150_000  #: nodes visited
MAX_DEPTH = 4_000  #: nesting above this makes the parser quadratic
MAX_CONTROLS = 2_000  #: buttons and inputs kept
CLIMBED = 16  #: ancestors looked at around one amount

MAX_TAGS = 100_000  #: start and end tags together; the largest shop page known has a fifth of it
MAX_ATTRIBUTES = 4_000  #: of one tag; the parser compares each with all others
LONG_TAG = 20_000  #: characters; shorter tags cannot hold that many attributes
MAX_RUN = 20_000  #: characters kept of one text node; no price stands behind them
MAX_TAGS_UNCHECKED = 12_000  #: fewer cannot nest deep enough to matter

#: Tags that stay open until they are closed; those with an implied end cannot nest in themselves.
_NESTING = re.compile(
    r"<(/?)(?:div|span|b|i|u|a|font|section|article|ul|ol|table|em|strong|small|blockquote|form|svg|g|center|main|nav|label|button|li|dd|dt|p|td|tr|th|template)\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_ATTRIBUTE = re.compile(r"\s[A-Za-z][\w:-]{0,40}(?==|\s)")
_SILENT = frozenset({"script", "style", "textarea", "noscript", "iframe", "svg", "option", "title"})
_BLOCK = frozenset(
    {"div", "p", "li", "ul", "ol", "tr", "table", "section", "article", "h1", "h2", "h3", "h4", "form", "dl", "dt",
     "dd", "header", "footer", "aside", "main", "nav", "br", "label", "fieldset", "td", "th", "button"}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Place:
    """What stands around one piece of text: the element and its nearest ancestors, innermost first."""

    tags: tuple[str, ...]
    names: tuple[str, ...]  #: class, id, itemprop and data-* names of each, lower case
    ids: tuple[int, ...]  #: identity of each element within this parse


@dataclass(slots=True)
class Document:
    """A parsed page; built by `read_document` and not changed afterwards (memos aside)."""

    url: str
    markup: str
    tree: LexborHTMLParser
    text: str
    starts: list[int]
    nodes: list[LexborNode]
    controls: list[tuple[int, LexborNode]]  #: buttons and inputs, with the offset of the text that follows
    _ancestry: dict[int, tuple[str, str]] = field(default_factory=dict)

    def node_at(self, offset: int) -> LexborNode | None:
        """Return the text node that holds the character at `offset` of the visible text."""
        at = bisect_right(self.starts, offset) - 1
        return self.nodes[at] if 0 <= at < len(self.nodes) else None

    def offset_of(self, node: LexborNode) -> int | None:
        """Return where the text of an element begins, None when it has none."""
        wanted = next((n.mem_id for n in node.traverse(include_text=True) if n.tag == "-text"), None)
        return self.offsets().get(wanted) if wanted is not None else None

    def offsets(self) -> dict[int, int]:
        """Return the offset of every text node by its identity."""
        return {node.mem_id: start for node, start in zip(self.nodes, self.starts, strict=True)}

    def ancestors(self, offset: int) -> frozenset[int]:
        """Return the identities of all elements around the text at `offset`."""
        node = self.node_at(offset)
        found: list[int] = []
        while node is not None and len(found) < MAX_DEPTH:
            found.append(node.mem_id)
            node = node.parent
        return frozenset(found)

    def place(self, offset: int) -> Place:
        """Return the ancestors of the text at `offset`."""
        node = self.node_at(offset)
        node = node.parent if node is not None else None
        tags: list[str] = []
        names: list[str] = []
        ids: list[int] = []
        while node is not None and len(tags) < CLIMBED and node.tag not in ("body", "html", "-undef"):
            identity = node.mem_id
            known = self._ancestry.get(identity)
            if known is None:
                known = self._ancestry[identity] = (node.tag or "", _names(node))
            tags.append(known[0])
            names.append(known[1])
            ids.append(identity)
            node = node.parent
        return Place(tuple(tags), tuple(names), tuple(ids))


def _names(node: LexborNode) -> str:
    attributes = node.attributes
    if not attributes:
        return ""
    parts = [(attributes.get("class") or "")[:300], (attributes.get("id") or "")[:100]]
    for name, value in list(attributes.items())[:30]:
        if name == "itemprop":
            parts.append(f"itemprop={(value or '')[:40].lower()}")
        elif name == "style" and value and "line-through" in value:
            parts.append("line-through")
        elif name == "style" and value and re.search(r"display\s*:\s*none", value[:300]):
            parts.append("display-none")
        elif name.startswith("data-") and len(name) < 40:
            parts.append(name)
        elif name == "hidden":
            parts.append("hidden-attribute")
    return " ".join(parts).lower()


def too_deep(markup: str) -> bool:
    """Say whether elements nest deeper than MAX_DEPTH; looks only at pages with very many tags."""
    if markup.count("<") < MAX_TAGS_UNCHECKED:
        return False
    depth = 0
    for tag in _NESTING.finditer(markup):
        depth = max(0, depth - 1) if tag.group(1) else depth + 1
        if depth > MAX_DEPTH:
            return True
    return False


def too_complex(markup: str) -> bool:
    """Say whether a page has more tags, or one tag more attributes, than the parser handles in bounded time."""
    if markup.count("<") > MAX_TAGS:
        return True
    pieces = markup.split("<")
    if max(map(len, pieces)) < LONG_TAG:
        return False
    tags = (piece.split(">", 1)[0] for piece in pieces if len(piece) >= LONG_TAG and piece[0].isalpha())
    return any(len(_ATTRIBUTE.findall(_QUOTED.sub("", tag))) > MAX_ATTRIBUTES for tag in tags)


def read_document(markup: str, url: str) -> Document:
    """Parse `markup` and collect its visible text; never raises for what a page holds."""
    tree = LexborHTMLParser(markup)
    pieces: list[str] = []
    starts: list[int] = []
    nodes: list[LexborNode] = []
    controls: list[tuple[int, LexborNode]] = []
    root = tree.body
    if root is not None:
        _collect(root, pieces, starts, nodes, controls)
    return Document(url, markup, tree, "".join(pieces), starts, nodes, controls)


def _collect(
    root: LexborNode,
    pieces: list[str],
    starts: list[int],
    nodes: list[LexborNode],
    controls: list[tuple[int, LexborNode]],
) -> None:
    length = visited = 0
    silent = block = False
    for node in root.traverse(include_text=True):
        visited += 1
        tag = node.tag
        if tag == "-text":
            if silent:
                silent = False
                continue
            text = node.text_content or ""
            text = " ".join(text[:MAX_RUN].split())
            if not text:
                continue
            text = ("\n" if block else "\x1f") + visible_characters(text)
            block = False
            pieces.append(text)
            starts.append(length)
            nodes.append(node)
            length += len(text)
            if length > MAX_TEXT or visited > MAX_NODES:
                return
        else:
            silent = tag in _SILENT
            block = block or tag in _BLOCK
            if tag in ("button", "input") and len(controls) < MAX_CONTROLS:
                controls.append((length, node))

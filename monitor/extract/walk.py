"""One walk over a parsed page: its texts, what parts them, and the elements that readers ask for.

Thousands of nodes pass through here. The walk writes one letter for each, and what follows are a few calls on the
string of letters, so that a node costs some calls in C and no line of Python. Scripts, styles and templates are not
text. Bounded: MAX_NODES nodes, MAX_RUN characters of one text.
"""

import re
from dataclasses import dataclass, field
from itertools import compress, islice, repeat
from operator import attrgetter

from selectolax.lexbor import LexborHTMLParser, LexborNode

AT_ONCE = 512  #: nodes in memory beside those kept
MAX_NODES = 150_000  #: elements and texts walked; the largest shop page known has a fifth of it
MAX_RUN = 20_000  #: characters kept of one text node; no price stands behind them
MAX_HEADINGS = 20  #: h1 elements kept
MAX_CONTROLS = 2_000  #: buttons and inputs kept
MAX_KEPT = 2_000  #: meta and link elements of the body kept, and as many scripts

#: What a node is here. A hushed text is that of a script, a style or another element that shows none.
_TEXT, _HUSHED, _SILENT, _SCRIPT, _BLOCK, _BUTTON, _INPUT, _HEADING, _META, _OTHER = b"TxsjbBihm."
_TAGS = {
    _SCRIPT: ("script",),
    _SILENT: ("style", "textarea", "noscript", "iframe", "svg", "option", "title"),
    _BLOCK: (
        "div", "p", "li", "ul", "ol", "tr", "table", "section", "article", "h2", "h3", "h4", "h5", "h6", "form",
        "dl", "dt", "dd", "header", "footer", "aside", "main", "nav", "br", "label", "fieldset", "td", "th",
    ),
    _BUTTON: ("button",),
    _INPUT: ("input",),
    _HEADING: ("h1",),
    _META: ("meta", "link"),
}  # fmt: skip


def _kinds() -> dict[int, int]:
    """Return the letter of each tag by the parser's number for it."""
    tree = LexborHTMLParser("<p>text")
    kinds = {node.tag_id: _TEXT for node in tree.css("p")[0].traverse(include_text=True) if node.is_text_node}
    for kind, tags in _TAGS.items():
        kinds |= {tree.create_node(tag).tag_id: kind for tag in tags}
    return kinds


_KIND_OF = _kinds()
#: The same as a table for translation, where all tags have a number below 256, as those of HTML do.
_LETTERS = bytes(_KIND_OF.get(tag, _OTHER) for tag in range(256))
_TAG_OF = attrgetter("tag_id")
_TAG_AROUND = attrgetter("parent.tag_id")  # a text below an element has one around it
_TEXT_OF = attrgetter("text_content")
_AFTER_SILENT = re.compile(rb"[sj]T")
_KEPT = re.compile(rb"[Bih]")
_SILENCING = frozenset(tag for tag, kind in _KIND_OF.items() if kind in (_SILENT, _SCRIPT))
_PASSED = bytes((_HUSHED, _SILENT, _BLOCK, _OTHER))
_IS_PICKED = bytes(letter not in _PASSED for letter in range(256))
_IS_TEXT, *_IS_KEPT = (bytes(letter == wanted for letter in range(256)) for wanted in (_TEXT, _META, _SCRIPT))
#: Headings and buttons begin blocks too; what is left when inline elements are dropped are beginnings and texts.
_BEGINS = bytes.maketrans(bytes((_BUTTON, _HEADING)), bytes((_BLOCK, _BLOCK)))
_INLINE = bytes((_HUSHED, _SILENT, _SCRIPT, _INPUT, _META, _OTHER))


@dataclass(frozen=True, slots=True)
class Walked:
    """What one walk over the body of a page brings."""

    texts: list[str] = field(default_factory=list)  #: shown, spaces collapsed
    leads: str = ""  #: a character before each text: a newline where a block begins, else U+001F
    nodes: list[LexborNode] = field(default_factory=list)  #: those of the texts
    controls: list[tuple[int, LexborNode]] = field(default_factory=list)  #: with the number of the text that follows
    headings: list[tuple[int, LexborNode]] = field(default_factory=list)  #: likewise
    metas: list[LexborNode] = field(default_factory=list)
    scripts: list[LexborNode] = field(default_factory=list)


def walked(root: LexborNode | None) -> Walked:
    """Return the shown texts below an element and the elements kept, in document order.

    Nodes are looked at AT_ONCE at a time, so that those nobody keeps are gone before the next ones are made.
    """
    if root is None:
        return Walked()
    kinds = bytearray()
    picked: list[LexborNode] = []
    passing = islice(root.traverse(include_text=True, skip_empty=True), MAX_NODES)
    while some := list(islice(passing, AT_ONCE)):
        letters = _hushed(_letters(some), some, begun=kinds[-1:])
        kinds += letters
        picked += compress(some, letters.translate(_IS_PICKED))
    letters = kinds.translate(None, _PASSED)
    nodes = list(compress(picked, letters.translate(_IS_TEXT)))
    metas, scripts = (list(islice(compress(picked, letters.translate(which)), MAX_KEPT)) for which in _IS_KEPT)
    found = Walked(_texts(nodes), _leads(kinds), nodes, metas=metas, scripts=scripts)
    _keep(picked, letters, found)
    return found


def _letters(nodes: list[LexborNode]) -> bytearray:
    """Return the letter of each node; the parser numbers tags of a page's own making beyond all others."""
    try:
        return bytearray(map(_TAG_OF, nodes)).translate(_LETTERS)
    except ValueError:
        return bytearray(map(_KIND_OF.get, map(_TAG_OF, nodes), repeat(_OTHER)))


def _hushed(letters: bytearray, nodes: list[LexborNode], begun: bytearray) -> bytearray:
    """Mark the texts of elements that show none; `begun` ends with the letter before."""
    first = len(begun) + 1
    places = [found.end() - first for found in _AFTER_SILENT.finditer(begun + letters)]
    for at, around in zip(places, map(_TAG_AROUND, map(nodes.__getitem__, places)), strict=True):
        if around in _SILENCING:
            letters[at] = _HUSHED
    return letters


def _texts(nodes: list[LexborNode]) -> list[str]:
    """Return the texts with their spaces collapsed."""
    texts = list(map(" ".join, map(str.split, map(_TEXT_OF, nodes))))
    return [text[:MAX_RUN] for text in texts] if max(map(len, texts), default=0) > MAX_RUN else texts


def _leads(kinds: bytearray) -> str:
    begun = kinds.translate(_BEGINS, _INLINE).replace(bytes((_BLOCK, _TEXT)), b"\n").translate(None, bytes((_BLOCK,)))
    return begun.replace(bytes((_TEXT,)), b"\x1f").decode("ascii")


def _keep(picked: list[LexborNode], letters: bytearray, found: Walked) -> None:
    at = last = 0
    for kept in _KEPT.finditer(letters):
        place = kept.start()
        at += letters.count(_TEXT, last, place)
        last, kind, node = place, letters[place], picked[place]
        if kind == _HEADING:
            found.headings.append((at, node))
        else:
            found.controls.append((at, node))
    del found.headings[MAX_HEADINGS:], found.controls[MAX_CONTROLS:]

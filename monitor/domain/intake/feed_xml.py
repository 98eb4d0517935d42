"""The items of an XML feed, read as a stream: what stands directly in an item, by name without its prefix.

`g:price` inside `g:shipping` is the price of a delivery, so only an item's own children are read. A prefix that nobody
declared does no harm here and is noted; text that is not well formed refuses the whole file with its line, because
what comes after the fault cannot be told. Declared entities are refused: a few lines of them can fill all memory.
"""

import re
from dataclasses import dataclass, field
from xml.parsers import expat

#: What feeds call one product; `entry` is Atom.
ITEMS = frozenset({"item", "entry", "product", "offer", "shopitem", "article", "produkt"})
_LONGEST_TEXT = 200_000
_HEAD = 200
_PLACE = re.compile(rb"<\?xml[^>]*encoding=[\"']([\w.-]+)[\"']")


@dataclass(frozen=True, slots=True)
class Item:
    """One product of a feed."""

    number: int  #: counted from 1
    line: int
    fields: dict[str, str]  #: text of its children and attributes, the first of each name


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed; empty when it is not well formed."""

    items: tuple[Item, ...]
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass
class _Reading:
    """What the parser has seen so far."""

    parser: expat.XMLParserType
    path: list[str] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    item_depth: int | None = None
    text: list[str] = field(default_factory=list)
    declared: set[str] = field(default_factory=lambda: {"xml", "xmlns"})
    undeclared: dict[str, int] = field(default_factory=dict)

    def opened(self, name: str, attributes: dict[str, str]) -> None:
        self.declared |= {each.partition(":")[2] for each in attributes if each.startswith("xmlns:")}
        prefix, colon, local = name.rpartition(":")
        if colon and prefix not in self.declared:
            self.undeclared.setdefault(prefix, self.parser.CurrentLineNumber)
        self.path.append(local.lower())
        if self.item_depth is None and self.path[-1] in ITEMS and len(self.path) > 1:
            self.item_depth = len(self.path)
            own = {key.rpartition(":")[2].lower(): value for key, value in attributes.items()}
            self.items.append(Item(len(self.items) + 1, self.parser.CurrentLineNumber, own))
        self.text = []

    def closed(self, _name: str) -> None:
        depth, name = len(self.path), self.path.pop()
        if self.item_depth == depth:
            self.item_depth = None
        elif self.item_depth is not None and depth == self.item_depth + 1:
            self.items[-1].fields.setdefault(name, "".join(self.text).strip()[:_LONGEST_TEXT])
        self.text = []

    def read(self, text: str) -> None:
        if self.item_depth is not None and len(self.path) == self.item_depth + 1:
            self.text.append(text)


class _Refused(Exception):
    """The feed declares an entity."""


def _refuse_entity(*_about: object) -> None:
    raise _Refused


def looks_like_xml(body: bytes) -> bool:
    """Say whether a file is XML, whatever its name ends with."""
    start = body[:200].lstrip(b"\xef\xbb\xbf \t\r\n").replace(b"\x00", b"")
    return start.startswith((b"<?xml", b"\xff\xfe<", b"\xfe\xff<")) or bool(re.match(rb"<[A-Za-z!]", start))


def read_feed(body: bytes, name: str, encoding: str | None = None) -> Feed:
    """Return the items of a feed, or why it was refused as a whole."""
    parser = expat.ParserCreate(encoding)
    reading = _Reading(parser)
    parser.StartElementHandler, parser.EndElementHandler = reading.opened, reading.closed
    parser.CharacterDataHandler = reading.read
    parser.EntityDeclHandler = _refuse_entity
    try:
        parser.Parse(body.lstrip(b"\r\n\t "), True)
    except expat.ExpatError as problem:
        return Feed((), problems=(*_undeclared(reading, name), _not_well_formed(body, name, problem)))
    except _Refused:
        line = parser.CurrentLineNumber
        return Feed((), problems=(f"{name}, line {line}: the feed declares an entity, which no feed needs; remove it",))
    except (LookupError, ValueError) as problem:
        return Feed((), problems=(f"{name}: the encoding of the feed is not known ({problem}); save it as UTF-8",))
    return Feed(tuple(reading.items), tuple(f"{each}; it was read all the same" for each in _undeclared(reading, name)))


def _undeclared(reading: _Reading, name: str) -> list[str]:
    return [
        f"{name}, line {line}: the prefix {prefix!r} is used and never declared (xmlns:{prefix})"
        for prefix, line in reading.undeclared.items()
    ]


def _not_well_formed(body: bytes, name: str, problem: expat.ExpatError) -> str:
    skipped = len(body) - len(body.lstrip(b"\r\n\t "))
    line = problem.lineno + body[:skipped].count(b"\n")
    lines = body.split(b"\n")
    whole = lines[line - 1] if 0 < line <= len(lines) else b""
    shown = whole[max(0, problem.offset - 40) : problem.offset + 40].decode("utf-8", "replace").strip()
    cause, hint = expat.errors.messages[problem.code], ""
    if re.match(rb"(?is)\s*(?:<!doctype html|<html)", body[:_HEAD]):
        return f"{name} is a web page and no feed, such as a page to sign in; fetch the feed again and look at it"
    if problem.code == expat.errors.codes[expat.errors.XML_ERROR_UNDEFINED_ENTITY]:
        hint = "; a name such as &nbsp; is one of HTML, in XML write the character itself"
    elif re.search(r"&(?!#?\w+;)", shown):
        hint = "; a bare & must be written &amp;"
    elif problem.code == expat.errors.codes[expat.errors.XML_ERROR_NO_ELEMENTS] or line >= len(lines):
        hint = "; the file seems to be cut off, fetch it again"
    return (
        f"{name}, line {line}, column {problem.offset + 1}: the feed is not well formed ({cause}) at "
        f"{shown!r}{hint}. Nothing of it was taken, because what follows cannot be told"
    )

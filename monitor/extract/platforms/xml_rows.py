"""Rows of a large XML file, one after the other, in bounded memory: feeds and sitemaps.

A row is an element of one of the wanted names; its cells are the texts of its direct children by local name, so
that the price inside `<g:shipping>` is never taken for the product's. Prefixes need no declaration. The file may be
gzip, told by its first bytes and not by its name. A document type with declarations of its own is refused: it is
how a small file becomes a large one.

A bare `&`, an HTML entity that XML does not know, a control character and another encoding than the one that is said
are the commonest faults of hand-made files. They leave no doubt of what is meant, so the file is read as meant and the
line is named. Every other fault refuses the file, naming line and cause: half a file is never taken for a whole one.
"""

import codecs
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from monitor.extract.platforms.packed import CHUNK, GZIP, MAX_REPAIRED, UnreadableXml, encoding_of, unpacked
from monitor.extract.platforms.xml_repair import repaired

MAX_CELL = 4_000  #: characters kept of one cell
MAX_CELLS = 200  #: cells kept of one row

NAME = "@"  #: of the row's element
#: Ends the name of a cell that a row has a second time, with another text.
AGAIN = " again"
#: Where the names of merchant feeds are declared; theirs count before those of RSS and Atom.
_MERCHANTS = "base.google.com/"

Row = dict[str, str]


@dataclass(slots=True)
class XmlRows:
    """Reads the rows of one file, once.

    Args:
        body: the file, packed or not.
        names: local names of the elements that are rows, in lower case.
        keep: called with each row; what it does not keep is gone.
        beside: local names of elements outside rows whose text is wanted, such as a channel's date.
    """

    body: bytes
    names: frozenset[str]
    keep: Callable[[Row], None]
    beside: frozenset[str] = frozenset()
    found: Row = field(default_factory=dict)  #: texts of `beside`, the first of each
    warnings: list[str] = field(default_factory=list)  #: what was read as meant

    def read(self) -> None:
        """Read the file.

        Raises:
            UnreadableXml: it is refused; rows that were kept so far are to be thrown away.
        """
        self._parse(self._pieces())

    def _pieces(self) -> Iterator[bytes]:
        encoding = encoding_of(self.body)
        raw = _begun(unpacked(self.body) if self.body.startswith(GZIP) else _chunks(self.body))
        if encoding is None:
            yield from raw
            return
        decoder = codecs.getincrementaldecoder(encoding)("replace")
        for piece in raw:
            yield decoder.decode(piece).encode("utf-8", "replace")
        yield decoder.decode(b"", final=True).encode("utf-8", "replace")

    def _parse(self, pieces: Iterator[bytes]) -> None:
        parser = expat.ParserCreate("utf-8")
        reader = _Reader(self, parser)
        parser.StartElementHandler = reader.start
        parser.EndElementHandler = reader.end
        parser.CharacterDataHandler = reader.text
        parser.EntityDeclHandler = _refuse_entities
        parser.buffer_text = True
        try:
            for piece in pieces:
                parser.Parse(piece, False)
            parser.Parse(b"", True)
        except expat.ExpatError as error:
            cause = expat.ErrorString(error.code)
            words = "; ".join(
                (f"not well formed: {cause.removeprefix('not well-formed ').strip('()')}", *self.warnings)
            )
            raise UnreadableXml(words, error.lineno, may_be_meant=cause in _MAY_BE_MEANT) from None


_MOST_WARNINGS = 20
_MAY_BE_MEANT = (expat.errors.XML_ERROR_INVALID_TOKEN, expat.errors.XML_ERROR_UNDEFINED_ENTITY)


class _Reader:
    """The events of the parser, folded into rows."""

    def __init__(self, into: XmlRows, parser: expat.XMLParserType) -> None:
        self._into, self._parser = into, parser
        self._depth = 0
        self._row: Row | None = None
        self._row_depth = 0
        self._cell: str | None = None
        self._parts: list[str] = []
        self._is_merchants = False  # the open cell, by its prefix
        self._merchants: set[str] = set()  # cells of the row that are
        self._declared = {"xml", "xmlns"}
        self._merchants_prefixes = {"g"}

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        local = _local(name)
        if ":" in name:
            self._check_prefix(name.partition(":")[0], attributes)
        elif attributes:
            self._declare(attributes)
        if self._row is None:
            if local in self._into.names:
                self._row, self._row_depth = {f"@{_local(k)}": v for k, v in attributes.items()}, self._depth
                self._row[NAME], self._merchants = local, set()
            elif local in self._into.beside:
                self._open(local, name)
        elif self._depth == self._row_depth + 1:
            self._open(local, name)
            self._attributes(local, attributes)

    def _declare(self, attributes: dict[str, str]) -> None:
        prefixes = {name.removeprefix("xmlns:"): to for name, to in attributes.items() if name.startswith("xmlns:")}
        self._declared.update(prefixes)  # in place: `|=` with keys makes the whole set anew
        self._merchants_prefixes |= {prefix for prefix, to in prefixes.items() if _MERCHANTS in to}

    def _check_prefix(self, prefix: str, attributes: dict[str, str]) -> None:
        """Tell of a prefix that nobody declared; names are read without theirs, so that nothing is lost by it."""
        self._declare(attributes)
        if prefix not in self._declared:
            self._declared.add(prefix)
            if len(self._into.warnings) >= _MOST_WARNINGS:
                return
            line = self._parser.CurrentLineNumber
            self._into.warnings.append(f"line {line}: the prefix {prefix} is used and never declared")

    def _open(self, local: str, name: str) -> None:
        self._cell, self._parts = local, []
        self._is_merchants = ":" in name and name.partition(":")[0] in self._merchants_prefixes

    def _attributes(self, local: str, attributes: dict[str, str]) -> None:
        """Keep what an Atom link and a price say in attributes."""
        row = self._row
        if row is None:
            return
        given = {_local(name): value for name, value in attributes.items()}
        if "href" in given and given.get("rel", "alternate") == "alternate":
            row.setdefault(local, given["href"])
        if currency := given.get("currency") or given.get("currencycode"):
            row.setdefault(f"{local}@currency", currency)

    def text(self, text: str) -> None:
        if self._cell is not None and (self._row is None or self._depth <= self._row_depth + 1):
            self._parts.append(text)

    def end(self, name: str) -> None:
        if self._row is not None and self._depth == self._row_depth:
            self._into.keep(self._row)
            self._row = None
        elif self._cell is not None and (self._row is None or self._depth == self._row_depth + 1):
            self._close()
        self._depth -= 1

    def _close(self) -> None:
        target = self._into.found if self._row is None else self._row
        text = "".join(self._parts).strip()[:MAX_CELL]
        if self._cell is not None and text and len(target) < MAX_CELLS:
            self._put(target, self._cell, text)
        self._cell, self._parts = None, []

    def _put(self, target: Row, name: str, text: str) -> None:
        """Keep the first text of a name, but a merchant feed's before that of RSS or Atom around it."""
        if self._is_merchants and name not in self._merchants:
            self._merchants.add(name)
            target[name] = text
            target.pop(name + AGAIN, None)
        elif target.setdefault(name, text) != text and self._is_merchants == (name in self._merchants):
            target[name + AGAIN] = text


def _local(name: str) -> str:
    return name.rpartition(":")[2].lower()


def _refuse_entities(*_: object) -> None:
    raise UnreadableXml("the file declares entities of its own, which is how small files become large; it is not read")


def _begun(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the pieces without the blank lines that templates leave before the declaration, where XML allows none."""
    first = next(pieces, b"")
    yield first.lstrip(b" \t\r\n") if first[:1].isspace() else first
    yield from pieces


def _chunks(body: bytes) -> Iterator[bytes]:
    yield from (body[start : start + CHUNK] for start in range(0, len(body), CHUNK))


def read_rows(
    body: bytes, names: frozenset[str], keep: Callable[[Row], None], restart: Callable[[], None], beside: frozenset[str]
) -> XmlRows:
    """Read the rows of a file, as it stands or else as it is meant.

    Args:
        body: the file, packed or not.
        names: local names of rows.
        keep: called with each row.
        restart: called before the file is read again, to throw away what was kept.
        beside: see `XmlRows`.

    Raises:
        UnreadableXml: refused, naming line and cause.
    """
    rows = XmlRows(body, names, keep, beside)
    try:
        rows.read()
    except UnreadableXml as fault:
        if not fault.may_be_meant or len(body) > MAX_REPAIRED:
            raise
        mended, told = repaired(body)
        if not told:
            raise
        restart()
        rows = XmlRows(mended, names, keep, beside, warnings=told)
        rows.read()
    return rows

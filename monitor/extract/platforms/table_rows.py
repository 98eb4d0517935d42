"""Rows of a feed that is a table with a header line: which sign separates cells, and what its quotes mean.

A quote that nobody closes swallows every line up to the next quote; what follows would then stand in the wrong
product. So a table whose quotes do not come out even is read again line by line: what that cannot read is lost by name
and nothing is moved. In a table separated by tabs a cell with a tab and a line end in it is such a quote, too. Blanks
beside a quoted cell are no part of it.

Sources: support.google.com/merchants (text feeds); RFC 4180.
"""

import csv
import io
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field

from monitor.extract.platforms.packed import UnreadableXml
from monitor.extract.platforms.xml_rows import AGAIN, Row

SEPARATORS = "\t,;|~"
#: Lines that are no rows after which a table of which they are the most is refused: reading on would only cost time.
MOST_LOST = 10_000
_TOLD = 3  #: of the lost lines
MOST_COLUMNS = 1_000

_SEPARATOR_LINE = re.compile(r"\"?sep=.\"?[\r\n]+", re.IGNORECASE)
_LINE_END = re.compile(r"\r\n|\r|\n")


class _Uneven(ValueError):
    """The quotes of a table do not come out even."""


@dataclass(slots=True)
class TableRows:
    """Reads the rows of one table, once.

    Args:
        text: the whole table.
        names: columns that are wanted, in lower case with `_` for blanks; others are passed over.
        keep: called with each row.
        restart: called before the table is read again, to throw away what was kept.
    """

    text: str
    names: Collection[str]
    keep: Callable[[Row], None]
    restart: Callable[[], None]
    lost: list[str] = field(default_factory=list)  #: the first rows that could not be read, in words
    lost_count: int = 0  #: rows that could not be read
    warnings: list[str] = field(default_factory=list)  #: what was read as meant
    header: Sequence[str] = ()  #: names of all columns
    _separator: str = ""
    _columns: Sequence[tuple[int, str]] = ()

    def read(self) -> None:
        """Read the table.

        Raises:
            UnreadableXml: it has no header line, or most of its lines are no rows.
        """
        text = self.text.lstrip("\ufeff\r\n")
        text = text[found.end() :] if (found := _SEPARATOR_LINE.match(text)) else text
        header = _LINE_END.split(text, maxsplit=1)[0]
        self._separator = max(SEPARATORS, key=header.count)
        if not header.count(self._separator):
            raise UnreadableXml("neither XML nor a table with a header line" if text else "the answer is empty")
        if header.count(self._separator) >= MOST_COLUMNS:
            raise UnreadableXml(f"its first line has more than {MOST_COLUMNS:,} cells")
        try:
            self._take(self._by_quotes(text))
        except _Uneven as uneven:
            self.restart()
            self.lost.clear()
            self.lost_count = 0
            self.warnings.append(f"{uneven}; the table was read line by line")
            self._take(self._by_lines(text))

    def _take(self, rows: Iterator[tuple[int, list[str]]]) -> None:
        self.header = [_named(cell) for cell in next(rows, (1, []))[1]]
        self._columns = [(at, name) for at, name in enumerate(self.header) if name in self.names]
        most, kept = len(self.header), 0
        for line, cells in rows:
            if len(cells) == most or (len(cells) > most and not "".join(cells[most:]).strip()):
                self.keep(self._row(cells))
                kept += 1
            elif cells and not "".join(cells).isspace():
                self._lose(line, f"{len(cells)} cells, the header has {most}", kept)

    def _lose(self, line: int, why: str, kept: int) -> None:
        self.lost_count += 1
        if len(self.lost) < _TOLD:
            self.lost.append(f"line {line}: {why}; left out")
        if self.lost_count > max(MOST_LOST, kept):
            raise UnreadableXml(f"most of its lines are no rows: {'; '.join(self.lost)}")

    def _row(self, cells: Sequence[str]) -> Row:
        row: Row = {}
        for at, name in self._columns:
            text = cells[at].strip()
            if text and row.setdefault(name, text) != text:
                row[name + AGAIN] = text
        return row

    def _by_quotes(self, text: str) -> Iterator[tuple[int, list[str]]]:
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=self._separator, strict=True, skipinitialspace=True)
        while True:
            begun = rows.line_num + 1
            try:
                cells = next(rows, None)
            except csv.Error as error:
                raise _Uneven(f"line {begun}: {error}") from None
            if cells is None:
                return
            if self._separator == "\t" and any("\t" in cell and _LINE_END.search(cell) for cell in cells):
                raise _Uneven(f"line {begun}: a quote that is not closed")
            yield rows.line_num, cells

    def _by_lines(self, text: str) -> Iterator[tuple[int, list[str]]]:
        for number, line in enumerate(io.StringIO(text, newline=None), start=1):
            bare = line.rstrip("\n")
            if self._separator == "\t" or '"' not in bare:
                yield number, [_unquoted(cell) for cell in bare.split(self._separator)]
                continue
            try:
                yield number, next(csv.reader([bare], delimiter=self._separator, skipinitialspace=True), [])
            except csv.Error as error:
                self._lose(number, str(error), 0)


def _named(cell: str) -> str:
    return re.sub(r"\s+", "_", cell.strip().lower()).removeprefix("g:")


def _unquoted(cell: str) -> str:
    bare = cell.strip()
    return bare[1:-1].replace('""', '"') if len(bare) > 1 and bare[0] == bare[-1] == '"' else bare

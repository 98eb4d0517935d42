"""Rows of a feed that is a table with a header line: which sign separates cells, and what its quotes mean.

A quote that nobody closes swallows every line up to the next quote; what follows would then stand in the wrong
product. So a table whose quotes do not come out even is read again line by line: what that cannot read is lost by name
and nothing is moved. In a table separated by tabs a cell with a tab and a line end in it is such a quote, too.

Sources: support.google.com/merchants (text feeds); RFC 4180.
"""

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from monitor.extract.platforms.packed import UnreadableXml
from monitor.extract.platforms.xml_rows import AGAIN, Row

SEPARATORS = "\t,;|~"

_SEPARATOR_LINE = re.compile(r"\"?sep=.\"?[\r\n]+", re.IGNORECASE)
_LINE_END = re.compile(r"\r\n|\r|\n")


class _Uneven(ValueError):
    """The quotes of a table do not come out even."""


@dataclass(slots=True)
class TableRows:
    """Reads the rows of one table, once.

    Args:
        text: the whole table.
        keep: called with each row.
        restart: called before the table is read again, to throw away what was kept.
    """

    text: str
    keep: Callable[[Row], None]
    restart: Callable[[], None]
    lost: list[str] = field(default_factory=list)  #: rows that could not be read, in words
    warnings: list[str] = field(default_factory=list)  #: what was read as meant
    _separator: str = ""
    _columns: Sequence[str] = ()

    def read(self) -> None:
        """Read the table.

        Raises:
            UnreadableXml: it has no header line.
        """
        text = self.text.lstrip("\ufeff\r\n")
        text = text[found.end() :] if (found := _SEPARATOR_LINE.match(text)) else text
        header = _LINE_END.split(text, maxsplit=1)[0]
        self._separator = max(SEPARATORS, key=header.count)
        if not header.count(self._separator):
            raise UnreadableXml("neither XML nor a table with a header line" if text else "the answer is empty")
        try:
            self._take(self._by_quotes(text))
        except _Uneven as uneven:
            self.restart()
            self.lost.clear()
            self.warnings.append(f"{uneven}; the table was read line by line")
            self._take(self._by_lines(text))

    def _take(self, rows: Iterator[tuple[int, list[str]]]) -> None:
        self._columns = [re.sub(r"\s+", "_", cell.strip().lower()).removeprefix("g:") for cell in next(rows)[1]]
        most = len(self._columns)
        for line, cells in rows:
            if len(cells) < most or any(cell.strip() for cell in cells[most:]):
                if any(cell.strip() for cell in cells):
                    self.lost.append(f"line {line}: {len(cells)} cells, the header has {most}; left out")
            else:
                self.keep(self._row(cells))

    def _row(self, cells: Sequence[str]) -> Row:
        row: Row = {}
        for name, cell in zip(self._columns, cells, strict=False):
            text = cell.strip()
            if text and row.setdefault(name, text) != text:
                row[name + AGAIN] = text
        return row

    def _by_quotes(self, text: str) -> Iterator[tuple[int, list[str]]]:
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=self._separator, strict=True)
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
        for number, line in enumerate(_LINE_END.split(text), start=1):
            if self._separator == "\t":
                yield number, [_unquoted(cell) for cell in line.split("\t")]
                continue
            try:
                yield number, next(csv.reader([line], delimiter=self._separator), [])
            except csv.Error as error:
                self.lost.append(f"line {number}: {error}; left out")


def _unquoted(cell: str) -> str:
    bare = cell.strip()
    return bare[1:-1].replace('""', '"') if len(bare) > 1 and bare[0] == bare[-1] == '"' else bare

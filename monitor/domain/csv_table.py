"""A CSV file as rows that know their line, with every problem of the file named at once.

The form is the one our own files have: UTF-8 (a byte order mark is welcome), commas, a header row,
double quotes around a cell that holds a comma, a quote or a line break. Nothing is guessed: another
encoding, another separator or an unknown column is a problem, named with its line.
"""

import csv
import io
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

#: More words than this are not searched for one that was meant.
_MOST_COMPARED = 2_000


@dataclass(frozen=True, slots=True)
class Row:
    """One record: its cells by column, without the white space around them."""

    line: int  #: where the record begins, 1 is the header
    cells: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Table:
    """What a file holds. With problems in it, `rows` are those that could still be read."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Form:
    """Which columns a file may and must have."""

    columns: tuple[str, ...]
    required: tuple[str, ...]


def read_table(body: bytes, name: str, form: Form) -> Table:
    """Return the rows of a CSV file; `name` is how problems call it."""
    problems: list[str] = []
    columns, found = open_table(body, name, form, problems)
    rows = tuple(found)
    return Table(name, columns, rows, tuple(problems))


def open_table(body: bytes, name: str, form: Form, problems: list[str]) -> tuple[tuple[str, ...], Iterator[Row]]:
    """Return the columns of a CSV file and its rows, read one by one: of thirty thousand all at once take 20 MB.

    Args:
        body: the file.
        name: how problems call it.
        form: the columns it may have.
        problems: takes what is wrong, of a row when it is read.
    """
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        problems.append(_wrong_encoding(body, name, problem.start))
        return (), iter(())
    records = _records(text, name, problems)
    _, header = next(records, (1, []))
    columns = tuple(cell.strip() for cell in header)
    problems.extend(f"{name}, line 1: {words}" for words in _header_problems(columns, form))
    return columns, iter(()) if problems else _rows(records, columns, name, problems)


def _rows(
    records: Iterable[tuple[int, list[str]]], columns: tuple[str, ...], name: str, problems: list[str]
) -> Iterator[Row]:
    for line, cells in records:
        if len(cells) == len(columns):
            yield Row(line, {column: cell.strip() for column, cell in zip(columns, cells, strict=True)})
        else:
            problems.append(f"{name}, line {line}: {_wrong_length(len(cells), len(columns))}")


def table_text(columns: Sequence[str], rows: Iterable[Mapping[str, str]]) -> str:
    """Return a CSV file with these columns; a row without one of them has an empty cell there.

    Line breaks inside a cell become `\\n`: csv.writer of Python 3.11 leaves a lone carriage return unquoted.
    """
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, restval="", lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({key: cell.replace("\r\n", "\n").replace("\r", "\n") for key, cell in row.items()})
    return out.getvalue()


def _records(text: str, name: str, problems: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the records that are not blank with the line they begin in; stop at broken quoting."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    line = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as problem:
        problems.append(
            f"{name}, line {line}: the quotes of this record are not right ({problem}); put a cell that holds a "
            'quote, a comma or a line break between double quotes and write a quote inside it twice ("")'
        )


def _header_problems(columns: tuple[str, ...], form: Form) -> Iterator[str]:
    if not any(columns):
        yield f"the file is empty; its first line must name the columns, at least {', '.join(form.required)}"
        return
    if len(columns) == 1 and (separator := next((s for s in ";\t|" if s in columns[0]), None)):
        yield f"the columns are separated by {separator!r}; save the file as CSV separated by commas"
        return
    for column in columns:
        if column not in form.columns:
            yield f"unknown column {column!r}{suggestion(column, form.columns)}; known: {', '.join(form.columns)}"
    for column in sorted({column for column in columns if columns.count(column) > 1}):
        yield f"the column {column!r} is there twice"
    for column in form.required:
        if column not in columns:
            yield f"the column {column!r} is missing"


def suggestion(word: str, known: Collection[str]) -> str:
    """Return `, did you mean 'x'?` when one of the known words is close, else nothing.

    Among very many words nothing is looked for: a thousand unknown keys must not cost minutes.
    """
    by_lower = {each.lower(): each for each in known} if len(known) <= _MOST_COMPARED else {}
    close = get_close_matches(word.lower(), by_lower, n=1, cutoff=0.6)
    return f", did you mean {by_lower[close[0]]!r}?" if close else ""


def _wrong_length(cells: int, columns: int) -> str:
    if cells > columns:
        return (
            f"{cells} cells where the header names {columns} columns; a cell that holds a comma needs double "
            "quotes around it, and an amount needs a dot before its decimals (12.90, not 12,90)"
        )
    return f"{cells} cells where the header names {columns} columns; write the commas of empty cells too"


def _wrong_encoding(body: bytes, name: str, at: int) -> str:
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        return f"{name}: the file is UTF-16; save it as UTF-8"
    line = body.count(b"\n", 0, at) + 1
    shown = body[at : at + 1].decode("cp1252", "replace")
    return (
        f"{name}, line {line}: the file is not UTF-8 (byte 0x{body[at]:02x}, in Windows-1252 that is {shown!r}); "
        "save it as UTF-8"
    )

"""A table of whatever program wrote it as text cells: encoding, separator, quotes, line ends.

UTF-8 with or without a byte order mark and UTF-16 with one are read as they are; Windows-1252, the form in which
spreadsheets of Western Europe save, only where its words look like it, with a note. Anything else is refused
with the place and what to say, because a wrong guess gives wrong words without an error.

The separator is the one that cuts the first line into most cells. Records are counted as programs count them: the
header is record 1 and blank lines are none.
"""

import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_BOM = "\ufeff"
#: So much of a file tells whether it is text of one byte a letter.
_HEAD = 200
#: Descriptions in HTML are far longer than the 128 KiB that the csv module takes for a mistake.
_LONGEST_CELL = 1 << 24
_SEPARATORS = ",;\t|"
_HIGH = re.compile(rb"[\x80-\xff]")
_WORD_WITH_HIGH = re.compile(rb"[A-Za-z\x80-\xff]*[\x80-\xff][A-Za-z\x80-\xff]*")
#: Marks that stand in no Western word; in Windows-1250 they are the ł, Ł, ľ, ż and Ľ of Polish and Slovak.
_MARK_IN_WORD = re.compile(rb"[A-Za-z\xc0-\xff][\xb3\xa3\xbe\xbf\xbc][a-z\xe0-\xff]")
#: Bytes of Windows-1252 for the letters and marks of Western languages.
_WESTERN = frozenset("äöüßÄÖÜéèêëàâáãåçñóòôõíìîïúùûøæÅØÆÉÈÀÇÑÓÍÚ€£©®™°²³½¼¾·–—‘’“”„…«»¡¿ºª×§´ ".encode("cp1252"))


@dataclass(frozen=True, slots=True)
class Record:
    """One record with the cells by their column's position."""

    number: int  #: the header is 1
    line: int  #: the physical line it begins in
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table; with problems in it the records are those before the first."""

    name: str
    columns: tuple[str, ...]
    records: tuple[Record, ...]
    encoding: str
    separator: str
    notes: tuple[str, ...]
    problems: tuple[str, ...]


#: How files begin that are no text, and what to say about them.
_OTHER_FILES = {
    b"PK\x03\x04": "a workbook or a zip archive; save the sheet as CSV (UTF-8), or unpack it",
    b"\x1f\x8b": "packed with gzip; unpack it first",
    b"%PDF": "a PDF; export a CSV or a feed instead",
    b"\xd0\xcf\x11\xe0": "an old workbook (.xls); save the sheet as CSV (UTF-8)",
}


class UnreadableText(ValueError):
    """The bytes of a file are no text that can be read without guessing."""


def decoded(body: bytes, name: str, encoding: str | None = None) -> tuple[str, str, tuple[str, ...]]:
    """Return the text of a file, its encoding and what is to be said about it.

    Raises:
        UnreadableText: with the line and the accepted forms.
    """
    if encoding:
        return _as_asked(body, name, encoding), encoding, ()
    for mark, form in ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"), (b"\xef\xbb\xbf", "utf-8-sig")):
        if body.startswith(mark):
            return _as_asked(body, name, form), form, ()
    _refuse_what_is_no_text(body, name)
    try:
        return body.decode("utf-8"), "utf-8", ()
    except UnicodeDecodeError as problem:
        line = body.count(b"\n", 0, problem.start) + 1
        word = _western_word(body)
        if word is None:
            raise UnreadableText(
                f"{name}, line {line}: the file is not UTF-8 (byte 0x{body[problem.start]:02x}). Save it as UTF-8, "
                "or say what it is, for example --encoding windows-1250 or windows-1251"
            ) from None
    note = f"{name} is not UTF-8 and was read as Windows-1252 ({word!r}); if that is wrong, say --encoding"
    return body.decode("cp1252"), "windows-1252", (note,)


def _refuse_what_is_no_text(body: bytes, name: str) -> None:
    for mark, what in _OTHER_FILES.items():
        if body.startswith(mark):
            raise UnreadableText(f"{name} is {what}")
    head = body[:_HEAD]
    if head.count(0) * 3 > len(head):
        form = "utf-16-be" if body.startswith(b"\0") else "utf-16-le"
        raise UnreadableText(
            f"{name}: every other byte is empty, as in UTF-16, and no mark says in which order. Save it as UTF-8, or "
            f"say --encoding {form}"
        )
    if (at := body.find(0)) >= 0:
        line = body.count(b"\n", 0, at) + 1
        raise UnreadableText(f"{name}, line {line}: a byte is 0, which stands in no text. Export the file again")


def read_sheet(body: bytes, name: str, encoding: str | None = None) -> Sheet:
    """Return the table of a file; problems are named in it, nothing is raised."""
    try:
        text, form, notes = decoded(body, name, encoding)
    except UnreadableText as refused:
        return Sheet(name, (), (), "", ",", (), (str(refused),))
    text, separator = _separated(text)
    problems: list[str] = []
    records = list(_records(text, name, separator, problems))
    if problems and separator == "\t" and (plain := _unquoted(text)):
        records, problems = plain, []
        notes = (*notes, f"{name}: its quotes are part of the text, so no cell was taken for a quoted one")
    header = records[0].cells if records else ()
    columns = tuple(cell.strip().strip(_BOM).strip() for cell in header)
    rows, wrong = _fitted(records[1:], columns, name, is_closed=text.endswith(("\n", "\r")) or not text)
    return Sheet(name, columns, rows, form, separator, notes, (*problems, *wrong))


def _as_asked(body: bytes, name: str, encoding: str) -> str:
    try:
        return body.decode(encoding)
    except LookupError:
        raise UnreadableText(
            f"{name}: there is no encoding {encoding!r}; write for example utf-8, utf-16, windows-1252 or windows-1251"
        ) from None
    except UnicodeError as problem:
        at = getattr(problem, "start", 0)
        line = body.count(b"\n", 0, at) + 1
        raise UnreadableText(
            f"{name}, line {line}: the file is not {encoding} ({problem}). Save it as UTF-8, or name its encoding"
        ) from None


def _western_word(body: bytes) -> str | None:
    """Return a word that shows Windows-1252, or None when the words do not look like it.

    A word of a Western language has few letters outside ASCII; one in Cyrillic, Greek or Hebrew has hardly others.
    """
    if not set(_HIGH.findall(body)) <= {bytes([one]) for one in _WESTERN}:
        return None
    if _MARK_IN_WORD.search(body):
        return None
    words: list[bytes] = _WORD_WITH_HIGH.findall(body)
    letters = [word for word in words if len(word) > 1]
    foreign = sum(2 * len(_HIGH.findall(word)) > len(word) for word in letters)
    if foreign * 5 > len(letters):
        return None
    return max(words, key=len).decode("cp1252")


def _separated(text: str) -> tuple[str, str]:
    """Return the text without a spreadsheet's `sep=` line, and the separator."""
    said = re.match(r"\ufeff?\s*sep=(.)\r?\n", text)
    if said:
        return text[said.end() :], said.group(1)
    start = text.lstrip("\r\n\t \ufeff")
    counts = {one: len(next(_cells(start, one), [])) for one in _SEPARATORS}
    return text, max(_SEPARATORS, key=lambda one: counts[one])


def _cells(text: str, separator: str) -> Iterator[list[str]]:
    try:
        yield from csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    except csv.Error:
        return


def _records(text: str, name: str, separator: str, problems: list[str]) -> Iterator[Record]:
    csv.field_size_limit(_LONGEST_CELL)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    line, number = 1, 0
    try:
        for cells in reader:
            if cells and not (number == 0 and not any(cell.strip(f"{_BOM} \t") for cell in cells)):
                number += 1
                yield Record(number, line, tuple(cells))
            line = reader.line_num + 1
    except csv.Error as problem:
        problems.append(
            f"{name}, line {line}: the record that begins here does not end as it should ({problem}). Either the "
            "file was "
            'cut off, or a quote inside a quoted cell is not written twice (""); export it again'
        )


def _unquoted(text: str) -> list[Record]:
    """Return the records of a tab separated text in which quotes mean nothing, or none when the lines do not fit."""
    lines = [(at, line.split("\t")) for at, line in enumerate(text.splitlines(), 1) if line.strip()]
    if len({len(cells) for _, cells in lines}) != 1:
        return []
    return [Record(number, at, tuple(cells)) for number, (at, cells) in enumerate(lines, 1)]


def _fitted(
    records: list[Record], columns: tuple[str, ...], name: str, *, is_closed: bool
) -> tuple[tuple[Record, ...], list[str]]:
    """Return the records with one cell for each column, and what is wrong with the others.

    Programs leave out the last cell when it is empty, and spreadsheets add empty ones; more than that is a fault.
    """
    rows, problems = [], []
    for record in records:
        cells, width = record.cells, len(columns)
        if not any(cell.strip() for cell in cells):
            continue
        is_cut = record is records[-1] and not is_closed
        if len(cells) > width and any(cell.strip() for cell in cells[width:]):
            problems.append(
                f"{name}, line {record.line}: {len(cells)} cells where the header names {width} columns; a cell that "
                "holds the separator needs double quotes around it"
            )
        elif len(cells) < width - 1 or (len(cells) < width and is_cut):
            words = "; the file seems to be cut off here, export it again" if is_cut else ""
            problems.append(
                f"{name}, line {record.line}: {len(cells)} cells where the header names {width} columns{words}"
            )
        else:
            filled = (*cells[:width], *[""] * (width - len(cells)))
            rows.append(Record(record.number, record.line, filled))
    return tuple(rows), problems


#: Fields of which two columns would leave open which one counts; of the others the first is taken.
_DECISIVE = frozenset({"id", "sku", "name", "title", "handle", "price", "compare_at", "regular_price", "sale_price"})


def by_field(sheet: Sheet, fields: Mapping[str, str]) -> tuple[dict[str, int], list[str]]:
    """Return where each wanted field stands, and the columns of which there are two.

    Args:
        sheet: the table.
        fields: field by header, headers in the form of `normal`.
    """
    places: dict[str, int] = {}
    problems = []
    for at, column in enumerate(sheet.columns):
        found = fields.get(normal(column))
        if found is None:
            continue
        if found in places and found in _DECISIVE:
            problems.append(
                f"{sheet.name}, line 1: {column!r} and {sheet.columns[places[found]]!r} mean the same; remove one of "
                "them"
            )
        places.setdefault(found, at)
    return places, problems


def normal(header: str) -> str:
    """Return a header in the form in which headers are compared.

    >>> normal("  En stock ?"), normal("L’Attribut")
    ('en stock?', "l'attribut")
    """
    plain = header.strip().strip(_BOM).replace("’", "'").replace("\u00a0", " ").replace("\u202f", " ").casefold()
    return re.sub(r"\s+", " ", re.sub(r"\s+([?:])", r"\1", plain)).lstrip("¿").strip()

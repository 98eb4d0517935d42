"""Tables as files: CSV, XLSX and JSON lines; a cell of text is never run by the program that opens it.

An exported table that somebody wrote into comes back through `read_back`, from CSV or XLSX.

CSV is UTF-8 with a byte order mark, so that spreadsheets read it right; cells that look like a formula are guarded with
an apostrophe. In XLSX every text is stored as text, with the mark that spreadsheets use for it, so it needs no guard.
"""

import csv
import io
import json
from zipfile import BadZipFile

from openpyxl import Workbook, load_workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.styles import Font
from openpyxl.utils.exceptions import InvalidFileException

from monitor.domain.csv_table import Row
from monitor.domain.export import Table, guarded
from monitor.domain.intake.sheet import read_sheet

#: Media type by form.
FORMS = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "jsonl": "application/x-ndjson",
}
_CONTROL = {code: None for code in range(32) if chr(code) not in "\t\n\r"}


def table_bytes(table: Table, form: str) -> bytes:
    """Return a table as a file in one of FORMS."""
    return {"csv": _csv, "xlsx": _xlsx, "jsonl": _jsonl}[form](table)


def _csv(table: Table) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(table.columns)
    writer.writerows([guarded(cell) for cell in row] for row in table.rows)
    return out.getvalue().encode("utf-8-sig")


def _jsonl(table: Table) -> bytes:
    rows = (dict(zip(table.columns, row, strict=True)) for row in table.rows)
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def _xlsx(table: Table) -> bytes:
    book = Workbook(write_only=True)
    sheet = book.create_sheet(table.name)
    sheet.freeze_panes = "A2"
    heads = [WriteOnlyCell(sheet, value=column) for column in table.columns]
    for head in heads:
        head.font = Font(bold=True)
    sheet.append(heads)
    for row in table.rows:
        sheet.append([_cell(sheet, each) for each in row])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _cell(sheet: object, value: str | int | None) -> object:
    """Return a cell whose text stays text, whatever it begins with."""
    if not isinstance(value, str):
        return value
    cell = WriteOnlyCell(sheet, value=value.translate(_CONTROL))  # type: ignore[arg-type]  # the stub wants a Worksheet
    cell.data_type = "s"
    cell.quotePrefix = True
    return cell


def read_back(body: bytes, name: str) -> tuple[tuple[str, ...], tuple[Row, ...], tuple[str, ...]]:
    """Return the columns, the rows and the problems of a table that was exported here.

    Cells come back as text without the guard of the export. A formula is a problem: its result is not in the file.
    """
    if body.startswith(b"PK"):
        return _from_xlsx(body, name)
    sheet = read_sheet(body, name)
    rows = (Row(one.line, dict(zip(sheet.columns, map(_unguarded, one.cells), strict=True))) for one in sheet.records)
    return sheet.columns, tuple(rows), sheet.problems


def _from_xlsx(body: bytes, name: str) -> tuple[tuple[str, ...], tuple[Row, ...], tuple[str, ...]]:
    try:
        book = load_workbook(io.BytesIO(body), read_only=True)
        lines = [list(line) for line in book.worksheets[0].iter_rows()] if book.worksheets else []
    except (BadZipFile, KeyError, ValueError, OSError, InvalidFileException) as problem:
        return (), (), (f"{name}: not a readable XLSX file ({problem}); save it again, or as CSV",)
    columns = tuple(str(cell.value or "").strip() for cell in lines[0]) if lines else ()
    formulas = [
        f"{name}, line {at}: cell {cell.coordinate} holds a formula; write its value"
        for at, line in enumerate(lines[1:], 2)
        for cell in line
        if cell.data_type == "f"
    ]
    rows = tuple(
        Row(at, {column: _text(cell.value) for column, cell in zip(columns, line, strict=False)})
        for at, line in enumerate(lines[1:], 2)
        if any(cell.value not in (None, "") for cell in line)
    )
    return columns, rows, tuple(formulas)


def _text(value: object) -> str:
    """Return what a cell shows: a price that the spreadsheet took for a number comes back without its binary tail."""
    if value is None:
        return ""
    return f"{value:.10g}" if isinstance(value, float) else str(value).strip()


def _unguarded(cell: str) -> str:
    text = cell.strip()
    return text[1:] if text[:1] == "'" and text[1:2] in ("=", "+", "-", "@", "\t", "\r") else text

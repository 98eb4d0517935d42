"""Tables as XLSX, by openpyxl; loaded where one is written or read only, since it takes 5 MB.

Every text is stored as text, with the mark that spreadsheets use for it, so that no cell is run.
"""

import io

from openpyxl import Workbook, load_workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.styles import Font

from monitor.domain.csv_table import Row
from monitor.domain.export import Table

_CONTROL = {code: None for code in range(32) if chr(code) not in "\t\n\r"}


def workbook(table: Table) -> bytes:
    """Return a table as a file with one sheet."""
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


def rows_of(body: bytes, name: str) -> tuple[tuple[str, ...], tuple[Row, ...], tuple[str, ...]]:
    """Return the columns, the rows and the problems of the first sheet of a file."""
    try:
        book = load_workbook(io.BytesIO(body), read_only=True)
        lines = [list(line) for line in book.worksheets[0].iter_rows()] if book.worksheets else []
    except Exception as problem:  # whatever the parsers beneath it raise at a damaged part comes through the library
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

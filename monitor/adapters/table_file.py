"""Tables as files: CSV, XLSX and JSON lines; a cell of text is never run by the program that opens it.

CSV is UTF-8 with a byte order mark, so that spreadsheets read it right; cells that look like a formula are guarded with
an apostrophe. In XLSX every text is stored as text, with the mark that spreadsheets use for it, so it needs no guard.
"""

import csv
import io
import json

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.styles import Font

from monitor.domain.export import Table, guarded

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

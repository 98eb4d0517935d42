"""Tables as files: CSV, XLSX and JSON lines; a cell of text is never run by the program that opens it.

An exported table that somebody wrote into comes back through `read_back`, from CSV or XLSX.

CSV is UTF-8 with a byte order mark, so that spreadsheets read it right; cells that look like a formula are guarded with
an apostrophe. In XLSX text is marked as text and needs no guard (see `workbook`).
"""

import csv
import io
import json

from monitor.domain.csv_table import Row
from monitor.domain.export import Table, guarded
from monitor.domain.intake.sheet import read_sheet

#: Media type by form.
FORMS = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "jsonl": "application/x-ndjson",
}


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
    from monitor.adapters.table_file.workbook import workbook  # not above: most processes never need its 5 MB

    return workbook(table)


def read_back(body: bytes, name: str) -> tuple[tuple[str, ...], tuple[Row, ...], tuple[str, ...]]:
    """Return the columns, the rows and the problems of a table that was exported here.

    Cells come back as text without the guard of the export. A formula is a problem: its result is not in the file.
    """
    if body.startswith(b"PK"):
        from monitor.adapters.table_file.workbook import rows_of  # as in _xlsx

        return rows_of(body, name)
    sheet = read_sheet(body, name)
    rows = (Row(one.line, dict(zip(sheet.columns, map(_unguarded, one.cells), strict=True))) for one in sheet.records)
    return sheet.columns, tuple(rows), sheet.problems


def _unguarded(cell: str) -> str:
    text = cell.strip()
    return text[1:] if text[:1] == "'" and text[1:2] in ("=", "+", "-", "@", "\t", "\r") else text

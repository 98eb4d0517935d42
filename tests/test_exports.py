"""Exports: the same figures in every form, nothing that a spreadsheet runs, approved prices in the shop's headers."""

import csv
import io
import json
import unicodedata
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import load_workbook

from monitor.adapters.db.store import SqlStore
from monitor.adapters.table_file import read_back, table_bytes
from monitor.domain.action import ActionState, Verb
from monitor.domain.export import OBSERVATIONS, PROPOSALS, Table, guarded
from monitor.domain.extraction import Availability, Outcome
from monitor.domain.intake import Kind
from monitor.domain.money import Money
from monitor.domain.observation import Observation
from monitor.domain.review import RowOutcome
from monitor.errors import Misconfigured
from monitor.flow.review import decide
from monitor.settings import load
from monitor.settings.create import create
from monitor.settings.intake import import_catalogue, prices_file
from monitor.wiring.exports import NothingToExport, approved_prices, decisions_from, exported
from tests.review_scene import AT, BY_ANNA, Scene, SetClock, a_proposal, a_run, opened


@pytest.fixture
def store(migrated_url: str) -> Iterator[SqlStore]:
    """A night with two proposals, one of them approved, and one reading; once of each database."""
    store = opened(migrated_url, SetClock())
    with store.write() as unit:
        run = a_run(unit)
        action, _ = unit.actions.propose(a_proposal("A-1", title="=HYPERLINK(1)"))
        unit.actions.propose(a_proposal("B-2", old="10", new="9"))
        unit.actions.move(action.id, action.version, ActionState.PENDING, ActionState.APPROVED)
        unit.observations.record(
            Observation(
                run.id,
                "acme",
                "A-1",
                "https://acme.example/a",
                Outcome.OK,
                "ok",
                "read",
                AT,
                Decimal("26.9"),
                "EUR",
                availability=Availability.IN_STOCK,
                name="-5 % Mug",
            )
        )
    yield store
    store.close()


def csv_rows(body: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(body.decode("utf-8-sig"))))


def xlsx_rows(body: bytes) -> list[tuple[object, ...]]:
    return list(load_workbook(io.BytesIO(body), data_only=False).active.values)


def test_a_proposal_says_the_same_in_every_form(store):
    found = {form: exported(store, "proposals", form) for form in ("csv", "xlsx", "jsonl")}
    lines = [json.loads(line) for line in found["jsonl"].body.decode().splitlines()]
    heads, *rows = xlsx_rows(found["xlsx"].body)

    assert tuple(heads) == PROPOSALS == tuple(lines[0])
    assert [row[PROPOSALS.index("new_price")] for row in rows] == [line["new_price"] for line in lines]
    assert sorted(line["new_price"] for line in lines) == ["26.90", "9.00"]
    assert [row["new_price"] for row in csv_rows(found["csv"].body)] == [line["new_price"] for line in lines]
    assert {each.rows for each in found.values()} == {2}
    assert found["csv"].name == "proposals-nightly-2026-11-29.csv"


def test_no_cell_of_a_table_is_a_formula(store):
    in_csv = csv_rows(exported(store, "proposals", "csv", sku="A-1").body)[0]["title"]
    book = load_workbook(io.BytesIO(exported(store, "proposals", "xlsx", sku="A-1").body))
    cell = book.active.cell(2, PROPOSALS.index("title") + 1)

    assert in_csv == "'=HYPERLINK(1)"
    assert (cell.value, cell.data_type, cell.quotePrefix) == ("=HYPERLINK(1)", "s", True)


def test_observations_and_history_are_exported(store):
    (seen,) = csv_rows(exported(store, "observations", "csv").body)
    (span,) = csv_rows(exported(store, "history", "csv", sku="A-1").body)

    assert tuple(seen) == OBSERVATIONS
    assert (seen["price"], seen["name"], seen["outcome"], seen["observed_at"]) == (
        "26.90",
        "'-5 % Mug",
        "ok",
        "2026-11-29T06:30:00+00:00",
    )
    assert (span["competitor"], span["price"], span["currency"]) == ("acme", "26.90", "EUR")
    assert exported(store, "history", "csv").rows == 1
    assert exported(store, "history", "csv", since=AT + timedelta(days=1)).rows == 0
    assert exported(store, "observations", "jsonl", sku="A-1").rows == 1


def test_a_run_that_is_not_there_is_named(store):
    with pytest.raises(NothingToExport, match="there is no run 'nightly-1999-01-01'; nothing was exported"):
        exported(store, "proposals", "csv", run="nightly-1999-01-01")


def test_only_approved_prices_go_to_the_shop(store):
    assert approved_prices(store) == {"A-1": Money(Decimal("26.9"), "EUR")}


def test_approved_prices_take_the_form_of_the_imported_export(tmp_path):
    create(tmp_path / "shop")
    file = tmp_path / "export.csv"
    file.write_text("Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price\ncup,Cup,Size,S,A-1,27.90\n")
    prices = {"A-1": Money(Decimal("26.9"), "EUR")}
    settings = load(tmp_path / "shop", {})

    with pytest.raises(Misconfigured, match="no shopify export has been imported here"):
        prices_file(settings, Kind.SHOPIFY, prices)
    import_catalogue(file, tmp_path / "shop", {})

    assert prices_file(settings, Kind.SHOPIFY, prices).text == (
        "Handle,Title,Option1 Name,Option1 Value,Variant Price\ncup,Cup,Size,S,26.90\n"
    )


def filled(body: bytes, **cells: object) -> bytes:
    """Return an exported XLSX after somebody wrote into the row of A-1."""
    book = load_workbook(io.BytesIO(body))
    sheet = book.active
    at = next(row for row in range(2, sheet.max_row + 1) if sheet.cell(row, PROPOSALS.index("sku") + 1).value == "A-1")
    for column, value in cells.items():
        sheet.cell(at, PROPOSALS.index(column) + 1).value = value
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def waiting(url: str) -> Scene:
    scene = Scene(url, SetClock(datetime.now(UTC)))
    later = scene.clock.now() + timedelta(days=2)
    scene.propose(
        a_proposal("A-1", title="=1+1", expires_at=later), a_proposal("B-2", old="10", new="9", expires_at=later)
    )
    return scene


def test_a_spreadsheet_comes_back_as_decisions_once(migrated_url):
    scene = waiting(migrated_url)
    sheet = filled(
        exported(scene.store, "proposals", "xlsx").body, decision="approve", decided_price=26.5, comment="ok"
    )
    choices = decisions_from(sheet, "proposals.xlsx")

    first, again = (decide(scene.store, scene.plan, BY_ANNA, choices) for _ in range(2))

    assert [(one.action_id, one.price, one.reason) for one in choices] == [(choices[0].action_id, "26.5", "ok")]
    assert [result.outcome for result in first] == [RowOutcome.DECIDED]
    assert [result.outcome for result in again] != [RowOutcome.DECIDED]
    assert scene.action(choices[0].action_id).proposal.new_price == Decimal("26.5")
    assert scene.decisions_of(choices[0].action_id).count(Verb.APPROVE) == 1
    scene.close()


def test_a_csv_comes_back_too_and_what_changed_since_is_not_decided(own_sqlite_url):
    scene = waiting(own_sqlite_url)
    rows = csv_rows(exported(scene.store, "proposals", "csv").body)
    for row in rows:
        row |= {"decision": "reject", "comment": "not now"}
    rows[0]["content_hash"] = "0" * 64
    out = io.StringIO()
    writer = csv.DictWriter(out, rows[0].keys())
    writer.writeheader()
    writer.writerows(rows)

    results = decide(scene.store, scene.plan, BY_ANNA, decisions_from(out.getvalue().encode(), "proposals.csv"))

    assert [result.outcome for result in results] == [RowOutcome.STALE, RowOutcome.DECIDED]
    scene.close()


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ({"decision": "aprove"}, "decision: 'aprove' is none, did you mean 'approve'?; write approve or reject"),
        ({"decision": "approve", "decided_price": "26,50"}, "decided_price: '26,50' is not an amount"),
        ({"decision": "approve", "decided_price": "0"}, "decided_price: '0' is not above zero"),
        ({"decision": "approve", "decided_price": "=1+1"}, "holds a formula; write its value"),
        ({"decision": "approve", "id": "x"}, "id: 'x' is no number"),
    ],
)
def test_a_spreadsheet_with_a_mistake_decides_nothing(own_sqlite_url, cells, words):
    scene = waiting(own_sqlite_url)
    body = filled(exported(scene.store, "proposals", "xlsx").body, **cells)

    with pytest.raises(Misconfigured) as refused:
        decisions_from(body, "proposals.xlsx")

    assert words in refused.value.problems[0]
    assert refused.value.problems[-1] == "Nothing of proposals.xlsx was decided."
    scene.close()


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"sku,title\nA,Cup\n", "the columns id, version, content_hash, decision are missing"),
        (b"PK\x03\x04broken", "not a readable XLSX file"),
    ],
)
def test_a_file_that_was_not_exported_here_is_refused(body, words):
    with pytest.raises(Misconfigured, match=words):
        decisions_from(body, "other.csv")


def _in_a_cell(text):
    """What nobody sees, such as a control character, is a space in CSV, and the text stands on one line."""
    if text.isprintable() and not text.startswith("'"):
        return text
    hidden = {"Cc", "Cf", "Zl", "Zp", "Zs"}
    return " ".join("".join(" " if unicodedata.category(each) in hidden else each for each in text).split())


@given(st.lists(st.text(max_size=30), min_size=1, max_size=5))
def test_any_text_comes_back_from_every_form(cells):
    table = Table("t", tuple(f"c{n}" for n in range(len(cells))), (tuple(cells),))

    (line,) = (json.loads(each) for each in table_bytes(table, "jsonl").decode().split("\n") if each)
    (row,) = list(csv.reader(io.StringIO(table_bytes(table, "csv").decode("utf-8-sig"), newline="")))[1:]
    assert list(line.values()) == cells
    assert [each.removeprefix("'") for each in row] == [_in_a_cell(each).removeprefix("'") for each in cells]
    assert not any(each[:1] in ("=", "@") for each in row)
    assert table_bytes(table, "xlsx").startswith(b"PK")


PARTS = tuple(zipfile.ZipFile(io.BytesIO(table_bytes(Table("t", ("a",), (("x",),)), "xlsx"))).namelist())


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("damage", [b"", b"x", b"<a/>", None], ids=["empty", "no-xml", "other-xml", "missing"])
def test_a_damaged_workbook_is_a_problem_in_words_or_is_read_all_the_same(part, damage):
    whole, out = zipfile.ZipFile(io.BytesIO(table_bytes(Table("t", ("a",), (("x",),)), "xlsx"))), io.BytesIO()
    with zipfile.ZipFile(out, "w") as damaged:
        for name in whole.namelist():
            if name != part:
                damaged.writestr(name, whole.read(name))
            elif damage is not None:
                damaged.writestr(name, damage)

    columns, _, problems = read_back(out.getvalue(), "t.xlsx")

    assert columns or not problems or problems[0].startswith("t.xlsx: not a readable XLSX file")


@given(st.decimals(allow_nan=False, allow_infinity=False, places=2, min_value=-(10**9), max_value=10**9))
def test_a_number_is_never_guarded(value):
    assert guarded(str(value)) == str(value)

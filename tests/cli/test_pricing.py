"""`monitor pricing check` as a person or a script meets it."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from monitor.cli import command_line

OWN_TABLE = Path(__file__).resolve().parents[1] / "domain" / "pricing" / "decisions.yaml"

WRONG = """
version: 1
cases:
- id: X1
  title: A row that is wrong on purpose
  product: {sku: A, price: "10.00"}
  offers: [{seller: acme, price: "9.00", age_hours: 1, match: confirmed}]
  rules: [{id: r, priority: 1, target: {reference: lowest}}]
  expect: {outcome: propose, price: "9.50", rule: r, target: "9.0000"}
"""


def check(path: Path, *options: str) -> Result:
    return CliRunner().invoke(command_line(["pricing"]), ["pricing", "check", str(path), *options])


def written(folder: Path, text: str | bytes) -> Path:
    path = folder / "table.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_table_that_agrees_exits_with_zero() -> None:
    rows = OWN_TABLE.read_text("utf-8").count("\n- id: ")

    result = check(OWN_TABLE)

    assert result.exit_code == 0
    assert rows >= 80
    assert result.stdout == f"{OWN_TABLE}: {rows} of {rows} rows agree.\n"


def test_a_mismatch_is_printed_and_exits_with_one(tmp_path: Path) -> None:
    path = written(tmp_path, WRONG)

    result = check(path)

    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "X1 A row that is wrong on purpose",
        "    price is 9.00, the table says 9.50",
        f"{path}: 0 of 1 rows agree.",
    ]


def test_json_is_the_only_thing_on_standard_output(tmp_path: Path) -> None:
    path = written(tmp_path, WRONG)

    result = check(path, "--json")

    assert result.exit_code == 1
    assert json.loads(result.stdout) == {
        "file": str(path),
        "rows": 1,
        "agree": 0,
        "mismatches": [
            {
                "id": "X1",
                "title": "A row that is wrong on purpose",
                "differences": ["price is 9.00, the table says 9.50"],
            }
        ],
    }


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("cases: [", "not readable as YAML"),
        (b"\xff\xfe\x00", "not a text in UTF-8"),
        ("- 1", "write a table of keys and values"),
        ("version: 2\ncases: []", "version is the number 2; this program follows version 1 of the semantics"),
        ("version: 1", "cases is missing; write a list of rows"),
        (WRONG.replace('"9.00"', "9.00"), "row X1: offers[1].price is the number 9.0; write a quoted amount"),
        (WRONG.replace("match: confirmed", "match: sure"), "offers[1].match is 'sure'; accepted are confirmed"),
        (WRONG.replace("outcome: propose", "outcome: none"), "propose goes with a price and without a reason"),
        (WRONG.replace("title:", "titel:"), "titel is not a known key; did you mean title?"),
        (WRONG.replace('price: "10.00"', 'price: "0"'), "product.price is '0'; our own price must be above zero"),
        (WRONG + WRONG.split("cases:")[1], "row X1: id is used by 2 rows"),
    ],
)
def test_a_file_that_cannot_be_read_exits_with_two_and_says_why(tmp_path: Path, text: str | bytes, told: str) -> None:
    result = check(written(tmp_path, text))

    assert result.exit_code == 2
    assert result.stdout == ""
    assert told in result.stderr


def test_a_file_that_is_not_there_exits_with_two(tmp_path: Path) -> None:
    result = check(tmp_path / "missing.yaml")

    assert result.exit_code == 2
    assert "missing.yaml: cannot be opened: No such file or directory" in result.stderr


def test_the_help_shows_an_example() -> None:
    result = CliRunner().invoke(command_line(["pricing"]), ["pricing", "check", "--help"])

    assert "monitor pricing check decisions.yaml" in result.stdout

"""Our own table of worked decisions, row by row, and that it leaves no code out."""

import re
from pathlib import Path

import pytest
import yaml

from monitor.domain.pricing import GUARDS, Note, OfferCode, Reason, rules_from_text
from monitor.domain.pricing.cases import Case, mismatches, read_cases

CASES = read_cases(yaml.safe_load(Path(__file__).with_name("decisions.yaml").read_text()), where="decisions.yaml")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_worked_decision_is_what_the_program_decides(case: Case) -> None:
    assert mismatches(case) == ()


def test_the_table_has_a_row_for_every_code() -> None:
    reasons = {case.expected.reason for case in CASES if case.expected.reason}
    ignored = {code for case in CASES for code in case.expected.ignored.values()}
    notes = {note.partition(":")[0] for case in CASES for note in case.expected.trail}

    assert reasons == set(Reason) - set(GUARDS)  # those are about the night as a whole
    assert ignored == set(OfferCode)
    assert notes == {note.value for note in Note} | {"FALLBACK"}


def test_the_examples_of_the_documentation_work() -> None:
    text = (Path(__file__).resolve().parents[3] / "docs" / "pricing.md").read_text()
    (table,) = re.findall(r"^```yaml\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    (rules,) = re.findall(r"^```toml\n(.*?)^```", text, re.MULTILINE | re.DOTALL)

    (case,) = read_cases(yaml.safe_load(table), where="docs/pricing.md")

    assert mismatches(case) == ()
    assert [rule.id for rule in rules_from_text(rules, where="docs/pricing.md").asked] == ["boots-follow-market"]


def test_a_wrong_row_is_told_with_what_was_found_and_what_was_said() -> None:
    row = {
        "id": "X",
        "product": {"sku": "A", "price": "10.00"},
        "offers": [{"seller": "acme", "price": "9.00", "age_hours": 99, "match": "confirmed"}],
        "rules": [{"id": "r", "priority": 1, "target": {"reference": "lowest"}}],
        "expect": {"outcome": "propose", "price": "9.00", "rule": "r", "target": "9.0000"},
    }

    (case,) = read_cases({"version": 1, "cases": [row]}, where="table.yaml")

    assert mismatches(case) == (
        "outcome is none, the table says propose",
        "price is nothing, the table says 9.00",
        "reason is TOO_FEW_OFFERS, the table says nothing",
        "target is nothing, the table says 9.0000",
        "ignored is {acme: STALE}, the table says {}",
    )

"""Every effect of the table in docs/durability.md names tests that show it, and they exist."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_row_of_the_table_of_effects_is_shown_by_tests_that_exist() -> None:
    page = (ROOT / "docs" / "durability.md").read_text("utf-8")
    table = page.split("| effect | intent", 1)[1].split("\n\n", 1)[0].splitlines()[2:]
    known = set(
        re.findall(r"def (test_\w+)", "\n".join(path.read_text("utf-8") for path in ROOT.glob("tests/**/test_*.py")))
    )

    named = {row.split("|")[1].strip(): set(re.findall(r"`(test_\w+)`", row)) for row in table}

    assert len(named) == 10
    assert all(named.values()), "a row without a test is a promise"
    assert not set().union(*named.values()) - known

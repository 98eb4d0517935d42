"""`monitor rules check` as a person or a script meets it."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from monitor.cli import command_line
from monitor.errors import Misconfigured

GOOD = '[[rules]]\nid = "r"\npriority = 1\ntarget = {reference = "cost", adjust_percent = "50"}\n'
IDLE = GOOD + 'guardrails = {max_decrease_pct = "0", direction = "down"}\n'
WRONG = '[[rules]]\nid = "r"\npriority = 1\ntarget = {reference = "cheapest"}\n[run]\nmax_proposal = 5\n'


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rules") / "config"
    assert CliRunner().invoke(command_line(["setup"]), ["init", str(folder)]).exit_code == 0
    return folder


def check(config: Path, text: str, *options: str) -> Result:
    draft = config / "draft.toml"
    draft.write_text(text)
    return CliRunner().invoke(
        command_line(["rules"]), ["rules", "check", str(draft), "--config", str(config), *options]
    )


def test_rules_without_a_finding_exit_with_zero(config: Path) -> None:
    result = check(config, GOOD)

    assert result.exit_code == 0
    assert result.stdout.endswith("draft.toml: 1 enabled rule, nothing wrong.\n")


def test_a_file_without_a_rule_says_that_nothing_is_proposed(config: Path) -> None:
    assert check(config, "").stdout.endswith("draft.toml: 0 enabled rules, so nothing is proposed.\n")


@pytest.mark.parametrize("name", ["a\\u0000b", "two\\nlines", "\\u202eevil"])
def test_a_name_that_cannot_be_shown_or_stored_is_refused(config: Path, name: str) -> None:
    """PostgreSQL keeps no NUL, so such a rule would have stopped the night that first decided by it."""
    result = check(config, GOOD.replace('id = "r"', f'id = "{name}"'))

    assert isinstance(result.exception, Misconfigured)
    assert "write a quoted text of one line that is not empty" in str(result.exception)


def test_a_finding_exits_with_one_and_names_rule_and_key(config: Path) -> None:
    result = check(config, IDLE, "--json")

    (finding,) = json.loads(result.stdout)["findings"]
    assert result.exit_code == 1
    assert (finding["code"], finding["rule"], finding["key"]) == ("NEVER_PROPOSES", "r", "guardrails.max_decrease_pct")


def test_a_file_that_cannot_be_read_names_rule_key_and_accepted_forms(config: Path) -> None:
    result = check(config, WRONG)

    assert isinstance(result.exception, Misconfigured)
    told = str(result.exception)
    assert "rule 'r': target.reference is 'cheapest'; accepted are lowest, nth, median, average, seller, cost" in told
    assert "run.max_proposal is not a known key; did you mean max_proposals?" in told


def test_the_rules_of_the_configuration_are_checked_by_default(config: Path) -> None:
    result = CliRunner().invoke(command_line(["rules"]), ["rules", "check", "--config", str(config)])

    assert result.stdout == "rules.toml: 1 enabled rule, nothing wrong.\n"

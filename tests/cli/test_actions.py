"""`monitor actions`, `approve`, `reject`, `take-back`, `status`, `runs` and `job` on a real config directory."""

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from monitor.cli import command_line
from monitor.domain.action import Action, ActionState
from monitor.domain.run import JobState, RunState
from monitor.errors import CannotSucceed
from monitor.wiring import open_app
from tests.nights import an_observation
from tests.review_scene import a_proposal, a_run

LEASE = timedelta(minutes=1)
MODULES = ("setup", "actions", "status", "job", "history", "writing", "export")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh config directory, as `monitor init` writes it, and nothing of this machine's environment."""
    for name in ("MONITOR_CONFIG", "MONITOR_DATABASE_URL", "MONITOR_REDIS_URL", "MONITOR_SMTP_URL"):
        monkeypatch.delenv(name, raising=False)
    config = tmp_path / "shop"
    assert CliRunner().invoke(command_line(MODULES), ["init", str(config)]).exit_code == 0
    return config


def said(home: Path, *words: str) -> Result:
    return CliRunner().invoke(command_line(MODULES), [*words, "--config", str(home)])


def facts(home: Path, *words: str) -> dict[str, Any]:
    result = said(home, *words, "--json")
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.fixture
def proposed(home: Path) -> tuple[Action, ...]:
    """A run with two proposals and a competitor that was visited."""
    opened = open_app(home)
    later = datetime.now(UTC) + timedelta(days=2)
    try:
        with opened.store.write() as unit:
            run = a_run(unit)
            (job,) = unit.jobs.of_run(run.id)
            claim = unit.jobs.claim(job.id, "w1", LEASE)
            assert claim is not None
            unit.jobs.start(claim, 1, "page", {"url": "https://acme.example/p"}, 1, LEASE)
            unit.jobs.finish(claim, 1, result={"outcome": "ok"}, error=None, requests=1, lease=LEASE)
            unit.jobs.end(claim, JobState.DONE)
            return tuple(unit.actions.propose(a_proposal(sku, expires_at=later))[0] for sku in ("A-1", "B-2"))
    finally:
        opened.close()


def state(home: Path, action: Action) -> ActionState:
    opened = open_app(home)
    try:
        with opened.store.read() as unit:
            found = unit.actions.get(action.id)
    finally:
        opened.close()
    assert found is not None
    return found.state


def test_what_waits_is_listed_with_its_figures(home: Path, proposed: tuple[Action, ...]) -> None:
    (first, _) = facts(home, "actions")["actions"]

    assert (first["sku"], first["old_price"], first["new_price"], first["currency"]) == ("A-1", "27.90", "26.90", "EUR")
    assert (first["id"], first["state"], first["key"]) == (proposed[0].id, "pending", "nightly-2026-11-29:shop:A-1")
    assert "27.90 EUR → 26.90 EUR" in said(home, "actions").stdout
    assert len(facts(home, "actions", "--sku", "B-2")["actions"]) == 1


def test_the_most_money_at_stake_comes_first_with_percent_and_reason(home: Path, proposed: tuple[Action, ...]) -> None:
    opened = open_app(home)
    with opened.store.write() as unit:
        facts_of = {"weekly_effect": "-40.000"}
        unit.actions.propose(a_proposal("Z-9", expires_at=datetime.now(UTC) + timedelta(days=2), facts=facts_of))
    opened.close()

    header, first, why, *_ = said(home, "actions").stdout.splitlines()

    assert header.split() == ["id", "price", "change", "at", "stake", "a", "week", "product", "and", "state"]
    assert "-3.6 %  -40.00 EUR" in first
    assert "Z-9  Product Z-9 (waits for a decision)" in first
    assert why.strip() == "Acme has it for less."
    found = facts(home, "actions")["actions"]
    assert [each["sku"] for each in found] == ["Z-9", "A-1", "B-2"]
    assert (found[0]["change_pct"], found[0]["stake_per_week"]) == ("-3.6", "40.00")
    assert found[1]["stake_per_week"] is None


@pytest.mark.parametrize("wrong", ["abc", "9" * 30, "1.5"])
def test_what_is_no_number_of_a_proposal_is_told_where_to_find_one(home: Path, wrong: str) -> None:
    result = said(home, "approve", wrong)

    assert result.exit_code == 2
    assert "first column of `monitor actions`" in " ".join(result.stderr.replace("│", "").split())


def test_approving_twice_tells_the_same_and_decides_once(home: Path, proposed: tuple[Action, ...]) -> None:
    number = str(proposed[0].id)

    first = said(home, "approve", number, "--by", "anna")
    again = said(home, "approve", number, "--by", "zoe")

    assert (first.exit_code, again.exit_code) == (0, 0)
    assert "Approved: 27.90 EUR → 26.90 EUR." in first.stdout
    assert "By anna" in again.stdout
    assert state(home, proposed[0]) is ActionState.APPROVED
    assert state(home, proposed[1]) is ActionState.PENDING


def test_all_means_what_waits_now(home: Path, proposed: tuple[Action, ...]) -> None:
    results = facts(home, "reject", "--all", "--reason", "Not now")["results"]

    assert [result["outcome"] for result in results] == ["decided", "decided"]
    assert {state(home, action) for action in proposed} == {ActionState.REJECTED}
    assert said(home, "reject", "--all").exit_code == 0


def test_an_approval_can_be_taken_back(home: Path, proposed: tuple[Action, ...]) -> None:
    number = str(proposed[0].id)
    said(home, "approve", number)

    assert said(home, "take-back", number).exit_code == 0
    assert state(home, proposed[0]) is ActionState.CANCELLED
    assert said(home, "take-back", str(proposed[1].id)).exit_code == 1


def test_what_cannot_be_decided_ends_with_one_and_says_why(home: Path, proposed: tuple[Action, ...]) -> None:
    result = said(home, "approve", "999", str(proposed[0].id))

    assert result.exit_code == 1
    assert "There is no proposal 999" in result.stdout
    assert state(home, proposed[0]) is ActionState.APPROVED


def test_an_approval_while_all_writes_are_stopped_says_that_it_waits(home: Path, proposed: tuple[Action, ...]) -> None:
    (home / "monitor.toml").write_text("[writes]\nenabled = true\n", encoding="utf-8")
    before = said(home, "approve", "1").stdout
    said(home, "writes", "stop", "--reason", "odd", "--by", "anna")

    stopped = said(home, "approve", "2").stdout

    assert "once 120 s have passed" in before
    assert "All writes are stopped by anna, so this waits. `monitor writes resume` lets it go on." in stopped
    assert "have passed" not in stopped


def test_a_table_without_decisions_decides_nothing_and_says_so(home: Path, proposed: tuple[Action, ...]) -> None:
    assert said(home, "export", "proposals", "--out", str(home / "p.csv")).exit_code == 0

    result = said(home, "decide", str(home / "p.csv"))

    assert result.exit_code == 0
    assert result.stdout == "p.csv decides nothing: no row says approve or reject in its column `decision`.\n"
    assert facts(home, "decide", str(home / "p.csv")) == {"results": []}
    assert state(home, proposed[0]) is ActionState.PENDING


def test_what_all_leaves_is_named_at_most_ten_times_and_not_said_to_be_nothing(home: Path) -> None:
    opened = open_app(home)
    odd = {"second_look": [{"code": "DOWN_BREAKER", "words": "12 of 12 products would move down"}]}
    later = datetime.now(UTC) + timedelta(days=2)
    with opened.store.write() as unit:
        a_run(unit)
        for number in range(12):
            unit.actions.propose(a_proposal(f"A-{number}", expires_at=later, facts=odd))
    opened.close()

    result = said(home, "approve", "--all")

    assert result.exit_code == 0
    assert re.search(r"approved by itself: (\d+, ){9}\d+ and 2 more$", result.stderr.strip())
    assert "No proposal waits" not in result.output


@pytest.mark.parametrize("words", [["approve"], ["approve", "1", "--all"], ["take-back"]])
def test_a_decision_names_what_it_is_about(home: Path, words: list[str]) -> None:
    result = said(home, *words)

    assert result.exit_code == 2
    assert "monitor actions" in result.stderr.replace("\n", " ")


def test_the_status_tells_what_the_api_tells(home: Path, proposed: tuple[Action, ...]) -> None:
    run = facts(home, "status")["run"]

    assert (run["run"], run["jobs_ended"], run["tool_calls"]) == ("nightly-2026-11-29", 1, 1)
    assert run["proposals"] == {"pending": 2}
    shown = said(home, "status").stdout
    assert "1 of 1 competitors, 1 of 12 tool calls" in shown
    assert "acme" in shown
    assert facts(home, "runs")["runs"][0]["run"] == run["run"]


def test_watching_shows_a_night_as_it_goes_on_and_ends_with_it(
    home: Path, proposed: tuple[Action, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each look is a second later; between the second and the third the night is reported."""
    run_id, looks, opened = proposed[0].proposal.run_id, list[float](), open_app(home)

    def a_second(pause_s: float) -> None:
        looks.append(pause_s)
        if len(looks) == 2:
            with opened.store.write() as unit:
                unit.runs.close(run_id, RunState.REPORTED)

    monkeypatch.setattr("monitor.cli.status.time.sleep", a_second)
    try:
        watched = said(home, "status", "--watch")
    finally:
        opened.close()

    assert watched.exit_code == 0
    assert looks == [1.0, 1.0]
    assert "1 of 1 competitors, 1 of 12 tool calls, 1 step\n" in watched.stdout
    assert "nightly-2026-11-29: reported" in watched.stdout


def test_a_job_shows_its_steps_by_name_or_number(home: Path, proposed: tuple[Action, ...]) -> None:
    by_name = facts(home, "job", "show", "nightly-2026-11-29/acme")

    assert [(step["seq"], step["tool"]) for step in by_name["plan"]] == [(1, "page")]
    assert facts(home, "job", "show", str(by_name["job"]["id"])) == by_name
    shown = said(home, "job", "show", "nightly-2026-11-29/acme").stdout
    assert "1 of 12 tool calls, 1 request\n" in shown
    assert "page https://acme.example/p" in shown


@pytest.mark.parametrize(
    "words",
    [
        ["status", "nightly-1999-01-01"],
        ["actions", "--run", "nightly-1999-01-01"],
        ["status", "nightly-1999-01-01", "--json"],
        ["job", "show", "77"],
        ["job", "show", "a/b"],
    ],
)
def test_what_is_not_there_is_an_error_in_words(home: Path, words: list[str]) -> None:
    result = said(home, *words)

    assert result.exit_code == 1
    assert isinstance(result.exception, CannotSucceed)


def test_before_the_first_night_there_is_a_word_for_it(home: Path) -> None:
    assert "No night has run yet" in said(home, "status").stdout
    assert "No night has run yet" in said(home, "status", "--watch").stdout
    assert facts(home, "status") == {"run": None}
    assert "No proposal waits" in said(home, "actions").stdout
    assert "Nothing is known of a product 'A-1'" in str(said(home, "history", "A-1").exception)
    (home / "catalogue.csv").write_text("sku,title,price\nA-1,Mug,12.90\n")
    assert "No night has looked at 'A-1' yet" in str(said(home, "history", "A-1").exception)


@pytest.mark.parametrize("command", ["actions", "approve", "reject", "take-back", "status", "runs", "job show"])
def test_every_command_has_help_with_an_example(command: str) -> None:
    result = CliRunner().invoke(command_line(MODULES), [*command.split(), "--help"])

    assert result.exit_code == 0
    assert "Example: monitor" in result.stdout
    assert "--json" in result.stdout


def test_a_history_is_drawn_with_its_figures_below(home: Path, proposed: tuple[Action, ...]) -> None:
    sku, opened = proposed[0].proposal.sku, open_app(home)
    with opened.store.write() as unit:
        seen = an_observation(sku, "acme", run_id=proposed[0].proposal.run_id, observed_at=unit.now)
        unit.observations.record(seen)
    opened.close()

    shown = said(home, "history", sku).stdout
    assert "118.90 " in shown
    assert "EUR 118.90" in shown
    assert max(map(len, shown.splitlines())) <= 80
    assert facts(home, "history", sku)["offers"][0]["price"] == "118.90"
    assert said(home, "history", "nothing-of-ours").exit_code == 1


def test_the_list_of_runs_has_what_the_page_has(home: Path, proposed: tuple[Action, ...]) -> None:
    shown = said(home, "runs").stdout

    for words in ("nightly-2026-11-29", "2 pending", "1/1"):
        assert words in shown


def test_deciding_again_fails_only_where_something_else_stands(home: Path, proposed: tuple[Action, ...]) -> None:
    """A script must not take the answer to a rejection that came too late for a rejection."""
    first, second = (str(action.id) for action in proposed)
    assert said(home, "approve", first).exit_code == 0
    assert said(home, "reject", second).exit_code == 0

    again = [("approve", first), ("reject", second)]
    otherwise = [("reject", first), ("approve", second), ("approve", first, "--price", "x")]

    assert [said(home, *words).exit_code for words in again] == [0, 0]
    assert [said(home, *words).exit_code for words in otherwise] == [1, 1, 1]


def test_a_price_that_cannot_be_taken_is_refused_in_one_line_that_names_the_product_once(
    home: Path, proposed: tuple[Action, ...]
) -> None:
    shown = said(home, "approve", str(proposed[0].id), "--price", "x")

    (line,) = shown.stdout.splitlines()
    assert line.split() == (
        f"{proposed[0].id} A-1 Nothing changed: 'x' is no price; write it with a dot, for example 26.90.".split()
    )

"""`monitor audit`, `users`, `tokens`, and the decisions of the command line, on a real config directory."""

import json
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from monitor.cli import command_line
from monitor.domain.access import Scope
from monitor.domain.action import Action, ActionState, WriteState
from monitor.errors import MonitorError
from monitor.wiring import open_app
from tests.review_scene import a_proposal, a_run

MODULES = ("setup", "actions", "deciding", "audit", "users", "tokens")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh config directory with nothing of this machine's environment."""
    for name in ("MONITOR_CONFIG", "MONITOR_DATABASE_URL", "MONITOR_REDIS_URL", "MONITOR_SMTP_URL"):
        monkeypatch.delenv(name, raising=False)
    config = tmp_path / "shop"
    assert CliRunner().invoke(command_line(MODULES), ["init", str(config)]).exit_code == 0
    return config


def said(home: Path, *words: str, typed: str = "") -> Result:
    return CliRunner().invoke(command_line(MODULES), [*words, "--config", str(home)], input=typed)


def facts(home: Path, *words: str) -> Any:
    return json.loads(said(home, *words, "--json").stdout)


@pytest.fixture
def proposed(home: Path) -> tuple[Action, ...]:
    """A run with two proposals."""
    opened = open_app(home)
    later = datetime.now(UTC) + timedelta(days=20)
    given = {"cost": "12.50", "evidence": ["a" * 64]}
    try:
        with opened.store.write() as unit:
            a_run(unit)
            made = [a_proposal(sku, expires_at=later, facts=given) for sku in ("A-1", "B-2")]
            return tuple(unit.actions.propose(one)[0] for one in made)
    finally:
        opened.close()


def ended(home: Path, action: Action, state: WriteState) -> None:
    """Carry the write of an approved action to its end, as the executor does."""
    opened = open_app(home)
    try:
        with opened.store.write() as unit:
            unit.writes.release_dry_runs()
        with opened.store.writer.begin() as connection:
            connection.exec_driver_sql("UPDATE writes SET not_before = 0")
        with opened.store.write() as unit:
            (write,) = unit.writes.of_action(action.id)
            held = unit.writes.claim(write.id, "w1", timedelta(minutes=1))
            assert held is not None
            reading = {"price": "27.90" if state is WriteState.APPLIED else "26.50", "currency": "EUR"}
            unit.writes.call(held, reading, timedelta(minutes=1))
            after = {"price": "26.90", "currency": "EUR"}
            unit.writes.close(held, state, before=reading, after=after, answer="taken")
    finally:
        opened.close()


def test_a_later_run_that_proposes_the_same_is_in_the_record(home: Path, proposed: tuple[Action, ...]) -> None:
    """The words of a proposal are those of the newest run, which may be later than the first line says."""
    opened = open_app(home)
    with opened.store.write() as unit:
        later = a_run(unit, date(2026, 11, 30))
        again = replace(proposed[0].proposal, run_id=later.id, words="Seen once more.")
        assert unit.actions.refresh(proposed[0], again)
    opened.close()

    record = said(home, "audit", "A-1").stdout
    assert record.index("Seen once more.") < record.index("proposed again by nightly-2026-11-30; the words and")
    (trail,) = facts(home, "audit", "A-1")["trails"]
    assert [one["run"] for one in trail["renewals"]] == ["nightly-2026-11-30"]


def test_the_record_of_a_product_tells_who_decided_what_and_what_the_shop_said(
    home: Path, proposed: tuple[Action, ...]
) -> None:
    said(home, "approve", "1", "--by", "anna")
    ended(home, proposed[0], WriteState.APPLIED)

    told = said(home, "audit", "A-1").stdout
    (trail,) = facts(home, "audit", "A-1")["trails"]

    assert "approve of version 1 by anna at the command line, at 27.90 → 26.90 EUR" in told
    assert "call 1, applied: taken" in told
    assert "write applied, before it the shop said 27.90 EUR, after it 26.90 EUR" in told
    assert f"evidence {'a' * 64}" in told
    (decision,), (write,) = trail["decisions"], trail["writes"]
    assert (decision["decision"], decision["by"], decision["way"]) == ("approve", "anna", "cli")
    assert decision["figures"]["facts"]["evidence"] == ["a" * 64]
    assert (write["state"], write["before"]["price"], len(write["calls"])) == ("applied", "27.90", 1)


def test_one_proposal_is_found_by_its_number_and_by_its_key(home: Path, proposed: tuple[Action, ...]) -> None:
    by_number, by_key = facts(home, "audit", "2"), facts(home, "audit", proposed[1].proposal.action_key)

    assert by_number == by_key
    assert by_number["trails"][0]["action"]["sku"] == "B-2"


def test_what_nothing_is_kept_about_is_said(home: Path) -> None:
    with pytest.raises(MonitorError, match="neither the number or key of an action nor a SKU"):
        CliRunner().invoke(command_line(MODULES), ["audit", "nothing", "--config", str(home)], catch_exceptions=False)
    assert said(home, "audit").exit_code == 2


def test_the_command_line_decides_everything_that_a_page_can(home: Path, proposed: tuple[Action, ...]) -> None:
    assert said(home, "approve", "1", "--price", "26.50", "--by", "anna").exit_code == 0
    assert said(home, "approve", "2", "--price", "2.50").exit_code == 1
    assert said(home, "approve", "1", "2", "--price", "26.50").exit_code == 2
    day = (datetime.now(UTC) + timedelta(days=5)).date().isoformat()
    assert "Put off" in said(home, "snooze", "2", "--until", day).stdout
    assert said(home, "snooze", "2", "--until", "soon").exit_code == 2
    ended(home, proposed[0], WriteState.APPLIED)

    given_back = said(home, "give-back", "1", "--by", "anna")

    assert "The old price is approved again: 26.50 EUR → 27.90 EUR" in given_back.stdout
    assert [one["action"]["new_price"] for one in facts(home, "audit", "A-1")["trails"]] == ["27.90", "26.50"]


def test_a_conflict_is_renewed_from_the_command_line(home: Path, proposed: tuple[Action, ...]) -> None:
    said(home, "approve", "1")
    ended(home, proposed[0], WriteState.CONFLICT)

    assert "Proposed afresh: 26.50 EUR → 26.90 EUR" in said(home, "renew", "1").stdout
    assert said(home, "renew", "2").exit_code == 1


def test_somebody_is_added_listed_and_removed(home: Path) -> None:
    added = said(home, "users", "add", "Anna@Brand.example", "--password-stdin", typed="four quiet words here\n")
    assert "Every page needs a sign-in from now on" in added.stdout
    again = said(home, "users", "add", "anna@brand.example", "--password-stdin", typed="four quiet words here\n")
    assert "can sign in already" in str(again.exception)

    (user,) = facts(home, "users", "list")["users"]
    assert (user["name"], user["role"], user["disabled_at"]) == ("anna@brand.example", "approver", None)
    assert said(home, "users", "role", "anna@brand.example", "--role", "admin").exit_code == 0
    assert (
        said(home, "users", "password", "anna@brand.example", "--password-stdin", typed="other quiet words\n").exit_code
        == 0
    )
    assert said(home, "users", "sign-out", "anna@brand.example").exit_code == 0
    assert "can sign in no more" in said(home, "users", "remove", "anna@brand.example").stdout
    assert facts(home, "users", "list")["users"][0]["disabled_at"] is not None
    kinds = [event["kind"] for event in facts(home, "audit", "--door")["events"]]
    assert kinds == ["user_removed", "sessions_revoked", "password_changed", "role_changed", "user_added"]


def test_without_a_terminal_no_password_is_asked_for_and_the_option_is_named(home: Path) -> None:
    refused = said(home, "users", "add", "anna")

    assert refused.exit_code == 2
    assert "--password-stdin" in refused.stderr
    assert said(home, "users", "list", "--json").stdout.count("anna") == 0


def test_a_weak_password_adds_nobody_and_is_not_repeated(home: Path) -> None:
    refused = said(home, "users", "add", "anna", "--password-stdin", typed="hunter2\n")

    assert "has 7 characters" in str(refused.exception)
    assert "hunter2" not in refused.output + str(refused.exception)
    assert facts(home, "users", "list")["users"] == []


@pytest.mark.parametrize("name", ["", "a b", "../x", "x" * 101, "-x", "ä"])
def test_a_name_that_cannot_be_one_is_wrong_usage(home: Path, name: str) -> None:
    assert said(home, "users", "add", "--", name).exit_code == 2


def test_a_token_is_shown_once_and_stored_as_a_hash(home: Path) -> None:
    made = facts(home, "tokens", "add", "grafana", "--scope", "metrics,read")

    listed = said(home, "tokens", "list", "--json").stdout
    assert made["token"].startswith("pmt_")
    assert made["token"] not in listed
    assert json.loads(listed)["tokens"][0]["scopes"] == ["metrics", "read"]
    app = open_app(home)
    try:
        with app.store.write() as unit:
            assert unit.access.token(app.signer.digest(made["token"]), Scope.METRICS) is not None
    finally:
        app.close()
    assert said(home, "tokens", "add", "grafana", "--scope", "read").exit_code == 1
    assert said(home, "tokens", "add", "other", "--scope", "approve").exit_code == 2
    assert said(home, "tokens", "revoke", "grafana").exit_code == 0
    assert said(home, "tokens", "revoke", "grafana").exit_code == 1


def test_no_decision_of_the_command_line_is_without_its_actor(home: Path, proposed: tuple[Action, ...]) -> None:
    said(home, "reject", "1", "--reason", "no")

    (decision,) = facts(home, "audit", "1")["trails"][0]["decisions"]
    assert decision["by"]
    assert decision["batch"]
    assert facts(home, "audit", "1")["trails"][0]["action"]["state"] == ActionState.REJECTED.value

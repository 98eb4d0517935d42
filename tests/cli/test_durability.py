"""`monitor metrics`, `retention`, and what `job show` tells of an interrupted job, on a real config directory."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update
from typer.testing import CliRunner, Result

from monitor.adapters.db import schema
from monitor.cli import command_line
from monitor.domain.durability import Cause
from monitor.wiring import open_app
from tests.core_scene import Counter, Counting, begun, job_of, worked

CONTRACT = [
    "resumption_success",
    "duplicate_action_rate",
    "completion_rate",
    "time_to_resume_p50_s",
    "time_to_resume_p95_s",
    "nights",
]


class Killed(BaseException):
    """Stands for SIGKILL."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh config directory."""
    for name in ("MONITOR_CONFIG", "MONITOR_DATABASE_URL", "MONITOR_REDIS_URL", "MONITOR_SMTP_URL"):
        monkeypatch.delenv(name, raising=False)
    config = tmp_path / "shop"
    assert CliRunner().invoke(command_line(), ["init", str(config)]).exit_code == 0
    return config


def said(home: Path, *words: str) -> Result:
    return CliRunner().invoke(command_line(), [*words, "--config", str(home)])


def facts(home: Path, *words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(said(home, *words, "--json").stdout)
    return found


@pytest.fixture
def night(home: Path) -> str:
    """A night whose only job died once and was resumed; its evidence and results are 40 days old."""

    def die(n: int) -> None:
        if n == 2:
            raise Killed

    opened = open_app(home)
    store = opened.store
    run = begun(store)
    with pytest.raises(Killed):
        worked(store, job_of(store, run), Counting(), Counter(during=die))
    job = job_of(store, run)
    with store.write() as unit:
        unit.jobs.recover_from(str(job.owner), Cause.DIED)
        unit.blobs.refer(run.id, job.id, "evidence", unit.blobs.put(b"evidence"), "acme/1")
    worked(store, job, Counting(), Counter())
    with store.write() as unit:
        past = unit.now - timedelta(days=40)
        unit.tx.run(update(schema.steps).values(ended_at=past))
        unit.tx.run(update(schema.artifacts).values(created_at=past))
        unit.tx.run(update(schema.blobs).values(created_at=past))
    opened.close()
    return run.id


def test_metrics_print_the_contract(home: Path, night: str) -> None:
    found = facts(home, "metrics", night)

    assert list(found) == CONTRACT
    assert (found["resumption_success"], found["duplicate_action_rate"]) == (1.0, 0.0)
    assert said(home, "metrics").exit_code == 0
    assert "interrupted" in said(home, "metrics").stdout


def test_a_run_that_is_not_there_is_named(home: Path) -> None:
    result = said(home, "metrics", "nightly-1999-01-01")

    assert result.exit_code == 1
    assert "nightly-1999-01-01" in str(result.exception)


def test_job_show_tells_of_the_interruption_and_what_is_kept(home: Path, night: str) -> None:
    found = facts(home, "job", "show", f"{night}/acme")
    words = said(home, "job", "show", f"{night}/acme").stdout

    (interruption,) = found["interruptions"]
    assert (interruption["seq"], interruption["cause"]) == (2, Cause.DIED)
    assert interruption["resumed_at"] is not None
    assert found["facts"] == {"step 1": 1, "step 2": 2, "step 3": 3}
    assert [(kept["kind"], kept["ref"], kept["bytes"]) for kept in found["artifacts"]] == [("evidence", "acme/1", 8)]
    assert [step["attempts"] for step in found["plan"]] == [1, 2, 1]
    assert "interrupted at" in words
    assert " UTC" not in words, "local to the schedule, with its offset"
    assert "kept: evidence acme/1" in words
    assert "known: step 1: 1" in words


def test_retention_counts_first_and_removes_when_told(home: Path, night: str) -> None:
    dry = facts(home, "retention", "--dry-run")
    wet = facts(home, "retention")

    assert dry["dry_run"] is True
    assert dry["kinds"]["step_results"] == {"kept_days": 30, "removed": 0, "past_age": 3}
    assert wet["kinds"]["step_results"] == {"kept_days": 30, "removed": 3, "past_age": 3}
    assert wet["kinds"]["evidence"]["removed"] == 1
    assert "removed at its age" in said(home, "job", "show", f"{night}/acme").stdout
    assert facts(home, "retention")["kinds"]["step_results"]["removed"] == 0
    assert "0 past its age: pages and evidence, kept 14 days" in said(home, "retention", "--dry-run").stdout


def test_the_ages_are_the_operators(home: Path, night: str) -> None:
    file = home / "monitor.toml"
    file.write_text(file.read_text().replace("step_results_days = 30", "step_results_days = 60"))

    assert facts(home, "retention")["kinds"]["step_results"] == {"kept_days": 60, "removed": 0, "past_age": 0}

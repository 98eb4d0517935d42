"""`monitor chaos`: a short run of it, and what it refuses."""

import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
import redis

from monitor.adapters.clock import SystemClock
from monitor.adapters.db.migrate import migrate
from monitor.adapters.db.store import SqlStore
from monitor.adapters.db.tables import names_of_tables
from monitor.adapters.redis_broker import mark
from monitor.chaos.night import Ended
from monitor.chaos.storm import storm_of, would_starve
from monitor.chaos.verdict import Told, complaints, figures_of
from monitor.domain.run import Job, JobKind, JobState
from monitor.errors import Misconfigured
from monitor.wiring.throwaway import BROKER_MARK, prepare_throwaway

KEYS = [
    "seed",
    "nights",
    "kills",
    "resumed",
    "resumption_success",
    "duplicate_actions",
    "lost_observations",
    "completion_rate",
    "time_to_resume_p50_s",
    "time_to_resume_p95_s",
]


def chaos(home: Path, *words: str, timeout_s: float = 1100, **environ: str) -> "subprocess.CompletedProcess[str]":
    """Run the command in an empty directory, with temporary files there too."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MONITOR_", "PYTEST_"))}
    return subprocess.run(
        [sys.executable, "-m", "monitor", "chaos", *words],
        cwd=home,
        env={**kept, "TMPDIR": str(home), **environ},
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_forty_kills_lose_nothing_and_do_nothing_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Seven nights on SQLite; standard output is the figures and no more, and nothing is left behind."""
    ended = chaos(tmp_path, "--nights", "7", "--seed", "7", "--competitors", "10", "--json")

    assert ended.returncode == 0, ended.stderr
    figures = json.loads(ended.stdout)
    with capsys.disabled():
        print(f"\n{figures}")
    assert list(figures) == KEYS
    assert figures["kills"] >= 40
    assert figures["resumed"] > 0
    assert (figures["seed"], figures["nights"]) == (7, 7)
    assert (figures["resumption_success"], figures["completion_rate"]) == (1.0, 1.0)
    assert (figures["duplicate_actions"], figures["lost_observations"]) == (0, 0)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_three_workers_on_postgresql_and_valkey_lose_nothing_either(
    postgres_url: str, redis_url: str, tmp_path: Path
) -> None:
    """A night, and one more in the database that the first left, with a broker that misleads and then forgets."""
    assert storm_of(1, 1, 3).blows[-1].is_kill, "so that a write is interrupted and settled later"
    assert storm_of(78, 1, 3).bell
    assert storm_of(78, 1, 3).is_deaf
    resumed = 0  # on a machine that is busy with other tests all blows of one night may fall between two jobs
    for seed in ("1", "78"):
        words = ("--nights", "1", "--seed", seed, "--competitors", "8", "--json")
        ended = chaos(tmp_path, *words, "--postgres", postgres_url, "--redis", redis_url)

        assert ended.returncode == 0, ended.stderr
        figures = json.loads(ended.stdout)
        resumed += figures["resumed"]
        assert (figures["resumption_success"], figures["completion_rate"]) == (1.0, 1.0)
        assert (figures["duplicate_actions"], figures["lost_observations"]) == (0, 0)
    assert resumed > 0


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_a_postgresql_of_its_own_is_restarted_and_removed(tmp_path: Path) -> None:
    """Seed 59 crashes it in its first night, in which a page takes all memory too."""
    assert storm_of(59, 1, 3).restart is True
    assert storm_of(59, 1, 3).greedy is not None

    ended = chaos(tmp_path, "--nights", "1", "--seed", "59", "--competitors", "4", "--json", "--postgres", "own")

    assert ended.returncode == 0, ended.stderr
    figures = json.loads(ended.stdout)
    assert (figures["resumption_success"], figures["completion_rate"]) == (1.0, 1.0)
    assert (figures["duplicate_actions"], figures["lost_observations"]) == (0, 0)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--postgres", "postgresql://u@h/d"), "belong together"),
        (("--postgres", "mysql://h/d", "--redis", "redis://h/0"), "or own for a server that chaos starts itself"),
    ],
)
def test_what_cannot_be_meant_is_refused(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    refused = chaos(tmp_path, "--nights", "1", *words)

    assert refused.returncode == 2
    assert said in " ".join(refused.stderr.split())


@pytest.mark.slow
def test_a_configured_database_is_refused(tmp_path: Path) -> None:
    """Whatever the environment names is somebody's."""
    database = tmp_path / "ours.sqlite3"

    refused = chaos(tmp_path, "--nights", "1", "--json", MONITOR_DATABASE_URL=f"sqlite:///{database}")

    assert refused.returncode == 2
    assert "MONITOR_DATABASE_URL" in refused.stderr
    assert refused.stdout == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_database_that_is_somebodys_is_refused(postgres_url: str, redis_url: str, tmp_path: Path) -> None:
    """It has our tables and no run of chaos, so it is about to be used for real."""
    migrate(postgres_url)

    refused = chaos(tmp_path, "--nights", "1", "--postgres", postgres_url, "--redis", redis_url)

    assert refused.returncode == 2
    assert "not left by `monitor chaos`" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_broker_that_is_somebodys_is_refused(postgres_url: str, redis_url: str) -> None:
    """Chaos makes it forget messages. What chaos itself left is no reason to refuse it."""
    with redis.Redis.from_url(redis_url) as broker:
        broker.lpush("dramatiq:jobs", "a message of somebody's night")
        with pytest.raises(Misconfigured, match=r"not left by `monitor chaos`.*Nothing was touched"):
            prepare_throwaway(postgres_url, redis_url)
        assert broker.llen("dramatiq:jobs") == 1
        store = SqlStore(postgres_url, SystemClock())
        assert names_of_tables(store) == frozenset()
        store.close()

        broker.flushdb()
        prepare_throwaway(postgres_url, redis_url)
        broker.lpush("dramatiq:jobs", "what an interrupted chaos run left")
        assert mark(redis_url, BROKER_MARK)


def test_a_seed_draws_the_same_storm_again() -> None:
    """So that a failure can be looked at."""
    assert storm_of(5, 3, 3) == storm_of(5, 3, 3)
    assert storm_of(5, 3, 3) != storm_of(6, 3, 3)


def test_the_verdict_names_everything_that_went_wrong() -> None:
    """A night without a report, a job nobody took up, a lost reading, a price and a mail that came twice."""
    good = Ended("chaos-0001", True, 3, (0.5, 1.5), ())
    bad = Ended("chaos-0002", False, 2, (None, 0.7), ("rival-01/A: no reading, the shop showed 9.95",))
    told = Told(Counter({(1, 1): 1, (2, 1): 2}), Counter({"<a@b>": 3}), ("A is still unknown",))

    figures = figures_of(1, [good, bad], told)

    assert (figures.kills, figures.resumed, figures.resumption_success) == (5, 3, 0.75)
    assert (figures.duplicate_actions, figures.lost_observations, figures.completion_rate) == (3, 1, 0.5)
    assert (figures.time_to_resume_p50_s, figures.time_to_resume_p95_s) == (0.7, 1.5)
    assert len(list(complaints([good, bad], told))) == 6


@pytest.mark.parametrize(
    ("calls_used", "deaths_to_come", "is_spared"), [(8, 0, False), (9, 0, True), (6, 2, False), (7, 2, True)]
)
def test_no_job_is_killed_until_its_budget_is_too_small_for_its_pages(
    calls_used: int, deaths_to_come: int, is_spared: bool
) -> None:
    """On a slow machine nine kills at one step spent the budget, and what was rightly skipped was called lost."""
    at = datetime(2026, 11, 30, 1, tzinfo=UTC)
    kind, state = JobKind.COMPETITOR, JobState.RUNNING
    job = Job(1, "run", kind, "rival-01", state, 1, 2, calls_used, 12, 0, 1, "w", at, at, None, at, None)
    synthesis = replace(job, key="", calls_used=12)

    assert would_starve([job, synthesis], 3, deaths_to_come=deaths_to_come) is is_spared

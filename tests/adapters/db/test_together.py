"""Steps of several threads in one commit of SQLite."""

import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from monitor.adapters.db.migrate import migrate
from monitor.adapters.db.store import SqlStore, SqlUnit
from monitor.adapters.db.together import MOST_TOGETHER
from monitor.adapters.db.turn import Turn
from monitor.errors import StoreUnavailable
from tests.core_scene import SetClock

NOW = datetime(2026, 11, 29, 8, tzinfo=UTC)


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[SqlStore]:
    url = f"sqlite:///{tmp_path}/monitor.sqlite3"
    migrate(url)
    store = SqlStore(url, SetClock(NOW))
    yield store
    store.close()


@pytest.fixture
def commits(sqlite: SqlStore, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """What was committed: how many facts each commit left."""
    commit: Callable[[Any], None] = sqlite.writer.dialect.do_commit
    seen: list[int] = []

    def counted(connection: Any) -> None:
        commit(connection)
        seen.append(len(kept(sqlite)))

    monkeypatch.setattr(sqlite.writer.dialect, "do_commit", counted)
    return seen


def kept(store: SqlStore) -> dict[str, Any]:
    with store.read() as unit:
        return unit.shops.facts("acme")


def in_line(store: SqlStore, steps: list[Callable[[SqlUnit], None]]) -> list[str]:
    """Let the steps stand in line behind a transaction, each in a thread, and return how each ended."""
    told: list[str] = ["" for _ in steps]

    def make(at: int) -> None:
        try:
            with store.write(joint=True) as unit:
                steps[at](unit)
            told[at] = "kept" if f"step {at}" in kept(store) else "told too early"
        except Exception as error:
            told[at] = type(error).__name__

    threads = [threading.Thread(target=make, args=(at,)) for at in range(len(steps))]
    assert store._turn is not None
    with store._turn.taken():
        for standing, thread in enumerate(threads, start=1):
            thread.start()
            while len(store._turn._waiting) < standing:
                time.sleep(0.001)
    for thread in threads:
        thread.join(10)
    return told


def learning(at: int) -> Callable[[SqlUnit], None]:
    """Return a step whose statements go to the driver, or every third through SQLAlchemy too."""

    def step(unit: SqlUnit) -> None:
        unit.shops.learn("acme", f"step {at}", at)
        if at % 3 == 0:
            unit.shops.cool(f"host {at}", NOW + timedelta(days=365), "busy")

    return step


def raising(unit: SqlUnit) -> None:
    unit.shops.learn("acme", "of the one that failed", 1)
    raise ZeroDivisionError


def refused(unit: SqlUnit) -> None:
    unit.shops.learn("acme", "of the one that was refused", 1)
    unit.tx.connection.execute(text("INSERT INTO facts (competitor) VALUES ('acme')"))


def test_steps_that_stand_in_line_are_committed_together_and_told_when_they_are(
    sqlite: SqlStore, commits: list[int]
) -> None:
    assert in_line(sqlite, [learning(at) for at in range(MOST_TOGETHER + 4)]) == ["kept"] * (MOST_TOGETHER + 4)
    assert commits == [MOST_TOGETHER, MOST_TOGETHER + 4]


@pytest.mark.parametrize(("failing", "error"), [(raising, ZeroDivisionError), (refused, IntegrityError)])
def test_a_step_that_fails_undoes_itself_only(
    sqlite: SqlStore, commits: list[int], failing: Callable[[SqlUnit], None], error: type[Exception]
) -> None:
    steps = [learning(at) for at in range(8)]
    steps[3] = failing

    told = in_line(sqlite, steps)

    assert [words for words in told if words != "kept"] == [error.__name__]
    assert told[3] == error.__name__
    assert sorted(kept(sqlite)) == [f"step {at}" for at in range(8) if at != 3]
    assert len(commits) <= 2


def test_all_steps_of_a_commit_that_fails_are_told_and_can_be_made_again(
    sqlite: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_connection: object) -> None:
        raise sqlite.writer.dialect.loaded_dbapi.OperationalError("disk I/O error")

    with monkeypatch.context() as while_broken:
        while_broken.setattr(sqlite.writer.dialect, "do_commit", broken)
        assert in_line(sqlite, [learning(1) for _ in range(5)]) == [StoreUnavailable.__name__] * 5
    assert kept(sqlite) == {}

    assert in_line(sqlite, [learning(at) for at in range(5)]) == ["kept"] * 5


def test_steps_are_lost_together_when_the_database_rolls_back_below_one_of_them(sqlite: SqlStore) -> None:
    def losing(unit: SqlUnit) -> None:
        assert unit.tx.sqlite is not None
        unit.tx.sqlite.execute("ROLLBACK")  # as SQLite does by itself when its disk is full
        raise ZeroDivisionError

    steps = [learning(at) for at in range(8)]
    steps[7] = losing

    told = in_line(sqlite, steps)  # in whatever order they get their turn

    assert told[7] == "ZeroDivisionError"
    assert set(told[:7]) <= {"kept", "StoreUnavailable"}
    assert sorted(kept(sqlite)) == [f"step {at}" for at, words in enumerate(told) if words == "kept"]


def test_any_other_transaction_ends_the_open_one_first(sqlite: SqlStore, commits: list[int]) -> None:
    def other() -> None:
        with sqlite.write() as unit:
            unit.shops.learn("acme", "other", 1)

    beside = threading.Thread(target=other)
    with sqlite.write(joint=True) as unit:
        unit.shops.learn("acme", "step", 1)
        beside.start()
        assert sqlite._turn is not None
        while not sqlite._turn.is_awaited:
            time.sleep(0.001)
    beside.join(10)

    assert commits == [1, 2]


def test_a_step_commits_itself_when_whoever_stood_in_line_went_away(
    sqlite: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Turn, "is_awaited", True)

    with sqlite.write(joint=True) as unit:
        unit.shops.learn("acme", "step", 1)

    assert kept(sqlite) == {"step": 1}

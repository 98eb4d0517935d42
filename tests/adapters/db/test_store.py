"""Opening transactions, on both databases."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from monitor.adapters.db.block import NestedWrite
from monitor.adapters.db.store import SqlStore, SqlUnit, StoreDamaged
from monitor.domain.message import Alert, AlertKind
from monitor.domain.run import JobState
from monitor.durable import Ending
from monitor.errors import CannotSucceed, Misconfigured, StoreUnavailable
from tests.core_scene import Counter, Counting, SetClock, begun, job_of, opened, steps_of, worked
from tests.servers import PostgresServer

NOW = datetime(2026, 11, 29, 8, tzinfo=UTC)


def test_a_write_inside_a_write_is_refused_at_once_and_leaves_nothing(store: SqlStore) -> None:
    """On SQLite the inner one waited half a minute for the outer one and blamed the database."""

    def nested() -> None:
        with store.write() as unit:
            unit.workers.register("w", "test", "host", 1)
            with store.write():
                pytest.fail("it was opened")

    with pytest.raises(NestedWrite, match="Pass the open unit on"):
        nested()

    with store.write() as unit:
        assert unit.workers.all() == ()


def test_a_read_inside_a_write_sees_what_was_there_before(store: SqlStore) -> None:
    with store.write() as unit:
        unit.workers.register("w", "test", "host", 1)
        with store.read() as other:
            assert other.workers.all() == ()


def test_two_stores_may_be_written_one_inside_the_other(store: SqlStore, tmp_path: object) -> None:
    """As the demo does with its own database beside the shop's; only the same store waits for itself."""
    other = SqlStore(f"sqlite:///{tmp_path}/other.sqlite3", store._clock)
    with store.write(), other.write() as unit:
        assert unit.tx.connection.dialect.name == "sqlite"
    other.close()


def test_a_store_can_be_written_again_after_a_block_that_failed(store: SqlStore) -> None:
    with pytest.raises(ZeroDivisionError), store.write():
        raise ZeroDivisionError

    assert begun(store).open_jobs == 1


def test_a_line_that_was_cut_is_noticed_before_the_leases_end(postgres: PostgresServer, migrated_postgres: str) -> None:
    """Whether we wait for an answer (keepalives) or the server for ours (the user timeout), both in less than 15 s."""
    with postgres.database(migrated_postgres) as url:
        store = opened(url)
        with store.read() as unit:
            told = unit.tx.connection.connection.dbapi_connection.info.get_parameters()
        store.close()

    assert int(told["keepalives_idle"]) + int(told["keepalives_interval"]) * int(told["keepalives_count"]) < 15
    assert int(told["tcp_user_timeout"]) < 15_000


def test_a_database_that_was_made_read_only_is_away_and_nothing_else(
    postgres: PostgresServer, migrated_postgres: str
) -> None:
    """As after a failover to a standby; the night waits for it like for one that is down."""
    with postgres.database(migrated_postgres) as url:
        store = opened(url)
        with store.writer.begin() as connection:
            name = connection.exec_driver_sql("SELECT current_database()").scalar_one()
            connection.exec_driver_sql(f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
        store.close()

        with pytest.raises(StoreUnavailable, match="read-only"):
            begun(store)
        store.close()


@pytest.mark.parametrize("text", ["a\x00b", "half \ud83d of a smile", "\udcff"])
def test_what_a_page_says_is_stored_whatever_it_contains(store: SqlStore, text: str) -> None:
    """PostgreSQL refuses NUL and both refuse lone halves: one such page ended the job of its whole shop."""
    run = begun(store)

    def say(_n: int) -> None:
        raise CannotSucceed(text)

    assert worked(store, job_of(store, run), Counting(steps=1), Counter(during=say)) is Ending.ENDED
    with store.write() as unit:
        unit.alerts.raise_once(Alert(text, AlertKind.JOB, run.id, text, unit.now))
        unit.effects.claim("k", {"said": text}, "me", timedelta(minutes=1), repeatable=True)

    (step,) = steps_of(store, run)
    assert step.error == text.translate({0: "\ufffd", 0xD83D: "\ufffd", 0xDCFF: "\ufffd"})
    assert job_of(store, run).state is JobState.DONE


def test_a_file_that_is_no_database_is_named_and_left_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "monitor.toml"
    file.write_text("[night]\n" * 200)
    store = SqlStore(f"sqlite:///{file}", SetClock(NOW))
    with pytest.raises(StoreDamaged, match=r"monitor\.toml cannot be used as the database: file is not a database"):
        store.ping()
    store.close()
    assert file.read_text() == "[night]\n" * 200


def test_a_database_whose_file_may_not_grow_says_what_to_do(tmp_path: Path) -> None:
    store = SqlStore(f"sqlite:///{tmp_path}/monitor.sqlite3", SetClock(NOW))
    with store.write() as unit:
        unit.tx.connection.exec_driver_sql("CREATE TABLE t (x TEXT)")
        unit.tx.connection.exec_driver_sql("PRAGMA max_page_count = 3")
    with pytest.raises(StoreUnavailable) as full, store.write() as unit:
        unit.tx.connection.exec_driver_sql("INSERT INTO t VALUES (?)", ("x" * 100_000,))
    store.close()
    assert "takes nothing (database or disk is full); nothing of this transaction was kept" in str(full.value)
    assert "make room on its disk" in str(full.value)


def test_a_file_that_is_moved_while_it_is_open_takes_nothing_until_it_is_back(tmp_path: Path) -> None:
    """The system would let us go on in a file without a name, and all of it would be lost with the last connection."""
    file, away = tmp_path / "monitor.sqlite3", tmp_path / "away.sqlite3"
    store = SqlStore(f"sqlite:///{file}", SetClock(NOW))
    with store.write() as unit:
        unit.tx.connection.exec_driver_sql("CREATE TABLE t (x TEXT)")
    store.ping()
    file.rename(away)
    for opened_again in (store.read, store.write):
        with pytest.raises(StoreUnavailable, match="was moved or deleted while it was open"), opened_again():
            pytest.fail("it was opened")
    file.touch()
    with pytest.raises(StoreUnavailable, match="was replaced by another file"), store.write():
        pytest.fail("it was opened")
    away.rename(file)
    with store.write() as unit:
        unit.tx.connection.exec_driver_sql("INSERT INTO t VALUES ('kept')")
    store.close()


def test_no_new_database_is_made_where_the_journal_of_one_lies(tmp_path: Path) -> None:
    """SQLite removes it then, and the newest changes with it, under the feet of whoever has it open."""
    file, away = tmp_path / "monitor.sqlite3", tmp_path / "away.sqlite3"
    first, second = (SqlStore(f"sqlite:///{file}", SetClock(NOW)) for _ in range(2))
    with first.write() as unit:
        unit.tx.connection.exec_driver_sql("CREATE TABLE t (x TEXT)")
    file.rename(away)
    with pytest.raises(StoreUnavailable, match=r"is missing, but its journal monitor\.sqlite3-wal is there"):
        second.ping()
    assert not file.exists()
    away.rename(file)
    with second.read() as unit:
        assert unit.tx.connection.exec_driver_sql("SELECT * FROM t").all() == []
    first.close()
    second.close()


def test_a_directory_that_cannot_be_made_is_named_with_its_key(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Misconfigured, match=r"its directory cannot be made .*storage\.path in monitor\.toml"):
        SqlStore(f"sqlite:///{tmp_path}/file/monitor.sqlite3", SetClock(NOW))


@pytest.mark.parametrize("ways", [("prepared",), ("core",), ("prepared", "core"), ("core", "prepared", "core")])
def test_a_block_is_one_transaction_whatever_its_statements_go_through(store: SqlStore, ways: tuple[str, ...]) -> None:
    """Prepared ones go to SQLite's driver, the others through SQLAlchemy, which must join and not begin another."""

    def write(unit: SqlUnit) -> None:
        for at, way in enumerate(ways):
            if way == "prepared":
                unit.shops.learn("acme", f"fact {at}", at)
            else:
                unit.shops.cool(f"host {at}", NOW + timedelta(days=365), "busy")

    def kept() -> list[bool]:
        with store.read() as unit:
            facts, hosts = unit.shops.facts("acme"), [unit.shops.cooling(f"host {at}") for at in range(len(ways))]
        return [f"fact {at}" in facts or hosts[at] is not None for at in range(len(ways))]

    def fail(unit: SqlUnit) -> None:
        write(unit)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), store.write() as unit:
        fail(unit)
    assert not any(kept())

    with store.write() as unit:
        write(unit)
    assert all(kept())


def test_a_part_of_a_block_can_be_taken_back_alone(store: SqlStore) -> None:
    def fail(unit: SqlUnit) -> None:
        unit.shops.learn("acme", "within", 2)
        raise ZeroDivisionError

    with store.write() as unit:
        unit.shops.learn("acme", "before", 1)
        with pytest.raises(ZeroDivisionError), unit.tx.connection.begin_nested():
            fail(unit)
        unit.shops.learn("acme", "after", 3)

    with store.read() as unit:
        assert unit.shops.facts("acme") == {"before": 1, "after": 3}


def test_a_block_that_another_program_keeps_waiting_says_so_and_the_next_one_works(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/monitor.sqlite3"
    store, other = opened(url), SqlStore(url, SetClock(NOW))
    with store.write() as unit:
        unit.tx.connection.exec_driver_sql("PRAGMA busy_timeout = 1")  # its connection is kept
    with other.write(), pytest.raises(StoreUnavailable, match="database is locked"), store.write():
        pass
    with store.write() as unit:
        assert unit.tx.run(text("SELECT 1")).scalar_one() == 1
    store.close()
    other.close()

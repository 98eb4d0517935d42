"""Migrations build exactly what the code expects, once, whoever else is starting up."""

import multiprocessing

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import DatabaseError

from monitor.adapters.db.engines import engine_for_changes
from monitor.adapters.db.migrate import _config, current, head, migrate
from monitor.adapters.db.schema import metadata
from monitor.errors import Misconfigured, MonitorError, StoreUnavailable


def _shape(connection: Connection) -> dict[str, object]:
    """What a database says of itself: columns, keys, uniqueness and indexes of every table."""
    seen = inspect(connection)
    return {
        table: (
            [(c["name"], str(c["type"]), c["nullable"]) for c in seen.get_columns(table)],
            seen.get_pk_constraint(table)["constrained_columns"],
            sorted((u["name"] or "", tuple(u["column_names"])) for u in seen.get_unique_constraints(table)),
            sorted((i["name"] or "", str(i["column_names"]), bool(i["unique"])) for i in seen.get_indexes(table)),
            sorted((f["name"] or "", f["referred_table"]) for f in seen.get_foreign_keys(table)),
        )
        for table in sorted(metadata.tables)
    }


def test_a_migrated_database_is_what_the_code_expects(database_url):
    migrate(database_url)

    engine = engine_for_changes(database_url)
    with engine.begin() as connection:
        missing = compare_metadata(MigrationContext.configure(connection), metadata)
        migrated = _shape(connection)
        connection.exec_driver_sql("DROP TABLE alembic_version")
    assert missing == []
    with engine.begin() as connection:
        for table in reversed(metadata.sorted_tables):
            connection.exec_driver_sql(f"DROP TABLE {table.name}")
        metadata.create_all(connection)
        assert migrated == _shape(connection)
    engine.dispose()


def test_the_partial_indexes_keep_their_conditions(database_url):
    """Neither comparison above looks at them, and they are what makes a write the only live one."""
    migrate(database_url)
    catalogue = "pg_indexes" if database_url.startswith("postgresql") else "sqlite_master"
    shown = "indexdef, indexname" if catalogue == "pg_indexes" else "sql, name"

    engine = engine_for_changes(database_url)
    with engine.begin() as connection:
        rows = connection.execute(text(f"SELECT {shown} FROM {catalogue}")).all()
    engine.dispose()

    conditions = {row[1]: row[0].partition("WHERE")[2] for row in rows if row[0]}
    for state in ("queued", "claimed", "calling", "unknown", "dry_run"):
        assert f"'{state}'" in conditions["uq_writes_live"]
    assert "'waiting'" not in conditions["uq_writes_live"]
    assert "'approve'" in conditions["uq_decisions_live"]
    assert "'reject'" in conditions["uq_decisions_live"]


def test_migrating_again_changes_nothing(database_url):
    assert current(database_url) is None
    assert migrate(database_url) == (None, head())
    assert migrate(database_url) == (head(), head())
    assert current(database_url) == head()


@pytest.mark.parametrize("statement", ["UPDATE decisions SET reason = 'other'", "DELETE FROM decisions"])
def test_the_migrated_database_refuses_to_change_a_decision(database_url, statement):
    migrate(database_url)
    engine = engine_for_changes(database_url)
    with engine.begin() as connection:
        _insert_a_decision(connection)

    with pytest.raises(DatabaseError, match="append-only"), engine.begin() as connection:
        connection.exec_driver_sql(statement)

    with engine.begin() as connection:
        assert connection.execute(text("SELECT reason FROM decisions")).scalars().all() == ["as it was"]
    engine.dispose()


def _insert_a_decision(connection: Connection) -> None:
    connection.exec_driver_sql(
        "INSERT INTO runs (id, schedule, local_date, zone, state, due_at, deadline_at, partial, open_jobs, origin,"
        " catalogue_hash, settings_hash, token_cap, tokens_used, tokens_reserved, started_at)"
        " VALUES ('r', 's', '2026-11-29', 'UTC', 'reported', 0, 0, FALSE, 0, 'test', '', '', 0, 0, 0, 0)"
    )
    connection.exec_driver_sql(
        "INSERT INTO actions (id, key, run_id, channel, sku, version, state, content_hash, title, currency, old_price,"
        " new_price, rule_id, words, facts, expires_at, created_at)"
        " VALUES (1, 'k', 'r', 'shop', 'A', 1, 'approved', '', '', 'EUR', 1, 1, '', '', '{}', 0, 0)"
    )
    connection.exec_driver_sql(
        "INSERT INTO decisions (action_id, version, verb, actor_kind, actor_name, reason, figures, batch, decided_at)"
        " VALUES (1, 1, 'approve', 'cli', 'anna', 'as it was', '{}', 'b', 0)"
    )


def test_a_database_of_a_newer_program_is_refused_and_left_alone(database_url):
    migrate(database_url)
    engine = engine_for_changes(database_url)
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    engine.dispose()

    with pytest.raises(Misconfigured, match=r"revision '9999', which this version of the program does not know"):
        migrate(database_url)

    assert current(database_url) == "9999"


def test_a_script_that_fails_leaves_nothing_behind(database_url):
    """Both databases roll back DDL; half a schema could not be migrated again."""
    engine = engine_for_changes(database_url)
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE writes (mine INTEGER)")

    with pytest.raises(StoreUnavailable if "sqlite" in database_url else DatabaseError, match="already exists"):
        migrate(database_url)

    with engine.begin() as connection:
        assert set(inspect(connection).get_table_names()) == {"writes"}
    engine.dispose()


def test_a_downgrade_leaves_an_empty_database(database_url):
    migrate(database_url)
    engine = engine_for_changes(database_url)
    config = _config()
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "base")

    with engine.begin() as connection:
        assert set(inspect(connection).get_table_names()) == {"alembic_version"}
    engine.dispose()


def test_an_unreachable_database_is_said_without_its_password():
    url = "postgresql+psycopg://monitor:hunter2@127.0.0.1:1/monitor"

    with pytest.raises(StoreUnavailable, match="could not be migrated") as raised:
        migrate(url)

    assert "hunter2" not in str(raised.value)


@pytest.mark.slow
def test_processes_that_start_at_once_migrate_once(database_url):
    fork = multiprocessing.get_context("fork")  # a fresh interpreter would spend its start importing, not racing
    gate, results = fork.Barrier(4), fork.Queue()
    starting = [fork.Process(target=_start, args=(database_url, gate, results)) for _ in range(4)]
    for process in starting:
        process.start()
    said = [results.get(timeout=60) for _ in starting]
    for process in starting:
        process.join(timeout=60)

    assert sorted(said) == sorted([str((None, head())), *[str((head(), head()))] * 3])


def _start(url, gate, results):
    gate.wait(timeout=60)
    try:
        results.put(str(migrate(url)))
    except MonitorError as failed:
        results.put(repr(failed))

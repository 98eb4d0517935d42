"""A worker's death is seen at once, and a living one is never taken for dead; with real processes."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from monitor.adapters.db.store import SqlStore
from monitor.adapters.liveness import AdvisoryLocks, FileLocks, OneWorker
from monitor.domain.run import JobState
from monitor.errors import Misconfigured, StoreUnavailable
from monitor.flow.sweep import recover_dead
from tests.core_scene import begun, job_of, opened

#: How long a test waits for what takes milliseconds.
PATIENCE_S = 20.0
#: A lease that ends long after every test, so that only the death can free the job.
SHORT_OF_FOREVER = timedelta(hours=1)

#: Another process that holds what it is told and then only lives.
HOLDER = """
import sys, time
from datetime import timedelta
from pathlib import Path
from monitor.adapters.db.store import SqlStore
from monitor.adapters.clock import SystemClock
from monitor.adapters.liveness import AdvisoryLocks, FileLocks, OneWorker
kind, where, name = sys.argv[1:]
if kind == "one":
    lock = OneWorker(Path(where))
    lock.take()
else:
    lock = FileLocks(Path(where)) if kind == "file" else AdvisoryLocks(SqlStore(where, SystemClock()).writer)
    lock.hold(name)
print("held", flush=True)
time.sleep(120)
"""


@contextmanager
def another_process(kind: str, where: str, name: str = "theirs") -> Iterator[subprocess.Popen[str]]:
    """Let another process hold a lock while the block runs."""
    command = [sys.executable, "-c", HOLDER, kind, where, name]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "held\n"
            yield process
        finally:
            process.kill()


def killed(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait(PATIENCE_S)


def is_soon_dead(locks: FileLocks | AdvisoryLocks, name: str = "theirs") -> bool:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if locks.is_dead(name):
            return True
        time.sleep(0.01)
    return False


@pytest.fixture(params=["file", "postgresql"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def store(kind: str, request: pytest.FixtureRequest) -> Iterator[SqlStore]:
    if kind == "file":
        made = opened(request.getfixturevalue("own_sqlite_url"))
        yield made
        made.close()
        return
    template = request.getfixturevalue("migrated_postgres")
    with request.getfixturevalue("postgres").lent(template) as url:
        made = opened(url)
        yield made
        made.close()


@pytest.fixture
def where(kind: str, store: SqlStore, tmp_path: Path) -> str:
    return str(tmp_path / "locks") if kind == "file" else store.url.render_as_string(hide_password=False)


@pytest.fixture
def locks(kind: str, store: SqlStore, where: str) -> FileLocks | AdvisoryLocks:
    return FileLocks(Path(where)) if kind == "file" else AdvisoryLocks(store.writer)


@pytest.mark.slow
def test_a_killed_process_is_seen_dead_and_its_job_goes_to_another(
    kind: str, where: str, store: SqlStore, locks: FileLocks | AdvisoryLocks
) -> None:
    run = begun(store)
    locks.hold("me")
    with another_process(kind, where) as process:
        with store.write() as unit:
            unit.workers.register("theirs", "worker", "host", process.pid)
            unit.workers.register("me", "worker", "host", os.getpid())
        job_id = job_of(store, run).id
        with store.write() as unit:
            assert unit.jobs.claim(job_id, "theirs", SHORT_OF_FOREVER) is not None
        assert recover_dead(store, locks, "me") == ()

        killed(process)

        assert is_soon_dead(locks)
        assert recover_dead(store, locks, "me") == (job_id,)
    assert job_of(store, run).state is JobState.QUEUED
    with store.read() as unit:
        assert [row.id for row in unit.workers.all()] == ["me"]
    locks.forget("me")


@pytest.mark.slow
def test_a_stopped_process_is_not_dead(kind: str, where: str, locks: FileLocks | AdvisoryLocks) -> None:
    """SIGSTOP frees no lock; for such a process the lease decides."""
    with another_process(kind, where) as process:
        process.send_signal(signal.SIGSTOP)
        assert not locks.is_dead("theirs")
        process.send_signal(signal.SIGCONT)


def test_we_hold_our_own_lock_until_we_let_go(
    kind: str, where: str, store: SqlStore, locks: FileLocks | AdvisoryLocks
) -> None:
    other = FileLocks(Path(where)) if kind == "file" else AdvisoryLocks(store.writer)
    assert not locks.is_held_by_us("me")
    locks.hold("me")
    locks.hold("me")  # again changes nothing, and does not wait for itself

    assert locks.is_held_by_us("me")
    assert not locks.is_dead("me")
    assert not other.is_dead("me")
    assert not other.is_held_by_us("me")

    locks.forget("me")
    locks.forget("me")

    assert not locks.is_held_by_us("me")
    assert other.is_dead("me")


def test_whoever_never_lived_is_dead(locks: FileLocks | AdvisoryLocks) -> None:
    assert locks.is_dead("nobody")
    locks.forget("nobody")


def test_a_broken_connection_loses_the_lock_and_a_new_one_takes_it_again(postgres_url: str) -> None:
    store = opened(postgres_url)
    locks = AdvisoryLocks(store.writer)
    locks.hold("me")
    with store.writer.begin() as connection:
        connection.exec_driver_sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
            "AND pid <> pg_backend_pid()"
        )

    assert not locks.is_held_by_us("me")
    locks.hold("me")
    assert locks.is_held_by_us("me")
    locks.forget("me")
    store.close()


def test_a_database_that_is_away_is_our_error_and_no_death(tmp_path: Path) -> None:
    store = SqlStore(f"postgresql+psycopg://nobody@/none?host={tmp_path}", opened(f"sqlite:///{tmp_path}/x")._clock)
    locks = AdvisoryLocks(store.writer)

    with pytest.raises(StoreUnavailable):
        locks.is_dead("theirs")
    with pytest.raises(StoreUnavailable):
        locks.hold("me")
    assert not locks.is_held_by_us("me")


@pytest.mark.slow
def test_a_second_working_process_is_refused_by_name_until_the_first_is_gone(tmp_path: Path) -> None:
    database = tmp_path / "monitor.sqlite3"
    ours = OneWorker(database)
    with another_process("one", str(database)) as process:
        with pytest.raises(Misconfigured) as refused:
            ours.take()
        assert f"pid {process.pid}" in str(refused.value)
        assert str(database) in str(refused.value)
        killed(process)

        ours.take()
    ours.release()
    ours.release()
    again = OneWorker(database)
    again.take()
    again.release()

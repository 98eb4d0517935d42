"""Servers and disks that go away for a whole night: it ends all the same, with every reading right and once."""

import ctypes
import os
import resource
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from monitor.adapters.db.migrate import migrate
from monitor.adapters.db.store import SqlStore
from monitor.chaos.night import Ended, StormyNight
from monitor.chaos.postgres import OwnPostgres, short_tmp
from monitor.chaos.run import CALM, Wanted, scene_of
from monitor.chaos.storm import Storm, Timeline
from monitor.errors import StoreUnavailable
from tests.acceptance.programs import Place, last_night, place_for, until
from tests.acceptance.test_distributed import OwnServers, own_servers
from tests.chaos.outcome import with_store
from tests.market import Market
from tests.servers import PostgresServer, valkey_server

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]


@contextmanager
def again_and_again(act: Callable[[], None], every_s: float) -> Iterator[list[float]]:
    """Do something every so many seconds while the block runs; yields when it was done."""
    done: list[float] = []
    is_over = threading.Event()

    def repeat() -> None:
        while not is_over.wait(every_s):
            act()
            done.append(time.monotonic())

    thread = threading.Thread(target=repeat)
    thread.start()
    try:
        yield done
    finally:
        is_over.set()
        thread.join()


def a_night(
    home: Path, environ: dict[str, str], competitors: int = 12, storm: Storm = CALM, timeline: Timeline | None = None
) -> tuple[Ended, float]:
    """Run one night on two or more workers and return what it came to, with how long it took until all were judged."""
    home.mkdir()
    began = time.monotonic()
    with scene_of(Wanted(1, 1, competitors), home, environ, timeline or Timeline()) as (scene, _shop, _mail):
        return StormyNight(scene, 1, storm, patience_s=300).run(), time.monotonic() - began


def test_without_redis_a_night_ends_hardly_later_than_with_it(postgres: PostgresServer, tmp_path: Path) -> None:
    """Nothing listens on its port from the first minute to the report."""
    took = {}
    with valkey_server() as gone:
        nobody = f"{gone.connection_url}/0"
    with valkey_server() as valkey:
        urls = {"with": f"{valkey.connection_url}/0", "without": nobody}
        for name, url in urls.items():
            with postgres.database() as database:
                migrate(database)
                environ = {"MONITOR_DATABASE_URL": database, "MONITOR_REDIS_URL": url}
                ended, took[name] = a_night(tmp_path / name, environ)
            assert ended.is_complete, name
            assert ended.lost == ()
    print(f"\nwith Redis {took['with']:.1f} s, without {took['without']:.1f} s")
    assert took["without"] <= took["with"] + 60


def test_a_night_ends_although_redis_is_flushed_all_the_time(postgres_url: str, redis_url: str, tmp_path: Path) -> None:
    """Every message that waits is lost twice a second."""
    migrate(postgres_url)

    def flush() -> None:
        import redis

        with redis.Redis.from_url(redis_url) as client:
            client.flushall()

    with again_and_again(flush, 0.5) as flushed:
        ended, took = a_night(
            tmp_path / "night", {"MONITOR_DATABASE_URL": postgres_url, "MONITOR_REDIS_URL": redis_url}
        )

    print(f"\nended after {took:.1f} s, {len(flushed)} flushes")
    assert ended.is_complete
    assert ended.lost == ()
    assert len(flushed) > 3


def test_two_hundred_jobs_end_right_although_postgresql_is_restarted_every_five_seconds(tmp_path: Path) -> None:
    """Whoever is connected is cut off; calls under way are made again, and every reading is there once."""
    with own_servers() as own:
        migrate(own.database_url)

        def restart() -> None:
            if with_store(own.database_url, _has_begun):
                own.restart_postgres()

        with again_and_again(restart, 5) as restarts:
            ended, took = a_night(tmp_path / "night", _environ(own), competitors=200)

    print(f"\n200 jobs ended after {took:.1f} s, {len(restarts)} restarts of PostgreSQL")
    assert ended.is_complete
    assert ended.lost == ()
    assert len(restarts) >= 1


def test_a_page_that_takes_all_memory_costs_two_processes_and_one_watch(tmp_path: Path) -> None:
    """Its first two readers are killed; the third reads it alone, under a limit, and every other watch is read."""
    timeline = Timeline()

    ended, _ = a_night(tmp_path / "night", {}, 3, replace(CALM, greedy=0.5), timeline)

    assert ended.is_complete, timeline.lines
    assert ended.lost == (), timeline.lines
    assert ended.kills == 2, timeline.lines
    assert None not in ended.resumed_after_s
    with closing(sqlite3.connect(tmp_path / "night" / "config" / "var" / "monitor.sqlite3")) as connection:
        told = connection.execute("SELECT outcome, words FROM observations WHERE outcome != 'ok'").fetchall()
    ((outcome, words),) = told
    assert outcome == "failed"
    assert "needed more than 1500 MB of memory" in words


def _has_begun(store: SqlStore) -> bool:
    with store.read() as unit:
        return bool(unit.runs.latest())


def _environ(own: OwnServers) -> dict[str, str]:
    return {"MONITOR_DATABASE_URL": own.database_url, "MONITOR_REDIS_URL": own.redis_url}


@pytest.fixture
def market() -> Iterator[Market]:
    """Three shops of three pages."""
    with Market(shops=3, pages=3) as opened:
        yield opened


@pytest.fixture
def place(market: Market, tmp_path: Path) -> Iterator[Place]:
    """A config directory for that market."""
    with place_for(market, tmp_path) as made:
        yield made


def test_a_full_disk_keeps_no_half_state_and_the_night_goes_on_when_there_is_space(
    market: Market, place: Place
) -> None:
    """The files of the database may not grow any more, which SQLite cannot tell from a disk without space."""
    market.hold_from(2)
    program = place.start("run", "--json")
    market.held(3)
    file = place.config / "var" / "monitor.sqlite3"
    with place.store() as store:
        before = last_night(store)
    full = file.with_name(file.name + "-wal").stat().st_size
    resource.prlimit(program.process.pid, resource.RLIMIT_FSIZE, (full, resource.RLIM_INFINITY))
    market.release()

    until(lambda: program.log.count("store_unavailable") >= 2, beside=program)

    assert "disk" in program.log, "it says what is wrong"
    assert program.is_alive
    with place.store() as store:
        assert last_night(store).jobs == before.jobs
        assert last_night(store).steps == before.steps
    with sqlite3.connect(file) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)

    resource.prlimit(program.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

    assert program.wait() == 0, program.log
    with place.store() as store:
        night = last_night(store)
    assert night.run.state == "reported"
    assert not night.run.partial
    assert sum(count - 1 for count in market.hits.values()) <= 3, "at most the calls under way were made again"


def test_a_read_only_database_is_named_and_left_as_it_is(market: Market, place: Place) -> None:
    """A restored backup with the wrong rights: nothing happens until they are right."""
    market.hold_from(2)
    program = place.start("run")
    market.held(3)
    program.kill()
    market.release()
    file = place.config / "var" / "monitor.sqlite3"
    file.chmod(0o444)
    hits, bytes_before = dict(market.hits), file.read_bytes()

    refused = _run_without_privilege(place)

    assert refused.returncode == 1, refused.stderr
    assert "readonly" in refused.stderr
    assert str(file) in refused.stderr
    assert "Traceback" not in refused.stderr
    assert (dict(market.hits), file.read_bytes()) == (hits, bytes_before)

    file.chmod(0o644)
    facts = place.facts("run")
    assert facts["state"] == "reported"
    assert {watch["outcome"] for watch in facts["watches"]} == {"ok"}


@contextmanager
def small_disk(megabytes: int) -> Iterator[Path]:
    """A file system of its own that is soon full."""
    with tempfile.TemporaryDirectory(prefix="disk-", dir=short_tmp()) as name:
        command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=755", "tmpfs", name]
        mounted = subprocess.run(command, capture_output=True, text=True, check=False)
        if mounted.returncode != 0:
            pytest.skip(f"this user may not mount a small disk to fill up: {mounted.stderr.strip()}")
        try:
            yield Path(name)
        finally:
            subprocess.run(["umount", name], check=True)


def _fill(disk: Path) -> Path:
    """Leave no byte of it, and return what takes the space."""
    ballast = disk / "ballast"
    with suppress(OSError), ballast.open("wb", buffering=0) as file:
        while file.write(bytes(4096)):
            pass
    return ballast


def test_a_full_disk_of_postgresql_ends_no_worker_and_loses_nothing(redis_url: str, tmp_path: Path) -> None:
    """Its own log may not be written either, so that it may fall; then its supervisor starts it again."""
    log = tmp_path / "night" / "workers.log"
    with small_disk(400) as disk:
        home = disk / "pg"
        home.mkdir()
        server = OwnPostgres(home)
        migrate(server.url)

        def fill_for_a_while() -> None:
            until(lambda: with_store(server.url, _has_begun))
            ballast = _fill(disk)
            until(lambda: "No space left on device" in log.read_text("utf-8"))
            time.sleep(3)
            ballast.unlink()
            if not _answers(server.url):
                server.restart(crash=False, away_s=0)

        try:
            with ThreadPoolExecutor(1) as pool:
                filled = pool.submit(fill_for_a_while)
                environ = {"MONITOR_DATABASE_URL": server.url, "MONITOR_REDIS_URL": redis_url}
                ended, took = a_night(tmp_path / "night", environ, competitors=60)
                filled.result()
        finally:
            server.close()

    print(f"\nended after {took:.1f} s, full in between")
    assert ended.is_complete
    assert ended.kills == 0
    assert ended.lost == ()


def _answers(url: str) -> bool:
    try:
        return with_store(url, _has_begun)
    except StoreUnavailable:
        return False


def _run_without_privilege(place: Place) -> "subprocess.CompletedProcess[str]":
    """Run a night; a privileged user may write to everything, so that privilege is dropped first."""
    return subprocess.run(
        [sys.executable, "-m", "monitor", "run", "--json"],
        cwd=place.home,
        env=place.environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        preexec_fn=_respect_permissions if os.geteuid() == 0 else None,
    )


def _respect_permissions() -> None:
    drop_from_bounding_set, dac_override = 24, 1  # linux/prctl.h, linux/capability.h
    ctypes.CDLL(None).prctl(drop_from_bounding_set, dac_override, 0, 0, 0)

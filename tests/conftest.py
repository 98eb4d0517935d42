"""Servers that any test may ask for; they start when first asked for, once per session and xdist worker.

`database_url` runs a test twice, on a SQLite file and on PostgreSQL: both are supported, so both are tested.
"""

import gc
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from monitor.adapters.db.migrate import migrate
from monitor.adapters.db.store import SqlStore
from tests.compiled import share_compiled_statements
from tests.core_scene import SetClock, opened
from tests.order import in_order, seconds_of
from tests.servers import PostgresServer, SmtpServer, ValkeyServer, postgres_server, valkey_server

# How long an example takes depends on who else uses the machine; hangs are caught by pytest-timeout.
settings.register_profile("no_clock", deadline=None)
settings.load_profile("no_clock")

share_compiled_statements()

# Modules and thousands of collected tests last as long as the session: the collector of cycles need not pass them.
gc.disable()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Set the collector of cycles running, for what the tests themselves leave."""
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)
    gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let the files begin as `tests.order` says where several run at once; `--dist loadfile` heeds it."""
    if not hasattr(config, "workerinput"):
        return
    file_of = {item: item.nodeid.partition("::")[0] for item in items}
    seconds = seconds_of([(file_of[item], item.get_closest_marker("slow") is not None) for item in items])
    place = {file: number for number, file in enumerate(in_order(seconds))}
    items.sort(key=lambda item: place[file_of[item]])


def pytest_make_parametrize_id(val: object) -> str | None:
    """Name packed bytes alike in every process: gzip writes the time into them, and names that differ end the run."""
    return "gzip" if isinstance(val, bytes) and val.startswith(b"\x1f\x8b") else None


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A running PostgreSQL, shared; take `postgres_url` for a database of your own."""
    with postgres_server() as server:
        yield server


@pytest.fixture
def postgres_url(postgres: PostgresServer) -> Iterator[str]:
    """The URL of an empty PostgreSQL database that is dropped after the test."""
    with postgres.database() as url:
        yield url


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """The URL of a SQLite file that does not exist yet."""
    return f"sqlite:///{tmp_path / 'monitor.sqlite3'}"


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    """The URL of an empty database, once for each kind of database that the product supports."""
    url = request.getfixturevalue("sqlite_url" if request.param == "sqlite" else "postgres_url")
    assert isinstance(url, str)
    return url


@pytest.fixture(scope="session")
def valkey() -> Iterator[ValkeyServer]:
    """A running Valkey, shared; take `redis_url` for an empty one."""
    with valkey_server() as server:
        yield server


@pytest.fixture
def redis_url(valkey: ValkeyServer) -> str:
    """The URL of a Valkey that holds nothing. Whoever stops a server starts one of its own."""
    with valkey.client() as client:
        client.flushall()
    return f"{valkey.connection_url}/0"


@pytest.fixture
def smtp() -> Iterator[SmtpServer]:
    """A real SMTP server; `smtp.replies` scripts what it does, `smtp.messages` is what it took."""
    with SmtpServer() as server:
        yield server


@pytest.fixture(scope="session")
def migrated_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file with every table, to be copied."""
    file = tmp_path_factory.mktemp("migrated") / "monitor.sqlite3"
    migrate(f"sqlite:///{file}")
    return file


@pytest.fixture(scope="session")
def migrated_postgres(postgres: PostgresServer) -> Iterator[str]:
    """The name of a PostgreSQL database with every table, to be used as a template."""
    name = postgres.create()
    migrate(postgres.url(name))
    yield name
    postgres.drop(name)


@pytest.fixture
def own_sqlite_url(migrated_sqlite: Path, tmp_path: Path) -> str:
    """The URL of a SQLite file of your own that has every table and no row."""
    file = tmp_path / "monitor.sqlite3"
    shutil.copyfile(migrated_sqlite, file)
    return f"sqlite:///{file}"


@pytest.fixture(params=["sqlite", "postgresql"])
def migrated_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of a database of your own that has every table and no row, once for each kind."""
    if request.param == "sqlite":
        yield request.getfixturevalue("own_sqlite_url")
        return
    template = request.getfixturevalue("migrated_postgres")
    with request.getfixturevalue("postgres").lent(template) as url:
        yield url


@pytest.fixture
def store(migrated_url: str) -> Iterator[SqlStore]:
    """A store with every table and no row, once for each kind of database, on the clock of this machine."""
    made = opened(migrated_url)
    yield made
    made.close()


@pytest.fixture
def clock() -> SetClock:
    """The clock of `timed`."""
    return SetClock()


@pytest.fixture
def timed(own_sqlite_url: str, clock: SetClock) -> Iterator[SqlStore]:
    """A store whose time the test sets."""
    made = opened(own_sqlite_url, clock)
    yield made
    made.close()

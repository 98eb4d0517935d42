"""How connections to SQLite and PostgreSQL are made, and what each is told when it is new.

Both are told to give up soon: a line that was cut, a process that stopped inside a transaction. Losing a connection
costs a retry; waiting on one costs the night.
"""

from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event, make_url

from monitor.adapters.db.place import refuse_half
from monitor.adapters.db.server_clock import checked_when_idle
from monitor.errors import Misconfigured

#: Pages that a reading connection keeps, in kB: there are a dozen of them, and every change makes all it kept void.
_READER_KB = 1000


def engine_for_changes(url: str) -> Engine:
    """Return an engine like the store's own for writing; migrations run on it."""
    return sqlite_engines(url)[0] if make_url(url).get_backend_name() == "sqlite" else postgresql_engine(url)


def sqlite_engines(url: str) -> tuple[Engine, Engine]:
    """Return an engine for changes and one for reading. Raises Misconfigured when there can be no such file."""
    path = make_url(url).database
    if not path or path == ":memory:":
        raise Misconfigured(
            [f"MONITOR_DATABASE_URL {url!r}: name a file, such as sqlite:////var/lib/monitor/monitor.sqlite3"]
        )
    directory = Path(path).parent
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise Misconfigured(
            [
                f"the database {path}: its directory cannot be made ({problem.strerror}). Name another file with "
                "storage.path in monitor.toml, or make the directory yourself"
            ]
        ) from None
    # What a savepoint may have to undo goes to a temporary file otherwise, page by page.
    return _sqlite_engine(url, "BEGIN IMMEDIATE", "temp_store=MEMORY"), _sqlite_engine(
        url, "BEGIN", f"cache_size=-{_READER_KB}"
    )


def _sqlite_engine(url: str, begin: str, *more: str) -> Engine:
    # The connection used last comes first: writers take turns anyway, and a connection that was not used since somebody
    # else's commit has to read its pages again.
    engine = create_engine(url, pool_size=10, max_overflow=40, pool_use_lifo=True, connect_args={"timeout": 30})

    @event.listens_for(engine, "do_connect")
    def look(_dialect: Any, _record: Any, arguments: Any, _named: Any) -> None:
        refuse_half(Path(arguments[0]))

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # pysqlite would open no transaction for a SELECT
        if connection.execute("PRAGMA page_count").fetchone() == (0,):
            # Heeded only before the first table exists, and it would wait for whoever writes.
            connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
        for pragma in (
            "journal_mode=WAL",
            "synchronous=FULL",
            "busy_timeout=30000",
            "foreign_keys=ON",
            *more,
        ):
            connection.execute(f"PRAGMA {pragma}")

    def start(dbapi_connection: Any) -> None:
        if not dbapi_connection.in_transaction:  # else the store has begun one
            dbapi_connection.execute(begin)

    # Not by an event: one listener makes SQLAlchemy look for others at every statement.
    engine.dialect.do_begin = start  # type: ignore[method-assign]
    return engine


#: The server's side of the same: a worker that is stopped, or whose host is lost, in the middle of a transaction would
#: keep its row locks for ever, and the sweep of every other would wait for them. Ours are a few milliseconds long.
_GIVE_UP_ON_US = (
    "-c idle_in_transaction_session_timeout=10000 "
    "-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=3"
)


def postgresql_engine(url: str) -> Engine:
    """Return the engine for both."""
    engine = create_engine(
        url,
        pool_size=10,
        max_overflow=40,
        isolation_level="READ COMMITTED",
        connect_args={
            "connect_timeout": 5,
            "keepalives_idle": 5,
            "keepalives_interval": 2,
            "keepalives_count": 3,
            # No keepalives are sent while the other side owes us a receipt: on a line cut then we waited 15 minutes.
            "tcp_user_timeout": 10_000,
            "application_name": "price-monitor",
            "options": _GIVE_UP_ON_US,
        },
    )
    checked_when_idle(engine)
    return engine

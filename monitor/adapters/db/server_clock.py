"""Two round trips that a transaction on PostgreSQL mostly need not make: for the time, and to see the line stands.

Both are asked for at most once a second. A checkpoint makes a handful of statements, so the two were a third of
what it waited for.
"""

import time
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Engine, event, text
from sqlalchemy.exc import DBAPIError, DisconnectionError

from monitor.adapters.db.columns import from_micros

#: How long a reading of the server's clock, and the proof that a connection stands, are good for.
FRESH_S = 1.0

_NOW = text("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint")


class ServerClock:
    """Tells the database server's time: its last reading plus what passed here since, read again every second.

    So hosts whose clocks disagree agree on leases all the same; a clock that is set on the server is followed within
    a second, well inside the time that a process fences itself before its leases end.
    """

    def __init__(self) -> None:
        self._read: tuple[datetime, float] | None = None  # replaced as a whole, so threads need no lock

    def __call__(self, connection: Connection) -> datetime:
        """Return the server's time."""
        here = time.monotonic()
        if self._read is None or here - self._read[1] > FRESH_S:
            told = from_micros(connection.execute(_NOW).scalar_one())
            self._read = (told, time.monotonic())
            return told
        told, then = self._read
        return told + timedelta(seconds=here - then)


def checked_when_idle(engine: Engine) -> None:
    """Have a pooled connection that lay idle for a second proved before it is used; a broken one is replaced."""

    @event.listens_for(engine, "checkin")
    def lay_down(_connection: Any, record: Any) -> None:
        record.info["idle_since"] = time.monotonic()

    @event.listens_for(engine, "checkout")
    def take_up(connection: Any, record: Any, _proxy: Any) -> None:
        idle_since = record.info.get("idle_since")
        if idle_since is None or time.monotonic() - idle_since <= FRESH_S:
            return
        try:
            alive = engine.dialect.do_ping(connection)
        except (DBAPIError, engine.dialect.loaded_dbapi.Error):
            alive = False
        if not alive:
            raise DisconnectionError("the server closed the connection while it lay idle")

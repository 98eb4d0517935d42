"""Where the connection of a transaction comes from, how the transaction begins and ends, and where the connection goes.

Connections to a SQLite file are kept open from one transaction to the next, and what begins and ends a transaction is
said to the driver directly. Writers take turns, so there is never more than one of them. Through SQLAlchemy's pool and
its transactions each took a night more processor time than its statements, and a connection that rested meanwhile had
to read its pages again. A statement of SQLAlchemy's joins the transaction that it finds (see `engines`).
"""

import sqlite3
from collections.abc import Callable
from typing import Protocol

from sqlalchemy import Connection, Engine, PoolProxiedConnection
from sqlalchemy.exc import DBAPIError

#: Reading connections that are kept; a moment's need beyond that is met by the pool.
_MOST_KEPT = 8


class Source(Protocol):
    """Has connections for transactions."""

    def fetch(self) -> Connection:
        """Return a connection that nobody else uses."""

    def begin(self, connection: Connection) -> None:
        """Begin a transaction."""

    def commit(self, connection: Connection) -> None:
        """Commit it."""

    def give_back(self, connection: Connection, *, is_well: bool) -> None:
        """Take the connection back; one that is not well is rolled back, and cleaned or closed."""


class Pooled:
    """Connections of an engine's pool."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def fetch(self) -> Connection:
        """Return a connection that nobody else uses."""
        return self._engine.connect()

    def begin(self, connection: Connection) -> None:
        """Begin a transaction."""
        connection.begin()

    def commit(self, connection: Connection) -> None:
        """Commit it."""
        connection.commit()

    def give_back(self, connection: Connection, *, is_well: bool) -> None:
        """Give it back to the pool, which rolls back what is open and cleans it."""
        connection.close()

    def close(self) -> None:
        """Close those that nobody has."""
        self._engine.dispose()


class Kept:
    """Connections to a SQLite file that stay open, the one used last first."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._idle: list[Connection] = []

    def fetch(self) -> Connection:
        """Return a connection that nobody else uses; the pool's when none is idle."""
        try:
            return self._idle.pop()
        except IndexError:
            return self._engine.connect()

    def begin(self, connection: Connection) -> None:
        """Begin a transaction."""
        _told("BEGIN", self._engine.dialect.do_begin, connection)

    def commit(self, connection: Connection) -> None:
        """Commit it, and what SQLAlchemy knows of it."""
        joined = connection.get_transaction()
        if joined is None:
            _told("COMMIT", self._engine.dialect.do_commit, connection)
        else:
            joined.commit()

    def give_back(self, connection: Connection, *, is_well: bool) -> None:
        """Keep it, or give it back to the pool, which rolls back what is open and cleans it."""
        if is_well and len(self._idle) < _MOST_KEPT:
            self._idle.append(connection)
        else:
            connection.close()

    def close(self) -> None:
        """Close those that nobody has; the next transaction opens one again."""
        idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()
        self._engine.dispose()


def said(what: str, connection: Connection) -> None:
    """Say something to SQLite itself."""
    _told(what, lambda driver: driver.driver_connection.execute(what), connection)  # type: ignore[union-attr]


def _told(what: str, say: Callable[[PoolProxiedConnection], None], connection: Connection) -> None:
    """Tell the driver something; its errors as SQLAlchemy tells them."""
    try:
        say(connection.connection)
    except sqlite3.Error as error:
        raise DBAPIError.instance(what, None, error, sqlite3.Error) from error

"""Where the connection of a transaction comes from and where it goes.

The one through which this process changes a SQLite file is kept open from one transaction to the next. Writers take
turns, so there is never more than one. Fetched from the pool and given back each time, it cost a night as much
processor time as a third of the statements, and a connection that rested meanwhile had to read its pages again.
"""

from typing import Protocol

from sqlalchemy import Connection, Engine


class Source(Protocol):
    """Has connections for transactions."""

    def fetch(self) -> Connection:
        """Return a connection that nobody else uses."""

    def give_back(self, connection: Connection, *, is_well: bool) -> None:
        """Take it back; one that is not well is cleaned or closed."""


class Pooled:
    """Connections of an engine's pool."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def fetch(self) -> Connection:
        """Return a connection that nobody else uses."""
        return self._engine.connect()

    def give_back(self, connection: Connection, *, is_well: bool) -> None:
        """Give it back to the pool, which cleans it."""
        connection.close()

    def close(self) -> None:
        """Close those that nobody has."""
        self._engine.dispose()


class KeptConnection:
    """One connection, for one transaction at a time; the caller sees to that."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._idle: Connection | None = None

    def fetch(self) -> Connection:
        """Return the connection; the pool's when it is new, or when the last transaction failed."""
        connection, self._idle = self._idle or self._engine.connect(), None
        return connection

    def give_back(self, connection: Connection, *, is_well: bool) -> None:
        """Keep it, or give it back to the pool, which cleans it."""
        if is_well:
            self._idle = connection
        else:
            connection.close()

    def close(self) -> None:
        """Close it; the next transaction opens one again."""
        connection, self._idle = self._idle, None
        if connection is not None:
            connection.close()
        self._engine.dispose()

"""The connection through which this process changes a SQLite file, kept open from one transaction to the next.

Writers take turns, so there is never more than one. Fetched from the pool and given back each time, it cost a night as
much processor time as a third of the statements, and a connection that rested meanwhile had to read its pages again.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine


class KeptConnection:
    """One transaction at a time; the caller sees to that."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._idle: Connection | None = None

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        """Open a transaction; one that fails gives its connection back to the pool, which cleans it."""
        connection, self._idle = self._idle or self._engine.connect(), None
        try:
            with connection.begin():
                yield connection
        except BaseException:
            connection.close()
            raise
        self._idle = connection

    def close(self) -> None:
        """Give the connection back; the next transaction fetches one again."""
        connection, self._idle = self._idle, None
        if connection is not None:
            connection.close()

"""What a repository needs of an open transaction: the connection, its dialect's upsert and its clock."""

import sqlite3
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, CursorResult, Executable, Table, literal_column
from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects import sqlite as sqlite_dialect
from sqlalchemy.sql.dml import Insert

from monitor.domain.made_once import made_once


class Transaction:
    """One open transaction.

    Args:
        connection: in a transaction.
        clock: reads the store's clock; asked at most once, when `now` is first wanted.
    """

    def __init__(self, connection: Connection, clock: Callable[[Connection], datetime]) -> None:
        self.connection = connection
        self._clock = clock

    @made_once
    def now(self) -> datetime:
        """The store's clock, the same for the whole transaction."""
        return self._clock(self.connection)

    @made_once
    def sqlite(self) -> sqlite3.Connection | None:
        """The driver's own connection, in this transaction; None on PostgreSQL."""
        driver = self.connection.connection.driver_connection
        return driver if isinstance(driver, sqlite3.Connection) else None

    def run(
        self, statement: Executable, rows: Sequence[dict[str, Any]] | dict[str, Any] | None = None
    ) -> CursorResult[Any]:
        """Execute one Core statement."""
        return self.connection.execute(statement, rows)

    def insert(self, table: Table) -> "sqlite_dialect.Insert | postgresql.Insert":
        """Return an INSERT that knows ON CONFLICT on this database."""
        if self.connection.dialect.name == "sqlite":
            return sqlite_dialect.insert(table)
        return postgresql.insert(table)

    def insert_once(self, table: Table, values: dict[str, Any]) -> bool:
        """Insert a row unless any unique key of the table has it; say whether it was inserted."""
        statement: Insert = self.insert(table).values(**values).on_conflict_do_nothing()
        # Not by row count: on PostgreSQL a table with a generated key returns it, and such a result has none.
        return self.run(statement.returning(literal_column("1"))).first() is not None

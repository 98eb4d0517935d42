"""What a repository needs of an open transaction: the connection, its dialect's upsert and its clock."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, CursorResult, Executable, Table, literal_column
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.dml import Insert


@dataclass(frozen=True, slots=True)
class Transaction:
    """One open transaction; `now` was read when it began."""

    connection: Connection
    now: datetime

    def run(
        self, statement: Executable, rows: Sequence[dict[str, Any]] | dict[str, Any] | None = None
    ) -> CursorResult[Any]:
        """Execute one Core statement."""
        return self.connection.execute(statement, rows)

    def insert(self, table: Table) -> "sqlite.Insert | postgresql.Insert":
        """Return an INSERT that knows ON CONFLICT on this database."""
        if self.connection.dialect.name == "sqlite":
            return sqlite.insert(table)
        return postgresql.insert(table)

    def insert_once(self, table: Table, values: dict[str, Any]) -> bool:
        """Insert a row unless any unique key of the table has it; say whether it was inserted."""
        statement: Insert = self.insert(table).values(**values).on_conflict_do_nothing()
        # Not by row count: on PostgreSQL a table with a generated key returns it, and such a result has none.
        return self.run(statement.returning(literal_column("1"))).first() is not None

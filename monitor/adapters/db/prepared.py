"""Statements that every step of every night waits for: compiled once per database, then only filled in.

SQLAlchemy finds a compiled statement again by a key that it computes from the whole expression each time, and prepares
to read results of any shape. For a statement of a few lines that costs more than the database takes to run it. The
text is SQLAlchemy's own all the same, and so is the conversion of values, so there is one definition of each.

Not for statements whose shape depends on their values.
"""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from sqlalchemy import CursorResult, Dialect, Executable
from sqlalchemy.exc import DBAPIError

from monitor.adapters.db.transaction import Transaction

T = TypeVar("T")


class Prepared:
    """One statement with named parameters; a transaction's values are filled in by their names."""

    def __init__(self, statement: Executable) -> None:
        self._statement = statement
        self._compiled: dict[str, _Compiled] = {}

    def rows(self, tx: Transaction, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Execute it and return its rows; every parameter needs a value, and values of no parameter are left out."""
        compiled = self._for(tx)
        return compiled.read(self._run(tx, compiled, values, lambda found: found.fetchall()))

    def one(self, tx: Transaction, values: Mapping[str, Any]) -> tuple[Any, ...] | None:
        """Execute it and return its first row, None when there is none."""
        return next(iter(self.rows(tx, values)), None)

    def hits(self, tx: Transaction, values: Mapping[str, Any]) -> int:
        """Execute a change and return how many rows it hit."""
        return self._run(tx, self._for(tx), values, lambda found: found.rowcount)

    def _run(
        self,
        tx: Transaction,
        compiled: "_Compiled",
        values: Mapping[str, Any],
        taken: "Callable[[sqlite3.Cursor | CursorResult[Any]], T]",
    ) -> T:
        """Execute it; on SQLite in the driver: a result of SQLAlchemy's costs three times the change itself.

        What is taken of the result is taken here, because SQLite may fail at any row.
        """
        filled = compiled.filled(values)
        driver = tx.sqlite
        if driver is None:
            return taken(tx.connection.exec_driver_sql(compiled.text, filled))
        try:
            return taken(driver.execute(compiled.text, filled))
        except sqlite3.Error as error:
            raise DBAPIError.instance(compiled.text, filled, error, sqlite3.Error) from error

    def _for(self, tx: Transaction) -> "_Compiled":
        dialect = tx.connection.dialect
        compiled = self._compiled.get(dialect.name)
        if compiled is None:  # two threads may both compile it: to the same
            compiled = self._compiled[dialect.name] = _Compiled(self._statement, dialect)
        return compiled


class _Compiled:
    """A statement as the driver wants it."""

    def __init__(self, statement: Any, dialect: Dialect) -> None:
        compiled = statement.compile(dialect=dialect)
        self.text = str(compiled)
        given = compiled.construct_params({}, _check=False)
        self._names = compiled.positiontup or list(given)
        self._is_positional = compiled.positiontup is not None
        binds = [compiled.binds[name] for name in self._names]
        converters = [_converter(bind.type, dialect) for bind in binds]
        places = list(enumerate(zip(self._names, binds, converters, strict=True)))
        self._blank: list[Any] = [
            None if bind.required else given[name] if convert is None else convert(given[name])
            for _, (name, bind, convert) in places
        ]
        self._wanted = [(at, name, convert) for at, (name, bind, convert) in places if bind.required]
        columns = enumerate(getattr(statement, "exported_columns", ()))
        self._read = [(at, read) for at, column in columns if (read := _reader(column.type, dialect)) is not None]

    def filled(self, values: Mapping[str, Any]) -> Any:
        """Return the parameters of one execution."""
        row = self._blank[:]
        for at, name, convert in self._wanted:
            row[at] = values[name] if convert is None else convert(values[name])
        return tuple(row) if self._is_positional else dict(zip(self._names, row, strict=True))

    def read(self, found: Sequence[Any]) -> list[tuple[Any, ...]]:
        """Return rows with their values as the columns give them."""
        rows = []
        for one in found:
            row = list(one)
            for at, read in self._read:
                row[at] = read(row[at])
            rows.append(tuple(row))
        return rows


def _reader(kind: Any, dialect: Dialect) -> Callable[[Any], Any] | None:
    found: Callable[[Any], Any] | None = kind.dialect_impl(dialect).result_processor(dialect, None)
    return found


def _converter(kind: Any, dialect: Dialect) -> Callable[[Any], Any] | None:
    found: Callable[[Any], Any] | None = kind.dialect_impl(dialect).bind_processor(dialect)
    return found

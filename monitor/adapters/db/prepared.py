"""Statements that every step of every night waits for: compiled once per database, then only filled in.

SQLAlchemy finds a compiled statement again by a key that it computes from the whole expression each time, and prepares
to read results of any shape. For a statement of a few lines that costs more than the database takes to run it. The
text is SQLAlchemy's own all the same, and so is the conversion of values, so there is one definition of each.

Not for statements whose shape depends on their values.
"""

import sqlite3
from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import CursorResult, Dialect, Executable
from sqlalchemy.exc import DBAPIError

from monitor.adapters.db.transaction import Transaction


class Prepared:
    """One statement with named parameters; a transaction's values are filled in by their names."""

    def __init__(self, statement: Executable) -> None:
        self._statement = statement
        self._compiled: dict[str, _Compiled] = {}

    def run(self, tx: Transaction, values: Mapping[str, Any]) -> CursorResult[Any]:
        """Execute it; every parameter needs a value, and values of no parameter are left out."""
        compiled = self._for(tx)
        return tx.connection.exec_driver_sql(compiled.text, compiled.filled(values))

    def hits(self, tx: Transaction, values: Mapping[str, Any]) -> int:
        """Execute a change and return how many rows it hit.

        On SQLite it goes straight to the driver: a result that nobody reads costs three times the change itself.
        """
        driver = tx.sqlite
        if driver is None:
            return self.run(tx, values).rowcount
        compiled = self._for(tx)
        filled = compiled.filled(values)
        try:
            return driver.execute(compiled.text, filled).rowcount
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
        self._fixed = {
            name: given[name] if convert is None else convert(given[name])
            for _, (name, bind, convert) in places
            if not bind.required
        }
        self._converted = [(at, convert) for at, (_, bind, convert) in places if convert is not None and bind.required]

    def filled(self, values: Mapping[str, Any]) -> Any:
        """Return the parameters of one execution."""
        known = {**values, **self._fixed} if self._fixed else values
        row = [known[name] for name in self._names]
        for at, convert in self._converted:
            row[at] = convert(row[at])
        return tuple(row) if self._is_positional else dict(zip(self._names, row, strict=True))


def _converter(kind: Any, dialect: Dialect) -> Callable[[Any], Any] | None:
    found: Callable[[Any], Any] | None = kind.dialect_impl(dialect).bind_processor(dialect)
    return found

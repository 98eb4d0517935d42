"""Statements that every step of every night waits for: compiled once per database, then only filled in.

SQLAlchemy finds a compiled statement again by a key that it computes from the whole expression each time, and prepares
to read results of any shape. For a statement of a few lines that costs more than the database takes to run it. The
text is SQLAlchemy's own all the same, and so is the conversion of values, so there is one definition of each.

Not for statements whose shape depends on their values.
"""

from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import CursorResult, Dialect, Executable

from monitor.adapters.db.transaction import Transaction


class Prepared:
    """One statement with named parameters; a transaction's values are filled in by their names."""

    def __init__(self, statement: Executable) -> None:
        self._statement = statement
        self._compiled: dict[str, _Compiled] = {}

    def run(self, tx: Transaction, values: Mapping[str, Any]) -> CursorResult[Any]:
        """Execute it; every parameter needs a value, and values of no parameter are left out."""
        dialect = tx.connection.dialect
        compiled = self._compiled.get(dialect.name)
        if compiled is None:  # two threads may both compile it: to the same
            compiled = self._compiled[dialect.name] = _Compiled(self._statement, dialect)
        return tx.connection.exec_driver_sql(compiled.text, compiled.filled(values))


class _Compiled:
    """A statement as the driver wants it."""

    def __init__(self, statement: Any, dialect: Dialect) -> None:
        compiled = statement.compile(dialect=dialect)
        self.text = str(compiled)
        given = compiled.construct_params({}, _check=False)
        converters = {name: _converter(compiled.binds[name].type, dialect) for name in given}
        self._is_positional = compiled.positiontup is not None
        order = compiled.positiontup or list(given)
        self._asked = [(name, converters[name]) for name in order if compiled.binds[name].required]
        self._fixed = {
            name: _converted(converters[name], value)
            for name, value in given.items()
            if not compiled.binds[name].required
        }
        self._order = order

    def filled(self, values: Mapping[str, Any]) -> Any:
        """Return the parameters of one execution."""
        filled = self._fixed | {name: _converted(convert, values[name]) for name, convert in self._asked}
        return tuple([filled[name] for name in self._order]) if self._is_positional else filled


def _converter(kind: Any, dialect: Dialect) -> Callable[[Any], Any] | None:
    found: Callable[[Any], Any] | None = kind.dialect_impl(dialect).bind_processor(dialect)
    return found


def _converted(convert: Callable[[Any], Any] | None, value: Any) -> Any:
    return value if convert is None else convert(value)

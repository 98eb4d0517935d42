"""One row in, prepared for both databases: what a night inserts with every page."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from sqlalchemy import Table, bindparam
from sqlalchemy.dialects import postgresql, sqlite

from monitor.adapters.db.prepared import Prepared
from monitor.adapters.db.transaction import Transaction

#: An INSERT that knows ON CONFLICT, of either database.
Row: TypeAlias = "sqlite.Insert | postgresql.Insert"


class Inserting:
    """An INSERT of one row with what is to be done when the row is there already.

    Args:
        table: where to.
        columns: of the row; each takes the value of its own name.
        otherwise: adds the ON CONFLICT clause; none is a plain INSERT.
    """

    def __init__(self, table: Table, columns: Iterable[str], otherwise: Callable[[Row], Row] = lambda row: row) -> None:
        values = {name: bindparam(name, type_=table.c[name].type) for name in columns}
        rows: dict[str, Row] = {"sqlite": sqlite.insert(table), "postgresql": postgresql.insert(table)}
        self._each = {name: Prepared(otherwise(row.values(values).inline())) for name, row in rows.items()}

    def hits(self, tx: Transaction, values: Mapping[str, Any]) -> int:
        """Insert a row and return how many rows that changed; every column needs a value."""
        return self._each[tx.connection.dialect.name].hits(tx, values)


def replacing(keys: Iterable[str], columns: Iterable[str]) -> Callable[[Row], Row]:
    """Return the clause that lets the new values of `columns` win over those of the row with the same `keys`."""
    wins = list(columns)

    def clause(row: Row) -> Row:
        return row.on_conflict_do_update(index_elements=list(keys), set_={name: row.excluded[name] for name in wins})

    return clause


def keeping_first(row: Row) -> Row:
    """Return the clause that leaves a row that is there as it is."""
    return row.on_conflict_do_nothing()

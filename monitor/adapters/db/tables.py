"""Which tables a database has, whoever made them."""

from sqlalchemy import inspect

from monitor.adapters.db.store import SqlStore


def names_of_tables(store: SqlStore) -> frozenset[str]:
    """Return the names of its tables; empty for a database that nobody used yet."""
    with store.reader.begin() as connection:
        return frozenset(inspect(connection).get_table_names())

"""Which revision a database is at, without loading the migration tools; almost always that is all to know."""

from sqlalchemy import inspect, text

from monitor.adapters.db.store import SqlStore

#: The newest revision in `migrations/versions`.
HEAD = "0009"


def stored_revision(store: SqlStore) -> str | None:
    """Return the revision of a database, None when it has no tables yet. Raises StoreUnavailable."""
    with store.read() as unit:
        connection = unit.tx.connection
        if not inspect(connection).has_table("alembic_version"):
            return None
        found = connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one_or_none()
        return None if found is None else str(found)

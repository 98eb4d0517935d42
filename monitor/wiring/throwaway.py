"""Databases that may be harmed: an empty one, or one that an earlier chaos run left."""

from monitor.adapters.clock import SystemClock
from monitor.adapters.db.migrate import migrate
from monitor.adapters.db.revision import stored_revision
from monitor.adapters.db.store import SqlStore
from monitor.adapters.db.tables import names_of_tables
from monitor.errors import Misconfigured

#: Every run of a chaos run begins so; a database with any other run is somebody's.
CHAOS_PREFIX = "chaos-"


def prepare_throwaway(url: str) -> None:
    """Give an empty database its tables, or check that what it holds is an earlier chaos run.

    Raises:
        Misconfigured: it holds something else; nothing was touched.
    """
    store = SqlStore(url, SystemClock())
    try:
        tables = names_of_tables(store)
        if tables and (stored_revision(store) is None or _others(store)):
            raise Misconfigured(
                [
                    f"{store.url.render_as_string()}: the database is not empty and was not left by `monitor chaos`. "
                    "Nothing was touched. Name a database that may be destroyed: CREATE DATABASE chaos"
                ]
            )
    finally:
        store.close()
    migrate(url)


def _others(store: SqlStore) -> bool:
    with store.read() as unit:
        latest = unit.runs.latest(100_000)
    return not latest or not all(run.schedule.startswith(CHAOS_PREFIX) for run in latest)

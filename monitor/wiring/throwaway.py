"""Databases and brokers that may be harmed: an empty one, or one that an earlier chaos run left."""

from monitor.adapters.clock import SystemClock
from monitor.adapters.db.migrate import migrate
from monitor.adapters.db.revision import stored_revision
from monitor.adapters.db.store import SqlStore
from monitor.adapters.db.tables import names_of_tables
from monitor.errors import Misconfigured

#: Every run of a chaos run begins so; a database with any other run is somebody's.
CHAOS_PREFIX = "chaos-"
#: The key by which a broker is known again that chaos may use.
BROKER_MARK = "monitor-chaos"


def prepare_throwaway(url: str, redis_url: str | None = None) -> None:
    """Give an empty database its tables, or check that what it holds is an earlier chaos run; the broker alike.

    Raises:
        Misconfigured: one of them holds something else; nothing was touched.
        RetryLater: one of them does not answer.
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
    if redis_url:
        _prepare_broker(redis_url)
    migrate(url)


def _prepare_broker(url: str) -> None:
    from monitor.adapters.redis_broker import mark  # 5 MB that a chaos run on SQLite never needs

    if not mark(url, BROKER_MARK):
        raise Misconfigured(
            [
                f"{url.rsplit('@', 1)[-1]}: this Redis database is not empty and was not left by `monitor chaos`, "
                "which empties its queue. Nothing was touched. Name another, such as redis://127.0.0.1:6379/15"
            ]
        )


def _others(store: SqlStore) -> bool:
    with store.read() as unit:
        latest = unit.runs.latest(100_000)
    return not latest or not all(run.schedule.startswith(CHAOS_PREFIX) for run in latest)

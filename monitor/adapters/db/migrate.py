"""Bring a database to the tables that this version of the program needs.

One transaction takes the database's own lock (SQLite: BEGIN IMMEDIATE, PostgreSQL: an advisory lock), looks at the
stored revision, and runs what is missing; both databases roll back DDL, so that a script that fails leaves nothing. Two
processes that start at once: one migrates, the other waits and finds nothing to do. A database of a newer program is
refused rather than guessed at.

Not promised: a way back. Take a copy before an update; every script's downgrade is for development.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, make_url, text
from sqlalchemy.exc import DBAPIError, OperationalError

from monitor.adapters.db.engines import engine_for_changes
from monitor.errors import Misconfigured, StoreUnavailable

_SCRIPTS = "monitor.adapters.db:migrations"
#: Names our advisory lock among those of other programs in the same PostgreSQL database.
_LOCK_NAME = "price-monitor:migrate"


def migrate(url: str) -> tuple[str | None, str]:
    """Run the missing scripts; return the revision before (None: the database was empty) and after.

    Raises:
        Misconfigured: the database belongs to a newer version of the program; nothing was changed.
        StoreUnavailable: it cannot be reached; nothing was changed.
    """
    config = _config()
    with _locked(url) as connection:
        before = _revision(connection)
        _refuse_newer(url, before)
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        return before, head()


def current(url: str) -> str | None:
    """Return the revision of a database, None when it is empty. Raises StoreUnavailable."""
    with _locked(url) as connection:
        return _revision(connection)


def head() -> str:
    """Return the newest revision that this version of the program knows."""
    newest = _scripts().get_current_head()
    assert newest is not None  # noqa: S101 - the scripts are part of the package
    return newest


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", _SCRIPTS)
    config.set_main_option("path_separator", "os")
    return config


def _scripts() -> ScriptDirectory:
    return ScriptDirectory.from_config(_config())


@contextmanager
def _locked(url: str) -> Iterator[Connection]:
    """Open the one transaction that may change tables; whoever comes second waits for it to end."""
    engine = engine_for_changes(url)
    try:
        with engine.begin() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(text("SELECT pg_advisory_xact_lock(hashtext(:name))"), {"name": _LOCK_NAME})
            yield connection
    except OperationalError as broken:
        raise StoreUnavailable(_in_words(url, broken)) from broken
    finally:
        engine.dispose()


def _revision(connection: Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()


def _refuse_newer(url: str, revision: str | None) -> None:
    known = {script.revision for script in _scripts().walk_revisions()}
    if revision is not None and revision not in known:
        raise Misconfigured(
            [
                f"the database {_shown(url)} is at revision {revision!r}, which this version of the program does not "
                f"know (its newest is {head()!r}). Nothing was changed. Install the version that made it, or name "
                "another database in MONITOR_DATABASE_URL"
            ]
        )


def _in_words(url: str, broken: DBAPIError) -> str:
    why = str(broken.orig).strip()
    return (
        f"the database {_shown(url)} could not be migrated ({why}); nothing of it was kept. Try again once it answers"
    )


def _shown(url: str) -> str:
    return make_url(url).render_as_string(hide_password=True)

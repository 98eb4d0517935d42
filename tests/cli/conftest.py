"""What every test of a command finds."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import make_url

from monitor.adapters.db import migrate as migrating


@pytest.fixture(autouse=True)
def _tables_are_copied(migrated_sqlite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever opens a place whose SQLite file is empty is given tables that were made once: making them takes longer
    than most commands. The file of an older version is migrated as ever.
    """
    migrate = migrating.migrate

    def copied(url: str) -> tuple[str | None, str]:
        file = make_url(url).database
        if make_url(url).get_backend_name() != "sqlite" or migrating.current(url) is not None:
            return migrate(url)
        with closing(sqlite3.connect(migrated_sqlite)) as made, closing(sqlite3.connect(str(file))) as wanted:
            made.backup(wanted)
        return None, migrating.head()

    monkeypatch.setattr(migrating, "migrate", copied)

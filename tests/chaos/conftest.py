"""Lanes for the nights that are interrupted, once per kind of database."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.chaos.lane import Databases, Lane


@pytest.fixture(params=["sqlite", "postgresql"])
def lanes(request: pytest.FixtureRequest, tmp_path: Path, migrated_sqlite: Path) -> Iterator[list[Lane]]:
    """Two lanes on SQLite files, or on databases of one PostgreSQL and one Valkey."""
    opened = [Lane(tmp_path / f"lane-{number}", _databases(request, number, migrated_sqlite)) for number in (1, 2)]
    try:
        yield opened
    finally:
        for lane in opened:
            lane.close()
        shutil.rmtree(tmp_path, ignore_errors=True)


def _databases(request: pytest.FixtureRequest, number: int, migrated_sqlite: Path) -> Databases:
    if request.param == "sqlite":
        return Databases("sqlite", migrated_sqlite)
    return Databases(
        "postgresql",
        migrated_sqlite,
        request.getfixturevalue("postgres"),
        request.getfixturevalue("migrated_postgres"),
        f"{request.getfixturevalue('valkey').connection_url}/{number}",
    )


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Callable[[str], None]:
    """Print a line although pytest captures: how many points there were, and how far a long sweep is."""

    def said(words: str) -> None:
        with capsys.disabled():
            print(f"\n{words}", end="", flush=True)

    return said

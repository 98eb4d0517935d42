"""The scene of price writes: an approved price, a shop that may misbehave, and what the shop's books say."""

from collections.abc import Iterator

import pytest

from tests.fake_shop import Books, FakeShop
from tests.write_scene import WriteScene


@pytest.fixture
def scene(own_sqlite_url: str) -> Iterator[WriteScene]:
    """The scene on SQLite."""
    made = WriteScene(own_sqlite_url)
    yield made
    made.close()


@pytest.fixture
def both(migrated_url: str) -> Iterator[WriteScene]:
    """The same scene on SQLite and on PostgreSQL, for what the databases decide."""
    made = WriteScene(migrated_url)
    yield made
    made.close()


@pytest.fixture
def books() -> Books:
    """The shop's prices and the changes made to them."""
    return Books(A_1="27.90", B_2="50.00")


@pytest.fixture
def shop(books: Books) -> FakeShop:
    """A shop that does as a test tells it."""
    return FakeShop(books)

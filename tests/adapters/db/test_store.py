"""Opening transactions, on both databases."""

from collections.abc import Iterator

import pytest

from monitor.adapters.db.store import NestedWrite, SqlStore
from tests.core_scene import begun, opened


@pytest.fixture
def store(migrated_url: str) -> Iterator[SqlStore]:
    made = opened(migrated_url)
    yield made
    made.close()


def test_a_write_inside_a_write_is_refused_at_once_and_leaves_nothing(store: SqlStore) -> None:
    """On SQLite the inner one waited half a minute for the outer one and blamed the database."""

    def nested() -> None:
        with store.write() as unit:
            unit.workers.register("w", "test", "host", 1)
            with store.write():
                pytest.fail("it was opened")

    with pytest.raises(NestedWrite, match="Pass the open unit on"):
        nested()

    with store.write() as unit:
        assert unit.workers.all() == ()


def test_a_read_inside_a_write_sees_what_was_there_before(store: SqlStore) -> None:
    with store.write() as unit:
        unit.workers.register("w", "test", "host", 1)
        with store.read() as other:
            assert other.workers.all() == ()


def test_two_stores_may_be_written_one_inside_the_other(store: SqlStore, tmp_path: object) -> None:
    """As the demo does with its own database beside the shop's; only the same store waits for itself."""
    other = SqlStore(f"sqlite:///{tmp_path}/other.sqlite3", store._clock)
    with store.write(), other.write() as unit:
        assert unit.tx.connection.dialect.name == "sqlite"
    other.close()


def test_a_store_can_be_written_again_after_a_block_that_failed(store: SqlStore) -> None:
    with pytest.raises(ZeroDivisionError), store.write():
        raise ZeroDivisionError

    assert begun(store).open_jobs == 1

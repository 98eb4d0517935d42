"""A prepared statement fails in our words wherever the database fails it."""

import pytest
from sqlalchemy import column, func, select, text

from monitor.adapters.db.prepared import Prepared
from monitor.adapters.db.store import SqlStore
from monitor.errors import StoreUnavailable
from tests.core_scene import SetClock

#: Its first row can be given, the number of its second has no absolute value.
_FAILS_LATER = Prepared(
    select(func.abs(column("value"))).select_from(text("(SELECT 1 AS value UNION ALL SELECT -9223372036854775808)"))
)


def test_a_row_that_sqlite_cannot_give_is_an_error_in_our_words_though_the_rows_before_it_came(sqlite_url: str) -> None:
    store = SqlStore(sqlite_url, SetClock())

    with pytest.raises(StoreUnavailable, match="integer overflow"), store.write() as unit:
        _FAILS_LATER.rows(unit.tx, {})

    store.close()

"""What a column gives back is what was put in, or it refuses; through real tables on both databases."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Column, Engine, Integer, MetaData, Table, create_engine, select
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import StatementError

from monitor.adapters.db.columns import Amount, BigKey, Day, Instant, Json, Word, from_micros, micros
from monitor.domain.run import JobState

DIALECT = sqlite.dialect()
ROWS = Table(
    "rows_of_columns",
    MetaData(),
    Column("id", BigKey, primary_key=True),
    Column("at", Instant),
    Column("amount", Amount),
    Column("day", Day),
    Column("json", Json),
    Column("word", Word(JobState)),
    Column("n", Integer),
)


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    made = create_engine(database_url)
    ROWS.create(made)
    yield made
    made.dispose()


def kept(engine: Engine, **values: Any) -> Any:
    """Put one value into its column and return what comes back."""
    (name,) = values
    with engine.begin() as connection:
        key = connection.execute(ROWS.insert().values(**values)).inserted_primary_key
        assert key is not None
        return connection.execute(select(ROWS.c[name]).where(ROWS.c.id == key[0])).scalar_one()


@pytest.mark.parametrize(
    "value",
    [
        {"at": datetime(2026, 10, 25, 0, 59, 59, 999_999, tzinfo=UTC)},
        {"at": datetime(1969, 12, 31, 23, 59, 59, 1, tzinfo=UTC)},
        {"amount": Decimal("24.9")},
        {"amount": Decimal("-0.0001")},
        {"amount": Decimal("922337203685477.5807")},
        {"amount": Decimal("1234567890123.7891")},  # a float would round it
        {"day": date(2026, 11, 29)},
        {"json": {"price": "12.90", "n": 3, "list": [None, True], "text": "größe ￥"}},
        {"word": JobState.LATE},
        {"at": None},
        {"amount": None},
        {"day": None},
        {"json": None},
        {"word": None},
    ],
)
def test_a_value_comes_back_as_it_was(engine: Engine, value: dict[str, Any]) -> None:
    assert kept(engine, **value) == next(iter(value.values()))


def test_an_instant_of_another_zone_comes_back_as_the_same_instant_in_utc(engine: Engine) -> None:
    berlin = datetime(2026, 7, 1, 2, 0, tzinfo=timezone(timedelta(hours=2)))

    back = kept(engine, at=berlin)

    assert back == berlin
    assert back.utcoffset() == timedelta(0)


def test_an_amount_loses_its_trailing_zeros_only(engine: Engine) -> None:
    assert str(kept(engine, amount=Decimal("24.9000"))) == "24.9"
    assert str(kept(engine, amount=Decimal("1E+3"))) == "1000"
    assert str(kept(engine, amount=Decimal("0.00"))) == "0"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"at": datetime(2026, 11, 29, 2, 0)}, "no time zone"),  # noqa: DTZ001 - that is the point
        ({"amount": Decimal("12.34567")}, "at most 4 decimal places"),
        ({"amount": 12.9}, "finite Decimal"),
        ({"amount": 12}, "finite Decimal"),
        ({"amount": Decimal("NaN")}, "finite Decimal"),
        ({"amount": Decimal("Infinity")}, "finite Decimal"),
        ({"amount": Decimal("922337203685477.5808")}, "amounts are below"),
        ({"json": {"rate": float("nan")}}, "not JSON compliant"),
        ({"json": {"price": Decimal("12.90")}}, "not JSON serializable"),
        ({"word": "asleep"}, "not a valid JobState"),
    ],
)
def test_what_would_not_come_back_is_refused(engine: Engine, value: dict[str, Any], words: str) -> None:
    with pytest.raises((StatementError, ValueError, TypeError), match=words):
        kept(engine, **value)


def test_json_never_gives_a_float(engine: Engine) -> None:
    back = kept(engine, json={"rate": 0.1, "deep": [1.5, {"x": 2e-3}], "whole": 7})

    assert back == {"rate": Decimal("0.1"), "deep": [Decimal("1.5"), {"x": Decimal("0.002")}], "whole": 7}
    assert type(back["rate"]) is Decimal
    assert type(back["whole"]) is int


def test_an_unknown_word_in_the_database_is_an_error_and_not_a_guess(engine: Engine) -> None:
    with engine.begin() as connection:
        connection.exec_driver_sql("INSERT INTO rows_of_columns (word) VALUES ('asleep')")
        with pytest.raises(ValueError, match="asleep"):
            connection.execute(select(ROWS.c.word)).scalars().all()


def test_sums_in_the_database_are_exact(engine: Engine) -> None:
    """Ten times 0.1 is 1; with NUMERIC on SQLite it is not."""
    with engine.begin() as connection:
        connection.execute(ROWS.insert(), [{"amount": Decimal("0.1")} for _ in range(10)])
        assert connection.exec_driver_sql("SELECT sum(amount) FROM rows_of_columns").scalar_one() == 10_000


amounts = st.decimals(min_value=Decimal(-10) ** 14, max_value=Decimal(10) ** 14, allow_nan=False, places=4)


@given(amounts, amounts)
def test_amounts_sort_in_the_database_as_they_do_here(one: Decimal, other: Decimal) -> None:
    column = Amount()
    stored = [column.process_bind_param(value, DIALECT) for value in (one, other)]

    assert stored[0] is not None
    assert stored[1] is not None
    assert (stored[0] < stored[1]) == (one < other)
    assert column.process_result_value(stored[0], DIALECT) == one


@given(st.datetimes(timezones=st.timezones()))
def test_every_aware_instant_is_kept_to_the_microsecond(moment: datetime) -> None:
    assert from_micros(micros(moment)) == moment.astimezone(UTC)

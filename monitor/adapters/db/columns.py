"""Column types that keep money exact and time in UTC on both databases.

SQLite stores NUMERIC as a binary float and drops the offset of a timestamp without converting, so
neither is used: amounts are integers of 1/10,000, instants are integers of microseconds in UTC.

What is called for every value of every row is handed to SQLAlchemy as it is (`bind_processor`, `result_processor`):
a night of a thousand products reads a hundred thousand values, and `process_result_value` alone costs a call more for
each.
"""

import json
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache
from typing import Any

import sqlalchemy
from sqlalchemy import BigInteger, Dialect, Integer
from sqlalchemy.types import TypeDecorator

from monitor.domain.money import MAX_PLACES

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_SCALE: int = 10**MAX_PLACES
#: One more than the largest BIGINT.
_TOO_LARGE = 2**63

#: A BIGINT that SQLite accepts as an autoincrementing primary key.
BigKey = BigInteger().with_variant(Integer, "sqlite")


def micros(moment: datetime) -> int:
    """Return an aware instant as microseconds since 1970-01-01 UTC."""
    if moment.tzinfo is None:
        raise ValueError(f"refused to store {moment!r}: it has no time zone; pass an aware datetime")
    return (moment - _EPOCH) // _MICROSECOND


@lru_cache(maxsize=1024)
def from_micros(value: int) -> datetime:
    """Return the UTC instant of a stored integer; rows that were written together share it."""
    return _EPOCH + timedelta(microseconds=value)


def _instant(value: int | None) -> datetime | None:
    return None if value is None else from_micros(value)


#: NUL, and halves of characters that stand alone.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def storable(value: str) -> str:
    """Return a text as both databases take it: U+FFFD, as in a browser, for what one of them refuses.

    Pages contain it: NUL, which PostgreSQL refuses, and halves of characters from broken escapes, which have no UTF-8.
    Refused, one such page would end the job of its whole shop.
    """
    if value.isascii() and "\x00" not in value:
        return value
    return _UNSTORABLE.sub("\ufffd", value)


def _storable(value: str | None) -> str | None:
    return None if value is None else storable(value)


class Text(TypeDecorator[str]):
    """A text, without what a database refuses to store."""

    impl = sqlalchemy.Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Convert on the way in."""
        return _storable(value)

    def bind_processor(self, dialect: Dialect) -> Callable[[str | None], str | None]:
        """Return the conversion on the way in."""
        return _storable


def _micros(value: datetime | None) -> int | None:
    return None if value is None else micros(value)


class Instant(TypeDecorator[datetime]):
    """An aware datetime, kept as UTC microseconds; refuses naive values."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        """Convert on the way in."""
        return _micros(value)

    def bind_processor(self, dialect: Dialect) -> Callable[[datetime | None], int | None]:
        """Return the conversion on the way in."""
        return _micros

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:
        """Convert on the way out."""
        return _instant(value)

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[int | None], datetime | None]:
        """Return the conversion on the way out."""
        return _instant


class Amount(TypeDecorator[Decimal]):
    """An exact decimal of at most four places, kept as an integer of 1/10,000; refuses more places."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: Decimal | None, dialect: Dialect) -> int | None:
        """Convert on the way in."""
        return _scaled(value)

    def bind_processor(self, dialect: Dialect) -> Callable[[Decimal | None], int | None]:
        """Return the conversion on the way in."""
        return _scaled

    def process_result_value(self, value: int | None, dialect: Dialect) -> Decimal | None:
        """Convert on the way out."""
        return _amount(value)

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[int | None], Decimal | None]:
        """Return the conversion on the way out, without trailing zeros."""
        return _amount


def _scaled(value: Decimal | None) -> int | None:
    if value is None:
        return None
    if not isinstance(value, Decimal) or not value.is_finite():
        raise ValueError(f"refused to store {value!r}: an amount is a finite Decimal")
    numerator, denominator = value.as_integer_ratio()
    scaled, rest = divmod(numerator * _SCALE, denominator)
    if rest:
        raise ValueError(f"refused to store {value}: amounts have at most {MAX_PLACES} decimal places")
    if abs(scaled) >= _TOO_LARGE:
        raise ValueError(f"refused to store {value}: amounts are below {_TOO_LARGE // _SCALE}")
    return scaled


@lru_cache(maxsize=65_536)
def _amount(value: int | None) -> Decimal | None:
    """Return the decimal of a stored integer; the same prices come again and again."""
    if value is None:
        return None
    exact = Decimal(value).scaleb(-MAX_PLACES).normalize()
    return Decimal(int(exact)) if exact == int(exact) else exact


class Day(TypeDecorator[date]):
    """A local calendar date, kept as ISO text so that it sorts."""

    impl = sqlalchemy.Text
    cache_ok = True

    def process_bind_param(self, value: date | None, dialect: Dialect) -> str | None:
        """Convert on the way in."""
        return None if value is None else value.isoformat()

    def process_result_value(self, value: str | None, dialect: Dialect) -> date | None:
        """Convert on the way out."""
        return None if value is None else date.fromisoformat(value)


#: Made once: `json.dumps` makes an encoder on every call that asks for anything unusual.
_text = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def _json(value: Any) -> str | None:
    return None if value is None else storable(_text(value))


class Json(TypeDecorator[Any]):
    """A JSON value as compact text; numbers with a fraction come back as Decimal, never as float.

    NaN and infinities are refused: JSON has neither.
    """

    impl = sqlalchemy.Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        """Convert on the way in."""
        return _json(value)

    def bind_processor(self, dialect: Dialect) -> Callable[[Any], str | None]:
        """Return the conversion on the way in."""
        return _json

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        """Convert on the way out."""
        return None if value is None else json.loads(value, parse_float=Decimal)


class Word(TypeDecorator[StrEnum]):
    """A member of one StrEnum, kept as its value; an unknown word in the database is an error."""

    impl = sqlalchemy.Text
    cache_ok = True

    def __init__(self, words: type[StrEnum]) -> None:
        super().__init__()
        self.words = words

    def process_bind_param(self, value: StrEnum | str | None, dialect: Dialect) -> str | None:
        """Convert on the way in, checking that it is one of the words."""
        return None if value is None else self.words(value).value

    def bind_processor(self, dialect: Dialect) -> Callable[[StrEnum | str | None], str | None]:
        """Return the conversion on the way in."""
        known = {word.value: word.value for word in self.words}

        def bound(value: StrEnum | str | None) -> str | None:
            return None if value is None else known.get(value) or self.words(value).value

        return bound

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[str | None], StrEnum | None]:
        """Return the conversion on the way out."""
        known = {word.value: word for word in self.words}

        def read(value: str | None) -> StrEnum | None:
            return None if value is None else known.get(value) or self.words(value)

        return read

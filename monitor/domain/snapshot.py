"""A plan or a catalogue as JSON text and back, so that a run keeps what it began with.

Equal values give equal text, so that the text may be hashed: keys are sorted, `12.90` and `12.9`
are both written "12.9", a duration is a decimal string of seconds. Amounts are strings, never JSON
numbers, and come back exactly.

Reading is lenient about versions and strict about values: a field that the text does not have
takes its default and a key that this version does not know is ignored, so that a run begun by
another version can end; a value of the wrong kind raises UnreadableSnapshot.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from functools import cache
from io import BytesIO
from sys import intern
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from monitor.domain.catalogue import Catalogue
from monitor.domain.json_text import JsonText
from monitor.domain.plan import NightPlan
from monitor.errors import CannotSucceed

_MICROSECOND = timedelta(microseconds=1)
_AS_IT_IS = frozenset({str, bool, int, type(None)})
#: What reading a damaged text raises.
_DAMAGES = (ValueError, TypeError, KeyError, InvalidOperation)


class UnreadableSnapshot(CannotSucceed):
    """A stored snapshot is damaged, so the run that owns it cannot go on."""

    def __init__(self, what: str, reason: str) -> None:
        super().__init__(
            f"The stored {what} cannot be read: {reason}. What the run observed so far is kept. The row was "
            "changed outside the program; restore the database from a backup, or let the next night begin "
            "with a new one."
        )
        self.what, self.reason = what, reason


def plan_to_json(plan: NightPlan) -> str:
    """Return `plan` as canonical JSON text."""
    return _text(plan)


def plan_from_json(text: str) -> NightPlan:
    """Return the plan that `plan_to_json` wrote; raises UnreadableSnapshot."""
    plan = _value(NightPlan, "plan", text)
    assert isinstance(plan, NightPlan)  # noqa: S101 - narrows the type for mypy
    return plan


def catalogue_to_json(catalogue: Catalogue) -> str:
    """Return `catalogue` as canonical JSON text; products and watches keep their order."""
    return catalogue_to_bytes(catalogue).decode()


def catalogue_to_bytes(catalogue: Catalogue) -> bytes:
    """Return the text in UTF-8.

    Written item by item, as it is read again: of thirty thousand watches the form between value and text takes 60 MB,
    and each copy of the text 18.
    """
    written = BytesIO()
    for name in sorted(_field_names(Catalogue)):
        written.write(f'{"," if written.tell() else "{"}"{name}":['.encode())
        for at, item in enumerate(getattr(catalogue, name)):
            written.write(f"{',' if at else ''}{_text(item)}".encode())
        written.write(b"]")
    written.write(b"}")
    return written.getvalue()


def catalogue_from_json(text: str) -> Catalogue:
    """Return the catalogue that `catalogue_to_json` wrote; raises UnreadableSnapshot."""
    return catalogue_from_bytes(text.encode())


def catalogue_from_bytes(body: bytes) -> Catalogue:
    """Return the catalogue that `catalogue_to_bytes` wrote, its text decoded piece by piece.

    Raises:
        UnreadableSnapshot: it is damaged.
        UnicodeDecodeError: it is no text.
    """
    try:
        return Catalogue(**{name: tuple(items) for name, items in _lists(Catalogue, JsonText(body)).items()})
    except _DAMAGES:  # damaged, or written in another way: the whole tells
        catalogue = _value(Catalogue, "catalogue", body.decode())
    assert isinstance(catalogue, Catalogue)  # noqa: S101 - narrows the type for mypy
    return catalogue


def to_plain(value: object) -> Any:
    """Return frozen dataclasses of such values as dicts, lists, strings, integers, booleans and None."""
    return _plain(value)


def from_plain(kind: type, what: str, plain: object) -> Any:
    """Return the `kind` that `to_plain` turned into `plain`; `what` names it in UnreadableSnapshot."""
    try:
        return _reader(kind)(plain)
    except _DAMAGES as problem:
        raise UnreadableSnapshot(what, f"{type(problem).__name__}, {problem}") from problem


#: Made once: `json.dumps` makes an encoder on every call that asks for anything unusual.
_encoded = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False).encode


def _text(value: object) -> str:
    return _encoded(_plain(value))


def _plain(value: Any) -> object:
    """Return `value` as what JSON has."""
    kind: Any = type(value)
    if kind in _AS_IT_IS:
        return value
    if kind is Decimal:
        return _decimal_text(value)
    if names := _field_names(kind):
        return {name: held if type(held := getattr(value, name)) in _AS_IT_IS else _plain(held) for name in names}
    if kind is tuple:
        return [_plain(item) for item in value]
    if kind is dict:
        return {str(key): _plain(item) for key, item in value.items()}
    return _rare(value)


@cache
def _field_names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()


def _rare(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, timedelta):
        return _decimal_text(Decimal(value // _MICROSECOND).scaleb(-6))
    if isinstance(value, time | date):  # a datetime is a date; a report has both
        return value.isoformat()
    if isinstance(value, float):
        return int(value) if value.is_integer() else value  # 0.0 and 0 are equal, so they are written alike
    raise TypeError(f"a snapshot cannot hold {type(value).__name__}: {value!r}")


def _decimal_text(value: Decimal) -> str:
    if not value.is_finite():
        raise ValueError(f"a snapshot cannot hold the amount {value}")
    text = format(value, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _value(kind: type, what: str, text: str) -> object:
    try:
        return _reader(kind)(json.loads(text))
    except _DAMAGES as problem:
        raise UnreadableSnapshot(what, f"{type(problem).__name__}, {problem}") from problem


def _lists(kind: type, text: JsonText) -> dict[str, list[Any]]:
    """Return the items of a dataclass that holds nothing but tuples, each made as soon as its text is read."""
    hints = get_type_hints(kind)
    readers = {name: _reader(get_args(hints[name])[0]) for name in _field_names(kind)}
    found: dict[str, list[Any]] = {}
    for name, item in _items(text):
        if name in readers:
            found.setdefault(name, []).extend(map(readers[name], item))
    if missing := readers.keys() - found.keys():
        raise KeyError(f"{kind.__name__}.{min(missing)} is missing")
    return found


def _items(text: JsonText) -> Iterator[tuple[str, list[Any]]]:
    """Yield what an object of lists holds: each name with nothing, so that it is known, and then with one item each.

    Raises:
        ValueError: the text is not as `catalogue_to_json` writes it.
    """
    text.skip("{")
    while not text.begins("}"):
        name = text.value()
        text.skip(":[")
        yield name, []
        while not text.begins("]"):
            yield name, [text.value()]
            if not text.begins("]"):
                text.skip(",")
        text.skip("]" if text.begins("]}") else "],")
    text.skip("}")
    if not text.is_read:
        raise ValueError("more follows")


_Reader = Callable[[Any], object]


@cache
def _reader(hint: Any) -> _Reader:
    """Return the function that turns JSON's value into one of type `hint`."""
    if is_dataclass(hint) and isinstance(hint, type):
        return _dataclass_reader(hint)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is UnionType:
        some = _reader(next(argument for argument in arguments if argument is not type(None)))
        return lambda raw: None if raw is None else some(raw)
    if origin is tuple:
        item = _reader(arguments[0])
        return lambda raw: tuple(item(each) for each in _checked(raw, list))
    if origin is Mapping:
        item = _reader(arguments[1])
        return lambda raw: {key: item(each) for key, each in _checked(raw, dict).items()}
    if issubclass(hint, StrEnum):
        return lambda raw: hint(raw)
    return _SCALARS[hint]


def _dataclass_reader(kind: type) -> _Reader:
    hints = get_type_hints(kind)
    readers = {field.name: _reader(hints[field.name]) for field in fields(kind)}
    needed = {f.name for f in fields(kind) if f.default is MISSING and f.default_factory is MISSING}

    def read(raw: Any) -> object:
        given = _checked(raw, dict)
        if missing := needed - given.keys():
            raise KeyError(f"{kind.__name__}.{min(missing)} is missing")
        return kind(**{name: readers[name](value) for name, value in given.items() if name in readers})

    return read


def _checked(raw: Any, kind: type) -> Any:
    if type(raw) is not kind:  # `True` is an int to isinstance, and must not pass for one here
        raise TypeError(f"expected {kind.__name__}, found {raw!r}")
    return raw


_SCALARS: dict[Any, _Reader] = {
    str: lambda raw: intern(_checked(raw, str)),  # many are alike, and all are like those of the operator's files
    bool: lambda raw: _checked(raw, bool),
    int: lambda raw: _checked(raw, int),
    float: lambda raw: float(raw) if type(raw) is int else _checked(raw, float),
    Decimal: lambda raw: Decimal(_checked(raw, str)),
    timedelta: lambda raw: int(Decimal(_checked(raw, str)).scaleb(6)) * _MICROSECOND,
    time: lambda raw: time.fromisoformat(_checked(raw, str)),
    date: lambda raw: date.fromisoformat(_checked(raw, str)),
    datetime: lambda raw: datetime.fromisoformat(_checked(raw, str)),
}

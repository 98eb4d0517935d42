"""A value worked out when it is first asked for and kept with its object.

Like `functools.cached_property`, which up to Python 3.11 takes one lock for all objects of a class: the threads of a
night then wait for each other, even while one of them reads the database.
"""

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class made_once(Generic[T]):  # noqa: N801 - read as a decorator, like property
    """Decorates a method without arguments. Two threads that ask at once may both work it out: to the same."""

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make = make
        self.__doc__ = make.__doc__

    def __set_name__(self, _owner: type[Any], name: str) -> None:
        self._name = name

    @overload
    def __get__(self, one: None, owner: type[Any]) -> "made_once[T]": ...

    @overload
    def __get__(self, one: object, owner: type[Any]) -> T: ...

    def __get__(self, one: object | None, owner: type[Any]) -> "T | made_once[T]":
        """Work the value out; from then on Python finds it in the object and does not come here."""
        if one is None:
            return self
        value = self._make(one)
        one.__dict__[self._name] = value
        return value

"""Compile each statement once per session of tests, not once per test.

SQLAlchemy keeps what it compiled with the engine, and nearly every test has a store of its own: a quarter of its time
went into compiling the same statements again.
"""

from functools import partial
from typing import Any

from sqlalchemy import create_engine

from monitor.adapters.db import engines


class Compiled:
    """A `compiled_cache` that the engines of one kind of database share; their options change no statement's text."""

    def __init__(self) -> None:
        self._found: dict[Any, Any] = {}

    def get(self, key: Any) -> Any:
        """Return a compiled statement, or None."""
        return self._found.get(_shared(key))

    def __setitem__(self, key: Any, compiled: Any) -> None:
        self._found[_shared(key)] = compiled


def _shared(key: Any) -> Any:
    dialect, *rest = key
    return type(dialect), *rest


def share_compiled_statements() -> None:
    """Let every engine that is made from now on use what others compiled."""
    engines.create_engine = partial(create_engine, execution_options={"compiled_cache": Compiled()})  # type: ignore[attr-defined]

"""One transaction as a `with` block: its turn, its connection, its commit or rollback, and its errors in our words.

Every page of a night opens three. Written as a generator for each of its layers, the layers cost more than what they
wrap, so it is one plain object.
"""

import threading
from collections.abc import Callable
from datetime import datetime
from types import TracebackType
from typing import Generic, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from monitor.adapters.db.kept import Source
from monitor.adapters.db.transaction import Transaction
from monitor.adapters.db.turn import Turn

U = TypeVar("U")


class NestedWrite(RuntimeError):
    """A defect of the program: a transaction that changes rows was opened inside another, and would wait for it."""

    def __init__(self) -> None:
        super().__init__(
            "store.write() was called inside store.write() by the same thread. Nothing of the inner block was done, "
            "and the outer one is rolled back. Pass the open unit on instead of opening another."
        )


class Writes(threading.local):
    """What this thread has open."""

    is_open = False  #: a transaction that may change rows


class Block(Generic[U]):
    """A transaction that begins when it is entered; used once.

    Args:
        source: of its connection.
        check: raises when there is no use to begin.
        unit: makes what the block works with.
        clock: of the store.
        translated: returns the error to raise for one of the driver's, None to let it pass.
        turn: to be waited for before it begins.
        urgent: go before all others that wait for their turn.
    """

    __slots__ = ("_check", "_clock", "_connection", "_source", "_translated", "_turn", "_unit", "_urgent")

    def __init__(
        self,
        source: Source,
        check: Callable[[], None],
        unit: Callable[[Transaction], U],
        clock: Callable[[Connection], datetime],
        translated: Callable[[DBAPIError], Exception | None],
        turn: Turn | None = None,
        *,
        urgent: bool = False,
    ) -> None:
        self._source, self._check, self._unit, self._clock = source, check, unit, clock
        self._translated = translated
        self._turn, self._urgent = turn, urgent

    def __enter__(self) -> U:
        """Wait for the turn and begin."""
        if self._turn is not None:
            self._turn.take(urgent=self._urgent)
        try:
            self._check()
            connection = self._connection = self._source.fetch()
            try:
                self._source.begin(connection)
            except BaseException:
                self._source.give_back(connection, is_well=False)
                raise
        except BaseException as error:
            self._leave_turn()
            self.retold(error)
            raise
        return self._unit(Transaction(connection, self._clock))

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        """Commit, or roll back after an error."""
        try:
            self._end(error)
        except BaseException as failed:
            self.retold(failed)
            raise
        finally:
            self._leave_turn()
        if error is not None:
            self.retold(error)

    def _end(self, error: BaseException | None) -> None:
        is_well = False
        try:
            if error is None:
                self._source.commit(self._connection)
                is_well = True
        finally:
            self._source.give_back(self._connection, is_well=is_well)

    def _leave_turn(self) -> None:
        if self._turn is not None:
            self._turn.give_back(urgent=self._urgent)

    def retold(self, error: BaseException) -> None:
        """Raise what stands for an error of the driver, if something does."""
        told = self._translated(error) if isinstance(error, DBAPIError) else None
        if told is not None:
            raise told from error


class WriteBlock(Block[U]):
    """A transaction that may change rows: one at a time in a thread."""

    __slots__ = ("writes",)

    writes: Writes

    def __enter__(self) -> U:
        """Begin, unless this thread has one open already."""
        if self.writes.is_open:
            raise NestedWrite
        self.writes.is_open = True
        try:
            return super().__enter__()
        except BaseException:
            self.writes.is_open = False
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Commit, or roll back after an error."""
        try:
            super().__exit__(kind, error, trace)
        finally:
            self.writes.is_open = False

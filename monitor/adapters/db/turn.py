"""Whose turn it is to write: one thread at a time, and an urgent one before all that wait.

A plain lock is no queue. With 64 threads behind it the heartbeat could wait so long that the process gave up all its
jobs, although nothing was wrong but the machine slow.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Turn:
    """A lock with a door for the urgent: of the others only one stands at the inner door, the rest wait outside."""

    def __init__(self) -> None:
        self._outer, self._next, self._inner = threading.Lock(), threading.Lock(), threading.Lock()
        self._waiting: set[int] = set()  # threads before the outer door

    @property
    def is_awaited(self) -> bool:
        """Whether somebody stands in line."""
        return bool(self._waiting)

    def take(self, *, urgent: bool = False) -> None:
        """Wait for the turn; an urgent one waits for one turn at most."""
        if not urgent:
            self._line_up()
        try:
            with self._next:
                self._inner.acquire()
        except BaseException:  # interrupted while it waited
            if not urgent:
                self._outer.release()
            raise

    def _line_up(self) -> None:
        if self._outer.acquire(blocking=False):
            return
        me = threading.get_ident()
        self._waiting.add(me)
        try:
            self._outer.acquire()
        finally:
            self._waiting.discard(me)

    def give_back(self, *, urgent: bool = False) -> None:
        """Let the next one have its turn; as it was taken."""
        self._inner.release()
        if not urgent:
            self._outer.release()

    @contextmanager
    def taken(self, *, urgent: bool = False) -> Iterator[None]:
        """Have the turn while the block runs."""
        self.take(urgent=urgent)
        try:
            yield
        finally:
            self.give_back(urgent=urgent)

"""Whose turn it is to write: one thread at a time, and an urgent one before all that wait.

A plain lock is no queue. With 64 threads behind it the heartbeat could wait so long that the process gave up all its
jobs, although nothing was wrong but the machine slow.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext


class Turn:
    """A lock with a door for the urgent: of the others only one stands at the inner door, the rest wait outside."""

    def __init__(self) -> None:
        self._outer, self._next, self._inner = threading.Lock(), threading.Lock(), threading.Lock()

    @property
    def is_awaited(self) -> bool:
        """Whether somebody stands at the inner door and will be the next."""
        return self._next.locked()

    @contextmanager
    def taken(self, *, urgent: bool = False) -> Iterator[None]:
        """Wait for the turn and have it while the block runs; an urgent one waits for one turn at most."""
        with nullcontext() if urgent else self._outer:
            with self._next:
                self._inner.acquire()
            try:
                yield
            finally:
                self._inner.release()

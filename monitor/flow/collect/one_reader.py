"""One page is read at a time in a process.

Only one thread can run Python anyway. Dozens of half-read pages that take turns push each other out of the caches of
the processor, wake each other up for nothing and hold all their trees in memory at once: measured on a night of 64
threads, half of all switches between threads and a tenth of its processor time. A page that takes long holds up nobody
for more than a moment.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

#: Longest wait for the page before, in seconds; a usual page takes a hundredth of that.
PATIENCE_S = 0.5

_reading = threading.Lock()


@contextmanager
def one_reader() -> Iterator[None]:
    """Wait for the page before, but not long."""
    is_alone = _reading.acquire(timeout=PATIENCE_S)
    try:
        yield
    finally:
        if is_alone:
            _reading.release()

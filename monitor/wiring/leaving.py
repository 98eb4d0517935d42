"""Leave in order on SIGTERM, once: whoever asks a second time, as an impatient deploy does, changes nothing.

Until somebody sends SIGKILL, the steps under way are finished and the jobs given back. Ctrl-C is left as it is: a
second one still ends a program whose owner sits before it.
"""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

#: How long a signal may go unheard, in seconds; see `until_asked`.
TURN_S = 0.2


@contextmanager
def leaving_on_sigterm() -> Iterator[None]:
    """Let the first SIGTERM raise KeyboardInterrupt in the block, and ignore others until the process ends.

    Only the main thread may do this. A block that no signal ended leaves everything as it was.
    """
    before = signal.signal(signal.SIGTERM, _leave)
    try:
        yield
    finally:
        if not has_been_asked():
            signal.signal(signal.SIGTERM, before)


def has_been_asked() -> bool:
    """Say whether a SIGTERM came."""
    return signal.getsignal(signal.SIGTERM) is signal.SIG_IGN


def _leave(_signal: int, _frame: FrameType | None) -> None:
    ask_no_more()
    raise KeyboardInterrupt


def ask_no_more() -> None:
    """Ignore SIGTERM from now on, also while the interpreter ends and takes every handler of ours away."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def until_asked() -> NoReturn:
    """Wait in the main thread until a signal raises.

    In short turns: a signal that another thread receives, or that comes in the moment before a wait begins, ends no
    wait, and Python calls its handler when the main thread comes round next; with a wait without end, never.
    """
    while True:
        time.sleep(TURN_S)

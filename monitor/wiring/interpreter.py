"""How Python runs in a working process: dozens of threads that wait for shops, and one that computes.

The defaults suit few threads. A thread that computes is asked every 5 ms to let another one go on; with dozens of them
most of those switches only push each other's pages out of the processor's caches. And what a process holds from its
start, hundreds of thousands of objects, is looked through for garbage again and again.

glibc gives threads heaps of their own, up to eight for each core, and what one page left free in one of them is of no
use to the next page in another: measured, a night of 200 pages grew by 13 MB with two heaps and by 33 MB with sixteen.
"""

import ctypes
import gc
import sys
from collections.abc import Callable

#: How long a thread may compute while others wait, in seconds; a web page of the same process waits a few times that.
SWITCH_S = 0.015
#: New containers between two looks for garbage among the young, and looks before the next older ones.
THRESHOLDS = (5_000, 20, 20)
#: Heaps that glibc may use, and the name of that setting in its malloc.h.
HEAPS, _M_ARENA_MAX = 2, -8
#: Bytes from which a block is a mapping of its own, and that setting's name. By itself glibc raises it to the largest
#: block ever given back, and what such a block took then stays with the process: the text of a catalogue, 18 MB.
MAPPED_ALONE, _M_MMAP_THRESHOLD = 1_000_000, -3


def tuned() -> Callable[[], None]:
    """Tune the interpreter for a working process and return what takes it back."""
    switch, look_again = sys.getswitchinterval(), rarely_looked_through()
    sys.setswitchinterval(SWITCH_S)
    _set_up_heaps()

    def back() -> None:
        look_again()
        sys.setswitchinterval(switch)

    return back


def rarely_looked_through() -> Callable[[], None]:
    """Look for garbage rarely and not in what is held now; for every process that lives long.

    Measured on the dashboard: without it two of forty answers of 70 ms took 340.

    Returns:
        What takes it back.
    """
    thresholds = gc.get_threshold()
    gc.set_threshold(*THRESHOLDS)
    gc.freeze()

    def back() -> None:
        gc.unfreeze()
        gc.set_threshold(*thresholds)

    return back


def give_back() -> None:
    """Give the system what much work took, once it is over; the next kind of work needs room."""
    gc.collect()  # what is of no use and not found yet holds its neighbours, too
    trim()


def trim() -> None:
    """Give the system what the C library keeps free between what is in use, where it can.

    The trees of two pages are never of one size, and what lies free between those of a night comes to a third of the
    process. To give it back once a second took 3 ms of each.
    """
    trimming = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trimming is not None:
        trimming(0)


def _set_up_heaps() -> None:
    """Let threads share heaps and map large blocks, where the C library has the settings; until the process ends."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_ARENA_MAX, HEAPS)
        mallopt(_M_MMAP_THRESHOLD, MAPPED_ALONE)

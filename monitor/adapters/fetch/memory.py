"""How much memory a process and its descendants hold, and how they are ended; read from /proc where there is one.

What several processes share counts once: the ten of a browser share its program, and an empty page would hold a
gigabyte if it were counted for each.
"""

import contextlib
import os
import signal
from collections import defaultdict
from pathlib import Path

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


def resident_bytes(root: int | None) -> int:
    """Return the memory that a process and all its descendants hold, 0 when it is not known."""
    return 0 if root is None else sum(_resident(pid) for pid in tree_of(root))


def end_tree(root: int | None) -> None:
    """Kill a process and all its descendants, the root first, so that it starts no others."""
    for pid in () if root is None else tree_of(root):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def tree_of(root: int) -> list[int]:
    """Return a process and its descendants, parents before children."""
    children: dict[int, list[int]] = defaultdict(list)
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            children[parent].append(int(entry.name))
    found = [root]
    for pid in found:
        found += children[pid]
    return found


def is_driver(pid: int) -> bool:
    """Say whether a process is the driver of a browser, and not another child of this process."""
    try:
        return b"run-driver" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def _resident(pid: int) -> int:
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
        return int(rollup.partition("\nPss:")[2].split()[0]) * 1024
    except (OSError, ValueError, IndexError):
        return _whole(pid)


def _whole(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE_BYTES
    except (OSError, ValueError, IndexError):
        return 0

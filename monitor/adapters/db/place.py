"""Notice that the SQLite file was moved or deleted while it is open.

The system lets whoever has a file open go on reading and writing it after its name is gone: approvals and readings
would be confirmed and be lost with the last connection. SQLite calls this a way to corrupt a database and tells nobody
(sqlite.org/howtocorrupt.html, section 2.4).
"""

import os
from pathlib import Path

from monitor.errors import StoreUnavailable


def refuse_half(path: Path) -> None:
    """Make no new database where the journal of one lies: SQLite would remove it, with the newest changes in it.

    Raises:
        StoreUnavailable: the file is missing, and its journal is there.
    """
    if not path.exists() and Path(f"{path}-wal").exists():
        raise StoreUnavailable(
            f"the database {path} is missing, but its journal {path.name}-wal is there, with the newest changes; "
            "nothing was made. Put the database back beside it, or move the journal away to begin with an empty one"
        )


class Place:
    """The path of a database and the file that was first found there."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._opened: tuple[int, int] | None = None

    def check(self) -> None:
        """Look before a transaction whether the file is still the one that is open; one that is not yet made is right.

        Raises:
            StoreUnavailable: it is gone, or another file has its name.
        """
        try:
            found = os.stat(self._path)  # noqa: PTH116 - once for each transaction, at a third of the cost
        except OSError:
            if self._opened is None:
                return
            raise StoreUnavailable(
                f"the database {self._path} was moved or deleted while it was open; nothing of this transaction was "
                "kept. Put it back, then the work goes on"
            ) from None
        now = (found.st_dev, found.st_ino)
        if self._opened is None:
            self._opened = now
        elif now != self._opened:
            raise StoreUnavailable(
                f"the database {self._path} was replaced by another file while it was open; nothing of this "
                "transaction was kept. Start every process of the monitor again, or put the first file back"
            )

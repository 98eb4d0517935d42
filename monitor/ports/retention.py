"""Removing what is past its age."""

from datetime import datetime
from typing import Protocol

from monitor.domain.retention import Kept


class Archive(Protocol):
    """What is stored and may be removed when it is old. The compact record is out of its reach."""

    def count(self, kind: Kept, before: datetime) -> int:
        """Count what is older than that."""

    def remove(self, kind: Kept, before: datetime, limit: int) -> int:
        """Remove the oldest of it, at most `limit` rows; return how many. Runs inside a write transaction."""

    def give_back(self, pages: int) -> None:
        """Give at most so many freed pages back to the file system, where the database does not do so by itself."""

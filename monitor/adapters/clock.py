"""Clocks: the system's, and one that is ahead of it for the demo's simulated nights."""

from datetime import UTC, datetime, timedelta


class SystemClock:
    """The time of this host, optionally shifted by a fixed amount."""

    def __init__(self, ahead: timedelta = timedelta(0)) -> None:
        self._ahead = ahead

    def now(self) -> datetime:
        """Return the current instant in UTC."""
        return datetime.now(UTC) + self._ahead

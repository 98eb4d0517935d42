"""What holds writes back (the kill switch, products that a person locked), and the shop's numbers of our SKUs."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Protocol

from monitor.domain.lock import PriceLock, WriteStop


class Holds(Protocol):
    """The kill switch and the locks of one open transaction."""

    def stop(self) -> WriteStop | None:
        """Return who stopped all writes, or None while they may go on."""

    def throw(self, *, is_stopped: bool, by: str, reason: str | None) -> WriteStop:
        """Stop all writes or let them go on; every throw of the switch is kept."""

    def throws(self, limit: int) -> tuple[WriteStop, ...]:
        """Return the latest throws of the switch, newest first."""

    def lock(self, sku: str, *, by: str, until: datetime | None, reason: str | None) -> PriceLock:
        """Lock a product; a lock that is still there is released and replaced by this one."""

    def release(self, sku: str, *, by: str) -> PriceLock | None:
        """Take the lock of a product away; None when it has none."""

    def locks(self, skus: Iterable[str] | None = None) -> dict[str, PriceLock]:
        """Return the locks that hold now, by SKU: all of them, or those of these products."""

    def history(self, limit: int) -> tuple[PriceLock, ...]:
        """Return the latest locks, newest first, released and past ones included."""


class Refs(Protocol):
    """Under which number each channel's shop keeps which SKU."""

    def get(self, channel: str, skus: Iterable[str]) -> dict[str, str]:
        """Return the known numbers."""

    def put(self, channel: str, refs: Mapping[str, str]) -> None:
        """Remember these, in place of what was known."""

    def forget(self, channel: str, sku: str) -> None:
        """Forget one that turned out to be wrong."""

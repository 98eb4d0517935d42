"""Shops, clocks and bells."""

from datetime import datetime
from typing import Protocol

from monitor.domain.page import FetchRules, Miss, Page


class Clock(Protocol):
    """Tells the time; tests and the demo set it."""

    def now(self) -> datetime:
        """Return the current instant, aware, in UTC."""


class Fetcher(Protocol):
    """Visits a shop. Safe to repeat: it only reads."""

    def fetch(self, url: str, rules: FetchRules) -> Page | Miss:
        """Return the page at `url` after redirects, or why there is none; never raises for what a shop does."""


class Doorbell(Protocol):
    """Wakes a worker for one job. Best effort: the sweep rings again, so a lost ring only costs time."""

    def ring(self, job_id: int) -> None:
        """Ask some worker to claim this job; never raises."""

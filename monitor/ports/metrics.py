"""Counting what the product promises about crashes, from the stored nights."""

from datetime import datetime
from typing import Protocol

from monitor.domain.durability import Counted


class Metrics(Protocol):
    """Counts over the tables of the nights; changes nothing."""

    def counted(self, *, since: datetime | None = None, run_id: str | None = None) -> Counted:
        """Count over the nights that were due since then, or over one night, or over all."""

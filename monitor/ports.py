"""The outside world as the program sees it: small Protocols, implemented in `adapters/`.

A call that is safe to repeat says so; everything else is guarded by an intent row that is
committed first. No library's exception crosses a port.
"""

from typing import Protocol

from monitor.domain.page import FetchRules, Miss, Page


class Fetcher(Protocol):
    """Visits a shop. Safe to repeat: it only reads."""

    def fetch(self, url: str, rules: FetchRules) -> Page | Miss:
        """Return the page at `url` after redirects, or why there is none; never raises for what a shop does."""

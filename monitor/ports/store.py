"""The database as a unit of work: everything read and written in one `with` is one transaction.

    with store.write() as unit:
        unit.actions.decide(...)
        unit.writes.queue(...)

commits when the block ends and rolls back when it raises. Blocks are short and contain no call to
the outside world; on SQLite a write block holds the one write lock of the process.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, TypeAlias

from monitor.ports.access import Access
from monitor.ports.audit import Audit
from monitor.ports.effects import Effects
from monitor.ports.history import Blobs, Observations, Shops
from monitor.ports.holds import Holds, Refs
from monitor.ports.jobs import Jobs, Runs, Workers
from monitor.ports.matches import Matches
from monitor.ports.messages import Alerts, Mails, Reports
from monitor.ports.metrics import Metrics
from monitor.ports.past import Past
from monitor.ports.retention import Archive
from monitor.ports.review import Actions, Links, Writes
from monitor.ports.standings import Standings


class Unit(Protocol):
    """One open transaction."""

    @property
    def now(self) -> datetime:
        """The store's clock, the same for the whole transaction."""

    @property
    def runs(self) -> Runs:
        """The nights."""

    @property
    def jobs(self) -> Jobs:
        """Jobs and their steps."""

    @property
    def workers(self) -> Workers:
        """Living processes."""

    @property
    def effects(self) -> Effects:
        """Effects made once."""

    @property
    def blobs(self) -> Blobs:
        """Stored bytes."""

    @property
    def observations(self) -> Observations:
        """Readings and price history."""

    @property
    def shops(self) -> Shops:
        """What is remembered of visited hosts."""

    @property
    def actions(self) -> Actions:
        """Proposed price changes and decisions."""

    @property
    def writes(self) -> Writes:
        """Price writes."""

    @property
    def holds(self) -> Holds:
        """The kill switch and locked products."""

    @property
    def refs(self) -> Refs:
        """The shop's own numbers by SKU."""

    @property
    def access(self) -> Access:
        """People, sessions and tokens."""

    @property
    def audit(self) -> Audit:
        """What is kept about proposals."""

    @property
    def links(self) -> Links:
        """Review links."""

    @property
    def mails(self) -> Mails:
        """The outbox."""

    @property
    def alerts(self) -> Alerts:
        """Alerts."""

    @property
    def reports(self) -> Reports:
        """Stored reports."""

    @property
    def past(self) -> Past:
        """Nights gone by, for pages, exports and the command line."""

    @property
    def standings(self) -> Standings:
        """Where our prices stand, by night."""

    @property
    def archive(self) -> Archive:
        """What may be removed when it is old."""

    @property
    def metrics(self) -> Metrics:
        """Counts over the stored nights."""

    @property
    def matches(self) -> Matches:
        """Which listing of a competitor is which of our products."""


#: What a step leaves behind besides its result; runs inside the transaction of its checkpoint.
Effect: TypeAlias = Callable[[Unit], None]


class Store(Protocol):
    """Opens transactions. Raises `monitor.errors.StoreUnavailable` when the database cannot be reached."""

    def write(self, *, urgent: bool = False, joint: bool = False) -> AbstractContextManager[Unit]:
        """Open a transaction that may change rows; an urgent one goes before those that wait for their turn.

        A joint one is short and may be committed together with those of other threads; its block ends when it is.
        """

    def read(self) -> AbstractContextManager[Unit]:
        """Open a transaction that sees one consistent state and changes nothing."""

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

from monitor.ports.history import Blobs, Observations, Shops
from monitor.ports.jobs import Jobs, Runs, Workers
from monitor.ports.messages import Alerts, Mails, Reports
from monitor.ports.review import Actions, Links, Writes


class Unit(Protocol):
    """One open transaction. `now` is the store's clock, the same for the whole transaction."""

    now: datetime
    runs: Runs
    jobs: Jobs
    workers: Workers
    blobs: Blobs
    observations: Observations
    shops: Shops
    actions: Actions
    writes: Writes
    links: Links
    mails: Mails
    alerts: Alerts
    reports: Reports


#: What a step leaves behind besides its result; runs inside the transaction of its checkpoint.
Effect: TypeAlias = Callable[[Unit], None]


class Store(Protocol):
    """Opens transactions. Raises `monitor.errors.StoreUnavailable` when the database cannot be reached."""

    def write(self) -> AbstractContextManager[Unit]:
        """Open a transaction that may change rows."""

    def read(self) -> AbstractContextManager[Unit]:
        """Open a transaction that sees one consistent state and changes nothing."""

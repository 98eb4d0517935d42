"""Opens transactions on SQLite or PostgreSQL; the database decides who may do what.

SQLite: one process-wide lock around write transactions (busy_timeout is no queue: 30 threads
commit 6 times slower on it), BEGIN IMMEDIATE, WAL, synchronous FULL. PostgreSQL: READ COMMITTED,
every claim a conditional update. The clock of a transaction is the database server's on PostgreSQL,
so that leases do not depend on the clocks of the worker hosts (see `server_clock`); on SQLite it is this host's.

A connection that breaks raises StoreUnavailable; nothing of that block was kept, unless it broke
during the commit itself: then the caller's next fenced write finds out.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import cached_property
from pathlib import Path

from sqlalchemy import Connection, Engine, make_url
from sqlalchemy.exc import DatabaseError, DBAPIError, InterfaceError, OperationalError

from monitor.adapters.db.engines import postgresql_engine, sqlite_engines
from monitor.adapters.db.kept import KeptConnection
from monitor.adapters.db.place import Place
from monitor.adapters.db.repositories.access import AccessTable
from monitor.adapters.db.repositories.actions import ActionTable
from monitor.adapters.db.repositories.archive import ArchiveTable
from monitor.adapters.db.repositories.audit import AuditTable
from monitor.adapters.db.repositories.blobs import BlobTable
from monitor.adapters.db.repositories.effects import EffectTable
from monitor.adapters.db.repositories.holds import HoldTable, RefTable
from monitor.adapters.db.repositories.jobs import JobTable
from monitor.adapters.db.repositories.links import LinkTable
from monitor.adapters.db.repositories.matches import MatchTable
from monitor.adapters.db.repositories.messages import AlertTable, MailTable, ReportTable
from monitor.adapters.db.repositories.metrics import MetricTable
from monitor.adapters.db.repositories.observations import ObservationTable
from monitor.adapters.db.repositories.past import PastTable
from monitor.adapters.db.repositories.runs import RunTable
from monitor.adapters.db.repositories.shops import ShopTable
from monitor.adapters.db.repositories.standings import StandingTable
from monitor.adapters.db.repositories.workers import WorkerTable
from monitor.adapters.db.repositories.writes import WriteTable
from monitor.adapters.db.server_clock import ServerClock
from monitor.adapters.db.transaction import Transaction
from monitor.adapters.db.turn import Turn
from monitor.errors import CannotSucceed, StoreUnavailable
from monitor.ports.world import Clock


class SqlUnit:
    """One open transaction with its repositories, each made when it is first used."""

    def __init__(self, tx: Transaction) -> None:
        self.tx = tx

    @property
    def now(self) -> datetime:
        """The store's clock, the same for the whole transaction."""
        return self.tx.now

    @cached_property
    def runs(self) -> RunTable:
        """The nights."""
        return RunTable(self.tx)

    @cached_property
    def jobs(self) -> JobTable:
        """Jobs and their steps."""
        return JobTable(self.tx)

    @cached_property
    def workers(self) -> WorkerTable:
        """Living processes."""
        return WorkerTable(self.tx)

    @cached_property
    def effects(self) -> EffectTable:
        """Effects made once."""
        return EffectTable(self.tx)

    @cached_property
    def blobs(self) -> BlobTable:
        """Stored bytes and what they are for."""
        return BlobTable(self.tx)

    @cached_property
    def observations(self) -> ObservationTable:
        """Readings and price history."""
        return ObservationTable(self.tx)

    @cached_property
    def shops(self) -> ShopTable:
        """Pacing, robots.txt and learnt facts."""
        return ShopTable(self.tx)

    @cached_property
    def actions(self) -> ActionTable:
        """Proposed price changes and decisions."""
        return ActionTable(self.tx)

    @cached_property
    def writes(self) -> WriteTable:
        """Price writes."""
        return WriteTable(self.tx)

    @cached_property
    def holds(self) -> HoldTable:
        """The kill switch and locked products."""
        return HoldTable(self.tx)

    @cached_property
    def refs(self) -> RefTable:
        """The shop's own numbers by SKU."""
        return RefTable(self.tx)

    @cached_property
    def access(self) -> AccessTable:
        """People, sessions and tokens."""
        return AccessTable(self.tx)

    @cached_property
    def audit(self) -> AuditTable:
        """What is kept about proposals."""
        return AuditTable(self.tx)

    @cached_property
    def links(self) -> LinkTable:
        """Review links."""
        return LinkTable(self.tx)

    @cached_property
    def mails(self) -> MailTable:
        """The outbox."""
        return MailTable(self.tx)

    @cached_property
    def alerts(self) -> AlertTable:
        """Alerts."""
        return AlertTable(self.tx)

    @cached_property
    def reports(self) -> ReportTable:
        """Stored reports."""
        return ReportTable(self.tx)

    @cached_property
    def archive(self) -> ArchiveTable:
        """What may be removed when it is old."""
        return ArchiveTable(self.tx)

    @cached_property
    def past(self) -> PastTable:
        """Nights gone by, for pages."""
        return PastTable(self.tx)

    @cached_property
    def standings(self) -> StandingTable:
        """Where our prices stand."""
        return StandingTable(self.tx)

    @cached_property
    def metrics(self) -> MetricTable:
        """Counts over the stored nights."""
        return MetricTable(self.tx)

    @cached_property
    def matches(self) -> MatchTable:
        """Which listing of a competitor is which of our products."""
        return MatchTable(self.tx)


class NestedWrite(RuntimeError):
    """A defect of the program: a transaction that changes rows was opened inside another, and would wait for it."""

    def __init__(self) -> None:
        super().__init__(
            "store.write() was called inside store.write() by the same thread. Nothing of the inner block was done, "
            "and the outer one is rolled back. Pass the open unit on instead of opening another."
        )


class StoreDamaged(CannotSucceed):
    """The SQLite file is no database, or its content is damaged."""

    def __init__(self, path: str, found: str) -> None:
        super().__init__(
            f"{path} cannot be used as the database: {found}. Nothing of this transaction was kept, and the file is as "
            "it was. Put a backup in its place, or name another file with storage.path in monitor.toml"
        )
        self.path = path


class _Mine(threading.local):
    is_writing = False  #: this thread has a transaction open that may change rows


class SqlStore:
    """The database behind `monitor.ports.Store`."""

    def __init__(self, url: str, clock: Clock) -> None:
        """Open no connection yet.

        Args:
            url: `sqlite:///path` or `postgresql+psycopg://user:password@host/database`.
            clock: asked for the time of a transaction on SQLite; PostgreSQL asks its server.
        """
        self.url = make_url(url)
        self._clock = clock
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self._turn = Turn()
        self._mine = _Mine()
        self._kept: KeptConnection | None = None
        self._place: Place | None = None
        self._now: Callable[[Connection], datetime]
        if self.is_sqlite:
            self.writer, self.reader = sqlite_engines(url)
            self._place = Place(Path(self.url.database)) if self.url.database else None
            self._kept = KeptConnection(self.writer)
            self._now = lambda _connection: clock.now()
        else:
            self.writer = self.reader = postgresql_engine(url)
            self._now = ServerClock()

    def __reduce__(self) -> tuple[type["SqlStore"], tuple[str, Clock]]:
        """Pickle as its address: a child process opens connections of its own."""
        return SqlStore, (self.url.render_as_string(hide_password=False), self._clock)

    @contextmanager
    def write(self, *, urgent: bool = False) -> Iterator[SqlUnit]:
        """Open a transaction that may change rows.

        Args:
            urgent: go before all that wait for their turn, for a heartbeat: it must not starve behind 64 threads.

        Raises:
            NestedWrite: this thread has one open already.
        """
        mine = self._mine
        if mine.is_writing:
            raise NestedWrite
        mine.is_writing = True
        try:
            if self._kept is None:
                with self._transaction(self.writer) as unit:
                    yield unit
                return
            with self._turn.taken(urgent=urgent), self._transaction(self._kept) as unit:
                yield unit
        finally:
            mine.is_writing = False

    @contextmanager
    def read(self) -> Iterator[SqlUnit]:
        """Open a transaction that sees one state."""
        with self._transaction(self.reader) as unit:
            yield unit

    @contextmanager
    def _transaction(self, engine: "Engine | KeptConnection") -> Iterator[SqlUnit]:
        if self._place is not None:
            self._place.check()
        try:
            with engine.begin() as connection:
                yield SqlUnit(Transaction(connection, self._now))
        except (OperationalError, InterfaceError) as broken:
            raise StoreUnavailable(_in_words(self.url.render_as_string(), broken)) from broken
        except DBAPIError as broken:
            if self.is_sqlite and type(broken) is DatabaseError:
                raise StoreDamaged(self.url.database or "", str(broken.orig)) from broken
            if broken.connection_invalidated or getattr(broken.orig, "sqlstate", None) in _AWAY:
                raise StoreUnavailable(_in_words(self.url.render_as_string(), broken)) from broken
            raise

    def ping(self) -> str:
        """Connect and say what answers, for `monitor doctor`."""
        with self._transaction(self.reader) as unit:
            return unit.tx.connection.dialect.name

    def close(self) -> None:
        """Close every pooled connection."""
        if self._kept is not None:
            self._kept.close()
        self.writer.dispose()
        self.reader.dispose()


#: PostgreSQL's words for a database that takes no changes for now: it was made read-only, or is a standby.
_AWAY = frozenset({"25006"})


#: By what a database says of its disk: what to do, after which the work goes on by itself.
_MENDED_BY = {
    "disk is full": "make room on its disk, then the work goes on",
    "disk I/O error": "look whether its disk is full or failing",
    "readonly": "let this user write the file and its directory, then the work goes on",
    "No space left": "make room on the disk of the server, then the work goes on",
}


def _in_words(url: str, broken: DBAPIError) -> str:
    said = str(broken.orig).strip()
    advice = next((words for mark, words in _MENDED_BY.items() if mark in said), None)
    told = f"the database {url} {'did not answer' if advice is None else 'takes nothing'} ({said})"
    return f"{told}; nothing of this transaction was kept" + (f"; {advice}" if advice else "")

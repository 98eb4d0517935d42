"""Opens transactions on SQLite or PostgreSQL; the database decides who may do what.

SQLite: one process-wide lock around write transactions (busy_timeout is no queue: 30 threads
commit 6 times slower on it), BEGIN IMMEDIATE, WAL, synchronous FULL. PostgreSQL: READ COMMITTED,
every claim a conditional update. The clock of a transaction is the database server's on PostgreSQL,
so that leases do not depend on the clocks of the worker hosts (see `server_clock`); on SQLite it is this host's.

A connection that breaks raises StoreUnavailable; nothing of that block was kept, unless it broke
during the commit itself: then the caller's next fenced write finds out.
"""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, make_url
from sqlalchemy.exc import DatabaseError, DBAPIError, InterfaceError, OperationalError

from monitor.adapters.db.block import Block, WriteBlock, Writes
from monitor.adapters.db.engines import postgresql_engine, sqlite_engines
from monitor.adapters.db.kept import Kept, Pooled
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
from monitor.adapters.db.together import Alone, JointBlock, Together
from monitor.adapters.db.transaction import Transaction
from monitor.adapters.db.turn import Turn
from monitor.domain.made_once import made_once
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

    @made_once
    def runs(self) -> RunTable:
        """The nights."""
        return RunTable(self.tx)

    @made_once
    def jobs(self) -> JobTable:
        """Jobs and their steps."""
        return JobTable(self.tx)

    @made_once
    def workers(self) -> WorkerTable:
        """Living processes."""
        return WorkerTable(self.tx)

    @made_once
    def effects(self) -> EffectTable:
        """Effects made once."""
        return EffectTable(self.tx)

    @made_once
    def blobs(self) -> BlobTable:
        """Stored bytes and what they are for."""
        return BlobTable(self.tx)

    @made_once
    def observations(self) -> ObservationTable:
        """Readings and price history."""
        return ObservationTable(self.tx)

    @made_once
    def shops(self) -> ShopTable:
        """Pacing, robots.txt and learnt facts."""
        return ShopTable(self.tx)

    @made_once
    def actions(self) -> ActionTable:
        """Proposed price changes and decisions."""
        return ActionTable(self.tx)

    @made_once
    def writes(self) -> WriteTable:
        """Price writes."""
        return WriteTable(self.tx)

    @made_once
    def holds(self) -> HoldTable:
        """The kill switch and locked products."""
        return HoldTable(self.tx)

    @made_once
    def refs(self) -> RefTable:
        """The shop's own numbers by SKU."""
        return RefTable(self.tx)

    @made_once
    def access(self) -> AccessTable:
        """People, sessions and tokens."""
        return AccessTable(self.tx)

    @made_once
    def audit(self) -> AuditTable:
        """What is kept about proposals."""
        return AuditTable(self.tx)

    @made_once
    def links(self) -> LinkTable:
        """Review links."""
        return LinkTable(self.tx)

    @made_once
    def mails(self) -> MailTable:
        """The outbox."""
        return MailTable(self.tx)

    @made_once
    def alerts(self) -> AlertTable:
        """Alerts."""
        return AlertTable(self.tx)

    @made_once
    def reports(self) -> ReportTable:
        """Stored reports."""
        return ReportTable(self.tx)

    @made_once
    def archive(self) -> ArchiveTable:
        """What may be removed when it is old."""
        return ArchiveTable(self.tx)

    @made_once
    def past(self) -> PastTable:
        """Nights gone by, for pages."""
        return PastTable(self.tx)

    @made_once
    def standings(self) -> StandingTable:
        """Where our prices stand."""
        return StandingTable(self.tx)

    @made_once
    def metrics(self) -> MetricTable:
        """Counts over the stored nights."""
        return MetricTable(self.tx)

    @made_once
    def matches(self) -> MatchTable:
        """Which listing of a competitor is which of our products."""
        return MatchTable(self.tx)


class StoreDamaged(CannotSucceed):
    """The SQLite file is no database, or its content is damaged."""

    def __init__(self, path: str, found: str) -> None:
        super().__init__(
            f"{path} cannot be used as the database: {found}. Nothing of this transaction was kept, and the file is as "
            "it was. Put a backup in its place, or name another file with storage.path in monitor.toml"
        )
        self.path = path


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
        self._writes = Writes()
        self._turn: Turn | None = None
        self._together: Together | None = None
        self._for_writing: Alone | Pooled
        self._for_reading: Kept | Pooled
        self._check: Callable[[], None]
        self._now: Callable[[Connection], datetime]
        if self.is_sqlite:
            self.writer, self.reader = sqlite_engines(url)
            self._check = Place(Path(self.url.database or "")).check
            self._turn = Turn()
            self._for_reading, kept = Kept(self.reader), Kept(self.writer)
            self._together = Together(kept, self._turn)
            self._for_writing = Alone(kept, self._together)
            self._now = lambda _connection: clock.now()
        else:
            self.writer = self.reader = postgresql_engine(url)
            self._for_writing = self._for_reading = Pooled(self.writer)
            self._check = lambda: None
            self._now = ServerClock()

    def __reduce__(self) -> tuple[type["SqlStore"], tuple[str, Clock]]:
        """Pickle as its address: a child process opens connections of its own."""
        return SqlStore, (self.url.render_as_string(hide_password=False), self._clock)

    def write(self, *, urgent: bool = False, joint: bool = False) -> "Block[SqlUnit]":
        """Return a transaction that may change rows.

        Args:
            urgent: go before all that wait for their turn, for a heartbeat: it must not starve behind 64 threads.
            joint: it is short and may be committed together with others; the block ends when it is. PostgreSQL
                does this by itself.

        Raises:
            NestedWrite: when it is entered, this thread has one open already.
        """
        block: WriteBlock[SqlUnit]
        if joint and self._together is not None:
            block = joined = JointBlock(
                self._together, self._check, SqlUnit, self._now, self._in_our_words, self._turn, urgent=urgent
            )
            joined.together = self._together
        else:
            block = WriteBlock(
                self._for_writing, self._check, SqlUnit, self._now, self._in_our_words, self._turn, urgent=urgent
            )
        block.writes = self._writes
        return block

    def read(self) -> "Block[SqlUnit]":
        """Return a transaction that sees one state."""
        return Block(self._for_reading, self._check, SqlUnit, self._now, self._in_our_words)

    def _in_our_words(self, broken: DBAPIError) -> Exception | None:
        if isinstance(broken, OperationalError | InterfaceError):
            return StoreUnavailable(_in_words(self.url.render_as_string(), broken))
        if self.is_sqlite and type(broken) is DatabaseError:
            return StoreDamaged(self.url.database or "", str(broken.orig))
        if broken.connection_invalidated or getattr(broken.orig, "sqlstate", None) in _AWAY:
            return StoreUnavailable(_in_words(self.url.render_as_string(), broken))
        return None

    def ping(self) -> str:
        """Connect and say what answers, for `monitor doctor`."""
        with self.read() as unit:
            return unit.tx.connection.dialect.name

    def close(self) -> None:
        """Close every pooled connection."""
        self._for_writing.close()
        self._for_reading.close()


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

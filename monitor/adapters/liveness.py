"""A worker's death seen at once: a lock that the kernel or PostgreSQL frees when the process dies.

Each incarnation holds a lock named after its random id for as long as it lives. Whoever can take that lock knows
that its holder is dead (1 to 4 ms after SIGKILL) and may take over without waiting for the lease. A stopped
process keeps its lock, and a host that vanished keeps it until TCP notices: for those the lease decides.

Embedded, a second lock makes sure that only one working process uses a SQLite file.
"""

import fcntl
import hashlib
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import IO

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

from monitor.errors import Misconfigured, StoreUnavailable


class FileLocks:
    """Locks beside the SQLite file, freed by the kernel."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._held: dict[str, IO[str]] = {}

    def hold(self, worker_id: str) -> None:
        """Take the lock of an incarnation and keep it until the process ends; taking it again changes nothing."""
        if worker_id in self._held:
            return
        self._directory.mkdir(parents=True, exist_ok=True)
        file = self._path(worker_id).open("w")
        fcntl.flock(file, fcntl.LOCK_EX)
        self._held[worker_id] = file

    def is_held_by_us(self, worker_id: str) -> bool:
        """Say whether our own lock is still in our hands; a file lock cannot be lost while we live."""
        return worker_id in self._held

    def outlived_restart(self, worker_id: str) -> bool:
        """Say whether our lock was lost and taken again; a file lock cannot be lost while we live."""
        return worker_id in self._held

    def is_dead(self, worker_id: str) -> bool:
        """Say whether the holder of this lock is gone."""
        if worker_id in self._held:
            return False
        try:
            with self._path(worker_id).open("r+") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except FileNotFoundError:
            return True
        except BlockingIOError:
            return False
        return True

    def forget(self, worker_id: str) -> None:
        """Remove the lock of a dead or ended incarnation."""
        file = self._held.pop(worker_id, None)
        self._path(worker_id).unlink(missing_ok=True)
        if file is not None:
            file.close()

    def _path(self, worker_id: str) -> Path:
        return self._directory / f"{worker_id}.lock"


#: True when the lock can be taken and was there to be held: heard of since the server started, or not for long.
_IS_DEAD = text("""
    SELECT pg_try_advisory_xact_lock(:key) AND coalesce((
        SELECT heartbeat_at > extract(epoch FROM pg_postmaster_start_time()) * 1000000
            OR heartbeat_at < extract(epoch FROM clock_timestamp() - interval '1 minute') * 1000000
        FROM workers WHERE id = :id
    ), true)
""")


class AdvisoryLocks:
    """PostgreSQL session advisory locks on a connection of their own, freed when it ends."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._guard = threading.Lock()
        self._session: Connection | None = None
        self._server_since: datetime | None = None
        self._held: set[str] = set()

    def hold(self, worker_id: str) -> None:
        """Take the lock of an incarnation and keep the connection open.

        Raises:
            StoreUnavailable: PostgreSQL does not answer.
        """
        with self._guard, _in_our_words():
            session = self._connected()
            if worker_id not in self._held:
                session.execute(text("SELECT pg_advisory_lock(:key)"), {"key": _key(worker_id)})
                self._held.add(worker_id)

    def outlived_restart(self, worker_id: str) -> bool:
        """Take our lost lock again when a restart of the server took it; False, without it, when only we lost it.

        A restart frees the locks of all, so nobody takes that for a death; see `is_dead`.

        Raises:
            StoreUnavailable: PostgreSQL does not answer.
        """
        with self._guard, _in_our_words():
            before = self._server_since
            self._connected()
            is_another = self._server_since != before
        if is_another:
            self.hold(worker_id)
        return is_another

    def _connected(self) -> Connection:
        if self._session is None or self._session.closed or self._session.invalidated:
            self._held.clear()
            self._session = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
            self._server_since = self._session.execute(text("SELECT pg_postmaster_start_time()")).scalar_one()
        return self._session

    def is_held_by_us(self, worker_id: str) -> bool:
        """Say whether the connection that holds our lock still lives."""
        with self._guard:
            if worker_id not in self._held or self._session is None:
                return False
            try:
                self._session.execute(text("SELECT 1"))
            except Exception:  # whatever broke it, the lock went with the connection
                self._close()
                return False
            return True

    def is_dead(self, worker_id: str) -> bool:
        """Say whether nobody holds this lock, although the server has not lost it by a restart of its own.

        A worker that gave no sign of life since the server started may live and not have taken its lock again yet:
        then the lease decides, as for a lost host.

        Raises:
            StoreUnavailable: PostgreSQL does not answer, so nobody can tell.
        """
        if worker_id in self._held:
            return False
        with _in_our_words(), self._engine.begin() as connection:
            return bool(connection.execute(_IS_DEAD, {"key": _key(worker_id), "id": worker_id}).scalar_one())

    def forget(self, worker_id: str) -> None:
        """Free our own lock, with its connection when it was the last; a dead holder's is free already."""
        with self._guard:
            if worker_id not in self._held or self._session is None:
                return
            self._held.discard(worker_id)
            with suppress(DBAPIError):  # the lock goes with the connection anyway
                self._session.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": _key(worker_id)})
            if not self._held:
                self._close()

    def _close(self) -> None:
        self._held.clear()
        if self._session is not None:
            with suppress(DBAPIError):
                self._session.close()
        self._session = None


@contextmanager
def _in_our_words() -> Iterator[None]:
    try:
        yield
    except DBAPIError as broken:
        raise StoreUnavailable(f"the database did not answer about a worker's lock: {broken.orig}") from broken


def _key(worker_id: str) -> int:
    return int.from_bytes(hashlib.sha256(worker_id.encode()).digest()[:8], "big", signed=True)


class AnotherWorks(Misconfigured):
    """A second working process was started on one SQLite file."""

    def __init__(self, database: Path, holder: str) -> None:
        super().__init__(
            [
                f"{database}: another working process (pid {holder}) uses this SQLite file. Stop it first (where "
                "`monitor up` runs, end that: it starts a killed child again), or use PostgreSQL and Redis "
                "(MONITOR_DATABASE_URL, MONITOR_REDIS_URL) to run several. Commands that only read or decide work "
                "beside it."
            ]
        )
        self.holder = holder


class OneWorker:
    """Refuses a second working process on one SQLite file."""

    def __init__(self, database: Path) -> None:
        self._path = database.with_name(database.name + ".working")
        self._file: IO[str] | None = None

    def take(self) -> None:
        """Become the one working process.

        Raises:
            AnotherWorks: another process works on this file; its process id is named.
        """
        self._path.parent.mkdir(parents=True, exist_ok=True)
        file = self._path.open("a+")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            holder = file.read().strip() or "unknown"
            file.close()
            raise AnotherWorks(self._path.with_suffix(""), holder) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        self._file = file

    def release(self) -> None:
        """Let another process work."""
        if self._file is not None:
            self._file.close()
            self._file = None

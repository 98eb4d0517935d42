"""Checkpoints of several threads in one transaction of SQLite, while threads stand in line to write.

A commit writes to the log every page that it changed and waits for the disk, and the steps of a night change the same
pages: measured with 64 threads, twenty stood in line on average and each commit wrote 21 pages. So a step that ends
while others wait leaves its transaction open for the next one, and waits until it is committed. Nobody is told that a
step is kept before the disk has it. Each further step has a savepoint, so one that fails undoes itself only; when the
commit fails, or the database breaks, it fails for all of them.

Nothing else joins: any other transaction that changes rows ends the open one first.
"""

import threading
from dataclasses import dataclass, field
from types import TracebackType
from typing import TypeVar

from sqlalchemy import Connection

from monitor.adapters.db.block import WriteBlock
from monitor.adapters.db.kept import Kept, said
from monitor.adapters.db.turn import Turn
from monitor.errors import StoreUnavailable

U = TypeVar("U")

#: Most steps in one commit, so that the first does not wait long for the last.
MOST_TOGETHER = 16
#: Seconds after which a step looks whether whoever stood in line went away; then it commits itself.
PATIENCE_S = 0.1


@dataclass(slots=True)
class Joint:
    """One transaction and how it ended for the steps in it."""

    connection: Connection
    steps: int = 0
    is_kept: bool = False
    failed: Exception | None = None
    ended: threading.Lock = field(default_factory=threading.Lock)  #: locked until it ended, either way

    def __post_init__(self) -> None:
        self.ended.acquire()


class Together:
    """The connection of checkpoints, and what is open on it; but for `wait_for` only whoever has the turn uses it."""

    def __init__(self, kept: Kept, turn: Turn) -> None:
        self._kept, self._turn = kept, turn
        self._open: Joint | None = None
        self.joint: Joint  #: that of the step which has the turn, or had it last

    def fetch(self) -> Connection:
        """Return the connection of the open transaction, or one that nobody uses."""
        self.joint = self._open or Joint(self._kept.fetch())
        return self.joint.connection

    def begin(self, connection: Connection) -> None:
        """Begin a transaction, or a savepoint in the open one."""
        if self._open is None:
            self._kept.begin(connection)
            self._open = self.joint
        else:
            said("SAVEPOINT step", connection)

    def commit(self, connection: Connection) -> None:
        """Have the step kept or lost with the transaction."""
        if self.joint.steps:
            said("RELEASE step", connection)
        self.joint.steps += 1

    def give_back(self, connection: Connection, *, is_well: bool) -> None:
        """Leave the transaction open for the next step in line or end it, after undoing a step that failed."""
        is_sound = is_well or self._undone(connection)
        if not (is_sound and self._turn.is_awaited and self.joint.steps < MOST_TOGETHER):
            self.end(is_sound=is_sound)

    def _undone(self, connection: Connection) -> bool:
        """Undo the last step alone; say whether there is something left to commit."""
        if self.joint.steps:
            try:
                said("ROLLBACK TO step", connection)
                said("RELEASE step", connection)
            except Exception as broken:
                self.joint.failed = broken
                return False
        return self.joint.steps > 0

    def end(self, *, is_sound: bool = True) -> None:
        """Commit what is open, or roll it back, and let its steps go on; they are told when it failed."""
        ends, self._open = self._open or self.joint, None
        try:
            if is_sound:
                self._kept.commit(ends.connection)
                ends.is_kept = True
        except Exception as broken:
            ends.failed = broken
        finally:
            try:
                self._kept.give_back(ends.connection, is_well=ends.is_kept)
            finally:
                ends.ended.release()

    def end_open(self) -> None:
        """Commit what is open, if something is."""
        if self._open is not None:
            self.end()

    def wait_for(self, joint: Joint) -> None:
        """Return when a transaction was committed.

        Raises:
            Exception: it was not; what the driver said.
        """
        if not joint.ended.acquire(timeout=PATIENCE_S):
            with self._turn.taken(urgent=True):
                if self._open is joint:
                    self.end()
            joint.ended.acquire()
        joint.ended.release()
        if not joint.is_kept:
            raise joint.failed or StoreUnavailable("a commit was interrupted; nothing of this transaction was kept")


class Alone:
    """The connection of all other transactions that change rows."""

    def __init__(self, kept: Kept, together: Together) -> None:
        self._kept, self._together = kept, together
        self.begin, self.commit, self.give_back, self.close = kept.begin, kept.commit, kept.give_back, kept.close

    def fetch(self) -> Connection:
        """Return a connection that nobody else uses, after ending what is open."""
        self._together.end_open()
        return self._kept.fetch()


class JointBlock(WriteBlock[U]):
    """A step of a job: it may be committed together with those of other threads."""

    __slots__ = ("together",)

    together: Together

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the turn, then wait for the commit."""
        joint = self.together.joint
        super().__exit__(kind, error, trace)
        if error is None:
            try:
                self.together.wait_for(joint)
            except Exception as failed:
                self.retold(failed)
                raise

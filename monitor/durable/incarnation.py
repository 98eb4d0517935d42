"""One life of one working process: its random id, its heartbeat, and when it must stop.

The id is random per life, never a host or process name, so that a restarted process never takes over the
leases of its former self by accident. A process whose database lock was lost looks dead to the others, so it begins
another life under a new id and drops what the old one had claimed.

A heartbeat renews the leases of the jobs this process works on. When no renewal succeeded for `fence_after`, the
process fences itself: steps under way end, and nothing of them is committed. SIGSTOP, a partition and a long garbage
collection all look the same from here.
"""

import threading
import time
import uuid
from collections.abc import Callable
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitor.domain.run import Claim
    from monitor.ports.store import Store

#: How long a claim lasts without renewal; DESIGN: the backstop for lost hosts.
LEASE = timedelta(seconds=15)
#: How often the heartbeat renews.
HEARTBEAT = timedelta(seconds=4)
#: After this long without a successful renewal the process stops by itself, before its leases end.
FENCE_AFTER = timedelta(seconds=10)


class Incarnation:
    """Who works here, on which jobs, and whether it still may."""

    def __init__(self, role: str, *, lease: timedelta = LEASE, fence_after: timedelta = FENCE_AFTER) -> None:
        self.id = uuid.uuid4().hex
        self.role = role
        self.lease = lease
        self._fence_after_s = fence_after.total_seconds()
        self._claims: list[Claim] = []
        self._guard = threading.Lock()
        self._renewed_at = time.monotonic()
        self._stopping = threading.Event()

    @property
    def is_stopping(self) -> bool:
        """Whether a drain was asked for: finish the step under way, then give the job back."""
        return self._stopping.is_set()

    @property
    def is_fenced(self) -> bool:
        """Whether leases may have ended without us noticing."""
        return time.monotonic() - self._renewed_at > self._fence_after_s

    def drain(self) -> None:
        """Ask every loop to give its job back after the current step."""
        self._stopping.set()

    def wait(self, seconds: float) -> bool:
        """Sleep, but wake at once when a drain is asked for; say whether it was."""
        return self._stopping.wait(seconds)

    def holds(self, claim: "Claim") -> bool:
        """Say whether a claim was made in this life; one of a former life must be dropped."""
        return claim.owner == self.id

    def begin_another_life(self) -> str:
        """Take a new id and return the former; whoever works under the former stops at the end of its step."""
        with self._guard:
            former, self.id = self.id, uuid.uuid4().hex
        return former

    @contextmanager
    def working_on(self, claim: "Claim") -> "Iterator[None]":
        """Have the heartbeat renew this claim while the block runs."""
        with self._guard:
            if not self._claims:
                self._renewed_at = time.monotonic()
            self._claims.append(claim)
        try:
            yield
        finally:
            with self._guard:
                self._claims.remove(claim)

    def beat(self, store: "Store") -> int:
        """Renew the leases of the jobs under way and say that this process lives; return how many."""
        with self._guard:
            me, mine = self.id, tuple(claim.job.id for claim in self._claims if claim.owner == self.id)
        before = time.monotonic()
        with store.write(urgent=True) as unit:
            unit.workers.heartbeat(me, is_draining=self.is_stopping)
            renewed = unit.jobs.renew(me, mine, self.lease)
        self._renewed_at = before
        return renewed

    def beat_forever(self, store: "Store", on_error: Callable[[Exception], None], every: timedelta = HEARTBEAT) -> None:
        """Beat until a drain is asked for and no job is left; runs in a thread of its own.

        No beat that fails ends it, whatever the reason: a process without a heartbeat loses every job it claims.
        """
        while not (self.is_stopping and not self._claims):
            try:
                self.beat(store)
            except Exception as failed:
                on_error(failed)
            if self.wait(every.total_seconds()):
                time.sleep(0.1)  # jobs are being given back; renew them until none is left, and then end at once

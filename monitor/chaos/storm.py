"""What is done to the workers of one night, drawn from the seed and the night's number."""

import os
import signal
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TypeVar

from monitor.domain.run import ENDED, Job, JobState
from monitor.errors import RetryLater
from monitor.ports.store import Store

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Blow:
    """One thing that happens to one worker."""

    is_eager: bool  #: strikes wherever the worker is; else not before it works on a job
    after_s: float  #: since the blow before, or since it works
    is_kill: bool  #: SIGKILL; else SIGSTOP for `stopped_s`
    stopped_s: float
    victim: float  #: 0 to 1, which of the workers


@dataclass(frozen=True, slots=True)
class Storm:
    """All blows of a night, and which shop hangs meanwhile."""

    blows: tuple[Blow, ...]
    sheltered: int  #: how many of the blows come after the hanging shop answers again
    hanging: float  #: 0 to 1, which of the shops
    page: int  #: which of its pages
    bell: int  #: seed of a misled broker; 0: the broker is well
    is_deaf: bool  #: the broker forgets every message in the middle of the night
    greedy: float | None = None  #: 0 to 1, which of the watches has a page that takes all memory; None: none
    restart: bool | None = None  #: PostgreSQL is restarted in the middle of the night; True: without a goodbye


def storm_of(seed: int, night: int, pages: int) -> Storm:
    """Draw the storm of a night."""
    rng = Random(f"chaos storm {seed} {night}")
    blows = tuple(
        Blow(rng.random() < 0.15, rng.uniform(0.0, 0.4), rng.random() < 0.85, rng.uniform(0.05, 0.8), rng.random())
        for _ in range(rng.randint(6, 9))
    )
    bell = rng.randint(1, 2**31) if rng.random() < 0.15 else 0
    sheltered, hanging, page = rng.randint(1, len(blows) // 2), rng.random(), rng.randint(1, pages)
    is_deaf = rng.random() < 0.2
    greedy = rng.random() if rng.random() < 0.3 else None
    restart = rng.random() < 0.5 if rng.random() < 0.5 else None
    return Storm(blows, sheltered, hanging, page, bell, is_deaf, greedy, restart)


def would_starve(jobs: Iterable[Job], pages: int, *, deaths_to_come: int) -> bool:
    """Say whether the tries that killing costs would leave too few tool calls for the pages of a job.

    Each start of a step is paid, so that a crash loop ends; pages that are skipped then are skipped rightly.
    """
    return any(job.calls_limit - job.calls_used <= pages + deaths_to_come for job in jobs if job.key)


@dataclass
class Timeline:
    """What happened when, to be told when something went wrong."""

    began: float = field(default_factory=time.monotonic)
    lines: list[str] = field(default_factory=list)

    def tell(self, words: str) -> None:
        """Note what happens now."""
        self.lines.append(f"{time.monotonic() - self.began:9.3f} s  {words}")


@dataclass
class Interrupted:
    """A job whose worker was killed, until somebody claims it again."""

    job: Job
    killed_at: float  #: monotonic seconds
    resumed_after_s: float | None = None


@dataclass
class Watch:
    """Sees how long interrupted jobs wait for their next claim."""

    store: Store
    interrupted: list[Interrupted] = field(default_factory=list)

    def running(self, run_id: str, pid: int) -> list[Job]:
        """Return the jobs that a process works on."""
        with self.store.read() as unit:
            owners = {row.id for row in unit.workers.all() if row.pid == pid}
            return [job for job in unit.jobs.of_run(run_id) if job.state is JobState.RUNNING and job.owner in owners]

    def killed(self, jobs: list[Job]) -> None:
        """Watch these from now on."""
        now = time.monotonic()
        self.interrupted += [Interrupted(job, now) for job in jobs]

    def is_over(self) -> bool:
        """Say whether every interrupted job was claimed again."""
        return all(each.resumed_after_s is not None for each in self.interrupted)

    def look(self) -> None:
        """See which were claimed again."""
        waiting = [each for each in self.interrupted if each.resumed_after_s is None]
        if not waiting:
            return
        found: dict[int, Job | None] = {}
        with suppress(RetryLater), self.store.read() as unit:
            found = {each.job.id: unit.jobs.get(each.job.id) for each in waiting}
        for each in waiting:
            job = found.get(each.job.id)
            if job is not None and (job.fence > each.job.fence or job.state in ENDED):
                each.resumed_after_s = time.monotonic() - each.killed_at

    def wait(self, seconds: float, until: Callable[[], object] = lambda: False) -> bool:
        """Look again and again for so long, or until something is true; return whether it is."""
        give_up_at = time.monotonic() + seconds
        while not (came := until()) and time.monotonic() < give_up_at:
            self.look()
            time.sleep(0.02)
        return bool(came or until())


def insist(ask: Callable[[], Answer], seconds: float = 60.0) -> Answer:
    """Ask a database that may be away just now, again and again for so long."""
    give_up_at = time.monotonic() + seconds
    while True:
        try:
            return ask()
        except RetryLater:
            if time.monotonic() > give_up_at:
                raise
            time.sleep(0.1)


def caught(pid: int, ask: Callable[[], Answer], seconds: float = 60.0) -> Answer:
    """Stop a process and ask the database something while it stands still.

    It may be caught in the moment in which nobody else can read. So when there is no answer it goes on, and is stopped
    again a little later.
    """

    def asked() -> Answer:
        stop(pid)
        try:
            return ask()
        except RetryLater:
            resume(pid)
            raise

    return insist(asked, seconds)


def stop(pid: int) -> None:
    """SIGSTOP, and wait until the process really stands still, where the system tells that."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGSTOP)
    give_up_at = time.monotonic() + 5.0
    while time.monotonic() < give_up_at:
        time.sleep(0.005)
        if _state(pid) not in _MOVING:
            return


#: What Linux calls a process that runs, waits or waits for a disk.
_MOVING = frozenset("RSD")


def _state(pid: int) -> str:
    """Return the letter of a process's state; none where it is gone or the system has no such file."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def resume(pid: int) -> None:
    """SIGCONT."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGCONT)


def kill(pid: int) -> None:
    """SIGKILL."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)

"""A page that takes all memory: whoever reads it dies of it, unless it has a limit of its own.

The first process to read the page is killed, and so is the second. The third reads it alone in a child process
with a limit of memory, dies there, and only that watch goes without a reading (`monitor.durable.suspect`).

The kernel's part is played: a process without a limit is killed as the kernel would kill it, before this machine runs
out. In the child, memory is taken until its limit refuses it.
"""

import os
import resource
import signal
from dataclasses import dataclass

from monitor.domain.page import FetchRules, Miss, Page
from monitor.ports.world import Fetcher

#: What the page says at its end.
MARK = "<!-- takes all memory -->"
_PIECE = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Greedy:
    """Fetches like another fetcher, and runs out of memory over a marked page."""

    fetcher: Fetcher

    def fetch(self, url: str, rules: FetchRules) -> Page | Miss:
        """Return what the other returns, or die."""
        answer = self.fetcher.fetch(url, rules)
        if isinstance(answer, Page) and MARK.encode() in answer.body:
            take_all_memory()
        return answer


def take_all_memory() -> None:
    """Raise MemoryError where memory is limited; elsewhere do not come back."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        os.kill(os.getpid(), signal.SIGKILL)
    taken = []
    while True:
        taken.append(bytearray(_PIECE))

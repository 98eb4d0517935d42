"""Steps that may be killing their process, and how they are run so that they kill nothing else.

A step during which the process died twice is suspect. Deaths are counted, not starts: a step that was made again
after a deploy, a restart of the database or a lost lock has killed nobody. A page that makes its process hang shows in
leases that end, and so does a database that is away; those count from the third trouble on. Whether the page is poison
or the host merely rebooted twice cannot be told from here, so the step is not given up: it is made again, and what is
dangerous in it runs alone in a child process with limits of memory and time. Only a death *there* marks the step
failed.

A tool makes its dangerous parts through `ToolContext.call(function, *arguments)`: fetching, parsing, rendering. That is
an ordinary call in an ordinary step. In a suspect one the function and its arguments are pickled, so both must be
importable or know how to be rebuilt; what comes back is the answer, never an effect.
"""

from collections.abc import Callable, Sequence
from typing import ParamSpec, Protocol, TypeVar

from monitor.domain.durability import Cause
from monitor.domain.status import Interruption
from monitor.errors import CannotSucceed

P = ParamSpec("P")
T = TypeVar("T")

#: So many deaths of a process make the step suspect in which they happened,
DEATHS = 2
#: or so many deaths and ended leases together.
TROUBLES = 3


class DiedAlone(CannotSucceed):
    """A suspect step killed the child process in which it ran alone."""

    def __init__(self, what: str, how: str) -> None:
        super().__init__(
            f"{what}: the process died twice during this step, so it was run alone in a child process, and that "
            f"{how}. The step is given up; the job goes on, and what it read before is kept."
        )
        self.what, self.how = what, how


class Caller(Protocol):
    """Calls a function: here, or somewhere it can do no harm."""

    def __call__(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what the function returns, or raise what it raises. Raises DiedAlone when it killed its child."""


def here(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function in this process, as every step that is not suspect does."""
    return function(*args, **kwargs)


def is_suspect(seq: int, interruptions: Sequence[Interruption]) -> bool:
    """Say whether a step has interrupted its job too often."""
    causes = [each.cause for each in interruptions if each.seq == seq]
    deaths = causes.count(Cause.DIED)
    return deaths >= DEATHS or deaths + causes.count(Cause.SILENT) >= TROUBLES

"""Run one function alone in a child process, with limits of memory and time; `monitor.durable.suspect` says when.

Not a fork of this process: it has threads, and a fork would copy their locks as they happen to stand. The children are
forked by a process without threads (`monitor.adapters.alone.stem`) that has imported what this one has, so that a child
costs a fork and not a second of imports. Function and arguments travel pickled in a file, the
answer the same way back through a pipe. A child ignores SIGTERM and SIGINT and has a session of its own, so that only
its own work, its limits or somebody's kill -9 can end it; when this process dies, it finds nobody to answer and ends
with its call.

Not promised: that a child killed for want of memory by the host, because of its neighbours, is told from one that is
itself to blame.
"""

import atexit
import os
import pickle
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import ParamSpec, TypeVar

from monitor.adapters.alone import stem
from monitor.durable import DiedAlone

#: Children of one process at once: after a crash many steps may be suspect.
MOST_AT_ONCE = max(4, 2 * (os.cpu_count() or 1))
_ROOM = threading.BoundedSemaphore(MOST_AT_ONCE)
#: How often a call is begun again because the stem went away under it.
_STEMS = 3
#: How long a stem without a line may take to end.
_STEM_ENDS_S = 5.0

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class AloneLimits:
    """What a child may use; far above what an honest page needs."""

    memory_bytes: int = 1_500_000_000  #: of address space
    processor_s: int = 120
    wall_s: int = 420  #: longer than the longest deadline a page may have


class Alone:
    """Calls functions in children of their own, one child per call, and not more than MOST_AT_ONCE at a time."""

    def __init__(self, limits: AloneLimits = AloneLimits()) -> None:
        self._limits = limits

    def __call__(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what the function returns, or raise what it raises.

        Raises:
            DiedAlone: the child died or passed a limit.
        """
        what = f"{function.__module__}.{function.__qualname__}"
        answer = self._ask(what, pickle.dumps((function, args, kwargs)))
        is_result, value = pickle.loads(answer)  # noqa: S301 - our own child wrote it
        if is_result:
            result: T = value
            return result
        if isinstance(value, MemoryError):
            raise DiedAlone(what, f"needed more than {self._limits.memory_bytes // 1_000_000} MB of memory")
        raise value

    def _ask(self, what: str, request: bytes) -> bytes:
        with _ROOM:
            for _ in range(_STEMS):
                with suppress(_StemGone):
                    return self._asked(what, request)
        raise DiedAlone(what, f"was begun {_STEMS} times and whoever began it was ended each time")

    def _asked(self, what: str, request: bytes) -> bytes:
        limits = self._limits
        give_up_at = time.monotonic() + limits.wall_s
        with _begun(request, limits) as child:
            try:
                answer = _read_all(child.answer, give_up_at)
                code = child.code(give_up_at)
            except TimeoutError:
                child.kill()
                raise DiedAlone(what, f"did not end within {limits.wall_s} s") from None
        if code != 0 or not answer:
            raise DiedAlone(what, _ended(code, limits))
        return answer


class _StemGone(Exception):
    """The process that begins children was ended, which says nothing about the child's work."""


@dataclass(frozen=True, slots=True)
class _Child:
    """The ends of a child's pipes that are ours."""

    pid: int
    answer: int
    status: int

    def code(self, give_up_at: float) -> int:
        """Return how it ended: an exit code, or minus the signal."""
        written = _read_all(self.status, give_up_at)
        if not written:
            raise _StemGone
        return stem.read_number(written)

    def kill(self) -> None:
        """End it, unless it ended meanwhile and its number may be somebody else's."""
        if not wait([self.status], 0):
            os.kill(self.pid, signal.SIGKILL)


@contextmanager
def _begun(request: bytes, limits: AloneLimits) -> Iterator[_Child]:
    """Have a child begun."""
    with ExitStack() as ours, ExitStack() as theirs:
        asked = ours.enter_context(tempfile.TemporaryFile())
        asked.write(request)
        asked.seek(0)
        ends = []
        for _ in ("answer", "status"):
            reads, writes = os.pipe()
            ours.callback(os.close, reads)
            theirs.callback(os.close, writes)
            ends.append((reads, writes))
        (answer, answers), (status, statuses) = ends
        limit = (limits.memory_bytes, limits.processor_s)
        _the_stem(stem.pack(*limit), [asked.fileno(), answers, statuses])
        theirs.close()
        pid = os.read(status, stem.NUMBER)
        if not pid:
            raise _StemGone
        yield _Child(stem.read_number(pid), answer, status)


def _read_all(pipe: int, give_up_at: float) -> bytes:
    parts: list[bytes] = []
    while True:
        if not wait([pipe], max(0.0, give_up_at - time.monotonic())):
            raise TimeoutError
        part = os.read(pipe, 1 << 16)
        if not part:
            return b"".join(parts)
        parts.append(part)


class _Stem:
    """The stem of this process, started when first needed and again when it is gone."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._line: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        atexit.register(self.close)

    def __call__(self, message: bytes, ends: list[int]) -> None:
        """Ask it for a child; the ends of the pipes become the child's."""
        with self._guard:
            try:
                socket.send_fds(self._line or self._started(), [message], ends)
            except OSError:
                self._end()
                socket.send_fds(self._started(), [message], ends)

    def fork(self) -> None:
        """Start it as a fork of this process."""
        ours, theirs = socket.socketpair()
        with self._guard, theirs:
            between = os.fork()
            if between == 0:
                stem.be_forked(theirs, ours)
            os.waitpid(between, 0)
            self._line = ours

    def _started(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - this interpreter and our module
                [sys.executable, "-m", stem.__name__],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                env=os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
                start_new_session=True,
            )
        ours.sendall(stem.imports(_imported()))
        self._line = ours
        return ours

    def close(self) -> None:
        """Let it end; children under way go on."""
        with self._guard:
            self._end()

    def _end(self) -> None:
        if self._line is not None:
            self._line.close()
        if self._process is not None:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_STEM_ENDS_S)
            self._process.kill()
            self._process.wait()
        self._line = self._process = None


_the_stem = _Stem()


def fork_the_stem() -> None:
    """Start the stem of this process now, by a fork, which costs no imports.

    Only for a process that has no other thread and no connection yet, and no stem.
    """
    _the_stem.fork()


def _imported() -> list[str]:
    """Return our modules that this process has, which are those that its steps need."""
    return sorted(name for name in list(sys.modules) if name.startswith("monitor.") and "__main__" not in name)


def _ended(code: int, limits: AloneLimits) -> str:
    if code == -signal.SIGXCPU:
        return f"used more than {limits.processor_s} s of processor time"
    if code < 0:
        return f"was ended by {signal.Signals(-code).name}"
    return f"ended with exit code {code}"

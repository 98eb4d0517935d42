"""Run one function alone in a child process, with limits of memory and time; `monitor.durable.suspect` says when.

A fresh interpreter, not a fork: this process has threads, and a fork would copy their locks as they happen to
stand. Function and arguments travel pickled through a pipe, and the answer the same way back. The child ignores SIGTERM
and SIGINT and has a session of its own, so that only its own work, its limits or somebody's kill -9 can end it; when
this process dies, it finds nobody to answer and ends with its call.

Not promised: that a child killed for want of memory by the host, because of its neighbours, is told from one that is
itself to blame.
"""

import os
import pickle
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

from monitor.durable import DiedAlone
from monitor.errors import CannotSucceed, OutcomeUnknown, RetryLater

#: Children of one process at once: after a crash many steps may be suspect, and each start costs a second of processor.
MOST_AT_ONCE = max(4, 2 * (os.cpu_count() or 1))
_ROOM = threading.BoundedSemaphore(MOST_AT_ONCE)

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
            return self._asked(what, request)

    def _asked(self, what: str, request: bytes) -> bytes:
        limits = self._limits
        with subprocess.Popen(  # noqa: S603 - this interpreter and this module
            [sys.executable, "-m", __name__, str(limits.memory_bytes), str(limits.processor_s)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
            start_new_session=True,
        ) as child:
            try:
                answer, _ = child.communicate(request, timeout=limits.wall_s)
            except subprocess.TimeoutExpired:
                raise DiedAlone(what, f"did not end within {limits.wall_s} s") from None
            finally:
                child.kill()
        if child.returncode != 0 or not answer:
            raise DiedAlone(what, _ended(child.returncode, limits))
        return answer


def _ended(code: int, limits: AloneLimits) -> str:
    if code == -signal.SIGXCPU:
        return f"used more than {limits.processor_s} s of processor time"
    if code < 0:
        return f"was ended by {signal.Signals(-code).name}"
    return f"ended with exit code {code}"


def _limit(memory_bytes: int, processor_s: int) -> None:
    limits = {
        resource.RLIMIT_AS: (memory_bytes, memory_bytes),
        resource.RLIMIT_CPU: (processor_s, processor_s + 5),  # the first sends SIGXCPU, which tells why
        resource.RLIMIT_CORE: (0, 0),
    }
    for what, most in limits.items():
        with suppress(ValueError, OSError):  # not every system has every limit
            resource.setrlimit(what, most)


def _called(request: bytes) -> tuple[bool, Any]:
    try:
        function, args, kwargs = pickle.loads(request)  # noqa: S301 - our own parent wrote it
        return True, function(*args, **kwargs)
    except MemoryError:
        return False, MemoryError()
    except Exception as error:
        return False, _portable(error)


def _portable(error: Exception) -> Exception:
    """Return an error that survives pickling: itself, or its branch of `monitor.errors` with its words."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - written the line before
    except Exception:
        branches = (CannotSucceed, RetryLater, OutcomeUnknown)
        branch = next((kind for kind in branches if isinstance(error, kind)), None)
        return branch(str(error)) if branch else RuntimeError(f"{type(error).__name__}: {error}")
    return error


def main() -> None:
    """Be the child: read one call from standard input, answer on standard output."""
    for ignored in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ignored, signal.SIG_IGN)
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)  # what the function prints must not mix with the answer
        _limit(int(sys.argv[1]), int(sys.argv[2]))
        answers.write(pickle.dumps(_called(sys.stdin.buffer.read())))


if __name__ == "__main__":
    main()

"""The process from which the children of `monitor.adapters.alone` are forked.

It has one thread and no connection, so a fork of it is as good as a fresh interpreter, and it has imported whatever the
first message on its line named; `be_forked` makes one of a process that has imported it already. For each call it is
sent the limits and three files: the call, the end of a pipe for the answer and one for itself, on which it writes the
child's number at once and how the child ended when it did. It ends when its owner is gone, or when nobody wanted a
child for a minute; children under way end by themselves.
"""

import gc
import importlib
import os
import pickle
import resource
import select
import signal
import socket
import struct
from contextlib import suppress
from typing import Any, NoReturn

from monitor.errors import CannotSucceed, OutcomeUnknown, RetryLater

_LIMITS = struct.Struct("!qq")
_NUMBER = struct.Struct("!q")
#: Bytes of a number on the line of a child's fate.
NUMBER = _NUMBER.size
#: Without a call for so long it ends, so that its memory is not kept through the day.
_IDLE_S = 60.0


def pack(memory_bytes: int, processor_s: int) -> bytes:
    """Write the limits of a child as they are sent."""
    return _LIMITS.pack(memory_bytes, processor_s)


def imports(names: list[str]) -> bytes:
    """Write the modules to be imported before the first fork, as they are sent before the first call."""
    written = "\n".join(names).encode()
    return _NUMBER.pack(len(written)) + written


def read_number(written: bytes) -> int:
    """Read a child's number, or how it ended: an exit code, or minus the signal."""
    number: int = _NUMBER.unpack(written)[0]
    return number


class Stem:
    """Forks a child for each message on its line."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line
        self._fates: dict[int, int] = {}
        self._woken, wakes = os.pipe()
        os.set_blocking(wakes, False)
        signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda _signal, _frame: None)

    def serve(self) -> None:
        """Fork children until the line ends or nobody asks for a while."""
        while True:
            ready, _, _ = select.select([self._line.fileno(), self._woken], [], [], _IDLE_S)
            if self._woken in ready:
                os.read(self._woken, 4096)
                self._reap()
            if self._line.fileno() in ready and not self._fork():
                return
            if not ready and not self._fates:
                return

    def _fork(self) -> bool:
        message, ends, _, _ = socket.recv_fds(self._line, _LIMITS.size, 3)
        if len(message) < _LIMITS.size or len(ends) != 3:
            return False
        call, answer, fate = ends
        child = os.fork()
        if child == 0:
            _be_the_child(call, answer, *_LIMITS.unpack(message))
        self._fates[child] = fate
        self._tell(child, child)
        os.close(call)
        os.close(answer)
        return True

    def _reap(self) -> None:
        while self._fates:
            child, status = os.waitpid(-1, os.WNOHANG)
            if child == 0:
                return
            self._tell(child, os.waitstatus_to_exitcode(status))
            os.close(self._fates.pop(child))

    def _tell(self, child: int, number: int) -> None:
        with suppress(BrokenPipeError):  # its owner is gone, which the line says too
            os.write(self._fates[child], _NUMBER.pack(number))


def _be_the_child(call: int, answer: int, memory_bytes: int, processor_s: int) -> NoReturn:
    """Make the call and leave, without whatever an interpreter does at its end."""
    code = 1
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.dup2(2, 1)  # what the function prints must not mix with anything
        first, second = sorted((call, answer))
        for low, high in ((3, first), (first + 1, second), (second + 1, os.sysconf("SC_OPEN_MAX"))):
            os.closerange(low, high)
        with os.fdopen(call, "rb") as asked:
            request = asked.read()
        _limit(memory_bytes, processor_s)
        with os.fdopen(answer, "wb") as answers:
            answers.write(pickle.dumps(_called(request)))
        code = 0
    finally:
        os._exit(code)


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
        function, args, kwargs = pickle.loads(request)  # noqa: S301 - our own owner wrote it
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
    """Import the modules that are named, then fork children; standard input is the line."""
    for ignored in (signal.SIGINT, signal.SIGTERM):  # while it imports, too
        signal.signal(ignored, signal.SIG_IGN)
    line = socket.socket(fileno=os.dup(0))
    announced = line.recv(NUMBER, socket.MSG_WAITALL)
    if len(announced) < NUMBER:
        return  # its owner is gone already
    length = read_number(announced)
    for name in line.recv(length, socket.MSG_WAITALL).decode().split():
        with suppress(Exception):  # what cannot be had is missed by the child that needs it, and named there
            importlib.import_module(name)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    _serve(line)


def be_forked(line: socket.socket, owners: socket.socket) -> NoReturn:
    """Serve in a child of the child that calls this, so that nobody has to wait for its end.

    Args:
        line: our end.
        owners: the other end, which is closed here: a stem that holds it would not see that its owner is gone.
    """
    try:
        if os.fork() == 0:
            owners.close()
            os.setsid()
            _serve(line)
    finally:
        os._exit(0)


def _serve(line: socket.socket) -> None:
    for ignored in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ignored, signal.SIG_IGN)
    gc.freeze()
    Stem(line).serve()


if __name__ == "__main__":
    main()

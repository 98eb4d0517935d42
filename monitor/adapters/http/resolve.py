"""Names to addresses, within a limit, and remembered for a minute.

`getaddrinfo` cannot be interrupted, so each look-up has a thread of its own that is left behind when it
takes too long: a daemon thread, so that it does not hold up the end of the process, and only so many at
once. Nothing is judged here; the network layer checks every address it is given, each time it connects.
"""

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from ipaddress import ip_address

from monitor.adapters.http.call import Stopped
from monitor.domain.page import MissReason

#: Returns the addresses of a name; raises OSError when there are none.
Lookup = Callable[[str, int], Sequence[str]]

#: Seconds one look-up may take.
LIMIT_S = 5.0

#: Seconds an answer is used again.
KEEP_S = 60.0

_MOST_REMEMBERED = 4096


def system_lookup(host: str, port: int) -> tuple[str, ...]:
    """Ask the operating system, as every other program of this machine does."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(entry[4][0]) for entry in found))


class Resolver:
    """Looks names up, `parallel` at a time at most; safe to share between threads."""

    def __init__(self, lookup: Lookup = system_lookup, *, keep_s: float = KEEP_S, parallel: int = 32) -> None:
        self._lookup, self._keep_s = lookup, keep_s
        self._slots = threading.Semaphore(parallel)
        self._lock = threading.Lock()
        self._known: dict[tuple[str, int], tuple[float, tuple[str, ...]]] = {}

    def addresses(self, host: str, port: int, timeout_s: float) -> tuple[str, ...]:
        """Return every address of `host`, in the resolver's order.

        Raises:
            Stopped: no such name, no address, or no answer within 5 seconds or `timeout_s`.
        """
        with contextlib.suppress(ValueError):
            return (str(ip_address(host)),)
        with self._lock:
            until, found = self._known.get((host, port), (0.0, ()))
        if time.monotonic() < until:
            return found
        found = self._ask(host, port, min(timeout_s, LIMIT_S))
        with self._lock:
            if len(self._known) >= _MOST_REMEMBERED:
                self._known.clear()
            self._known[host, port] = (time.monotonic() + self._keep_s, found)
        return found

    def _ask(self, host: str, port: int, timeout_s: float) -> tuple[str, ...]:
        ends = time.monotonic() + timeout_s
        if not self._slots.acquire(timeout=timeout_s):
            raise _unresolved(host, "too many other look-ups are waiting", may_pass=True)
        answer: Future[tuple[str, ...]] = Future()
        threading.Thread(target=self._run, args=(host, port, answer), name=f"dns {host}", daemon=True).start()
        try:
            found = answer.result(timeout=max(ends - time.monotonic(), 0.0))
        except TimeoutError:
            raise _unresolved(host, f"no answer within {timeout_s:.1f} s", may_pass=True) from None
        except (OSError, UnicodeError) as error:
            passing = getattr(error, "errno", None) == socket.EAI_AGAIN
            raise _unresolved(host, str(error.args[-1] if error.args else error), may_pass=passing) from None
        if not found:
            raise _unresolved(host, "it has no address", may_pass=False)
        return found

    def _run(self, host: str, port: int, answer: Future[tuple[str, ...]]) -> None:
        try:
            answer.set_result(tuple(self._lookup(host, port)))
        except BaseException as error:  # handed to the thread that asked
            answer.set_exception(error)
        finally:
            self._slots.release()


def _unresolved(host: str, why: str, *, may_pass: bool) -> Stopped:
    return Stopped(MissReason.DNS, f"the name {host} could not be resolved: {why}", may_pass=may_pass)

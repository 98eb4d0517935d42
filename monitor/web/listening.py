"""Take the address on which the web listens, before anybody is told that it does.

uvicorn would take it itself, and say only `[Errno 98]` when another program has it.
"""

import errno
import socket
from collections.abc import Sequence

from monitor.errors import CannotSucceed

#: What an address of a name means that this machine does not have; another address of it may do.
_NOT_HERE = frozenset({errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT})


class CannotListen(CannotSucceed):
    """The address of the web cannot be had."""

    def __init__(self, host: str, port: int, problem: OSError) -> None:
        advice = {
            errno.EADDRINUSE: "another program has it. Stop that, or set another web.port in monitor.toml (0: any)",
            errno.EACCES: "this user may not have it. Set a web.port of 1024 or more in monitor.toml",
        }.get(problem.errno or 0, f"{problem.strerror}. Correct web.host in monitor.toml")
        super().__init__(f"The web cannot listen on {host} port {port}: {advice}. No page is served.")
        self.host, self.port, self.is_taken = host, port, problem.errno == errno.EADDRINUSE


def taken(host: str, port: int) -> tuple[socket.socket, ...]:
    """Return sockets that hold every address of a host; nobody is let in yet.

    Raises:
        CannotListen: one of them cannot be had, or the host has none.
    """
    try:
        addresses = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as unknown:
        raise CannotListen(host, port, unknown) from unknown
    held: list[socket.socket] = []
    problems: list[OSError] = []
    for family, kind, protocol, _, address in dict.fromkeys(addresses):
        try:
            held.append(_bound(family, kind, protocol, address))
        except OSError as refused:
            problems.append(refused)
    broken = next((one for one in problems if one.errno not in _NOT_HERE), None if held else problems[0])
    if broken is not None:
        for one in held:
            one.close()
        raise CannotListen(host, port, broken) from broken
    return tuple(held)


def _bound(family: int, kind: int, protocol: int, address: object) -> socket.socket:
    made = socket.socket(family, kind, protocol)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        made.bind(address)  # type: ignore[arg-type]  # as getaddrinfo gave it
    except OSError:
        made.close()
        raise
    return made


def url_of(held: Sequence[socket.socket]) -> str:
    """Return the address under which the first of them is reached, `http://127.0.0.1:8080/`."""
    host, port = held[0].getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"

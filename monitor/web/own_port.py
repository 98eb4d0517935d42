"""What `monitor doctor` finds at the address of the web: free, ours, or somebody else's."""

import json
from contextlib import closing
from http.client import HTTPConnection, HTTPException

from monitor.web.listening import CannotListen, taken

_WAIT_S = 3.0


def port_words(host: str, port: int) -> str:
    """Say in words that the web can listen there, or that a price monitor already does.

    Raises:
        CannotListen: another program has the address, or this machine has not.
    """
    try:
        for one in taken(host, port):
            one.close()
    except CannotListen as refused:
        if not refused.is_taken or not _is_a_monitor(host, port):
            raise
        return f"a price monitor answers on {host} port {port}: this one if you started it, else another has the port"
    return f"can listen on {host} port {port or 'of the system, another at each start'}"


def _is_a_monitor(host: str, port: int) -> bool:
    """Say whether what listens there answers `/healthz` as we do; every address of this machine is on loopback too."""
    near = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host.strip("[]"), host.strip("[]"))  # noqa: S104 - asked, not bound
    with closing(HTTPConnection(near, port, timeout=_WAIT_S)) as connection:
        try:
            connection.request("GET", "/healthz")
            answer = connection.getresponse()
            found = json.loads(answer.read(1000))
        except (OSError, HTTPException, ValueError):
            return False
    return isinstance(found, dict) and found.get("status") == "ok" and "version" in found

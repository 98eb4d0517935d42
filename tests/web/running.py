"""Runs an application on a free port of loopback, in a thread of the test."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from starlette.types import ASGIApp

from monitor.web.app import server

_START_TIMEOUT_S = 20.0


@contextmanager
def running(app: ASGIApp) -> Iterator[str]:
    """Yield the base URL of the running application and stop it afterwards."""
    with socket.create_server(("127.0.0.1", 0), backlog=128) as listening:
        web = server(app, "127.0.0.1", listening.getsockname()[1])
        thread = threading.Thread(target=web.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        deadline = time.monotonic() + _START_TIMEOUT_S
        while not web.started and time.monotonic() < deadline:
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            web.should_exit = True
            thread.join(_START_TIMEOUT_S)

"""A program that waits for its end hears a signal whenever it comes, and whichever thread receives it."""

import subprocess
import sys

import pytest

#: The system gives a signal to any thread; given to another one it interrupts no wait of the main thread.
_WAITS = """
import signal, threading, time
from contextlib import suppress
from monitor.wiring.leaving import leaving_on_sigterm, until_asked

def receive():
    time.sleep(0.5)
    signal.pthread_kill(threading.get_ident(), signal.{name})

with suppress(KeyboardInterrupt), leaving_on_sigterm():
    threading.Thread(target=receive).start()
    until_asked()
print("left")
"""


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_a_signal_that_another_thread_receives_ends_the_wait(name: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", _WAITS.format(name=name)], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stdout) == (0, "left\n"), ended.stderr

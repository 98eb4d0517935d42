"""Starts, follows, kills and ends the process of a night."""

import logging
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import structlog

#: How long a night's process may take to end when it is asked to, in seconds.
_GOODBYE_S = 10


def own_environment() -> dict[str, str]:
    """Return the environment without the settings of a real monitor on this machine, which the demo must not touch."""
    return {name: value for name, value in os.environ.items() if not name.startswith("MONITOR_")}


class NightDied(Exception):
    """The process of a night ended without a report."""

    def __init__(self, code: int, log: Path) -> None:
        last = "\n".join(log.read_text("utf-8", "replace").splitlines()[-12:])
        super().__init__(f"The night's process ended with exit code {code} and no report. The end of {log}:\n{last}")
        self.code, self.log = code, log


@contextmanager
def night_process(
    directory: Path, ahead: timedelta, log: Path, environ: Mapping[str, str]
) -> Iterator["subprocess.Popen[bytes]"]:
    """Run the night's process; it does not outlive the block."""
    command = [sys.executable, "-m", "monitor.demo.night", str(directory), "--ahead", str(ahead.total_seconds())]
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as out:
        child = subprocess.Popen(command, env=dict(environ), stdin=subprocess.DEVNULL, stdout=out, stderr=out)  # noqa: S603 - our own module, no shell
        try:
            yield child
        finally:
            _end(child)


def _end(child: "subprocess.Popen[bytes]") -> None:
    if child.poll() is not None:
        return
    child.terminate()
    try:
        child.wait(_GOODBYE_S)
    except subprocess.TimeoutExpired:
        kill(child)


def kill(child: "subprocess.Popen[bytes]") -> None:
    """Kill with SIGKILL and wait for the end."""
    child.send_signal(signal.SIGKILL)
    child.wait()


def quiet() -> None:
    """Keep this process's own log to warnings: its progress is told by `Show`."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))

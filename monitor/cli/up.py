"""`monitor up`: everything in one working process, and a supervisor that restarts it; `monitor web`: the web alone.

The supervisor is a parent process that does nothing but start its child and wait. A child that dies is started again
at once; one that keeps dying within seconds is started at growing intervals. A first child that says that the
configuration is wrong (exit code 2) is not started again: whoever started it is there to put it right. One that takes
the place of a child that died may have met a file that is being edited, or a night run by hand: it is tried again, so
that the next night is not lost over it.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from monitor.cli.options import ConfigDir
from monitor.web.serve import serve, serve_beside
from monitor.wiring import Working, open_app
from monitor.wiring.leaving import TURN_S, ask_no_more, leaving_on_sigterm

#: Exit code of a child that refuses its configuration.
_MISCONFIGURED = 2
#: A child that lived this long was healthy: the next death is answered at once again.
_HEALTHY_S = 30.0
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.1, 30.0
#: How long to wait after a child that took the place of another and refused the configuration.
_UNTIL_PUT_RIGHT_S = 30.0
_ENDED = "Ended. What was under way is kept; the next `monitor up` goes on from there."

_WITHOUT_PAGES = "The nights go on without it; the address is tried again every few seconds."


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(epilog="Example: monitor up --config shop")(up)
    app.command(epilog="Example: monitor web --config shop --host 127.0.0.1 --port 8080")(web)


def up(
    config: ConfigDir = None,
    unsupervised: Annotated[
        bool, typer.Option("--unsupervised", help="Work in this very process, without a parent that restarts it.")
    ] = False,
    supervised: Annotated[bool, typer.Option("--supervised", hidden=True, help="Set by the supervisor.")] = False,
) -> None:
    """Run everything in one process: the schedule, the workers, the web. Ends on Ctrl-C or SIGTERM.

    A supervisor restarts the working process when it dies; the night goes on at the step where it stopped.
    """
    if supervised:
        threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()
    if supervised or unsupervised:
        work(config)
        if unsupervised:
            typer.echo(_ENDED, err=True)
    else:
        code = Supervisor(config).run()
        ask_no_more()
        if code == 0:
            typer.echo(_ENDED, err=True)
        raise typer.Exit(code)


def _end_with_parent() -> None:
    """Leave in order when the supervisor is gone: it holds the other end of our standard input."""
    # Not `sys.stdin.buffer.read()`: its lock, held at the end of the process, aborts the interpreter.
    while os.read(sys.stdin.fileno(), 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def work(config: Path | None) -> None:
    """Be the working process until SIGTERM or SIGINT."""
    from scheduler import in_background

    with suppress(KeyboardInterrupt), leaving_on_sigterm(), ExitStack() as leaving:
        app = open_app(config, role="up")
        leaving.callback(app.close)
        working = Working(app, threads=app.settings.worker.threads)
        leaving.callback(working.stop)
        working.start()
        leaving.enter_context(in_background(app))
        serve_beside(
            app,
            on_listening=lambda url: typer.echo(f"Working. Status page: {url}", err=True),
            on_refused=lambda words: typer.secho(f"{words} {_WITHOUT_PAGES}", fg=typer.colors.RED, err=True),
        )
        working.drain()


def web(
    config: ConfigDir = None,
    host: Annotated[str | None, typer.Option(help="Address to listen on; else web.host in monitor.toml.")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port to listen on; else web.port in monitor.toml.")
    ] = None,
) -> None:
    """Serve the review pages, the status page and the API, beside workers and a scheduler of their own."""
    app = open_app(config, role="web")
    try:
        serve(app, host, port, on_listening=lambda url: typer.echo(f"Serving {url}", err=True))
    finally:
        app.close()


class Supervisor:
    """Keeps one working process alive."""

    def __init__(self, config: Path | None) -> None:
        self._command = [sys.executable, "-m", "monitor", "up", "--supervised"]
        if config is not None:
            self._command += ["--config", str(config)]
        self._child: subprocess.Popen[bytes] | None = None
        self._leaving = False

    def run(self) -> int:
        """Start and restart the working process; return the exit code of the supervisor."""
        signal.signal(signal.SIGTERM, self._leave)
        signal.signal(signal.SIGINT, self._leave)
        pause_s, is_first = _FIRST_PAUSE_S, True
        while True:
            started = time.monotonic()
            code = self._work()
            if self._leaving:
                return 0
            if code == _MISCONFIGURED:
                if is_first:
                    return code
                pause_s = _UNTIL_PUT_RIGHT_S
                typer.echo(f"Nothing works until that is put right; tried again every {pause_s:.0f} s.", err=True)
            else:
                pause_s = _FIRST_PAUSE_S if time.monotonic() - started > _HEALTHY_S else pause_s
                typer.echo(f"The working process ended ({_how(code)}); starting it again.", err=True)
            if self._leaves_within(pause_s):
                return 0
            pause_s, is_first = min(pause_s * 2, _LONGEST_PAUSE_S), False

    def _work(self) -> int:
        """Start the working process, wait for its end and return its exit code."""
        # The pipe is never written to: its end tells the child that this supervisor was killed.
        with subprocess.Popen(self._command, stdin=subprocess.PIPE) as child:  # noqa: S603 - our own module, no shell
            self._child = child
            if self._leaving:
                child.terminate()  # the signal came before there was a child to hand it to
            while child.poll() is None:  # in turns, as `until_asked` waits and for its reason
                time.sleep(TURN_S)
            return child.returncode

    def _leaves_within(self, seconds: float) -> bool:
        # A sleep goes on after the signal, and the lock of an event may be held when its handler wants it.
        until = time.monotonic() + seconds
        while not self._leaving and time.monotonic() < until:
            time.sleep(0.05)
        return self._leaving

    def _leave(self, _signal: int, _frame: FrameType | None) -> None:
        self._leaving = True
        if self._child is not None and self._child.poll() is None:
            self._child.terminate()


def _how(code: int) -> str:
    return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"

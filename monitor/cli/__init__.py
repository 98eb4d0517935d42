"""The command `monitor`: one module per noun, each of which adds its commands.

Facts go to standard output (`--json`: only JSON there), everything else to standard error. Exit codes: 0 fine,
1 the work found a problem, 2 wrong usage or configuration.

Only the module of the wanted command is imported: with the web framework, the database tools and the
extractor loaded for every command, `monitor --version` took seconds. Here nothing is imported that takes time, so that
Ctrl-C is answered in words from the first moment.
"""

import gc
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from monitor.errors import Misconfigured, MonitorError

TYPE_CHECKING = False  # as type checkers know it: importing it from `typing` takes longer than all of the above
if TYPE_CHECKING:
    from types import FrameType
    from typing import NoReturn

    import typer

#: What a shell expects of a program that Ctrl-C ended.
INTERRUPTED = 130

#: The commands of each module, in the order in which `--help` shows them.
COMMANDS = {
    "setup": ("init", "next"),
    "doctor": ("doctor",),
    "catalogue": ("catalogue", "watches"),
    "matching": ("match",),
    "discover": ("discover",),
    "night": ("run",),
    "up": ("up", "web"),
    "cron": ("scheduler",),
    "tables": ("migrate",),
    "status": ("status", "runs"),
    "job": ("job",),
    "metrics": ("metrics",),
    "retention": ("retention",),
    "actions": ("actions", "approve", "reject", "take-back"),
    "deciding": ("snooze", "give-back", "renew"),
    "writing": ("writes",),
    "locking": ("lock", "unlock", "locks"),
    "audit": ("audit",),
    "notify": ("notify",),
    "mails": ("mails",),
    "users": ("users",),
    "tokens": ("tokens",),
    "reading": ("check", "extract"),
    "pricing": ("pricing",),
    "export": ("export", "decide"),
    "rules": ("rules",),
    "simulate": ("simulate",),
    "explain": ("explain",),
    "history": ("history",),
    "holds": ("readings",),
    "demo": ("demo",),
    "chaos": ("chaos",),
}


def command_line(modules: Sequence[str] = tuple(COMMANDS)) -> "typer.Typer":
    """Return the command line with the commands of these modules, by default of all."""
    from monitor.cli.line import put_together

    return put_together(modules)


def modules_for(arguments: Sequence[str]) -> tuple[str, ...]:
    """Return the modules that a command line needs: the one of its command, or all for the overview."""
    if "--version" in arguments[:1]:
        return ("setup",)
    wanted = next((argument for argument in arguments if not argument.startswith("-")), None)
    found = tuple(name for name, commands in COMMANDS.items() if wanted in commands)
    return found or tuple(COMMANDS)


@contextmanager
def _loading() -> Iterator[None]:
    """Load modules without the collector of cycles: it would pass all of them again and again and free nothing.

    Ctrl-C ends the process on the spot meanwhile. Nothing was begun, and an exception raised in the middle of
    somebody's import comes out as whatever that module makes of it.
    """
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:  # else a shell that started us in the background ignores it
        signal.signal(signal.SIGINT, _stop_at_once)
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
        signal.signal(signal.SIGINT, before)


def _stop_at_once(_signal: int, _frame: "FrameType | None") -> None:
    os.write(sys.stderr.fileno(), b"Stopped before anything was done.\n")
    os._exit(INTERRUPTED)


def main() -> None:
    """Run the command line; an error on purpose and Ctrl-C end in words, never in a stack trace."""
    try:
        with _loading():
            commands = command_line(modules_for(sys.argv[1:]))
        commands()
    except KeyboardInterrupt:
        _stopped()
    except SystemExit as ended:
        # Typer makes an exit without a word of a Ctrl-C that a command left to it.
        if ended.__context__ is not None and isinstance(ended.__context__.__cause__, KeyboardInterrupt):
            _stopped()
        raise
    except MonitorError as error:
        import typer

        from monitor.cli.options import fitted

        typer.secho(fitted(str(error), err=True), fg=typer.colors.RED, err=True)
        sys.exit(2 if isinstance(error, Misconfigured) else 1)


def _stopped() -> "NoReturn":
    sys.stderr.write("Stopped.\n")
    sys.exit(INTERRUPTED)

"""The command `monitor`: one module per noun, each of which adds its commands.

Facts go to standard output (`--json`: only JSON there), everything else to standard error. Exit codes: 0 fine,
1 the work found a problem, 2 wrong usage or configuration.

Only the module of the wanted command is imported: with the web framework, the database tools and the
extractor loaded for every command, `monitor --version` took seconds.
"""

import gc
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Annotated

import typer

from monitor import __version__
from monitor.errors import Misconfigured, MonitorError

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
    "status": ("status", "runs", "job"),
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


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"monitor {__version__}")
        raise typer.Exit


def _monitor(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Watches competitor shops every night and changes your prices once, after you approve."""


def command_line(modules: Sequence[str] = tuple(COMMANDS)) -> typer.Typer:
    """Return the command line with the commands of these modules, by default of all."""
    app = typer.Typer(name="monitor", no_args_is_help=True, pretty_exceptions_enable=False)
    app.callback()(_monitor)
    for name in modules:
        import_module(f"monitor.cli.{name}").register(app)
    return app


def modules_for(arguments: Sequence[str]) -> tuple[str, ...]:
    """Return the modules that a command line needs: the one of its command, or all for the overview."""
    if "--version" in arguments[:1]:
        return ("setup",)
    wanted = next((argument for argument in arguments if not argument.startswith("-")), None)
    found = tuple(name for name, commands in COMMANDS.items() if wanted in commands)
    return found or tuple(COMMANDS)


@contextmanager
def _loading() -> Iterator[None]:
    """Load modules without the collector of cycles: it would pass all of them again and again and free nothing."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def main() -> None:
    """Run the command line; an error on purpose ends in words, never in a stack trace."""
    try:
        with _loading():
            commands = command_line(modules_for(sys.argv[1:]))
        commands()
    except MonitorError as error:
        typer.secho(str(error), fg=typer.colors.RED, err=True)
        sys.exit(2 if isinstance(error, Misconfigured) else 1)

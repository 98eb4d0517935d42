"""The command line put together from the modules of its commands."""

from collections.abc import Iterable
from importlib import import_module
from inspect import getdoc
from typing import Annotated

import typer

from monitor import __version__


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


def put_together(modules: Iterable[str]) -> typer.Typer:
    """Return the command line with the commands of these modules."""
    app = typer.Typer(name="monitor", no_args_is_help=True, pretty_exceptions_enable=False)
    app.callback()(_monitor)
    for name in modules:
        import_module(f"monitor.cli.{name}").register(app)
    _flow(app)
    return app


def _flow(app: typer.Typer) -> None:
    """Let the help of commands fill the width: Typer keeps the line ends of a docstring after its first paragraph."""
    for command in app.registered_commands:
        text = command.help or getdoc(command.callback) or ""
        command.help = "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))
    for group in app.registered_groups:
        if group.typer_instance is not None:
            _flow(group.typer_instance)

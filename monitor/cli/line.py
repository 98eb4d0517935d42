"""The command line put together from the modules of its commands."""

from collections.abc import Iterable
from importlib import import_module
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
    return app

"""The command `monitor`: one module per noun, each of which adds its commands.

Facts go to standard output (`--json`: only JSON there), everything else to standard error. Exit codes: 0 fine,
1 the work found a problem, 2 wrong usage or configuration.
"""

import sys
from typing import Annotated

import typer

from monitor import __version__
from monitor.cli import actions, catalogue, demo, doctor, night, pricing, reading, setup, status, up
from monitor.errors import Misconfigured, MonitorError

app = typer.Typer(
    name="monitor",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Watches competitor shops every night and changes your prices once, after you approve.",
)
for _module in (setup, doctor, catalogue, reading, night, status, actions, up, demo):
    _module.register(app)
app.add_typer(pricing.app, name="pricing")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"monitor {__version__}")
        raise typer.Exit


@app.callback()
def monitor(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Watches competitor shops every night and changes your prices once, after you approve."""


def main() -> None:
    """Run the command line; an error on purpose ends in words, never in a stack trace."""
    try:
        app()
    except MonitorError as error:
        typer.secho(str(error), fg=typer.colors.RED, err=True)
        sys.exit(2 if isinstance(error, Misconfigured) else 1)

"""The command `monitor`: one module per noun, each of which adds its commands.

Facts go to standard output (`--json`: only JSON there), everything else to standard error. Exit codes: 0 fine,
1 the work found a problem, 2 wrong usage or configuration.
"""

import sys

import typer

from monitor.cli import catalogue, doctor, pricing, setup
from monitor.errors import Misconfigured, MonitorError

app = typer.Typer(
    name="monitor",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Watches competitor shops every night and changes your prices once, after you approve.",
)
for _module in (setup, doctor, catalogue):
    _module.register(app)
app.add_typer(pricing.app, name="pricing")


def main() -> None:
    """Run the command line; an error on purpose ends in words, never in a stack trace."""
    try:
        app()
    except MonitorError as error:
        typer.secho(str(error), fg=typer.colors.RED, err=True)
        sys.exit(2 if isinstance(error, Misconfigured) else 1)

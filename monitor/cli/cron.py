"""`monitor scheduler`: the cron process, from an installed wheel."""

import os

import typer

import scheduler as process
from monitor.cli.options import ConfigDir


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(epilog="Example: monitor scheduler --config shop")(scheduler)


def scheduler(config: ConfigDir = None) -> None:
    """Run the cron process: begin nights when they are due, and sweep. The same as `python scheduler.py`."""
    if config is not None:
        os.environ["MONITOR_CONFIG"] = str(config)
    process.main()

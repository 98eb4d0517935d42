"""`monitor migrate`: bring the database to the tables of this version."""

import typer

from monitor.adapters.db.migrate import migrate as bring_up
from monitor.cli.options import AsJson, ConfigDir, print_json
from monitor.settings import load


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(epilog="Example: monitor migrate --config shop")(migrate)


def migrate(config: ConfigDir = None, as_json: AsJson = False) -> None:
    """Bring the database to the tables of this version. Safe to run again, and at the same time twice.

    A SQLite file is migrated by itself whenever it is opened; PostgreSQL, which many processes share, only here.
    """
    before, after = bring_up(load(config).storage.database_url)
    if as_json:
        print_json({"before": before, "after": after})
    else:
        typer.echo(f"Already at {after}." if before == after else f"From {before or 'an empty database'} to {after}.")

"""`monitor readings`: readings that are held, and accepting one that is right all the same."""

import getpass
from typing import Annotated, Any

import typer

from monitor.cli.options import AsJson, ConfigDir, print_json
from monitor.domain.anomaly import NEVER_CONFIRMED, HoldCode
from monitor.flow.holds import accept as accept_reading
from monitor.flow.holds import held_readings
from monitor.wiring import open_app

readings = typer.Typer(no_args_is_help=True, help="Readings that are too odd to price with.")


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(readings, name="readings")


@readings.command(epilog="Example: monitor readings held --json")
def held(config: ConfigDir = None, as_json: AsJson = False) -> None:
    """List the readings that the newest night held, why, and where they were read."""
    app = open_app(config)
    try:
        found = held_readings(app.store)
    finally:
        app.close()
    if as_json:
        print_json({"held": found})
        return
    for one in found:
        typer.echo(f"{one['competitor']}/{one['sku']}  {one['code']}  {one['words']}{_until(one)}")
        if one["url"]:
            typer.echo(f"    {one['url']}  evidence {(one['evidence'] or 'none')[:12]}")
    if not found:
        typer.echo("The newest night held no reading.")


def _until(one: dict[str, Any]) -> str:
    if HoldCode(one["code"]) not in NEVER_CONFIRMED:
        return ""
    return f". Held until the shop shows another price, or: monitor readings accept {one['competitor']} {one['sku']}"


@readings.command(epilog="Example: monitor readings accept acme MUG-01")
def accept(
    competitor: Annotated[str, typer.Argument(help="The competitor's id.")],
    sku: Annotated[
        str, typer.Argument(metavar="SKU", help="Your product; '*' accepts all that are held of this shop.")
    ],
    by: Annotated[
        str | None, typer.Option("--by", help="Who says so, for the record; by default the login name.")
    ] = None,
    config: ConfigDir = None,
    as_json: AsJson = False,
) -> None:
    """Accept a held price: it is used from the next night on. A later odd price of the same page is held again."""
    app = open_app(config)
    try:
        done = accept_reading(app.store, competitor, sku, by=by or getpass.getuser())
    finally:
        app.close()
    if as_json:
        print_json({"accepted": done})
        return
    for one in done:
        typer.echo(
            f"{one['competitor']}/{one['sku']}: {one['price']} {one['currency']} accepted, used from the next night on."
        )

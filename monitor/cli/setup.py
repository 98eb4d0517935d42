"""`monitor init` and `monitor next`: a config directory, and what its schedule means."""

from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import typer

from monitor.cli.options import AsJson, ConfigDir, print_json
from monitor.domain.night import Night, coming
from monitor.domain.plan import Schedule
from monitor.settings import create, load


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(epilog="Example: monitor init shop --zone Europe/Berlin --currency EUR")(init)
    app.command("next", epilog="Example: monitor next --nights 400")(next_nights)


def init(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Where to write it; made when it is not there.")],
    manifest: Annotated[
        Path | None, typer.Option(help="A market manifest (docs/manifest.md), whose shops become competitors.")
    ] = None,
    zone: Annotated[str | None, typer.Option(help="Time zone of your nights, for example Europe/Berlin.")] = None,
    currency: Annotated[str | None, typer.Option(help="Currency of your shop, for example EUR.")] = None,
    as_json: AsJson = False,
) -> None:
    """Write a config directory with commented files and fresh secrets.

    Nothing that is there is overwritten: a directory that holds one of the files already is refused.
    """
    files = create(directory, manifest=manifest, zone=zone, currency=currency)
    catalogue = load(files[0].parent, {}).catalogue
    if as_json:
        print_json(
            {
                "directory": str(files[0].parent),
                "files": [file.name for file in files],
                "competitors": len(catalogue.competitors),
                "products": len(catalogue.products),
                "watches": len(catalogue.watches),
            }
        )
        return
    typer.echo(f"Wrote {', '.join(file.name for file in files)} in {files[0].parent}.")
    typer.echo(
        f"Next: monitor doctor --config {directory}"
        if catalogue.watches
        else f"Next: name a shop in {directory}/competitors.toml, then import your products and watches\n"
        f"  monitor catalogue import products.csv --config {directory}\n"
        f"  monitor watches import watches.csv --config {directory}\n"
        f"The forms are in catalogue.example.csv and watches.example.csv. Then: monitor doctor --config {directory}"
    )


def next_nights(
    nights: Annotated[int, typer.Option(min=1, max=4000, help="How many.")] = 14,
    config: ConfigDir = None,
    as_json: AsJson = False,
) -> None:
    """Show the coming nights; the odd ones, when the clocks change, are marked."""
    schedule = load(config).plan.schedule
    found = list(islice(coming(datetime.now(UTC), schedule), nights))
    if as_json:
        print_json({"zone": schedule.zone, "nights": [night_facts(night, schedule) for night in found]})
        return
    typer.echo(f"{'date':<14} {'begins':<12} {'in UTC':<17} {'report by':<12} {schedule.zone}")
    for night in found:
        typer.echo(night_line(night, schedule))


def night_line(night: Night, schedule: Schedule) -> str:
    """Return one night as a line; an odd one carries `!` and says why."""
    zone = ZoneInfo(schedule.zone)
    due, deadline = night.due_at.astimezone(zone), night.deadline_at.astimezone(zone)
    line = (
        f"{night.local_date:%a %Y-%m-%d} {due:%H:%M %z} {'':<1}{night.due_at:%Y-%m-%d %H:%M} {'':<1}{deadline:%H:%M %z}"
    )
    return f"{line}  ! {night.oddity}" if night.oddity else line


def night_words(night: Night, schedule: Schedule) -> str:
    """Return one night for a reader without the heading of `monitor next`, short enough for half a terminal."""
    zone = ZoneInfo(schedule.zone)
    due, deadline = night.due_at.astimezone(zone), night.deadline_at.astimezone(zone)
    words = f"{night.local_date:%a %Y-%m-%d}, {due:%H:%M %z}, report by {deadline:%H:%M %z}"
    return f"{words}; {night.oddity}" if night.oddity else words


def night_facts(night: Night, schedule: Schedule) -> dict[str, Any]:
    """Return one night as facts; times are local with their offset."""
    zone = ZoneInfo(schedule.zone)
    return {
        "date": night.local_date.isoformat(),
        "due_at": night.due_at.astimezone(zone).isoformat(),
        "deadline_at": night.deadline_at.astimezone(zone).isoformat(),
        "oddity": night.oddity,
    }

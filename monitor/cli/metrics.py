"""`monitor metrics`: what crashes cost, counted from the stored nights."""

from datetime import timedelta
from fractions import Fraction
from typing import Annotated

import typer

from monitor.cli.options import AsJson, ConfigDir, print_json
from monitor.cli.status import NoSuchThing
from monitor.domain.durability import Durability, durability_json
from monitor.domain.report.wording import counted
from monitor.web.look import LOOK_BACK, durability
from monitor.wiring import open_app


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(epilog="Example: monitor metrics --days 30 --json")(metrics)


def metrics(
    run: Annotated[str | None, typer.Argument(help="One night; by default all of the last days.")] = None,
    days: Annotated[int, typer.Option(min=1, max=10_000, help="How far to look back.")] = LOOK_BACK.days,
    config: ConfigDir = None,
    as_json: AsJson = False,
) -> None:
    """Show how often work was resumed after a crash, how soon, how often something was done twice, and what finished.

    Exit code 1 when something was done twice or not resumed.
    """
    app = open_app(config)
    try:
        found = durability(app.store, timedelta(days=days), run)
    finally:
        app.close()
    if found is None:
        raise NoSuchThing(f"There is no run {run!r}. `monitor runs` lists the ones there are.")
    if as_json:
        print_json(durability_json(found))
    else:
        _print(found)
    if found.duplicate_action_rate > 0 or found.resumption_success < 1:
        raise typer.Exit(1)


def _print(found: Durability) -> None:
    typer.echo(f"nights       {found.nights}, {_percent(found.completion_rate)} with a report")
    resumed = f", {_percent(found.resumption_success)} of them resumed" if found.interruptions else ""
    typer.echo(f"interrupted  {counted(found.interruptions, 'job')}{resumed}")
    if found.time_to_resume_p50 is not None and found.time_to_resume_p95 is not None:
        p50, p95 = found.time_to_resume_p50.total_seconds(), found.time_to_resume_p95.total_seconds()
        typer.echo(f"resumed in   {p50:.1f} s at the median, {p95:.1f} s at the 95th percentile")
    typer.echo(f"done twice   {_percent(found.duplicate_action_rate)} of written prices and sent mails")


def _percent(share: Fraction) -> str:
    return f"{float(share) * 100:g} %"

"""`monitor run`: one night in this process."""

import sys
from datetime import date, datetime
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from monitor.cli.options import AsJson, ConfigDir, print_json
from monitor.domain.night_result import night_result
from monitor.domain.plan import NightPlan
from monitor.domain.report.wording import counted
from monitor.domain.run import ENDED, JobKind, Run, RunState
from monitor.wiring import App, open_app, run_night
from monitor.wiring.app import frozen_catalogue

#: What `monitor run --json` prints of a night, no more and no less; others read it.
CONTRACT = ("run", "date", "state", "jobs", "tool_calls", "observations", "proposals", "watches")

Day = Annotated[
    datetime | None,
    typer.Option("--date", formats=["%Y-%m-%d"], help="The local date of the night; else that of the latest due one."),
]


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(epilog="Example: monitor run --date 2026-11-29 --config shop --json")(run)


def run(config: ConfigDir = None, day: Day = None, as_json: AsJson = False) -> None:
    """Run one night to its end in this process, or resume it where it was interrupted.

    Exits with 0 when a report exists. A night that has its report already is only shown.
    """
    app = open_app(config, role="run")
    try:
        night = _watched(app, None if day is None else day.date())
        facts = _facts(app, night)
    finally:
        app.close()
    if as_json:
        print_json({name: value for name, value in facts.items() if name in CONTRACT})
    else:
        _print_summary(facts, app.plan)
    raise typer.Exit(0 if night.state is RunState.REPORTED else 1)


def _watched(app: App, day: date | None) -> Run:
    """Run the night with a progress bar on standard error when somebody looks."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), disable=not sys.stderr.isatty()) as progress:
        bar = progress.add_task("competitors", total=None)

        def show(night: Run) -> None:
            with app.store.read() as unit:
                jobs = [job for job in unit.jobs.of_run(night.id) if job.kind is JobKind.COMPETITOR]
            ended = sum(job.state in ENDED for job in jobs)
            progress.update(bar, total=len(jobs), completed=ended, description=f"{night.id} {night.state}")

        return run_night(app, day, on_tick=show)


def _facts(app: App, night: Run) -> dict[str, Any]:
    with app.store.read() as unit:
        return night_result(
            night,
            unit.jobs.of_run(night.id),
            unit.observations.of_run(night.id),
            unit.actions.of_run(night.id),
            frozen_catalogue(unit, night),
        )


def _print_summary(facts: dict[str, Any], plan: NightPlan) -> None:
    counts: dict[str, int] = {}
    for watch in facts["watches"]:
        counts[watch["outcome"]] = counts.get(watch["outcome"], 0) + 1
    outcomes = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items(), key=lambda item: -item[1]))
    visited, calls = counted(facts["jobs"], "competitor"), counted(facts["tool_calls"], "tool call")
    typer.echo(f"{facts['run']}: {facts['state']}{' (partial)' if facts['partial'] else ''}")
    typer.echo(f"  {visited}, {calls}, {counted(len(facts['watches']), 'watch', 'watches')}")
    typer.echo(f"  watches: {outcomes or 'none'}")
    typer.echo(f"  {counted(facts['proposals'], 'proposal')}; show them with: monitor actions")
    typer.echo(
        f"  report: {plan.review.public_url}/runs/{facts['run']}/report while `monitor up` or `monitor web` runs"
    )
    if not plan.writes.enabled:
        typer.echo("  dry run: what you approve is recorded and not written until writes.enabled is true")

"""`monitor chaos`: kill its own workers at random and show that nothing is lost or done twice."""

import os
import sys
from dataclasses import asdict
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from monitor.chaos import OWN, Figures, Wanted, run_chaos
from monitor.cli.options import AsJson, print_json
from monitor.errors import Misconfigured

#: Names of a database or broker that somebody means to use.
_SOMEBODYS = ("MONITOR_DATABASE_URL", "MONITOR_REDIS_URL")


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(epilog="Example: monitor chaos --nights 5 --seed 1 --json")(chaos)


def chaos(
    nights: Annotated[int, typer.Option(min=1, max=9_999, help="How many nights.")] = 5,
    seed: Annotated[int, typer.Option(help="Draws market, kills and faults; a failure is tried again with it.")] = 1,
    competitors: Annotated[int, typer.Option(min=1, max=99, help="How many shops are visited each night.")] = 30,
    postgres: Annotated[
        str | None,
        typer.Option(metavar="URL|own", help="An empty database that may be destroyed; own: a server of its own."),
    ] = None,
    redis: Annotated[
        str | None, typer.Option(metavar="URL", help="A Redis or Valkey database that may be emptied.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Let nights pass on a market of its own while real worker processes are killed and stopped at random.

    Works in a temporary directory and on nothing else. Exits with 1 when a night did not end, a reading was lost or
    something was done twice; the seed and a timeline then stand on standard error.
    """
    _refuse_somebodys(postgres, redis)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), disable=not sys.stderr.isatty()) as progress:
        bar = progress.add_task("nights", total=nights)

        def show(night: int, kills: int) -> None:
            progress.update(bar, completed=night, description=f"nights, {kills} kills")

        judged = run_chaos(Wanted(nights, seed, competitors, postgres, redis), show)
    if judged.complaints:
        typer.echo("\n".join(judged.timeline), err=True)
        typer.echo(f"seed {seed}, {nights} nights, {competitors} competitors:", err=True)
        typer.echo("\n".join(judged.complaints), err=True)
    if as_json:
        print_json(asdict(judged.figures))
    else:
        _print_figures(judged.figures)
    raise typer.Exit(1 if judged.complaints else 0)


def _refuse_somebodys(postgres: str | None, redis: str | None) -> None:
    named = [name for name in _SOMEBODYS if os.environ.get(name)]
    if named:
        raise Misconfigured(
            [
                f"{' and '.join(named)} set, but `monitor chaos` kills workers and works on no configured database. "
                "Nothing was touched. Unset them; for PostgreSQL name throw-away servers: --postgres URL --redis URL"
            ]
        )
    if postgres != OWN and (postgres is None) is not (redis is None):
        raise Misconfigured(["--postgres URL and --redis URL belong together; name both, or neither for SQLite"])
    if postgres not in (None, OWN) and not str(postgres).startswith("postgresql"):
        words = f"write postgresql://user:password@host:5432/database, or {OWN} for a server that chaos starts itself"
        raise Misconfigured([f"--postgres {postgres!r}: {words}"])


def _print_figures(figures: Figures) -> None:
    typer.echo(f"{figures.nights} nights, seed {figures.seed}: {figures.kills} kills, {figures.resumed} jobs resumed")
    typer.echo(f"  resumption success {figures.resumption_success:.1%}, completion {figures.completion_rate:.1%}")
    typer.echo(
        f"  {figures.duplicate_actions} actions done twice, {figures.lost_observations} observations lost; time to "
        f"resume {figures.time_to_resume_p50_s} s (median), {figures.time_to_resume_p95_s} s (95th percentile)"
    )

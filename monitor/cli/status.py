"""`monitor status`, `runs`: how far the nights are."""

import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Annotated, Any

import typer
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from monitor.cli.options import AsJson, ConfigDir, harmless, local_time, print_json
from monitor.domain.extraction import Outcome
from monitor.domain.report.wording import counted
from monitor.domain.status import JobLine, RunStatus, as_json, summary_json
from monitor.errors import CannotSucceed
from monitor.ports.store import Store
from monitor.web.look import NOBODY, RECENT, is_worked_on, recent, run_status
from monitor.wiring import open_app

_PAUSE_S = 1.0
_READ = frozenset({Outcome.OK.value, Outcome.UNCHANGED.value})


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(epilog="Example: monitor status --watch")(status)
    app.command(epilog="Example: monitor runs --json")(runs)


class NoSuchThing(CannotSucceed):
    """A run or a job that was asked for is not in the database."""


def status(
    run: Annotated[str | None, typer.Argument(help="A run such as nightly-2026-11-29; by default the newest.")] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Show it again every second until the run ends.")] = False,
    config: ConfigDir = None,
    as_json_text: AsJson = False,
) -> None:
    """Show how far a night is: its competitors, budgets, readings and proposals."""
    app = open_app(config)
    try:
        if watch and not as_json_text:
            _watch(app.store, run, app.clock.now)
            return
        found, now = _found(app.store, run), app.clock.now()
        is_idle = not is_worked_on(app.store)
    finally:
        app.close()
    if as_json_text:
        print_json({"run": None if found is None else as_json(found)})
    else:
        Console(file=sys.stdout).print(_shown(found, now, is_idle=is_idle))


def _watch(store: Store, run: str | None, now: Callable[[], datetime]) -> None:
    found = _found(store, run)
    first = _shown(found, now(), is_idle=not is_worked_on(store))
    with suppress(KeyboardInterrupt), Live(first, refresh_per_second=2) as live:
        while found is not None and found.is_open:
            time.sleep(_PAUSE_S)
            found = _found(store, run)
            live.update(_shown(found, now(), is_idle=not is_worked_on(store)))


def _found(store: Store, asked: str | None) -> RunStatus | None:
    """Return the run that was asked for, or the newest, which may not exist yet."""
    found = run_status(store, asked)
    if found is None and asked is not None:
        raise NoSuchThing(f"There is no run {asked!r}. `monitor runs` lists the ones there are.")
    return found


def _shown(found: RunStatus | None, now: datetime, *, is_idle: bool) -> Group | Text:
    if found is None:
        return Text("No night has run yet. `monitor run` runs the one that is due now.")
    return Group(*_head(found, now, is_idle=is_idle), _jobs_table(found))


def _spent(found: RunStatus) -> str:
    """Say what of the night's budget of tool calls is spent, and how many steps that made."""
    visits = [job for job in found.jobs if job.competitor]
    limit, steps = sum(job.calls_limit for job in visits), sum(job.steps for job in found.jobs)
    return f"{found.tool_calls} of {limit} tool calls, {counted(steps, 'step')}"


def _pace(found: RunStatus, now: datetime) -> str:
    """Say how fast a night goes, how long it takes at this pace, and how long until its report is due."""
    minutes = max((now - found.started_at).total_seconds() / 60, 0.01)
    done = sum(found.observations.values())
    due = max(found.deadline_at - now, timedelta(0))
    words = f"{done / minutes:.1f} readings a minute, report due in {_span(due)}"
    if 0 < found.jobs_ended < found.jobs_total:
        left = (now - found.started_at) * (found.jobs_total - found.jobs_ended) / found.jobs_ended
        waits = [
            job.waits_until - now for job in found.jobs if job.waits_until
        ]  # a shop may ask for a quarter of an hour
        words += f", about {_span(max(left, *waits) if waits else left)} left at this pace"
    return words


def _span(left: timedelta) -> str:
    minutes, seconds = divmod(int(left.total_seconds()), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {seconds:02} s"


def _head(found: RunStatus, now: datetime, *, is_idle: bool) -> list[Text]:
    partial = ", partial" if found.partial else ""
    failed = f", {found.jobs_failed} failed" if found.jobs_failed else ""
    failed += f", {found.jobs_empty} with nothing read" if found.jobs_empty else ""
    lines = [
        f"{found.run}: {found.state}{partial}",
        _when(found),
        f"{found.jobs_ended} of {found.jobs_total} competitors{failed}, {_spent(found)}",
        f"readings: {_counts(found.readings)}",
        f"proposals: {_counts(found.proposals)}",
    ]
    if found.is_open:
        lines.insert(3, NOBODY if is_idle else _pace(found, now))
    return [*map(Text, lines), *(Text(f"alert: {alert.words}", style="yellow") for alert in found.alerts)]


def _when(found: RunStatus) -> str:
    ended = f", ended {local_time(found.ended_at, found.zone)}" if found.ended_at else ""
    return f"began {local_time(found.started_at, found.zone)}{ended}"


def _counts(given: Any) -> str:
    return ", ".join(f"{count} {word.replace('_', ' ')}" for word, count in given.items()) or "none"


def _jobs_table(found: RunStatus) -> Table:
    table = Table(box=None, pad_edge=False)
    for name, justify in (("job", "right"), ("competitor", "left"), ("state", "left"), ("steps", "right")):
        table.add_column(name, justify=justify)  # type: ignore[arg-type]  # rich names the words in a Literal
    table.add_column("calls", justify="right")
    table.add_column("note")
    for line in found.jobs:
        calls = f"{line.calls_used}/{line.calls_limit}" if line.competitor else ""
        row = (
            str(line.id),
            line.competitor or "synthesis",
            line.state_words,
            str(line.steps),
            calls,
            _note(line, found.zone),
        )
        table.add_row(*map(Text, row))
    return table


def _note(line: JobLine, zone: str) -> str:
    if line.error:
        return line.error
    if line.waits_until:
        return f"waits until {local_time(line.waits_until, zone)}"
    resumed = f"resumed, attempt {line.attempts}" if line.attempts > 1 else ""
    spent = "budget spent" if line.is_cut else ""
    return "; ".join(filter(None, (harmless(line.unread_words), resumed, spent)))


def runs(
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many.")] = RECENT,
    config: ConfigDir = None,
    as_json_text: AsJson = False,
) -> None:
    """List the newest nights."""
    app = open_app(config)
    try:
        found = recent(app.store, limit)
    finally:
        app.close()
    if as_json_text:
        print_json({"runs": [summary_json(each) for each in found]})
        return
    if found:
        Console(file=sys.stdout).print(_runs_table(found))
    else:
        typer.echo("No night has run yet. `monitor run` runs the one that is due now.")


def _runs_table(found: Sequence[RunStatus]) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in ("run", "state", "took", "shops", "calls", "read", "proposals"):
        table.add_column(name, no_wrap=name == "run", overflow="fold")
    for each in found:
        took = "" if each.ended_at is None else _span(each.ended_at - each.started_at)
        state = f"{each.state}{', partial' if each.partial else ''}"
        failed = f", {each.jobs_failed} failed" if each.jobs_failed else ""
        read = sum(count for outcome, count in each.observations.items() if outcome in _READ)
        row = (
            *(each.run, state, took, f"{each.jobs_ended}/{each.jobs_total}{failed}", str(each.tool_calls)),
            *(f"{read}/{sum(each.observations.values())}", _counts(each.proposals)),
        )
        table.add_row(*map(Text, row))
    return table

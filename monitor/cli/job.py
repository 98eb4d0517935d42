"""`monitor job show`: one job, step by step."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from monitor.cli.options import AsJson, ConfigDir, local_time, print_json, say
from monitor.cli.status import NoSuchThing
from monitor.domain.money import amount_text
from monitor.domain.observation import Observation
from monitor.domain.report.wording import counted
from monitor.domain.run import Step
from monitor.domain.status import Interruption, JobStatus, as_json
from monitor.domain.unread import in_full
from monitor.ports.store import Store
from monitor.web.look import find_job, job_status
from monitor.wiring import open_app

job = typer.Typer(no_args_is_help=True, help="One job of a night.")


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.add_typer(job, name="job")


@job.callback()
def one_job() -> None:
    """One job of a night."""


@job.command(epilog="Example: monitor job show nightly-2026-11-29/acme --json")
def show(
    which: Annotated[str, typer.Argument(metavar="JOB", help="RUN/COMPETITOR, or the number that `status` shows.")],
    config: ConfigDir = None,
    as_json_text: AsJson = False,
) -> None:
    """Show one job: its plan so far step by step, its checkpoints, its budget and what it read."""
    app = open_app(config)
    try:
        found, zone = _job(app.store, which), app.plan.schedule.zone
    finally:
        app.close()
    if as_json_text:
        print_json(as_json(found))
    else:
        _print_job(found, zone)


def _job(store: Store, which: str) -> JobStatus:
    run, _, key = which.partition("/")
    if which.isascii() and which.isdecimal():
        found = job_status(store, int(which))
    else:
        found = find_job(store, run, "" if key == "synthesis" else key)
    if found is None:
        raise NoSuchThing(f"There is no job {which!r}. `monitor status` lists the jobs of a night.")
    return found


def _print_job(found: JobStatus, zone: str) -> None:
    line = found.job
    typer.echo(f"{found.run}/{line.competitor or 'synthesis'}: {line.state_words}, attempt {line.attempts}")
    spent = f"{line.calls_used} of {line.calls_limit} tool calls" if line.competitor else "no budget of tool calls"
    typer.echo(f"budget: {spent}, {counted(line.requests_used, 'request')}{', spent' if line.is_cut else ''}")
    if line.error:
        typer.echo(f"error: {line.error}")
    if found.tokens:
        used, reserved = found.tokens.used, found.tokens.reserved
        typer.echo(f"tokens of the night: {used + reserved} of {found.tokens.cap}, {reserved} of them reserved")
    for each in found.interruptions:
        typer.echo(_interruption_words(each, zone))
    for step in found.plan:
        say(_step_words(step))
    for reading in found.observations:
        say(_reading_words(reading))
    for name, value in found.facts.items():
        say(f"known: {name}: {fact_words(value)}")
    for action in found.actions:
        typer.echo(f"pending: {action.key} version {action.version}, {action.state}")
    for kept in found.artifacts:
        size = "removed at its age" if kept.bytes is None else f"{kept.bytes} bytes"
        typer.echo(f"kept: {kept.kind} {kept.ref}  {kept.hash[:12]}, {size}")


#: Characters of one learnt fact; --json has all of it.
_FACT_LIMIT = 400


def fact_words(value: Any) -> str:
    """Return what was learnt in words: names with their values, and lists with commas."""
    words = _in_words(value)
    return words if len(words) <= _FACT_LIMIT else f"{words[:_FACT_LIMIT]}…"


def _in_words(value: Any) -> str:
    if isinstance(value, Mapping):
        told = (f"{str(name).replace('_', ' ')} {_in_words(one)}" for name, one in value.items())
        return ", ".join(told) or "nothing"
    if isinstance(value, list | tuple):
        return ", ".join(map(_in_words, value)) or "none"
    if value is None or isinstance(value, bool):
        return "not known" if value is None else "yes" if value else "no"
    return str(value)


def _interruption_words(each: Interruption, zone: str) -> str:
    resumed = "waits to be taken up"
    if each.resumed_at is not None:
        resumed = f"taken up after {(each.resumed_at - each.lost_at).total_seconds():.1f} s"
    return f"interrupted at {local_time(each.lost_at, zone)} in step {each.seq} ({each.cause}), {resumed}"


def _step_words(step: Step) -> str:
    again = f" (started {step.attempts} times)" if step.attempts > 1 else ""
    what = step.args.get("url") or step.args.get("path") or ""
    error = f"  {step.error}" if step.error else ""
    if step.result_bytes is not None:
        error += f"  (its result of {step.result_bytes} bytes was removed at its age)"
    return f"{step.seq:>4}  {step.state:<8}{step.tool} {what}{again}{error}".rstrip()


def _reading_words(each: Observation) -> str:
    price = "" if each.price is None else f" {amount_text(each.price, each.currency)} {each.currency}"
    evidence = f"  evidence {each.evidence[:12]}" if each.evidence else ""
    return f"      {each.sku}: {in_full(each.outcome, each.reason, each.words)}{price}{evidence}"

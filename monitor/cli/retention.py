"""`monitor retention`: remove what is past its age."""

from typing import Annotated

import typer

from monitor.cli.options import AsJson, ConfigDir, print_json
from monitor.domain.report.wording import counted
from monitor.domain.retention import Kept, Retention
from monitor.flow.retain import Retained, count_old, remove_old
from monitor.wiring import open_app

_WORDS = {
    Kept.STEP_RESULTS: "results of steps",
    Kept.EVIDENCE: "pages and evidence",
    Kept.TRANSCRIPTS: "transcripts of model calls",
    Kept.LETTERS: "texts of mails",
    Kept.NONCES: "expired numbers of review forms",
    Kept.EFFECTS: "records of effects made once",
    Kept.BLOBS: "stored bytes without a reference",
}


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(epilog="Example: monitor retention --dry-run")(retention)


def retention(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count what is past its age.")] = False,
    config: ConfigDir = None,
    as_json: AsJson = False,
) -> None:
    """Remove what is older than its age under retention. A working process does this by itself outside the busy hours.

    Outcomes, prices, decisions, writes and costs are kept: see docs/retention.md.
    """
    app = open_app(config)
    try:
        ages = app.settings.retention
        found = count_old(app.store, ages) if dry_run else remove_old(app.store, ages)
    finally:
        app.close()
    if as_json:
        print_json(_json(found, ages, dry_run=dry_run))
    else:
        _print(found, ages, dry_run=dry_run)


def _json(found: Retained, ages: Retention, *, dry_run: bool) -> dict[str, object]:
    kinds = {
        kind.value: {"kept_days": ages.age_of(kind).days, "removed": 0 if dry_run else count, "past_age": count}
        for kind, count in found.removed.items()
    }
    return {"dry_run": dry_run, "kinds": kinds}


def _print(found: Retained, ages: Retention, *, dry_run: bool) -> None:
    verb = "past its age" if dry_run else "removed"
    for kind, count in found.removed.items():
        typer.echo(f"{count:>8} {verb}: {_WORDS[kind]}, kept {counted(ages.age_of(kind).days, 'day')}")

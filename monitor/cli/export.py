"""`monitor export`: proposals, observations and history as files, and approved prices for the shop's own importer."""

import getpass
import json
import sys
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Annotated

import typer

from monitor.cli.actions import By, print_results
from monitor.cli.catalogue import Currency, DecimalSign, Encoding, wanted_of
from monitor.cli.options import AsJson, ConfigDir, day_of, print_json, say, written
from monitor.domain.action import Actor
from monitor.domain.csv_table import suggestion
from monitor.domain.intake import Kind
from monitor.domain.report.wording import counted
from monitor.domain.review import UNSETTLED
from monitor.errors import Misconfigured
from monitor.flow.review import decide
from monitor.settings.imports import file_body
from monitor.settings.intake import prices_file
from monitor.wiring import open_app
from monitor.wiring.exports import Exported, approved_prices, decisions_from, exported

export = typer.Typer(no_args_is_help=True, help="Write what is stored as files for other programs.")

Out = Annotated[
    Path | None, typer.Option("--out", metavar="FILE", help="Where to write; by default to standard output.")
]
Form = Annotated[
    str | None, typer.Option("--format", metavar="FORM", help="csv, xlsx or jsonl; by default as FILE ends, else csv.")
]
Run = Annotated[str | None, typer.Option("--run", metavar="ID", help="Of this run; by default the latest.")]
Sku = Annotated[str | None, typer.Option("--sku", help="Only of this product.")]
_FORMS = ("csv", "xlsx", "jsonl")


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(export, name="export")
    app.command("decide", epilog="Example: monitor decide proposals.xlsx --by ada")(decide_from_file)


@export.command("proposals", epilog="Example: monitor export proposals --out proposals.xlsx")
def export_proposals(
    run: Run = None,
    sku: Sku = None,
    out: Out = None,
    form: Form = None,
    config: ConfigDir = None,
    as_json: AsJson = False,
) -> None:
    """Write the proposals of a run, with empty columns to decide them in a spreadsheet."""
    _export("proposals", _Wanted(out, form, config, as_json), run=run, sku=sku)


@export.command("observations", epilog="Example: monitor export observations --run nightly-2026-11-29 --out seen.csv")
def export_observations(
    run: Run = None,
    sku: Sku = None,
    out: Out = None,
    form: Form = None,
    config: ConfigDir = None,
    as_json: AsJson = False,
) -> None:
    """Write what was read at the competitors in a run; with --sku alone, of one product in every run."""
    _export("observations", _Wanted(out, form, config, as_json), run=run, sku=sku)


@export.command("history", epilog="Example: monitor export history --sku TR-41 --since 2026-01-01 --out history.csv")
def export_history(
    sku: Sku = None,
    since: Annotated[
        date | None,
        typer.Option(metavar="DATE", parser=day_of, help="Only what was seen since, for example 2026-01-31."),
    ] = None,
    out: Out = None,
    form: Form = None,
    config: ConfigDir = None,
    as_json: AsJson = False,
) -> None:
    """Write price history, our own included: one row for each stretch in which nothing changed."""
    moment = datetime.combine(since, time(0), UTC) if since else None
    _export("history", _Wanted(out, form, config, as_json), sku=sku, since=moment)


@export.command("prices", epilog="Example: monitor export prices --as shopify --out prices.csv")
def export_prices(
    kind: Annotated[str, typer.Option("--as", metavar="FORM", help="shopify, woocommerce or merchant.")],
    run: Run = None,
    like: Annotated[
        Path | None,
        typer.Option("--like", metavar="FILE", help=("The export to follow; by default the last imported one.")),
    ] = None,
    out: Out = None,
    currency: Currency = None,
    encoding: Encoding = None,
    decimal: DecimalSign = None,
    config: ConfigDir = None,
    as_json: AsJson = False,
) -> None:
    """Write the approved prices of a run for the shop's own importer, in the headers of its export.

    Only rows that change and only what names them and the price, because an empty cell overwrites there. Writes nothing
    to the shop. Ends with 1 when a price had to be left out, which is told.
    """
    wanted = wanted_of(kind, currency, encoding, decimal, None)
    app = open_app(config)
    try:
        prices = approved_prices(app.store, run)
    finally:
        app.close()
    found = prices_file(app.settings, wanted.kind or Kind.OWN, prices, like=like, wanted=wanted)
    if as_json:
        print_json({"changed": list(found.changed), "left_out": list(found.left_out), "text": found.text})
    elif out:
        out.write_text(found.text, "utf-8", newline="")
        typer.echo(f"{out}: {len(found.changed)} prices.", err=True)
    else:
        sys.stdout.write(found.text)
    for words in found.left_out:
        typer.secho(f"not in the file: {words}", fg=typer.colors.YELLOW, err=True)
    if found.left_out:
        raise typer.Exit(1)


def decide_from_file(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="An exported table of proposals, CSV or XLSX.")],
    by: By = None,
    config: ConfigDir = None,
    as_json: AsJson = False,
) -> None:
    """Decide the proposals whose `decision` says approve or reject in an exported table.

    `decided_price` approves at another price, `comment` is kept as the reason.

    A proposal that changed since the export is not decided, and told; nothing is decided from a file with a problem.
    Ends with 1 when one could not be decided.
    """
    choices = decisions_from(file_body(file), file.name)
    if not choices and not as_json:
        say(f"{file.name} decides nothing: no row says approve or reject in its column `decision`.")
        return
    app = open_app(config)
    try:
        results = decide(app.store, app.plan, Actor("cli", by or getpass.getuser()), choices) if choices else ()
        zone = app.plan.schedule.zone
    finally:
        app.close()
    print_results(results, zone, as_json)
    if any(result.outcome in UNSETTLED for result in results):
        raise typer.Exit(1)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Where to and as what."""

    out: Path | None
    form: str | None
    config: Path | None
    as_json: bool

    @property
    def chosen(self) -> str:
        """The form; raises Misconfigured."""
        if self.as_json and (self.out or self.form):
            raise Misconfigured(["--json prints to standard output; leave out --out and --format, or --json"])
        form = self.form or (self.out.suffix.removeprefix(".") if self.out and self.out.suffix else "csv")
        if form in _FORMS:
            return "jsonl" if self.as_json else form
        near = suggestion(form, _FORMS)
        raise Misconfigured([f"--format: {form!r} is no form{near}; write csv, xlsx or jsonl, or let FILE end so"])


def _export(
    kind: str,
    wanted: _Wanted,
    *,
    run: str | None = None,
    sku: str | None = None,
    since: datetime | None = None,
) -> None:
    chosen, out = wanted.chosen, wanted.out
    app = open_app(wanted.config)
    try:
        found: Exported = exported(app.store, kind, chosen, run=run, sku=sku, since=since)
    finally:
        app.close()
    if wanted.as_json:
        print_json({kind: [json.loads(line) for line in found.body.splitlines()]})
        return
    if out is None:
        sys.stdout.buffer.write(found.body)
        return
    written(out, found.body, "--out")
    typer.echo(f"{out}: {counted(found.rows, 'row')}.", err=True)

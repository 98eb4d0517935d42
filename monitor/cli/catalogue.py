"""`monitor catalogue` and `monitor watches`: bring your products and the pages to watch into the config directory."""

from collections.abc import Mapping
from dataclasses import asdict
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

import typer

from monitor.cli.options import AsJson, ConfigDir, print_json
from monitor.domain.csv_merge import Changes
from monitor.domain.money import amount_text
from monitor.settings import load
from monitor.settings.imports import check_catalogue, check_watches, import_catalogue, import_watches

catalogue = typer.Typer(no_args_is_help=True, help="Your own products.")
watches = typer.Typer(no_args_is_help=True, help="Which competitor page shows which of your products.")

CsvFile = Annotated[Path, typer.Argument(metavar="FILE", help="A CSV file; docs/configuration.md lists its columns.")]
MaybeCsvFile = Annotated[Path | None, typer.Argument(metavar="[FILE]", help="By default the one in use.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would change and write nothing.")]

#: Lines of changes shown to a person; the rest is counted.
_SHOWN = 50


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(catalogue, name="catalogue")
    app.add_typer(watches, name="watches")


@catalogue.command("import", epilog="Example: monitor catalogue import products.csv --dry-run")
def import_products(file: CsvFile, dry_run: DryRun = False, config: ConfigDir = None, as_json: AsJson = False) -> None:
    """Merge products into catalogue.csv, by sku.

    A column that FILE lacks keeps its values, an empty cell overwrites. The next night uses the result.
    """
    _show(import_catalogue(file, config, dry_run=dry_run), "products", dry_run=dry_run, as_json=as_json)


@catalogue.command("check", epilog="Example: monitor catalogue check products.csv")
def check_products(file: MaybeCsvFile = None, config: ConfigDir = None, as_json: AsJson = False) -> None:
    """Check a catalogue and name everything wrong with it, with its line."""
    count = check_catalogue(file, config) if file else len(load(config).catalogue.products)
    _show_count(count, "products", as_json=as_json)


@watches.command("import", epilog="Example: monitor watches import watches.csv --dry-run")
def import_pages(file: CsvFile, dry_run: DryRun = False, config: ConfigDir = None, as_json: AsJson = False) -> None:
    """Merge watches into watches.csv, by competitor and sku.

    A watch that you enter counts as confirmed. A column that FILE lacks keeps its values, an empty cell
    overwrites. The next night uses the result.
    """
    _show(import_watches(file, config, dry_run=dry_run), "watches", dry_run=dry_run, as_json=as_json)


@watches.command("check", epilog="Example: monitor watches check watches.csv")
def check_pages(file: MaybeCsvFile = None, config: ConfigDir = None, as_json: AsJson = False) -> None:
    """Check watches and name everything wrong with them, with its line."""
    count = check_watches(file, config) if file else len(load(config).catalogue.watches)
    _show_count(count, "watches", as_json=as_json)


def _show_count(count: int, noun: str, *, as_json: bool) -> None:
    if as_json:
        print_json({noun: count, "problems": []})
    else:
        typer.echo(f"{count} {noun}, nothing wrong.")


def _show(found: Changes, noun: str, *, dry_run: bool, as_json: bool) -> None:
    if as_json:
        print_json(_facts(found, dry_run=dry_run))
        return
    lines = [f"added    {key}" for key in found.added]
    for key, differences in found.changed.items():
        words = ", ".join(f"{each.field} {_text(each.before)} -> {_text(each.after)}" for each in differences)
        lines.append(f"changed  {key}: {words}")
    for line in lines[:_SHOWN]:
        typer.echo(line)
    if len(lines) > _SHOWN:
        typer.echo(f"… and {len(lines) - _SHOWN} more; --json prints all")
    counts = f"{len(found.added)} added, {len(found.changed)} changed, {len(found.unchanged)} unchanged {noun}."
    typer.echo(f"{counts} Nothing was written (dry run)." if dry_run else counts)


def _facts(found: Changes, *, dry_run: bool) -> Mapping[str, Any]:
    return {
        "dry_run": dry_run,
        "added": list(found.added),
        "changed": {
            key: [{k: v if k == "field" else _fact(v) for k, v in asdict(each).items()} for each in differences]
            for key, differences in found.changed.items()
        },
        "unchanged": list(found.unchanged),
    }


def _fact(value: object) -> object:
    if isinstance(value, Decimal):
        return amount_text(value)
    return list(value) if isinstance(value, tuple) else value


def _text(value: object) -> str:
    if value is None or value == ():
        return "nothing"
    return "; ".join(map(str, value)) if isinstance(value, tuple) else str(value)

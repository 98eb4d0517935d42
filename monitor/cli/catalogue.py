"""`monitor catalogue` and `monitor watches`: bring your products and the pages to watch into the config directory."""

from pathlib import Path
from typing import Annotated

import typer

from monitor.cli import pulling
from monitor.cli.intake_view import change_counts, change_facts, change_lines, show_import, show_lines, show_listed
from monitor.cli.options import AsJson, ConfigDir, print_json
from monitor.domain.csv_merge import Changes
from monitor.domain.intake import Kind
from monitor.domain.money import is_currency
from monitor.errors import Misconfigured
from monitor.settings import load
from monitor.settings.imports import check_watches, import_watches
from monitor.settings.intake import MAPPABLE, Wanted, check_catalogue, import_catalogue

catalogue = typer.Typer(no_args_is_help=True, help="Your own products.")
watches = typer.Typer(no_args_is_help=True, help="Which competitor page shows which of your products.")

CsvFile = Annotated[Path, typer.Argument(metavar="FILE", help="A CSV file; docs/configuration.md lists its columns.")]
MaybeCsvFile = Annotated[Path | None, typer.Argument(metavar="[FILE]", help="By default the one in use.")]
CatalogueFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="An export, a feed or our own CSV; docs/catalogue.md lists the forms.")
]
MaybeCatalogueFile = Annotated[Path | None, typer.Argument(metavar="[FILE]", help="By default the catalogue in use.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would change and write nothing.")]
As = Annotated[
    str | None,
    typer.Option("--as", metavar="FORM", help="own, shopify, woocommerce or merchant; by default recognised."),
]
Currency = Annotated[
    str | None, typer.Option(metavar="CODE", help="Of amounts that name none; by default shop.currency.")
]
Encoding = Annotated[
    str | None, typer.Option(metavar="NAME", help="When the file is not UTF-8, for example windows-1252.")
]
DecimalSign = Annotated[
    str | None, typer.Option(metavar="SIGN", help="comma or point, when the amounts do not show which it is.")
]
Column = Annotated[
    list[str] | None,
    typer.Option(metavar="FIELD=HEADER", help=f"A header in another language; FIELD is {', '.join(MAPPABLE)}."),
]


def wanted_of(
    kind: str | None, currency: str | None, encoding: str | None, decimal: str | None, columns: list[str] | None
) -> Wanted:
    """Return what the options say about a file.

    Raises:
        Misconfigured: every option that is wrong, with the accepted forms.
    """
    forms = [form.value for form in Kind if form is not Kind.SHOP]
    signs = {None: None, "comma": ",", "point": "."}
    pairs = [tuple(part.strip() for part in each.partition("=")[::2]) for each in columns or ()]
    problems = [f"--as: {kind!r} is no form; write {', '.join(forms)}"] if kind not in (None, *forms) else []
    if currency is not None and not is_currency(currency):
        problems.append(f"--currency: {currency!r} is not a currency; write its ISO 4217 code, for example EUR")
    if decimal not in signs:
        problems.append(f"--decimal: {decimal!r} is no sign; write comma or point")
    problems += [
        f"--column: {name!r} is no field; write {', '.join(MAPPABLE)}, for example --column regular_price='Cena'"
        for name, header in pairs
        if name not in MAPPABLE or not header
    ]
    if problems:
        raise Misconfigured(problems)
    return Wanted(
        kind=Kind(kind) if kind else None,
        currency=currency,
        encoding=encoding,
        decimal=signs[decimal],
        columns=tuple((name, header) for name, header in pairs),
    )


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    pulling.register(catalogue)
    app.add_typer(catalogue, name="catalogue")
    app.add_typer(watches, name="watches")


@catalogue.command("import", epilog="Example: monitor catalogue import products_export.csv --dry-run")
def import_products(
    file: CatalogueFile,
    dry_run: DryRun = False,
    kind: As = None,
    currency: Currency = None,
    encoding: Encoding = None,
    decimal: DecimalSign = None,
    column: Column = None,
    config: ConfigDir = None,
    as_json: AsJson = False,
) -> None:
    """Take products into catalogue.csv, by sku: a Shopify or WooCommerce export, a merchant feed, or our own CSV.

    The form is recognised. What cannot be bought (drafts, archived, free) is named and not taken, or set inactive when
    it was known. In our own CSV a column that FILE lacks keeps its values and an empty cell overwrites. Nothing is
    taken from a file with a problem in it. The next night uses the result.
    """
    wanted = wanted_of(kind, currency, encoding, decimal, column)
    show_import(import_catalogue(file, config, wanted=wanted, dry_run=dry_run), dry_run=dry_run, as_json=as_json)


@catalogue.command("check", epilog="Example: monitor catalogue check products_export.csv --json")
def check_products(
    file: MaybeCatalogueFile = None,
    kind: As = None,
    currency: Currency = None,
    encoding: Encoding = None,
    decimal: DecimalSign = None,
    column: Column = None,
    config: ConfigDir = None,
    as_json: AsJson = False,
) -> None:
    """Check a catalogue file and name everything wrong with it, with its line; --json prints what was read."""
    if file is None:
        _show_count(len(load(config).catalogue.products), "products", as_json=as_json)
        return
    show_listed(
        check_catalogue(file, config, wanted=wanted_of(kind, currency, encoding, decimal, column)), as_json=as_json
    )


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
        print_json(change_facts(found, {}, dry_run=dry_run))
        return
    show_lines(change_lines(found, {}))
    typer.echo(change_counts(found, noun, dry_run=dry_run))

"""Take our own catalogue into catalogue.csv: from a file of any known form, or from the shop's API.

Every source becomes an `Intake` first and goes through `apply_intake`, so that a file and a pull mean the same. A
product that is for sale is added or changed by sku; one that is known and cannot be bought now is set `active = no`;
one that cannot be bought and is not known is named and left out. Nothing is removed. All or nothing: the merged file is
loaded with everything beside it before it takes the old one's place. Taking the same in again changes nothing.

A copy of the last imported file of a shop program stays in `storage.var`, so that prices can go back in its form.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

from monitor.domain.catalogue_file import PRODUCTS
from monitor.domain.csv_merge import Changes, changes
from monitor.domain.csv_table import Row, Table, read_table
from monitor.domain.intake import MAPPABLE, Asked, Intake, Kind, read_catalogue_file
from monitor.domain.intake.price_update import PriceUpdate, price_update
from monitor.domain.money import Money, amount_text
from monitor.errors import Misconfigured
from monitor.settings.imports import file_body, refused, replace_file, tried
from monitor.settings.load import CATALOGUE_CSV, load
from monitor.settings.model import Settings

__all__ = [
    "MAPPABLE",
    "Imported",
    "Wanted",
    "apply_intake",
    "check_catalogue",
    ("import_catalogue"),
    "imported_copy",
    "prices_file",
]

#: Where the copy of the last imported file is kept, below `storage.var`.
IMPORTED = "imported"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the operator said about a file; see `monitor.domain.intake.Asked`."""

    kind: Kind | None = None
    currency: str | None = None  #: None: `shop.currency`
    encoding: str | None = None
    decimal: str | None = None
    columns: tuple[tuple[str, str], ...] = ()  #: our field and the header it has in the file
    today: date | None = None  #: None: the date in the schedule's zone; decides whether a dated sale is on


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import does, or in a dry run would do."""

    intake: Intake
    changes: Changes
    currencies: Mapping[str, str]  #: of every product, by sku
    not_taken: tuple[str, ...]  #: keys that are not for sale and that the catalogue does not know
    missing: tuple[str, ...]  #: products for sale in the catalogue that the source does not list


def import_catalogue(
    file: Path,
    config_dir: Path | None,
    environ: Mapping[str, str] | None = None,
    *,
    wanted: Wanted | None = None,
    dry_run: bool = False,
) -> Imported:
    """Take a catalogue file in and return what changes.

    Raises:
        Misconfigured: every problem of the file, or of the configuration it would become part of.
    """
    before = load(config_dir, environ)
    body = file_body(file)
    intake = read_catalogue_file(body, file.name, _asked(before, wanted or Wanted()))
    incoming = read_table(body, file.name, PRODUCTS) if intake.kind is Kind.OWN else None
    found = _applied(intake, before, environ, incoming, dry_run=dry_run)
    if not dry_run and intake.kind in (Kind.SHOPIFY, Kind.WOOCOMMERCE, Kind.MERCHANT):
        copy = imported_copy(before, intake.kind)
        copy.parent.mkdir(parents=True, exist_ok=True)
        replace_file(copy, body)
    return found


def apply_intake(
    intake: Intake, config_dir: Path | None, environ: Mapping[str, str] | None = None, *, dry_run: bool = False
) -> Imported:
    """Take in what any other source lists, such as the shop's API, with the same meaning as a file.

    Raises:
        Misconfigured: every problem of the intake, or of the configuration it would become part of.
    """
    return _applied(intake, load(config_dir, environ), environ, None, dry_run=dry_run)


def check_catalogue(
    file: Path,
    config_dir: Path | None,
    environ: Mapping[str, str] | None = None,
    *,
    wanted: Wanted | None = None,
) -> Intake:
    """Return what a catalogue file lists; raises Misconfigured with every problem of it."""
    intake = read_catalogue_file(file_body(file), file.name, _asked(load(config_dir, environ), wanted or Wanted()))
    if intake.problems:
        raise refused(intake.problems, file.name, CATALOGUE_CSV)
    return intake


def prices_file(
    settings: Settings,
    kind: Kind,
    prices: Mapping[str, Money],
    *,
    like: Path | None = None,
    wanted: Wanted | None = None,
) -> PriceUpdate:
    """Return these prices as a file for the shop's importer, in the form of the export that was imported last.

    Raises:
        Misconfigured: there is no such export; import one first or name one.
    """
    template = like or imported_copy(settings, kind)
    if like is None and not template.exists():
        raise Misconfigured(
            [
                f"no {kind.value} export has been imported here; import one "
                "first (monitor catalogue import), or name --like FILE"
            ]
        )
    asked = replace(_asked(settings, wanted or Wanted()), kind=kind)
    return price_update(file_body(template), template.name, asked, prices)


def imported_copy(settings: Settings, kind: Kind) -> Path:
    """Return where the copy of the last imported file of a kind is."""
    return settings.storage.var / IMPORTED / f"{kind.value}.file"


def _asked(settings: Settings, wanted: Wanted) -> Asked:
    return Asked(
        currency=wanted.currency or settings.plan.currency,
        today=wanted.today or datetime.now(UTC).astimezone(ZoneInfo(settings.plan.schedule.zone)).date(),
        kind=wanted.kind,
        encoding=wanted.encoding,
        decimal=wanted.decimal,
        columns=dict(wanted.columns),
    )


def _applied(
    intake: Intake,
    before: Settings,
    environ: Mapping[str, str] | None,
    incoming: Table | None,
    *,
    dry_run: bool,
) -> Imported:
    if intake.problems:
        raise refused(intake.problems, intake.name, CATALOGUE_CSV)
    known = {product.sku: product for product in before.catalogue.products}
    wants_all = intake.kind is Kind.OWN
    taken = [each.key for each in intake.listed if wants_all or each.not_sold is None or each.key in known]
    table = incoming or _table(intake, frozenset(known), frozenset(taken))
    text, after = tried(before, environ, CATALOGUE_CSV, PRODUCTS, ("sku",), table)
    products = {product.sku: product for product in after.catalogue.products}
    found = changes(known, products, taken)
    if not dry_run and not found.is_empty:
        replace_file(before.config_dir / CATALOGUE_CSV, text.encode())
    listed = frozenset(each.key for each in intake.listed)
    return Imported(
        intake=intake,
        changes=found,
        currencies={sku: product.currency for sku, product in products.items()},
        not_taken=tuple(each.key for each in intake.listed if each.key not in taken),
        missing=tuple(sku for sku, product in known.items() if product.active and sku not in listed),
    )


def _table(intake: Intake, known: frozenset[str], taken: frozenset[str]) -> Table:
    """Return an intake as rows of catalogue.csv; a cell that a row does not have keeps what stands there."""
    rows = []
    for each in intake.listed:
        if each.key not in taken:
            continue
        cells = {"sku": each.key, "active": "no" if each.not_sold else "yes"}
        if each.not_sold is None:
            currency = str(each.facts.get("currency", ""))
            cells |= {field: _cell(value, currency) for field, value in each.facts.items()}
        rows.append(Row(each.line, cells))
    columns = tuple(column for column in PRODUCTS.columns if any(column in row.cells for row in rows))
    return Table(intake.name, columns, tuple(rows), ())


def _cell(value: object, currency: str) -> str:
    if value is None:
        return ""
    if isinstance(value, Decimal):
        return amount_text(value, currency)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ";".join(value) if isinstance(value, tuple) else str(value)

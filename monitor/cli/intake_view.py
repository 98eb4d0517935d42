"""How an import is shown: what changes, what was not taken and why, as lines and as facts."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

import typer

from monitor.cli.options import print_json
from monitor.domain.csv_merge import Changes
from monitor.domain.intake import Intake, Listed
from monitor.domain.money import amount_text
from monitor.settings.intake import Imported

#: Lines of one part shown to a person; the rest is counted.
_SHOWN = 50
_AMOUNTS = frozenset({"price", "compare_at", "cost", "min_price", "max_price", "map", "msrp", "shipping"})


def show_import(found: Imported, *, dry_run: bool, as_json: bool) -> None:
    """Print what an import did, or in a dry run would do."""
    if as_json:
        print_json(_import_facts(found, dry_run=dry_run))
        return
    typer.echo(f"{found.intake.name}: {found.intake.form or found.intake.kind.value}")
    show_lines(change_lines(found.changes, found.currencies))
    show_lines(_aside(found.intake, frozenset(found.not_taken)))
    for note in found.intake.notes:
        typer.echo(f"note     {note}")
    if found.missing:
        typer.echo(
            f"note     {len(found.missing)} products of the catalogue are not in it and stay as they are "
            f"({', '.join(found.missing[:3])}{' …' if len(found.missing) > 3 else ''})"
        )
    typer.echo(change_counts(found.changes, "products", dry_run=dry_run))


def show_listed(intake: Intake, *, as_json: bool) -> None:
    """Print what a file lists."""
    if as_json:
        print_json({"products": len(intake.for_sale), "problems": [], **_intake_facts(intake)})
        return
    typer.echo(f"{intake.name}: {intake.form}")
    show_lines(_aside(intake, frozenset(each.key for each in intake.listed if each.not_sold)))
    for note in intake.notes:
        typer.echo(f"note     {note}")
    typer.echo(f"{len(intake.for_sale)} products, nothing wrong.")


def change_lines(found: Changes, currencies: Mapping[str, str]) -> Iterator[str]:
    """Yield one line for each added and each changed key."""
    for key in found.added:
        yield f"added    {key}"
    for key, differences in found.changed.items():
        words = (
            f"{each.field} {_text(each.before, key, each.field, currencies)} -> "
            f"{_text(each.after, key, each.field, currencies)}"
            for each in differences
        )
        yield f"changed  {key}: {', '.join(words)}"


def change_counts(found: Changes, noun: str, *, dry_run: bool) -> str:
    """Return the last line: how many of each."""
    counts = f"{len(found.added)} added, {len(found.changed)} changed, {len(found.unchanged)} unchanged {noun}."
    return f"{counts} Nothing was written (dry run)." if dry_run else counts


def change_facts(found: Changes, currencies: Mapping[str, str], *, dry_run: bool) -> dict[str, Any]:
    """Return the changes as JSON has them; amounts have the digits of their currency."""
    return {
        "dry_run": dry_run,
        "added": list(found.added),
        "changed": {
            key: [
                {
                    "field": each.field,
                    "before": _fact(each.before, each.field, currencies.get(key)),
                    "after": _fact(each.after, each.field, currencies.get(key)),
                }
                for each in differences
            ]
            for key, differences in found.changed.items()
        },
        "unchanged": list(found.unchanged),
    }


def show_lines(lines: Iterator[str]) -> None:
    """Print the first lines and how many more there are."""
    every = list(lines)
    for line in every[:_SHOWN]:
        typer.echo(line)
    if len(every) > _SHOWN:
        typer.echo(f"… and {len(every) - _SHOWN} more; --json prints all")


def _aside(intake: Intake, not_taken: frozenset[str]) -> Iterator[str]:
    """Yield a line for everything that was not taken, or not as it stands."""
    for each in intake.listed:
        if each.key in not_taken:
            yield f"skipped  {each.key} (line {each.line}): {each.not_sold}"
        for remark in each.remarks:
            yield f"remark   {each.key} (line {each.line}): {remark}"
    for row in intake.left_out:
        yield f"skipped  {row.name} (line {row.line}): {row.reason}"
    if intake.image_rows:
        yield f"skipped  rows that carry only an image: {intake.image_rows}"


def _import_facts(found: Imported, *, dry_run: bool) -> Mapping[str, Any]:
    return {
        **change_facts(found.changes, found.currencies, dry_run=dry_run),
        "not_taken": list(found.not_taken),
        "missing": list(found.missing),
        **_intake_facts(found.intake),
    }


def _intake_facts(intake: Intake) -> dict[str, Any]:
    return {
        "file": intake.name,
        "kind": intake.kind.value,
        "form": intake.form,
        "listed": [_listed_facts(each) for each in intake.listed],
        "left_out": [
            {"record": row.record, "line": row.line, "name": row.name, "reason": row.reason} for row in intake.left_out
        ],
        "image_rows": intake.image_rows,
        "notes": list(intake.notes),
    }


def _listed_facts(each: Listed) -> dict[str, Any]:
    currency = each.facts.get("currency")
    return {
        "sku": each.key,
        "record": each.record,
        "line": each.line,
        "for_sale": each.not_sold is None,
        "reason": each.not_sold,
        **{field: _fact(value, field, currency) for field, value in each.facts.items()},
        "remarks": list(each.remarks),
        "stated": dict(each.stated),
    }


def _fact(value: object, field: str, currency: str | None) -> object:
    if isinstance(value, Decimal):
        return amount_text(value, currency if field in _AMOUNTS else None)
    return list(value) if isinstance(value, tuple) else value


def _text(value: object, key: str, field: str, currencies: Mapping[str, str]) -> str:
    if value is None or value == ():
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    shown = _fact(value, field, currencies.get(key))
    return "; ".join(map(str, shown)) if isinstance(shown, Sequence) and not isinstance(shown, str) else str(shown)

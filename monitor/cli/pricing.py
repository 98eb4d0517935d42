"""`monitor pricing`: run worked pricing examples against the program."""

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml

from monitor.domain.pricing.cases import Case, mismatches, read_cases
from monitor.errors import Misconfigured


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    pricing = typer.Typer(no_args_is_help=True, help="Pricing rules and worked examples.")
    pricing.callback()(_pricing)
    pricing.command(epilog="Example: monitor pricing check decisions.yaml")(check)
    app.add_typer(pricing, name="pricing")


def _pricing() -> None:
    """Pricing rules and worked examples."""


def check(
    file: Annotated[Path, typer.Argument(help="A decision table in YAML; docs/pricing.md describes the format.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Decide every row of a decision table and print where the program decides otherwise.

    Exits with 0 when every row agrees, 1 when one does not, 2 when the file cannot be read.
    """
    try:
        cases = read_cases(_parsed(file), where=str(file))
    except Misconfigured as error:
        typer.echo("\n".join(error.problems), err=True)
        raise typer.Exit(2) from None
    found = [(case, mismatches(case)) for case in cases]
    wrong = [(case, differences) for case, differences in found if differences]
    (_print_json if as_json else _print_lines)(file, len(cases), wrong)
    if wrong:
        raise typer.Exit(1)


def _parsed(file: Path) -> object:
    """Return the content of a YAML file.

    Raises:
        Misconfigured: there is no such file, or it is not YAML in UTF-8.
    """
    try:
        return yaml.safe_load(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise Misconfigured([f"{file}: cannot be opened: {error.strerror}; name a decision table in YAML"]) from None
    except UnicodeDecodeError:
        raise Misconfigured([f"{file}: not a text in UTF-8; save the decision table as UTF-8 YAML"]) from None
    except (yaml.YAMLError, ValueError) as error:
        raise Misconfigured([f"{file}: not readable as YAML: {error}"]) from None


def _print_lines(file: Path, count: int, wrong: list[tuple[Case, tuple[str, ...]]]) -> None:
    for case, differences in wrong:
        typer.echo(f"{case.id} {case.title}".rstrip())
        for difference in differences:
            typer.echo(f"    {difference}")
    typer.echo(f"{file}: {count - len(wrong)} of {count} rows agree.")


def _print_json(file: Path, count: int, wrong: list[tuple[Case, tuple[str, ...]]]) -> None:
    result: dict[str, Any] = {
        "file": str(file),
        "rows": count,
        "agree": count - len(wrong),
        "mismatches": [{"id": case.id, "title": case.title, "differences": list(told)} for case, told in wrong],
    }
    json.dump(result, sys.stdout, indent=2, ensure_ascii=False)
    sys.stdout.write("\n")

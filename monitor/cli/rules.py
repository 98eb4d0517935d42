"""`monitor rules`: what is wrong with rules, before a night finds out."""

from datetime import datetime
from pathlib import Path
from typing import Annotated
from zoneinfo import ZoneInfo

import typer

from monitor.cli.options import AsJson, ConfigDir, print_json, say
from monitor.domain.pricing.rule_check import RuleFinding, check_rules
from monitor.domain.pricing.wording import counted
from monitor.settings import load
from monitor.settings.rules_file import rules_in, rules_in_force

rules = typer.Typer(no_args_is_help=True, help="Your pricing rules.")

RulesFile = Annotated[Path | None, typer.Argument(metavar="[FILE]", help="By default rules.toml of the configuration.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(rules, name="rules")


@rules.callback()
def _rules() -> None:
    """Your pricing rules."""


@rules.command(epilog="Example: monitor rules check draft.toml --json")
def check(file: RulesFile = None, config: ConfigDir = None, as_json: AsJson = False) -> None:
    """Name rules that never decide, that conflict, or that ask for what your catalogue and watches cannot give.

    Exits with 0 when nothing is wrong, 1 with findings, 2 when the file cannot be read: every mistake in it is named
    with its rule, its key and the accepted forms.
    """
    settings = load(config)
    read = rules_in_force(settings) if file is None else rules_in(file, settings)
    today = datetime.now(ZoneInfo(settings.plan.schedule.zone)).date()
    found = check_rules(read, settings.catalogue, today=today)
    name = "rules.toml" if file is None else str(file)
    if as_json:
        print_json({"file": name, "rules": len(read.asked), "findings": [one.as_json() for one in found]})
    else:
        _print(name, len(read.asked), found)
    if found:
        raise typer.Exit(1)


def _print(name: str, count: int, found: tuple[RuleFinding, ...]) -> None:
    for one in found:
        say(f"{one.code.value}: {one.words}.", under=4)
    outcome = counted(len(found), "finding") if found else "nothing wrong" if count else "so nothing is proposed"
    typer.echo(f"{name}: {counted(count, 'enabled rule')}, {outcome}.")

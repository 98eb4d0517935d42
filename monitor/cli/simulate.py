"""`monitor simulate`: what other rules would have proposed in the nights that are stored."""

import sys
from datetime import date
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from monitor.cli.options import AsJson, ConfigDir, day_of, print_json
from monitor.domain.report.wording import counted
from monitor.flow.simulate import simulate as simulate_nights
from monitor.settings.rules_file import rules_in
from monitor.wiring import open_app

#: Proposals of the newest night that a person is shown; --json has all of every night.
_MOST_SHOWN = 25


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(epilog="Example: monitor simulate --rules draft.toml --since 2026-11-01")(simulate)


def simulate(
    rules: Annotated[Path, typer.Option("--rules", metavar="FILE", help="The rules to try, as in rules.toml.")],
    since: Annotated[
        date | None, typer.Option("--since", metavar="DATE", parser=day_of, help="The first night, such as 2026-11-01.")
    ] = None,
    config: ConfigDir = None,
    as_json: AsJson = False,
) -> None:
    """Replay the stored nights under other rules and show what would have been proposed. Nothing is stored.

    Every night stands for itself, with the prices you really had. Effects are at constant volume.
    """
    app = open_app(config)
    try:
        tried = rules_in(rules, app.settings)
        found = simulate_nights(app.store, tried, since=since)
    finally:
        app.close()
    if as_json:
        print_json({"rules": str(rules), "since": None if since is None else since.isoformat(), **found})
        return
    console = Console(file=sys.stdout)
    for part in _shown(str(rules), found):
        console.print(part)


def _shown(name: str, found: dict[str, Any]) -> list[Text | Table]:
    totals = found["totals"]
    if not totals["nights"]:
        return [Text("No stored night to replay. `monitor runs` lists the ones there are.")]
    lines = [
        f"{name} over {counted(totals['nights'], 'night')}: {counted(totals['proposals'], 'proposal')} "
        f"({totals['distinct']} distinct), {totals['down']} down, {totals['up']} up",
        f"weekly margin at constant volume, summed over the nights: {_effect(totals['margin_effect'])}",
        f"price index: {totals['index_before'] or 'unknown'} before, {totals['index_after'] or 'unknown'} after",
        f"limits that bound: {_counts(totals['bound'])}",
        f"no proposal because: {_counts(totals['reasons'])}",
        f"against what was proposed then: {_counts(totals['compared_with_then'])}",
    ]
    left = (
        [f"left out, their catalogue is not stored any more: {', '.join(found['left_out'])}"]
        if found["left_out"]
        else []
    )
    newest = found["nights"][-1]["date"]
    changes = [one for one in found["proposals"] if one["date"] == newest]
    return [*map(Text, [*lines, *left]), _nights(found["nights"]), _changes(newest, changes, found["words"])]


def _nights(nights: list[dict[str, Any]]) -> Table:
    table = Table(box=None, pad_edge=False, title="nights", title_justify="left")
    for heading in ("date", "proposals", "then", "held", "weekly margin", "index", "after"):
        table.add_column(heading, justify="left" if heading == "date" else "right")
    for night in nights[-14:]:
        cells = (
            night["date"],
            night["proposals"],
            night["proposed_then"],
            night["held"],
            _effect(night["margin_effect"]),
        )
        table.add_row(*map(str, cells), night["index_before"] or "", night["index_after"] or "")
    return table


def _changes(day: str, changes: list[dict[str, Any]], words: dict[str, str]) -> Table:
    table = Table(box=None, pad_edge=False, title=f"proposals of {day}", title_justify="left")
    for heading in ("sku", "from", "to", "%", "rule", "bound by", "why"):
        table.add_column(heading, overflow="fold")
    for one in changes[:_MOST_SHOWN]:
        cells = (
            one["sku"],
            one["price"],
            one["proposed"],
            one["change_pct"],
            one["rule"],
            one["bound"],
            words.get(one["sku"]),
        )
        table.add_row(*(Text(str(cell or "")) for cell in cells))
    if len(changes) > _MOST_SHOWN:
        table.caption = f"{len(changes) - _MOST_SHOWN} more; --json shows all"
    return table


def _word(name: str) -> str:
    """Return a name as people read it; a reason code, which is written large, stays as the rules call it."""
    return name.replace("_", " ") if name.islower() else name


def _effect(effects: dict[str, str]) -> str:
    return ", ".join(f"{amount} {currency}" for currency, amount in effects.items()) or "none"


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {_word(name)}" for name, count in counts.items() if count) or "none"

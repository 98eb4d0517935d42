"""`monitor explain`: why a price was proposed, or why none was."""

import sys
from datetime import date
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from monitor.cli.options import AsJson, ConfigDir, day_of, print_json
from monitor.domain.extraction import Outcome
from monitor.domain.unread import kind_words
from monitor.flow.explain import explain as explain_decision
from monitor.wiring import open_app


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(epilog="Example: monitor explain MUG-01 --date 2026-11-29")(explain)


def explain(
    sku: Annotated[str, typer.Argument(metavar="SKU", help="One of your products.")],
    day: Annotated[
        date | None, typer.Option("--date", metavar="DATE", parser=day_of, help="The night; by default the newest.")
    ] = None,
    config: ConfigDir = None,
    as_json: AsJson = False,
) -> None:
    """Show how a night decided about one product: its readings with their evidence, then step by step to the price."""
    app = open_app(config)
    try:
        found = explain_decision(app.store, sku, day=day)
    finally:
        app.close()
    if as_json:
        print_json(found)
        return
    console = Console(file=sys.stdout)
    for part in shown(found):
        console.print(part)


def shown(found: dict[str, Any]) -> list[Text | Table]:
    """Return the derivation in its parts, for a terminal of 80 columns or more."""
    currency = found["currency"]
    outcome = f"{found['price']} {currency} proposed" if found["outcome"] == "propose" else f"none, {found['reason']}"
    head = [f"{found['sku']} {found['title']}, {found['own_price']} {currency}, night of {found['date']}: {outcome}"]
    if found["outcome"] == "propose":
        head.append(found["words"])
    tail = [f"{flag['code']}: {flag['words']}" for flag in found["flags"]]
    if found["lowest_30_days"] is not None:
        tail.append(f"your lowest price of 30 days: {found['lowest_30_days']} {currency}")
    return [
        *map(Text, head),
        _readings(found["readings"]),
        _steps(found["steps"]),
        *map(Text, [*tail, *_stored(found)]),
    ]


def _readings(readings: list[dict[str, Any]]) -> Table | Text:
    if not readings:
        return Text("readings: none, because no page of a competitor is watched for it")
    table = Table(box=None, pad_edge=False, title="readings", title_justify="left")
    for heading in ("competitor", "price", "seen", "what was read"):
        table.add_column(heading, overflow="fold", no_wrap=heading in ("price", "seen"))
    for one in readings:
        price = f"{one['price']} {one['currency']}" if one["price"] is not None else ""
        table.add_row(*map(Text, (one["name"], price, (one["observed_at"] or "")[11:16], _reading(one))))
    return table


def _reading(one: dict[str, Any]) -> str:
    """Say how a reading ended, what holds it back, where the price stood and where that is kept."""
    is_asked = one["outcome"] is not None
    parts = [f"{kind_words(Outcome(one['outcome']), one['reason'])} ({one['reason']})" if is_asked else "not asked"]
    if one["held"]:
        parts.append(f"held, {one['held']['code']}: {one['held']['words']}")
    if one["read_from"]:
        parts.append("read from " + "; ".join(f"{place['source']} {place['text']!r}" for place in one["read_from"]))
    if one["evidence"]:
        parts.append(f"evidence {one['evidence'][:12]}")
    return ", ".join(parts)


def _steps(steps: list[dict[str, Any]]) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False, title="steps", title_justify="left")
    table.add_column(justify="right")
    table.add_column()
    table.add_column(overflow="fold")
    for one in steps:
        table.add_row(str(one["step"]), Text(one["name"]), Text(one["words"]))
    return table


def _stored(found: dict[str, Any]) -> list[str]:
    stored = found["stored"]
    if stored is None:
        return []
    same = (
        "" if stored["same"] else "; the derivation leads elsewhere, because what it rests on is not all kept any more"
    )
    where = f"proposal {stored['action_id']}, version {stored['version']}, {stored['state']}"
    return [f"stored: {where}: {stored['price']} {found['currency']}{same}"]

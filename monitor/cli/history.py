"""`monitor history SKU`: one product's prices over time, drawn in the terminal, with the figures below."""

import sys
from collections.abc import Iterator
from datetime import timedelta
from typing import Annotated
from zoneinfo import ZoneInfo

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from monitor.cli.options import AsJson, ConfigDir, print_json
from monitor.domain.curve import OURS, Curve, drawn
from monitor.domain.money import amount_text, rounded
from monitor.domain.observation import OWN
from monitor.errors import CannotSucceed
from monitor.web.dashboard.history import DEFAULT_DAYS, MAX_DAYS, History, history_by_night, history_json
from monitor.wiring import open_app

_HEIGHT = 12
_LEAST_WIDTH, _MOST_WIDTH = 20, 100
#: Characters of the prices at the left.
_MARGIN = 12


class NothingKnown(CannotSucceed):
    """Nothing was ever read of a product."""


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command("history", epilog="Example: monitor history TJ-40 --days 365")(show_history)


def show_history(
    sku: Annotated[str, typer.Argument(metavar="SKU", help="A product of the catalogue.")],
    days: Annotated[int, typer.Option(min=1, max=MAX_DAYS, help="How far back.")] = DEFAULT_DAYS,
    config: ConfigDir = None,
    as_json_text: AsJson = False,
) -> None:
    """Draw our price and every rival's over time, and list where each stands now."""
    app = open_app(config)
    try:
        known, zone = history_by_night(app.store, sku, days), app.plan.schedule.zone
        is_ours = app.settings.catalogue.product(sku) is not None
    finally:
        app.close()
    if known is None and is_ours:
        raise NothingKnown(f"No night has looked at {sku!r} yet. `monitor run` runs the one that is due now.")
    if known is None:
        raise NothingKnown(f"Nothing is known of a product {sku!r}. Its SKU is that of catalogue.csv.")
    if as_json_text:
        print_json(history_json(*known))
        return
    console = Console(file=sys.stdout)
    for part in pictured(known[0], zone, console.width):
        console.print(part)


def pictured(found: History, zone: str, width: int) -> Iterator[Text | Table]:
    """Yield the parts of the picture, for a terminal of so many columns."""
    yield Text(f"{found.title}  {found.sku}", style="bold")
    columns = max(_LEAST_WIDTH, min(width - _MARGIN - 1, _MOST_WIDTH))
    since = found.now - timedelta(days=found.days)
    curve = drawn(found.spans, found.currency, since, found.now, width=columns, height=_HEIGHT)
    if not curve.lines:
        yield Text(f"Nothing was read in the last {found.days} days.")
        return
    yield from _lines(curve, found.currency)
    dates = f"{since:%Y-%m-%d}".ljust(columns - 10) + f"{found.now:%Y-%m-%d}"
    yield Text(" " * _MARGIN + " " + dates, style="dim")
    yield _sellers(found, curve, zone)
    if found.standing is not None and found.standing.index is not None:
        position = f", position {found.standing.position} of {found.standing.usable + 1}"
        yield Text(f"price index {found.standing.index} (the rivals' median is 100){position}")


def _lines(curve: Curve, currency: str) -> Iterator[Text]:
    for price, cells in curve.lines:
        label = "" if price is None else amount_text(rounded(price, currency), currency)
        line = Text(f"{label:>{_MARGIN}} ")
        for cell in cells:
            line.append(cell, style="bold green" if cell == OURS else "cyan")
        yield line


def _sellers(found: History, curve: Curve, zone: str) -> Table:
    table = Table(box=None, pad_edge=False, caption=f"Times are {zone}.", caption_justify="left")
    for name in ("", "seller", "price", "availability", "since", "last seen"):
        table.add_column(name, justify="right" if name == "price" else "left", no_wrap=name != "seller")
    for mark, seller in curve.marks:
        span = found.latest[seller]
        table.add_row(
            mark,
            Text("our price" if seller == OWN else found.known.names.get(seller, seller)),
            f"{span.currency} {amount_text(span.price, span.currency)}",
            "" if seller == OWN else span.availability.value.replace("_", " "),
            f"{span.first_seen_at.astimezone(ZoneInfo(zone)):%Y-%m-%d}",
            f"{span.last_seen_at.astimezone(ZoneInfo(zone)):%Y-%m-%d %H:%M}",
        )
    return table

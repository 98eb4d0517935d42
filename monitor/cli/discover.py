"""`monitor discover`: what a competitor sells, and which of your products it may be watched for."""

import csv
import io
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer

from monitor.cli.options import AsJson, ConfigDir, print_json, say, told, written
from monitor.domain.catalogue_file import WATCHES
from monitor.domain.discovery import Discovered, Discovery, as_json
from monitor.domain.money import amount_text
from monitor.domain.report.wording import counted
from monitor.errors import CannotSucceed
from monitor.flow.collect.outside import LOOK_DEADLINE
from monitor.wiring import open_app
from monitor.wiring.discovery import look_through

#: How long a look takes at most unless more is allowed, in minutes.
MINUTES = int(LOOK_DEADLINE / timedelta(minutes=1))
Minutes = Annotated[int, typer.Option("--minutes", min=1, max=600, help="How long the look may take in all.")]
#: Lines shown to a person; --json has all.
_SHOWN = 30


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(epilog="Example: monitor discover alpkontor --csv found.csv && monitor watches import found.csv")(
        discover
    )


class NothingFound(CannotSucceed):
    """A look through a shop gave no product."""


def discover(
    competitor: Annotated[str, typer.Argument(metavar="COMPETITOR", help="An id of competitors.toml.")],
    calls: Annotated[
        int | None, typer.Option("--calls", min=1, max=1000, help="Tool calls it may cost; by default its own budget.")
    ] = None,
    minutes: Minutes = MINUTES,
    to: Annotated[
        Path | None,
        typer.Option("--csv", metavar="FILE", help="Write the proposed watches for `monitor watches import`."),
    ] = None,
    listed: Annotated[
        Path | None, typer.Option("--products", metavar="FILE", help="Write all products for `monitor match suggest`.")
    ] = None,
    config: ConfigDir = None,
    as_json_text: AsJson = False,
) -> None:
    """List what a competitor sells and propose watches for your products with the same GTIN or SKU.

    Asks its catalogue, else its sitemaps; keeps robots.txt, pacing and the budget. Ends when its minutes are over, with
    what it found until then. A proposal feeds no price until you confirm it.
    """
    app = open_app(config)
    try:
        found = look_through(app, competitor, calls, told, timedelta(minutes=minutes))
    finally:
        app.close()
    if to is not None:
        written(to, proposals_csv(found).encode(), "--csv")
    if listed is not None:
        written(listed, products_csv(found).encode(), "--products")
    if as_json_text:
        print_json(as_json(found))
    else:
        _show(found, to)
    if not found.products:
        raise NothingFound(f"{competitor}: nothing was found: {'; '.join(found.notes) or 'it lists no products'}.")


def proposals_csv(found: Discovery) -> str:
    """Return the proposed watches in the form of watches.csv."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(WATCHES.columns)
    for each in found.proposed:
        values = (getattr(each.watch, column) for column in WATCHES.columns)
        writer.writerow("" if value is None else str(value) for value in values)
    return out.getvalue()


def products_csv(found: Discovery) -> str:
    """Return everything that was found as a table, for matching by more than numbers."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("url", "title", "gtin", "sku", "price", "currency"))
    for one in found.products:
        price = "" if one.price is None or one.currency is None else amount_text(one.price, one.currency)
        writer.writerow((one.url, one.name, one.their_gtin or "", one.their_sku or "", price, one.currency or ""))
    return out.getvalue()


def _show(found: Discovery, to: Path | None) -> None:
    platform = found.platform or "not known"
    typer.echo(f"{found.competitor}: platform {platform}; {_spent(found)}.")
    for one in found.products[:_SHOWN]:
        say(f"  {_line(one, found.source)}")
    if len(found.products) > _SHOWN:
        typer.echo(f"  … and {len(found.products) - _SHOWN} more; --json prints all")
    if found.products:
        whole = "all of them" if found.is_complete else "not all of them"
        where = found.source if found.source in ("sitemap", "feed", "") else f"{found.source} catalogue"
        typer.echo(f"{counted(len(found.products), 'product')} found in its {where or 'shop'}, {whole}.")
    for note in found.notes if found.products else ():  # without a product they are the error
        typer.secho(f"  note: {note}", err=True)
    for each in found.proposed[:_SHOWN]:
        say(f"  propose {each.watch.sku}  by {each.by}  {each.watch.url}  {each.found.name}")
    for sku, urls in list(found.unclear.items())[:_SHOWN]:
        say(f"  unclear {sku}  its number stands at {len(urls)} addresses: {', '.join(urls[:3])}")
    if not found.products:
        return
    proposed, already = counted(len(found.proposed), "watch", "watches"), len(found.already)
    summary = f"{proposed} proposed, {already} of the products found {'is' if already == 1 else 'are'} watched already."
    typer.echo(f"{summary} {_next(found, to)}".rstrip())


def _spent(found: Discovery) -> str:
    return f"{counted(found.calls, 'tool call')}, {counted(found.requests, 'request')}"


def _line(one: Discovered, source: str) -> str:
    price = None if source == "sitemap" else _price(one)  # a sitemap names no prices at all
    numbers = "  ".join(filter(None, (one.their_sku, one.their_gtin)))
    return "  ".join(filter(None, (one.name, price, numbers, one.url)))


def _price(one: Discovered) -> str:
    if one.price is None:
        return "no price"
    return f"{amount_text(one.price, one.currency)} {one.currency or '(no currency named)'}"


def _next(found: Discovery, to: Path | None) -> str:
    if not found.proposed:
        return ""
    if to is None:
        return "Write them with --csv FILE, look at them, then: monitor watches import FILE"
    return f"They are in {to}; look at them, then: monitor watches import {to}"

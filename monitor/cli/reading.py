"""`monitor extract` and `monitor check`: what extraction makes of a page, for programs and for people.

`extract` prints the contract and ends with 0 whatever the outcome. `check` explains: the answer, every candidate
with its verdict, and a recipe to start from; it ends with 1 when a page gives no price.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from monitor.cli.options import AsJson, print_json
from monitor.domain.answer import classify, without_page
from monitor.domain.extraction import Evidence, Extraction, Hints, Outcome, Verdict
from monitor.domain.money import amount_text, is_currency
from monitor.domain.pacing import bucket_of
from monitor.domain.page import FetchRules, Miss, Page
from monitor.extract import extract as read_page
from monitor.extract import suggest_recipe
from monitor.extract.suggest import as_toml
from monitor.ports.world import Fetcher

_STYLES = {Verdict.CHOSEN: "bold green", Verdict.AGREES: "green", Verdict.REJECTED: "dim"}

#: Opens a fetcher; a seam, so that reading a file never touches the network.
OpenFetcher = Callable[[], Fetcher]


@dataclass(frozen=True, slots=True)
class Checked:
    """One target with what was read from it."""

    target: str
    url: str
    body: bytes
    content_type: str | None
    found: Extraction


def facts_of(found: Extraction) -> dict[str, object]:
    """Return the contract form of a reading: amounts as decimal strings."""

    def money(amount: object) -> str | None:
        return None if amount is None else amount_text(amount, found.currency)  # type: ignore[arg-type]  # Decimal

    return {
        "outcome": found.outcome.value,
        "reason": found.reason,
        "price": money(found.price),
        "currency": found.currency,
        "list_price": money(found.list_price),
        "availability": found.availability.value,
        "name": found.name,
        "brand": found.brand,
        "sku": found.sku,
        "gtin": found.gtin,
        "evidence": [e.as_json() for e in found.evidence],
    }


def _open_fetcher() -> Fetcher:
    from monitor.wiring import open_fetcher  # the adapters take half a second to load and a file needs none

    return open_fetcher()


def read_target(target: str, url: str | None, hints: Hints, open_fetcher: OpenFetcher = _open_fetcher) -> Checked:
    """Read a saved page, or fetch an address once and read the answer."""
    path = Path(target)
    if not target.startswith(("http://", "https://")):
        if not path.is_file():
            words = f"{target}: no such file, and no address; an address begins with http:// or https://"
            raise typer.BadParameter(words, param_hint="URL|FILE")
        address = url or "https://unknown.invalid/"
        return Checked(target, address, path.read_bytes(), None, read_page(path.read_bytes(), address, hints=hints))
    answer = open_fetcher().fetch(target, rules_for(target))
    return _fetched(target, answer, hints)


def rules_for(url: str) -> FetchRules:
    """Return the limits of one visit to `url`: redirects stay on its own site, a loopback shop is allowed by name."""
    parts = urlsplit(url)
    local = {f"{parts.hostname}:{parts.port}"} if parts.hostname in ("127.0.0.1", "localhost") and parts.port else set()
    return FetchRules(hosts=(bucket_of(url),), allow_addresses=frozenset(local))


def _fetched(target: str, answer: Page | Miss, hints: Hints) -> Checked:
    refused = without_page(answer) if isinstance(answer, Miss) else classify(answer)
    body = b"" if isinstance(answer, Miss) else answer.body
    kind = None if isinstance(answer, Miss) else answer.content_type
    address = target if isinstance(answer, Miss) else answer.final_url
    if refused is not None:
        return Checked(target, address, body, kind, Extraction(refused.outcome, refused.reason, refused.words))
    return Checked(target, address, body, kind, read_page(body, address, kind, hints=hints))


def answer_table(checked: Checked) -> Table:
    """Return the answer as two columns."""
    found = checked.found
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    rows = {
        "outcome": f"{found.outcome.value} ({found.reason})",
        "why": found.words,
        "price": found.price
        and f"{amount_text(found.price, found.currency)} {found.currency or '(no currency named)'}",
        "list price": found.list_price and amount_text(found.list_price, found.currency),
        "availability": found.availability.value,
        "name": found.name,
        "brand": found.brand,
        "SKU": found.sku,
        "GTIN": found.gtin,
        "condition": found.condition,
        "unit price": found.unit_price,
        "platform": found.platform,
        "canonical": found.canonical,
    }
    for label, value in rows.items():
        if value:
            table.add_row(label, Text(str(value)))
    return table


def candidates_table(evidence: tuple[Evidence, ...]) -> Table:
    """Return every candidate with its source and verdict."""
    table = Table(title="candidates", title_justify="left")
    for heading in ("verdict", "amount", "role", "source", "text", "reason"):
        table.add_column(heading, overflow="fold")
    for e in evidence:
        amount = "" if e.amount is None else f"{amount_text(e.amount, e.currency)} {e.currency or '?'}"
        cells = (e.verdict.value, amount, e.role.value, e.source, e.text, e.reason)
        table.add_row(*(Text(cell) for cell in cells), style=_STYLES[e.verdict])
    return table


def explain(checked: Checked, console: Console) -> None:
    """Print the answer, the candidates and a recipe for people."""
    console.print(answer_table(checked))
    if checked.found.evidence:
        console.print(candidates_table(checked.found.evidence))
    recipe = suggest_recipe(checked.body, checked.url, checked.found, checked.content_type)
    if recipe:
        host = urlsplit(checked.url).hostname or checked.target
        console.print("a recipe to start from, should this page ever need one:", style="bold")
        console.print(Text(as_toml(recipe, host)))


def extract(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The saved body.", exists=True, dir_okay=False)],
    url: Annotated[str, typer.Option("--url", help="The address it was served at; it may name a variant.")],
    content_type: Annotated[
        str | None, typer.Option("--content-type", metavar="T", help="The Content-Type header, for its charset.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Read one saved page and print what it says. Every outcome ends with 0.

    Example: monitor extract page.html --url https://shop.example/products/mug --json
    """
    body = file.read_bytes()
    found = read_page(body, url, content_type)
    if as_json:
        print_json(facts_of(found))
    else:
        Console().print(answer_table(Checked(str(file), url, body, content_type, found)))


def check(
    targets: Annotated[list[str], typer.Argument(metavar="URL|FILE…", help="Addresses, or saved pages.")],
    url: Annotated[str | None, typer.Option("--url", help="The address of the saved pages.")] = None,
    currency: Annotated[str | None, typer.Option("--currency", help="The competitor's currency, as support.")] = None,
    as_json: AsJson = False,
) -> None:
    """Read pages and explain the answer: every candidate, its source, its verdict, and a recipe to start from.

    Ends with 1 when a page gives no price.

    Example: monitor check https://shop.example/products/mug --currency EUR
    """
    if currency is not None and not is_currency(currency.upper()):
        raise typer.BadParameter(f"{currency!r} is no ISO 4217 code; write EUR, USD …", param_hint="--currency")
    hints, console = Hints(currency=currency.upper() if currency else None), Console()
    checked = [read_target(target, url, hints) for target in targets]
    if as_json:
        print_json([{"target": c.target, **facts_of(c.found)} for c in checked])
    for each in [] if as_json else checked:
        console.rule(Text(each.target))
        explain(each, console)
    if any(c.found.outcome is not Outcome.OK for c in checked):
        raise typer.Exit(1)


def register(app: typer.Typer) -> None:
    """Add `extract` and `check` to the command line."""
    app.command()(extract)
    app.command()(check)

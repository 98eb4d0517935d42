"""`monitor extract` and `monitor check`: what extraction makes of a page, for programs and for people.

`extract` prints the contract and ends with 0 whatever the outcome. `check` explains: the answer, every candidate
with its verdict, and a recipe to start from; it ends with 1 when a page gives no price.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from monitor.cli.checked import Checked, hint_of, money, recipes
from monitor.cli.options import AsJson, ConfigDir, harmless, print_json
from monitor.cli.visiting import Known, known_of, settings_for, visit
from monitor.domain.answer import NoReading, classify, without_page
from monitor.domain.catalogue import Watch
from monitor.domain.extraction import Availability, Evidence, Extraction, Hints, Outcome, Verdict
from monitor.domain.money import amount_text, is_currency
from monitor.domain.page import Miss, Page
from monitor.domain.reading import Memory, of_the_page
from monitor.extract import extract as read_page
from monitor.extract.platforms.marks import detect
from monitor.extract.suggest import as_toml
from monitor.ports.world import Fetcher
from monitor.settings import Settings

_STYLES = {Verdict.CHOSEN: "bold green", Verdict.AGREES: "green", Verdict.REJECTED: "dim"}

#: The address of a saved page when nobody says where it came from; without a path it would be a front page.
_NOWHERE = "https://unknown.invalid/page"
_EXAMPLE = "https://shop.example/products/mug"
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")

#: Opens a fetcher; a seam, so that reading a file never touches the network.
OpenFetcher = Callable[[], Fetcher]


def facts_of(found: Extraction) -> dict[str, object]:
    """Return the contract form of a reading: amounts as decimal strings."""

    def text(amount: Decimal | None, currency: str | None = found.currency) -> str | None:
        return None if amount is None else amount_text(amount, currency)

    return {
        "outcome": found.outcome.value,
        "reason": found.reason,
        "price": text(found.price),
        "currency": found.currency,
        "list_price": text(found.list_price),
        "availability": found.availability.value,
        "name": found.name,
        "brand": found.brand,
        "sku": found.sku,
        "gtin": found.gtin,
        "evidence": [{**e.as_json(), "amount": text(e.amount, e.currency)} for e in found.evidence],
    }


@contextmanager
def _opening(settings: Settings | None) -> Iterator[OpenFetcher]:
    """Yield what opens the one fetcher of a command when it is first wanted; the browser it may start ends with it."""
    with ExitStack() as ending:

        @cache
        def opened() -> Fetcher:
            from monitor.wiring import open_fetcher  # the adapters take half a second to load and a file needs none

            fetcher = open_fetcher(settings)
            ending.callback(fetcher.close)
            return fetcher

        yield opened


def read_target(target: str, url: str | None, known: tuple[Known, ...], open_fetcher: OpenFetcher) -> list[Checked]:
    """Read a saved page, or fetch an address once, and read it by each of what is known of it."""
    path = Path(target)
    if not is_address(target):
        if path.is_dir():
            words = f"{target} is a directory; name the saved pages in it one by one, or as {path / '*.html'}"
            raise typer.BadParameter(words, param_hint="URL|FILE")
        if not path.is_file():
            words = f"{target}: no such file, and no address; an address begins with http:// or https://"
            raise typer.BadParameter(words, param_hint="URL|FILE")
        address, body = url or _NOWHERE, path.read_bytes()
        return [Checked(target, address, body, None, read_page(body, address, hints=one.hints), one) for one in known]
    seen = visit(target, known[0], open_fetcher())
    return [replace(_fetched(target, seen.answer, one), robots=seen.robots) for one in known]


def _web_address(url: str) -> None:
    if not is_address(url) or not urlsplit(url).hostname:
        raise typer.BadParameter(f"{url!r} is no address; write it as {_EXAMPLE}", param_hint="--url")


def is_address(text: str) -> bool:
    """Say whether a target is an address and not a file."""
    return text.startswith(("http://", "https://"))


def _fetched(target: str, answer: Page | Miss | NoReading, known: Known) -> Checked:
    if not isinstance(answer, Page):
        refused = without_page(answer) if isinstance(answer, Miss) else answer
        return Checked(target, target, b"", None, _unread(refused), known)
    address, body, kind = answer.final_url, answer.body, answer.content_type
    why = classify(answer)
    found = _unread(why) if why is not None else read_page(body, address, kind, hints=known.hints)
    found = of_the_page(found, answer, Watch("", "", target, their_sku=known.hints.sku), Memory())
    return Checked(target, address, body, kind, found, known)


def _unread(why: NoReading) -> Extraction:
    return Extraction(why.outcome, why.reason, why.words)


def answer_table(checked: Checked) -> Table:
    """Return the answer as two columns."""
    found = checked.found
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    is_read = found.outcome is Outcome.OK or found.availability is not Availability.UNKNOWN
    rows = {
        "outcome": f"{found.outcome.value} ({found.reason})",
        "why": found.words,
        "price": money(found.price, found.currency),
        "list price": money(found.list_price, found.currency),
        "availability": is_read and found.availability.value.replace("_", " "),
        "name": found.name,
        "brand": found.brand,
        "SKU": found.sku,
        "GTIN": found.gtin,
        "condition": found.condition,
        "unit price": found.unit_price,
        "platform": detect(checked.body),
        "canonical": found.canonical,
        "robots.txt": checked.robots,
        "hint": hint_of(checked),
    }
    for label, value in rows.items():
        if value:
            table.add_row(label, Text(harmless(str(value))))
    return table


def candidates_table(evidence: tuple[Evidence, ...]) -> Table:
    """Return every candidate with its source and verdict."""
    table = Table(title="candidates", title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for heading in ("verdict", "amount", "role", "source", "text", "reason"):
        table.add_column(heading, overflow="fold", no_wrap=heading in ("verdict", "amount", "role"))
    for e in evidence:
        amount = "" if e.amount is None else f"{amount_text(e.amount, e.currency)} {e.currency or '?'}"
        cells = (e.verdict.value, amount, e.role.value, e.source, e.text, e.reason)
        table.add_row(*(Text(harmless(cell)) for cell in cells), style=_STYLES[e.verdict])
    return table


def explain(checked: Checked, console: Console) -> None:
    """Print the answer, the candidates and a recipe for people."""
    if checked.known is not None and checked.known.words:
        console.print(Text(f"known: {checked.known.words}"), style="dim")
    console.print(answer_table(checked))
    if checked.found.evidence:
        console.print(candidates_table(checked.found.evidence))
    host = urlsplit(checked.url).hostname or checked.target
    for words, recipe in recipes(checked):
        console.print(Text(words), style="bold")
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
    _web_address(url)
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
    language: Annotated[str | None, typer.Option("--language", help="The page's language, for example de-AT.")] = None,
    config: ConfigDir = None,
    as_json: AsJson = False,
) -> None:
    """Read pages and explain the answer: every candidate, its source, its verdict, and a recipe to start from.

    An address of a competitor in the configuration is read with that competitor's currency, language, recipe and
    allow_addresses, and in a browser where `fetch = "browser"` is set for it; what is given here wins. Its
    robots.txt is asked first. One with several watches is asked once and read for each. Ends with 1 when one of
    them gives no price.

    Example: monitor check https://shop.example/products/mug --currency EUR
    """
    if currency is not None and not is_currency(currency.upper()):
        raise typer.BadParameter(f"{currency!r} is no ISO 4217 code; write EUR, USD …", param_hint="--currency")
    if language is not None and not _LANGUAGE.fullmatch(language):
        raise typer.BadParameter(f"{language!r} is no language; write de, de-AT, en …", param_hint="--language")
    if url is not None:
        _web_address(url)
    given, console = Hints(currency=currency.upper() if currency else None, language=language), Console()
    asks = config is not None or url is not None or any(map(is_address, targets))
    settings = settings_for(config) if asks else None
    checked: list[Checked] = []
    with _opening(settings) as fetcher:
        for target in targets:
            known = known_of(target if is_address(target) else url or _NOWHERE, settings, given)
            checked += read_target(target, url, known, fetcher)
    if as_json:
        print_json([_check_facts(each) for each in checked])
    for each in [] if as_json else checked:
        console.rule(Text(each.target))
        explain(each, console)
    if any(each.found.outcome is not Outcome.OK for each in checked):
        raise typer.Exit(1)


def _check_facts(checked: Checked) -> dict[str, object]:
    known = checked.known
    lent = {} if known is None else {"competitor": known.competitor, "watch": known.sku}
    named = lent | {"robots": checked.robots, "hint": hint_of(checked)}
    return {
        "target": checked.target,
        **{key: words for key, words in named.items() if words},
        **facts_of(checked.found),
    }


def register(app: typer.Typer) -> None:
    """Add `extract` and `check` to the command line."""
    app.command()(extract)
    app.command()(check)

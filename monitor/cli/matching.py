"""`monitor match`: find which page of a competitor shows which product, and decide it.

The machine only suggests. What a person confirms becomes a watch of the next night and may feed a price; what a person
rejects is remembered.
"""

import getpass
from collections.abc import Sequence
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

import typer

from monitor.cli.catalogue import Currency, DecimalSign, Encoding, wanted_of
from monitor.cli.discover import MINUTES, Minutes, NothingFound
from monitor.cli.options import AsJson, ConfigDir, number_of, print_json, say, told
from monitor.domain.catalogue import Competitor, MatchState
from monitor.domain.csv_table import suggestion
from monitor.domain.match import LEAST_SCORE, Basis, Listing, Match
from monitor.domain.money import amount_text
from monitor.domain.report.wording import counted
from monitor.errors import Misconfigured
from monitor.flow.matching import NoSuchMatch, decide, suggest, suggest_watches
from monitor.settings import Settings
from monitor.settings.rivals import read_rival_file
from monitor.wiring import open_app
from monitor.wiring.app import App
from monitor.wiring.discovery import look_through

match = typer.Typer(no_args_is_help=True, help="Which page of a competitor shows which of your products.")

By = Annotated[str | None, typer.Option("--by", help="Who decides, for the record; by default the login name.")]
_number = number_of("match", "monitor match list")
Ids = Annotated[
    list[int] | None, typer.Argument(parser=_number, metavar="ID...", help="Numbers from `monitor match list`.")
]
WhichShop = Annotated[str | None, typer.Option("--competitor", metavar="ID", help="Only of this competitor.")]
SURE = "the numbers are the same and nothing speaks against it"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(match, name="match")


@match.command("suggest", epilog="Example: monitor match suggest --competitor acme")
def suggest_matches(
    competitor: Annotated[str, typer.Option("--competitor", metavar="ID", help="Whose listings they are.")],
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE]",
            show_default=False,
            help="What it sells: a feed, an export, or a table with url and title. Without it the shop is asked.",
        ),
    ] = None,
    calls: Annotated[
        int | None,
        typer.Option("--calls", min=1, max=1000, help="Tool calls that asking may cost; by default its own budget."),
    ] = None,
    minutes: Minutes = MINUTES,
    least: Annotated[int, typer.Option(min=0, max=100, help="Store no pair that scores below.")] = LEAST_SCORE,
    currency: Currency = None,
    encoding: Encoding = None,
    decimal: DecimalSign = None,
    config: ConfigDir = None,
    as_json: AsJson = False,
) -> None:
    """Compare what a competitor sells with your products and put likely pairs into the review queue.

    Without a file the shop's own catalogue, else its sitemaps, is looked through as `monitor discover` does it, within
    robots.txt, pacing and the budget. Another size, pack, colour, model or condition rules a pair out, however alike
    the titles are. Nothing is confirmed here, no decision is forgotten, and the same listings again add nothing.
    """
    if file is not None and calls is not None:
        raise typer.BadParameter("--calls is for asking the shop; with a FILE nothing is asked")
    app = open_app(config)
    try:
        shop = _competitor(app.settings, competitor)
        if file is None:
            listings, notes = _asked(app, shop.id, calls, timedelta(minutes=minutes))
        else:
            wanted = wanted_of(None, currency or shop.currency, encoding, decimal, None)
            listings, notes = read_rival_file(file, shop, app.settings, wanted), ()
        suggest_watches(app.store, app.settings.catalogue)
        found = suggest(app.store, app.settings.catalogue, shop.id, listings, least_score=least)
    finally:
        app.close()
    if as_json:
        print_json({"competitor": shop.id, "listings": len(listings), **asdict(found), "notes": list(notes)})
        return
    for note in notes:
        typer.secho(f"note: {note}", err=True)
    typer.echo(
        f"{counted(len(listings), 'listing')} of {shop.id}: {counted(found.new, 'new suggestion')}, "
        f"{found.renewed} renewed, "
        f"{found.unchanged} as before, {found.confirmed} confirmed and {found.rejected} rejected already, "
        f"{found.reopened} opened again because they contradict now."
    )
    if found.new or found.reopened:
        typer.echo(f"Look at them: monitor match list --competitor {shop.id}")


def _asked(
    app: App, competitor: str, calls: int | None, deadline: timedelta
) -> tuple[tuple[Listing, ...], tuple[str, ...]]:
    """Return what a look through the shop found, and why that may not be all."""
    found = look_through(app, competitor, calls, told, deadline)
    if not found.products:
        why = "; ".join(found.notes) or "it lists no products"
        raise NothingFound(f"{competitor}: nothing was found to compare: {why}. Give what it sells as a FILE.")
    spent = f"{counted(found.calls, 'tool call')}, {counted(found.requests, 'request')}"
    whole = f"{spent}, its {found.source}"
    rest = () if found.is_complete else (f"{competitor}: not everything it sells was seen ({whole})",)
    return tuple(one.listing for one in found.products), (*found.notes, *rest)


@match.command("list", epilog="Example: monitor match list --state suggested --competitor acme")
def list_matches(
    state: Annotated[str, typer.Option(help=("suggested (the default), confirmed, rejected or all."))] = "suggested",
    competitor: WhichShop = None,
    sku: Annotated[str | None, typer.Option(help="Only of this product.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="At most so many.")] = 100,
    config: ConfigDir = None,
    as_json: AsJson = False,
) -> None:
    """List matches, the surest first, with what speaks for them and what to look at."""
    known = [each.value for each in MatchState]
    if state not in ("all", *known):
        raise Misconfigured(
            [f"--state: {state!r} is no state{suggestion(state, known)}; write {', '.join(known)} or all"]
        )
    wanted = None if state == "all" else MatchState(state)
    app = open_app(config)
    try:
        with app.store.read() as unit:
            shown = unit.matches.queue(wanted, competitor=competitor, sku=sku, limit=limit)
            counts = unit.matches.count()
    finally:
        app.close()
    titles = {product.sku: product.full_title for product in app.settings.catalogue.products}
    if as_json:
        print_json(
            {
                "counts": {each.value: count for each, count in counts.items()},
                "matches": [match_json(each, titles.get(each.sku)) for each in shown],
            }
        )
        return
    for each in shown:
        _print(each, titles.get(each.sku, "not in the catalogue"))
    typer.echo(", ".join(f"{count} {each.value}" for each, count in counts.items()) + ".")


@match.command("show", epilog="Example: monitor match show 12")
def show_match(
    match_id: Annotated[
        int, typer.Argument(parser=_number, metavar="ID", help="The number from `monitor match list`.")
    ],
    config: ConfigDir = None,
    as_json: AsJson = False,
) -> None:
    """Show one match with every decision about it."""
    app = open_app(config)
    try:
        with app.store.read() as unit:
            found = unit.matches.get(match_id)
    finally:
        app.close()
    if found is None:
        raise NoSuchMatch(match_id)
    title = next((p.full_title for p in app.settings.catalogue.products if p.sku == found.sku), None)
    if as_json:
        print_json(match_json(found, title))
        return
    _print(found, title or "not in the catalogue")
    for each in found.history:
        typer.echo(f"        {each.at.isoformat(timespec='seconds')} {each.state.value} by {each.by}: {each.reason}")


@match.command("confirm", epilog="Example: monitor match confirm 12 13")
def confirm(
    ids: Ids = None,
    sure: Annotated[
        bool,
        typer.Option(
            "--sure", help=("Every suggestion with the same GTIN and nothing to look at, instead of numbers.")
        ),
    ] = False,
    competitor: WhichShop = None,
    reason: Annotated[str | None, typer.Option(help="Why, for the record.")] = None,
    by: By = None,
    config: ConfigDir = None,
    as_json: AsJson = False,
) -> None:
    """Say that these pages show these products: they are watched from the next night on and may feed a price."""
    if bool(ids) == sure:
        raise typer.BadParameter("name numbers from `monitor match list`, or --sure, and not both")
    if competitor and not sure:
        raise typer.BadParameter("--competitor narrows --sure; with numbers it means nothing")
    words = reason or (SURE if sure else "confirmed from the command line")
    _decided(ids, MatchState.CONFIRMED, by, words, config, as_json=as_json, sure_of=(sure, competitor))


@match.command("reject", epilog='Example: monitor match reject 12 --reason "other size"')
def reject(
    ids: Annotated[
        list[int], typer.Argument(parser=_number, metavar="ID...", help="Numbers from `monitor match list`.")
    ],
    reason: Annotated[
        str, typer.Option(help=("Why: other size, other pack, other model, bundle, used, marketplace seller."))
    ],
    by: By = None,
    config: ConfigDir = None,
    as_json: AsJson = False,
) -> None:
    """Say that these pages show something else: they feed nothing and are never suggested again."""
    _decided(ids, MatchState.REJECTED, by, reason, config, as_json=as_json)


def match_json(each: Match, title: str | None) -> dict[str, Any]:
    """Return a match as JSON has it."""
    return {
        "id": each.id,
        "state": each.state.value,
        "competitor": each.competitor,
        "sku": each.sku,
        "title": title,
        "url": each.url,
        "variant": each.variant,
        "their_title": each.title,
        "their_brand": each.brand,
        "their_sku": each.their_sku,
        "their_gtin": each.their_gtin,
        "their_price": None if each.price is None else amount_text(each.price, each.currency),
        "currency": each.currency,
        "score": each.score,
        "basis": each.basis.value,
        "reason": each.reason,
        "evidence": list(each.evidence),
        "doubts": list(each.doubts),
        "by": each.by,
        "suggested_at": each.suggested_at.isoformat(),
        "decided_at": None if each.decided_at is None else each.decided_at.isoformat(),
        "history": [asdict(one) | {"state": one.state.value, "at": one.at.isoformat()} for one in each.history],
    }


def _decided(
    ids: Sequence[int] | None,
    state: MatchState,
    by: str | None,
    reason: str,
    config: Path | None,
    *,
    as_json: bool,
    sure_of: tuple[bool, str | None] = (False, None),
) -> None:
    app = open_app(config)
    try:
        if sure_of[0]:
            with app.store.read() as unit:
                queue = unit.matches.queue(MatchState.SUGGESTED, competitor=sure_of[1], limit=10_000)
            ids = [each.id for each in _unambiguous(queue)]
        found = decide(app.store, ids or (), state, by or getpass.getuser(), reason)
    finally:
        app.close()
    if as_json:
        print_json({"matches": [match_json(each, None) for each in found]})
        return
    for each in found:
        typer.echo(f"{each.id:>6}  {each.state.value} by {each.by}: {each.sku} at {each.competitor}")
    typer.echo(f"{len(found)} {state.value}.")


def _unambiguous(queue: Sequence[Match]) -> list[Match]:
    """Return the suggestions by GTIN without a doubt, where the product has only one at the competitor."""
    sure = [each for each in queue if each.basis is Basis.GTIN and not each.doubts and each.decided_at is None]
    pairs = [(each.competitor, each.sku) for each in sure]
    return [each for each in sure if pairs.count((each.competitor, each.sku)) == 1]


def _competitor(settings: Settings, wanted: str) -> Competitor:
    shops = {shop.id: shop for shop in settings.catalogue.competitors}
    if wanted not in shops:
        accepted = f"write one of {', '.join(shops)}" if shops else "it names none yet, so add one first"
        hint = suggestion(wanted, shops)
        raise Misconfigured([f"--competitor: {wanted!r} is not in competitors.toml{hint}; {accepted}"])
    return shops[wanted]


def _print(each: Match, title: str) -> None:
    by = f" ({each.by})" if each.decided_at else ""
    price = "" if each.price is None else f"  {amount_text(each.price, each.currency)} {each.currency or ''}".rstrip()
    say(f"{each.id:>6}  {each.state.value} {each.score:>3} {each.basis.value:<6} {each.sku}: {title}")
    for words in (f"{each.competitor}: {each.title}{price}", each.url, each.reason + by):
        say(f"        {words}")

"""`monitor actions`, `approve`, `reject`: deciding from the command line, through the same function as the links."""

import getpass
from collections.abc import Callable
from typing import Annotated, Any

import typer

from monitor.cli.options import AsJson, ConfigDir, print_json
from monitor.domain.action import Action, Actor, Verb
from monitor.domain.money import amount_text
from monitor.domain.plan import WritePlan
from monitor.domain.review import STATE_WORDS, UNSETTLED, Choice, RowOutcome, RowResult, figures_words
from monitor.flow.review import decide
from monitor.ports.store import Unit
from monitor.wiring import open_app

Ids = Annotated[list[int] | None, typer.Argument(metavar="ID...", help="Numbers from `monitor actions`.")]
All = Annotated[bool, typer.Option("--all", help="Every proposal that waits now, instead of numbers.")]
By = Annotated[str | None, typer.Option("--by", help="Who decides, for the record; by default the login name.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(epilog="Example: monitor actions --run nightly-2026-11-29 --json")(actions)
    app.command(epilog="Example: monitor approve 12 13")(approve)
    app.command(epilog='Example: monitor reject 12 --reason "Not the same product"')(reject)
    app.command(epilog="Example: monitor take-back 12")(take_back)


def actions(
    run: Annotated[str | None, typer.Option(help="All proposals of this run, whatever became of them.")] = None,
    sku: Annotated[str | None, typer.Option(help="All proposals of this product, newest first.")] = None,
    config: ConfigDir = None,
    as_json: AsJson = False,
) -> None:
    """List the proposals that wait for a decision."""
    shown = _read(config, lambda unit: _chosen(unit, run, sku))
    if as_json:
        print_json({"actions": [action_json(action) for action in shown]})
        return
    for action in shown:
        title = f"{action.proposal.sku}  {action.proposal.title}"
        typer.echo(f"{action.id:>6}  {figures_words(action):<32}  {STATE_WORDS[action.state]}  {title}")
    if not shown:
        typer.echo("No proposal waits for a decision." if not (run or sku) else "There is no such proposal.")


def approve(
    ids: Ids = None, everything: All = False, by: By = None, config: ConfigDir = None, as_json: AsJson = False
) -> None:
    """Approve proposals; each is written to the shop once, after the undo window.

    Exits with 1 when one of them could not be decided.
    """
    _decide(config, Verb.APPROVE, ids or [], everything, by, None, as_json)


def reject(
    ids: Ids = None,
    reason: Annotated[str | None, typer.Option(help="Why; kept with the decision.")] = None,
    everything: All = False,
    by: By = None,
    config: ConfigDir = None,
    as_json: AsJson = False,
) -> None:
    """Reject proposals; the prices stay as they are. Exits with 1 when one of them could not be decided."""
    _decide(config, Verb.REJECT, ids or [], everything, by, reason, as_json)


def take_back(ids: Ids = None, by: By = None, config: ConfigDir = None, as_json: AsJson = False) -> None:
    """Take approvals back that have not been written yet. Exits with 1 when it is too late for one."""
    _decide(config, Verb.CANCEL, ids or [], False, by, None, as_json)


def _read(config: Any, wanted: Callable[[Unit], tuple[Action, ...]]) -> tuple[Action, ...]:
    app = open_app(config)
    try:
        with app.store.read() as unit:
            return wanted(unit)
    finally:
        app.close()


def _chosen(unit: Unit, run: str | None, sku: str | None) -> tuple[Action, ...]:
    if run is not None:
        return tuple(action for action in unit.actions.of_run(run) if sku in (None, action.proposal.sku))
    return unit.actions.of_sku(sku) if sku is not None else unit.actions.pending()


def _decide(
    config: Any, verb: Verb, ids: list[int], everything: bool, by: str | None, reason: str | None, as_json: bool
) -> None:
    if bool(ids) == everything:
        raise typer.BadParameter("name the proposals by number, or use --all; `monitor actions` lists them")
    app = open_app(config)
    try:
        with app.store.read() as unit:
            found = [(number, unit.actions.get(number)) for number in dict.fromkeys(ids)]
            found += [(action.id, action) for action in unit.actions.pending()] if everything else []
        choices = [_choice(number, action, verb, reason) for number, action in found]
        actor = Actor("cli", by or getpass.getuser())
        results = decide(app.store, app.plan, actor, choices) if choices else ()
        writes = app.plan.writes
    finally:
        app.close()
    _print(results, as_json)
    if verb is Verb.APPROVE and not as_json and any(result.outcome is RowOutcome.DECIDED for result in results):
        typer.echo(what_follows(writes))
    if any(result.outcome in UNSETTLED for result in results):
        raise typer.Exit(1)


def what_follows(writes: WritePlan) -> str:
    """Say what becomes of an approval now, so that nobody waits for a price that is not written."""
    if not writes.enabled:
        return (
            "Writes are off: this is recorded and not written. Set writes.enabled = true in monitor.toml to write it."
        )
    wait = writes.undo_window.total_seconds()
    return (
        f"Written by `monitor up` (or the next `monitor run`) once {wait:.0f} s have passed; until then "
        "`monitor take-back` undoes it."
    )


def _choice(number: int, action: Action | None, verb: Verb, reason: str | None) -> Choice:
    """Return the choice about a proposal as it is now; one that does not exist is refused by `decide`."""
    if action is None:
        return Choice(number, 0, "", verb, reason)
    return Choice(action.id, action.version, action.content_hash, verb, reason)


def _print(results: tuple[RowResult, ...], as_json: bool) -> None:
    if as_json:
        print_json({"results": [result.as_json() for result in results]})
        return
    for result in results:
        before = f" By {result.by}, {result.at:%d %b %Y %H:%M} UTC." if result.by and result.at else ""
        typer.echo(f"{result.action_id:>6}  {result.sku}  {result.words}{before}")
    if not results:
        typer.echo("No proposal waits for a decision.")


def action_json(action: Action) -> dict[str, Any]:
    """Return a proposal as JSON: amounts are decimal strings, times ISO 8601 with offset."""
    shown = action.proposal
    return {
        "id": action.id,
        "key": shown.action_key,
        "version": action.version,
        "state": action.state.value,
        "run": shown.run_id,
        "channel": shown.channel,
        "sku": shown.sku,
        "title": shown.title,
        "currency": shown.currency,
        "old_price": amount_text(shown.old_price, shown.currency),
        "new_price": amount_text(shown.new_price, shown.currency),
        "rule": shown.rule_id,
        "why": shown.words,
        "expires_at": shown.expires_at.isoformat(),
        "decided_at": action.decided_at.isoformat() if action.decided_at else None,
    }

"""`monitor actions`, `approve`, `reject`: deciding from the command line, through the same function as the links."""

import getpass
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Annotated, Any

import typer

from monitor.cli.options import AsJson, ConfigDir, first_of, local_time, number_of, print_json, say
from monitor.domain.action import Action, Actor, Verb
from monitor.domain.lock import WriteStop
from monitor.domain.money import amount_text, rounded
from monitor.domain.plan import WritePlan
from monitor.domain.report.wording import signed_money, signed_rate
from monitor.domain.review import (
    STATE_WORDS,
    UNSETTLED,
    Choice,
    RowOutcome,
    RowResult,
    change_pct,
    fact_amount,
    figures_words,
    second_look,
)
from monitor.errors import CannotSucceed
from monitor.flow.review import decide
from monitor.flow.review.decide import typed_is_proposed
from monitor.ports.store import Unit
from monitor.wiring import open_app

_TENTH = Decimal("0.1")


Ids = Annotated[
    list[int] | None,
    typer.Argument(
        parser=number_of("proposal", "monitor actions"), metavar="ID...", help="Numbers from `monitor actions`."
    ),
]
All = Annotated[bool, typer.Option("--all", help="Every proposal that waits now, instead of numbers.")]
By = Annotated[str | None, typer.Option("--by", help="Who decides, for the record; by default the login name.")]


class NoSuchRun(CannotSucceed):
    """A run whose proposals were asked for is not in the database."""


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
    """List the proposals that wait for a decision, the most money at stake first, as the mail does."""
    shown = _read(config, lambda unit: _chosen(unit, run, sku))
    if sku is None:
        shown = tuple(sorted(shown, key=by_stake))
    if as_json:
        print_json({"actions": [action_json(action) for action in shown]})
        return
    if not shown:
        typer.echo("No proposal waits for a decision." if not (run or sku) else "There is no such proposal.")
        return
    typer.echo(f"{'id':>6}  {'price':<25} {'change':>9}  {'at stake a week':<16}  product and state")
    for action in shown:
        for line in action_lines(action).splitlines():
            say(line)


def by_stake(action: Action) -> tuple[bool, Decimal, Decimal, str]:
    """Return the key that sorts proposals as the mail does: the most money at stake first, unknown last."""
    effect = fact_amount(action, "weekly_effect")
    return effect is None, -abs(effect or Decimal(0)), -abs(change_pct(action)), action.proposal.sku


def action_lines(action: Action) -> str:
    """Return a proposal as two lines: its figures, and below them why."""
    shown = action.proposal
    effect = fact_amount(action, "weekly_effect")
    stake = "" if effect is None else signed_money(rounded(effect, shown.currency), shown.currency)
    percent = signed_rate(change_pct(action)).replace("\u00a0", " ")
    what = f"{shown.sku}  {shown.title} ({STATE_WORDS[action.state].lower()})"
    told = [shown.words, *(f"Needs a second look: {why}." for why in second_look(action))]
    lines = "".join(f"\n{'':>8}{words}" for words in told)
    return f"{action.id:>6}  {figures_words(action):<25} {percent:>9}  {stake:<16}  {what}{lines}"


def approve(
    ids: Ids = None,
    price: Annotated[str | None, typer.Option(help="Another price for the one proposal that is named.")] = None,
    everything: All = False,
    by: By = None,
    config: ConfigDir = None,
    as_json: AsJson = False,
) -> None:
    """Approve proposals; each is written to the shop once, after the undo window.

    Exits with 1 when one of them could not be decided.
    """
    if price is not None and len(ids or []) != 1:
        raise typer.BadParameter("--price is for one proposal; name it by its number")
    decide_and_print(config, Verb.APPROVE, ids or [], everything=everything, by=by, as_json=as_json, price=price)


def reject(
    ids: Ids = None,
    reason: Annotated[str | None, typer.Option(help="Why; kept with the decision.")] = None,
    everything: All = False,
    by: By = None,
    config: ConfigDir = None,
    as_json: AsJson = False,
) -> None:
    """Reject proposals; the prices stay as they are. Exits with 1 when one of them could not be decided."""
    decide_and_print(config, Verb.REJECT, ids or [], everything=everything, by=by, as_json=as_json, reason=reason)


def take_back(ids: Ids = None, by: By = None, config: ConfigDir = None, as_json: AsJson = False) -> None:
    """Take approvals back that have not been written yet. Exits with 1 when it is too late for one."""
    decide_and_print(config, Verb.CANCEL, ids or [], by=by, as_json=as_json)


def _read(config: Any, wanted: Callable[[Unit], tuple[Action, ...]]) -> tuple[Action, ...]:
    app = open_app(config)
    try:
        with app.store.read() as unit:
            return wanted(unit)
    finally:
        app.close()


def _chosen(unit: Unit, run: str | None, sku: str | None) -> tuple[Action, ...]:
    if run is not None:
        if unit.runs.get(run) is None:
            raise NoSuchRun(f"There is no run {run!r}. `monitor runs` lists the ones there are.")
        return tuple(action for action in unit.actions.of_run(run) if sku in (None, action.proposal.sku))
    return unit.actions.of_sku(sku) if sku is not None else unit.actions.pending()


def decide_and_print(
    config: Any,
    verb: Verb,
    ids: list[int],
    *,
    by: str | None,
    as_json: bool,
    everything: bool = False,
    reason: str | None = None,
    price: str | None = None,
    until: Callable[[str], datetime] | None = None,
) -> None:
    """Decide proposals and say what became of each; exits with 1 when one could not be decided.

    Args:
        everything: all that wait now, instead of numbers.
        price: another price, as it was typed.
        until: gives the instant until which they are put off, in the zone of the schedule.
    """
    if bool(ids) == everything:
        raise typer.BadParameter("name the proposals by number, or use --all; `monitor actions` lists them")
    app = open_app(config)
    try:
        with app.store.read() as unit:
            found = [(number, unit.actions.get(number)) for number in dict.fromkeys(ids)]
            waiting = unit.actions.pending() if everything else ()
            alone = [action for action in waiting if verb is Verb.APPROVE and second_look(action)]
            found += [(action.id, action) for action in waiting if action not in alone]
        when = until(app.plan.schedule.zone) if until is not None else None
        choices = [replace(_choice(number, action, verb, reason), price=price, until=when) for number, action in found]
        actor = Actor("cli", by or getpass.getuser())
        results = decide(app.store, app.plan, actor, choices) if choices else ()
        with app.store.read() as unit:
            is_otherwise = any(_stands_otherwise(unit, result, price) for result in results)
            stop = unit.holds.stop()
        plan = app.plan
    finally:
        app.close()
    if results or as_json or not alone:
        print_results(results, plan.schedule.zone, as_json)
    if alone:
        named = first_of([action.id for action in alone], 10)
        say(f"Left, because each needs a second look and is approved by itself: {named}", err=True)
    if verb is Verb.APPROVE and not as_json and any(result.outcome is RowOutcome.DECIDED for result in results):
        say(what_follows(plan.writes, stop), under=0)
    if is_otherwise or any(result.outcome in UNSETTLED for result in results):
        raise typer.Exit(1)


def _stands_otherwise(unit: Unit, result: RowResult, price: str | None) -> bool:
    """Say whether a proposal was decided before, and otherwise than is asked now; the same again is no failure."""
    if result.outcome is not RowOutcome.ALREADY or result.verb is Verb.REVERT:
        return False
    last = next(reversed(unit.actions.decisions(result.action_id)), None)
    if last is None or last.verb is not result.verb:
        return True
    action = unit.actions.get(result.action_id)
    return price is not None and action is not None and not typed_is_proposed(price, action)


def what_follows(writes: WritePlan, stop: WriteStop | None) -> str:
    """Say what becomes of an approval now, so that nobody waits for a price that is not written."""
    if stop is not None and writes.enabled:
        return f"All writes are stopped by {stop.by}, so this waits. `monitor writes resume` lets it go on."
    if not writes.enabled:
        return (
            "Writes are off: this is recorded and not written. Set writes.enabled = true in monitor.toml to write it."
        )
    wait = writes.undo_window.total_seconds()
    if not wait:
        return "Written by `monitor up` or a worker (else by the next `monitor run`) at once."
    return (
        f"Written by `monitor up` or a worker (else by the next `monitor run`) once {wait:.0f} s have passed; "
        "until then `monitor take-back` undoes it."
    )


def _choice(number: int, action: Action | None, verb: Verb, reason: str | None) -> Choice:
    """Return the choice about a proposal as it is now; one that does not exist is refused by `decide`."""
    if action is None:
        return Choice(number, 0, "", verb, reason)
    return Choice(action.id, action.version, action.content_hash, verb, reason)


def print_results(results: tuple[RowResult, ...], zone: str, as_json: bool) -> None:
    """Say what became of each choice."""
    if as_json:
        print_json({"results": [result.as_json() for result in results]})
        return
    for result in results:
        before = f" By {result.by}, {local_time(result.at, zone)}." if result.by and result.at else ""
        about = f"{result.sku}  " if result.sku else ""
        say(f"{result.action_id:>6}  {about}{result.words}{before}")
    if not results:
        typer.echo("No proposal waits for a decision.")


def action_json(action: Action) -> dict[str, Any]:
    """Return a proposal as JSON: amounts are decimal strings, times ISO 8601 with offset."""
    shown, effect = action.proposal, fact_amount(action, "weekly_effect")
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
        "change_pct": str(change_pct(action).quantize(_TENTH, ROUND_HALF_UP)),
        "stake_per_week": None if effect is None else amount_text(abs(effect), shown.currency),
        "rule": shown.rule_id,
        "why": shown.words,
        "second_look": list(second_look(action)),
        "expires_at": shown.expires_at.isoformat(),
        "decided_at": action.decided_at.isoformat() if action.decided_at else None,
    }

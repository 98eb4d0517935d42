"""`monitor writes`: what is on its way to the shop, and the kill switch."""

import getpass
from typing import Annotated, Any

import typer

from monitor.cli.options import AsJson, ConfigDir, local_time, print_json, say
from monitor.domain.lock import WriteStop, writing_of
from monitor.domain.money import amount_text
from monitor.domain.past import Executed
from monitor.wiring import App, open_app

writes = typer.Typer(no_args_is_help=True, help="Approved prices on their way to the shop, and the kill switch.")

By = Annotated[str | None, typer.Option("--by", help="Who, for the record; by default the login name.")]
Reason = Annotated[str | None, typer.Option(help="Why; kept with the switch.")]

#: Latest writes that are listed.
_LISTED = 50


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(writes, name="writes")


@writes.command("list", epilog="Example: monitor writes list --json")
def listed(config: ConfigDir = None, as_json: AsJson = False) -> None:
    """List the latest approved prices, newest first, and whether writes are on, off or stopped.

    In a dry run the last column says what would be written.
    """
    app = open_app(config)
    try:
        with app.store.read() as unit:
            stop = unit.holds.stop()
            found, total = unit.past.executed(limit=_LISTED)
        if as_json:
            facts = {"writing": _mode(app, stop), "stopped": _stop_json(stop), "total": total}
            print_json({**facts, "writes": [_write_json(one) for one in found]})
            return
        say(_mode_words(app, stop), under=0)
        for one in found:
            prices = f"{_amount(one, 'old_price')} -> {_amount(one, 'new_price')} {one.currency}"
            when = local_time(one.finished_at or one.created_at, app.plan.schedule.zone)
            say(f"{one.state.value:<13} {prices:<26} {when:<23} {one.sku}  {one.words or ''}".rstrip(), under=14)
        if not found:
            typer.echo("Nothing was approved yet.")
    finally:
        app.close()


@writes.command("stop", epilog='Example: monitor writes stop --reason "prices look odd"')
def stop(reason: Reason = None, by: By = None, config: ConfigDir = None, as_json: AsJson = False) -> None:
    """Stop all writes at once, in every process: no call to the shop begins until `monitor writes resume`.

    A call that has begun is not broken off. Approvals stay and wait; what is unknown is still settled by reading.
    """
    _throw(config, is_stopped=True, by=by, reason=reason, as_json=as_json)


@writes.command("resume", epilog="Example: monitor writes resume")
def resume(reason: Reason = None, by: By = None, config: ConfigDir = None, as_json: AsJson = False) -> None:
    """Let writes go on after `monitor writes stop`; what waited and has not expired is written."""
    _throw(config, is_stopped=False, by=by, reason=reason, as_json=as_json)


def _throw(config: Any, *, is_stopped: bool, by: str | None, reason: str | None, as_json: bool) -> None:
    app = open_app(config)
    try:
        with app.store.write() as unit:
            unit.holds.throw(is_stopped=is_stopped, by=by or getpass.getuser(), reason=reason)
            found = unit.holds.stop()
        if as_json:
            print_json({"writing": _mode(app, found), "stopped": _stop_json(found)})
        else:
            say(_mode_words(app, found), under=0)
    finally:
        app.close()


def _mode(app: App, stop: WriteStop | None) -> str:
    return writing_of(stop, enabled=app.plan.writes.enabled).value


def _mode_words(app: App, stop: WriteStop | None) -> str:
    if stop is not None:
        why = f" ({stop.reason})" if stop.reason else ""
        at = local_time(stop.at, app.plan.schedule.zone)
        return f"All writes are stopped by {stop.by} since {at}{why}. `monitor writes resume` lets them go on."
    if not app.plan.writes.enabled:
        return "Writes are off: a dry run that records what would be written (writes.enabled)."
    return "Writes are on. `monitor writes stop` stops them at once."


def _stop_json(stop: WriteStop | None) -> dict[str, Any] | None:
    return None if stop is None else {"by": stop.by, "reason": stop.reason, "at": stop.at.isoformat()}


def _amount(one: Executed, name: str) -> str:
    return amount_text(getattr(one, name), one.currency)


def _write_json(one: Executed) -> dict[str, Any]:
    return {
        "action": one.action_id,
        "sku": one.sku,
        "currency": one.currency,
        "old_price": _amount(one, "old_price"),
        "new_price": _amount(one, "new_price"),
        "state": one.state.value,
        "words": one.words,
        "is_problem": one.is_problem,
        "approved_at": one.created_at.isoformat(),
        "finished_at": None if one.finished_at is None else one.finished_at.isoformat(),
    }

"""`monitor lock`, `unlock`, `locks`: products whose price a person keeps for a while."""

import getpass
from datetime import UTC, datetime, time, timedelta
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import typer

from monitor.cli.options import AsJson, ConfigDir, day_of, local_time, print_json
from monitor.domain.lock import PriceLock
from monitor.errors import CannotSucceed
from monitor.wiring import App, open_app

Sku = Annotated[str, typer.Argument(metavar="SKU", help="A product of the catalogue.")]
Until = Annotated[
    str | None,
    typer.Option(metavar="DATE", help="The last day of the lock, for example 2026-12-05; by default no end."),
]
Reason = Annotated[str | None, typer.Option(help="Why; kept with the lock.")]
By = Annotated[str | None, typer.Option("--by", help="Who, for the record; by default the login name.")]


class NoSuchProduct(CannotSucceed):
    """A SKU that was named is not in the catalogue, or has no lock."""


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(epilog='Example: monitor lock TR-41 --until 2026-12-05 --reason "campaign"')(lock)
    app.command(epilog="Example: monitor unlock TR-41")(unlock)
    app.command(epilog="Example: monitor locks --json")(locks)


def lock(
    sku: Sku,
    until: Until = None,
    reason: Reason = None,
    by: By = None,
    config: ConfigDir = None,
    as_json: AsJson = False,
) -> None:
    """Keep the price of a product: nothing is proposed for it, and what was approved is not written any more.

    The lock holds from now, through the whole of its last day in the zone of the schedule.
    """
    app = open_app(config)
    try:
        if app.settings.catalogue.product(sku) is None:
            raise NoSuchProduct(f"{sku!r} is not in catalogue.csv, so there is nothing to lock; look at the spelling")
        end = None if until is None else _end_of(until, app.plan.schedule.zone)
        with app.store.write() as unit:
            made = unit.holds.lock(sku, by=by or getpass.getuser(), until=end, reason=reason)
        _show(app, [made], as_json=as_json)
    finally:
        app.close()


def unlock(sku: Sku, by: By = None, config: ConfigDir = None, as_json: AsJson = False) -> None:
    """Take the lock of a product away; the next night may propose for it again."""
    app = open_app(config)
    try:
        with app.store.write() as unit:
            released = unit.holds.release(sku, by=by or getpass.getuser())
        if released is None:
            raise NoSuchProduct(f"{sku!r} has no lock. `monitor locks` lists the products that have one")
        if as_json:
            print_json({"unlocked": sku})
        else:
            typer.echo(f"{sku} is unlocked; {released.words} before.")
    finally:
        app.close()


def locks(config: ConfigDir = None, as_json: AsJson = False) -> None:
    """List the products that are locked now. Those with `locked` in catalogue.csv are not among them."""
    app = open_app(config)
    try:
        with app.store.read() as unit:
            found = sorted(unit.holds.locks().values(), key=lambda one: one.sku)
        _show(app, found, as_json=as_json)
        if not found and not as_json:
            typer.echo("No product is locked.")
    finally:
        app.close()


def _end_of(text: str, zone: str) -> datetime:
    """Return the first instant after a day."""
    end = datetime.combine(day_of(text) + timedelta(days=1), time(0), ZoneInfo(zone)).astimezone(UTC)
    if end <= datetime.now(UTC):
        raise typer.BadParameter(f"{text} is over; name a day that is not, or leave --until out for no end")
    return end


def _show(app: App, found: list[PriceLock], *, as_json: bool) -> None:
    zone = app.plan.schedule.zone
    if as_json:
        print_json({"locks": [_lock_json(one) for one in found]})
        return
    for one in found:
        until = "until it is taken away" if one.until is None else f"until {local_time(one.until, zone)}"
        why = f", {one.reason}" if one.reason else ""
        typer.echo(f"{one.sku:<20} locked by {one.by} {until}{why}")


def _lock_json(one: PriceLock) -> dict[str, Any]:
    return {
        "sku": one.sku,
        "by": one.by,
        "reason": one.reason,
        "since": one.created_at.isoformat(),
        "until": None if one.until is None else one.until.isoformat(),
    }

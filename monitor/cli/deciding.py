"""`monitor snooze`, `give-back`, `renew`: what else can be decided, through the same function as the links."""

from datetime import date, datetime, time
from typing import Annotated
from zoneinfo import ZoneInfo

import typer

from monitor.cli.actions import By, Ids, decide_and_print
from monitor.cli.options import AsJson, ConfigDir, day_of
from monitor.domain.action import Verb

Until = Annotated[date, typer.Option(parser=day_of, metavar="DAY", help="The day on which it waits again.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(epilog="Example: monitor snooze 12 --until 2026-12-05")(snooze)
    app.command("give-back", epilog="Example: monitor give-back 12")(give_back)
    app.command(epilog="Example: monitor renew 12")(renew)


def snooze(until: Until, ids: Ids = None, by: By = None, config: ConfigDir = None, as_json: AsJson = False) -> None:
    """Put proposals off until a day; then they wait again, if they still hold. Exits with 1 when one could not be."""

    def midnight(zone: str) -> datetime:
        return datetime.combine(until, time(0), ZoneInfo(zone))

    decide_and_print(config, Verb.SNOOZE, ids or [], by=by, as_json=as_json, until=midnight)


def give_back(ids: Ids = None, by: By = None, config: ConfigDir = None, as_json: AsJson = False) -> None:
    """Set the price from before an applied change again; it is approved at once and written after the undo window."""
    decide_and_print(config, Verb.REVERT, ids or [], by=by, as_json=as_json)


def renew(ids: Ids = None, by: By = None, config: ConfigDir = None, as_json: AsJson = False) -> None:
    """Propose again from the price that the shop showed when a write met another one than expected."""
    decide_and_print(config, Verb.RENEW, ids or [], by=by, as_json=as_json)

"""`monitor mails`: what the outbox holds or gave up, and sending it again on a person's word."""

import getpass
from typing import Annotated, Any

import typer

from monitor.cli.options import AsJson, ConfigDir, local_time, number_of, print_json, say
from monitor.domain.message import Mail, MailState
from monitor.flow.post import send_again, stuck
from monitor.wiring import open_app

mails = typer.Typer(no_args_is_help=True, help="Mails, notices and events that are held or were given up.")

_STATES = {MailState.UNKNOWN: "held", MailState.FAILED: "given up", MailState.PENDING: "to be sent"}


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(mails, name="mails")


@mails.command("held", epilog="Example: monitor mails held --json")
def held(config: ConfigDir = None, as_json: AsJson = False) -> None:
    """List what is held, because it may or may not have arrived, and what was given up, of the last seven days."""
    app = open_app(config)
    try:
        found, zone = stuck(app.store), app.plan.schedule.zone
    finally:
        app.close()
    if as_json:
        print_json({"messages": [_facts(one) for one in found]})
        return
    for one in found:
        typer.echo(f"{one.id:>6}  {_STATES[one.state]:<10} {local_time(one.created_at, zone)}  to {one.recipient}")
        say(f"        {one.subject}: {one.error}")
    typer.echo(
        "`monitor mails resend NUMBER` sends one again." if found else "Nothing is held, and nothing was given up."
    )


@mails.command("resend", epilog="Example: monitor mails resend 12")
def resend(
    number: Annotated[
        int,
        typer.Argument(
            parser=number_of("message", "monitor mails held"),
            metavar="NUMBER",
            help="As `monitor mails held` shows it.",
        ),
    ],
    by: Annotated[
        str | None, typer.Option("--by", help="Who says so, for the record; by default the login name.")
    ] = None,
    config: ConfigDir = None,
    as_json: AsJson = False,
) -> None:
    """Send a held message again, the same bytes. Ask the recipient first: it may have arrived already.

    The working process takes it within seconds.
    """
    app = open_app(config)
    try:
        released = send_again(app.store, number, by=by or getpass.getuser())
    finally:
        app.close()
    if as_json:
        print_json({"message": _facts(released)})
    else:
        typer.echo(f"{released.subject!r} to {released.recipient} leaves again with the next round of the outbox.")


def _facts(one: Mail) -> dict[str, Any]:
    return {
        "id": one.id,
        "state": one.state.value,
        "recipient": one.recipient,
        "subject": one.subject,
        "run": one.run_id,
        "error": one.error,
        "attempts": one.attempts,
        "created_at": one.created_at.isoformat(),
    }

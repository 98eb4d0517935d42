"""`monitor tokens`: what programs may ask of the HTTP API. A token is printed once and stored as a hash."""

import getpass
import secrets
from typing import Annotated, Any

import typer

from monitor.cli.options import AsJson, ConfigDir, local_time, print_json, say
from monitor.domain.access import AccessEvent, AccessEventKind, ApiToken, Scope, scopes_of, user_name
from monitor.errors import CannotSucceed
from monitor.wiring import open_app

Name = Annotated[str, typer.Argument(metavar="NAME", help="What the token is for, such as grafana.")]
Scopes = Annotated[
    str,
    typer.Option("--scope", help=f"What it may do, separated by commas: {', '.join(scope.value for scope in Scope)}."),
]

#: Begins every token, so that it is recognised when it turns up where it should not be.
PREFIX = "pmt_"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    tokens = typer.Typer(no_args_is_help=True, help="What programs may ask of the HTTP API.")
    tokens.command("add", epilog="Example: monitor tokens add grafana --scope metrics")(add)
    tokens.command("list", epilog="Example: monitor tokens list --json")(list_tokens)
    tokens.command("revoke", epilog="Example: monitor tokens revoke grafana")(revoke)
    app.add_typer(tokens, name="tokens")


def add(name: Name, scope: Scopes = Scope.READ.value, config: ConfigDir = None, as_json: AsJson = False) -> None:
    """Make a token and print it; it is shown this once."""
    try:
        name, scopes = user_name(name), scopes_of(scope.split(","))
    except ValueError as wrong:
        raise typer.BadParameter(str(wrong)) from None
    value = PREFIX + secrets.token_urlsafe(32)
    app = open_app(config)
    try:
        with app.store.write() as unit:
            token = ApiToken(name, scopes, unit.now)
            if not unit.access.add_token(token, app.signer.digest(value)):
                raise CannotSucceed(
                    f"There is a token called {name!r}; nothing was changed. Revoke it first, or take another name."
                )
            words = ", ".join(sorted(scopes))
            unit.access.record(AccessEvent(AccessEventKind.TOKEN_ADDED, name, _me(), unit.now, words=words))
    finally:
        app.close()
    if as_json:
        print_json(token_json(token) | {"token": value})
        return
    typer.echo(value)
    typer.echo("Send it as `Authorization: Bearer …`. It is stored as a hash only and cannot be shown again.", err=True)


def list_tokens(config: ConfigDir = None, as_json: AsJson = False) -> None:
    """List the tokens with what they may do and when they were last used."""
    app = open_app(config)
    try:
        with app.store.read() as unit:
            found = unit.access.tokens()
        zone = app.plan.schedule.zone
    finally:
        app.close()
    if as_json:
        print_json({"tokens": [token_json(token) for token in found]})
        return
    if not found:
        typer.echo("There is no token. `monitor tokens add NAME --scope read` makes one.")
    width = max((len(token.name) for token in found), default=0)
    for token in found:
        used = f"last used {local_time(token.last_used_at, zone)}" if token.last_used_at else "never used"
        state = f"revoked {local_time(token.revoked_at, zone)}" if token.revoked_at else used
        say(f"{token.name:<{width}}  {','.join(sorted(token.scopes)):<26}  {state}", under=width + 2)


def token_json(token: ApiToken) -> dict[str, Any]:
    """Return a token as JSON, without its value."""
    return {
        "name": token.name,
        "scopes": sorted(token.scopes),
        "created_at": token.created_at.isoformat(),
        "last_used_at": token.last_used_at.isoformat() if token.last_used_at else None,
        "revoked_at": token.revoked_at.isoformat() if token.revoked_at else None,
    }


def revoke(name: Name, config: ConfigDir = None, as_json: AsJson = False) -> None:
    """Let a token in no more, from the next request on."""
    app = open_app(config)
    try:
        with app.store.write() as unit:
            if not unit.access.revoke_token(name.strip().lower()):
                raise CannotSucceed(
                    f"There is no token {name!r} to revoke; nothing was changed. `monitor tokens list` names them."
                )
            unit.access.record(AccessEvent(AccessEventKind.TOKEN_REVOKED, name, _me(), unit.now))
    finally:
        app.close()
    if as_json:
        print_json({"name": name, "revoked": True})
    else:
        typer.echo(f"{name} is revoked.")


def _me() -> str:
    return f"cli:{getpass.getuser()}"

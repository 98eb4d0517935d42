"""`monitor users`: who may sign in. Passwords are typed twice or read from standard input, never an argument."""

import getpass
import sys
import warnings
from typing import Annotated, Any

import typer

from monitor.adapters.passwords import Argon2Passwords
from monitor.cli.options import AsJson, ConfigDir, local_time, print_json, say
from monitor.domain.access import AccessEvent, AccessEventKind, Role, User, user_name
from monitor.errors import CannotSucceed
from monitor.flow.admit import check_password
from monitor.ports.store import Unit
from monitor.wiring import App, open_app

Name = Annotated[str, typer.Argument(metavar="NAME", help="A login name or mail address.")]
Standing = Annotated[Role, typer.Option("--role", help="viewer looks, approver decides, admin also ends sessions.")]
FromInput = Annotated[
    bool, typer.Option("--password-stdin", help="Read the password from the first line of standard input.")
]


class NobodyCalledSo(CannotSucceed):
    """A person who was named cannot sign in; nothing was changed."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"Nobody called {name!r} can sign in, so nothing was changed. `monitor users list` names them."
        )


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    users = typer.Typer(no_args_is_help=True, help="Who may sign in to the pages.")
    users.command("add", epilog="Example: monitor users add anna@brand.example --role approver")(add)
    users.command("list", epilog="Example: monitor users list --json")(list_users)
    users.command("password", epilog="Example: monitor users password anna@brand.example")(password)
    users.command("role", epilog="Example: monitor users role anna@brand.example --role admin")(role)
    users.command("sign-out", epilog="Example: monitor users sign-out anna@brand.example")(sign_out)
    users.command("remove", epilog="Example: monitor users remove anna@brand.example")(remove)
    app.add_typer(users, name="users")


def add(
    name: Name,
    role: Standing = Role.APPROVER,
    password_stdin: FromInput = False,
    config: ConfigDir = None,
    as_json: AsJson = False,
) -> None:
    """Add somebody. With the first one, every page needs a sign-in and the web may listen beyond this machine."""
    name = _name(name)
    secret = _new_password(name, from_input=password_stdin)
    hashed = Argon2Passwords().hashed(secret)
    app = open_app(config)
    try:
        with app.store.write() as unit:
            is_first = not unit.access.has_users()
            if not unit.access.add_user(name, role, hashed):
                raise CannotSucceed(
                    f"{name!r} can sign in already; nothing was changed. `monitor users password` sets a new password."
                )
            _record(unit, AccessEventKind.USER_ADDED, name, role.value)
    finally:
        app.close()
    _told({"name": name, "role": role.value}, f"{name} can sign in as {role.value}.", as_json)
    if is_first and not as_json:
        typer.echo("Every page needs a sign-in from now on. Start the web again to let other machines in (web.host).")


def list_users(config: ConfigDir = None, as_json: AsJson = False) -> None:
    """List who may sign in, and who no longer may."""
    app = open_app(config)
    try:
        with app.store.read() as unit:
            found = [(user, len(unit.access.sessions_of(user.name))) for user in unit.access.users()]
        zone = app.plan.schedule.zone
    finally:
        app.close()
    if as_json:
        print_json({"users": [user_json(user, open_sessions) for user, open_sessions in found]})
        return
    if not found:
        typer.echo(
            "Nobody can sign in yet, so the pages open on this machine only. `monitor users add NAME` adds somebody."
        )
    width = max((len(user.name) for user, _ in found), default=0)
    for user, open_sessions in found:
        sessions = f"{open_sessions} session{'' if open_sessions == 1 else 's'}"
        state = f"removed {local_time(user.disabled_at, zone)}" if user.disabled_at else sessions
        since = local_time(user.created_at, zone)
        say(f"{user.name:<{width}}  {user.role.value:<8}  since {since}  {state}", under=width + 2)


def user_json(user: User, open_sessions: int) -> dict[str, Any]:
    """Return a person as JSON; nothing of a password is in it."""
    return {
        "name": user.name,
        "role": user.role.value,
        "created_at": user.created_at.isoformat(),
        "password_set_at": user.password_set_at.isoformat(),
        "disabled_at": user.disabled_at.isoformat() if user.disabled_at else None,
        "open_sessions": open_sessions,
    }


def password(name: Name, password_stdin: FromInput = False, config: ConfigDir = None, as_json: AsJson = False) -> None:
    """Set another password; every browser of that person is signed out."""
    name = _name(name)
    secret = _new_password(name, from_input=password_stdin)
    hashed = Argon2Passwords().hashed(secret)
    app = open_app(config)
    try:
        with app.store.write() as unit:
            _somebody(unit, name)
            unit.access.set_password(name, hashed)
            unit.access.succeeded(f"sign-in:{name}")
            ended = unit.access.revoke_sessions(name)
            _record(unit, AccessEventKind.PASSWORD_CHANGED, name)
    finally:
        app.close()
    words = f"{name} has a new password; {ended} {_sessions(ended)} ended."
    _told({"name": name, "sessions_ended": ended}, words, as_json)


def role(name: Name, role: Standing, config: ConfigDir = None, as_json: AsJson = False) -> None:
    """Change what somebody may do; it holds from their next click on."""
    name = _name(name)
    app = open_app(config)
    try:
        with app.store.write() as unit:
            if not unit.access.set_role(name, role):
                raise NobodyCalledSo(name)
            _record(unit, AccessEventKind.ROLE_CHANGED, name, role.value)
    finally:
        app.close()
    _told({"name": name, "role": role.value}, f"{name} is {role.value} now.", as_json)


def sign_out(name: Name, config: ConfigDir = None, as_json: AsJson = False) -> None:
    """End every session of somebody; the password stays."""
    name = _name(name)
    app = open_app(config)
    try:
        with app.store.write() as unit:
            _somebody(unit, name)
            ended = unit.access.revoke_sessions(name)
            _record(unit, AccessEventKind.SESSIONS_REVOKED, name)
    finally:
        app.close()
    _told({"name": name, "sessions_ended": ended}, f"{ended} {_sessions(ended)} of {name} ended.", as_json)


def remove(name: Name, config: ConfigDir = None, as_json: AsJson = False) -> None:
    """Let somebody in no more: sessions end, and review links to that address stop working. The record stays."""
    name = _name(name)
    app = open_app(config)
    try:
        with app.store.write() as unit:
            if not unit.access.remove_user(name):
                raise NobodyCalledSo(name)
            links = unit.links.revoke_of(name, f"{name} was removed")
            _record(unit, AccessEventKind.USER_REMOVED, name)
    finally:
        app.close()
    if as_json:
        print_json({"name": name, "links_revoked": links})
        return
    _tell_removed(app, name, links)


def _tell_removed(app: App, name: str, links: int) -> None:
    typer.echo(f"{name} can sign in no more; {links} review links to {name} were revoked.")
    if name in (address.lower() for address in app.plan.mail.recipients):
        typer.echo("The morning mail still goes there: take the address out of mail.recipients in monitor.toml too.")


def _told(facts: dict[str, Any], words: str, as_json: bool) -> None:
    if as_json:
        print_json(facts)
    else:
        typer.echo(words)


def _name(text: str) -> str:
    try:
        return user_name(text)
    except ValueError as wrong:
        raise typer.BadParameter(str(wrong)) from None


def _somebody(unit: Unit, name: str) -> None:
    user = unit.access.user(name)
    if user is None or user.disabled_at is not None:
        raise NobodyCalledSo(name)


def _new_password(name: str, *, from_input: bool) -> str:
    if from_input:
        secret = sys.stdin.readline().rstrip("\r\n")
    else:
        secret = _typed(f"Password for {name} (it is not shown): ")
        if _typed("Once more: ") != secret:
            raise CannotSucceed("The two passwords differ; nothing was changed. Run the command again.")
    check_password(secret, name)
    return secret


def _typed(prompt: str) -> str:
    """Return what is typed at the terminal without being shown; where there is none, nothing is asked."""
    try:
        with warnings.catch_warnings(action="error", category=getpass.GetPassWarning):
            return getpass.getpass(prompt)
    except getpass.GetPassWarning:
        raise typer.BadParameter(
            "there is no terminal to type a password at; give it on standard input with --password-stdin"
        ) from None


def _record(unit: Unit, kind: AccessEventKind, name: str, words: str | None = None) -> None:
    unit.access.record(AccessEvent(kind, name, f"cli:{getpass.getuser()}", unit.now, words=words))


def _sessions(count: int) -> str:
    return "session" if count == 1 else "sessions"

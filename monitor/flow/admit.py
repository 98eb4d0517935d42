"""Stage admit: people sign in with a name and a password, once and for a while; wrong tries are slowed down.

A try is counted before the password is looked at and forgotten when it was right, so that many tries at once win
nothing. Whether a name exists cannot be told from the answer, nor from how long it takes. What was typed as a name is
recorded only when somebody has that name: people type passwords into the wrong field.
"""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from monitor.domain.access import (
    SESSION_LIFETIME,
    AccessEvent,
    AccessEventKind,
    Session,
    User,
    password_problem,
    user_name,
)
from monitor.errors import CannotSucceed
from monitor.ports.access import Passwords
from monitor.ports.review import Signer
from monitor.ports.store import Store, Unit

#: A session in use is noted as such no more often than this, so that looking hardly ever writes.
_TOUCH_EVERY = timedelta(minutes=1)


class PasswordRefused(CannotSucceed):
    """A new password is not good enough; the old one stays."""


@dataclass(frozen=True, slots=True)
class Where:
    """Where a request comes from, as far as it is kept."""

    network: str | None = None  #: network prefix, for the record
    address: str | None = None  #: what wrong tries are counted by besides the name; None: not known apart
    agent: str | None = None


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A session that was opened; `secret` is for its cookie and is kept nowhere."""

    secret: str
    session: Session


@dataclass(frozen=True, slots=True)
class Refused:
    """A try that was not let in; `until` is set when tries are not looked at before then."""

    until: datetime | None = None


def sign_in(
    store: Store, passwords: Passwords, signer: Signer, name: str, password: str, where: Where
) -> SignedIn | Refused:
    """Open a session for somebody who knows the password."""
    known = _known_name(name)
    keys = _keys(known, where)
    with store.write() as unit:
        until = unit.access.blocked_until(*keys)
        if until is not None:
            return Refused(until)
        unit.access.failed(*keys)
        stored = unit.access.password_hash(known)
    if not passwords.is_right(stored, password) or stored is None:
        with store.write() as unit:
            _record(unit, AccessEventKind.REFUSED, known if stored else "somebody unknown", where)
        return Refused()
    fresh = passwords.hashed(password) if passwords.is_outdated(stored) else None
    with store.write() as unit:
        if unit.access.password_hash(known) != stored:
            return Refused()  # changed or removed while it was looked at
        if fresh is not None:
            unit.access.set_password(known, fresh)
        unit.access.succeeded(*keys)
        _record(unit, AccessEventKind.SIGNED_IN, known, where)
        return _opened(unit, signer, known, where)


def _known_name(name: str) -> str:
    try:
        return user_name(name)
    except ValueError:
        return ""


def _keys(name: str, where: Where) -> tuple[str, ...]:
    by_name = f"sign-in:{name}"
    return (by_name,) if where.address is None else (by_name, f"sign-in-from:{where.address}")


def _opened(unit: Unit, signer: Signer, name: str, where: Where) -> SignedIn:
    secret = secrets.token_urlsafe(32)
    session = Session(
        id=signer.digest(secret),
        user=name,
        created_at=unit.now,
        seen_at=unit.now,
        expires_at=unit.now + SESSION_LIFETIME,
        network=where.network,
        agent=where.agent,
    )
    unit.access.open_session(session)
    return SignedIn(secret, session)


def admitted(store: Store, signer: Signer, secret: str) -> tuple[Session, User] | None:
    """Return the open session behind a cookie with its person, or None."""
    with store.read() as unit:
        found, now = unit.access.session(signer.digest(secret)), unit.now
    if found is None or not found[0].is_open(now) or found[1].disabled_at is not None:
        return None
    if now - found[0].seen_at > _TOUCH_EVERY:
        with store.write() as unit:
            unit.access.touch(found[0].id)
    return found


def sign_out(store: Store, session: Session, where: Where) -> None:
    """End a session."""
    with store.write() as unit:
        unit.access.revoke_sessions(session.user, only=session.id)
        _record(unit, AccessEventKind.SIGNED_OUT, session.user, where)


def change_password(
    store: Store, passwords: Passwords, signer: Signer, session: Session, old: str, new: str, where: Where
) -> SignedIn | Refused:
    """Store a new password, end every session of the person, and open a new one for who changed it.

    Raises:
        PasswordRefused: the new one is not good enough; nothing was changed.
    """
    check_password(new, session.user)
    keys = _keys(session.user, where)
    with store.write() as unit:
        until = unit.access.blocked_until(*keys)
        if until is not None:
            return Refused(until)
        unit.access.failed(*keys)
        stored = unit.access.password_hash(session.user)
    if not passwords.is_right(stored, old):
        return Refused()
    fresh = passwords.hashed(new)
    with store.write() as unit:
        unit.access.succeeded(*keys)
        unit.access.set_password(session.user, fresh)
        unit.access.revoke_sessions(session.user)
        _record(unit, AccessEventKind.PASSWORD_CHANGED, session.user, where)
        return _opened(unit, signer, session.user, where)


def check_password(password: str, name: str) -> None:
    """Raise PasswordRefused with the reason when a password is not good enough."""
    problem = password_problem(password, name)
    if problem:
        raise PasswordRefused(f"The new password {problem}. Nothing was changed; take another, a few words are best.")


def _record(unit: Unit, kind: AccessEventKind, name: str, where: Where) -> None:
    unit.access.record(AccessEvent(kind, name, name, unit.now, where.network, where.agent))

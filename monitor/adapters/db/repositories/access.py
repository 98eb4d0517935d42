"""People, their sessions and the tokens of programs, as rows. Nothing here knows a password, a cookie or a token."""

from dataclasses import asdict
from typing import Any

from sqlalchemy import Row, and_, bindparam, delete, or_, select, update

from monitor.adapters.db.prepared import Prepared
from monitor.adapters.db.repositories.door import DoorRecord
from monitor.adapters.db.schema import api_tokens, sessions, users
from monitor.domain.access import SESSION_IDLE, SESSION_LIFETIME, ApiToken, Role, Scope, Session, User

_SESSION = [sessions.c[name] for name in Session.__dataclass_fields__]
_USER = [users.c[name] for name in User.__dataclass_fields__]

#: Asked every second, and mostly in vain.
_IS_OLD = Prepared(
    select(sessions.c.id)
    .where((sessions.c.expires_at < bindparam("old")) | (sessions.c.revoked_at < bindparam("old")))
    .limit(1)
)


class AccessTable(DoorRecord):
    """`monitor.ports.access.Access` on SQL."""

    def has_users(self) -> bool:
        """Say whether there is or was anybody; taking the last one out must not open the house."""
        return self._tx.run(select(users.c.name).limit(1)).first() is not None

    def users(self) -> tuple[User, ...]:
        """Return everybody, removed ones too, by name."""
        return tuple(User(**row._mapping) for row in self._tx.run(select(*_USER).order_by(users.c.name)))

    def user(self, name: str) -> User | None:
        """Return one person, removed or not."""
        row = self._tx.run(select(*_USER).where(users.c.name == name)).one_or_none()
        return None if row is None else User(**row._mapping)

    def password_hash(self, name: str) -> str | None:
        """Return the stored hash of somebody who may sign in, else None."""
        found = select(users.c.password_hash).where(users.c.name == name, users.c.disabled_at.is_(None))
        kept: str | None = self._tx.run(found).scalar_one_or_none()
        return kept

    def add_user(self, name: str, role: Role, password_hash: str) -> bool:
        """Store a person, or bring a removed one back."""
        now = self._tx.now
        fresh = {"role": role, "password_hash": password_hash, "created_at": now, "password_set_at": now}
        if self._tx.insert_once(users, {"name": name, **fresh}):
            return True
        again = update(users).where(users.c.name == name, users.c.disabled_at.is_not(None))
        return self._tx.run(again.values(fresh | {"disabled_at": None})).rowcount == 1

    def set_role(self, name: str, role: Role) -> bool:
        """Change a role."""
        changed = update(users).where(users.c.name == name, users.c.disabled_at.is_(None)).values(role=role)
        return self._tx.run(changed).rowcount == 1

    def set_password(self, name: str, password_hash: str) -> None:
        """Store another password."""
        values = {"password_hash": password_hash, "password_set_at": self._tx.now}
        self._tx.run(update(users).where(users.c.name == name).values(values))

    def remove_user(self, name: str) -> bool:
        """Let a person in no more and end every session of theirs."""
        gone = update(users).where(users.c.name == name, users.c.disabled_at.is_(None))
        self.revoke_sessions(name)
        return self._tx.run(gone.values(disabled_at=self._tx.now)).rowcount == 1

    def open_session(self, session: Session) -> None:
        """Store a session."""
        self._tx.run(sessions.insert().values(asdict(session)))

    def session(self, session_id: str) -> tuple[Session, User] | None:
        """Return a session with its person, open or not."""
        found = select(*_SESSION).where(sessions.c.id == session_id)
        row = self._tx.run(found).one_or_none()
        person = None if row is None else self.user(row.user)
        return None if row is None or person is None else (Session(**row._mapping), person)

    def sessions_of(self, user: str) -> tuple[Session, ...]:
        """Return the open sessions of a person, the newest first."""
        found = select(*_SESSION).where(sessions.c.user == user, self._is_open()).order_by(sessions.c.created_at.desc())
        return tuple(Session(**row._mapping) for row in self._tx.run(found))

    def _is_open(self) -> Any:
        now = self._tx.now
        return and_(
            sessions.c.revoked_at.is_(None), sessions.c.expires_at > now, sessions.c.seen_at > now - SESSION_IDLE
        )

    def touch(self, session_id: str) -> None:
        """Note that a session is in use."""
        self._tx.run(update(sessions).where(sessions.c.id == session_id).values(seen_at=self._tx.now))

    def revoke_sessions(self, user: str, *, only: str | None = None, besides: str | None = None) -> int:
        """End all sessions of a person, one of them, or all but one."""
        which = and_(sessions.c.user == user, self._is_open())
        if only is not None:
            which = and_(which, sessions.c.id == only)
        if besides is not None:
            which = and_(which, sessions.c.id != besides)
        return self._tx.run(update(sessions).where(which).values(revoked_at=self._tx.now)).rowcount

    def add_token(self, token: ApiToken, digest: str) -> bool:
        """Store a token by its hash; a revoked one of the same name gives way."""
        self._tx.run(delete(api_tokens).where(api_tokens.c.name == token.name, api_tokens.c.revoked_at.is_not(None)))
        values = asdict(token) | {"hash": digest, "scopes": sorted(token.scopes)}
        return self._tx.insert_once(api_tokens, values)

    def tokens(self) -> tuple[ApiToken, ...]:
        """Return every token, revoked ones too, by name."""
        return tuple(map(_token, self._tx.run(select(api_tokens).order_by(api_tokens.c.name))))

    def token(self, digest: str, scope: Scope) -> ApiToken | None:
        """Return the unrevoked token of a hash if it has the scope, and note its use."""
        found = select(api_tokens).where(api_tokens.c.hash == digest, api_tokens.c.revoked_at.is_(None))
        row = self._tx.run(found).one_or_none()
        if row is None or scope not in _token(row).scopes:
            return None
        self._tx.run(update(api_tokens).where(api_tokens.c.hash == digest).values(last_used_at=self._tx.now))
        return _token(row)

    def revoke_token(self, name: str) -> bool:
        """Let a token in no more."""
        gone = update(api_tokens).where(api_tokens.c.name == name, api_tokens.c.revoked_at.is_(None))
        return self._tx.run(gone.values(revoked_at=self._tx.now)).rowcount == 1

    def prune(self, limit: int) -> int:
        """Forget sessions that ended long ago, and tries of long ago."""
        old = self._tx.now - 4 * SESSION_LIFETIME
        if _IS_OLD.one(self._tx, {"old": old}) is None:
            return self._forget_tries(limit)
        first = select(sessions.c.id).where(or_(sessions.c.expires_at < old, sessions.c.revoked_at < old))
        gone = self._tx.run(delete(sessions).where(sessions.c.id.in_(first.limit(limit).scalar_subquery()))).rowcount
        return gone + self._forget_tries(limit)


def _token(row: Row[Any]) -> ApiToken:
    return ApiToken(row.name, frozenset(map(Scope, row.scopes)), row.created_at, row.last_used_at, row.revoked_at)

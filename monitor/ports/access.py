"""People, sessions, tokens and the slowing down of wrong tries, as the store keeps them."""

from datetime import datetime, timedelta
from typing import Protocol

from monitor.domain.access import AccessEvent, ApiToken, Role, Scope, Session, User


class Access(Protocol):
    """Who may come in, and the record of the door."""

    def has_users(self) -> bool:
        """Say whether there is or was anybody to sign in; until then only this machine is served."""

    def users(self) -> tuple[User, ...]:
        """Return everybody, removed ones too, by name."""

    def user(self, name: str) -> User | None:
        """Return one person, removed or not."""

    def password_hash(self, name: str) -> str | None:
        """Return the stored hash of somebody who may sign in, else None."""

    def add_user(self, name: str, role: Role, password_hash: str) -> bool:
        """Store a person; False when there is one of that name who may sign in. A removed one comes back."""

    def set_role(self, name: str, role: Role) -> bool:
        """Change a role; False when nobody of that name may sign in."""

    def set_password(self, name: str, password_hash: str) -> None:
        """Store another password; a rehash of the same one too."""

    def remove_user(self, name: str) -> bool:
        """Let a person in no more; the row stays for the record. False when there was nobody."""

    def open_session(self, session: Session) -> None:
        """Store a session."""

    def session(self, session_id: str) -> tuple[Session, User] | None:
        """Return a session with its person, open or not."""

    def sessions_of(self, user: str) -> tuple[Session, ...]:
        """Return the open sessions of a person, the newest first."""

    def touch(self, session_id: str) -> None:
        """Note that a session is in use."""

    def revoke_sessions(self, user: str, *, only: str | None = None, besides: str | None = None) -> int:
        """End all sessions of a person, one of them, or all but one; return how many were open."""

    def add_token(self, token: ApiToken, digest: str) -> bool:
        """Store a token by its hash; False when an unrevoked one has this name."""

    def tokens(self) -> tuple[ApiToken, ...]:
        """Return every token, revoked ones too, by name."""

    def token(self, digest: str, scope: Scope) -> ApiToken | None:
        """Return the unrevoked token of a hash if it has the scope, and note its use."""

    def revoke_token(self, name: str) -> bool:
        """Let a token in no more; False when there was none."""

    def blocked_until(self, *keys: str) -> datetime | None:
        """Return until when tries under any of these keys are not looked at, None when they are."""

    def failed(self, *keys: str) -> None:
        """Count a wrong try under each key."""

    def succeeded(self, *keys: str) -> None:
        """Forget the wrong tries under these keys."""

    def allow(self, key: str, every: timedelta) -> bool:
        """Say whether something may happen now that may happen once in a while, and count it if so."""

    def record(self, event: AccessEvent) -> None:
        """Append a line to the record."""

    def events(self, limit: int, name: str | None = None) -> tuple[AccessEvent, ...]:
        """Return the newest lines, newest first."""

    def prune(self, limit: int) -> int:
        """Forget sessions that ended a month ago and tries of long ago; return how many rows."""


class Passwords(Protocol):
    """Hashes passwords slowly."""

    def hashed(self, password: str) -> str:
        """Return what is stored of a password."""

    def is_right(self, stored: str | None, password: str) -> bool:
        """Say whether it is the password of a stored hash; None takes as long and is always wrong."""

    def is_outdated(self, stored: str) -> bool:
        """Say whether a hash was made with weaker parameters than today's."""

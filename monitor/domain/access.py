"""Who may come in: people with a password, programs with a token, and how wrong tries are slowed down.

Pure rules; the database keeps the rows and `monitor.flow.admit` applies the rules. A session or a token is known here
and in the database by a hash only: the value itself is in one browser or one program.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

#: Fewest and most characters of a password; length is what makes one hard to guess.
MIN_PASSWORD, MAX_PASSWORD = 12, 200

#: A session nobody used for so long has ended; however busy, it ends after so many days.
SESSION_IDLE = timedelta(hours=12)
SESSION_LIFETIME = timedelta(days=7)

#: So many wrong tries are answered at once; every further one doubles the wait, up to the longest.
FREE_TRIES = 5
_FIRST_WAIT, LONGEST_WAIT = timedelta(seconds=2), timedelta(minutes=15)
#: Wrong tries are forgotten after so long without another.
TRIES_FORGOTTEN = timedelta(hours=24)

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9._@+-]{0,98}[a-z0-9])?")
_USUAL = re.compile(r"password|passwort|12345|qwert|change.?(me|this)|letmein|example|placeholder", re.IGNORECASE)


class Role(StrEnum):
    """What a signed-in person may do; each includes what stands above it."""

    VIEWER = "viewer"  #: look
    APPROVER = "approver"  #: decide about prices
    ADMIN = "admin"  #: see and end the sessions of others, revoke links

    def includes(self, other: "Role") -> bool:
        """Say whether this role may do what the other may."""
        ranks = list(Role)
        return ranks.index(self) >= ranks.index(other)


class Scope(StrEnum):
    """What a token may do. None approves: see `approval_webhook` for programs that decide."""

    READ = "read"  #: the JSON API, reading only
    RUNS_TRIGGER = "runs:trigger"  #: begin the night that is due
    METRICS = "metrics"  #: the figures for Prometheus


@dataclass(frozen=True, slots=True)
class User:
    """A person who may sign in."""

    name: str
    role: Role
    created_at: datetime
    password_set_at: datetime
    disabled_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """One browser in which a person is signed in."""

    id: str  #: hash of the value in its cookie
    user: str
    created_at: datetime
    seen_at: datetime
    expires_at: datetime
    network: str | None = None  #: where it was opened
    agent: str | None = None
    revoked_at: datetime | None = None

    def is_open(self, now: datetime) -> bool:
        """Say whether it still admits its person."""
        return self.revoked_at is None and now < self.expires_at and now < self.seen_at + SESSION_IDLE


@dataclass(frozen=True, slots=True)
class ApiToken:
    """A program that may ask; its value was shown once and is stored as a hash."""

    name: str
    scopes: frozenset[Scope]
    created_at: datetime
    last_used_at: datetime | None = None
    revoked_at: datetime | None = None


class AccessEventKind(StrEnum):
    """What happened at the door."""

    USER_ADDED = "user_added"
    USER_REMOVED = "user_removed"
    ROLE_CHANGED = "role_changed"
    SIGNED_IN = "signed_in"
    REFUSED = "refused"  #: wrong name or password
    SIGNED_OUT = "signed_out"
    PASSWORD_CHANGED = "password_changed"  # noqa: S105 - an event, not a password
    SESSIONS_REVOKED = "sessions_revoked"
    TOKEN_ADDED = "token_added"  # noqa: S105
    TOKEN_REVOKED = "token_revoked"  # noqa: S105
    LINKS_REVOKED = "links_revoked"
    CODE_LOCKED = "code_locked"  #: too many wrong codes for a review link


@dataclass(frozen=True, slots=True)
class AccessEvent:
    """One line of the door's record, which is append-only like the decisions."""

    kind: AccessEventKind
    name: str  #: the user, token or recipient concerned
    by: str  #: who did it: the user, or the login name at the command line
    at: datetime
    network: str | None = None
    agent: str | None = None
    words: str | None = None


def user_name(text: str) -> str:
    """Return a name as it is stored, in lower case.

    Raises:
        ValueError: what is wrong, with the accepted form.
    """
    name = text.strip().lower()
    if not _NAME.fullmatch(name):
        raise ValueError(
            f"{text!r} is no name; write 1 to 100 of a-z, 0-9 and . _ @ + - with a letter or digit at both ends, for "
            "example anna or anna@brand.example"
        )
    return name


def password_problem(password: str, name: str) -> str | None:
    """Say why a password is refused (`has 7 characters, …`), or None when it is good enough."""
    if len(password) < MIN_PASSWORD:
        return f"has {len(password)} characters, at least {MIN_PASSWORD} are needed"
    if len(password) > MAX_PASSWORD:
        return f"has more than {MAX_PASSWORD} characters"
    if name.partition("@")[0] in password.lower():
        return "holds the name of its user"
    if len(set(password)) < 6:
        return f"has only {len(set(password))} different characters, at least 6 are needed"
    return "is one that everybody tries first" if _USUAL.search(password) else None


def wait_after(failures: int) -> timedelta:
    """Return how long no further try is looked at after so many wrong ones in a row."""
    beyond = failures - FREE_TRIES
    return timedelta(0) if beyond < 0 else min(_FIRST_WAIT * 2 ** min(beyond, 20), LONGEST_WAIT)


def scopes_of(words: Iterable[str]) -> frozenset[Scope]:
    """Read scopes.

    Raises:
        ValueError: an unknown one, or none, with the accepted ones.
    """
    known, asked = {scope.value for scope in Scope}, {word.strip() for word in words if word.strip()}
    if not asked or asked - known:
        wrong = ", ".join(sorted(asked - known)) or "nothing"
        raise ValueError(f"{wrong} is no scope of a token; write one or more of {', '.join(sorted(known))}")
    return frozenset(map(Scope, asked))

"""Who asks, as the door found out: a signed-in person, a program with a token, or nobody.

The door sets the visitor of a request before any route runs; a route or a page asks `visitor()`. It travels in a
context variable, which threads of the pool inherit, so that no page forgets to pass it on.
"""

from contextvars import ContextVar
from dataclasses import dataclass

from monitor.domain.access import Role, Session, User


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who asks."""

    user: User | None = None  #: who is signed in
    session: Session | None = None  #: None for a person whom a proxy vouches for
    form_token: str = ""  #: what every form of this person must carry as `form_token`
    is_open_house: bool = False  #: nobody can sign in yet, so this machine may look at everything

    @property
    def may_look(self) -> bool:
        """Whether the pages of the dashboard are shown."""
        return self.is_open_house or self.user is not None

    def may(self, role: Role) -> bool:
        """Say whether a signed-in person has at least this role."""
        return self.user is not None and self.user.role.includes(role)


_NOBODY = Visitor()
_VISITOR: ContextVar[Visitor] = ContextVar("visitor", default=_NOBODY)


def visitor() -> Visitor:
    """Return who makes the request under way."""
    return _VISITOR.get()


def welcome(who: Visitor) -> None:
    """Say who makes the request under way; for the door."""
    _VISITOR.set(who)

"""What needs a person: every proposal that waits, filtered, and decided as whoever is signed in.

The form binds each row to exactly what was shown (`id:version:hash`), so a row that has moved on since is told and not
decided; sending the same form twice decides once. It goes through the one function behind every way to decide.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlencode

from starlette.datastructures import QueryParams
from starlette.requests import Request

from monitor.domain.access import Role
from monitor.domain.action import Action, Actor
from monitor.domain.report.clean import clean
from monitor.domain.review import Choice, RowResult
from monitor.flow.review import decide
from monitor.web.context import Context
from monitor.web.origin import agent_of, network_of
from monitor.web.review_view import ReviewRow, by_stake, review_row
from monitor.web.sheet import SheetRow
from monitor.web.visitor import visitor

PER_PAGE = 50
DIRECTIONS = {"": "up and down", "down": "down only", "up": "up only"}


@dataclass(frozen=True, slots=True)
class Narrowed:
    """Which of the waiting proposals to show."""

    words: str = ""
    direction: str = ""
    rule: str = ""
    night: str = ""
    page: int = 1

    @property
    def query(self) -> str:
        """The same as a query, without the page."""
        asked = {"q": self.words, "direction": self.direction, "rule": self.rule, "night": self.night}
        return urlencode({name: value for name, value in asked.items() if value})


@dataclass(frozen=True, slots=True)
class Queue:
    """One page of what waits."""

    rows: tuple[ReviewRow, ...]
    total: int  #: that match
    waiting: int  #: in all
    down: int
    up: int
    narrowed: Narrowed
    rules: tuple[str, ...]
    nights: tuple[str, ...]
    pages: int
    previous: str | None
    following: str | None
    may_decide: bool

    @property
    def at_once(self) -> int:
        """How many of the rows can be approved together."""
        return sum(not row.is_alone for row in self.rows)


def narrowed_of(query: QueryParams) -> Narrowed:
    """Return what a query asks for; what it does not know counts as not given."""
    number, direction = query.get("page", "1"), query.get("direction", "")
    return Narrowed(
        words=clean(query.get("q", ""), 100),
        direction=direction if direction in DIRECTIONS else "",
        rule=clean(query.get("rule", ""), 80),
        night=clean(query.get("night", ""), 80),
        page=max(1, int(number)) if number.isascii() and number.isdecimal() and len(number) < 6 else 1,
    )


def queue(context: Context, narrowed: Narrowed, chosen: Iterable[Choice] = ()) -> Queue:
    """Return one page of what waits, most money at stake first, with what this reader chose before."""
    with context.store.read() as unit:
        now, waiting = unit.now, unit.actions.pending()
    found = sorted((SheetRow(one, (), None) for one in waiting if _is_wanted(one, narrowed)), key=by_stake)
    pages = max(1, -(-len(found) // PER_PAGE))
    page = min(narrowed.page, pages)
    shown = found[(page - 1) * PER_PAGE : page * PER_PAGE]
    seen = context.shop_prices.known([row.action.proposal.sku for row in shown]) if context.shop_prices else {}
    choices = {choice.action_id: choice for choice in chosen}
    return Queue(
        rows=tuple(
            review_row(
                row, context.plan_now, now, seen=seen.get(row.action.proposal.sku), choice=choices.get(row.action.id)
            )
            for row in shown
        ),
        total=len(found),
        waiting=len(waiting),
        down=sum(_goes_down(row.action) for row in found),
        up=sum(not _goes_down(row.action) for row in found),
        narrowed=narrowed,
        rules=tuple(sorted({one.proposal.rule_id for one in waiting})),
        nights=tuple(sorted({one.proposal.run_id for one in waiting}, reverse=True)),
        pages=pages,
        previous=_address(narrowed, page - 1) if page > 1 else None,
        following=_address(narrowed, page + 1) if page < pages else None,
        may_decide=visitor().may(Role.APPROVER),
    )


def decide_chosen(context: Context, request: Request, choices: tuple[Choice, ...]) -> tuple[RowResult, ...]:
    """Decide as whoever is signed in."""
    return decide(context.store, context.plan_now, actor_of(context, request), choices)


def actor_of(context: Context, request: Request) -> Actor:
    """Return the signed-in person as who decides. Only for requests that the door let in as somebody."""
    who = visitor()
    assert who.user is not None  # noqa: S101 - the form's token is this person's
    session = who.session.id if who.session is not None else "proxy"
    return Actor(
        kind="user",
        name=who.user.name,
        session=session,
        address=network_of(request, context.proxies),
        agent=agent_of(request),
    )


def _is_wanted(action: Action, narrowed: Narrowed) -> bool:
    shown = action.proposal
    text = f"{shown.sku} {shown.title} {shown.words}".lower()
    return (
        all(word in text for word in narrowed.words.lower().split())
        and (not narrowed.direction or (narrowed.direction == "down") == _goes_down(action))
        and narrowed.rule in ("", shown.rule_id)
        and narrowed.night in ("", shown.run_id)
    )


def _goes_down(action: Action) -> bool:
    return action.proposal.new_price < action.proposal.old_price


def _address(narrowed: Narrowed, page: int) -> str:
    return "/queue?" + "&".join(part for part in (narrowed.query, f"page={page}") if part)

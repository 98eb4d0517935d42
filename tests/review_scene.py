"""A night with proposals, ready to be reviewed: a store with its tables, a run, actions and a signer.

Times on PostgreSQL are the server's, so what depends on a clock that is set uses the SQLite scene.
"""

from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

from sqlalchemy import inspect

from monitor.adapters.db.schema import metadata
from monitor.adapters.db.store import SqlStore
from monitor.adapters.db.triggers import STATEMENTS
from monitor.adapters.signing import LinkSigner
from monitor.domain.action import Action, Actor, Proposal, Verb
from monitor.domain.night import night_of
from monitor.domain.plan import NightPlan, ReviewPlan, Schedule, WritePlan
from monitor.domain.review import Choice
from monitor.domain.run import Run
from monitor.flow.review import IssuedLink, issue_link
from monitor.ports.jobs import NewRun
from monitor.ports.store import Unit
from monitor.ports.world import Clock

ANNA = "anna@example.com"
KEY = "a key that is long enough for a test of signing"
AT = datetime(2026, 11, 29, 6, 30, tzinfo=UTC)
BY_ANNA = Actor("cli", ANNA)


@dataclass
class SetClock:
    """A clock that a test moves."""

    at: datetime = AT

    def now(self) -> datetime:
        """Return the time that was set."""
        return self.at

    def forward(self, **spent: float) -> None:
        """Let time pass."""
        self.at += timedelta(**spent)


def opened(url: str, clock: Clock) -> SqlStore:
    """Return a store whose database has every table and trigger; one that has them already is left as it is."""
    store = SqlStore(url, clock)
    with store.writer.begin() as connection:
        if inspect(connection).has_table("runs"):
            return store
        metadata.create_all(connection)
        for statement in STATEMENTS[connection.dialect.name]:
            connection.exec_driver_sql(statement)
    return store


def a_run(unit: Unit, day: date = date(2026, 11, 29), competitors: tuple[str, ...] = ("acme",)) -> Run:
    """Begin the run of a date."""
    schedule = Schedule(zone="Europe/Berlin")
    budgets = dict.fromkeys(competitors, 12)
    run, _ = unit.runs.begin(NewRun(schedule, night_of(day, schedule), "manual", "catalogue", "plan", 0, budgets))
    return run


def a_proposal(sku: str = "A-1", old: str = "27.90", new: str = "26.90", **other: Any) -> Proposal:
    """Return a proposal of the night of 29 November."""
    given: dict[str, Any] = {
        "run_id": "nightly-2026-11-29",
        "channel": "shop",
        "title": f"Product {sku}",
        "currency": "EUR",
        "rule_id": "match-lowest",
        "words": "Acme has it for less.",
        "facts": {"cost": "12.50", "evidence": []},
        "expires_at": AT + timedelta(hours=48),
    }
    return Proposal(sku=sku, old_price=Decimal(old), new_price=Decimal(new), **(given | other))


def choice(action: Action, verb: Verb = Verb.APPROVE, **other: Any) -> Choice:
    """Return the choice of a person who saw this action as it is."""
    return Choice(action.id, action.version, action.content_hash, verb, **other)


@dataclass
class Scene:
    """What the tests of reviews start from."""

    url: str
    clock: SetClock = field(default_factory=SetClock)
    plan: NightPlan = field(
        default_factory=lambda: NightPlan(
            schedule=Schedule(zone="Europe/Berlin"), writes=WritePlan(enabled=True), review=ReviewPlan()
        )
    )
    signer: LinkSigner = field(default_factory=lambda: LinkSigner([KEY]))

    def __post_init__(self) -> None:
        assert self.clock.at != AT or self.url.startswith("sqlite"), "times on PostgreSQL are the server's: begin now"
        self.store = opened(self.url, self.clock)
        with self.store.write() as unit:
            self.run = a_run(unit)

    def review(self, **rules: Any) -> None:
        """Change how proposals are decided."""
        self.plan = replace(self.plan, review=replace(self.plan.review, **rules))

    def writes(self, **rules: Any) -> None:
        """Change how prices are written."""
        self.plan = replace(self.plan, writes=replace(self.plan.writes, **rules))

    def propose(self, *proposals: Proposal) -> tuple[Action, ...]:
        """Store proposals; by default one of A-1."""
        with self.store.write() as unit:
            return tuple(unit.actions.propose(proposal)[0] for proposal in proposals or (a_proposal(),))

    def link(self, recipient: str = ANNA, run_id: str | None = None, due_at: datetime | None = None) -> IssuedLink:
        """Issue the review link of a recipient, mailed at once unless told otherwise."""
        with self.store.write() as unit:
            return issue_link(unit, self.plan.review, run_id or self.run.id, recipient, due_at, signer=self.signer)

    def action(self, action_id: int) -> Action:
        """Return an action as it is now."""
        with self.store.read() as unit:
            found = unit.actions.get(action_id)
        assert found is not None
        return found

    def writes_of(self, action_id: int) -> list[str]:
        """Return the states of an action's writes."""
        with self.store.read() as unit:
            return [write.state.value for write in unit.writes.of_action(action_id)]

    def decisions_of(self, action_id: int) -> list[Verb]:
        """Return what was decided about an action."""
        with self.store.read() as unit:
            return [decision.verb for decision in unit.actions.decisions(action_id)]

    def close(self) -> None:
        """Close the connections."""
        self.store.close()

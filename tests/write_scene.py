"""Approved prices on their way to a shop: a store, a run, and time that a test lets pass.

PostgreSQL has a clock of its own that cannot be set, so time passes by moving what is stored into the past.
"""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from monitor.adapters.clock import SystemClock
from monitor.domain.action import Action, ActionState, Actor, PriceWrite, Verb, WriteState
from monitor.domain.message import Alert
from monitor.domain.plan import NightPlan, WritePlan
from monitor.flow.submit import Submitted, submit_due
from monitor.ports.shop import Shop
from tests.review_scene import a_proposal, a_run, opened

ANNA = Actor("cli", "anna@example.com")
LEASE = timedelta(seconds=120)


@dataclass
class WriteScene:
    """What the tests of writes start from; undo window zero, writes on."""

    url: str
    plan: NightPlan = field(default_factory=lambda: NightPlan(writes=WritePlan(enabled=True, undo_window=timedelta(0))))

    def __post_init__(self) -> None:
        self.clock = SystemClock()
        self.store = opened(self.url, self.clock)
        with self.store.write() as unit:
            a_run(unit)

    def writes(self, **rules: Any) -> None:
        """Change how prices are written."""
        self.plan = replace(self.plan, writes=replace(self.plan.writes, **rules))

    def approve(
        self, sku: str = "A-1", old: str = "27.90", new: str = "24.90", *, run: str | None = None, **other: Any
    ) -> PriceWrite:
        """Propose, approve and queue, as the review does."""
        other = {"expires_at": self.clock.now() + timedelta(hours=48)} | other
        proposal = a_proposal(sku, old, new, **other)
        with self.store.write() as unit:
            proposal = replace(proposal, run_id=run or proposal.run_id)
            action, _ = unit.actions.propose(proposal)
            assert unit.actions.decide(action, Verb.APPROVE, ANNA, batch=f"b{action.id}", reason=None, until=None)
            rules = self.plan.writes
            return unit.writes.queue(action, not_before=unit.now + rules.undo_window, dry_run=not rules.enabled)

    def another_night(self, day: int = 30) -> str:
        """Begin a later run and return its id."""
        with self.store.write() as unit:
            return a_run(unit, day=datetime(2026, 11, day).date()).id  # noqa: DTZ001 - only its date

    def submit(self, shop: Shop, **other: Any) -> tuple[Submitted, ...]:
        """Run one round."""
        return submit_due(self.store, shop, self.plan, "worker-1", self.clock, **other)

    def pass_time(self, **spent: float) -> None:
        """Let time pass for everything stored about writes."""
        micros = timedelta(**spent) // timedelta(microseconds=1)
        with self.store.writer.begin() as connection:
            for column in (
                "writes.not_before",
                "writes.lease_until",
                "write_attempts.started_at",
                "actions.expires_at",
            ):
                table, _, name = column.partition(".")
                connection.exec_driver_sql(f"UPDATE {table} SET {name} = {name} - {micros}")

    def write(self, write_id: str) -> PriceWrite:
        """Return a write as it is now."""
        with self.store.read() as unit:
            found = unit.writes.get(write_id)
        assert found is not None
        return found

    def state(self, write: PriceWrite) -> WriteState:
        """Return where a write is now."""
        return self.write(write.id).state

    def action(self, write: PriceWrite) -> Action:
        """Return the action of a write as it is now."""
        with self.store.read() as unit:
            found = unit.actions.get(write.action_id)
        assert found is not None
        return found

    def action_state(self, write: PriceWrite) -> ActionState:
        """Return where the action of a write is now."""
        return self.action(write).state

    def alerts(self) -> list[Alert]:
        """Return what was raised, oldest first."""
        with self.store.read() as unit:
            return sorted(unit.alerts.latest(100), key=lambda alert: alert.raised_at)

    def close(self) -> None:
        """Close the connections."""
        self.store.close()

"""A store with its tables, a begun run and a plan whose steps a test can watch: the scene of the durable core."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any

from monitor.adapters.db.store import SqlStore
from monitor.domain.night import night_of
from monitor.domain.plan import Schedule
from monitor.domain.run import Job, Run, Step
from monitor.durable import Call, Done, Ending, Finish, Incarnation, Plan, Slot, Tool, ToolContext, work
from monitor.ports.jobs import NewRun
from monitor.ports.store import Effect, Unit

DAY = date(2026, 11, 29)
SCHEDULE = Schedule(zone="Europe/Berlin")


@dataclass
class SetClock:
    """A clock that a test moves; PostgreSQL uses its server's instead."""

    at: datetime = field(default_factory=lambda: datetime.now(UTC))

    def now(self) -> datetime:
        """Return the time that was set."""
        return self.at

    def forward(self, **spent: float) -> None:
        """Let time pass."""
        self.at += timedelta(**spent)


def opened(url: str, clock: SetClock | None = None) -> SqlStore:
    """Return a store on a database that has its tables, as the fixture `migrated_url` gives it."""
    return SqlStore(url, clock or SetClock())


def begun(store: SqlStore, competitors: Mapping[str, int] | None = None, day: date = DAY) -> Run:
    """Begin the run of a day with one job per competitor."""
    budgets = {"acme": 12} if competitors is None else competitors
    with store.write() as unit:
        run, _ = unit.runs.begin(
            NewRun(SCHEDULE, night_of(day, SCHEDULE), "manual", "c", "p", 1000, budgets, timedelta(days=3650))
        )
    return run


def job_of(store: SqlStore, run: Run, key: str = "acme") -> Job:
    """Return a job as it is now."""
    with store.read() as unit:
        job = unit.jobs.find(run.id, key)
    assert job is not None
    return job


def steps_of(store: SqlStore, run: Run, key: str = "acme") -> tuple[Step, ...]:
    """Return a job's steps as they are now."""
    with store.read() as unit:
        return unit.jobs.steps(job_of(store, run, key).id)


@dataclass
class Counting:
    """A plan of so many steps, each calling `count`."""

    steps: int = 3
    cost: int = 1
    slot: Slot | None = None
    needs: bool = False

    def next(self, steps: Sequence[Step]) -> Call | Finish:
        """Ask for the next number."""
        if len(steps) == self.steps:
            return Finish()
        needs = self.steps - len(steps) if self.needs else None
        return Call("count", {"n": len(steps) + 1}, self.cost, self.slot, needs)

    def out_of_budget(self, steps: Sequence[Step], refused: Call) -> Finish:
        """Leave a note of what was refused."""

        def note(unit: Unit) -> None:
            unit.shops.learn("acme", "refused", refused.args["n"])

        return Finish(effects=[note])


@dataclass
class Counter:
    """The tool of `Counting`: remembers its calls and leaves an effect for each."""

    called: list[int] = field(default_factory=list)
    during: Callable[[int], None] = lambda _n: None

    def __call__(self, context: ToolContext, args: dict[str, Any]) -> Done:
        """Count."""
        n = int(args["n"])
        self.called.append(n)
        self.during(n)
        effect: Effect = lambda unit: unit.shops.learn("acme", f"step {n}", n)  # noqa: E731
        return Done({"n": n}, [effect], requests=2)


def worked(store: SqlStore, job: Job, plan: Plan, tool: Tool, me: Incarnation | None = None) -> Ending:
    """Work on a job as far as it goes."""

    def open_job(_unit: Unit, _job: Job) -> tuple[Plan, Mapping[str, Tool]]:
        return plan, {"count": tool}

    return work(job.id, store=store, me=me or Incarnation("test"), open_job=open_job)

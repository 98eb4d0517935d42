"""Runs one night in its own process, kills it in the middle when asked to, and reads in the database what happened."""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from monitor.demo.child import NightDied, kill, night_process, own_environment, quiet
from monitor.demo.facts import Crash, Held, Night, Proposed
from monitor.demo.market import MarketServer
from monitor.domain.extraction import Availability, Outcome
from monitor.domain.night import night_of
from monitor.domain.observation import Observation
from monitor.domain.plan import Schedule
from monitor.domain.run import ENDED, JobKind, JobState, Step, StepState
from monitor.ports.store import Unit
from monitor.web.look import run_status
from monitor.wiring import App, open_app

#: The shop whose page is on its way when the process is killed, and which of its pages.
KILL_SHOP, KILL_PAGE = "globex", 4
#: A night is given up after this long, in seconds.
_LONGEST_S = 90.0
_LOOK_S = 0.4
#: How long after it was due a simulated night begins.
_AFTER_DUE = timedelta(minutes=2)

#: Told how many competitors have ended, of how many.
Progress = Callable[[int, int], None]
#: Told where the process was when it was killed.
Killed = Callable[[Crash], None]


@dataclass(frozen=True, slots=True)
class Scene:
    """Where the nights happen."""

    directory: Path
    server: MarketServer
    schedule: Schedule

    def ahead(self, day: date, after: timedelta = _AFTER_DUE) -> timedelta:
        """Return how far a clock must be moved to show `after` past the time that day's night is due."""
        return night_of(day, self.schedule).due_at + after - datetime.now(UTC)

    def run(self, number: int, day: date, *, is_killed: bool, progress: Progress, killed: Killed) -> Night:
        """Run one night.

        Raises:
            NightDied: the process ended without a report.
        """
        began = time.monotonic()
        self.server.night = number
        ahead = self.ahead(day)  # one clock for the whole night: it must not go back when the process is started again
        app = open_app(self.directory, environ=own_environment(), role="demo", ahead=ahead)
        quiet()
        try:
            crash = self._interrupted(app, number, day, ahead, progress) if is_killed else None
            if crash is not None:
                killed(crash)
            self._to_its_end(app, number, day, ahead, progress)
            return _told(app, self.server, number, day, time.monotonic() - began, crash)
        finally:
            app.close()

    def _log(self, number: int) -> Path:
        return self.directory / "log" / f"night-{number}.log"

    def _to_its_end(self, app: App, number: int, day: date, ahead: timedelta, progress: Progress) -> None:
        log = self._log(number)
        with night_process(self.directory, ahead, log, own_environment()) as child:
            until = time.monotonic() + _LONGEST_S
            while child.poll() is None and time.monotonic() < until:
                progress(*_ended(app, day))
                time.sleep(_LOOK_S)
        if child.returncode != 0:
            raise NightDied(child.returncode, log)

    def _interrupted(self, app: App, number: int, day: date, ahead: timedelta, progress: Progress) -> Crash:
        """Start the night and kill its process while a page of one shop is on its way."""
        hold, log = self.server.hold(KILL_SHOP, KILL_PAGE), self._log(number)
        with night_process(self.directory, ahead, log, own_environment()) as child:
            until = time.monotonic() + _LONGEST_S
            while not hold.reached.wait(_LOOK_S):
                progress(*_ended(app, day))
                if child.poll() is not None or time.monotonic() > until:
                    raise NightDied(child.returncode or 1, log)
            kill(child)
        self.server.release()
        return _crash(app, self.server, number, day, child.pid)


def _ended(app: App, day: date) -> tuple[int, int]:
    with app.store.read() as unit:
        run = unit.runs.of_date(app.plan.schedule.name, day)
        jobs = [] if run is None else [job for job in unit.jobs.of_run(run.id) if job.kind is JobKind.COMPETITOR]
    return sum(job.state in ENDED for job in jobs), len(jobs)


def _crash(app: App, server: MarketServer, number: int, day: date, pid: int) -> Crash:
    """Read from the tables where the killed process was."""
    with app.store.read() as unit:
        run = unit.runs.of_date(app.plan.schedule.name, day)
        jobs = [] if run is None else [job for job in unit.jobs.of_run(run.id) if job.kind is JobKind.COMPETITOR]
        steps = {job.key: unit.jobs.steps(job.id) for job in jobs}
    interrupted = next((step for step in steps.get(KILL_SHOP, ()) if step.state is StepState.STARTED), None)
    hits = server.hits(number)
    finished = {url: hits[url] for each in steps.values() for step in each if hits[url := _finished_url(step)]}
    return Crash(
        pid=pid,
        shop=KILL_SHOP,
        step=interrupted.seq if interrupted else 0,
        url=str(interrupted.args.get("url", "")) if interrupted else "",
        ended=sum(job.state in ENDED for job in jobs),
        under_way=sum(job.state is JobState.RUNNING for job in jobs),
        finished=finished,
    )


def _finished_url(step: Step) -> str:
    """Return what a finished step asked for; empty when the plan may rightly ask for it once more."""
    is_final = step.state is StepState.DONE and not (step.result or {}).get("retry")
    return str(step.args.get("url", "")) if is_final else ""


def _told(app: App, server: MarketServer, number: int, day: date, seconds: float, crash: Crash | None) -> Night:
    status = run_status(app.store, f"{app.plan.schedule.name}-{day.isoformat()}")
    if status is None:
        raise LookupError(f"night {number}: no run of {day} is in the database")
    with app.store.read() as unit:
        seen = unit.observations.of_run(status.run)
        proposals = [action.proposal for action in unit.actions.of_run(status.run)]
        held = tuple(_held(unit, status.run))
        if crash is not None:
            crash = _resumed(unit, status.run, server, number, crash)
    return Night(
        number=number,
        day=day,
        seconds=seconds,
        status=status,
        watches=server.market.watches(),
        read=sum(one.outcome is Outcome.OK for one in seen),
        wrong=tuple(wrong for one in seen if (wrong := _wrong(server, number, one))),
        held=held,
        proposed=tuple(Proposed(each.sku, each.old_price, each.new_price) for each in proposals),
        crash=crash,
    )


def _held(unit: Unit, run_id: str) -> list[Held]:
    synthesis = unit.jobs.find(run_id, "")
    steps = unit.jobs.steps(synthesis.id) if synthesis else ()
    exceptions = [one for step in steps if step.result for one in step.result.get("exceptions", ())]
    return [Held(one["sku"], one["words"]) for one in exceptions if one["words"].startswith("held")]


def _resumed(unit: Unit, run_id: str, server: MarketServer, number: int, crash: Crash) -> Crash:
    """Complete a crash with what the second process did."""
    job = unit.jobs.find(run_id, crash.shop)
    steps = unit.jobs.steps(job.id) if job else ()
    again = next((step for step in steps if step.seq == crash.step), None)
    every = [step for each in unit.jobs.of_run(run_id) for step in unit.jobs.steps(each.id)]
    hits: Counter[str] = server.hits(number)
    return replace(
        crash,
        asked_again=tuple(url for url, until_then in crash.finished.items() if hits[url] > until_then),
        repeated=sum(step.attempts > 1 for step in every),
        resumed_at=again.seq if again and again.attempts > 1 and again.state is StepState.DONE else 0,
        starts=again.attempts if again else 0,
    )


def _wrong(server: MarketServer, number: int, seen: Observation) -> str | None:
    """Compare a reading with what the market showed; only a price can be wrong."""
    if seen.outcome is not Outcome.OK:
        return None
    shop = next(shop for shop in server.market.shops if shop.id == seen.competitor)
    shown = server.market.offer(seen.competitor, seen.sku, number)
    stock = Availability.IN_STOCK if shown.in_stock else Availability.OUT_OF_STOCK
    if (seen.price, seen.currency, seen.list_price, seen.availability) == (
        shown.price,
        shop.currency,
        shown.list_price,
        stock,
    ) and not shown.is_gone:
        return None
    return (
        f"{seen.competitor}/{seen.sku}: read {seen.price} {seen.currency} "
        f"(was {seen.list_price}, {seen.availability}), "
        f"the shop showed {shown.price} {shop.currency} (was {shown.list_price}, {stock.value})"
    )

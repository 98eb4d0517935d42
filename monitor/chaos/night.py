"""One night under a storm: workers are started, hit, and replaced until the report is there and approved."""

import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from monitor.chaos.market import PAGES
from monitor.chaos.memory import MARK
from monitor.chaos.place import name_night
from monitor.chaos.postgres import OwnPostgres
from monitor.chaos.storm import Blow, Storm, Timeline, Watch, caught, insist, kill, resume, would_starve
from monitor.chaos.worker import Nursery, Wish
from monitor.demo.market import MarketServer
from monitor.domain.action import Actor, Verb
from monitor.domain.extraction import Outcome
from monitor.domain.night import latest_due
from monitor.domain.observation import Observation
from monitor.domain.page import MissReason
from monitor.domain.review import Choice
from monitor.domain.run import RunState
from monitor.errors import RetryLater
from monitor.flow.review import decide
from monitor.wiring import App

#: A night that has no report after this long will not get one, in seconds.
PATIENCE_S = 120.0
#: A worker that has found no job after this long is struck all the same, in seconds.
LATEST_S = 5.0
#: How long a job that the last blow interrupted is watched, in seconds: on a busy machine a process starts slowly.
LAST_S = 30.0


@dataclass
class Scene:
    """Where the nights happen."""

    directory: Path
    environ: dict[str, str]
    app: App  #: of this process, to read and to decide; it works on nothing
    server: MarketServer
    nursery: Nursery
    timeline: Timeline
    workers: int
    series: str  #: part of every run's name, so that two chaos runs may share a database
    postgres: OwnPostgres | None = None  #: the server of this very run, which may be restarted
    pids: list[int] = field(default_factory=list)

    def start(self, storm: Storm, ahead_s: float = 0.0) -> int:
        """Start one more worker."""
        log = str(self.directory.with_name("workers.log"))
        pid = self.nursery.start(Wish(str(self.directory), log, self.environ, ahead_s, storm.bell))
        self.pids.append(pid)
        return pid

    def end(self, pid: int) -> None:
        """Kill a worker and wait for its end."""
        kill(pid)
        self.nursery.wait(pid)
        self.pids.remove(pid)

    def fallen(self) -> list[tuple[int, int]]:
        """Return the workers that ended by themselves since the last look, with their exit codes."""
        ended = [(pid, code) for pid in self.pids if (code := self.nursery.poll(pid)) is not None]
        for pid, _ in ended:
            self.pids.remove(pid)
        return ended

    def end_all(self) -> None:
        """Kill every worker."""
        for pid in list(self.pids):
            self.end(pid)


@dataclass(frozen=True, slots=True)
class Ended:
    """What one night came to."""

    run_id: str
    is_complete: bool
    kills: int
    resumed_after_s: tuple[float | None, ...]  #: for each interrupted job; None: nobody claimed it again
    lost: tuple[str, ...]  #: watches without the reading that the shop showed
    given_up: str = ""  #: why it could not even be watched to its end


class StormyNight:
    """Runs one night."""

    def __init__(self, scene: Scene, number: int, storm: Storm, *, patience_s: float = PATIENCE_S) -> None:
        self._scene, self._number, self._storm, self._patience_s = scene, number, storm, patience_s
        self._watch = Watch(scene.app.store)
        self._kills = 0
        self._hanging = ""
        self._trap: tuple[str, str] | None = None
        name = f"chaos-{scene.series}-{number:04}"
        name_night(scene.directory, name)
        schedule = replace(scene.app.plan.schedule, name=name)
        self._run_id = f"{name}-{latest_due(scene.app.clock.now(), schedule).local_date.isoformat()}"

    def run(self) -> Ended:
        """Run it to its report, or until patience ends; a database that stays away ends it too."""
        lost: tuple[str, ...] = ()
        try:
            is_complete, given_up = self._weather(), ""
            lost = insist(self._lost)
        except RetryLater as away:
            is_complete, given_up = False, str(away)
            self._scene.timeline.tell(f"given up: {away}")
        finally:
            self._scene.end_all()
        waited = tuple(each.resumed_after_s for each in self._watch.interrupted)
        return Ended(self._run_id, is_complete, self._kills, waited, lost, given_up)

    def _weather(self) -> bool:
        """Let everything happen that this night is to bring; say whether there is a report."""
        scene, storm = self._scene, self._storm
        scene.server.night = self._number
        shop = scene.server.market.shops[int(storm.hanging * len(scene.server.market.shops))]
        self._hanging = shop.id
        scene.server.hold(shop.id, storm.page)
        scene.timeline.tell(f"night {self._number}: {self._run_id}, {shop.id} hangs at page {storm.page}")
        self._set_trap()
        for _ in range(scene.workers):
            scene.start(storm)
        open_blows = len(storm.blows) - storm.sheltered
        self._hit(storm.blows[:open_blows], then=lambda: scene.server.hold(shop.id, 1))
        if storm.is_deaf:
            scene.timeline.tell("the broker forgets every message")
            scene.app.broker.flush_all()
        if storm.restart is not None and scene.postgres is not None:
            scene.timeline.tell("PostgreSQL crashes and comes back" if storm.restart else "PostgreSQL is restarted")
            scene.postgres.restart(crash=storm.restart, away_s=0.5)
        scene.server.release()
        self._hit(storm.blows[open_blows:], self._is_reported)
        is_complete = self._wait(self._patience_s, self._is_reported)
        if is_complete:
            insist(self._approve)
            self._hit(storm.blows[-1:], self._is_written)
            self._wait(2.0, self._is_written)
            self._wait(LAST_S, self._watch.is_over)
        scene.timeline.tell("reported" if is_complete else f"no report after {self._patience_s:.0f} s")
        scene.end_all()
        return is_complete

    def _hit(
        self,
        blows: tuple[Blow, ...],
        until: Callable[[], bool] = lambda: False,
        then: Callable[[], object] = lambda: None,
    ) -> None:
        for blow in blows:
            if not blow.is_eager:
                self._wait(LATEST_S, lambda: until() or bool(self._busy()))
            if self._wait(blow.after_s, until):
                return
            chosen = self._scene.pids if blow.is_eager else self._busy() or self._scene.pids
            self._strike(blow, chosen[int(blow.victim * len(chosen))])
            then()  # the hanging shop hangs for whoever asks it next, too

    def _set_trap(self) -> None:
        """Let one page of another shop than the hanging one take all memory."""
        server = self._scene.server
        others = [(shop, sku) for shop, offers in server.market.rest.items() for sku in offers if shop != self._hanging]
        server.notes.clear()
        if self._storm.greedy is not None and others:
            self._trap = others[int(self._storm.greedy * len(others))]
            server.notes[self._trap] = MARK
            self._scene.timeline.tell(f"the page of {self._trap[1]} at {self._trap[0]} takes all memory")

    def _wait(self, seconds: float, until: Callable[[], bool]) -> bool:
        """Wait, and replace every worker that dies meanwhile by itself, as a supervisor does."""
        return self._watch.wait(seconds, lambda: self._replace_fallen() or until())

    def _replace_fallen(self) -> bool:
        for pid, code in self._scene.fallen():
            jobs = insist(partial(self._watch.running, self._run_id, pid))
            self._watch.killed(jobs)
            self._scene.timeline.tell(f"{pid} ended by itself with {code}, {len(jobs)} jobs with it")
            self._kills += code == -signal.SIGKILL
            self._scene.start(self._storm)
        return False

    def _busy(self) -> list[int]:
        """Return the workers that work on a job of this night."""
        return [pid for pid in self._scene.pids if insist(partial(self._watch.running, self._run_id, pid))]

    def _strike(self, blow: Blow, pid: int) -> None:
        scene = self._scene
        jobs = caught(pid, partial(self._watch.running, self._run_id, pid))
        on = ", ".join(f"{job.key or 'synthesis'}#{job.next_seq}" for job in jobs) or "no job"
        if not blow.is_kill:
            scene.timeline.tell(f"SIGSTOP {pid} for {blow.stopped_s:.2f} s, on {on}")
            self._watch.wait(blow.stopped_s)
            resume(pid)
            return
        if would_starve(jobs, PAGES, deaths_to_come=2 if self._trap else 0):
            scene.timeline.tell(f"spared {pid}: another try would spend the budget, on {on}")
            resume(pid)
            return
        scene.timeline.tell(f"SIGKILL {pid}, on {on}")
        self._watch.killed(jobs)
        scene.end(pid)
        self._kills += 1
        scene.start(self._storm)

    def _is_reported(self) -> bool:
        with suppress(RetryLater), self._scene.app.store.read() as unit:
            run = unit.runs.get(self._run_id)
            return run is not None and run.state is RunState.REPORTED
        return False

    def _is_written(self) -> bool:
        with suppress(RetryLater), self._scene.app.store.read() as unit:
            return not any(action.state.value in OPEN for action in unit.actions.of_run(self._run_id))
        return False

    def _approve(self) -> None:
        """Approve every proposal, twice at the same time."""
        app = self._scene.app
        with app.store.read() as unit:
            actions = unit.actions.of_run(self._run_id)
        choices = [Choice(one.id, one.version, one.content_hash, Verb.APPROVE, None) for one in actions]
        self._scene.timeline.tell(f"approved twice: {len(choices)} proposals")
        if choices:
            with ThreadPoolExecutor(2) as pool:
                both = [
                    pool.submit(decide, app.store, app.plan, Actor("cli", who), choices) for who in ("anna", "boris")
                ]
            for each in both:
                each.result()

    def _lost(self) -> tuple[str, ...]:
        """Return the watches whose reading is not what their shop showed.

        A shop that hangs longer than we wait shows silence; where the blows took that long, this was read right.
        So it is when a page that kills its reader is given up after it did so alone.
        """
        market = self._scene.server.market
        with self._scene.app.store.read() as unit:
            seen = {(one.competitor, one.sku): one for one in unit.observations.of_run(self._run_id)}
        lost = []
        for shop, offers in market.rest.items():
            for sku in offers:
                one = seen.get((shop, sku))
                shown = market.offer(shop, sku, self._number).price
                if one is not None and self._is_excused(one):
                    continue
                if one is None or one.outcome is not Outcome.OK or one.price != shown:
                    found = "no reading" if one is None else f"{one.outcome} {one.price}, {one.words}"
                    lost.append(f"{shop}/{sku}: {found}, the shop showed {shown}")
        return tuple(lost)

    def _is_excused(self, one: Observation) -> bool:
        """Say whether silence was read for what it was: of the hanging shop, or of the page that takes all memory."""
        if one.competitor == self._hanging and one.reason == MissReason.DEADLINE.value:
            return True
        return (one.competitor, one.sku) == self._trap and one.reason == "step_failed" and "run alone" in one.words


#: States of an action that something is still to happen to.
OPEN = frozenset({"approved", "executing", "unknown"})

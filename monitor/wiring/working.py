"""The threads of a working process: heartbeat, sweep, errands and, embedded, the workers themselves."""

import os
import socket
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from datetime import date, timedelta

import structlog

from monitor.adapters.broker import EmbeddedWorker, StandIn
from monitor.adapters.liveness import OneWorker
from monitor.domain.durability import Cause
from monitor.domain.run import ENDED_RUN, Run
from monitor.errors import RetryLater, StoreUnavailable
from monitor.flow.retain import retain_hourly
from monitor.flow.sweep import LIMIT
from monitor.wiring.app import App
from monitor.wiring.interpreter import trim, tuned
from monitor.wiring.leaving import leaving_on_sigterm

_log = structlog.get_logger("monitor")

#: How often a working process sweeps, in seconds.
SWEEP_S = 1.0
#: How often a process that works gives back the memory that lies free, in seconds.
TRIM_S = 1.0
#: How long an errand under way may take to end, in seconds: a mail that is cut off is held and costs a person's time.
_GOODBYE_S = 20.0
#: How long a night that a person began waits for its database, in seconds.
MOST_AWAY_S = 120.0
#: How often it asks whether something may be removed; the database decides that it happens once an hour.
RETAIN_S = 300.0


class Working:
    """A process at work, from `start` to `stop`.

    Args:
        app: what it works with.
        threads: worker threads in this process; 0 when Dramatiq's own worker has them, or when this is no worker.
        stands_in: work on due jobs without being rung for while the broker cannot be reached.
    """

    def __init__(self, app: App, *, threads: int = 0, stands_in: bool = False) -> None:
        self._app = app
        self._threads = threads
        self._worker = EmbeddedWorker(app.broker, threads) if threads else None
        self._stand_in = StandIn(app.work, app.settings.worker.threads, _unworked) if stands_in else None
        self._one = OneWorker(app.settings.storage.path) if app.settings.storage.is_embedded else None
        self._stopped = threading.Event()
        self._background: list[threading.Thread] = []
        self._works = bool(threads) or stands_in
        self._untuned: Callable[[], None] = lambda: None

    def start(self) -> None:
        """Register this incarnation and start its threads.

        Raises:
            Misconfigured: embedded, and another process works on the same file.
        """
        if self._one is not None:
            self._one.take()
        app = self._app
        if self._works:
            self._untuned = tuned()
        if self._stand_in is not None:
            app.settings.shelf.put_away()  # a worker of many works on what runs froze, and begins none
        self._register()
        app.sweep()
        self._spawn("heartbeat", lambda: app.me.beat_forever(app.store, _failed))
        self._spawn("sweep", lambda: self._every(SWEEP_S, self.sweep))
        self._spawn("errands", lambda: self._every(SWEEP_S, app.errands))
        if self._works:
            self._spawn("trim", lambda: self._every(TRIM_S, trim))
        self._spawn("retention", lambda: self._every(RETAIN_S, self.retain))
        if self._worker is not None:
            self._worker.start()
        _log.info("working", role=app.me.role, worker=app.me.id, threads=self._threads)

    def _spawn(self, name: str, body: Callable[[], None]) -> None:
        thread = threading.Thread(target=body, name=name, daemon=True)
        thread.start()
        self._background.append(thread)

    def _every(self, seconds: float, part: Callable[[], object]) -> None:
        while not self._stopped.wait(seconds):
            try:
                part()
            except Exception as failed:  # a defect must not end the sweep of a whole night
                _failed(failed)

    def sweep(self) -> None:
        """Sweep once, after making sure that others still see us alive."""
        app = self._app
        if not app.liveness.is_held_by_us(app.me.id) and app.liveness.outlived_restart(app.me.id):
            with app.store.write() as unit:
                unit.workers.heartbeat(app.me.id)  # from now on our lock tells again whether we live
        if not app.liveness.is_held_by_us(app.me.id) or not self._is_known():
            self._register(app.me.begin_another_life())  # others take us for dead, or did
        app.sweep()
        if self._stand_in is not None and app.bell.is_unheard and not app.me.is_stopping:
            with app.store.read() as unit:
                due = unit.jobs.due(LIMIT, silent_for=timedelta(0))
            self._stand_in.take(due)

    def retain(self) -> None:
        """Remove what is past its age, unless it is a busy hour or another process did."""
        app = self._app
        done = retain_hourly(app.store, app.settings.retention, app.plan.schedule.zone, app.me.id)
        if done is not None and any(done.removed.values()):
            _log.info("retained", **{kind.value: count for kind, count in done.removed.items()})

    def _is_known(self) -> bool:
        """Say whether this life is still written down, so that nobody has given it up."""
        app = self._app
        with app.store.read() as unit:
            return any(row.id == app.me.id for row in unit.workers.all())

    def _register(self, former: str | None = None) -> None:
        """Take the lock of this life, write it down, and free at once what a former life had claimed."""
        app = self._app
        app.liveness.hold(app.me.id)
        with app.store.write() as unit:
            if former is not None:
                freed = unit.jobs.recover_from(former, Cause.ANOTHER_LIFE)
                unit.workers.remove(former)
                _log.warning("another_life", former=former, worker=app.me.id, jobs=freed)
            unit.workers.register(app.me.id, app.me.role, socket.gethostname(), os.getpid())

    def drain(self) -> None:
        """Ask every job to be given back at its next checkpoint; returns at once."""
        self._app.me.drain()

    def stop(self) -> None:
        """Drain, wait for the steps under way and end the threads."""
        self.drain()
        if self._worker is not None:
            self._worker.stop()
        self._stopped.set()
        if self._stand_in is not None:
            self._stand_in.stop()
        for thread in self._background:
            thread.join(timeout=_GOODBYE_S)
        app = self._app
        with suppress(RetryLater), app.store.write() as unit:
            unit.workers.remove(app.me.id)
        app.liveness.forget(app.me.id)
        if self._one is not None:
            self._one.release()
        self._untuned()


def _unworked(error: Exception) -> None:
    _log.error("job_abandoned", words=str(error))


def _failed(error: Exception) -> None:
    if isinstance(error, RetryLater):
        _log.warning("store_unavailable", words=str(error))
    else:
        _log.error("background_failed", exc_info=error)


def run_night(
    app: App,
    day: date | None = None,
    *,
    again: bool = False,
    on_tick: Callable[[Run], None] = lambda _run: None,
    tick_s: float = 0.1,
) -> Run:
    """Run or resume one night to its end in this process and return it; embedded mode.

    Raises:
        Misconfigured: another process works on this database file, or the night has nothing to visit.
        StoreUnavailable: the database was away when it began, or for two minutes on end since.
        KeyboardInterrupt: SIGINT or SIGTERM; the jobs under way were given back and resume next time.
    """
    working = Working(app, threads=app.settings.worker.threads)
    with ExitStack() as leaving:
        leaving.enter_context(leaving_on_sigterm())
        leaving.callback(working.stop)
        working.start()
        run = app.begin("manual", day, again=again)
        answered_at = time.monotonic()
        while run.state not in ENDED_RUN:
            try:
                run = _looked_at(app, run, on_tick, tick_s)
                answered_at = time.monotonic()
            except StoreUnavailable:  # told by the threads that work, which go on when it is back
                if time.monotonic() - answered_at > MOST_AWAY_S:
                    raise
        on_tick(run)
        app.errands()
        return run


def _looked_at(app: App, run: Run, on_tick: Callable[[Run], None], tick_s: float) -> Run:
    on_tick(run)
    time.sleep(tick_s)
    with app.store.read() as unit:
        return unit.runs.get(run.id) or run

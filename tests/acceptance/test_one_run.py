"""A night begun by whoever and however often is one run."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from monitor.adapters.db.migrate import migrate
from monitor.domain.run import Run
from monitor.wiring import App, open_app
from tests.acceptance.programs import CHECKOUT, Place, counted, last_night, place_for, until
from tests.core_scene import SetClock
from tests.market import Market

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """A config directory for a market of two shops, in Berlin."""
    with Market(shops=2, pages=2) as market, place_for(market, tmp_path) as made:
        made.set("monitor.toml", "zone", '"Europe/Berlin"')
        yield made


def test_two_schedulers_that_start_together_begin_one_run(place: Place, postgres_url: str, redis_url: str) -> None:
    """Both find the owed night at their start; the database lets one begin it."""
    migrate(postgres_url)
    place.env |= {"MONITOR_DATABASE_URL": postgres_url, "MONITOR_REDIS_URL": redis_url}
    place.set("monitor.toml", "catch_up_h", "24")
    command = (sys.executable, str(CHECKOUT / "scheduler.py"))
    both = [place.start_command(*command) for _ in range(2)]

    with place.store() as store:

        def schedulers() -> int:
            with store.read() as unit:
                return len(unit.workers.all())

        until(lambda: schedulers() == 2 and counted(store, "runs")["runs"], beside=both[0])
        for program in both:
            program.terminate()
        assert [program.wait() for program in both] == [0, 0], [program.log for program in both]
        night = last_night(store)
        assert counted(store, "runs", "jobs", "workers") == {"runs": 1, "jobs": 2, "workers": 0}
    assert night.run.origin == "schedule"
    assert not any("Traceback" in program.log for program in both), [program.log for program in both]


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_the_hour_that_comes_twice_begins_one_run(place: Place, kind: str, request: pytest.FixtureRequest) -> None:
    """In Berlin 02:00 strikes twice on 25 October 2026; two schedulers are asked by every trigger of both hours."""
    environ = dict(place.environment)
    if kind == "postgresql":
        environ["MONITOR_DATABASE_URL"] = request.getfixturevalue("postgres_url")
        environ["MONITOR_REDIS_URL"] = request.getfixturevalue("redis_url")
        migrate(environ["MONITOR_DATABASE_URL"])
    first, second = (open_app(place.config, environ=environ) for _ in range(2))
    clock = SetClock(datetime(2026, 10, 24, 23, 50, tzinfo=UTC))  # 01:50 in Berlin, summer time
    runs: list[Run] = []
    with ThreadPoolExecutor(2) as pool:
        for _ in range(27):  # until 02:20 winter time, every five minutes
            runs += [run for run in pool.map(lambda app: _asked(app, clock), (first, second)) if run is not None]
            clock.forward(minutes=5)
    with first.store.read() as unit:
        stored = unit.runs.latest(10)
    for app in (first, second):
        app.close()

    assert [run.local_date for run in stored if run.local_date == date(2026, 10, 25)] == [date(2026, 10, 25)]
    berlin = {run.id for run in runs}
    assert "nightly-2026-10-25" in berlin
    assert berlin <= {"nightly-2026-10-24", "nightly-2026-10-25"}
    night = next(run for run in stored if run.local_date == date(2026, 10, 25))
    assert night.due_at == datetime(2026, 10, 25, 0, 0, tzinfo=UTC), "the first of the two"
    assert night.deadline_at - night.due_at >= timedelta(hours=4, minutes=30)


def _asked(app: App, clock: SetClock) -> Run | None:
    """Ask for the owed night as the trigger does, at the time of a clock that is set."""
    return replace(app, clock=clock).begin_owed()

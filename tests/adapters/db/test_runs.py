"""Nights as rows: one per schedule and date, closed once, their synthesis started once; on both databases."""

import threading
from dataclasses import replace
from datetime import date, timedelta

import pytest

from monitor.adapters.db.store import SqlStore
from monitor.domain.night import night_of
from monitor.domain.plan import Schedule
from monitor.domain.run import JobKind, RunState
from monitor.ports.jobs import NewRun
from monitor.ports.store import Unit
from tests.core_scene import DAY, SCHEDULE, begun


def new_run(schedule: Schedule = SCHEDULE, day: date = DAY) -> NewRun:
    return NewRun(schedule, night_of(day, schedule), "manual", "c", "p", 1000, {"acme": 12})


def test_a_run_is_one_per_schedule_and_date(store: SqlStore) -> None:
    noon = replace(SCHEDULE, name="noon")
    with store.write() as unit:
        first, is_new = unit.runs.begin(new_run())
        again, is_new_again = unit.runs.begin(replace(new_run(), origin="api", competitors={"globex": 3}))
        other, _ = unit.runs.begin(new_run(noon))

    assert (is_new, is_new_again) == (True, False)
    assert again == first
    assert (first.id, other.id) == ("nightly-2026-11-29", "noon-2026-11-29")
    with store.read() as unit:
        assert [job.key for job in unit.jobs.of_run(first.id)] == ["acme"]
        assert unit.runs.of_date("noon", DAY) == other
        assert unit.runs.of_date("noon", DAY + timedelta(days=1)) is None
        assert unit.runs.get("nobody") is None


def test_a_run_keeps_what_it_was_begun_with(store: SqlStore) -> None:
    with store.write() as unit:
        run, _ = unit.runs.begin(new_run())
        now = unit.now

    night = night_of(DAY, SCHEDULE)
    assert (run.local_date, run.zone, run.origin, run.due_at) == (DAY, "Europe/Berlin", "manual", night.due_at)
    assert (run.catalogue_hash, run.settings_hash, run.open_jobs, run.partial) == ("c", "p", 1, False)
    assert run.deadline_at == max(night.deadline_at, now)
    assert (run.started_at, run.ended_at) == (now, None)


def test_a_night_that_breaks_off_while_it_begins_leaves_nothing(store: SqlStore) -> None:
    def break_off(unit: Unit) -> None:
        unit.runs.begin(new_run())
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), store.write() as unit:
        break_off(unit)

    with store.read() as unit:
        assert unit.runs.latest() == ()
        assert unit.jobs.of_run("nightly-2026-11-29") == ()


def test_the_latest_runs_are_those_of_the_latest_dates(store: SqlStore) -> None:
    for offset in (2, 0, 1):
        begun(store, day=DAY + timedelta(days=offset))

    with store.read() as unit:
        assert [run.local_date.day for run in unit.runs.latest(2)] == [1, 30]


def test_the_synthesis_is_started_once_by_eight_at_once(store: SqlStore) -> None:
    run = begun(store)
    barrier, started = threading.Barrier(8), []

    def start() -> None:
        barrier.wait()
        with store.write() as unit:
            started.append(unit.runs.start_synthesis(run.id, partial=True))

    threads = [threading.Thread(target=start) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert started.count(True) == 1
    with store.read() as unit:
        kinds = [job.kind for job in unit.jobs.of_run(run.id)]
    assert kinds == [JobKind.COMPETITOR, JobKind.SYNTHESIS]


def test_open_runs_are_the_unfinished_ones_oldest_first(store: SqlStore) -> None:
    collecting = begun(store, day=DAY + timedelta(days=2))
    waiting = begun(store, {}, day=DAY)
    reported = begun(store, {}, day=DAY + timedelta(days=1))
    with store.write() as unit:
        unit.runs.close(reported.id, RunState.REPORTED)

    with store.read() as unit:
        assert [run.id for run in unit.runs.open()] == [waiting.id, collecting.id]


def test_a_run_is_closed_once_and_only_when_it_is_synthesising(store: SqlStore) -> None:
    early, run = begun(store, day=DAY), begun(store, {}, day=DAY + timedelta(days=1))
    with store.write() as unit:
        unit.runs.close(early.id, RunState.REPORTED)
        unit.runs.close(run.id, RunState.REPORTED)
        unit.runs.close(run.id, RunState.FAILED)

    with store.read() as unit:
        before, after = unit.runs.get(early.id), unit.runs.get(run.id)
    assert before is not None
    assert after is not None
    assert (before.state, before.ended_at) == (RunState.COLLECTING, None)
    assert after.state is RunState.REPORTED
    assert after.ended_at is not None

"""What crashes cost, counted from the tables; on both databases."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import update

from monitor.adapters.clock import SystemClock
from monitor.adapters.db import schema
from monitor.adapters.db.store import SqlStore
from monitor.domain.budget import crossed
from monitor.domain.durability import Cause, Counted, durability_json, measured, percentile
from monitor.domain.night import again_name, night_of
from monitor.domain.run import Run, RunState
from monitor.ports.jobs import NewRun
from tests.core_scene import DAY, SCHEDULE, Counter, Counting, SetClock, begun, job_of, opened, worked


class Killed(BaseException):
    """Stands for SIGKILL."""


@pytest.fixture
def store(migrated_url: str) -> Iterator[SqlStore]:
    made = SqlStore(migrated_url, SystemClock())
    yield made
    made.close()


def interrupted(store: SqlStore, run: Run) -> None:
    """Die in the second step of acme's job, and have it seen."""

    def die(n: int) -> None:
        if n == 2:
            raise Killed

    with pytest.raises(Killed):
        worked(store, job_of(store, run), Counting(), Counter(during=die))
    owner = job_of(store, run).owner
    assert owner is not None
    with store.write() as unit:
        unit.jobs.recover_from(owner, Cause.DIED)


def ended(store: SqlStore, run: Run, state: RunState) -> None:
    """End a run, in whatever state it is."""
    with store.write() as unit:
        unit.tx.run(update(schema.runs).where(schema.runs.c.id == run.id).values(state=state))


def reported(store: SqlStore, run: Run) -> None:
    """End a run with its report."""
    ended(store, run, RunState.REPORTED)


def once_more(store: SqlStore, times: int) -> Run:
    """Begin the night again, as `monitor run --again` does."""
    plan = replace(SCHEDULE, name=again_name(SCHEDULE.name, times))
    with store.write() as unit:
        run, _ = unit.runs.begin(NewRun(plan, night_of(DAY, plan), "again", "c", "p", 1000, {}, timedelta(days=3650)))
    return run


def counted(store: SqlStore, run: Run | None = None) -> Counted:
    """Count over one run or all."""
    with store.read() as unit:
        return unit.metrics.counted(since=None, run_id=run.id if run else None)


def test_without_a_crash_nothing_was_lost_or_doubled(store: SqlStore) -> None:
    run = begun(store)
    worked(store, job_of(store, run), Counting(), Counter())
    reported(store, run)

    assert durability_json(measured(counted(store))) == {
        "resumption_success": 1.0,
        "duplicate_action_rate": 0.0,
        "completion_rate": 1.0,
        "time_to_resume_p50_s": None,
        "time_to_resume_p95_s": None,
        "nights": 1,
    }


def test_a_job_that_was_taken_up_again_counts_as_resumed(store: SqlStore) -> None:
    run = begun(store)
    interrupted(store, run)
    worked(store, job_of(store, run), Counting(), Counter())
    reported(store, run)

    found = counted(store, run)

    assert (found.interruptions, found.resumed, len(found.waits)) == (1, 1, 1)
    assert timedelta(0) <= found.waits[0] < timedelta(seconds=30)


def test_a_job_that_nobody_took_up_does_not(store: SqlStore) -> None:
    run = begun(store)
    interrupted(store, run)
    assert counted(store).interruptions == 0  # the night goes on, so it may still be
    reported(store, run)

    assert measured(counted(store)).resumption_success == 0


def test_a_night_past_its_deadline_without_a_report_is_not_complete(store: SqlStore) -> None:
    run = begun(store)
    assert counted(store).nights == 0
    with store.write() as unit:
        past = unit.now - timedelta(minutes=1)
        unit.tx.run(update(schema.runs).where(schema.runs.c.id == run.id).values(deadline_at=past))

    assert measured(counted(store)).completion_rate == 0


def test_the_wait_begins_with_the_last_sign_of_life_when_nobody_was_there_to_see_the_death(
    own_sqlite_url: str,
) -> None:
    """The only process died at 02:10 and was started again at 05:00: that took hours, not a second."""
    clock = SetClock()
    store = opened(own_sqlite_url, clock)
    run = begun(store)

    def die(n: int) -> None:
        if n == 2:
            raise Killed

    with pytest.raises(Killed):
        worked(store, job_of(store, run), Counting(), Counter(during=die))
    clock.forward(hours=3)
    worked(store, job_of(store, run), Counting(), Counter())

    assert counted(store, run).waits == (timedelta(hours=3),)
    store.close()


@given(st.lists(st.integers(0, 10_000), min_size=1), st.integers(1, 100))
def test_a_percentile_is_one_of_the_waits_and_enough_do_not_pass_it(seconds: list[int], percent: int) -> None:
    waits = [timedelta(seconds=each) for each in seconds]

    found = percentile(waits, percent)

    assert found in waits
    assert sum(wait <= found for wait in waits) * 100 >= percent * len(waits)
    assert sum(wait < found for wait in waits) * 100 < percent * len(waits)


def test_rates_are_exact() -> None:
    assert measured(Counted(interruptions=3, resumed=2)).resumption_success == Fraction(2, 3)


@pytest.mark.parametrize(
    ("before", "after", "limit", "levels"),
    [
        (9, 10, 12, (80,)),  # 83 %
        (8, 9, 12, ()),  # 75 %
        (10, 11, 12, ()),
        (11, 12, 12, (100,)),
        (0, 2, 2, (80, 100)),
        (0, 0, 0, ()),
    ],
)
def test_each_level_of_a_budget_is_crossed_once(before: int, after: int, limit: int, levels: tuple[int, ...]) -> None:
    assert crossed(before, after, limit) == levels


@given(st.integers(1, 500), st.lists(st.integers(1, 50), max_size=50))
def test_no_way_of_spending_skips_or_repeats_a_level(limit: int, calls: list[int]) -> None:
    told: list[int] = []
    spent = 0
    for cost in calls:
        if spent + cost > limit:
            break
        told += crossed(spent, spent + cost, limit)
        spent += cost

    assert told == [level for level in (80, 100) if spent * 100 >= level * limit and spent]


def test_a_night_that_was_run_once_more_is_one_night(store: SqlStore) -> None:
    """Twenty tries of a recipe in one evening were twenty more nights with a report, and hid the one without."""
    ended(store, begun(store, day=DAY + timedelta(days=1)), RunState.FAILED)
    reported(store, begun(store))
    for times in (2, 3):
        reported(store, once_more(store, times))

    assert (counted(store).nights, counted(store).completed) == (2, 1)


def test_a_night_that_failed_has_a_report_once_it_was_run_again(store: SqlStore) -> None:
    ended(store, begun(store), RunState.FAILED)
    reported(store, once_more(store, 2))

    assert (counted(store).nights, counted(store).completed) == (1, 1)

"""A night begins once, whoever asks, and keeps what it began with; on both databases."""

import threading
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest

from monitor.adapters.db.store import SqlStore
from monitor.domain.catalogue import Catalogue, MatchState
from monitor.domain.observation import OWN
from monitor.domain.plan import Budgets, NightPlan, Schedule
from monitor.domain.run import JobKind, JobState, Run, RunState
from monitor.domain.snapshot import catalogue_from_json, plan_from_json
from monitor.flow.begin import GRACE, NobodyToVisit, NothingToVisit, NotThisNight, begin, check_day, tell_idle
from tests.core_scene import SetClock
from tests.nights import a_catalogue

BERLIN = NightPlan(schedule=Schedule(zone="Europe/Berlin"))
DAY = date(2026, 11, 29)


def frozen(store: SqlStore, run: Run) -> tuple[NightPlan, Catalogue]:
    with store.read() as unit:
        plan, catalogue = unit.blobs.get(run.settings_hash), unit.blobs.get(run.catalogue_hash)
    assert plan is not None
    assert catalogue is not None
    return plan_from_json(plan.decode()), catalogue_from_json(catalogue.decode())


def test_a_night_has_one_job_for_each_enabled_competitor_with_a_watch(store: SqlStore) -> None:
    catalogue = a_catalogue(competitors=("acme", "globex", "hooli", "initech"))
    off, said_no = catalogue.competitors[2], "initech"
    shops = tuple(replace(shop, enabled=shop.id != off.id, tool_calls=7) for shop in catalogue.competitors)
    watches = tuple(
        replace(watch, match=MatchState.REJECTED if watch.competitor == said_no else watch.match)
        for watch in catalogue.watches
        if watch.competitor != "globex"
    )

    run, is_new = begin(store, BERLIN, replace(catalogue, competitors=shops, watches=watches), origin="manual", day=DAY)

    with store.read() as unit:
        jobs = unit.jobs.of_run(run.id)
    assert is_new
    assert [(job.key, job.kind, job.state, job.calls_limit) for job in jobs] == [
        ("acme", JobKind.COMPETITOR, JobState.QUEUED, 7)
    ]
    assert (run.id, run.state, run.open_jobs, run.origin) == (
        "nightly-2026-11-29",
        RunState.COLLECTING,
        1,
        "manual",
    )


def test_eight_who_begin_at_once_get_one_run(store: SqlStore) -> None:
    barrier, answers = threading.Barrier(8), []
    catalogue = a_catalogue(skus=("A", "B"), competitors=("acme", "globex"))

    def ask() -> None:
        barrier.wait()
        answers.append(begin(store, BERLIN, catalogue, origin="schedule", day=DAY))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len({run for run, _ in answers}) == 1
    assert sorted(is_new for _, is_new in answers) == [False] * 7 + [True]
    with store.read() as unit:
        assert [job.key for job in unit.jobs.of_run(answers[0][0].id)] == ["acme", "globex"]
        assert len(unit.observations.spans("A", OWN)) == 1


def test_the_hour_that_comes_twice_begins_one_run(timed: SqlStore, clock: SetClock) -> None:
    """In Berlin 02:00 strikes twice on 25 October 2026; the trigger fires both times."""
    clock.at = datetime(2026, 10, 25, 0, 0, tzinfo=UTC)  # 02:00 CEST
    first, is_new = begin(timed, BERLIN, a_catalogue(), origin="schedule")
    clock.at = datetime(2026, 10, 25, 1, 0, tzinfo=UTC)  # 02:00 CET
    second, is_new_again = begin(timed, BERLIN, a_catalogue(), origin="schedule")

    assert (first, is_new, is_new_again) == (second, True, False)
    assert first.local_date == date(2026, 10, 25)
    assert first.due_at == datetime(2026, 10, 25, 0, 0, tzinfo=UTC)


def test_without_a_date_the_latest_due_night_is_begun(timed: SqlStore, clock: SetClock) -> None:
    clock.at = datetime(2026, 11, 29, 0, 59, tzinfo=UTC)  # 01:59 in Berlin, so the night of the 28th
    before, _ = begin(timed, BERLIN, a_catalogue(), origin="manual")
    clock.forward(minutes=1)
    after, _ = begin(timed, BERLIN, a_catalogue(), origin="manual")

    assert (before.local_date, after.local_date) == (date(2026, 11, 28), date(2026, 11, 29))


def test_a_run_begun_after_its_deadline_still_gets_its_time(timed: SqlStore, clock: SetClock) -> None:
    clock.at = datetime(2026, 11, 29, 14, 0, tzinfo=UTC)
    late, _ = begin(timed, BERLIN, a_catalogue(), origin="manual")
    clock.at = datetime(2026, 11, 30, 1, 0, tzinfo=UTC)
    in_time, _ = begin(timed, BERLIN, a_catalogue(), origin="schedule")

    assert late.deadline_at == datetime(2026, 11, 29, 14, 0, tzinfo=UTC) + GRACE
    assert in_time.deadline_at == datetime(2026, 11, 30, 4, 30, tzinfo=UTC)


def test_an_edit_changes_the_next_night_and_not_the_one_under_way(store: SqlStore) -> None:
    before = a_catalogue(skus=("A",), competitors=("acme",))
    after = a_catalogue(skus=("A", "B"), competitors=("acme", "globex"))
    dearer = replace(BERLIN, budgets=Budgets(tokens=5), rules="# other")
    first, _ = begin(store, BERLIN, before, origin="schedule", day=DAY)

    again, is_new = begin(store, dearer, after, origin="api", day=DAY)
    following, _ = begin(store, dearer, after, origin="schedule", day=DAY + timedelta(days=1))

    assert (again, is_new) == (first, False)
    assert frozen(store, first) == (BERLIN, before)
    assert frozen(store, following) == (dearer, after)


def test_equal_nights_share_what_they_froze(store: SqlStore) -> None:
    runs = [begin(store, BERLIN, a_catalogue(), origin="schedule", day=DAY + timedelta(days=n))[0] for n in range(2)]

    assert runs[0].catalogue_hash == runs[1].catalogue_hash
    assert runs[0].settings_hash == runs[1].settings_hash


@pytest.mark.parametrize("missing", ["watches", "competitors"])
def test_a_night_with_nobody_to_visit_is_refused_and_not_used_up(store: SqlStore, missing: str) -> None:
    with pytest.raises(NothingToVisit, match=r"night of 2026-11-29 has nothing to visit.*watches.csv.*monitor doctor"):
        begin(store, BERLIN, replace(a_catalogue(), **{missing: ()}), origin="manual", day=DAY)

    run, is_new = begin(store, BERLIN, a_catalogue(), origin="manual", day=DAY)
    assert (run.id, is_new, run.open_jobs) == ("nightly-2026-11-29", True, 1)


def report(store: SqlStore, run: Run) -> None:
    with store.write() as unit:
        unit.runs.start_synthesis(run.id, partial=False)
        unit.runs.close(run.id, RunState.REPORTED)


def test_a_night_that_has_ended_begins_again_only_when_asked_to_and_under_a_name_of_its_own(store: SqlStore) -> None:
    def night(*, again: bool = False) -> tuple[str, bool]:
        run, is_new = begin(store, BERLIN, a_catalogue(), origin="manual", day=DAY, again=again)
        return run.id, is_new

    first = night(again=True)
    assert first == ("nightly-2026-11-29", True), "there was nothing to repeat"
    assert night(again=True) == ("nightly-2026-11-29", False), "it is under way and goes on"
    with store.read() as unit:
        (run,) = unit.runs.latest(1)
    report(store, run)

    assert night() == ("nightly-2026-11-29", False)
    assert night(again=True) == ("nightly.2-2026-11-29", True)
    assert night() == night(again=True) == ("nightly.2-2026-11-29", False), "what is under way goes on, asked or not"
    with store.read() as unit:
        second, one = unit.runs.latest(2)
    assert (second.id, second.origin, one.id) == ("nightly.2-2026-11-29", "again", "nightly-2026-11-29")
    report(store, second)
    assert night(again=True) == ("nightly.3-2026-11-29", True)
    with store.read() as unit:
        assert [each.id for each in unit.runs.latest(1)] == ["nightly.3-2026-11-29"], "the newest is what is shown"


@pytest.mark.parametrize(
    ("day", "why"),
    [
        ("2026-11-27", "is over: a run now would store the prices of today as those of that night"),
        ("2025-11-29", "is over"),
        ("2026-12-07", "is more than 7 nights away"),
        ("2026-11-29", None),  # the latest due
        ("2026-11-30", None),  # the coming one
        ("2026-12-06", None),
        ("2026-11-20", None),  # begun in its time
    ],
)
def test_a_night_that_is_over_may_only_be_resumed(timed: SqlStore, clock: SetClock, day: str, why: str | None) -> None:
    clock.at = datetime(2026, 11, 20, 4, 0, tzinfo=UTC)
    begin(timed, BERLIN, a_catalogue(), origin="schedule")
    clock.at = datetime(2026, 11, 29, 22, 0, tzinfo=UTC)

    if why is None:
        check_day(timed, BERLIN.schedule, date.fromisoformat(day))
        return
    with pytest.raises(NotThisNight) as refused:
        check_day(timed, BERLIN.schedule, date.fromisoformat(day))
    assert f"--date {day}: that night {why}" in str(refused.value)
    assert "Nothing was begun. Accepted are 2026-11-29, which is the latest" in str(refused.value)
    assert "the nights to come until 2026-12-06" in str(refused.value)


def test_a_night_that_is_over_is_not_run_again_with_the_prices_of_today(timed: SqlStore, clock: SetClock) -> None:
    clock.at = datetime(2026, 11, 20, 4, 0, tzinfo=UTC)
    old, _ = begin(timed, BERLIN, a_catalogue(), origin="schedule")
    clock.at = datetime(2026, 11, 29, 22, 0, tzinfo=UTC)

    check_day(timed, BERLIN.schedule, old.local_date, again=True)  # interrupted, so it goes on
    report(timed, old)
    check_day(timed, BERLIN.schedule, old.local_date)  # shown
    with pytest.raises(NotThisNight, match=r"is over.*without --again any night that was begun"):
        check_day(timed, BERLIN.schedule, old.local_date, again=True)


def test_a_night_without_a_competitor_is_told_once_and_can_still_begin(timed: SqlStore, clock: SetClock) -> None:
    clock.at = datetime(2026, 11, 29, 4, 0, tzinfo=UTC)
    for _ in range(2):
        with pytest.raises(NothingToVisit) as nothing:
            begin(timed, BERLIN, Catalogue((), (), ()), origin="schedule")
        tell_idle(timed, nothing.value)

    with timed.read() as unit:
        (alert,) = unit.alerts.latest(9)
    assert "(competitors enabled: 0, watches: 0)" in alert.words
    assert "It begins by itself when there is something" in alert.words


def test_our_own_prices_are_history_too(store: SqlStore) -> None:
    """One row per change, not per night; a second request of a night adds nothing."""
    prices = ["129.00", "129.00", "119.00", "119.00"]
    for night, price in enumerate(prices):
        catalogue = a_catalogue()
        products = tuple(replace(product, price=Decimal(price)) for product in catalogue.products)
        for _ in range(2):
            day = DAY + timedelta(days=night)
            begin(store, BERLIN, replace(catalogue, products=products), origin="schedule", day=day)

    with store.read() as unit:
        spans = unit.observations.spans("TJ-40", OWN)
        changed = unit.observations.changed_at(OWN)
    assert [(span.price, span.first_run_id, span.last_run_id) for span in spans] == [
        (Decimal(129), "nightly-2026-11-29", "nightly-2026-11-30"),
        (Decimal(119), "nightly-2026-12-01", "nightly-2026-12-02"),
    ]
    assert changed == {"TJ-40": spans[1].first_seen_at}


def test_a_run_of_one_competitor_stands_beside_the_night_once_per_date(store: SqlStore) -> None:
    catalogue = a_catalogue(competitors=("acme", "globex"))

    first, is_new = begin(store, BERLIN, catalogue, origin="api", day=DAY, only="acme")
    again, is_newer = begin(store, BERLIN, catalogue, origin="api", day=DAY, only="acme")
    night, is_night = begin(store, BERLIN, catalogue, origin="schedule", day=DAY)

    assert (first.id, is_new, again, is_newer) == ("nightly-acme-2026-11-29", True, first, False)
    assert (night.id, is_night) == ("nightly-2026-11-29", True)
    with store.read() as unit:
        assert [job.key for job in unit.jobs.of_run(first.id)] == ["acme"]
    assert len(frozen(store, first)[1].competitors) == 2  # it decides from the readings of all of them


def test_a_night_that_is_still_to_visit_the_competitor_is_that_run(store: SqlStore) -> None:
    catalogue = a_catalogue(competitors=("acme", "globex"))
    night, _ = begin(store, BERLIN, catalogue, origin="schedule", day=DAY)

    assert begin(store, BERLIN, catalogue, origin="api", day=DAY, only="acme") == (night, False)


def test_a_run_of_nobody_is_refused(store: SqlStore) -> None:
    with pytest.raises(NobodyToVisit, match="'initech' is no competitor that a night visits"):
        begin(store, BERLIN, a_catalogue(), origin="api", day=DAY, only="initech")
    with store.read() as unit:
        assert unit.runs.latest(1) == ()

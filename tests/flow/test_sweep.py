"""What the sweep repairs and whom it wakes; on both databases, on SQLite where time has to pass."""

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta

import pytest

from monitor.adapters.db.store import SqlStore
from monitor.domain.message import AlertKind
from monitor.domain.run import Claim, JobKind, JobState, RunState
from monitor.flow.sweep import (
    SILENT_FOR,
    close_stranded,
    owed_night,
    recover_dead,
    recover_expired,
    ring_due,
    settle_runs,
    sweep,
)
from tests.core_scene import SCHEDULE, Counter, Counting, SetClock, begun, job_of, opened, worked

LEASE = timedelta(seconds=15)
FOUR = {"acme": 12, "globex": 12, "hooli": 12, "initech": 12}


@dataclass
class Bell:
    """Remembers for whom it was rung."""

    rung: list[int] = field(default_factory=list)

    def ring(self, job_id: int) -> None:
        self.rung.append(job_id)


@dataclass
class Deaths:
    """Knows who is dead because the test says so."""

    dead: set[str] = field(default_factory=set)
    forgotten: list[str] = field(default_factory=list)

    def is_dead(self, worker_id: str) -> bool:
        return worker_id in self.dead

    def forget(self, worker_id: str) -> None:
        self.forgotten.append(worker_id)


@pytest.fixture
def clock() -> SetClock:
    return SetClock(datetime(2026, 11, 29, 1, 0, tzinfo=UTC))


def claimed(store: SqlStore, job_id: int, owner: str = "w1") -> Claim:
    with store.write() as unit:
        claim = unit.jobs.claim(job_id, owner, LEASE)
    assert claim is not None
    return claim


def ended(store: SqlStore, claim: Claim, state: JobState = JobState.DONE) -> None:
    with store.write() as unit:
        unit.jobs.end(claim, state)


def registered(store: SqlStore, *workers: str) -> None:
    with store.write() as unit:
        for worker in workers:
            unit.workers.register(worker, "worker", "host", 1)


def workers_of(store: SqlStore) -> list[str]:
    with store.read() as unit:
        return sorted(row.id for row in unit.workers.all())


# dead workers


def test_a_dead_workers_jobs_are_queued_again_at_once(store: SqlStore) -> None:
    run = begun(store, FOUR)
    registered(store, "w1", "w2", "me")
    theirs = claimed(store, job_of(store, run, "acme").id, "w1").job.id
    claimed(store, job_of(store, run, "globex").id, "w2")
    deaths = Deaths({"w1"})

    assert recover_dead(store, deaths, "me") == (theirs,)

    assert job_of(store, run, "acme").state is JobState.QUEUED
    assert job_of(store, run, "globex").state is JobState.RUNNING
    assert workers_of(store) == ["me", "w2"]
    assert deaths.forgotten == ["w1"]
    assert recover_dead(store, deaths, "me") == ()


def test_nobody_declares_itself_dead(store: SqlStore) -> None:
    registered(store, "me")

    assert recover_dead(store, Deaths({"me"}), "me") == ()
    assert workers_of(store) == ["me"]


def test_a_job_whose_lease_has_ended_is_queued_again(timed: SqlStore, clock: SetClock) -> None:
    run = begun(timed, FOUR)
    job_id = claimed(timed, job_of(timed, run).id).job.id
    clock.forward(seconds=15)
    assert recover_expired(timed) == ()  # the very end still counts
    clock.forward(seconds=1)

    assert recover_expired(timed) == (job_id,)
    assert recover_expired(timed) == ()


# ringing


def test_every_due_job_is_rung_once_and_again_when_nobody_came(timed: SqlStore, clock: SetClock) -> None:
    run, bell = begun(timed, FOUR), Bell()
    ids = tuple(job_of(timed, run, key).id for key in FOUR)

    assert ring_due(timed, bell) == ids
    assert ring_due(timed, bell) == ()
    claimed(timed, ids[0])
    clock.at += SILENT_FOR

    assert ring_due(timed, bell) == ids[1:]
    assert bell.rung == [*ids, *ids[1:]]


def test_no_more_are_rung_than_there_is_room_for(timed: SqlStore, clock: SetClock) -> None:
    run, bell = begun(timed, FOUR), Bell()

    first = ring_due(timed, bell, room=3)
    none = ring_due(timed, bell, room=3)
    claimed(timed, first[0])  # one has come, so there is room for another
    second = ring_due(timed, bell, room=3)

    assert (len(first), none, len(second)) == (3, (), 1)
    assert len(set(bell.rung)) == 4
    assert job_of(timed, run, "initech").id == second[0]


def test_interrupted_jobs_are_rung_before_those_that_never_ran(timed: SqlStore, clock: SetClock) -> None:
    run, bell = begun(timed, FOUR), Bell()
    last = claimed(timed, job_of(timed, run, "initech").id).job.id
    clock.forward(seconds=20)
    recover_expired(timed)

    assert ring_due(timed, bell, room=1) == (last,)


def test_a_job_that_waits_is_rung_when_its_time_has_come(timed: SqlStore, clock: SetClock) -> None:
    run, bell = begun(timed), Bell()
    claim = claimed(timed, job_of(timed, run).id)
    with timed.write() as unit:
        unit.jobs.defer(claim, clock.at + timedelta(seconds=90))

    assert ring_due(timed, bell) == ()
    clock.forward(seconds=90)
    assert ring_due(timed, bell) == (claim.job.id,)


# the report's beginning


def test_the_deadline_starts_the_report_with_what_is_there(timed: SqlStore, clock: SetClock) -> None:
    run = begun(timed, {"acme": 12, "globex": 12, "hooli": 12})
    ended(timed, claimed(timed, job_of(timed, run, "acme").id))
    late, broken = (claimed(timed, job_of(timed, run, key).id) for key in ("globex", "hooli"))
    assert settle_runs(timed) == ()
    clock.at = run.deadline_at

    assert settle_runs(timed) == (run.id,)
    assert settle_runs(timed) == ()

    with timed.read() as unit:
        cut = unit.runs.get(run.id)
        (alert,) = unit.alerts.of_run(run.id)
    assert cut is not None
    assert (cut.state, cut.partial, cut.open_jobs) == (RunState.SYNTHESISING, True, 2)
    assert alert.kind is AlertKind.DEADLINE
    assert "2 competitors still open" in alert.words
    ended(timed, late)
    ended(timed, broken, JobState.FAILED)
    with timed.read() as unit:
        jobs = unit.jobs.of_run(run.id)
    assert [(job.key, job.state) for job in jobs] == [
        ("acme", JobState.DONE),
        ("globex", JobState.LATE),
        ("hooli", JobState.FAILED),
        ("", JobState.QUEUED),
    ]


def test_a_job_that_ends_after_the_report_neither_changes_nor_restarts_it(timed: SqlStore, clock: SetClock) -> None:
    run = begun(timed)
    late = claimed(timed, job_of(timed, run).id)
    clock.at = run.deadline_at
    settle_runs(timed)
    synthesis = claimed(timed, job_of(timed, run, "").id)
    with timed.write() as unit:
        unit.runs.close(run.id, RunState.REPORTED)
        unit.jobs.end(synthesis, JobState.DONE)
    with timed.write() as unit:
        unit.jobs.renew("w1", [late.job.id], LEASE)
    ended(timed, late)

    assert settle_runs(timed) == ()
    with timed.read() as unit:
        after = unit.runs.get(run.id)
        assert [job.kind for job in unit.jobs.of_run(run.id)] == [JobKind.COMPETITOR, JobKind.SYNTHESIS]
    assert after is not None
    assert (after.state, after.partial) == (RunState.REPORTED, True)
    assert job_of(timed, run, "").state is JobState.DONE


def test_the_net_catches_a_run_whose_jobs_have_all_ended(store: SqlStore) -> None:
    """As after a database that was restored from a backup: counted off, and nobody started the synthesis."""
    run = begun(store)
    with store.writer.begin() as connection:
        connection.exec_driver_sql("UPDATE jobs SET state = 'failed'")
        connection.exec_driver_sql("UPDATE runs SET open_jobs = 0")

    assert settle_runs(store) == (run.id,)

    with store.read() as unit:
        settled = unit.runs.get(run.id)
        assert unit.alerts.of_run(run.id) == ()
        assert unit.jobs.find(run.id, "") is not None
    assert settled is not None
    assert (settled.state, settled.partial) == (RunState.SYNTHESISING, False)


def test_a_run_whose_synthesis_failed_is_closed_with_one_alert(store: SqlStore) -> None:
    run = begun(store)
    worked(store, job_of(store, run), Counting(steps=0), Counter())
    assert close_stranded(store) == ()
    ended(store, claimed(store, job_of(store, run, "").id), JobState.FAILED)

    assert close_stranded(store) == (run.id,)
    assert close_stranded(store) == ()

    with store.read() as unit:
        closed = unit.runs.get(run.id)
        alerts = unit.alerts.of_run(run.id)
    assert closed is not None
    assert closed.state is RunState.FAILED
    assert [alert.kind for alert in alerts] == [AlertKind.DEADLINE]


# the night that is owed


@pytest.mark.parametrize(
    ("now", "night"),
    [
        ("2026-11-29T00:59:59+00:00", None),  # 01:59 in Berlin, and yesterday's is too late
        ("2026-11-29T01:00:00+00:00", date(2026, 11, 29)),
        ("2026-11-29T20:59:59+00:00", date(2026, 11, 29)),
        ("2026-11-29T21:00:00+00:00", None),  # twenty hours late: too late
    ],
)
def test_a_night_is_owed_from_its_hour_until_it_is_too_late(own_sqlite_url: str, now: str, night: date | None) -> None:
    store = opened(own_sqlite_url)

    owed = owed_night(store, SCHEDULE, datetime.fromisoformat(now))

    assert (owed.local_date if owed else None) == night
    store.close()


def test_a_night_that_has_begun_is_not_owed(store: SqlStore) -> None:
    begun(store)

    assert owed_night(store, SCHEDULE, datetime(2026, 11, 29, 1, 30, tzinfo=UTC)) is None


# all of it


def test_one_sweep_recovers_settles_and_rings(timed: SqlStore, clock: SetClock) -> None:
    run, bell = begun(timed, FOUR), Bell()
    registered(timed, "w1", "me")
    lost = claimed(timed, job_of(timed, run, "hooli").id).job.id
    deaths = Deaths({"w1"})
    clock.at = run.deadline_at

    swept = sweep(timed, bell, deaths, "me", room=2)

    assert (swept.recovered, swept.cut_off, swept.failed) == ((lost,), (run.id,), ())
    assert swept.rung == tuple(bell.rung)
    assert len(bell.rung) == 2
    assert bell.rung[0] == lost
    assert sweep(timed, bell, deaths, "me", room=2).recovered == ()


def test_a_part_that_fails_holds_no_other_up(store: SqlStore) -> None:
    """A lock that cannot be looked at is told, every second; the night's jobs are rung for all the same."""

    class Broken(Deaths):
        def is_dead(self, worker_id: str) -> bool:
            raise PermissionError(f"{worker_id}.lock belongs to somebody else")

    run, bell = begun(store), Bell()
    with store.write() as unit:
        unit.workers.register("w9", "worker", "host", 1)

    with pytest.raises(PermissionError, match=r"w9\.lock"):
        sweep(store, bell, Broken(), "me")

    assert bell.rung == [job_of(store, run).id]

"""Claims, fences, charges and the fan-in as rows; what the loop makes of them is tested in `tests.durable`."""

import threading
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from monitor.adapters.db.store import SqlStore
from monitor.domain.durability import Cause
from monitor.domain.run import Claim, JobState, Run, RunState, StepState
from monitor.errors import BudgetExhausted, LeaseLost
from monitor.ports.store import Unit
from tests.core_scene import SetClock, begun, job_of, steps_of

LEASE = timedelta(seconds=15)
THREE = {"acme": 12, "globex": 12, "hooli": 12}


@pytest.fixture
def clock() -> SetClock:
    return SetClock(datetime(2026, 11, 29, 1, 0, tzinfo=UTC))


def claimed(store: SqlStore, run: Run, key: str = "acme", owner: str = "w1") -> Claim:
    job_id = job_of(store, run, key).id
    with store.write() as unit:
        claim = unit.jobs.claim(job_id, owner, LEASE)
    assert claim is not None
    return claim


def started(store: SqlStore, claim: Claim, seq: int = 1, tool: str = "page", cost: int = 1, **args: Any) -> None:
    with store.write() as unit:
        unit.jobs.start(claim, seq, tool, args, cost, LEASE)


def taken_over(store: SqlStore, claim: Claim) -> Claim:
    """Take a job from its owner, as after its death, and claim it for another."""
    with store.write() as unit:
        unit.jobs.recover_from(claim.owner, Cause.DIED)
        again = unit.jobs.claim(claim.job.id, "w2", LEASE)
    assert again is not None
    return again


def test_a_claim_raises_the_fence_and_counts_the_attempt(store: SqlStore) -> None:
    run = begun(store)
    first = claimed(store, run)
    second = taken_over(store, first)

    assert (first.fence, second.fence) == (1, 2)
    assert (second.job.attempts, second.job.owner) == (2, "w2")
    assert second.job.started_at == job_of(store, run).started_at is not None


def test_a_job_that_has_ended_is_never_claimed_again(store: SqlStore) -> None:
    run = begun(store)
    claim = claimed(store, run)
    with store.write() as unit:
        unit.jobs.end(claim, JobState.FAILED, "the shop is gone")
        assert unit.jobs.claim(claim.job.id, "w2", LEASE) is None

    job = job_of(store, run)
    assert (job.state, job.error, job.owner, job.lease_until) == (JobState.FAILED, "the shop is gone", None, None)


WRITES: dict[str, Callable[[Unit, Claim], object]] = {
    "start": lambda unit, claim: unit.jobs.start(claim, 1, "page", {}, 1, LEASE),
    "finish": lambda unit, claim: unit.jobs.finish(claim, 1, result={}, error=None, requests=1, lease=LEASE),
    "defer": lambda unit, claim: unit.jobs.defer(claim, unit.now),
    "end": lambda unit, claim: unit.jobs.end(claim, JobState.DONE),
    "settle": lambda unit, claim: unit.jobs.settle_tokens(claim, 10, 5),
}


@pytest.mark.parametrize("write", WRITES)
def test_every_write_of_a_zombie_is_refused_and_changes_no_row(store: SqlStore, write: str) -> None:
    run = begun(store)
    zombie = claimed(store, run)
    started(store, zombie)
    taken_over(store, zombie)
    before = (job_of(store, run), steps_of(store, run))

    with pytest.raises(LeaseLost) as lost, store.write() as unit:
        WRITES[write](unit, zombie)

    assert lost.value.fence == 1
    assert (job_of(store, run), steps_of(store, run)) == before
    with store.read() as unit:
        still = unit.runs.get(run.id)
    assert still is not None
    assert (still.open_jobs, still.state) == (1, RunState.COLLECTING)


def test_a_zombies_heartbeat_does_not_renew_its_successors_lease(timed: SqlStore, clock: SetClock) -> None:
    run = begun(timed)
    zombie = claimed(timed, run)
    successor = taken_over(timed, zombie)
    clock.forward(seconds=5)
    with timed.write() as unit:
        assert unit.jobs.renew("w1", [zombie.job.id], LEASE) == 0
        assert unit.jobs.renew("w2", [], LEASE) == 0

    assert job_of(timed, run).lease_until == successor.job.lease_until
    with timed.write() as unit:
        assert unit.jobs.renew("w2", [zombie.job.id], LEASE) == 1


def test_every_start_is_charged_and_the_last_call_is_refused_before_it_is_made(store: SqlStore) -> None:
    run = begun(store, {"acme": 2})
    claim = claimed(store, run)
    started(store, claim)
    started(store, claim)

    with pytest.raises(BudgetExhausted, match="all 2 calls"):
        started(store, claim)

    job, (step,) = job_of(store, run), steps_of(store, run)
    assert (job.calls_used, step.attempts) == (2, 2)
    started(store, claim, cost=0, tool="robots")  # what costs nothing is never refused


def test_a_step_started_again_tells_what_is_asked_now(store: SqlStore) -> None:
    """A new version of the program may plan another call for the step that was interrupted."""
    run = begun(store)
    claim = claimed(store, run)
    started(store, claim, url="old")
    started(store, claim, tool="catalogue", url="new")

    (step,) = steps_of(store, run)
    assert (step.tool, step.args, step.attempts) == ("catalogue", {"url": "new"}, 2)


def test_a_checkpoint_closes_the_step_and_counts_its_requests(store: SqlStore) -> None:
    run = begun(store)
    claim = claimed(store, run)
    for seq, error in ((1, None), (2, "it broke")):
        started(store, claim, seq)
        with store.write() as unit:
            result = {"price": "12.90"} if error is None else None
            unit.jobs.finish(claim, seq, result=result, error=error, requests=3, lease=LEASE)

    one, two = steps_of(store, run)
    assert (one.state, one.result, one.error) == (StepState.DONE, {"price": "12.90"}, None)
    assert (two.state, two.result, two.error) == (StepState.ERROR, None, "it broke")
    assert one.ended_at is not None
    job = job_of(store, run)
    assert (job.next_seq, job.requests_used) == (3, 6)


def test_a_deferred_job_waits_for_its_time(timed: SqlStore, clock: SetClock) -> None:
    run = begun(timed)
    claim = claimed(timed, run)
    with timed.write() as unit:
        unit.jobs.rung([claim.job.id])
        unit.jobs.defer(claim, clock.at + timedelta(seconds=60))

    with timed.write() as unit:
        assert unit.jobs.claim(claim.job.id, "w2", LEASE) is None
        assert unit.jobs.due(10, silent_for=LEASE) == ()
    clock.forward(seconds=60)
    with timed.write() as unit:
        assert unit.jobs.due(10, silent_for=LEASE) == (claim.job.id,)  # an old ring does not count
        assert unit.jobs.claim(claim.job.id, "w2", LEASE) is not None


def test_due_jobs_are_those_not_rung_lately_the_interrupted_first(timed: SqlStore, clock: SetClock) -> None:
    run = begun(timed, THREE)
    ids = {key: job_of(timed, run, key).id for key in THREE}
    claimed(timed, run, "hooli")
    clock.forward(seconds=16)
    silent = timedelta(seconds=10)
    with timed.write() as unit:
        assert unit.jobs.recover(10) == (ids["hooli"],)
        assert unit.jobs.due(10, silent_for=silent) == (ids["hooli"], ids["acme"], ids["globex"])
        assert unit.jobs.due(1, silent_for=silent) == (ids["hooli"],)
        unit.jobs.rung([ids["acme"]])
        unit.jobs.rung([])
        assert unit.jobs.due(10, silent_for=silent) == (ids["hooli"], ids["globex"])
        assert unit.jobs.ringing(silent_for=silent) == 1
    clock.forward(seconds=10)
    with timed.read() as unit:
        assert len(unit.jobs.due(10, silent_for=silent)) == 3
        assert unit.jobs.ringing(silent_for=silent) == 0


def test_recovery_takes_no_more_than_it_was_told_and_notes_cause_and_step(timed: SqlStore, clock: SetClock) -> None:
    run = begun(timed, THREE)
    for key in THREE:
        claimed(timed, run, key)
    clock.forward(seconds=16)
    with timed.write() as unit:
        assert len(unit.jobs.recover(2)) == 2
        assert len(unit.jobs.recover(2)) == 1
    again = claimed(timed, run, "acme", "w2")

    with timed.reader.connect() as connection:
        rows = connection.exec_driver_sql("SELECT job_id, seq, cause, resumed_at IS NULL FROM recoveries").all()
    assert sorted(tuple(row) for row in rows) == [
        (job_of(timed, run, key).id, 1, "lease ended", int(key != "acme")) for key in THREE
    ]
    assert again.job.attempts == 2


def test_the_job_that_ends_last_starts_the_synthesis_failed_ones_count(store: SqlStore) -> None:
    run = begun(store, THREE)
    for key, state in zip(THREE, (JobState.DONE, JobState.FAILED, JobState.DONE), strict=True):
        with store.read() as unit:
            assert unit.jobs.find(run.id, "") is None
        claim = claimed(store, run, key)
        with store.write() as unit:
            unit.jobs.end(claim, state)

    with store.read() as unit:
        after = unit.runs.get(run.id)
        assert unit.jobs.find(run.id, "") is not None
    assert after is not None
    assert (after.open_jobs, after.state, after.partial) == (0, RunState.SYNTHESISING, False)


def test_all_last_jobs_end_at_once_and_one_synthesis_begins(store: SqlStore) -> None:
    competitors = {f"shop-{n}": 1 for n in range(8)}
    for round_ in range(3):
        run = begun(store, competitors, day=date(2026, 1, 1 + round_))
        claims = [claimed(store, run, key) for key in competitors]
        barrier = threading.Barrier(len(claims))

        def end(claim: Claim, barrier: threading.Barrier = barrier) -> None:
            barrier.wait()
            with store.write() as unit:
                unit.jobs.end(claim, JobState.DONE)

        threads = [threading.Thread(target=end, args=(claim,)) for claim in claims]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        with store.read() as unit:
            after = unit.runs.get(run.id)
            assert [job.key for job in unit.jobs.of_run(run.id)].count("") == 1
        assert after is not None
        assert (after.open_jobs, after.state) == (0, RunState.SYNTHESISING)


def test_tokens_are_reserved_below_the_cap_and_settled_as_used(store: SqlStore) -> None:
    run = begun(store)  # its cap is 1000
    claim = claimed(store, run)
    with store.write() as unit:
        assert unit.jobs.reserve_tokens(claim, 700)
        assert not unit.jobs.reserve_tokens(claim, 301)
        unit.jobs.settle_tokens(claim, 700, 200)
        assert unit.jobs.reserve_tokens(claim, 800)
        assert not unit.jobs.reserve_tokens(claim, 1)


def test_eight_who_reserve_at_once_never_pass_the_cap(store: SqlStore) -> None:
    run = begun(store)
    claim = claimed(store, run)
    barrier, got = threading.Barrier(8), []

    def reserve() -> None:
        barrier.wait()
        with store.write() as unit:
            got.append(unit.jobs.reserve_tokens(claim, 300))

    threads = [threading.Thread(target=reserve) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert got.count(True) == 3

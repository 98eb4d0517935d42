"""The loop of one job: replay, charges, checkpoints, fences; on both databases."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any

import pytest

from monitor.adapters.db.store import SqlStore
from monitor.domain.durability import Cause
from monitor.domain.message import AlertKind
from monitor.domain.run import Job, JobState, RunState, Step, StepState
from monitor.durable import Call, Done, Ending, Finish, Incarnation, Plan, Slot, Tool, ToolContext, work
from monitor.errors import CannotSucceed, LeaseLost, StoreUnavailable
from monitor.ports.store import Unit
from tests.core_scene import Counter, Counting, SetClock, begun, job_of, opened, steps_of, worked


class Killed(BaseException):
    """Stands for SIGKILL: nothing of ours may catch it."""


def killed_at(store: SqlStore, n: int, *, plan: Counting | None = None) -> Counter:
    """Work on acme's job and die inside call `n`."""

    def die(at: int) -> None:
        if at == n:
            raise Killed

    counter = Counter(during=die)
    with store.read() as unit:
        job = next(job for job in unit.jobs.of_run(unit.runs.latest()[0].id) if job.key == "acme")
    with pytest.raises(Killed):
        worked(store, job, plan or Counting(), counter)
    return counter


def recovered(store: SqlStore) -> None:
    """Take every job from its dead owner, as the sweep does when it sees a free lock."""
    with store.write() as unit:
        for job in unit.jobs.of_run(unit.runs.latest()[0].id):
            if job.owner is not None:
                unit.jobs.recover_from(job.owner, Cause.DIED)


def test_a_job_runs_to_its_end_and_starts_the_synthesis(store: SqlStore) -> None:
    run, counter = begun(store), Counter()

    assert worked(store, job_of(store, run), Counting(), counter) is Ending.ENDED

    job = job_of(store, run)
    assert counter.called == [1, 2, 3]
    assert (job.state, job.calls_used, job.requests_used, job.next_seq) == (JobState.DONE, 3, 6, 4)
    assert [step.result for step in steps_of(store, run)] == [{"n": 1}, {"n": 2}, {"n": 3}]
    with store.read() as unit:
        assert unit.runs.open()[0].state is RunState.SYNTHESISING
        assert unit.jobs.find(run.id, "") is not None
        assert unit.shops.facts("acme") == {"step 1": 1, "step 2": 2, "step 3": 3}


@pytest.mark.parametrize("died_in", [1, 2, 3])
def test_a_killed_job_goes_on_at_the_step_it_died_in(store: SqlStore, died_in: int) -> None:
    run = begun(store)
    killed_at(store, died_in)
    recovered(store)
    second = Counter()

    assert worked(store, job_of(store, run), Counting(), second) is Ending.ENDED

    assert second.called == list(range(died_in, 4))
    assert [step.attempts for step in steps_of(store, run)] == [2 if n == died_in else 1 for n in (1, 2, 3)]
    assert job_of(store, run).calls_used == 4  # the repeated call is paid again


def test_a_crash_loop_cannot_pass_the_budget(store: SqlStore) -> None:
    run = begun(store, {"acme": 2})
    killed_at(store, 1)
    recovered(store)
    killed_at(store, 1)
    recovered(store)
    third = Counter()

    worked(store, job_of(store, run), Counting(), third)

    job = job_of(store, run)
    assert third.called == []
    assert (job.state, job.calls_used) == (JobState.DONE, 2)


def test_what_the_budget_does_not_reach_is_named(store: SqlStore) -> None:
    run = begun(store, {"acme": 2})
    counter = Counter()

    worked(store, job_of(store, run), Counting(steps=3), counter)

    assert counter.called == [1, 2]
    with store.read() as unit:
        assert unit.shops.facts("acme")["refused"] == 3


def test_an_error_of_a_tool_costs_its_step_only(store: SqlStore) -> None:
    run = begun(store)

    def fail(n: int) -> None:
        if n == 1:
            raise CannotSucceed("the page is poison")
        if n == 2:
            raise ZeroDivisionError

    worked(store, job_of(store, run), Counting(), Counter(during=fail))

    steps = steps_of(store, run)
    assert [step.state for step in steps] == [StepState.ERROR, StepState.ERROR, StepState.DONE]
    assert steps[0].error == "the page is poison"
    assert "ZeroDivisionError" in str(steps[1].error)
    with store.read() as unit:
        assert unit.shops.facts("acme") == {"step 3": 3}


def _half_done(unit: Unit) -> None:
    unit.shops.learn("acme", "half", 1)
    raise ZeroDivisionError


@pytest.mark.parametrize(
    ("left", "named"),
    [
        (Done({"n": object()}), "TypeError"),
        (Done({"n": float("nan")}), "ValueError"),
        (Done({"n": 1}, [_half_done]), "ZeroDivisionError"),
        (Done({"n": object()}, [_half_done]), "TypeError"),
    ],
    ids=["no JSON", "not a number", "an effect that raises", "both"],
)
def test_what_cannot_be_kept_costs_its_step_only(store: SqlStore, left: Done, named: str) -> None:
    """Nothing of it is stored, not even half, and the steps after it are made."""
    run = begun(store)

    def count(context: ToolContext, args: dict[str, Any]) -> Done:
        return left if args["n"] == 2 else Done({"n": args["n"]})

    assert worked(store, job_of(store, run), Counting(), count) is Ending.ENDED

    steps = steps_of(store, run)
    assert [step.state for step in steps] == [StepState.DONE, StepState.ERROR, StepState.DONE]
    assert named in str(steps[1].error)
    assert job_of(store, run).state is JobState.DONE
    with store.read() as unit:
        assert unit.shops.facts("acme") == {}


def test_a_zombie_commits_nothing_after_another_took_over(store: SqlStore) -> None:
    run = begun(store)
    replacement = Counter()

    def lose_the_lease(n: int) -> None:
        if n == 2:
            recovered(store)
            assert worked(store, job_of(store, run), Counting(), replacement) is Ending.ENDED

    zombie = Counter(during=lose_the_lease)

    assert worked(store, job_of(store, run), Counting(), zombie) is Ending.LOST

    assert zombie.called == [1, 2]
    assert replacement.called == [2, 3]
    job = job_of(store, run)
    assert (job.state, job.fence, job.next_seq) == (JobState.DONE, 2, 4)
    assert [step.attempts for step in steps_of(store, run)] == [1, 2, 1]


def test_a_claimed_job_is_not_claimed_twice(store: SqlStore) -> None:
    run = begun(store)
    claims: list[bool] = []
    barrier = threading.Barrier(8)

    job_id = job_of(store, run).id

    def claim() -> None:
        barrier.wait()
        with store.write() as unit:
            claims.append(unit.jobs.claim(job_id, "somebody", timedelta(seconds=15)) is not None)

    threads = [threading.Thread(target=claim) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(claims) == [False] * 7 + [True]


def test_an_expired_lease_is_taken_over(timed: SqlStore, clock: SetClock) -> None:
    run = begun(timed)
    killed_at(timed, 2)
    assert worked(timed, job_of(timed, run), Counting(), Counter()) is Ending.NOT_OURS

    clock.forward(seconds=16)
    second = Counter()

    assert worked(timed, job_of(timed, run), Counting(), second) is Ending.ENDED
    assert second.called == [2, 3]


def test_a_heartbeat_keeps_the_lease(timed: SqlStore, clock: SetClock) -> None:
    run, me = begun(timed), Incarnation("test")
    stolen: list[Ending] = []

    def work_long(n: int) -> None:
        if n == 2:
            clock.forward(seconds=12)
            assert me.beat(timed) == 1
            clock.forward(seconds=12)
            stolen.append(worked(timed, job_of(timed, run), Counting(), Counter()))

    assert worked(timed, job_of(timed, run), Counting(), Counter(during=work_long), me) is Ending.ENDED
    assert stolen == [Ending.NOT_OURS]


def test_a_heartbeat_that_fails_by_a_defect_beats_again(timed: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process whose heartbeat ended would claim jobs and lose each of them, until somebody restarts it."""
    me, failures = Incarnation("test"), [OSError("a defect"), StoreUnavailable("away")]
    seen: list[Exception] = []

    def fails(_store: SqlStore) -> int:
        if failures:
            raise failures.pop(0)
        me.drain()
        return 0

    monkeypatch.setattr(me, "beat", fails)

    me.beat_forever(timed, seen.append, every=timedelta(0))

    assert [str(each) for each in seen] == ["a defect", "away"]


def test_a_long_wait_is_committed_and_frees_the_thread(timed: SqlStore, clock: SetClock) -> None:
    plan = Counting(slot=Slot("shop.example", timedelta(seconds=30)))
    run, counter = begun(timed), Counter()

    assert worked(timed, job_of(timed, run), plan, counter) is Ending.DEFERRED

    waiting = job_of(timed, run)
    assert counter.called == [1]
    assert (waiting.state, waiting.owner, waiting.calls_used) == (JobState.QUEUED, None, 1)
    assert waiting.run_at == clock.at + timedelta(seconds=30)
    assert worked(timed, waiting, plan, counter) is Ending.NOT_OURS  # not due yet
    clock.forward(seconds=30)
    assert worked(timed, waiting, plan, counter) is Ending.DEFERRED
    assert counter.called == [1, 2]


def test_two_jobs_share_the_slots_of_one_host(timed: SqlStore, clock: SetClock) -> None:
    plan = Counting(steps=1, slot=Slot("shop.example", timedelta(seconds=30)))
    run = begun(timed, {"acme": 12, "globex": 12})
    counter = Counter()

    assert worked(timed, job_of(timed, run, "acme"), plan, counter) is Ending.ENDED
    assert worked(timed, job_of(timed, run, "globex"), plan, counter) is Ending.DEFERRED
    clock.forward(seconds=31)
    assert worked(timed, job_of(timed, run, "globex"), plan, counter) is Ending.ENDED


def test_a_drained_worker_gives_its_job_back_after_the_step(store: SqlStore) -> None:
    run, me = begun(store), Incarnation("test")

    def stop(n: int) -> None:
        if n == 2:
            me.drain()

    first = Counter(during=stop)
    assert worked(store, job_of(store, run), Counting(), first, me) is Ending.DRAINED

    second = Counter()
    assert worked(store, job_of(store, run), Counting(), second) is Ending.ENDED
    assert (first.called, second.called) == ([1, 2], [3])
    assert job_of(store, run).calls_used == 3


def test_a_fenced_process_stops_by_itself(store: SqlStore) -> None:
    run = begun(store)
    me = Incarnation("test", fence_after=timedelta(seconds=-1))
    counter = Counter()

    assert worked(store, job_of(store, run), Counting(), counter, me) is Ending.LOST
    assert counter.called == [1]
    assert steps_of(store, run)[0].state is StepState.STARTED


def test_the_same_checkpoint_twice_is_refused(store: SqlStore) -> None:
    """The connection broke during a commit that had succeeded: the second try must not run twice."""
    run = begun(store)
    with store.write() as unit:
        claim = unit.jobs.claim(job_of(store, run).id, "me", timedelta(seconds=15))
        assert claim is not None
        unit.jobs.start(claim, 1, "count", {}, 1, timedelta(seconds=15))
    finish = {"result": {"n": 1}, "error": None, "requests": 1, "lease": timedelta(seconds=15)}
    with store.write() as unit:
        unit.jobs.finish(claim, 1, **finish)  # type: ignore[arg-type]  # a dict of keyword arguments

    with pytest.raises(LeaseLost), store.write() as unit:
        unit.jobs.finish(claim, 1, **finish)  # type: ignore[arg-type]

    assert job_of(store, run).requests_used == 1


def test_the_last_two_jobs_end_at_once_and_one_synthesis_begins(store: SqlStore) -> None:
    """Counting unfinished jobs would start it for nobody, or twice; the counter starts it once."""
    for number in range(10):
        day = begun(store, {"acme": 12, "globex": 12}, day=date(2026, 1, 1 + number))
        jobs = [job_of(store, day, key) for key in ("acme", "globex")]
        threads = [threading.Thread(target=worked, args=(store, job, Counting(steps=0), Counter())) for job in jobs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with store.read() as unit:
            assert [job.kind.value for job in unit.jobs.of_run(day.id)] == ["competitor", "competitor", "synthesis"]


def test_a_new_connection_does_not_wait_for_a_writer(own_sqlite_url: str) -> None:
    """PRAGMA auto_vacuum on connect did: every thread's first read stood behind the longest write."""
    store = opened(own_sqlite_url)
    with store.write(), store.read() as unit:
        assert unit.runs.latest() == ()
    store.close()


def test_a_claim_of_a_former_life_commits_nothing(store: SqlStore) -> None:
    """The database lock was lost: others took this process for dead, so it goes on as a new one."""
    run, me = begun(store), Incarnation("test")
    replacement = Counter()

    def live_again(n: int) -> None:
        if n == 2:
            former = me.begin_another_life()
            with store.write() as unit:
                assert unit.jobs.recover_from(former, Cause.ANOTHER_LIFE) == (job_of(store, run).id,)

    assert worked(store, job_of(store, run), Counting(), Counter(during=live_again), me) is Ending.LOST
    assert steps_of(store, run)[1].state is StepState.STARTED
    assert worked(store, job_of(store, run), Counting(), replacement, me) is Ending.ENDED
    assert replacement.called == [2, 3]


def test_the_heartbeat_of_a_new_life_does_not_renew_the_claims_of_the_former(timed: SqlStore) -> None:
    run, me = begun(timed), Incarnation("test")
    renewed: list[int] = []

    def live_again(n: int) -> None:
        if n == 1:
            renewed.append(me.beat(timed))
            me.begin_another_life()
            renewed.append(me.beat(timed))

    assert worked(timed, job_of(timed, run), Counting(), Counter(during=live_again), me) is Ending.LOST
    assert renewed == [1, 0]


def test_a_budget_that_will_not_do_is_told_at_four_fifths(store: SqlStore) -> None:
    run = begun(store, {"acme": 6, "globex": 5})

    worked(store, job_of(store, run, "acme"), Counting(steps=7), Counter())
    worked(store, job_of(store, run, "globex"), Counting(steps=3), Counter())

    with store.read() as unit:
        told = {alert.key: alert.words for alert in unit.alerts.of_run(run.id)}
    assert told == {f"budget:{run.id}:acme:80": f"{run.id}/acme: 5 of its 6 tool calls are spent (83 %)."}


def test_a_visit_that_needs_what_it_has_is_no_news(store: SqlStore) -> None:
    run = begun(store, {"acme": 5})

    worked(store, job_of(store, run), Counting(steps=5, needs=True), Counter())

    with store.read() as unit:
        assert unit.alerts.of_run(run.id) == ()


def test_a_job_that_cannot_be_planned_ends_loudly_and_holds_nothing_up(store: SqlStore) -> None:
    """It would fail alike on every claim: rung for ever, and the night would wait for it until its deadline."""
    run = begun(store)

    def unreadable(_unit: Unit, _job: Job) -> tuple[Plan, Mapping[str, Tool]]:
        raise LookupError("what the run froze is gone")

    assert work(job_of(store, run).id, store=store, me=Incarnation("test"), open_job=unreadable) is Ending.ENDED

    job = job_of(store, run)
    assert job.state is JobState.FAILED
    assert "what the run froze is gone" in str(job.error)
    with store.read() as unit:
        assert [alert.kind for alert in unit.alerts.of_run(run.id)] == [AlertKind.JOB]
        assert unit.runs.open()[0].state is RunState.SYNTHESISING


def test_a_polite_wait_is_no_attempt(timed: SqlStore, clock: SetClock) -> None:
    plan = Counting(slot=Slot("shop.example", timedelta(seconds=30)))
    run, counter = begun(timed), Counter()
    while worked(timed, job_of(timed, run), plan, counter) is Ending.DEFERRED:
        clock.forward(seconds=30)

    assert counter.called == [1, 2, 3]
    assert job_of(timed, run).attempts == 1


@dataclass
class Waiting(Counting):
    """A plan whose second step has to wait for an instant."""

    until: datetime | None = None

    def next(self, steps: Sequence[Step]) -> Call | Finish:
        move = super().next(steps)
        return replace(move, not_before=self.until) if isinstance(move, Call) and steps else move


def test_a_step_that_has_to_wait_for_an_instant_frees_thread_and_shop(timed: SqlStore, clock: SetClock) -> None:
    slot = Slot("shop.example", timedelta(0))
    plan = Waiting(steps=2, slot=slot, until=clock.at + timedelta(hours=2))
    run, counter = begun(timed, {"acme": 12, "globex": 12}), Counter()

    assert worked(timed, job_of(timed, run), plan, counter) is Ending.DEFERRED
    assert job_of(timed, run).run_at == plan.until
    assert worked(timed, job_of(timed, run, "globex"), Counting(steps=1, slot=slot), Counter()) is Ending.ENDED

    clock.forward(hours=2)
    assert worked(timed, job_of(timed, run), plan, counter) is Ending.ENDED
    assert counter.called == [1, 2]

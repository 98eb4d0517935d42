"""A write is claimed by one worker at a time, and whoever lost it changes nothing any more."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import pairwise
from threading import Barrier, Event, Thread

import pytest
from sqlalchemy import select

from monitor.adapters.db.schema import write_attempts, writes
from monitor.domain.action import ARROWS, ActionState, PriceWrite, WriteState
from monitor.domain.submit import came_from, ends, outcome_of
from monitor.errors import LeaseLost
from tests.write_scene import LEASE, WriteScene


@pytest.fixture
def scene(migrated_url):
    scene = WriteScene(migrated_url)
    yield scene
    scene.close()


def _claim(scene: WriteScene, write: PriceWrite, owner: str = "worker-1") -> PriceWrite | None:
    with scene.store.write() as unit:
        return unit.writes.claim(write.id, owner, LEASE)


def _called(scene: WriteScene, write: PriceWrite) -> PriceWrite:
    claimed = _claim(scene, write)
    assert claimed is not None
    with scene.store.write() as unit:
        unit.writes.call(claimed, {"price": "27.90"}, LEASE)
    return claimed


def _close(scene: WriteScene, write: PriceWrite, state: WriteState, **other) -> None:
    with scene.store.write() as unit:
        unit.writes.close(write, state, **other)


def _due(scene: WriteScene) -> tuple[str, ...]:
    with scene.store.read() as unit:
        return unit.writes.due(10)


def test_a_write_carries_the_approved_figures_exactly(scene):
    write = scene.approve("A-1", "27.90", "24.905", currency="EUR")

    assert scene.write(write.id) == write
    assert (str(write.target_price), str(write.expected_price)) == ("24.905", "27.9")
    assert (write.state, write.attempts, write.fence) == (WriteState.QUEUED, 0, 0)


def test_queueing_the_same_version_again_returns_the_same_write(scene):
    write = scene.approve()
    with scene.store.write() as unit:
        again = unit.writes.queue(scene.action(write), not_before=unit.now, dry_run=False)

    assert again == write
    with scene.store.read() as unit:
        assert unit.writes.of_action(write.action_id) == (write,)


def test_a_write_is_not_due_within_the_undo_window(scene):
    scene.writes(undo_window=timedelta(seconds=120))
    write = scene.approve()

    assert _due(scene) == ()
    assert _claim(scene, write) is None
    scene.pass_time(seconds=121)
    assert _due(scene) == (write.id,)


def test_one_of_twenty_workers_claims_a_write(scene):
    write = scene.approve()
    gate = Barrier(20)

    def claim(number: int) -> PriceWrite | None:
        gate.wait()
        return _claim(scene, write, f"worker-{number}")

    with ThreadPoolExecutor(20) as pool:
        claims = [claimed for claimed in pool.map(claim, range(20)) if claimed]

    assert [claimed.fence for claimed in claims] == [1]
    assert scene.action_state(write) is ActionState.EXECUTING


def test_a_worker_that_lost_its_lease_records_nothing(scene):
    write = scene.approve()
    slow = _called(scene, write)
    scene.pass_time(minutes=3)
    with scene.store.write() as unit:
        assert unit.writes.lost(10) == (write.id,)

    for attempt in (
        lambda unit: unit.writes.close(slow, WriteState.APPLIED),
        lambda unit: unit.writes.requeue(slow, unit.now, "late"),
        lambda unit: unit.writes.call(slow, {}, LEASE),
    ):
        with pytest.raises(LeaseLost), scene.store.write() as unit:
            attempt(unit)

    assert scene.state(write) is WriteState.UNKNOWN
    assert scene.action_state(write) is ActionState.UNKNOWN


def test_a_write_whose_worker_died_before_the_call_is_queued_again(scene):
    write = scene.approve()
    _claim(scene, write)
    scene.pass_time(minutes=3)
    with scene.store.write() as unit:
        assert unit.writes.lost(10) == (write.id,)

    assert scene.state(write) is WriteState.QUEUED
    assert scene.action_state(write) is ActionState.APPROVED
    assert _claim(scene, write) is not None


def test_an_unknown_write_is_due_after_its_quarantine_and_stays_unknown_while_it_is_read(scene):
    write = scene.approve()
    _close(scene, _called(scene, write), WriteState.UNKNOWN)

    assert _due(scene) == ()
    scene.pass_time(seconds=61)
    reading = _claim(scene, write)
    assert reading is not None
    assert reading.state is WriteState.UNKNOWN
    assert _claim(scene, write, "worker-2") is None

    _close(scene, reading, WriteState.APPLIED)
    assert (scene.state(write), scene.action_state(write)) == (WriteState.APPLIED, ActionState.APPLIED)


def test_the_quarantine_is_a_parameter(scene):
    write = scene.approve()
    _close(scene, _called(scene, write), WriteState.UNKNOWN, quarantine=timedelta(0))

    assert _due(scene) == (write.id,)


def test_an_unknown_write_that_changed_nothing_is_sent_again_under_the_same_key(scene):
    write = scene.approve()
    _close(scene, _called(scene, write), WriteState.UNKNOWN, quarantine=timedelta(0))
    reading = _claim(scene, write)
    assert reading is not None
    with scene.store.write() as unit:
        unit.writes.requeue(reading, unit.now, "old price")

    again = _called(scene, write)
    assert again.idempotency_key == write.idempotency_key
    _close(scene, again, WriteState.APPLIED)
    assert (scene.write(write.id).attempts, scene.action_state(write)) == (2, ActionState.APPLIED)


def test_every_call_leaves_an_attempt_and_what_came_of_it(scene):
    write = scene.approve()
    claimed = _called(scene, write)
    with scene.store.write() as unit:
        unit.writes.requeue(claimed, unit.now, "throttled")
    _close(scene, _called(scene, write), WriteState.APPLIED, answer="set")

    with scene.store.writer.begin() as connection:
        rows = connection.execute(select(write_attempts).order_by(write_attempts.c.n)).all()
    assert [(row.n, row.outcome, row.answer) for row in rows] == [(1, "queued", "throttled"), (2, "applied", "set")]
    assert all(row.ended_at for row in rows)
    assert scene.write(write.id).attempts == 1, "a throttled call certainly changed nothing"


def test_a_newer_decision_takes_the_place_of_a_write_that_has_not_started(scene):
    older = scene.approve(new="24.90")
    newer = scene.approve(new="23.90", run=scene.another_night())

    assert (scene.state(older), scene.action_state(older)) == (WriteState.CANCELLED, ActionState.SUPERSEDED)
    assert scene.action(older).superseded_by == newer.action_id
    assert _due(scene) == (newer.id,)


def test_a_newer_decision_waits_for_a_write_under_way(scene):
    older = scene.approve(new="24.90")
    calling = _called(scene, older)
    newer = scene.approve(new="23.90", run=scene.another_night())

    assert newer.state is WriteState.WAITING
    assert _claim(scene, newer) is None
    _close(scene, calling, WriteState.UNKNOWN)
    assert _due(scene) == (), "a late call could still overwrite the newer price"

    scene.pass_time(seconds=61)
    reading = _claim(scene, older)
    assert reading is not None
    _close(scene, reading, WriteState.APPLIED)
    assert _due(scene) == (newer.id,)
    assert _claim(scene, newer) is not None


def test_of_two_waiting_decisions_the_newest_stays(scene):
    _called(scene, scene.approve(new="24.90"))
    second = scene.approve(new="23.90", run=scene.another_night(30))
    third = scene.approve(new="22.90", run=scene.another_night(28))

    assert (scene.state(second), scene.action_state(second)) == (WriteState.CANCELLED, ActionState.SUPERSEDED)
    assert scene.state(third) is WriteState.WAITING


def test_decisions_about_one_product_at_once_leave_one_live_write(scene):
    runs = [scene.another_night(day) for day in range(20, 28)]
    gate = Barrier(len(runs))

    def approve(run: str) -> PriceWrite:
        gate.wait()
        return scene.approve(run=run)

    with ThreadPoolExecutor(len(runs)) as pool:
        decided = list(pool.map(approve, runs))

    states = sorted(scene.state(write).value for write in decided)
    assert states == ["cancelled"] * 7 + ["queued"]


def test_writes_of_different_products_do_not_wait_for_each_other(scene):
    first, second = scene.approve("A-1"), scene.approve("B-2")
    _called(scene, first)

    assert _claim(scene, second) is not None


def test_a_write_is_taken_back_only_before_it_starts(scene):
    taken_back, started = scene.approve("A-1"), scene.approve("B-2")
    _claim(scene, started)
    with scene.store.write() as unit:
        assert unit.writes.cancel(taken_back.action_id, 1)
        assert not unit.writes.cancel(taken_back.action_id, 1)
        assert not unit.writes.cancel(started.action_id, 1)

    assert scene.state(taken_back) is WriteState.CANCELLED
    assert _claim(scene, taken_back) is None


def test_a_write_that_may_have_reached_the_shop_cannot_be_taken_back(scene):
    write = scene.approve()
    _close(scene, _called(scene, write), WriteState.UNKNOWN, quarantine=timedelta(0))
    reading = _claim(scene, write)
    assert reading is not None
    with scene.store.write() as unit:
        unit.writes.requeue(reading, unit.now, "old price")
        assert not unit.writes.cancel(write.action_id, 1)


def test_a_write_whose_action_was_moved_by_somebody_else_is_not_made(scene):
    write = scene.approve()
    with scene.store.write() as unit:
        unit.actions.move(write.action_id, 1, ActionState.APPROVED, ActionState.SUPERSEDED)

    assert _claim(scene, write) is None
    assert (scene.state(write), scene.action_state(write)) == (WriteState.CANCELLED, ActionState.SUPERSEDED)


def test_what_was_approved_while_writes_were_off_is_released_or_has_expired(scene):
    scene.writes(enabled=False)
    held, old = scene.approve("A-1"), scene.approve("B-2")
    with scene.store.writer.begin() as connection:
        connection.exec_driver_sql(f"UPDATE actions SET expires_at = 0 WHERE id = {old.action_id}")
    with scene.store.write() as unit:
        assert unit.writes.release_dry_runs() == 1

    assert (scene.state(held), scene.action_state(held)) == (WriteState.QUEUED, ActionState.APPROVED)
    assert (scene.state(old), scene.action_state(old)) == (WriteState.EXPIRED, ActionState.EXPIRED)


def test_calls_are_counted_per_channel_and_hour(scene):
    _called(scene, scene.approve("A-1"))
    with scene.store.write() as unit:
        hour = unit.now - timedelta(hours=1)
        assert (unit.writes.written_since("shop", hour), unit.writes.written_since("erp", hour)) == (1, 0)

    scene.pass_time(minutes=61)
    with scene.store.write() as unit:
        assert unit.writes.written_since("shop", unit.now - timedelta(hours=1)) == 0


def test_whoever_counts_calls_holds_back_the_next_who_counts_until_its_attempt_is_committed(scene):
    write, counts, counted = scene.approve(), [], Event()

    def count() -> None:
        with scene.store.write() as unit:
            counts.append(unit.writes.written_since("shop", unit.now - timedelta(hours=1)))
        counted.set()

    claimed = _claim(scene, write)
    assert claimed is not None
    second = Thread(target=count)
    with scene.store.write() as unit:
        unit.writes.written_since("shop", unit.now - timedelta(hours=1))
        second.start()
        assert not counted.wait(0.3)
        unit.writes.call(claimed, {}, LEASE)
    second.join(30)

    assert counts == [1]


def test_a_finished_write_says_when_it_ended(scene):
    write = scene.approve()
    _close(scene, _called(scene, write), WriteState.FAILED, error="refused", after={"price": "27.90"})

    ended = scene.write(write.id)
    assert ended.finished_at is not None
    assert (ended.error, _claim(scene, write)) == ("refused", None)
    with scene.store.writer.begin() as connection:
        row = connection.execute(select(writes)).one()
    assert (row.before, row.after, row.owner) == ({"price": "27.90"}, {"price": "27.90"}, None)


def test_every_move_of_an_action_by_its_write_follows_the_listed_arrows():
    """Some are two arrows at once, such as back to approved and on to expired."""
    moves = {outcome_of(state) for state in WriteState if ends(state)} | {
        ActionState.APPROVED,
        ActionState.EXECUTING,
        ActionState.UNKNOWN,
        ActionState.SUPERSEDED,
    }

    for new in moves:
        for old in came_from(new):
            assert any(
                all(there in ARROWS.get(here, ()) for here, there in pairwise(path))
                for path in [(old, new), *((old, via, new) for via in ActionState)]
            ), f"{old} to {new}"

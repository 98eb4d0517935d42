"""What holds an approved price back at the last moment: the kill switch, a lock, a newer night, a shut shop."""

from datetime import timedelta
from decimal import Decimal

import pytest

from monitor.domain.action import ActionState, WriteState
from monitor.domain.money import Money
from monitor.ports.shop import AccessRefused
from tests.fake_shop import BatchShop, FakeShop, Fault
from tests.review_scene import a_proposal
from tests.write_scene import WriteScene

NEW = Money(Decimal("24.90"), "EUR")


def _throw(scene: WriteScene, *, is_stopped: bool) -> None:
    with scene.store.write() as unit:
        unit.holds.throw(is_stopped=is_stopped, by="anna", reason="prices look odd")


def test_once_the_kill_switch_is_thrown_no_call_begins_until_it_is_thrown_back(both, books, shop):
    write = both.approve()
    _throw(both, is_stopped=True)

    assert both.submit(shop) == ()
    assert (both.state(write), books.calls, both.action_state(write)) == (WriteState.QUEUED, [], ActionState.APPROVED)

    _throw(both, is_stopped=False)
    both.submit(shop)
    assert (both.state(write), books.changes) == (WriteState.APPLIED, [("A-1", NEW)])


def test_the_kill_switch_thrown_between_reading_and_calling_still_stops_the_call(scene, books, shop):
    write = scene.approve()

    class Stopping(FakeShop):
        def read(self, sku):
            _throw(scene, is_stopped=True)
            return super().read(sku)

    (result,) = scene.submit(Stopping(books))

    assert (result.state, books.calls) == (WriteState.QUEUED, [])
    assert result.words == "anna stopped all writes (prices look odd); it waits"
    assert scene.action_state(write) is ActionState.APPROVED


def test_what_is_unknown_is_settled_by_reading_while_all_writes_are_stopped(scene, books, shop):
    books.faults.append(Fault.HANG_AFTER_COMMIT)
    write = scene.approve()
    scene.submit(shop)
    _throw(scene, is_stopped=True)
    scene.pass_time(seconds=61)

    scene.submit(shop)

    assert (scene.state(write), len(books.calls)) == (WriteState.APPLIED, 1)


def test_an_unknown_write_that_did_not_arrive_is_not_sent_again_while_all_writes_are_stopped(scene, books, shop):
    books.faults.append(Fault.ERROR_BEFORE)
    write = scene.approve()
    scene.submit(shop)
    _throw(scene, is_stopped=True)
    for _ in range(5):
        scene.pass_time(minutes=20)
        scene.submit(shop)

    assert (scene.state(write), len(books.calls)) == (WriteState.QUEUED, 1)


def test_a_product_that_a_person_locked_after_approving_is_not_written(both, books, shop):
    write = both.approve()
    with both.store.write() as unit:
        unit.holds.lock("A-1", by="zoe", until=unit.now + timedelta(days=6), reason="campaign")

    (result,) = both.submit(shop)

    assert (both.state(write), books.calls) == (WriteState.FAILED, [])
    assert result.words.startswith("zoe locked this price until 20")
    assert result.words.endswith("(campaign). Nothing was sent")
    assert [alert.key.rpartition(":")[2] for alert in both.alerts()] == ["failed"]


def test_a_lock_that_has_ended_or_was_taken_away_holds_nothing(both, books, shop):
    with both.store.write() as unit:
        unit.holds.lock("A-1", by="zoe", until=unit.now - timedelta(seconds=1), reason=None)
        unit.holds.lock("B-2", by="zoe", until=None, reason=None)
        assert list(unit.holds.locks()) == ["B-2"]
        assert unit.holds.release("B-2", by="anna") is not None
        assert unit.holds.release("B-2", by="anna") is None
        assert unit.holds.locks(["A-1", "B-2"]) == {}
    first, second = both.approve(), both.approve("B-2", "50.00", "49.00")

    both.submit(shop)

    assert [both.state(write) for write in (first, second)] == [WriteState.APPLIED] * 2


def test_a_second_lock_takes_the_place_of_the_first_and_both_stay_on_record(both):
    with both.store.write() as unit:
        unit.holds.lock("A-1", by="zoe", until=None, reason="one")
        unit.holds.lock("A-1", by="anna", until=None, reason="two")

        assert [lock.reason for lock in unit.holds.locks().values()] == ["two"]
        assert [(lock.reason, lock.released_by) for lock in unit.holds.history(9)] == [("two", None), ("one", "anna")]


def test_a_shop_that_lets_nobody_in_keeps_the_approval_and_tells_a_person_once_a_day(scene, books):
    class Shut(FakeShop):
        is_shut = True

        def read(self, sku):
            if self.is_shut:
                raise AccessRefused("the token is not accepted")
            return super().read(sku)

    shut, write = Shut(books), scene.approve()
    for _ in range(3):
        (result,) = scene.submit(shut)
        scene.pass_time(minutes=20)

    assert (result.state, scene.action_state(write)) == (WriteState.QUEUED, ActionState.APPROVED)
    (alert,) = scene.alerts()
    assert "does not let the monitor in (the token is not accepted)" in alert.words

    shut.is_shut = False
    scene.submit(shut)
    assert scene.state(write) is WriteState.APPLIED


def test_a_write_approved_for_another_shop_is_not_made_in_this_one(scene, books, shop):
    write = scene.approve()
    scene.writes(channel="outlet")

    (result,) = scene.submit(shop)

    assert (scene.state(write), books.calls) == (WriteState.FAILED, [])
    assert "approved for the channel shop, and this installation writes to outlet now" in result.words


@pytest.mark.parametrize(("tonight", "left"), [("23.90", WriteState.CANCELLED), ("24.90", WriteState.QUEUED)])
def test_a_later_night_that_proposes_another_price_takes_back_what_was_not_begun(both, books, tonight, left):
    """The same price again leaves the approval; another one asks the person anew."""
    write = both.approve()
    later = both.another_night()
    with both.store.write() as unit:
        newer, _ = unit.actions.propose(a_proposal("A-1", "27.90", tonight, run_id=later))
        unit.writes.withdraw(newer)

    assert both.state(write) is left
    is_taken_back = left is WriteState.CANCELLED
    assert both.action_state(write) is (ActionState.SUPERSEDED if is_taken_back else ActionState.APPROVED)
    assert both.action(write).superseded_by == (newer.id if is_taken_back else None)


def test_a_later_night_lets_a_write_that_was_begun_finish(scene, books, shop):
    books.faults.append(Fault.ERROR_BEFORE)
    write = scene.approve()
    scene.submit(shop)
    later = scene.another_night()
    with scene.store.write() as unit:
        newer, _ = unit.actions.propose(a_proposal("A-1", "27.90", "23.90", run_id=later))
        assert unit.writes.withdraw(newer) == ()
    for _ in range(3):
        scene.pass_time(seconds=61)
        scene.submit(shop)

    assert (scene.state(write), books.changes) == (WriteState.APPLIED, [("A-1", NEW)])


def test_each_write_of_one_call_has_its_own_outcome(both, books):
    """Three taken, one refused because the product is gone, one that the answer does not mention."""
    books.prices |= {sku: Money(Decimal(50), "EUR") for sku in ("C-3", "D-4", "E-5")}
    writes = {
        sku: both.approve(sku, "50.00" if sku != "A-1" else "27.90", "45.00" if sku != "A-1" else "24.90")
        for sku in ("A-1", "B-2", "C-3", "D-4", "E-5")
    }
    shop = BatchShop(books, gone={"D-4"}, forgotten={"E-5"})

    results = both.submit(shop)

    assert shop.batches == [["A-1", "B-2", "C-3", "D-4", "E-5"]]
    assert len(results) == 5
    states = {sku: both.state(write) for sku, write in writes.items()}
    assert states == {
        "A-1": WriteState.APPLIED,
        "B-2": WriteState.APPLIED,
        "C-3": WriteState.APPLIED,
        "D-4": WriteState.TARGET_GONE,
        "E-5": WriteState.UNKNOWN,
    }
    shop.forgotten.clear()
    for _ in range(3):
        both.pass_time(seconds=61)
        both.submit(shop)
    assert both.state(writes["E-5"]) is WriteState.APPLIED
    assert shop.batches[1:] == [["E-5"]]
    assert len(books.changes) == 4


def test_the_hourly_cap_cuts_a_batch(both, books):
    both.writes(hourly_cap=1)
    first, second = both.approve(), both.approve("B-2", "50.00", "45.00")

    both.submit(BatchShop(books))

    assert sorted((both.state(first), both.state(second))) == [WriteState.APPLIED, WriteState.QUEUED]
    assert len(books.changes) == 1

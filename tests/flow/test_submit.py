"""An approved price reaches the shop once, whatever goes wrong, and what is not known is said to be unknown."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from decimal import Decimal
from threading import Barrier
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from monitor.adapters.db.schema import writes
from monitor.domain.action import ActionState, PriceWrite, WriteState
from monitor.domain.message import AlertKind
from monitor.domain.money import Money
from tests.fake_shop import Books, FakeShop, Fault
from tests.write_scene import LEASE, WriteScene

NEW = Money(Decimal("24.90"), "EUR")


def _until_settled(scene: WriteScene, shop: FakeShop, write: PriceWrite, rounds: int = 20) -> WriteState:
    for _ in range(rounds):
        scene.submit(shop)
        if scene.write(write.id).finished_at:
            break
        scene.pass_time(minutes=20)
    return scene.state(write)


def _kinds(scene: WriteScene) -> list[str]:
    return [alert.key.rpartition(":")[2] for alert in scene.alerts() if alert.kind is AlertKind.WRITE]


def test_an_approved_price_is_written_read_back_and_recorded(both, books, shop):
    write = both.approve()

    (result,) = both.submit(shop)

    assert (result.state, result.sku, result.words) == (WriteState.APPLIED, "A-1", "the shop has 24.90 EUR")
    assert books.changes == [("A-1", NEW)]
    assert books.calls == [write.idempotency_key]
    assert both.action_state(write) is ActionState.APPLIED
    with both.store.writer.begin() as connection:
        row = connection.execute(select(writes)).one()
    assert (row.before["price"], row.after["price"], row.error) == ("27.90", "24.90", None)
    assert both.submit(shop) == ()
    assert both.alerts() == []


def test_twenty_workers_at_once_make_one_call(both, books, shop):
    both.approve()
    gate = Barrier(20)

    def work(_: int) -> None:
        gate.wait()
        both.submit(shop)

    with ThreadPoolExecutor(20) as pool:
        list(pool.map(work, range(20)))

    assert (len(books.calls), books.changes) == (1, [("A-1", NEW)])


@pytest.mark.parametrize(
    ("fault", "state", "changes", "calls"),
    [
        (Fault.HANG_AFTER_COMMIT, WriteState.APPLIED, 1, 1),
        (Fault.ERROR_AFTER, WriteState.APPLIED, 1, 1),
        (Fault.ERROR_BEFORE, WriteState.APPLIED, 1, 2),
        (Fault.RESET, WriteState.APPLIED, 1, 2),
        (Fault.SILENT_NOOP, WriteState.APPLIED, 1, 2),
        (Fault.THROTTLE, WriteState.APPLIED, 1, 2),
        (Fault.REFUSE, WriteState.FAILED, 0, 1),
        (Fault.DRIFT, WriteState.CONFLICT, 1, 1),
    ],
)
def test_after_any_single_fault_the_shop_has_the_price_once_or_a_person_is_told(
    scene, books, shop, fault, state, changes, calls
):
    write = scene.approve()
    books.faults.append(fault)

    assert _until_settled(scene, shop, write) is state
    assert (len(books.changes), len(books.calls), len(set(books.calls))) == (changes, calls, 1)
    assert scene.action_state(write) == ActionState(state.value)


def test_an_unclear_call_is_not_touched_before_its_quarantine_is_over(scene, books, shop):
    write = scene.approve()
    books.faults.append(Fault.RESET)

    (result,) = scene.submit(shop)
    assert (result.state, scene.submit(shop)) == (WriteState.UNKNOWN, ())
    scene.pass_time(seconds=59)
    assert scene.submit(shop) == ()
    scene.pass_time(seconds=2)
    assert [result.state for result in scene.submit(shop)] == [WriteState.QUEUED]
    assert [result.state for result in scene.submit(shop)] == [WriteState.APPLIED]
    assert scene.action_state(write) is ActionState.APPLIED


def test_a_call_that_lands_late_is_counted_as_ours(scene, books, shop):
    write = scene.approve()
    books.faults.append(Fault.LATE)
    scene.submit(shop)
    scene.pass_time(seconds=61)
    scene.submit(shop)  # the old price is still there, so the write is queued again
    books.land()

    scene.submit(shop)

    assert (scene.state(write), books.changes, len(books.calls)) == (WriteState.APPLIED, [("A-1", NEW)], 1)


def test_a_late_call_cannot_overwrite_a_newer_decision(scene, books, shop):
    older = scene.approve()
    books.faults.append(Fault.LATE)
    scene.submit(shop)
    newer = scene.approve(new="23.90", run=scene.another_night())
    assert scene.submit(shop) == ()
    books.land()

    scene.pass_time(seconds=61)
    scene.submit(shop)
    scene.submit(shop)

    assert scene.state(older) is WriteState.APPLIED
    assert scene.state(newer) is WriteState.CONFLICT, "it was decided on 27.90, and the shop has 24.90 now"
    assert books.changes == [("A-1", NEW)]


def test_a_shop_that_stores_nothing_is_given_up_after_three_calls(scene, books, shop):
    write = scene.approve()
    books.faults.extend([Fault.SILENT_NOOP] * 5)

    assert _until_settled(scene, shop, write) is WriteState.FAILED
    assert (len(books.calls), len(set(books.calls)), books.changes) == (3, 1, [])
    assert _kinds(scene) == ["unknown", "failed"]
    assert "after 3 calls" in scene.alerts()[-1].words


def test_throttling_never_uses_up_the_attempts(scene, books, shop):
    write = scene.approve()
    books.faults.extend([Fault.THROTTLE] * 5)

    assert _until_settled(scene, shop, write) is WriteState.APPLIED
    assert (scene.write(write.id).attempts, len(books.changes), scene.alerts()) == (1, 1, [])


def test_a_price_that_somebody_changed_is_not_overwritten(scene, books, shop):
    write = scene.approve()
    books.somebody_sets("A-1", "26.00")

    (result,) = scene.submit(shop)

    assert (result.state, books.calls) == (WriteState.CONFLICT, [])
    assert result.words == "the shop has 26.00 EUR, but 27.90 EUR was decided on; propose it again"
    assert scene.action_state(write) is ActionState.CONFLICT
    (alert,) = scene.alerts()
    assert (alert.kind, alert.run_id) == (AlertKind.WRITE, "nightly-2026-11-29")
    assert alert.words.startswith("A-1 (Product A-1), 27.90 EUR to 24.90 EUR: conflict, the shop has 26.00 EUR")


def test_a_shop_that_has_the_price_already_is_not_written(scene, books, shop):
    write = scene.approve()
    books.somebody_sets("A-1", "24.9000")

    scene.submit(shop)

    assert (scene.state(write), books.calls, scene.alerts()) == (WriteState.APPLIED_NOOP, [], [])


def test_a_product_that_the_shop_no_longer_has_is_said_to_be_gone(scene, books, shop):
    write = scene.approve()
    del books.prices["A-1"]

    scene.submit(shop)

    assert scene.action_state(write) is ActionState.TARGET_GONE
    assert _kinds(scene) == ["target_gone"]


def test_a_price_in_another_currency_is_refused_before_any_call(scene, books, shop):
    write = scene.approve()
    books.somebody_sets("A-1", "27.90", "USD")

    (result,) = scene.submit(shop)

    assert (scene.state(write), books.calls) == (WriteState.FAILED, [])
    assert result.words == (
        "the shop's currency changed since the proposal: it sells in USD, the price was approved in EUR. "
        "Nothing was sent"
    )


@pytest.mark.parametrize(
    ("new", "facts", "words"),
    [
        ("0", {}, "the approved price 0 is not above zero"),
        ("13.90", {}, "a step from 27.90 EUR to 13.90 EUR is more than writes.max_step_pct = 50 allows"),
        (
            "24.90",
            {"limits": {"lower": {"code": "min_price", "amount": "25.00"}, "upper": None}},
            "the approved price 24.90 EUR is below the lowest that was allowed, 25.00",
        ),
        (
            "24.90",
            {"limits": {"lower": None, "upper": {"code": "max_price", "amount": "24.00"}}},
            "the approved price 24.90 EUR is above the highest that was allowed, 24.00",
        ),
    ],
)
def test_the_rails_hold_whatever_was_approved(scene, books, shop, new, facts, words):
    write = scene.approve(new=new, facts=facts)

    (result,) = scene.submit(shop)

    assert (scene.state(write), books.calls, result.words) == (WriteState.FAILED, [], f"{words}. Nothing was sent")


def test_what_was_approved_too_long_ago_is_not_written(scene, books, shop):
    write = scene.approve()
    scene.pass_time(hours=49)

    (result,) = scene.submit(shop)

    assert (result.state, books.calls, scene.action_state(write)) == (WriteState.EXPIRED, [], ActionState.EXPIRED)
    assert _kinds(scene) == ["expired"]


def test_a_shop_that_does_not_answer_is_asked_again_later_and_the_round_ends(scene, books, shop):
    first, second = scene.approve("A-1"), scene.approve("B-2", "50.00", "49.00")
    shop.is_closed = True

    (result,) = scene.submit(shop)

    assert (result.state, result.shop_is_silent) == (WriteState.QUEUED, True)
    assert scene.action_state(first) is ActionState.APPROVED
    shop.is_closed = False
    scene.submit(shop)
    assert [scene.state(first), scene.state(second)] == [WriteState.QUEUED, WriteState.APPLIED]
    scene.pass_time(seconds=16)
    scene.submit(shop)
    assert (scene.state(first), scene.alerts()) == (WriteState.APPLIED, [])


def test_the_time_between_tries_grows_to_a_quarter_of_an_hour(scene, books, shop):
    write = scene.approve(expires_at=scene.clock.now() + timedelta(days=30))
    shop.is_closed = True
    waits = []
    for _ in range(8):
        scene.submit(shop)
        waits.append(round((scene.write(write.id).not_before - scene.clock.now()).total_seconds()))
        scene.pass_time(minutes=15, seconds=1)

    assert waits == [15, 30, 60, 120, 240, 480, 900, 900]


def test_a_shop_that_refuses_to_be_read_is_not_written(scene, books, shop):
    write = scene.approve()
    shop.refuses_reading = True

    scene.submit(shop)

    assert (scene.state(write), books.calls) == (WriteState.FAILED, [])


def test_an_unknown_write_stays_unknown_while_the_shop_cannot_be_read(scene, books, shop):
    write = scene.approve()
    books.faults.append(Fault.HANG_AFTER_COMMIT)
    scene.submit(shop)
    shop.refuses_reading = True
    for _ in range(3):
        scene.pass_time(minutes=20)
        (result,) = scene.submit(shop)
        assert result.state is WriteState.UNKNOWN

    shop.refuses_reading = False
    scene.pass_time(minutes=20)
    scene.submit(shop)
    assert (scene.state(write), len(books.changes)) == (WriteState.APPLIED, 1)
    assert _kinds(scene) == ["unknown"], "one alert, however often it was looked at"


def test_a_worker_that_died_during_the_call_leaves_an_unknown_write_that_is_settled_by_reading(both, books, shop):
    write = both.approve()
    with both.store.write() as unit:
        claimed = unit.writes.claim(write.id, "worker-that-dies", LEASE)
        assert claimed is not None
        unit.writes.call(claimed, {"price": "27.90"}, LEASE)
    shop.write(claimed)

    assert both.submit(shop) == ()
    both.pass_time(seconds=121)
    assert both.submit(shop) == ()
    assert both.state(write) is WriteState.UNKNOWN
    both.pass_time(seconds=61)
    both.submit(shop)
    assert (both.state(write), len(books.changes), len(books.calls)) == (WriteState.APPLIED, 1, 1)
    assert _kinds(both) == ["unknown"]


def test_a_worker_that_was_too_slow_leaves_the_outcome_to_whoever_reads(scene, books, shop):
    write = scene.approve()

    class SlowShop(FakeShop):
        def write(self, write: PriceWrite) -> str:
            answer = super().write(write)
            scene.pass_time(minutes=3)
            with scene.store.write() as unit:
                unit.writes.lost(10)
            return answer

    assert scene.submit(SlowShop(books)) == ()
    assert scene.state(write) is WriteState.UNKNOWN
    scene.pass_time(seconds=61)
    scene.submit(shop)
    assert (scene.state(write), len(books.changes)) == (WriteState.APPLIED, 1)


def test_with_writes_off_the_shop_is_compared_once_and_never_called(scene, books, shop):
    scene.writes(enabled=False)
    write = scene.approve()

    (rehearsed,) = scene.submit(shop)
    assert (rehearsed.state, rehearsed.words) == (WriteState.DRY_RUN, "27.90 EUR to 24.90 EUR")
    assert scene.submit(shop) == ()
    assert (scene.action_state(write), books.calls) == (ActionState.APPROVED, [])
    with scene.store.writer.begin() as connection:
        row = connection.execute(select(writes)).one()
    assert row.before["price"] == "27.90"
    assert row.after == {
        "would_be": "calling",
        "words": "27.90 EUR to 24.90 EUR",
        "would_write": {"price": "24.90", "currency": "EUR", "compare_at": {"action": "keep"}},
    }

    scene.writes(enabled=True)
    scene.submit(shop)
    assert (scene.state(write), books.changes) == (WriteState.APPLIED, [("A-1", NEW)])


def test_a_rehearsal_tells_of_a_conflict_and_closes_nothing(scene, books, shop):
    scene.writes(enabled=False)
    write = scene.approve()
    books.somebody_sets("A-1", "26.00")

    (rehearsed,) = scene.submit(shop)

    assert rehearsed.words.startswith("the shop has 26.00 EUR")
    assert (scene.state(write), scene.alerts()) == (WriteState.DRY_RUN, [])


def test_the_kill_switch_holds_what_was_queued_before_it_was_thrown(scene, books, shop):
    write = scene.approve()
    scene.writes(enabled=False)

    scene.submit(shop)

    assert (scene.state(write), books.calls) == (WriteState.DRY_RUN, [])
    scene.writes(enabled=True)
    scene.submit(shop)
    assert scene.state(write) is WriteState.APPLIED


def test_an_unknown_write_is_settled_by_reading_even_with_writes_off(scene, books, shop):
    write = scene.approve()
    books.faults.append(Fault.HANG_AFTER_COMMIT)
    scene.submit(shop)
    scene.writes(enabled=False)
    scene.pass_time(seconds=61)

    scene.submit(shop)

    assert (scene.state(write), len(books.calls)) == (WriteState.APPLIED, 1)


def test_the_hourly_cap_holds_the_rest_back_and_says_so(scene, books, shop):
    scene.writes(hourly_cap=1)
    scene.approve("A-1")
    waits = scene.approve("B-2", "50.00", "49.00")

    applied, capped = scene.submit(shop)

    assert (applied.state, capped.state) == (WriteState.APPLIED, WriteState.QUEUED)
    assert capped.words == "the hourly cap of 1 writes is reached; it waits"
    (alert,) = scene.alerts()
    assert alert.words == (
        "shop: 1 prices were written within an hour, the rest waits. Raise writes.hourly_cap if meant."
    )
    scene.pass_time(minutes=61)
    scene.submit(shop)
    assert scene.state(waits) is WriteState.APPLIED


def test_the_hourly_cap_is_exact_among_many_workers(both):
    skus = [f"C-{number}" for number in range(12)]
    books = Books(**dict.fromkeys(skus, "27.90"))
    both.writes(hourly_cap=3)
    for sku in skus:
        both.approve(sku)
    gate = Barrier(6)

    def work(_: int) -> None:
        gate.wait()
        both.submit(FakeShop(books), limit=20)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(6)))

    assert len(books.calls) == 3


def test_a_round_does_no_more_than_its_limit(scene, books, shop):
    scene.approve("A-1")
    scene.approve("B-2", "50.00", "49.00")

    assert len(scene.submit(shop, limit=1)) == 1
    assert len(scene.submit(shop, limit=1)) == 1
    assert len(books.changes) == 2


class _UnreadableShop(FakeShop):
    """Its answer to a write is all there is, as of a webhook whose receiver offers no reading."""

    reads = False

    def read(self, sku: str) -> Money | None:
        raise AssertionError("nobody may ask a shop that cannot be read")


def test_a_shop_that_cannot_be_read_is_taken_at_its_word_and_the_record_says_so(scene, books):
    write = scene.approve()

    (result,) = scene.submit(_UnreadableShop(books))

    assert result.words == "the shop answered 'set'; it cannot be read back"
    assert (scene.state(write), len(books.changes)) == (WriteState.APPLIED, 1)
    with scene.store.writer.begin() as connection:
        assert connection.execute(select(writes.c.after)).scalar_one() == {"read": None}


def test_a_shop_that_cannot_be_read_is_told_again_under_the_same_key(scene, books):
    write = scene.approve()
    books.faults.extend([Fault.HANG_AFTER_COMMIT, Fault.ERROR_BEFORE])

    assert _until_settled(scene, _UnreadableShop(books), write) is WriteState.APPLIED
    assert (len(books.calls), len(set(books.calls)), len(books.changes)) == (3, 1, 1)


def test_a_shop_that_cannot_be_read_and_never_answers_clearly_is_given_to_a_person(scene, books):
    write = scene.approve()
    books.faults.extend([Fault.HANG_AFTER_COMMIT] * 9)

    assert _until_settled(scene, _UnreadableShop(books), write) is WriteState.FAILED
    assert (len(books.calls), len(books.changes)) == (3, 1)
    assert "3 calls had no clear answer" in scene.alerts()[-1].words


def test_what_expires_with_calls_unanswered_is_not_called_unwritten(scene, books):
    write = scene.approve()
    books.faults.append(Fault.HANG_AFTER_COMMIT)
    shop = _UnreadableShop(books)
    scene.submit(shop)
    scene.pass_time(seconds=61)
    scene.submit(shop)
    scene.pass_time(hours=48)

    (result,) = scene.submit(shop)

    assert result.state is WriteState.FAILED
    assert "1 call had no clear answer: look what the shop made of it" in result.words
    assert len(books.changes) == 1
    assert scene.action_state(write) is ActionState.FAILED


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    faults=st.lists(st.sampled_from(Fault), max_size=5),
    reads=st.lists(st.sampled_from(["open", "closed", "refused"]), max_size=5),
    lands=st.integers(0, 6),
)
def test_whatever_happens_the_price_is_changed_at_most_once_and_its_record_is_true(scene, faults, reads, lands):
    sku = f"P-{uuid4()}"
    books = Books()
    books.somebody_sets(sku, "27.90")
    books.faults.extend(faults)
    shop = FakeShop(books)
    write = scene.approve(sku, expires_at=scene.clock.now() + timedelta(days=30))
    for turn in range(24):
        mood = reads[turn] if turn < len(reads) else "open"
        shop.is_closed, shop.refuses_reading = mood == "closed", mood == "refused"
        scene.submit(shop)
        if turn == lands:
            books.land()
        scene.pass_time(minutes=20)
        if scene.write(write.id).finished_at:
            break
    books.land()

    state, ours = scene.state(write), [price for changed, price in books.changes if changed == sku]
    assert scene.write(write.id).finished_at, f"still {state}"
    assert len(ours) <= 1
    assert len(set(books.calls)) <= 1
    assert scene.action_state(write).value == state.value
    if state in (WriteState.APPLIED, WriteState.APPLIED_NOOP):
        assert books.prices[sku] == NEW
    else:
        assert any(write.id in alert.key for alert in scene.alerts())

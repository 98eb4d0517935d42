"""Actions and decisions, on both databases."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from sqlalchemy.exc import DatabaseError, IntegrityError

from monitor.adapters.db.triggers import DROP_STATEMENTS
from monitor.domain.action import Action, ActionState, Verb
from tests.review_scene import BY_ANNA, Scene, SetClock, a_proposal, a_run

SOON = datetime.now(UTC) + timedelta(days=2)


@pytest.fixture
def scene(migrated_url: str) -> Iterator[Scene]:
    """The time is the real one, because PostgreSQL's cannot be set."""
    made = Scene(migrated_url, SetClock(datetime.now(UTC)))
    yield made
    made.close()


def proposed(scene: Scene, sku: str = "A-1", new: str = "26.90", **other: object) -> tuple[Action, bool]:
    with scene.store.write() as unit:
        return unit.actions.propose(a_proposal(sku, new=new, **({"expires_at": SOON} | other)))


def decided(scene: Scene, action: Action, verb: Verb = Verb.APPROVE, batch: str = "b1", **other: object) -> bool:
    arguments = {"reason": None, "until": None} | other
    with scene.store.write() as unit:
        return unit.actions.decide(action, verb, BY_ANNA, batch=batch, **arguments)  # type: ignore[arg-type]


def test_the_same_proposal_is_stored_once(scene: Scene) -> None:
    first, is_first_new = proposed(scene)
    second, is_second_new = proposed(scene)

    assert (is_first_new, is_second_new) == (True, False)
    assert second == first
    assert first.proposal.new_price == Decimal("26.90")
    assert first.version == 1


def test_another_target_while_pending_is_the_next_version(scene: Scene) -> None:
    first, _ = proposed(scene)
    second, is_new = proposed(scene, new="25.90")

    assert is_new
    assert (second.id, second.version) == (first.id, 2)
    assert second.content_hash != first.content_hash


def test_a_decided_proposal_stays_as_it_was_decided(scene: Scene) -> None:
    first, _ = proposed(scene)
    assert decided(scene, first, Verb.REJECT)

    again, is_new = proposed(scene, new="25.90")

    assert not is_new
    assert again.state is ActionState.REJECTED
    assert again.proposal.new_price == Decimal("26.90")


def test_a_later_night_closes_what_is_still_open_for_the_same_product(scene: Scene) -> None:
    old, _ = proposed(scene)
    other, _ = proposed(scene, "B-2")
    with scene.store.write() as unit:
        tonight = a_run(unit, date(2026, 11, 30))
        new, _ = unit.actions.propose(a_proposal(run_id=tonight.id, expires_at=SOON))
        assert unit.actions.supersede(new) == (old.id,)

    assert scene.action(old.id).state is ActionState.SUPERSEDED
    assert scene.action(old.id).superseded_by == new.id
    assert scene.action(other.id).state is ActionState.PENDING
    with scene.store.read() as unit:
        assert unit.actions.pending() == (new, other)
        assert [action.id for action in unit.actions.of_sku("A-1")] == [new.id, old.id]


def test_a_decision_keeps_who_why_and_what_was_shown(scene: Scene) -> None:
    action, _ = proposed(scene)
    assert decided(scene, action, Verb.REJECT, reason="Not the same product")

    with scene.store.read() as unit:
        (decision,) = unit.actions.decisions(action.id)
        assert unit.actions.batch("b1") == (decision,)
        assert unit.actions.decisions_of([action.id, 999]) == {action.id: (decision,)}
    assert (decision.verb, decision.actor, decision.reason) == (Verb.REJECT, BY_ANNA, "Not the same product")
    assert decision.figures["new_price"] == "26.90"
    assert decision.figures["content_hash"] == action.content_hash


@pytest.mark.parametrize("seen", [{"version": 2}, {"content_hash": "0" * 64}])
def test_what_was_not_seen_as_it_is_cannot_be_decided(scene: Scene, seen: dict[str, object]) -> None:
    action, _ = proposed(scene)

    assert not decided(scene, replace(action, **seen))  # type: ignore[arg-type]
    assert scene.decisions_of(action.id) == []


def test_an_expired_proposal_cannot_be_decided_even_before_the_sweep_comes(scene: Scene) -> None:
    action, _ = proposed(scene, expires_at=datetime.now(UTC) - timedelta(seconds=1))

    assert not decided(scene, action)
    with scene.store.write() as unit:
        assert unit.actions.pending() == ()
        assert unit.actions.expire(10) == (action.id,)
    assert scene.action(action.id).state is ActionState.EXPIRED


def test_a_snoozed_proposal_wakes_when_its_date_has_come(scene: Scene) -> None:
    first, second = proposed(scene)[0], proposed(scene, "B-2")[0]
    past, future = datetime.now(UTC) - timedelta(seconds=1), datetime.now(UTC) + timedelta(hours=1)
    assert decided(scene, first, Verb.SNOOZE, until=past)
    assert decided(scene, second, Verb.SNOOZE, until=future)

    with scene.store.write() as unit:
        assert unit.actions.expire(10) == ()

    assert scene.action(first.id).state is ActionState.PENDING
    assert scene.action(second.id).state is ActionState.SNOOZED


def test_the_sweep_takes_no_more_than_it_was_told(scene: Scene) -> None:
    gone = datetime.now(UTC) - timedelta(seconds=1)
    ids = [proposed(scene, sku, expires_at=gone)[0].id for sku in ("A", "B", "C")]

    with scene.store.write() as unit:
        assert unit.actions.expire(2) == tuple(ids[:2])
    with scene.store.write() as unit:
        assert unit.actions.expire(2) == (ids[2],)


def test_a_move_hits_only_the_state_it_names_and_only_along_an_arrow(scene: Scene) -> None:
    action, _ = proposed(scene)
    with scene.store.write() as unit:
        assert not unit.actions.move(action.id, 1, ActionState.APPROVED, ActionState.EXECUTING)
        assert unit.actions.move(action.id, 1, ActionState.PENDING, ActionState.EXPIRED)
        with pytest.raises(ValueError, match="no arrow"):
            unit.actions.move(action.id, 1, ActionState.EXPIRED, ActionState.APPROVED)


def test_a_version_has_one_live_decision_whatever_the_program_does(scene: Scene) -> None:
    action, _ = proposed(scene)
    assert decided(scene, action)
    with pytest.raises(IntegrityError), scene.store.write() as unit:
        unit.actions._append(action, Verb.REJECT, BY_ANNA, batch="b2", reason=None)

    assert scene.decisions_of(action.id) == [Verb.APPROVE]


def test_of_many_deciding_at_once_one_hits(scene: Scene) -> None:
    action, _ = proposed(scene)
    barrier, hits = threading.Barrier(8), []

    def press(number: int) -> None:
        barrier.wait()
        verb = Verb.APPROVE if number % 2 else Verb.REJECT
        if decided(scene, action, verb, f"b{number}"):
            hits.append(verb)

    threads = [threading.Thread(target=press, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(hits) == 1
    assert scene.decisions_of(action.id) == hits


def test_counts_are_by_state(scene: Scene) -> None:
    first = proposed(scene)[0]
    proposed(scene, "B-2")
    assert decided(scene, first)

    with scene.store.read() as unit:
        assert unit.actions.counts(scene.run.id) == {ActionState.APPROVED: 1, ActionState.PENDING: 1}


@pytest.mark.parametrize("change", ["UPDATE decisions SET reason = 'other'", "DELETE FROM decisions"])
def test_the_database_refuses_to_change_or_remove_a_decision(scene: Scene, change: str) -> None:
    action, _ = proposed(scene)
    assert decided(scene, action)

    with pytest.raises(DatabaseError, match="append-only"), scene.store.writer.begin() as connection:
        connection.exec_driver_sql(change)
    assert scene.decisions_of(action.id) == [Verb.APPROVE]


def test_the_triggers_can_be_dropped_for_a_downgrade(scene: Scene) -> None:
    action, _ = proposed(scene)
    assert decided(scene, action)
    with scene.store.writer.begin() as connection:
        for statement in DROP_STATEMENTS[connection.dialect.name]:
            connection.exec_driver_sql(statement)
        assert connection.exec_driver_sql("DELETE FROM decisions").rowcount == 1

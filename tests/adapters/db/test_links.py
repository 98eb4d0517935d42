"""Review links and the numbers of their forms, on both databases."""

import threading
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

import pytest

from monitor.ports.review import Link
from tests.review_scene import ANNA, Scene, SetClock, a_run

NOW = timedelta(0)
HOUR = timedelta(hours=1)


@pytest.fixture
def scene(migrated_url: str) -> Iterator[Scene]:
    made = Scene(migrated_url, SetClock(datetime.now(UTC)))
    yield made
    made.close()


def a_link(scene: Scene, link_id: str = "l1", recipient: str = ANNA) -> Link:
    now = datetime.now(UTC).replace(microsecond=0)
    made = Link(link_id, scene.run.id, recipient, "review", now, now + HOUR, None, "hash", 0, None)
    with scene.store.write() as unit:
        return unit.links.issue(made)


def spend(scene: Scene, batch: str, digest: str = "d1", min_age: timedelta = NOW, link_id: str = "l1") -> str | None:
    with scene.store.write() as unit:
        return unit.links.use_nonce(link_id, digest, batch, min_age)


def issue_nonce(scene: Scene, digest: str = "d1", lifetime: timedelta = HOUR) -> None:
    with scene.store.write() as unit:
        unit.links.issue_nonce("l1", digest, lifetime)


def test_a_recipient_has_one_link_for_a_run(scene: Scene) -> None:
    first = a_link(scene)
    again = a_link(scene, "l2")
    other = a_link(scene, "l3", "zoe@example.com")

    assert again == first
    with scene.store.read() as unit:
        assert unit.links.of_run(scene.run.id) == (first, other)
        assert unit.links.get("l1") == first
        assert unit.links.get("l2") is None


def test_an_end_that_was_set_gives_way_to_an_earlier_one_only(scene: Scene) -> None:
    a_link(scene)
    now = scene.clock.now()
    with scene.store.write() as unit:
        for hours, moved in ((4, 1), (6, 0), (2, 1)):
            assert unit.links.revoke([scene.run.id], "a newer one", at=now + timedelta(hours=hours)) == moved
        link = unit.links.get("l1")
    assert link is not None
    assert link.revoked_at == now + timedelta(hours=2)


def test_a_revoked_link_says_so(scene: Scene) -> None:
    a_link(scene)
    with scene.store.write() as unit:
        other = a_run(unit, date(2026, 11, 30))
        assert unit.links.revoke([other.id], "no link of this run") == 0
        assert unit.links.revoke([scene.run.id], "a newer one was sent") == 1
        assert unit.links.revoke([scene.run.id], "again") == 0
        link = unit.links.get("l1")
    assert link is not None
    assert link.revoked_at is not None


def test_wrong_codes_are_counted_until_they_lock(scene: Scene) -> None:
    a_link(scene)
    with scene.store.write() as unit:
        counted = [unit.links.wrong_code("l1", HOUR, 3) for _ in range(3)]
        link = unit.links.get("l1")

    assert counted == [1, 2, 3]
    assert link is not None
    assert link.locked_until is not None


def test_after_a_lock_the_count_begins_anew(scene: Scene) -> None:
    a_link(scene)
    with scene.store.write() as unit:
        unit.links.wrong_code("l1", -HOUR, 1)
        assert unit.links.wrong_code("l1", HOUR, 3) == 1
        link = unit.links.get("l1")
    assert link is not None
    assert link.locked_until is None


def test_a_number_is_spent_once_and_remembers_for_what(scene: Scene) -> None:
    a_link(scene)
    issue_nonce(scene)

    assert spend(scene, "b1") == "b1"
    assert spend(scene, "b2") == "b1"
    with scene.store.read() as unit:
        assert unit.links.spent("l1", "d1") == "b1"


def test_a_number_that_was_not_issued_here_is_not_valid(scene: Scene) -> None:
    a_link(scene)
    a_link(scene, "l9", "zoe@example.com")
    issue_nonce(scene)
    issue_nonce(scene, "old", -HOUR)

    assert spend(scene, "b1", "never issued") is None
    assert spend(scene, "b1", link_id="l9") is None
    assert spend(scene, "b1", "old") is None
    assert spend(scene, "b1", min_age=HOUR) is None


def test_of_many_posts_at_once_all_learn_the_same_batch(scene: Scene) -> None:
    a_link(scene)
    issue_nonce(scene)
    barrier, answers = threading.Barrier(8), []

    def press(number: int) -> None:
        barrier.wait()
        answers.append(spend(scene, f"b{number}"))

    threads = [threading.Thread(target=press, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(answers) == 8
    assert len(set(answers)) == 1


def test_results_are_kept_with_their_form(scene: Scene) -> None:
    a_link(scene)
    issue_nonce(scene)
    spend(scene, "b1")
    with scene.store.write() as unit:
        unit.links.keep_results("l1", "b1", [{"sku": "A-1"}])

    with scene.store.read() as unit:
        assert unit.links.results("l1", "b1") == ({"sku": "A-1"},)
        assert unit.links.results("l1", "b2") is None
        assert unit.links.results("l2", "b1") is None


def test_numbers_past_their_time_are_forgotten_but_not_the_results_of_a_link_that_still_works(scene: Scene) -> None:
    a_link(scene)
    issue_nonce(scene, "unused", -HOUR)
    issue_nonce(scene, "used", timedelta(milliseconds=200))
    assert spend(scene, "b1", "used") == "b1"
    issue_nonce(scene, "fresh")

    with scene.store.write() as unit:
        assert unit.links.prune(10) == 1
        assert unit.links.spent("l1", "used") == "b1"
    assert spend(scene, "b2", "fresh") == "b2"


def test_opening_and_posting_are_noted(scene: Scene) -> None:
    a_link(scene)
    with scene.store.write() as unit:
        unit.links.seen("l1")
        unit.links.seen("l1")
        unit.links.posted("l1")
    with scene.store.writer.begin() as connection:
        row = connection.exec_driver_sql("SELECT get_count, first_get_at, first_post_at FROM links").one()
    assert row[0] == 2
    assert row[1] is not None
    assert row[2] is not None

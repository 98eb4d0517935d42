"""What is remembered of hosts and shops: slots, cool-downs, robots.txt, facts, blobs; on both databases."""

import hashlib
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from monitor.adapters.db.store import SqlStore
from monitor.domain.robots import RobotsKind, RobotsVerdict
from tests.core_scene import SetClock, begun, opened

SHOP = "shop.example"
ZERO, MINUTE, DAY = timedelta(0), timedelta(minutes=1), timedelta(hours=24)


@pytest.fixture
def store(migrated_url: str) -> Iterator[SqlStore]:
    made = opened(migrated_url)
    yield made
    made.close()


@pytest.fixture
def clock() -> SetClock:
    return SetClock(datetime(2026, 11, 29, 1, 0, tzinfo=UTC))


@pytest.fixture
def timed(own_sqlite_url: str, clock: SetClock) -> Iterator[SqlStore]:
    made = opened(own_sqlite_url, clock)
    yield made
    made.close()


def slot(store: SqlStore, delay: timedelta = MINUTE, bucket: str = SHOP) -> timedelta:
    with store.write() as unit:
        return unit.shops.take_slot(bucket, delay)


def cooled(store: SqlStore, wait: timedelta, reason: str = "asked") -> None:
    with store.write() as unit:
        unit.shops.cool(SHOP, unit.now + wait, reason)


def test_slots_of_one_host_are_a_delay_apart(timed: SqlStore, clock: SetClock) -> None:
    assert slot(timed) == ZERO
    clock.forward(seconds=20)
    assert slot(timed) == timedelta(seconds=40)
    assert slot(timed) == timedelta(seconds=40)  # asking takes nothing
    assert slot(timed, bucket="other.example") == ZERO
    clock.forward(seconds=40)
    assert slot(timed) == ZERO
    assert slot(timed) == MINUTE


def test_eight_who_ask_at_once_get_one_slot(store: SqlStore) -> None:
    barrier, waits = threading.Barrier(8), []

    def ask() -> None:
        barrier.wait()
        waits.append(slot(store))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert waits.count(ZERO) == 1
    assert all(ZERO < wait <= MINUTE + timedelta(seconds=5) for wait in waits if wait)


def test_a_host_that_asked_for_time_is_left_alone_until_then(timed: SqlStore, clock: SetClock) -> None:
    slot(timed, ZERO)
    cooled(timed, timedelta(seconds=90), "HTTP 429")

    assert slot(timed) == timedelta(seconds=90)
    with timed.read() as unit:
        assert unit.shops.cooling(SHOP) == (clock.at + timedelta(seconds=90), "HTTP 429")
    clock.forward(seconds=90)
    assert slot(timed) == ZERO
    with timed.read() as unit:
        assert unit.shops.cooling(SHOP) is None


def test_a_host_that_nobody_visited_can_be_left_alone_too(timed: SqlStore) -> None:
    cooled(timed, MINUTE)

    assert slot(timed) == MINUTE


def test_a_shorter_cool_down_does_not_end_a_longer_one(store: SqlStore) -> None:
    cooled(store, timedelta(hours=1), "an hour")
    cooled(store, MINUTE, "a minute")
    with store.read() as unit:
        found = unit.shops.cooling(SHOP)
    assert found is not None
    assert found[1] == "an hour"

    cooled(store, timedelta(hours=2), "two hours")
    with store.read() as unit:
        found = unit.shops.cooling(SHOP)
    assert found is not None
    assert found[1] == "two hours"


def test_robots_txt_is_kept_as_long_as_it_may_be_used(timed: SqlStore, clock: SetClock) -> None:
    said = RobotsVerdict(RobotsKind.RULES, "robots.txt read", "User-agent: *\nDisallow: /größe\n")
    with timed.write() as unit:
        assert unit.shops.robots("https://shop.example/robots.txt", DAY) is None
        unit.shops.keep_robots("https://shop.example/robots.txt", said)
    clock.forward(hours=24)
    with timed.read() as unit:
        assert unit.shops.robots("https://shop.example/robots.txt", DAY) == said
        assert unit.shops.robots("https://www.shop.example/robots.txt", DAY) is None
    clock.forward(seconds=1)
    with timed.read() as unit:
        assert unit.shops.robots("https://shop.example/robots.txt", DAY) is None


def test_a_newer_robots_txt_takes_the_place_of_the_older(store: SqlStore) -> None:
    newer = RobotsVerdict(RobotsKind.ABSENT, "there is none")
    with store.write() as unit:
        unit.shops.keep_robots("o", RobotsVerdict(RobotsKind.RULES, "read", "x"))
        unit.shops.keep_robots("o", newer)
    with store.read() as unit:
        assert unit.shops.robots("o", DAY) == newer


def test_facts_are_remembered_by_competitor_and_name(store: SqlStore) -> None:
    with store.write() as unit:
        unit.shops.learn("acme", "platform", "shopify")
        unit.shops.learn("acme", "platform", {"name": "woocommerce", "since": 3})
        unit.shops.learn("globex", "platform", "pages")

    with store.read() as unit:
        assert unit.shops.facts("acme") == {"platform": {"name": "woocommerce", "since": 3}}
        assert unit.shops.facts("nobody") == {}


def test_bytes_are_stored_once_under_their_hash(store: SqlStore) -> None:
    body = b"<html>" + bytes(range(256)) * 40
    with store.write() as unit:
        digest = unit.blobs.put(body)
        assert unit.blobs.put(body) == digest == hashlib.sha256(body).hexdigest()

    with store.read() as unit:
        assert unit.blobs.get(digest) == body
        assert unit.blobs.get("0" * 64) is None
    with store.reader.connect() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM blobs").scalar_one() == 1


def test_eight_who_store_the_same_bytes_at_once_agree(store: SqlStore) -> None:
    barrier, digests = threading.Barrier(8), []

    def put() -> None:
        barrier.wait()
        with store.write() as unit:
            digests.append(unit.blobs.put(b"the same"))

    threads = [threading.Thread(target=put) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(digests) == 8
    assert len(set(digests)) == 1


def test_of_one_purpose_the_latest_blob_wins(store: SqlStore) -> None:
    run = begun(store)
    with store.write() as unit:
        old, new = unit.blobs.put(b"old"), unit.blobs.put(b"new")
        unit.blobs.refer(run.id, None, "page", old, "acme/A")
        unit.blobs.refer(run.id, None, "page", new, "acme/A")
        unit.blobs.refer(run.id, None, "page", old, "acme/B")

    with store.reader.connect() as connection:
        rows = connection.exec_driver_sql("SELECT ref, hash FROM artifacts ORDER BY ref").all()
    assert [tuple(row) for row in rows] == [("acme/A", new), ("acme/B", old)]

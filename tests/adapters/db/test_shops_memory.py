"""What is remembered of hosts and shops: slots, cool-downs, robots.txt, facts, blobs; on both databases."""

import hashlib
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from monitor.adapters.db.store import SqlStore
from monitor.domain.durability import Cause
from monitor.domain.pacing import BUSY_WAIT, Slot
from monitor.domain.page import KeptPage
from monitor.domain.retention import Kept
from monitor.domain.robots import RobotsKind, RobotsVerdict
from monitor.domain.run import JobState
from tests.core_scene import SetClock, begun

SHOP = "shop.example"
ZERO, MINUTE, DAY = timedelta(0), timedelta(minutes=1), timedelta(hours=24)


@pytest.fixture
def clock() -> SetClock:
    return SetClock(datetime(2026, 11, 29, 1, 0, tzinfo=UTC))


def slot(store: SqlStore, delay: timedelta = MINUTE, bucket: str = SHOP, job: int = 1, **shared: Any) -> timedelta:
    with store.write() as unit:
        return unit.shops.take_slot(Slot(bucket, delay, **shared), job)


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


def running(store: SqlStore, *competitors: str) -> list[int]:
    """Begin a run and claim its jobs; return their ids."""
    run = begun(store, dict.fromkeys(competitors, 12))
    with store.write() as unit:
        jobs = [job.id for job in unit.jobs.of_run(run.id)]
        assert all(unit.jobs.claim(job, "worker", DAY) for job in jobs)
    return jobs


def test_one_job_at_a_time_visits_a_shop_whichever_worker_it_is(store: SqlStore) -> None:
    """Two competitors of the file are one shop to the outside; the first visit lasts longer than its delay."""
    first, second = running(store, "acme", "acme-outlet")

    assert slot(store, ZERO, job=first) == ZERO
    assert slot(store, ZERO, job=second) == BUSY_WAIT
    assert slot(store, ZERO, job=first) == ZERO  # its own next request
    assert slot(store, ZERO, bucket="other.example", job=second) == ZERO

    with store.write() as unit:
        unit.shops.leave(SHOP, second)  # not its to give back
    assert slot(store, ZERO, job=second) == BUSY_WAIT
    with store.write() as unit:
        unit.shops.leave(SHOP, first)
    assert slot(store, ZERO, job=second) == ZERO


@pytest.mark.parametrize("how", ["ended", "deferred", "dead"])
def test_a_job_that_does_not_run_any_more_visits_nobody(store: SqlStore, how: str) -> None:
    run = begun(store, {"acme": 12, "acme-outlet": 12})
    with store.write() as unit:
        jobs = unit.jobs.of_run(run.id)
        claims = [unit.jobs.claim(job.id, f"worker of {job.key}", DAY) for job in jobs]
    assert claims[0] is not None
    assert slot(store, ZERO, job=jobs[0].id) == ZERO

    with store.write() as unit:
        if how == "ended":
            unit.jobs.end(claims[0], JobState.DONE)
        elif how == "deferred":
            unit.jobs.defer(claims[0], unit.now + MINUTE)
        else:
            unit.jobs.recover_from(claims[0].owner, Cause.DIED)

    assert slot(store, ZERO, job=jobs[1].id) == ZERO


SHOPIFY: dict[str, Any] = {"shared": "platform:shopify", "shared_delay": timedelta(seconds=1)}


def test_shops_of_one_platform_share_its_space_and_its_cool_down(timed: SqlStore, clock: SetClock) -> None:
    assert slot(timed, MINUTE, "a.example", **SHOPIFY) == ZERO
    assert slot(timed, MINUTE, "b.example", **SHOPIFY) == timedelta(seconds=1)
    assert slot(timed, MINUTE, "c.example") == ZERO  # another platform
    clock.forward(seconds=1)
    assert slot(timed, MINUTE, "b.example", **SHOPIFY) == ZERO
    assert slot(timed, MINUTE, "a.example", **SHOPIFY) == timedelta(seconds=59)

    with timed.write() as unit:
        unit.shops.cool("platform:shopify", unit.now + timedelta(minutes=5), "HTTP 430")
    clock.forward(seconds=60)
    assert slot(timed, MINUTE, "a.example", **SHOPIFY) == timedelta(minutes=4)
    assert slot(timed, MINUTE, "d.example", **SHOPIFY) == timedelta(minutes=4)
    assert slot(timed, MINUTE, "c.example") == ZERO


def test_a_wait_for_one_bucket_takes_nothing_of_the_other(timed: SqlStore, clock: SetClock) -> None:
    assert slot(timed, MINUTE, "a.example", **SHOPIFY) == ZERO
    assert slot(timed, MINUTE, "b.example", **SHOPIFY) == timedelta(seconds=1)

    assert slot(timed, MINUTE, "b.example") == ZERO  # nobody took it


def test_shops_of_one_platform_may_be_visited_at_the_same_time(store: SqlStore) -> None:
    first, second = running(store, "acme", "globex")
    at_once = SHOPIFY | {"shared_delay": ZERO}

    assert slot(store, ZERO, "a.example", job=first, **at_once) == ZERO
    assert slot(store, ZERO, "b.example", job=second, **at_once) == ZERO
    assert slot(store, ZERO, "a.example", job=second, **at_once) == BUSY_WAIT


def test_eight_shops_of_one_platform_that_ask_at_once_get_one_slot(store: SqlStore) -> None:
    barrier, waits = threading.Barrier(8), []

    def ask(number: int) -> None:
        barrier.wait()
        waits.append(slot(store, MINUTE, f"shop-{number}.example", job=number, **SHOPIFY | {"shared_delay": MINUTE}))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert waits.count(ZERO) == 1


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


# --- pages kept to be confirmed ---------------------------------------------------------------------------------

KEPT = KeptPage("https://shop.example/p/1", '"v7"', None, "settings", "text/html")


def test_a_page_is_kept_with_its_body_until_the_next_one(timed: SqlStore, clock: SetClock) -> None:
    with timed.write() as unit:
        assert unit.shops.kept_pages("acme") == {}
        unit.shops.keep_page("acme", "https://shop.example/p/1", KEPT, b"<h1>one</h1>")
        unit.shops.keep_page("acme", "https://shop.example/p/1", replace(KEPT, etag='"v8"'), b"<h1>two</h1>")
        unit.shops.confirm_page("acme", "https://shop.example/p/1")
    with timed.read() as unit:
        found = unit.shops.kept_pages("acme")["https://shop.example/p/1"]
        assert (found.etag, found.fetched_at) == ('"v8"', clock.at)
        assert unit.blobs.get(found.digest) == b"<h1>two</h1>"
        assert unit.shops.kept_pages("globex") == {}


def test_a_page_whose_body_was_lost_is_not_offered(store: SqlStore) -> None:
    with store.write() as unit:
        unit.shops.keep_page("acme", "u", KEPT, b"<h1>one</h1>")
    with store.writer.begin() as connection:
        connection.exec_driver_sql("DELETE FROM blobs")
    with store.read() as unit:
        assert unit.shops.kept_pages("acme") == {}


def test_a_dropped_page_is_not_offered(store: SqlStore) -> None:
    with store.write() as unit:
        unit.shops.keep_page("acme", "u", KEPT, b"<h1>one</h1>")
        unit.shops.drop_page("acme", "u")
        assert unit.shops.kept_pages("acme") == {}


def test_retention_keeps_a_body_as_long_as_it_may_be_confirmed(timed: SqlStore, clock: SetClock) -> None:
    with timed.write() as unit:
        unit.shops.keep_page("acme", "u", KEPT, b"<h1>one</h1>")
    clock.forward(days=7)
    with timed.write() as unit:
        assert unit.archive.remove(Kept.BLOBS, clock.at - DAY, 10) == 0
    clock.forward(days=2)
    with timed.write() as unit:
        assert unit.archive.remove(Kept.BLOBS, clock.at - DAY, 10) == 1

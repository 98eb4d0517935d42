"""What is past its age goes in small batches, and the compact record stays; on both databases."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import text, update

from monitor.adapters.clock import SystemClock
from monitor.adapters.db import schema
from monitor.adapters.db.store import SqlStore
from monitor.domain.message import MailState
from monitor.domain.retention import Kept, Retention, is_busy
from monitor.domain.run import Run
from monitor.flow import retain
from monitor.flow.retain import count_old, remove_old, retain_hourly
from tests.core_scene import Counter, Counting, SetClock, begun, job_of, opened, steps_of, worked

AGES = Retention()
LONG_AGO = timedelta(days=40)
NOON = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)


@pytest.fixture
def store(migrated_url: str) -> Iterator[SqlStore]:
    made = SqlStore(migrated_url, SystemClock())
    yield made
    made.close()


def a_finished_night(store: SqlStore, steps: int = 3) -> Run:
    """Run a night whose steps, pages and letter are there to be removed."""
    run = begun(store, {"acme": steps})
    worked(store, job_of(store, run), Counting(steps=steps), Counter())
    with store.write() as unit:
        digest = unit.blobs.put(b"<html>a page</html>")
        unit.blobs.refer(run.id, None, "page", digest, "acme/1")
        unit.blobs.refer(run.id, None, "report", unit.blobs.put(b"the report"), "report")
        unit.mails.post(
            dedupe_key="report:1",
            run_id=run.id,
            recipient="anna@acme.example",
            subject="Tonight",
            content=b"what it said",
            message_id="<1@acme.example>",
            not_before=unit.now,
        )
        mail = unit.mails.claim(unit.mails.due(1)[0], timedelta(minutes=1))
        assert mail is not None
        unit.mails.close(mail, MailState.SENT)
    return run


def aged(store: SqlStore, by: timedelta) -> None:
    """Move everything stored into the past."""
    with store.write() as unit:
        past = unit.now - by
        for column in (
            schema.steps.c.ended_at,
            schema.artifacts.c.created_at,
            schema.blobs.c.created_at,
            schema.mails.c.sent_at,
        ):
            unit.tx.run(update(column.table).values({column.name: past}))


def test_what_is_young_stays(store: SqlStore) -> None:
    a_finished_night(store)
    aged(store, timedelta(hours=1))

    assert set(count_old(store, AGES).removed.values()) == {0}
    assert set(remove_old(store, AGES).removed.values()) == {0}


def test_of_an_old_night_the_compact_record_stays(store: SqlStore) -> None:
    run = a_finished_night(store)
    aged(store, LONG_AGO)

    counted = count_old(store, AGES).removed
    removed = remove_old(store, AGES).removed

    assert (removed[Kept.STEP_RESULTS], removed[Kept.EVIDENCE], removed[Kept.LETTERS]) == (3, 1, 1)
    assert removed[Kept.BLOBS] == 1  # the page; nothing refers to it any more
    assert counted == {**removed, Kept.BLOBS: 0}  # while the evidence is there, its bytes are in use
    steps = steps_of(store, run)
    assert [(step.tool, step.result, step.result_bytes) for step in steps] == [("count", None, len('{"n":1}'))] * 3
    assert len({step.result_hash for step in steps}) == 3
    with store.read() as unit:
        mail = unit.mails.get("report:1")
        assert mail is not None
        assert (mail.recipient, mail.content, mail.state) == ("anna@acme.example", b"", MailState.SENT)
        assert unit.tx.run(text("SELECT kind FROM artifacts")).scalars().all() == ["report"]
        assert unit.tx.run(text("SELECT count(*) FROM blobs")).scalar_one() == 1
    assert set(remove_old(store, AGES).removed.values()) == {0}


def test_each_kind_has_its_own_age(store: SqlStore) -> None:
    a_finished_night(store)
    aged(store, timedelta(days=20))

    removed = remove_old(store, AGES).removed

    assert {kind: count for kind, count in removed.items() if count} == {Kept.EVIDENCE: 1, Kept.BLOBS: 1}


def test_a_job_under_way_keeps_its_results(store: SqlStore) -> None:
    """A visit may wait for weeks in a stopped program; it resumes from its checkpoints all the same."""
    run = begun(store)
    with store.write() as unit:
        claim = unit.jobs.claim(job_of(store, run).id, "w", timedelta(seconds=15))
        assert claim is not None
        unit.jobs.start(claim, 1, "count", {}, 1, timedelta(seconds=15))
        unit.jobs.finish(claim, 1, result={"n": 1}, error=None, requests=0, lease=timedelta(seconds=15))
    aged(store, LONG_AGO)

    assert remove_old(store, AGES).removed[Kept.STEP_RESULTS] == 0
    assert steps_of(store, run)[0].result == {"n": 1}


def test_removing_goes_in_batches(store: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retain, "BATCH", 2)
    run = a_finished_night(store, steps=5)
    aged(store, LONG_AGO)

    first = remove_old(store, AGES, most_batches=2)

    assert (first.removed[Kept.STEP_RESULTS], first.is_complete) == (4, False)
    assert sum(step.result is None for step in steps_of(store, run)) == 4
    assert remove_old(store, AGES).removed[Kept.STEP_RESULTS] == 1


def test_bytes_that_come_back_into_use_are_not_taken(store: SqlStore) -> None:
    with store.write() as unit:
        digest = unit.blobs.put(b"a page as every night")
    aged(store, LONG_AGO)
    with store.write() as unit:
        assert unit.blobs.put(b"a page as every night") == digest

    assert remove_old(store, AGES).removed[Kept.BLOBS] == 0


def test_it_happens_once_an_hour_whoever_asks(own_sqlite_url: str) -> None:
    clock = SetClock(NOON)
    store = opened(own_sqlite_url, clock)

    rounds = []
    for minutes in (0, 5, 30, 25):
        clock.forward(minutes=minutes)
        rounds.append(retain_hourly(store, AGES, "Europe/Berlin", "w") is not None)

    assert rounds == [True, False, False, True]
    store.close()


def test_nothing_is_removed_in_the_busy_hours(own_sqlite_url: str) -> None:
    clock = SetClock(datetime(2026, 11, 29, 1, 0, tzinfo=UTC))
    store = opened(own_sqlite_url, clock)

    assert retain_hourly(store, AGES, "Europe/Berlin", "w") is None  # 02:00 there
    assert retain_hourly(store, AGES, "America/New_York", "w") is not None  # 20:00 there
    store.close()


@given(st.integers(0, 60 * 24 * 1500))
def test_the_busy_hours_are_local(minute: int) -> None:
    at = NOON + timedelta(minutes=minute)
    shown = at.astimezone(ZoneInfo("Europe/Berlin"))

    assert is_busy(at, "Europe/Berlin") is (90 <= shown.hour * 60 + shown.minute < 420)


def test_a_file_shrinks_when_old_pages_are_gone(own_sqlite_url: str) -> None:
    store = opened(own_sqlite_url)
    with store.write() as unit:
        for number in range(200):
            unit.blobs.put(random.Random(number).randbytes(20_000))
    aged(store, LONG_AGO)

    with store.read() as unit:
        before = unit.tx.run(text("PRAGMA page_count")).scalar_one()
    assert remove_old(store, AGES).removed[Kept.BLOBS] == 200
    with store.read() as unit:
        after = unit.tx.run(text("PRAGMA page_count")).scalar_one()
    assert after < before - 50
    store.close()

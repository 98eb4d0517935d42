"""Nights gone by, as pages read them, on both databases."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest

from monitor.adapters.db.store import SqlStore
from monitor.domain.action import Verb, WriteState
from monitor.domain.extraction import Outcome
from monitor.domain.observation import Observation
from monitor.domain.picture import Changed
from monitor.ports.store import Unit
from tests.review_scene import BY_ANNA, SetClock, a_proposal, a_run

FIRST, SECOND = date(2026, 11, 28), date(2026, 11, 29)


def _seen(run_id: str, competitor: str, sku: str, outcome: Outcome, day: date, price: str | None = None) -> Observation:
    return Observation(
        run_id=run_id,
        competitor=competitor,
        sku=sku,
        url="https://shop.example/p",
        outcome=outcome,
        reason="",
        words="",
        observed_at=datetime(day.year, day.month, day.day, 2, tzinfo=UTC),
        price=None if price is None else Decimal(price),
        currency="EUR",
    )


@pytest.fixture
def store(migrated_url: str) -> Iterator[SqlStore]:
    store = SqlStore(migrated_url, SetClock())
    with store.write() as unit:
        for day in (FIRST, SECOND):
            run = a_run(unit, day, ("acme", "globex"))
            unit.observations.record(_seen(run.id, "acme", "A-1", Outcome.OK, day, "12.90"))
            unit.observations.record(_seen(run.id, "acme", "A-2", Outcome.BLOCKED, day))
        unit.observations.record(_seen("nightly-2026-11-28", "globex", "A-1", Outcome.NOT_FOUND, FIRST))
    yield store
    store.close()


def test_the_newest_reading_of_each_shop_is_returned_whatever_came_of_it(store: SqlStore) -> None:
    with store.read() as unit:
        found = unit.past.latest_readings("A-1", ["acme", "globex", "initech"])
        assert [(one.competitor, one.run_id, one.outcome) for one in found] == [
            ("acme", "nightly-2026-11-29", Outcome.OK),
            ("globex", "nightly-2026-11-28", Outcome.NOT_FOUND),
        ]
        assert unit.past.latest_readings("A-1", ["acme"]) == found[:1]
        assert unit.past.latest_readings("A-1", []) == ()


def test_a_shops_nights_are_counted_by_outcome_newest_first(store: SqlStore) -> None:
    with store.read() as unit:
        nights = unit.past.shop_nights("acme", 5)
        assert [(one.local_date, dict(one.outcomes), one.read, one.asked) for one in nights] == [
            (SECOND, {Outcome.OK: 1, Outcome.BLOCKED: 1}, 1, 2),
            (FIRST, {Outcome.OK: 1, Outcome.BLOCKED: 1}, 1, 2),
        ]
        assert unit.past.shop_nights("acme", 1) == nights[:1]
        assert unit.past.shop_nights("nobody", 5) == ()
        assert [(one.competitor, one.asked) for one in unit.past.shops_of("nightly-2026-11-29")] == [
            ("acme", 2),
            ("globex", 0),
        ]


def test_what_was_not_read_is_counted_by_what_came_back_in_words(store: SqlStore) -> None:
    """A shop that is switched off has closed nothing, though its readings have the outcome of robots.txt."""
    with store.write() as unit:
        closed = _seen("nightly-2026-11-29", "globex", "A-1", Outcome.ROBOTS, SECOND)
        unit.observations.record(replace(closed, reason="robots_unreachable"))
        unit.observations.record(replace(closed, sku="A-2", reason="robots_rules"))
        unit.observations.record(replace(closed, sku="A-3", reason="robots_unreachable"))
        acme, globex = unit.past.shops_of("nightly-2026-11-29")

    assert (acme.unread, acme.outcomes) == ({"blocked by the shop": 1}, {Outcome.OK: 1, Outcome.BLOCKED: 1})
    assert globex.unread == {"robots.txt unreachable": 2, "not allowed by robots.txt": 1}


def test_nights_in_short_are_the_newest_first(store: SqlStore) -> None:
    with store.write() as unit:
        unit.actions.propose(a_proposal("A-1", expires_at=unit.now + timedelta(hours=48)))
    with store.read() as unit:
        found = unit.past.nights(5)
        assert [(one.date, one.jobs_ended, one.jobs_total, one.proposals) for one in found] == [
            (SECOND, 0, 2, 1),
            (FIRST, 0, 2, 0),
        ]
        assert unit.past.nights(1) == found[:1]


def _approved(unit: Unit, sku: str, ends: WriteState | None) -> None:
    action, _ = unit.actions.propose(a_proposal(sku, expires_at=unit.now + timedelta(hours=48)))
    assert unit.actions.decide(action, Verb.APPROVE, BY_ANNA, batch=sku, reason=None, until=None)
    stored = unit.actions.get(action.id)
    assert stored is not None
    write = unit.writes.queue(stored, not_before=unit.now - timedelta(seconds=1), dry_run=False)
    if ends is None:
        return
    claimed = unit.writes.claim(write.id, "worker", timedelta(minutes=2))
    assert claimed is not None
    unit.writes.close(claimed, ends, error="the shop has it at 25.00 EUR" if ends is WriteState.CONFLICT else None)


def test_executed_prices_are_listed_newest_first_with_who_approved(store: SqlStore) -> None:
    with store.write() as unit:
        for sku, end in (("A-1", WriteState.APPLIED), ("A-2", WriteState.CONFLICT), ("A-3", None)):
            _approved(unit, sku, end)
        now = unit.now
    with store.read() as unit:
        found, total = unit.past.executed()
        assert total == 3
        assert {(one.sku, one.state, one.by, one.is_problem) for one in found} == {
            ("A-1", WriteState.APPLIED, BY_ANNA.name, False),
            ("A-2", WriteState.CONFLICT, BY_ANNA.name, True),
            ("A-3", WriteState.QUEUED, BY_ANNA.name, False),
        }
        only, count = unit.past.executed(states=[WriteState.CONFLICT])
        assert ([one.words for one in only], count) == (["the shop has it at 25.00 EUR"], 1)
        assert [one.sku for one in unit.past.executed(sku="A-3")[0]] == ["A-3"]
        paged, total = unit.past.executed(limit=1, offset=1)
        assert (len(paged), total) == (1, 3)
        assert unit.past.changes("A-1") == (Changed(now, Decimal("27.9"), Decimal("26.9"), "EUR"),)
        assert unit.past.changes("A-2") == ()

"""Readings by night and the history made of them: it grows with changes and not with nights."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from monitor.adapters.db.store import SqlStore
from monitor.domain.extraction import Availability, Outcome
from monitor.domain.observation import OWN, Observation, Span
from tests.core_scene import begun, opened
from tests.nights import an_observation

FIRST = date(2026, 1, 1)
BEGAN = datetime(2026, 1, 1, 1, 0, tzinfo=UTC)


@dataclass
class History:
    """A store and its nights, counted from 0."""

    store: SqlStore

    def __post_init__(self) -> None:
        self._runs: dict[int, str] = {}

    def run(self, night: int) -> str:
        if night not in self._runs:
            self._runs[night] = begun(self.store, {"globex": 12}, day=FIRST + timedelta(days=night)).id
        return self._runs[night]

    def read(self, night: int, price: str | Outcome = "118.90", **changes: Any) -> Observation:
        """Record what a night read: a price, or another outcome."""
        outcome = price if isinstance(price, Outcome) else Outcome.OK
        amount = None if isinstance(price, Outcome) else Decimal(price)
        seen = an_observation(outcome=outcome, run_id=self.run(night), observed_at=at(night), price=amount)
        seen = replace(seen, **changes)
        with self.store.write() as unit:
            unit.observations.record(seen)
        return seen

    def spans(self, sku: str = "TJ-40", competitor: str | None = "globex") -> tuple[Span, ...]:
        with self.store.read() as unit:
            return unit.observations.spans(sku, competitor)


def at(night: int) -> datetime:
    return BEGAN + timedelta(days=night)


@pytest.fixture
def history(migrated_url: str) -> Iterator[History]:
    store = opened(migrated_url)
    yield History(store)
    store.close()


def test_a_reading_comes_back_as_it_was_stored(history: History) -> None:
    seen = history.read(
        0,
        list_price=Decimal("139.00"),
        shipping=Decimal("4.90"),
        availability=Availability.BACKORDER,
        name="Jacket, größe M",
        evidence=None,
        words="declared and shown",
    )

    with history.store.read() as unit:
        assert unit.observations.of_run(history.run(0)) == (seen,)


def test_a_year_of_the_same_price_is_one_row(history: History) -> None:
    """365 nights told as one run after another of ten, since only the history is looked at."""
    runs = [history.run(night) for night in range(10)]
    with history.store.write() as unit:
        for night in range(365):
            seen = an_observation(run_id=runs[min(night, 9)], observed_at=at(night))
            unit.observations.record(seen)

    (span,) = history.spans()
    assert (span.price, span.first_seen_at, span.last_seen_at) == (Decimal("118.9"), at(0), at(364))
    assert (span.first_run_id, span.last_run_id) == (runs[0], runs[9])


def test_history_grows_with_every_change(history: History) -> None:
    changes: list[dict[str, Any]] = [
        {},
        {"price": Decimal("99.00")},
        {"price": Decimal("99.00"), "list_price": Decimal("139.00")},
        {"price": Decimal("99.00"), "list_price": Decimal("139.00"), "availability": Availability.OUT_OF_STOCK},
        {"price": Decimal("99.00"), "currency": "USD"},
        {},
    ]
    for night, change in enumerate(changes):
        history.read(night, **change)

    spans = history.spans()
    assert [span.first_seen_at for span in spans] == [at(night) for night in range(6)]
    assert [span.first_seen_at == span.last_seen_at for span in spans] == [True] * 6
    assert spans[5].price == spans[0].price  # back at the old price is a new stretch


@pytest.mark.parametrize("outcome", [one for one in Outcome if one is not Outcome.OK])
def test_only_ok_moves_history(history: History, outcome: Outcome) -> None:
    history.read(0)
    history.read(1, outcome)

    (span,) = history.spans()
    assert (span.last_seen_at, span.last_run_id) == (at(0), history.run(0))
    with history.store.read() as unit:
        assert [seen.outcome for seen in unit.observations.of_run(history.run(1))] == [outcome]


def test_a_night_without_a_reading_ends_no_stretch(history: History) -> None:
    history.read(0)
    history.read(1, Outcome.FAILED)
    history.read(2)

    (span,) = history.spans()
    assert (span.first_seen_at, span.last_seen_at) == (at(0), at(2))


def test_the_same_record_twice_changes_nothing(history: History) -> None:
    history.read(0)
    before = history.spans()
    history.read(0)

    assert history.spans() == before
    with history.store.read() as unit:
        assert len(unit.observations.of_run(history.run(0))) == 1


def test_a_second_try_of_a_night_replaces_the_first(history: History) -> None:
    history.read(0, Outcome.FAILED)
    history.read(0)

    with history.store.read() as unit:
        (seen,) = unit.observations.of_run(history.run(0))
    assert (seen.outcome, seen.price) == (Outcome.OK, Decimal("118.9"))


def test_an_older_instant_never_moves_last_seen_back(history: History) -> None:
    history.read(1)
    history.read(0, observed_at=at(0))

    (span,) = history.spans()
    assert span.last_seen_at == at(1)


def test_our_own_price_has_a_history_of_its_own(history: History) -> None:
    history.read(0)
    for night, price in enumerate(["129.00", "129.0", "119.00"]):
        run = history.run(night)
        with history.store.write() as unit:
            unit.observations.record_own(run, "TJ-40", Decimal(price), "EUR", at(night))

    assert [(span.price, span.last_seen_at) for span in history.spans(competitor=OWN)] == [
        (Decimal(129), at(1)),
        (Decimal(119), at(2)),
    ]
    assert len(history.spans()) == 1
    assert len(history.spans(competitor=None)) == 3


def test_what_changed_is_known_and_what_is_as_first_seen_is_left_out(history: History) -> None:
    for night, price in enumerate(["10", "12", "12"]):
        history.read(night, price)
        history.read(night, "10", sku="OTHER")

    with history.store.read() as unit:
        assert unit.observations.changed_at("globex") == {"TJ-40": at(1)}


def test_the_current_offers_are_the_newest_of_each_shop_and_product(history: History) -> None:
    history.read(0, "10")
    history.read(1, "12")
    history.read(1, "20", competitor="acme")
    history.read(1, "30", sku="OTHER")

    with history.store.read() as unit:
        everything = unit.observations.current()
        one = unit.observations.current(["OTHER"])
        none = unit.observations.current([])
    assert [(span.sku, span.competitor, span.price) for span in everything] == [
        ("OTHER", "globex", Decimal(30)),
        ("TJ-40", "acme", Decimal(20)),
        ("TJ-40", "globex", Decimal(12)),
    ]
    assert [span.sku for span in one] == ["OTHER"]
    assert none == ()


def test_history_can_be_read_from_a_date_on(history: History) -> None:
    for night, price in enumerate(["10", "12", "14"]):
        history.read(night, price)

    with history.store.read() as unit:
        recent = unit.observations.spans("TJ-40", "globex", since=at(1))
    assert [span.price for span in recent] == [Decimal(12), Decimal(14)]


def test_the_last_good_reading_survives_bad_nights(history: History) -> None:
    history.read(0)
    history.read(1, Outcome.BLOCKED)

    with history.store.read() as unit:
        assert unit.observations.last_good("globex") == {"TJ-40": at(0)}
        assert unit.observations.last_good("acme") == {}


def test_a_watch_was_tried_when_it_was_asked_for_whatever_came_of_it(history: History) -> None:
    history.read(0)
    history.read(0, Outcome.FAILED, sku="FAILS", reason="server_error")
    history.read(0, Outcome.ROBOTS, sku="REDIRECTED", reason="robots")
    history.read(1, Outcome.SKIPPED_BUDGET, sku="FAILS", reason="budget")
    for sku, outcome, reason in [
        ("SKIPPED", Outcome.SKIPPED_BUDGET, "budget"),
        ("CAPPED", Outcome.SKIPPED_BUDGET, "request_cap"),
        ("BEHIND A WALL", Outcome.BLOCKED, "visit_ended"),
        ("CLOSED", Outcome.ROBOTS, "robots_rules"),
        ("UNREACHABLE", Outcome.ROBOTS, "robots_unreachable"),
    ]:
        history.read(0, outcome, sku=sku, reason=reason)
    history.read(2)

    with history.store.read() as unit:
        tried = unit.observations.last_tried("globex", history.run(2))
    assert tried == {"TJ-40": at(0), "FAILS": at(0), "REDIRECTED": at(0)}


def test_name_and_currency_of_the_last_good_reading_are_remembered(history: History) -> None:
    history.read(0, name="Old name", currency="EUR")
    history.read(1, name="New name", currency="USD")
    history.read(2, Outcome.NOT_FOUND, name="Page not found")
    history.read(2, Outcome.FAILED, sku="NEVER READ")

    with history.store.read() as unit:
        assert unit.observations.remembered("globex") == {"TJ-40": ("New name", "USD")}


def test_many_histories_come_together_as_each_comes_alone(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    """Products are asked for in parts; two parts here."""
    monkeypatch.setattr("monitor.adapters.db.repositories.observations._AT_ONCE", 2)
    for night, price in enumerate(("118.90", "99.00", "118.90")):
        for sku in ("A", "B", "C"):
            history.read(night, price, sku=sku)
        history.read(night, price, sku="A", competitor="initech")

    with history.store.read() as unit:
        every, one = tuple(unit.observations.spans_of(["A", "B", "C"])), unit.observations.spans
        assert every == (*one("A"), *one("B"), *one("C"))
        assert len(every) == 12
        assert tuple(unit.observations.spans_of(["A", "C"], "globex")) == (*one("A", "globex"), *one("C", "globex"))
        assert tuple(unit.observations.spans_of([])) == ()

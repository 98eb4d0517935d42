"""Standings by night: kept once, listed by what a manager asks for, on both databases."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal

import pytest

from monitor.adapters.db.store import SqlStore
from monitor.domain.standing import Standing, portfolio
from monitor.ports.standings import By, Wanted
from tests.core_scene import DAY, begun, opened


def _standing(run_id: str, sku: str, own: str, lowest: str | None, median: str | None, **other: object) -> Standing:
    amounts = {"lowest": lowest, "median": median}
    exact = {name: None if value is None else Decimal(value) for name, value in amounts.items()}
    given: dict[str, object] = {
        "title": f"The {sku}",
        "currency": "EUR",
        "usable": 0 if lowest is None else 2,
        "tracked": 3,
    }
    return Standing(run_id=run_id, sku=sku, own=Decimal(own), **(given | exact | other))  # type: ignore[arg-type]


def _night(run_id: str) -> tuple[Standing, ...]:
    return (
        _standing(run_id, "mug", "12.90", "10.00", "11.00", weekly_units=Decimal(30), lowest_seller="acme", position=3),
        _standing(
            run_id, "pot", "50", "49", "52", weekly_units=Decimal("2.5"), reason="IN_BAND", category="Kitchen 100%"
        ),
        _standing(run_id, "lid", "5", "9", "9.5", reason="TOO_SMALL", position=1),
        _standing(run_id, "tray", "20", None, None, reason="NO_RULE"),
    )


@pytest.fixture
def kept(migrated_url: str) -> Iterator[tuple[SqlStore, str]]:
    store = opened(migrated_url)
    run = begun(store)
    rows = _night(run.id)
    with store.write() as unit:
        unit.standings.keep(rows, portfolio(rows))
    yield store, run.id
    store.close()


def _listed(store: SqlStore, run_id: str, wanted: Wanted, **window: int) -> list[str]:
    with store.read() as unit:
        rows, _ = unit.standings.page(run_id, wanted, **({"limit": 10} | window))
    return [row.sku for row in rows]


def test_a_standing_comes_back_as_it_was_kept_and_a_repeat_changes_nothing(kept: tuple[SqlStore, str]) -> None:
    store, run_id = kept
    changed = _standing(run_id, "mug", "1", "1", "1")
    with store.write() as unit:
        unit.standings.keep((changed,), portfolio((changed,)))
    with store.read() as unit:
        assert [unit.standings.find(run_id, row.sku) for row in _night(run_id)] == list(_night(run_id))
        assert unit.standings.find(run_id, "nothing") is None
        assert unit.standings.portfolio(run_id) == portfolio(_night(run_id))
        assert unit.standings.latest() == run_id
        assert unit.standings.of_sku("mug") == ((DAY, _night(run_id)[0]),)
        assert unit.standings.of_sku("mug", date(2030, 1, 1)) == ()
        assert unit.standings.portfolios() == ((DAY, portfolio(_night(run_id))),)
        assert unit.standings.reasons(run_id) == {"proposed": 1, "IN_BAND": 1, "TOO_SMALL": 1, "NO_RULE": 1}


@pytest.mark.parametrize(
    ("by", "order"),
    [
        (By.STAKE, ["mug", "pot", "lid", "tray"]),
        (By.INDEX, ["mug", "pot", "lid", "tray"]),
        (By.CHEAP, ["lid", "pot", "mug", "tray"]),
        (By.TITLE, ["lid", "mug", "pot", "tray"]),
    ],
)
def test_products_are_listed_in_the_order_asked_for(kept: tuple[SqlStore, str], by: By, order: list[str]) -> None:
    assert _listed(*kept, Wanted(by=by)) == order
    assert _listed(*kept, Wanted(by=by), limit=2, offset=1) == order[1:3]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (Wanted(words="THE pot"), ["pot"]),
        (Wanted(words="100%"), ["pot"]),
        (Wanted(words="_"), []),
        (Wanted(reason="proposed"), ["mug"]),
        (Wanted(reason="NO_RULE"), ["tray"]),
        (Wanted(seller="acme"), ["mug"]),
        (Wanted(zone="red"), ["mug"]),
        (Wanted(zone="cheap"), ["lid"]),
        (Wanted(zone="lowest"), ["lid"]),
        (Wanted(zone="alone"), ["tray"]),
    ],
)
def test_products_are_found_by_what_is_asked(kept: tuple[SqlStore, str], wanted: Wanted, found: list[str]) -> None:
    assert _listed(*kept, wanted) == found

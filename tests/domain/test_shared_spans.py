"""One object for one stretch of price history."""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

from monitor.domain.extraction import Availability
from monitor.domain.observation import Span
from monitor.domain.shared_spans import as_known, histories

AT = datetime(2026, 11, 29, 1, 0, tzinfo=UTC)
NOW = Span("globex", "A", Decimal("9.90"), "EUR", None, Availability.IN_STOCK, AT, AT, "n2", "n2")
BEFORE = replace(NOW, price=Decimal("8.90"), first_run_id="n1", last_run_id="n1")


def test_an_equal_span_is_the_known_object_and_every_other_is_itself() -> None:
    shared = as_known([NOW])
    read_again, seen_longer = replace(NOW), replace(NOW, last_run_id="n3")

    assert shared(read_again) is NOW
    assert shared(seen_longer) is seen_longer
    assert shared(BEFORE) is BEFORE


def test_histories_are_grouped_by_watch_in_their_order() -> None:
    other = replace(NOW, competitor="initech")

    found = histories([BEFORE, replace(NOW), other], [NOW])

    assert found == {("globex", "A"): (BEFORE, NOW), ("initech", "A"): (other,)}
    assert found["globex", "A"][1] is NOW

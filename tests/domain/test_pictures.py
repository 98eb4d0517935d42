"""What charts draw: no more rows than a picture needs, and none that it cannot do without."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest

from monitor.domain.extraction import Availability
from monitor.domain.observation import Span
from monitor.domain.picture import Changed, Chart, history_tables, mail_size, standing_tables
from monitor.domain.standing import Standing

FIRST = date(2026, 11, 1)


def _standing(own: str | None) -> Standing:
    median = None if own is None else Decimal(100)
    usable = 0 if own is None else 2
    return Standing(
        "n", "A", "Mug", "EUR", Decimal(own or 1), median, "acme", median, None if own is None else 1, usable, 2
    )


@pytest.mark.parametrize(
    ("prices", "drawn"),
    [
        ((), []),
        (("90",), [0]),
        (("90", "90", "90", "90"), [0, 3]),
        (("90", "90", "95", "95", "90"), [0, 2, 4]),
        (("90", None, "90", "95"), [0, 3]),
    ],
)
def test_a_standing_chart_has_a_night_for_each_change_and_both_ends(prices, drawn):
    """A night without an index is left out before equal ones are: the step goes on through it."""
    found = [(FIRST + timedelta(days=n), _standing(price)) for n, price in enumerate(prices)]

    nights = standing_tables(found)["nights"]

    assert [night["night"] for night in nights] == [(FIRST + timedelta(days=n)).isoformat() for n in drawn]


@pytest.mark.parametrize(("rows", "height"), [(1, 122), (5, 260), (40, 398)])
def test_a_mails_picture_grows_with_its_rows_and_never_wider_than_a_phone_can_show(rows, height):
    assert mail_size(Chart.STRIP, rows) == (384, height)
    assert mail_size(Chart.PORTFOLIO, rows)[0] < 400


def test_a_history_is_drawn_by_the_clock_of_the_nights_wherever_it_is_drawn():
    """What is written as UTC is what a clock in Berlin shows, in summer and in winter."""
    summer, winter = datetime(2026, 7, 1, 22, 30, tzinfo=UTC), datetime(2026, 11, 30, 15, 33, tzinfo=UTC)
    span = Span("acme", "A", Decimal(10), "EUR", None, Availability.IN_STOCK, summer, winter)
    written = Changed(winter, Decimal(12), Decimal(11), "EUR")

    drawn = history_tables([span], {}, [written], "EUR", frozenset({("acme", summer)}), zone="Europe/Berlin")

    (stretch,) = drawn["stretches"]
    assert (stretch["from"], stretch["to"]) == ("2026-07-02T00:30:00+00:00", "2026-11-30T16:33:00+00:00")
    assert stretch["kind"] == "held"
    assert drawn["changes"][0]["at"] == "2026-11-30T16:33:00+00:00"

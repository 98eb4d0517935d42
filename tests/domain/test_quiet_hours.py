"""When a shop is not visited, in local time, also in the nights that clocks change."""

from datetime import datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.domain.pacing import Slot
from monitor.domain.quiet_hours import QuietHours, read_window

BERLIN = "Europe/Berlin"


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


@pytest.mark.parametrize(
    ("windows", "now", "until"),
    [
        (["08:00-20:00"], "2026-11-29T02:00+01:00", None),
        (["08:00-20:00"], "2026-11-29T08:00+01:00", "2026-11-29T20:00+01:00"),
        (["08:00-20:00"], "2026-11-29T19:59:59+01:00", "2026-11-29T20:00+01:00"),
        (["08:00-20:00"], "2026-11-29T20:00+01:00", None),  # the end is no part of it
        (["22:00-06:00"], "2026-11-29T23:00+01:00", "2026-11-30T06:00+01:00"),
        (["22:00-06:00"], "2026-11-29T05:00+01:00", "2026-11-29T06:00+01:00"),
        (["22:00-00:00"], "2026-11-29T23:00+01:00", "2026-11-30T00:00+01:00"),
        (["01:00-02:00", "02:00-03:00"], "2026-11-29T01:30+01:00", "2026-11-29T03:00+01:00"),  # they touch
        (["22:00-06:00", "05:00-07:00"], "2026-11-29T23:00+01:00", "2026-11-30T07:00+01:00"),  # they overlap
        (["01:00-02:30"], "2026-03-29T01:30+01:00", "2026-03-29T03:00+02:00"),  # 02:30 does not exist that night
        (["01:00-02:30"], "2026-10-25T01:30+02:00", "2026-10-25T02:30+02:00"),  # and here it comes twice
        (["02:00-03:00"], "2026-10-25T02:30+01:00", "2026-10-25T03:00+01:00"),  # the second time is quiet too
        ([], "2026-11-29T02:00+01:00", None),
    ],
)
def test_a_shop_is_left_alone_until_its_quiet_hours_end(windows: list[str], now: str, until: str | None) -> None:
    found = QuietHours.of(windows, BERLIN).until(at(now))

    assert found == (None if until is None else at(until))


def test_a_slot_waits_for_the_end_of_the_quiet_hours() -> None:
    quiet = Slot("shop.example", timedelta(0), quiet=QuietHours.of(["01:00-04:00"], BERLIN))

    assert quiet.quiet_for(at("2026-11-29T02:00+01:00")) == timedelta(hours=2)
    assert quiet.quiet_for(at("2026-11-29T04:00+01:00")) == timedelta(0)


@pytest.mark.parametrize(
    "text", ["", "8-20", "08:00", "08:00-24:00", "08:00 - 20:00", "8:00-20:00", "08:60-09:00", "08:00-08:00"]
)
def test_what_is_no_window_is_named(text: str) -> None:
    with pytest.raises(ValueError, match=r"window of quiet hours|begins and ends"):
        read_window(text)


minutes = st.integers(0, 1439).map(lambda n: f"{n // 60:02}:{n % 60:02}")
windows = st.lists(st.tuples(minutes, minutes).filter(lambda w: w[0] != w[1]).map("-".join), max_size=4)


@given(windows, st.integers(0, 366 * 86_400).map(lambda s: at("2026-01-01T00:00+01:00") + timedelta(seconds=s)))
def test_after_the_end_a_visit_may_start_unless_the_windows_leave_no_gap(found: list[str], now: datetime) -> None:
    quiet = QuietHours.of(found, BERLIN)
    until = quiet.until(now)

    if until is None:
        return
    assert now < until <= now + timedelta(hours=25 * 9)
    covered = {minute for start, end in quiet.windows for minute in _minutes(start, end)}
    assert quiet.until(until) is None or len(covered) == 1440


def _minutes(start: time, end: time) -> range | set[int]:
    first, last = start.hour * 60 + start.minute, end.hour * 60 + end.minute
    return range(first, last) if first < last else {*range(first, 1440), *range(last)}

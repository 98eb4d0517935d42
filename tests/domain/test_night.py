"""One night per local date, never early, whatever the clocks do."""

from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from itertools import islice, pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.domain.night import coming, instant, is_once_more, latest_due, night_of, owed
from monitor.domain.plan import Schedule

ZONES = (
    "America/New_York",
    "Europe/Berlin",
    "Europe/London",
    "Australia/Sydney",
    "Australia/Lord_Howe",  # half an hour
    "America/Havana",  # midnight is missing in spring
    "Africa/Cairo",  # from midnight, on a Friday
    "America/Santiago",
)
FIRST, LAST = date(2026, 1, 1), date(2030, 12, 31)
TIMES = (time(0), time(0, 30), time(1, 30), time(2), time(2, 30), time(3), time(23, 30))


@cache
def changes_in(zone: str) -> tuple[date, ...]:
    """The local dates of 2026 to 2030 on which the offset at noon differs from that of the day before."""
    tz = ZoneInfo(zone)
    noons = [datetime.combine(FIRST, time(12), tz) + timedelta(days=n) for n in range((LAST - FIRST).days + 1)]
    return tuple(noon.date() for before, noon in pairwise(noons) if before.utcoffset() != noon.utcoffset())


def first_strike(day: date, at: time, zone: str) -> datetime:
    """The specification, by brute force: walk through the day and stop at the first time that is late enough."""
    tz = ZoneInfo(zone)
    moment = datetime.combine(day, time(0), UTC) - timedelta(hours=15)
    while True:
        local = moment.astimezone(tz)
        if local.date() == day and local.time() >= at:
            return moment
        moment += timedelta(minutes=5)


@pytest.mark.parametrize("zone", ZONES)
def test_every_zone_changes_its_clocks_twice_a_year(zone):
    """Otherwise the tests below would prove nothing."""
    assert len(changes_in(zone)) == 10


@pytest.mark.parametrize("zone", ZONES)
def test_around_every_change_a_night_is_due_at_the_first_strike(zone):
    days = {change + timedelta(days=n) for change in changes_in(zone) for n in (-1, 0, 1)}

    for day in sorted(days):
        for at in TIMES:
            assert instant(day, at, zone) == first_strike(day, at, zone), (day, at)


@pytest.mark.parametrize("at", [time(0), time(2), time(2, 30), time(23, 30)])
@pytest.mark.parametrize("zone", ZONES)
def test_five_years_hold_one_night_per_date_and_none_begins_early(zone, at):
    schedule, tz = Schedule(zone=zone, at=at), ZoneInfo(zone)
    start = night_of(FIRST - timedelta(days=1), schedule).due_at
    nights = list(islice(coming(start, schedule), (LAST - FIRST).days + 1))

    assert [night.local_date for night in nights] == [FIRST + timedelta(days=n) for n in range(len(nights))]
    assert nights[-1].local_date == LAST
    for night, following in pairwise(nights):
        local = night.due_at.astimezone(tz)
        assert local.date() == night.local_date
        assert local.time() >= at
        assert timedelta(hours=22) <= following.due_at - night.due_at <= timedelta(hours=26)


@given(
    zone=st.sampled_from(ZONES),
    at=st.times().map(lambda at: at.replace(second=0, microsecond=0)),
    now=st.datetimes(datetime(2026, 1, 2), datetime(2030, 12, 30), timezones=st.just(UTC)),  # noqa: DTZ001
)
def test_the_latest_due_night_is_the_last_one_that_has_begun(zone, at, now):
    schedule = Schedule(zone=zone, at=at)

    night = latest_due(now, schedule)
    following = next(coming(now, schedule))

    assert night.due_at <= now < following.due_at
    assert following.local_date == night.local_date + timedelta(days=1)


def test_the_hour_that_comes_twice_is_one_night():
    """In Berlin 02:00 strikes twice on 25 October 2026."""
    schedule = Schedule(zone="Europe/Berlin")
    strikes = [datetime.fromisoformat(f"2026-10-25T02:00+0{offset}:00") for offset in (2, 1)]

    nights = [latest_due(strike, schedule) for strike in strikes]

    assert nights[0] == nights[1]
    assert nights[0].due_at == strikes[0]
    assert nights[0].oddity == "02:00 strikes twice, begins at the first"


@pytest.mark.parametrize(
    ("zone", "day", "at", "due", "oddity"),
    [
        (
            "Europe/Berlin",
            date(2026, 3, 29),
            time(2),
            "2026-03-29T03:00+02:00",
            "02:00 does not exist, begins at 03:00",
        ),
        (
            "America/Havana",
            date(2026, 3, 8),
            time(0),
            "2026-03-08T01:00-04:00",
            "00:00 does not exist, begins at 01:00",
        ),
        (
            "Australia/Lord_Howe",
            date(2026, 10, 4),
            time(2, 15),
            "2026-10-04T02:30+11:00",
            "02:15 does not exist, begins at 02:30",
        ),
        (
            "Europe/London",
            date(2026, 3, 29),
            time(2),
            "2026-03-29T02:00+01:00",
            "the clocks change, this day has 23 hours",
        ),
        (
            "Australia/Lord_Howe",
            date(2026, 4, 5),
            time(5),
            "2026-04-05T05:00+10:30",
            "the clocks change, this day has 24.5 hours",
        ),
        ("Europe/Berlin", date(2026, 7, 1), time(2), "2026-07-01T02:00+02:00", None),
    ],
)
def test_an_odd_night_says_why_and_an_ordinary_one_says_nothing(zone, day, at, due, oddity):
    night = night_of(day, Schedule(zone=zone, at=at))

    assert night.due_at == datetime.fromisoformat(due)
    assert night.oddity == oddity


def test_a_deadline_earlier_in_the_day_than_the_beginning_is_on_the_next_day():
    night = night_of(date(2026, 7, 1), Schedule(at=time(22), deadline=time(5, 30)))

    assert night.deadline_at == datetime(2026, 7, 2, 5, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        ("2026-07-01T01:59:59+00:00", None),  # yesterday's is too old, today's not due
        ("2026-07-01T02:00+00:00", date(2026, 7, 1)),  # the instant itself
        ("2026-07-01T21:59:59+00:00", date(2026, 7, 1)),  # still within twenty hours
        ("2026-07-01T22:00+00:00", None),  # too late to be worth a night
    ],
)
def test_a_missed_night_is_owed_for_as_long_as_it_may_catch_up(now, expected):
    night = owed(datetime.fromisoformat(now), Schedule())

    assert (night.local_date if night else None) == expected


def test_after_a_week_of_downtime_only_the_latest_night_is_owed():
    """Missed nights coalesce; nobody wants seven reports at once."""
    night = owed(datetime(2026, 7, 8, 9, tzinfo=UTC), Schedule())

    assert night is not None
    assert night.local_date == date(2026, 7, 8)


@pytest.mark.parametrize(("run_id", "is_so"), [("nightly-2026-12-01", False), ("nightly.2-2026-12-01", True)])
def test_a_run_of_a_night_that_ran_before_is_known_by_its_name(run_id: str, is_so: bool) -> None:
    """The page of a shop showed the same night twice without a word about it."""
    assert is_once_more(run_id) is is_so

"""Every clock change of 2026 to 2030, lived through minute by minute by two schedulers on a clock that is set.

The oracle knows nothing of gaps and folds: a night begins in the first minute in which that date's clocks show its
time or later.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from monitor.adapters.db.store import SqlStore
from monitor.domain.plan import NightPlan, Schedule
from monitor.domain.run import Run
from monitor.flow.begin import begin
from monitor.flow.sweep import owed_night
from tests.core_scene import SetClock
from tests.nights import a_catalogue

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

FIRST, LAST = date(2026, 1, 1), date(2030, 12, 31)
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)
#: Zone, and the hour that its changes skip or repeat.
ZONES = {
    "America/New_York": 2,
    "Europe/Berlin": 2,
    "Europe/London": 1,
    "Australia/Sydney": 2,
    "Australia/Lord_Howe": 2,
    "America/Havana": 0,
    "Africa/Cairo": 0,
    "America/Santiago": 0,
}


def changes(zone: str) -> Iterator[date]:
    """Yield the local dates on which the clocks change: those that are not 24 hours long."""
    tz, day = ZoneInfo(zone), FIRST
    while day <= LAST:
        noon, before = (datetime.combine(each, time(12), tzinfo=tz).utcoffset() for each in (day, day - DAY))
        if noon != before:
            yield day
        day += DAY


def first_minute(day: date, at: time, zone: str) -> datetime:
    """Return the first minute in which the clocks of this date show `at` or later, by looking at every minute."""
    tz = ZoneInfo(zone)
    minute = datetime.combine(day, at, tzinfo=UTC) - timedelta(hours=15)
    while (shown := minute.astimezone(tz).replace(tzinfo=None)) < datetime.combine(day, at) or shown.date() < day:
        minute += MINUTE
    return minute


@dataclass
class Scheduler:
    """Does each minute what the cron process does."""

    store: SqlStore
    plan: NightPlan

    def tick(self, now: datetime) -> Run | None:
        """Begin what is owed."""
        night = owed_night(self.store, self.plan.schedule, now)
        if night is None:
            return None
        run, is_new = begin(self.store, self.plan, a_catalogue(), origin="schedule", day=night.local_date)
        return run if is_new else None


@pytest.mark.parametrize("zone", ZONES)
def test_through_every_clock_change_each_date_has_one_run_and_none_is_early(zone: str, own_sqlite_url: str) -> None:
    """Minute by minute around the strike of that night and of its neighbours, and every two hours in between."""
    clock = SetClock()
    store = SqlStore(own_sqlite_url, clock)
    changed = list(changes(zone))
    assert len(changed) >= 10
    for at in {time(2), time(ZONES[zone])}:
        plan = NightPlan(schedule=Schedule(f"nightly-{at.hour}", zone, at))
        schedulers = [Scheduler(store, plan), Scheduler(store, plan)]
        began: dict[date, list[datetime]] = {}
        for day in changed:
            for clock.at in _minutes(day, at, zone):
                schedulers.reverse()  # neither is always first
                for run in filter(None, [scheduler.tick(clock.at) for scheduler in schedulers]):
                    began.setdefault(run.local_date, []).append(clock.at)
        expected = {day + nights * DAY for day in changed for nights in (-1, 0, 1)}
        caught_up = began.keys() - expected
        assert caught_up <= {day - 2 * DAY for day in changed}, "only the night before the watch began"
        assert {day: began[day] for day in sorted(expected)} == {
            day: [first_minute(day, at, zone)] for day in sorted(expected)
        }
    store.close()


def _minutes(day: date, at: time, zone: str) -> list[datetime]:
    """Return when the schedulers look: around a change every minute for over an hour on both sides of the strike."""
    strikes = {nights: first_minute(day + nights * DAY, at, zone) for nights in (-1, 0, 1)}
    looks = {strikes[-1] + hours * timedelta(hours=2) for hours in range(-1, 25)}
    for nights, strike in strikes.items():
        around = 65 if nights == 0 else 3
        looks |= {strike + minutes * MINUTE for minutes in range(-around, around + 1)}
    return sorted(looks)

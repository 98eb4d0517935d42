"""Which instant a local date's night is due, whatever the clocks do that day.

A night is due at the first instant, on or after the wished time of that local date, that exists.
When the time strikes twice the first strike counts (`fold=0`); when clocks jump over it, the
instant of the jump counts. APScheduler is only a hint (it fires twice in Berlin's autumn and
skips a missing midnight altogether); these functions decide.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from monitor.domain.plan import Schedule


def instant(day: date, at: time, zone: str) -> datetime:
    """Return the first existing instant at or after `at` on `day` in `zone`, in UTC."""
    tz = ZoneInfo(zone)
    wall = datetime.combine(day, at, tzinfo=tz)  # fold=0: the first of two strikes
    there_and_back = wall.astimezone(UTC).astimezone(tz)
    if there_and_back.replace(tzinfo=None) == wall.replace(tzinfo=None):
        return wall.astimezone(UTC)
    return _end_of_gap(wall, tz)


def _end_of_gap(wall: datetime, tz: ZoneInfo) -> datetime:
    """Return the instant at which the clocks jumped over `wall`.

    In a gap `fold=0` reads the wall time with the offset before the jump and `fold=1` with the
    one after (PEP 495), so the jump lies between the two instants; it is found by halving.
    """
    low = wall.replace(fold=1).astimezone(UTC)
    high = wall.replace(fold=0).astimezone(UTC)
    before = low.astimezone(tz).utcoffset()
    while high - low > timedelta(seconds=1):
        middle = (low + (high - low) / 2).replace(microsecond=0)
        if middle.astimezone(tz).utcoffset() == before:
            low = middle
        else:
            high = middle
    return high


@dataclass(frozen=True, slots=True)
class Night:
    """One due night: the local date it belongs to and its instants in UTC."""

    local_date: date
    due_at: datetime
    deadline_at: datetime
    oddity: str | None = None  #: in words, when the clocks change that night


def night_of(day: date, schedule: Schedule) -> Night:
    """Return the night of one local date."""
    due = instant(day, schedule.at, schedule.zone)
    deadline_day = day if schedule.deadline > schedule.at else day + timedelta(days=1)
    deadline = instant(deadline_day, schedule.deadline, schedule.zone)
    return Night(day, due, deadline, _oddity(day, due, schedule))


def _oddity(day: date, due: datetime, schedule: Schedule) -> str | None:
    tz = ZoneInfo(schedule.zone)
    shown = due.astimezone(tz)
    if shown.time().replace(fold=0) != schedule.at:
        return f"{schedule.at:%H:%M} does not exist, begins at {shown:%H:%M}"
    wall = datetime.combine(day, schedule.at, tzinfo=tz)
    if wall.utcoffset() != wall.replace(fold=1).utcoffset():
        return f"{schedule.at:%H:%M} strikes twice, begins at the first"
    midnight, next_midnight = (instant(day + timedelta(days=n), time(0), schedule.zone) for n in (0, 1))
    hours = (next_midnight - midnight) / timedelta(hours=1)
    return None if hours == 24 else f"the clocks change, this day has {hours:g} hours"


def latest_due(now: datetime, schedule: Schedule) -> Night:
    """Return the night whose due instant was the last at or before `now`."""
    day = now.astimezone(ZoneInfo(schedule.zone)).date() + timedelta(days=1)
    while (night := night_of(day, schedule)).due_at > now:
        day -= timedelta(days=1)
    return night


def owed(now: datetime, schedule: Schedule) -> Night | None:
    """Return the night that should have begun by `now` and may still begin, or None.

    Missed nights coalesce: only the latest due one is ever owed.
    """
    night = latest_due(now, schedule)
    return night if now < night.due_at + schedule.catch_up else None


#: How far ahead of its time a night may be begun by hand, in nights.
NIGHTS_AHEAD = 7


def may_begin(day: date, now: datetime, schedule: Schedule) -> bool:
    """Say whether a night that was not begun may still begin, or begin already: what is read is read now.

    The latest due one may, and the nights of the week after it. An older one is over: today's prices are not its own.
    """
    latest = latest_due(now, schedule).local_date
    return latest <= day <= latest + timedelta(days=NIGHTS_AHEAD)


def again_name(schedule: str, number: int) -> str:
    """Return under which name a night runs for the second, third … time; names of schedules hold no dot."""
    return f"{schedule}.{number}"


def is_once_more(run_id: str) -> bool:
    """Say whether a run is of a night that ran before, by the name of its schedule."""
    return "." in run_id


def earlier_names(name: str) -> tuple[str, ...]:
    """Return under which names the same night ran before, oldest first.

    >>> earlier_names("nightly.3"), earlier_names("nightly")
    (('nightly', 'nightly.2'), ())
    """
    schedule, _, number = name.partition(".")
    return (schedule, *(again_name(schedule, each) for each in range(2, int(number)))) if number else ()


def coming(now: datetime, schedule: Schedule) -> Iterator[Night]:
    """Yield the nights after `now`, in order, without end."""
    day = latest_due(now, schedule).local_date
    while True:
        day += timedelta(days=1)
        yield night_of(day, schedule)

"""The hours in which a shop is not visited, as its operator set them.

Written as `"HH:MM-HH:MM"` in the night's zone; a window whose end is not after its beginning goes past midnight. The
end is the first moment at which a visit may start again. When the clocks change, the wall decides: a window lasts until
the wall shows its end, however long that is.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from monitor.domain.night import instant

_WINDOW = re.compile(r"([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)", re.ASCII)


@dataclass(frozen=True, slots=True)
class QuietHours:
    """Windows of local time without visits."""

    windows: tuple[tuple[time, time], ...] = ()
    zone: str = "UTC"  #: IANA name

    @classmethod
    def of(cls, windows: Iterable[str], zone: str) -> "QuietHours":
        """Read windows as settings write them.

        Raises:
            ValueError: one of them is not two different times of day.
        """
        return cls(tuple(read_window(window) for window in windows), zone)

    def until(self, now: datetime) -> datetime | None:
        """Return when visits may start again, None when they may now; windows that touch count as one."""
        found: datetime | None = None
        at = now
        for _ in range(2 * len(self.windows) + 1):
            end = self._end_of_window(at)
            if end is None or end <= at:
                break
            found = at = end
        return found

    def _end_of_window(self, at: datetime) -> datetime | None:
        wall = at.astimezone(ZoneInfo(self.zone))
        for start, end in self.windows:
            if _covers(start, end, wall.time()):
                is_over_midnight = end <= start and wall.time() >= start
                day = wall.date() + timedelta(days=1) if is_over_midnight else wall.date()
                return instant(day, end, self.zone)
        return None


NEVER_QUIET = QuietHours()


def read_window(text: str) -> tuple[time, time]:
    """Return the two ends of a window.

    Raises:
        ValueError: another form, or the same time twice.
    """
    found = _WINDOW.fullmatch(text)
    if not found:
        raise ValueError(f'{text[:40]!r} is not a window of quiet hours; write two times of day as "08:00-20:00"')
    start, end = time(int(found[1]), int(found[2])), time(int(found[3]), int(found[4]))
    if start == end:
        raise ValueError(f"{text!r} begins and ends at the same time; to leave a shop alone write enabled = false")
    return start, end


def _covers(start: time, end: time, at: time) -> bool:
    return start <= at < end if start < end else at >= start or at < end

"""How far a night is, as `monitor status` tells it."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from rich.console import Console

from monitor.cli.status import _shown
from monitor.domain.run import JobKind, JobState, RunState
from monitor.domain.status import JobLine, RunStatus

BEGAN = datetime(2026, 11, 30, 2, 0, tzinfo=UTC)
NOW = BEGAN + timedelta(minutes=4)
DONE = JobLine(1, "acme", JobKind.COMPETITOR, JobState.DONE, 1, 3, 2, 12, 3, BEGAN, NOW, None, None)
WAITS = replace(DONE, id=2, competitor="globex", state=JobState.QUEUED, ended_at=None)


NIGHT = RunStatus(
    run="nightly-2026-11-30",
    date=date(2026, 11, 30),
    zone="UTC",
    state=RunState.COLLECTING,
    partial=False,
    origin="schedule",
    due_at=BEGAN,
    deadline_at=BEGAN + timedelta(hours=3),
    started_at=BEGAN,
    ended_at=None,
    jobs_total=2,
    jobs_ended=1,
    jobs_failed=0,
    tool_calls=4,
    observations={"ok": 4},
    proposals={},
    mails={},
    report=False,
    jobs=(DONE, WAITS),
    alerts=(),
)


def shown(night: RunStatus) -> str:
    screen = Console(width=200)
    with screen.capture() as capture:
        screen.print(_shown(night, NOW, is_idle=False))
    return capture.get()


@pytest.mark.parametrize(("wait", "left"), [(15, "15 min 00 s"), (1, "4 min 00 s"), (0, "4 min 00 s")])
def test_what_is_left_of_a_night_is_no_less_than_the_wait_that_a_shop_asked_for(wait: int, left: str) -> None:
    """A shop that asked for a quarter of an hour was left out, and the night was always over in a few seconds."""
    waits = replace(WAITS, waits_until=NOW + timedelta(minutes=wait) if wait else None)

    assert f"about {left} left at this pace" in shown(replace(NIGHT, jobs=(DONE, waits)))


def test_a_shop_of_which_nothing_was_read_is_not_done() -> None:
    """A visit that came to its end read nothing of three watches, and its state said `done`."""
    words = "3 of 3 not read: nobody answers at the address"
    empty = replace(DONE, watches_asked=3, unread_words=words)
    gaps = replace(DONE, competitor="globex", watches_asked=3, watches_read=2, unread_words="1 of 3 not read: gone")
    night = replace(NIGHT, jobs=(empty, gaps, replace(DONE, competitor="stark")), jobs_ended=3, jobs_total=3)

    lines = {line.split()[1]: line for line in shown(night).splitlines() if line.split()[:1] == ["1"]}

    assert "3 of 3 competitors, 1 with nothing read" in shown(night)
    assert "nothing read" in lines["acme"]
    assert words in lines["acme"]
    assert "done, gaps" in lines["globex"]
    assert "done " in lines["stark"]


def test_readings_are_summed_up_in_the_words_of_the_report() -> None:
    night = replace(NIGHT, observations={"ok": 4, "robots": 1}, readings={"read": 4, "robots.txt unreachable": 1})

    assert "readings: 4 read, 1 robots.txt unreachable" in shown(night)

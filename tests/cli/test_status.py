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


@pytest.mark.parametrize(("wait", "left"), [(15, "15 min 00 s"), (1, "4 min 00 s"), (0, "4 min 00 s")])
def test_what_is_left_of_a_night_is_no_less_than_the_wait_that_a_shop_asked_for(wait: int, left: str) -> None:
    """A shop that asked for a quarter of an hour was left out, and the night was always over in a few seconds."""
    waits = replace(WAITS, waits_until=NOW + timedelta(minutes=wait) if wait else None)
    night = RunStatus(
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
        jobs=(DONE, waits),
        alerts=(),
    )
    screen = Console(width=200)
    with screen.capture() as shown:
        screen.print(_shown(night, NOW, is_idle=False))

    assert f"about {left} left at this pace" in shown.get()

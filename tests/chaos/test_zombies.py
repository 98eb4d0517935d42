"""A worker that is stopped, given up, replaced and then wakes up changes no row.

It is stopped after each commit of a night in turn, and inside a transaction where PostgreSQL would keep its locks for
ever. Its leases end because time passes in the tables, not on its own clock: it believes that it may go on, and only
the fence in the database stops it.
"""

import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from tests.chaos.lane import Lane
from tests.chaos.outcome import outcome, rows, with_store
from tests.chaos.sweep import Undisturbed, share_of, swept

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def _wait_until_stopped(pid: int) -> None:
    give_up_at = time.monotonic() + 60
    while Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "T":
        assert time.monotonic() < give_up_at, "it never came to that commit"
        time.sleep(0.005)


def _everything(environ: dict[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = with_store(
        environ["MONITOR_DATABASE_URL"], lambda store: rows(store.reader, without=("workers",))
    )
    return found


def _stopped_at(lane: Lane, expected: Undisturbed, commit: int, side: str) -> None:
    """Stop a worker there, let another finish the night, wake the first, and compare every row of every table."""
    with lane.night() as environ:
        zombie = lane.zygote.start(lane.order(environ, commit=commit, side=side, signal=signal.SIGSTOP))
        _wait_until_stopped(zombie)
        replacement = lane.run(environ)
        assert replacement.code == 0, lane.log
        before = _everything(environ)
        os.kill(zombie, signal.SIGCONT)
        assert lane.zygote.wait(zombie).code == 0, lane.log
        after = _everything(environ)

        changed = {name for name in before if before[name] != after[name]}
        # Whoever sends a mail may say so late: what it knows is better than not knowing.
        if "mails" in expected.commits[commit - 1]:
            changed -= {"mails"}
        assert not changed, {name: (before[name], after[name]) for name in changed}
        left = with_store(environ["MONITOR_DATABASE_URL"], outcome)
        assert left["runs"] == expected.left["runs"]
        assert left["observations"] == expected.left["observations"]
        assert len(lane.receiver.books.changes) == 1
        assert set(lane.letters.values()) <= {1}, f"mailed twice: {lane.letters}"


def test_a_worker_that_wakes_up_after_its_replacement_finished_changes_no_row(
    lanes: list[Lane], capsys: pytest.CaptureFixture[str]
) -> None:
    """After every commit: whatever it still does is refused."""
    began = time.monotonic()
    expected = [Undisturbed(lane) for lane in lanes]
    every = [(commit, "after") for commit in range(1, len(expected[0].commits) + 1)]
    points = share_of(every, lanes[0].databases.kind)

    wrong = swept(lanes, points, expected, _stopped_at)

    with capsys.disabled():
        took = time.monotonic() - began
        print(f"\n{lanes[0].databases.kind}: {len(points)} zombies in {took:.0f} s")
    assert not wrong, "\n\n".join(wrong)


@pytest.mark.parametrize("lanes", ["postgresql"], indirect=True)
def test_a_worker_stopped_inside_a_transaction_blocks_nobody_for_long(lanes: list[Lane]) -> None:
    """PostgreSQL ends a transaction that stands still for ten seconds; its row locks would hold up every sweep."""
    expected = [Undisturbed(lane) for lane in lanes]
    commits = expected[0].commits
    checkpoint = next(number for number, changed in enumerate(commits, 1) if "insert observations" in changed)
    claim = next(number for number, changed in enumerate(commits, 1) if "update writes" in changed)

    wrong = swept(lanes, [(checkpoint, "before"), (claim, "before")], expected, _stopped_at)

    assert not wrong, "\n\n".join(wrong)

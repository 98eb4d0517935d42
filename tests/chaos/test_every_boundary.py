"""A night killed before and after every commit ends as if nothing had happened.

The boundaries are counted by a hook on the commits of an undisturbed night, so new code is covered by itself.

`CHAOS_COMPETITORS=30` makes the night a large one, and `CHAOS_SHARE` says which points are taken (`tests.chaos.sweep`).
"""

import itertools
import signal
import time
from collections.abc import Callable

import pytest

from tests.chaos.lane import COMPETITORS, Lane
from tests.chaos.outcome import outcome, unclear_mails, with_store
from tests.chaos.sweep import SHARE, Undisturbed, share_of, swept

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900 * COMPETITORS)]


def _killed_at(lane: Lane, expected: Undisturbed, commit: int, side: str) -> None:
    """Kill the night there, resume it, and compare."""
    with lane.night() as environ:
        killed = lane.run(environ, commit=commit, side=side)
        assert killed.code == -signal.SIGKILL, f"ended with {killed.code} before it could be killed\n{lane.log}"
        resumed = lane.run(environ)
        assert resumed.code == 0, lane.log
        left = with_store(environ["MONITOR_DATABASE_URL"], outcome)
        held = unclear_mails(left)
        wrong = [name for name in left if left[name] != expected.left[name]]
        assert not wrong, {name: (left[name], expected.left[name]) for name in wrong}
        assert len(lane.receiver.books.changes) == 1, lane.receiver.books.changes
        assert len(set(lane.receiver.books.calls)) == 1, "one key for every call of one approved price"
        assert lane.market.hits.keys() == expected.requests.keys()
        assert lane.repeats <= 1, f"asked again: {lane.market.hits}"
        letters = lane.letters
        assert set(letters.values()) <= {1}, f"mailed twice: {letters}"
        assert held <= 1


def test_a_night_killed_before_and_after_every_commit_ends_as_if_nothing_had_happened(
    lanes: list[Lane], say: Callable[[str], None]
) -> None:
    """Same report, same prices, one synthesis, one write; at most the call in flight is made and charged again."""
    began = time.monotonic()
    expected = [Undisturbed(lane) for lane in lanes]
    commits = expected[0].commits
    assert [each.commits for each in expected] == [commits, commits], "the night makes the same commits every time"
    points = list(itertools.product(range(1, len(commits) + 1), ("before", "after")))
    kind = lanes[0].databases.kind
    taken = share_of(points, kind)
    if COMPETITORS > 2:
        say(f"{kind}: {len(taken)} of {len(points)} points (CHAOS_SHARE={SHARE}), {COMPETITORS} competitors")

    wrong = swept(lanes, taken, expected, _killed_at, say)

    say(f"{kind}: {len(taken)} points at {len(commits)} commits in {time.monotonic() - began:.0f} s")
    assert len(points) >= 50, "a hook that misses commits would prove nothing"
    assert not wrong, "\n\n".join(wrong)

"""Takes the points of a sweep on whichever lane is free, and says what went wrong where.

Where CHAOS_SHARE is not set SQLite takes one half of the points and PostgreSQL the other, before the one commit and
after the next. `CHAOS_SHARE=1/1`, which `make chaos` sets, takes all of them on both; `CHAOS_SHARE=2/5` the second of
every five, so that machines can share a sweep, or one can go on with what another left.
"""

import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tests.chaos.lane import Lane
from tests.chaos.outcome import outcome, unclear_mails, with_store

#: How often a long sweep says how far it is, in seconds.
_TELL_S = 30.0
#: Which share of the points is taken, of how many; None where the kinds of database share them.
SHARE = os.environ.get("CHAOS_SHARE")


class Undisturbed:
    """What a night leaves on a lane that nobody interrupts, and the commits it makes."""

    def __init__(self, lane: Lane) -> None:
        with lane.night() as environ:
            ended = lane.run(environ)
            assert ended.code == 0, lane.log
            self.commits = ended.commits
            self.left: dict[str, Any] = with_store(environ["MONITOR_DATABASE_URL"], outcome)
            self.requests = dict(lane.market.hits)
            assert unclear_mails(self.left) == 0
            assert len(lane.receiver.books.changes) == 1
            assert lane.letters.total() == 1


def share_of(points: list[tuple[int, str]], kind: str) -> list[tuple[int, str]]:
    """Return the points that are taken on one kind of database: each the number of a commit, and before or after."""
    if SHARE is None:
        return [(commit, side) for commit, side in points if (commit % 2 == (side == "after")) is (kind == "sqlite")]
    share, shares = map(int, SHARE.split("/"))
    return points[share - 1 :: shares]


def swept(
    lanes: list[Lane],
    points: list[tuple[int, str]],
    expected: list[Undisturbed],
    disturb: Callable[[Lane, Undisturbed, int, str], None],
    say: Callable[[str], None] = lambda _words: None,
) -> list[str]:
    """Disturb a night at every point; return what was not as it should be, and `say` now and then how far it is."""
    left = iter(points)
    guard = threading.Lock()
    wrong: list[str] = []
    progress = _Progress(len(points), say)

    def take(number: int) -> None:
        while True:
            with guard:
                point = next(left, None)
            if point is None:
                return
            try:
                disturb(lanes[number], expected[number], *point)
            except AssertionError as failed:
                with guard:
                    wrong.append(f"{point[1]} commit {point[0]} ({expected[0].commits[point[0] - 1]}): {failed}")
                    say(wrong[-1])
            with guard:
                progress.count(len(wrong))

    with ThreadPoolExecutor(len(lanes)) as pool:
        list(pool.map(take, range(len(lanes))))
    return wrong


class _Progress:
    """Says how many points are done, how fast, and when the rest will be."""

    def __init__(self, points: int, say: Callable[[str], None]) -> None:
        self._points, self._say = points, say
        self._done = 0
        self._began = self._told = time.monotonic()

    def count(self, wrong: int) -> None:
        """Count a point."""
        self._done += 1
        now = time.monotonic()
        if now - self._told < _TELL_S:
            return
        self._told = now
        rate = self._done / (now - self._began)
        left = (self._points - self._done) / rate / 60
        self._say(f"{self._done} of {self._points} points, {rate:.1f} a second, {wrong} wrong, {left:.0f} min left")

"""Takes every point of a sweep on whichever lane is free, and says what went wrong where."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tests.chaos.lane import Lane
from tests.chaos.outcome import outcome, unclear_mails, with_store


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


def swept(
    lanes: list[Lane],
    points: list[tuple[int, str]],
    expected: list[Undisturbed],
    disturb: Callable[[Lane, Undisturbed, int, str], None],
) -> list[str]:
    """Disturb a night at every point; return what was not as it should be."""
    left = iter(points)
    guard = threading.Lock()
    wrong: list[str] = []

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

    with ThreadPoolExecutor(len(lanes)) as pool:
        list(pool.map(take, range(len(lanes))))
    return wrong

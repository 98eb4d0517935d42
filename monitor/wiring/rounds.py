"""When a job that was left rings for the next ones: not each, while enough wake-ups are still on their way.

Looking for due jobs reads and writes the database, and in a night of thousands of short jobs each would do it for one
other. So half of the jobs that were rung last are left before it is done again. The sweep rings every second all the
same, so a wake-up that another process took, or nobody, costs a second.
"""

import threading


class Rounds:
    """Counts wake-ups that are still to be heard; safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._spare = 0

    def is_due(self) -> bool:
        """Count a job that was left, and say whether it is time to ring again."""
        with self._lock:
            self._spare -= 1
            return self._spare < 0

    def rang(self, count: int) -> None:
        """Note how many jobs were rung now."""
        with self._lock:
            self._spare = count // 2

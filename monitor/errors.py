"""The errors of the price monitor, by what the caller should do about them.

`RetryLater` asks for another attempt, `CannotSucceed` says that no attempt will help, and
`Misconfigured` asks a person to change a setting. Every error that leaves a module of this
package is one of the three; no library's exception leaves its adapter.
"""

from collections.abc import Sequence
from datetime import datetime


class MonitorError(Exception):
    """Base of every error raised on purpose."""


class RetryLater(MonitorError):
    """The same call may succeed later; `not_before` says when it is polite to try again."""

    def __init__(self, words: str, *, not_before: datetime | None = None) -> None:
        super().__init__(words)
        self.not_before = not_before


class CannotSucceed(MonitorError):
    """Trying again cannot help: the thing is refused, gone or spent."""


class Misconfigured(MonitorError):
    """A file, a setting or a secret is wrong; carries every problem found, not only the first."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


class LeaseLost(RetryLater):
    """Another worker holds this job now, so what this one was about to commit is dropped."""

    def __init__(self, job: str, fence: int) -> None:
        super().__init__(
            f"{job}: the lease with fence {fence} is no longer ours; another worker took the job over. "
            "Nothing of this step was committed here, and nothing needs to be done."
        )
        self.job, self.fence = job, fence


class BudgetExhausted(CannotSucceed):
    """A job asked for more tool calls than its budget allows."""

    def __init__(self, job: str, tool: str, limit: int) -> None:
        super().__init__(
            f"{job}: refused tool call {tool!r}, all {limit} calls of its budget are spent. What it observed "
            "so far is kept; what it did not reach is named as skipped and comes first tomorrow. Raise "
            "budget.tool_calls in monitor.toml if this competitor needs more."
        )
        self.job, self.tool, self.limit = job, tool, limit


class OutcomeUnknown(MonitorError):
    """A request left and no clear answer came: it may or may not have taken effect.

    Never retried blindly. Whoever catches it records `unknown` and settles it by reading.
    """


class StoreUnavailable(RetryLater):
    """The database did not answer, or the transaction was ended by it; nothing of the block was kept."""

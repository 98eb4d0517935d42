"""What a job consists of: a plan that chooses steps, and tools that make them.

A plan is a pure function of what the finished steps returned, so that replaying the stored results
always leads to the same next step.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, TypeAlias

from monitor.domain.pacing import Slot
from monitor.domain.run import Claim, JobState, Step, StepState
from monitor.durable.suspect import Caller, here
from monitor.ports.store import Effect


@dataclass(frozen=True, slots=True)
class Call:
    """The next step: one call of one tool."""

    tool: str
    args: dict[str, Any]  #: JSON values; stored with the step
    cost: int = 1  #: tool calls charged for every start
    slot: Slot | None = None  #: taken in the transaction that starts the step
    needs: int | None = None  #: tool calls wanted from here on, this one included; None: nobody knows
    not_before: datetime | None = None  #: an instant to wait for; the wait is kept and frees the thread


@dataclass(frozen=True, slots=True)
class Finish:
    """The plan has nothing left to do."""

    state: JobState = JobState.DONE
    error: str | None = None
    effects: Sequence[Effect] = ()


class Plan(Protocol):
    """Chooses the steps of one job."""

    def next(self, steps: Sequence[Step]) -> Call | Finish:
        """Return what to do after these finished steps; the same steps always give the same answer."""

    def out_of_budget(self, steps: Sequence[Step], refused: Call) -> Finish:
        """Return how the job ends when `refused` cannot be paid: what is kept, what is named as skipped."""


@dataclass(frozen=True, slots=True)
class Done:
    """What a tool call gave."""

    result: dict[str, Any]  #: JSON values, small; the checkpoint
    effects: Sequence[Effect] = ()
    requests: int = 0  #: HTTP requests it made


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a tool may know of where it runs."""

    claim: Claim
    seq: int
    requests_used: int  #: HTTP requests of this job so far, for the hard cap
    call: Caller = here  #: how to call what may kill the process; see `suspect`


#: Makes one step. Raises RetryLater or CannotSucceed when it could not; both close the step as an error.
Tool: TypeAlias = Callable[[ToolContext, dict[str, Any]], Done]


@dataclass(frozen=True, slots=True)
class InOrder:
    """A plan of named steps, each once, in order; the job fails when one of them does."""

    tools: tuple[str, ...]
    on_failure: Callable[[str], Sequence[Effect]] = lambda _words: ()

    def next(self, steps: Sequence[Step]) -> Call | Finish:
        """Return the first step that is not done, or finish."""
        failed = next((step for step in steps if step.state is StepState.ERROR), None)
        if failed is not None:
            words = f"step {failed.tool!r} failed: {failed.error}"
            return Finish(JobState.FAILED, words, self.on_failure(words))
        if len(steps) == len(self.tools):
            return Finish()
        return Call(self.tools[len(steps)], {}, cost=0)

    def out_of_budget(self, steps: Sequence[Step], refused: Call) -> Finish:
        """Never asked: its steps cost nothing."""
        return Finish(JobState.FAILED, f"no budget for {refused.tool!r}")

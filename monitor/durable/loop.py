"""The loop of one job: claim, replay, then choose, pay, call and checkpoint until it ends.

One transaction per step: it closes the step that ran, applies its effects and starts the next one. So a
crash is always inside exactly one `started` step, which is charged again and made again on resume.
A step during which the process died twice is suspect: it is closed as an error, so that a
poison page costs one watch and not the night.
"""

import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from typing import TypeAlias

from monitor.domain.run import Claim, Job, Step, StepState
from monitor.durable.incarnation import Incarnation
from monitor.durable.plan import Done, Finish, Plan, Tool, ToolContext
from monitor.errors import CannotSucceed, LeaseLost, RetryLater, StoreUnavailable
from monitor.ports.store import Effect, Store, Unit

#: A step that was started this often and never ended is given up.
MAX_STARTS = 3
#: A wait up to this long is slept in the thread; a longer one is committed and frees it.
SHORT_WAIT = timedelta(seconds=1)


class Ending(StrEnum):
    """How a loop left its job."""

    ENDED = "ended"  #: the job is done or failed
    DEFERRED = "deferred"  #: it waits for its `run_at`
    DRAINED = "drained"  #: given back because this process stops
    LOST = "lost"  #: another worker has it now
    NOT_OURS = "not_ours"  #: it could not be claimed


@dataclass(frozen=True, slots=True)
class Made:
    """A step that ran, before it is committed."""

    step: Step
    requests: int = 0
    effects: tuple[Effect, ...] = ()


#: Reads what a claimed job has to do: its plan, and its tools by name.
Opener: TypeAlias = Callable[[Unit, Job], tuple[Plan, Mapping[str, Tool]]]


def work(job_id: int, *, store: Store, me: Incarnation, open_job: Opener) -> Ending:
    """Claim a job and work on it until it ends, waits, is drained or is lost.

    Returns:
        How it was left. A job that another worker holds, or that ended, is `NOT_OURS`.

    Raises:
        StoreUnavailable: the database did not come back; the lease ends by itself.
    """
    with store.write() as unit:
        claim = unit.jobs.claim(job_id, me.id, me.lease)
        if claim is None:
            return Ending.NOT_OURS
        plan, tools = open_job(unit, claim.job)
        steps = unit.jobs.steps(job_id)
    with me.working_on(job_id):
        try:
            return JobLoop(store, me, claim, plan, tools, steps).run()
        except LeaseLost:
            return Ending.LOST


class JobLoop:
    """Works on one claimed job."""

    def __init__(
        self,
        store: Store,
        me: Incarnation,
        claim: Claim,
        plan: Plan,
        tools: Mapping[str, Tool],
        steps: tuple[Step, ...],
    ) -> None:
        self._store, self._me, self._claim, self._plan, self._tools = store, me, claim, plan, tools
        self._ended = [step for step in steps if step.state is not StepState.STARTED]
        self._interrupted = next((step for step in steps if step.state is StepState.STARTED), None)
        self._calls_used = claim.job.calls_used
        self._requests_used = claim.job.requests_used

    def run(self) -> Ending:
        """Take steps until the job leaves our hands."""
        made: Made | None = None
        if self._interrupted is not None and self._interrupted.attempts >= MAX_STARTS:
            made = self._given_up(self._interrupted)
        while True:
            move = self._commit(made)
            if isinstance(move, Ending):
                return move
            made = None
            if isinstance(move, timedelta):
                self._me.wait(move.total_seconds())
            else:
                made = self._make(move)
                if self._me.is_fenced:
                    raise LeaseLost(self._claim.job.name, self._claim.fence)

    def _commit(self, made: Made | None) -> Step | timedelta | Ending:
        """Commit a step that ran and start the next one, trying again while the database is away."""
        give_up_at = time.monotonic() + self._me.lease.total_seconds()
        pause_s = 0.05
        while True:
            try:
                with self._store.write() as unit:
                    move = self._advance(unit, made)
            except StoreUnavailable:
                if time.monotonic() + pause_s > give_up_at:
                    raise
                time.sleep(pause_s)
                pause_s = min(pause_s * 2, 2.0)
            else:
                self._remember(made, move)
                return move

    def _advance(self, unit: Unit, made: Made | None) -> Step | timedelta | Ending:
        steps = list(self._ended)
        interrupted = self._interrupted
        if made is not None:
            self._close(unit, made)
            steps.append(made.step)
            interrupted = None
        if self._me.is_stopping:
            unit.jobs.defer(self._claim, unit.now)
            return Ending.DRAINED
        return self._begin_next(unit, steps, interrupted)

    def _close(self, unit: Unit, made: Made) -> None:
        unit.jobs.finish(
            self._claim,
            made.step.seq,
            result=made.step.result,
            error=made.step.error,
            requests=made.requests,
            lease=self._me.lease,
        )
        for effect in made.effects:
            effect(unit)

    def _begin_next(self, unit: Unit, steps: list[Step], interrupted: Step | None) -> Step | timedelta | Ending:
        move = self._plan.next(steps)
        if isinstance(move, Finish):
            return self._end(unit, move)
        if self._calls_used + move.cost > self._claim.job.calls_limit:
            return self._end(unit, self._plan.out_of_budget(steps, move))
        if move.slot is not None:
            wait = unit.shops.take_slot(move.slot.bucket, move.slot.delay)
            if wait > SHORT_WAIT:
                unit.jobs.defer(self._claim, unit.now + wait)
                return Ending.DEFERRED
            if wait > timedelta(0):
                return wait
        seq = len(steps) + 1
        unit.jobs.start(self._claim, seq, move.tool, move.args, move.cost, self._me.lease)
        attempts = interrupted.attempts + 1 if interrupted is not None else 1
        return Step(seq, move.tool, move.args, StepState.STARTED, attempts, move.cost, unit.now, None, None, None)

    def _end(self, unit: Unit, finish: Finish) -> Ending:
        for effect in finish.effects:
            effect(unit)
        unit.jobs.end(self._claim, finish.state, finish.error)
        return Ending.ENDED

    def _remember(self, made: Made | None, move: Step | timedelta | Ending) -> None:
        if made is not None:
            self._ended.append(made.step)
            self._interrupted = None
            self._requests_used += made.requests
        if isinstance(move, Step):
            self._calls_used += move.cost

    def _make(self, step: Step) -> Made:
        """Call the tool; whatever goes wrong closes the step as an error and costs this step only."""
        context = ToolContext(self._claim, step.seq, self._requests_used)
        try:
            done: Done = self._tools[step.tool](context, step.args)
        except (LeaseLost, StoreUnavailable):
            raise
        except (CannotSucceed, RetryLater) as refused:
            return Made(replace(step, state=StepState.ERROR, error=str(refused)))
        except Exception:
            # A defect of ours: named in the step and the report, and the other watches go on.
            return Made(replace(step, state=StepState.ERROR, error=traceback.format_exc(limit=-4)))
        return Made(replace(step, state=StepState.DONE, result=done.result), done.requests, tuple(done.effects))

    def _given_up(self, step: Step) -> Made:
        words = f"the process died {step.attempts} times during this step, so it is given up and the job goes on"
        return Made(replace(step, state=StepState.ERROR, error=words))

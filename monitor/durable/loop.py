"""The loop of one job: claim, replay, then choose, pay, call and checkpoint until it ends.

One transaction per step: it closes the step that ran, applies its effects and starts the next one. So a
crash is always inside exactly one `started` step, which is charged again and made again on resume.
A step during which the process died twice is suspect: it is made alone in a child process (`suspect`), so that a
poison page costs one watch and not the night, and an innocent one costs nothing.
"""

import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from typing import TypeAlias

from monitor.domain.message import Alert, AlertKind
from monitor.domain.pacing import Slot
from monitor.domain.run import Claim, Job, JobState, Step, StepState
from monitor.domain.status import Interruption
from monitor.durable.budgets import tell_calls
from monitor.durable.incarnation import Incarnation
from monitor.durable.plan import Call, Done, Finish, Plan, Tool, ToolContext
from monitor.durable.suspect import Caller, here, is_suspect
from monitor.errors import CannotSucceed, LeaseLost, RetryLater, StoreUnavailable
from monitor.ports.jobs import Begun, Closed
from monitor.ports.store import Effect, Store, Unit

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


def work(job_id: int, *, store: Store, me: Incarnation, open_job: Opener, alone: Caller = here) -> Ending:
    """Claim a job and work on it until it ends, waits, is drained or is lost.

    Args:
        job_id: the job to claim.
        store: where jobs are kept.
        me: who claims it.
        open_job: reads what is to be done.
        alone: how a suspect step calls what may kill its process.

    Returns:
        How it was left. A job that another worker holds, or that ended, is `NOT_OURS`.

    Raises:
        StoreUnavailable: the database did not come back; the lease ends by itself.
    """
    with store.write(joint=True) as unit:
        claim = unit.jobs.claim(job_id, me.id, me.lease)
        if claim is None:
            return Ending.NOT_OURS
    with me.working_on(claim):
        try:
            with store.read() as unit:
                plan, tools = open_job(unit, claim.job)
                steps = unit.jobs.steps(job_id)
                interruptions = unit.jobs.interruptions(job_id) if claim.fence > 1 else ()
            return JobLoop(store, me, claim, plan, tools, steps, interruptions, alone).run()
        except LeaseLost:
            return Ending.LOST
        except StoreUnavailable:
            raise
        except Exception:
            return _fail(store, claim, traceback.format_exc(limit=-4))


def _fail(store: Store, claim: Claim, trace: str) -> Ending:
    """End a job that cannot even be planned: claimed again it would fail alike, and the night waits for it."""
    job = claim.job
    words = (
        f"{job.name} failed by a defect of the program and was ended; what it stored is kept. {trace.splitlines()[-1]}"
    )
    try:
        with store.write() as unit:
            unit.jobs.end(claim, JobState.FAILED, trace)
            unit.alerts.raise_once(Alert(f"job:{job.name}", AlertKind.JOB, job.run_id, words, unit.now))
    except LeaseLost:
        return Ending.LOST
    return Ending.ENDED


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
        interruptions: tuple[Interruption, ...] = (),
        alone: Caller = here,
    ) -> None:
        self._store, self._me, self._claim, self._plan, self._tools = store, me, claim, plan, tools
        self._alone, self._interruptions = alone, interruptions
        self._ended = [step for step in steps if step.state is not StepState.STARTED]
        self._interrupted = next((step for step in steps if step.state is StepState.STARTED), None)
        self._calls_used = claim.job.calls_used
        self._requests_used = claim.job.requests_used
        self._visiting: str | None = None  # the bucket that is ours while this job runs

    def run(self) -> Ending:
        """Take steps until the job leaves our hands."""
        made: Made | None = None
        while True:
            move = self._kept(made)
            if isinstance(move, Ending):
                return move
            made = None
            if isinstance(move, timedelta):
                self._me.wait(move.total_seconds())
            else:
                made = self._make(move)
            if self._me.is_fenced or not self._me.holds(self._claim):
                raise LeaseLost(self._claim.job.name, self._claim.fence)

    def _kept(self, made: Made | None) -> Step | timedelta | Ending:
        """Commit a step that ran; when what it leaves cannot be kept, commit it as an error.

        A result that is no JSON, an effect that raises: a defect of ours again, and it costs this step only. A plan
        that raises does so the second time as well.
        """
        try:
            return self._commit(made)
        except (LeaseLost, StoreUnavailable):
            raise
        except Exception:
            if made is None or made.step.state is not StepState.DONE:
                raise
            failed = replace(made.step, state=StepState.ERROR, result=None, error=traceback.format_exc(limit=-4))
            return self._commit(Made(failed, made.requests))

    def _commit(self, made: Made | None) -> Step | timedelta | Ending:
        """Commit a step that ran and start the next one, trying again while the database is away."""
        give_up_at = time.monotonic() + self._me.lease.total_seconds()
        pause_s = 0.05
        while True:
            try:
                with self._store.write(joint=True) as unit:
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
        steps = list(self._ended) if made is None else [*self._ended, made.step]
        closed = self._closed(unit, made)
        move = None if self._me.is_stopping else self._plan.next(steps)
        if isinstance(move, Call) and self._calls_used + move.cost > self._claim.job.calls_limit:
            move = self._plan.out_of_budget(steps, move)
        wait = self._wait_for(unit, move) if isinstance(move, Call) else timedelta(0)
        if isinstance(move, Call) and wait == timedelta(0):
            return self._begin(unit, closed, move, len(steps) + 1, is_again=made is None)
        if closed is not None:
            unit.jobs.checkpoint(self._claim, closed, None, self._me.lease)
        if isinstance(move, Finish):
            return self._end(unit, move)
        if move is not None and wait <= SHORT_WAIT:
            return wait
        unit.jobs.defer(self._claim, unit.now + wait)
        return Ending.DRAINED if move is None else Ending.DEFERRED

    def _wait_for(self, unit: Unit, call: Call) -> timedelta:
        """Return how long to wait before the next step; zero when it may start now, with its slot taken."""
        early = timedelta(0) if call.not_before is None else max(call.not_before - unit.now, timedelta(0))
        if early > SHORT_WAIT and self._visiting is not None:
            unit.shops.leave(self._visiting, self._claim.job.id)
            self._visiting = None
        if early or call.slot is None:
            return early
        return self._take_slot(unit, call.slot)

    def _take_slot(self, unit: Unit, slot: Slot) -> timedelta:
        """Take the slot of the next request and give the shop of the last one back; or return how long to wait."""
        wait = slot.quiet_for(unit.now) or unit.shops.take_slot(slot, self._claim.job.id)
        if self._visiting not in (None, slot.bucket):
            unit.shops.leave(str(self._visiting), self._claim.job.id)
        self._visiting = slot.bucket if wait == timedelta(0) else None
        return wait

    def _closed(self, unit: Unit, made: Made | None) -> Closed | None:
        """Return what is to be closed with the start of the next step; effects are proven ours and made before it.

        They come first because they may say something about the next step: how long its host is to be left alone.
        """
        if made is None:
            return None
        closed = Closed(made.step.seq, made.step.result, made.step.error, made.requests)
        if not made.effects:
            return closed
        unit.jobs.checkpoint(self._claim, closed, None, self._me.lease)
        for effect in made.effects:
            effect(unit)
        return None

    def _begin(self, unit: Unit, closed: Closed | None, call: Call, seq: int, *, is_again: bool) -> Step:
        unit.jobs.checkpoint(self._claim, closed, Begun(seq, call.tool, call.args, call.cost), self._me.lease)
        tell_calls(unit, self._claim.job, call, spent=self._calls_used)
        again = self._interrupted if is_again else None
        attempts = 1 if again is None else again.attempts + 1
        return Step(seq, call.tool, call.args, StepState.STARTED, attempts, call.cost, unit.now, None, None, None)

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
        call = self._alone if is_suspect(step.seq, self._interruptions) else here
        context = ToolContext(self._claim, step.seq, self._requests_used, call)
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

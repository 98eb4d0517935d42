"""Run a job step by step, so that a crash costs at most one step.

A job's plan chooses the next step from the state so far. On resume the stored steps are
replayed to that state first: a step with a checkpoint is not run again. After it runs, its result, its
effects and the `started` row of the next step are committed together. So a step may be *started* twice
but takes effect once, provided its outside calls are safe to repeat; `ports` says which are.

The database decides who holds the lease. The worker's own clock may only make it stop
early, never go on longer. A worker that loses its lease raises LeaseLost and commits nothing.

What is done to the outside world goes through `once`: the intent is committed first, the result is kept, and a
repeat gets the kept result.

Not promised: order between jobs, or that a step runs on the worker that ran the last one.
"""

from monitor.domain.pacing import Slot
from monitor.durable.incarnation import Incarnation
from monitor.durable.loop import Ending, JobLoop, Opener, work
from monitor.durable.once import Pending, Record, Unsettled, attempted, once
from monitor.durable.parts import every_part
from monitor.durable.plan import Call, Done, Finish, InOrder, Plan, Tool, ToolContext
from monitor.durable.suspect import Caller, DiedAlone, here

__all__ = [
    "Call",
    "Caller",
    "DiedAlone",
    "Done",
    "Ending",
    "Finish",
    "InOrder",
    "Incarnation",
    "JobLoop",
    "Opener",
    "Pending",
    "Plan",
    "Record",
    "Slot",
    "Tool",
    "ToolContext",
    "Unsettled",
    "attempted",
    "every_part",
    "here",
    "once",
    "work",
]

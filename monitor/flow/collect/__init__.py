"""Visit one competitor: the plan and the tools of a competitor's job.

The plan (`domain.visit`) chooses requests; each tool makes one, has it read, and hands back what is to be
committed: the observation, its evidence, what was learnt of the shop. A page is read in the step that fetched it,
so that a checkpoint holds readings and never waits for a page to be read again.
"""

from monitor.flow.collect.assignment import Assignment, assignment_of
from monitor.flow.collect.plan import Collecting
from monitor.flow.collect.second_look import Tonight, looking_twice
from monitor.flow.collect.tools import Limits, Visitor

__all__ = ["Assignment", "Collecting", "Limits", "Tonight", "Visitor", "assignment_of", "looking_twice"]

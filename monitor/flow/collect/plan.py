"""The plan of a competitor's job: asks `Visit` and puts a price and a host's slot on what it answers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from monitor.domain.answer import NoReading
from monitor.domain.catalogue import Watch
from monitor.domain.message import Alert, AlertKind
from monitor.domain.pacing import bucket_of, space_between, with_jitter
from monitor.domain.reading import no_observation
from monitor.domain.run import Step
from monitor.domain.visit import CATALOGUE, ROBOTS, Stop, Unread, Visit
from monitor.durable import Call, Finish, Slot
from monitor.flow.collect.assignment import Assignment
from monitor.ports.store import Effect, Unit

#: Fractional part of the golden ratio: its multiples spread evenly and the same way on every replay.
_SPREAD = 0.618033988749895


def recording(why: NoReading, watch: Watch, run_id: str) -> Effect:
    """Return the effect that stores a watch without a reading."""
    return lambda unit: unit.observations.record(no_observation(why, watch, run_id=run_id, at=unit.now))


@dataclass(frozen=True, slots=True)
class Collecting:
    """Chooses the requests of one visit."""

    todo: Assignment

    def next(self, steps: Sequence[Step]) -> Call | Finish:
        """Return the next request, or finish."""
        visit = Visit(self.todo.competitor, self.todo.watches, steps)
        move = visit.next()
        if isinstance(move, Stop):
            return Finish(effects=list(self._named(move.unread)))
        args: dict[str, Any] = {"url": move.url, "skus": [watch.sku for watch in move.watches]}
        if move.tool == CATALOGUE:
            args |= {"page": move.page, "currency": visit.currency}
        slot = Slot(bucket_of(move.url), self._delay(steps))
        needs = len({watch.url for watch in visit.left})
        return Call(move.tool, args, cost=0 if move.tool == ROBOTS else 1, slot=slot, needs=needs)

    def _delay(self, steps: Sequence[Step]) -> timedelta:
        competitor = self.todo.competitor
        told = (
            timedelta(seconds=float(step.result["delay_s"]))
            for step in steps
            if step.result and "delay_s" in step.result
        )
        asked = max(told, default=self.todo.crawl_delay)
        draw = (len(steps) * _SPREAD) % 1
        return with_jitter(space_between(competitor.delay, asked), competitor.jitter, draw, at_least=asked)

    def out_of_budget(self, steps: Sequence[Step], refused: Call) -> Finish:
        """Name what was not reached and raise the alert."""
        visit = Visit(self.todo.competitor, self.todo.watches, steps)
        skipped = visit.skipped(self.todo.job.calls_limit)
        return Finish(effects=[*self._named(skipped), self._alert(len(visit.left))])

    def _alert(self, skipped: int) -> Effect:
        run_id, competitor = self.todo.job.run_id, self.todo.competitor
        words = (
            f"{competitor.name}: the budget of {self.todo.job.calls_limit} tool calls was spent with {skipped} "
            f"{'watch' if skipped == 1 else 'watches'} unread. They are named in the report and come first tomorrow; "
            f"raise tool_calls for {competitor.id!r} in competitors.toml if this happens every night."
        )
        key = f"budget:{run_id}:{competitor.id}:100"

        def effect(unit: Unit) -> None:
            unit.alerts.raise_once(Alert(key, AlertKind.BUDGET, run_id, words, unit.now))

        return effect

    def _named(self, unread: Sequence[Unread]) -> Iterator[Effect]:
        for one in unread:
            yield recording(NoReading(one.outcome, one.reason, one.words), one.watch, self.todo.job.run_id)

"""Look a second time, hours later in the same night, at a page whose price is too odd to use at once.

When a visit has nothing left to ask, one free step (`doubt`) judges what it read by the history of each watch. The
odd ones are asked for once more after the delay that `anomalies.second_look_min` sets: a step that waits for its
instant, so that no thread is kept and the synthesis waits for the job until its deadline. It costs a tool call of
what the budget has left; without budget, or without time before the deadline, the next night is the second look.

A second look that reads the same price confirms it, one that reads the old price shows a glitch (`domain.anomaly`
decides both from the stored history). One that reads nothing leaves what the first one found.

A night that a person started is watched by that person: it looks again only if that takes no longer than a minute.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from monitor.domain.anomaly import Held, HoldCode, Knowledge, held_now
from monitor.domain.catalogue import Catalogue
from monitor.domain.extraction import Outcome
from monitor.domain.holds import accepted_in, standing_in
from monitor.domain.observation import Observation, Span
from monitor.domain.pacing import bucket_of
from monitor.domain.pricing import Rules
from monitor.domain.pricing.night import worth_of
from monitor.domain.run import Run, Step
from monitor.domain.visit import PAGE
from monitor.durable import Call, Done, Finish, Plan, Slot, Tool, ToolContext
from monitor.flow.collect.assignment import Assignment
from monitor.ports.store import Effect, Store, Unit

DOUBT = "doubt"  #: the tool that judges what was read; costs nothing
SECOND_LOOK = "second_look"  #: the tool that reads one odd page again

#: How long a person who started a night is kept waiting for a second look.
PATIENCE = timedelta(minutes=1)
#: Time that a second look must leave before the report's deadline.
_TO_SPARE = timedelta(minutes=5)
#: What a second look cannot settle: a whole shop that shifted shows the same again, and that proves nothing.
_NO_USE = frozenset({HoldCode.SITE_SHIFT})
_OTHER_CURRENCY = "currency_changed"


@dataclass(frozen=True, slots=True)
class Tonight:
    """What judging needs to know of the night."""

    run: Run
    catalogue: Catalogue
    rules: Rules

    @property
    def delay(self) -> timedelta:
        """How long after the first look the second one comes; zero when the night has none."""
        delay = self.rules.doubts.second_look
        return delay if self.run.origin == "schedule" or delay <= PATIENCE else timedelta(0)


def looking_twice(
    plan: Plan, tools: Mapping[str, Tool], todo: Assignment, store: Store, tonight: Tonight
) -> tuple[Plan, Mapping[str, Tool]]:
    """Return a visit's plan and tools with a second look at what is odd, where the night has one."""
    if not tonight.delay:
        return plan, tools
    judge = Judge(todo, store, tonight)
    return LookingTwice(plan, todo), {**tools, DOUBT: judge.doubt, SECOND_LOOK: Looking(tools[PAGE], judge)}


@dataclass(frozen=True, slots=True)
class LookingTwice:
    """The plan of a visit, and the second looks after it."""

    visit: Plan
    todo: Assignment

    def next(self, steps: Sequence[Step]) -> Call | Finish:
        """Return the visit's next request, then the judgement, then the second looks, or finish."""
        first = _without_looks(steps)
        move = self.visit.next(first)
        if isinstance(move, Call) or not any(_has_price(step) for step in first) or any(map(_is_end, steps)):
            return move
        judged = next((step for step in steps if step.tool == DOUBT), None)
        if judged is None:
            return Call(DOUBT, {}, cost=0)
        return self._look(judged, steps) or move

    def _look(self, judged: Step, steps: Sequence[Step]) -> Call | None:
        """Return the next second look that the budget has a call for."""
        spent = sum(step.cost * step.attempts for step in steps)
        looked = {step.args["url"] for step in steps if step.tool == SECOND_LOOK}
        odd = [one for one in (judged.result or {}).get("odd", ()) if one["url"] not in looked]
        if not odd or spent + 1 > self.todo.job.calls_limit:
            return None
        url = odd[0]["url"]
        here = [one for one in odd if one["url"] == url]
        slot = Slot(bucket_of(url), max(self.todo.competitor.delay, self.todo.crawl_delay))
        at = max(datetime.fromisoformat(one["at"]) for one in here)
        return Call(SECOND_LOOK, {"url": url, "skus": [one["sku"] for one in here]}, slot=slot, not_before=at)

    def out_of_budget(self, steps: Sequence[Step], refused: Call) -> Finish:
        """Name what the visit did not reach; a second look that cannot be paid is left to the next night."""
        if refused.tool == SECOND_LOOK:
            move = self.visit.next(_without_looks(steps))
            return move if isinstance(move, Finish) else Finish()
        return self.visit.out_of_budget(_without_looks(steps), refused)


def _without_looks(steps: Sequence[Step]) -> list[Step]:
    return [step for step in steps if step.tool not in (DOUBT, SECOND_LOOK)]


def _has_price(step: Step) -> bool:
    return bool(step.result) and step.cost > 0


def _is_end(step: Step) -> bool:
    """Say whether the shop showed in this step that it is not to be asked again tonight."""
    return bool((step.result or {}).get("stop"))


class Judge:
    """Judges what a visit read by what earlier nights know."""

    def __init__(self, todo: Assignment, store: Store, tonight: Tonight) -> None:
        self._todo, self.store, self._tonight = todo, store, tonight

    def doubt(self, _context: ToolContext, _args: dict[str, Any]) -> Done:
        """Name the odd readings of this visit, and when each may be looked at again."""
        with self.store.read() as unit:
            seen = self.seen(unit)
            held = self._held(unit, seen)
        latest = self._tonight.run.deadline_at - _TO_SPARE
        why = {one.sku: (one.code.value, one.words) for one in held}
        why |= {one.sku: (HoldCode.CURRENCY.value, one.words) for one in seen if one.reason == _OTHER_CURRENCY}
        at = {one.sku: one.observed_at + self._tonight.delay for one in seen}
        odd = [
            {"sku": one.sku, "url": one.url, "at": at[one.sku].isoformat(), "code": code, "words": words}
            for one in sorted(seen, key=lambda one: (at[one.sku], one.sku))
            for code, words in ([why[one.sku]] if one.sku in why else [])
        ]
        in_time = [one for one in odd if datetime.fromisoformat(one["at"]) <= latest]
        return Done({"odd": in_time, "tomorrow": [one["sku"] for one in odd if one not in in_time]})

    def seen(self, unit: Unit) -> list[Observation]:
        """Return what this visit has observed so far."""
        return list(unit.observations.of_run(self._tonight.run.id, self._todo.competitor.id))

    def _held(self, unit: Unit, seen: Sequence[Observation]) -> list[Held]:
        run, shop = self._tonight.run, self._todo.competitor.id
        read = [one for one in seen if one.outcome is Outcome.OK]
        histories = unit.observations.histories(shop) if read else {}
        spans = {(shop, one.sku): histories.get(one.sku, ()) for one in read}
        remembered = {shop: unit.shops.facts(shop)}
        names = {
            (shop, one.sku): (before, one.name)
            for one in read
            if one.name and _moved(spans[shop, one.sku], run)
            if (before := unit.observations.name_before(run.id, shop, one.sku))
        }
        knowledge = Knowledge(
            run_id=run.id,
            own={one.sku: (one.price, one.currency) for one in self._tonight.catalogue.products if not one.locked},
            worth=worth_of(self._tonight.rules.rates),
            compared={shop: sum(_has_past(found, run) for found in spans.values())},
            accepted=accepted_in(remembered),
            standing=standing_in(remembered),
            names=names,
        )
        new = {key: found for key, found in spans.items() if found and found[-1].first_run_id == run.id}
        return [one for one in held_now(new, knowledge, self._tonight.rules.doubts) if one.code not in _NO_USE]


def _moved(spans: Sequence[Span], run: Run) -> bool:
    return _has_past(spans, run) and spans[-1].first_run_id == run.id


def _has_past(spans: Sequence[Span], run: Run) -> bool:
    return any(span.first_run_id != run.id for span in spans)


@dataclass(frozen=True, slots=True)
class Looking:
    """Reads one page again."""

    page: Tool
    judge: Judge

    def __call__(self, context: ToolContext, args: dict[str, Any]) -> Done:
        """Read the page; what it does not answer this time stays as the first look left it."""
        with self.judge.store.read() as unit:
            first = {one.sku: one for one in self.judge.seen(unit)}
        done = self.page(context, args)
        prices = done.result.get("prices", {})
        kept = [_recording(first[sku]) for sku in args["skus"] if sku in first and sku not in prices]
        return Done(done.result, [*done.effects, *kept], done.requests)


def _recording(seen: Observation) -> Effect:
    return lambda unit: unit.observations.record(seen)

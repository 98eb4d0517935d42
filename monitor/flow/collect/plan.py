"""The plan of a competitor's job: asks `Visit` and puts a price and a host's slot on what it answers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from monitor.domain.answer import NoReading
from monitor.domain.catalogue import Watch
from monitor.domain.knowledge import CATALOGUE, COMPARISON, PLATFORM, kept
from monitor.domain.message import Alert, AlertKind
from monitor.domain.move import Ask, Stop, Unread
from monitor.domain.pacing import slot_of, space_between, with_jitter
from monitor.domain.reading import no_observation
from monitor.domain.run import Step
from monitor.domain.visit import ROBOTS, Visit
from monitor.durable import Call, Finish
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
        visit = self.todo.visit(steps)
        move = visit.next() if self.todo.closed_until is None else visit.not_tonight(self.todo.closed_until)
        if isinstance(move, Stop):
            return Finish(effects=[*self._named(move.unread), *self._learned(visit)])
        args: dict[str, Any] = {"url": move.url, "skus": [watch.sku for watch in move.watches]}
        args |= _catalogue_args(visit, move)
        quiet = self.todo.competitor.quiet_hours
        slot = slot_of(move.url, self._delay(steps), platform=visit.platform, quiet=quiet)
        return Call(move.tool, args, cost=0 if move.tool == ROBOTS else 1, slot=slot, needs=calls_wanted(visit, move))

    def _learned(self, visit: Visit) -> list[Effect]:
        """Return what is to be remembered of the shop; written at the end, so that a resumed visit plans as before."""
        facts = lessons(visit, self.todo)
        competitor = self.todo.competitor.id

        def effect(unit: Unit) -> None:
            for name, value in facts.items():
                unit.shops.learn(competitor, name, value)

        return [effect] if facts else []

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
        visit = self.todo.visit(steps)
        skipped = visit.skipped(self.todo.job.calls_limit)
        alert = self._alert(len(visit.left), visit.alone)
        return Finish(effects=[*self._named(skipped), alert, *self._learned(visit)])

    def _alert(self, skipped: int, alone: str) -> Effect:
        run_id, competitor = self.todo.job.run_id, self.todo.competitor
        words = (
            f"{competitor.name}: the budget of {self.todo.job.calls_limit} tool calls was spent with {skipped} "
            f"{'watch' if skipped == 1 else 'watches'} unread. They are named in the report and come first tomorrow; "
            f"raise tool_calls for {competitor.id!r} in competitors.toml if this happens every night."
        )
        words += f" Pages were read one by one: {alone}." if alone else ""
        key = f"budget:{run_id}:{competitor.id}:100"

        def effect(unit: Unit) -> None:
            unit.alerts.raise_once(Alert(key, AlertKind.BUDGET, run_id, words, unit.now))

        return effect

    def _named(self, unread: Sequence[Unread]) -> Iterator[Effect]:
        for one in unread:
            yield recording(NoReading(one.outcome, one.reason, one.words), one.watch, self.todo.job.run_id)


def _catalogue_args(visit: Visit, move: Ask) -> dict[str, Any]:
    """Return what a catalogue call needs besides its address."""
    ask = move.catalogue
    if ask is None:
        return {}
    args: dict[str, Any] = {"platform": visit.platform, "about": ask.about, "page": ask.page}
    args |= {"currency": visit.currency} if visit.currency else {}
    args |= {"post": ask.post} if ask.post is not None else {}
    args |= {"headers": dict(ask.headers)} if ask.headers else {}
    asked, every = {watch.sku for watch in ask.watches}, visit.shown
    may_hold = asked | (every.keys() if ask.about == "list" else set())  # a list holds what nobody asked it for
    shown = {sku: [str(amount), currency] for sku, (amount, currency) in every.items() if sku in may_hold}
    args |= {"compare": shown} if shown else {}
    args |= {"is_proven": True} if visit.has_proven_list else {}
    args |= {"unclear": sorted(asked & visit.unclear)} if asked & visit.unclear else {}
    return args | {name: found for name, found in visit.numbers(ask.watches).items() if found}


def calls_wanted(visit: Visit, move: Ask) -> int:
    """Return how many tool calls are wanted from here on, as far as anybody can tell: this one included."""
    if move.catalogue is None or not move.watches:
        return len({watch.url for watch in visit.left})
    if move.catalogue.about in ("list", "feed"):
        return 1
    return -(-len(visit.left) // len(move.watches))


def lessons(visit: Visit, todo: Assignment) -> dict[str, Any]:
    """Return the facts that a visit leaves for the next night."""
    today, name = todo.today.isoformat(), visit.platform
    facts: dict[str, Any] = {}
    is_found = todo.competitor.platform == "auto" and not todo.competitor.feed
    if is_found and visit.has_failed:
        facts[PLATFORM] = {"name": name, "failed_on": today, "why": visit.given_up or "its catalogue gave no answer"}
    elif is_found and todo.known.platform is None and (found := visit.detection) is not None:
        facts[PLATFORM] = {**found, "found_on": today}
    if visit.adapter is not None and visit.has_learned:
        facts[CATALOGUE] = kept(visit.learned, visit.adapter.name)
    if (comparison := visit.comparison) is not None:
        facts[COMPARISON] = comparison
    return facts

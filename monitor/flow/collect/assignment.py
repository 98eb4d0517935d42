"""What one competitor's job has to do, read once when it is claimed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta

from monitor.domain.asking import Platform
from monitor.domain.catalogue import Catalogue, Competitor, MatchState, Watch
from monitor.domain.knowledge import Known
from monitor.domain.reading import Memory
from monitor.domain.robots import MAX_AGE, RobotsVerdict, robots_url
from monitor.domain.run import Job, Run, Step
from monitor.domain.turn import in_turn, worth_of
from monitor.domain.visit import Visit
from monitor.extract.platforms import ADAPTERS
from monitor.ports.store import Unit


@dataclass(frozen=True, slots=True)
class Assignment:
    """A competitor, its watches in turn and what earlier nights know of them."""

    job: Job
    competitor: Competitor
    watches: tuple[Watch, ...]
    crawl_delay: timedelta  #: asked by a robots.txt that is known already
    memory: dict[str, Memory]  #: by SKU
    known: Known = field(default_factory=Known)  #: platform, catalogue and comparison of earlier nights
    today: date = date.min  #: of the night
    platforms: Mapping[str, Platform] = field(default_factory=lambda: ADAPTERS)
    closed_until: datetime | None = None  #: its quiet hours last longer than the night

    def visit(self, steps: Sequence[Step]) -> Visit:
        """Return where the visit is after these steps."""
        return Visit(self.competitor, self.watches, steps, self.platforms, self.known)

    @property
    def robots_url(self) -> str:
        """Where the robots.txt of the watched pages lies; it also names the stored copy."""
        return robots_url(self.watches[0].url if self.watches else self.competitor.base_url)

    def watches_of(self, skus: list[str]) -> tuple[Watch, ...]:
        """Return the watches with these SKUs, in turn."""
        wanted = frozenset(skus)
        return tuple(watch for watch in self.watches if watch.sku in wanted)

    def remembered(self, watch: Watch) -> Memory:
        """Return what earlier nights know of a watch."""
        return self.memory.get(watch.sku, Memory())

    @property
    def usual_currency(self) -> str | None:
        """The currency in which every watch of this shop was read so far, None when nothing was or it was several."""
        seen = {memory.currency for memory in self.memory.values() if memory.currency}
        return seen.pop() if len(seen) == 1 else None


def assignment_of(unit: Unit, job: Job, catalogue: Catalogue, agent: str) -> Assignment:
    """Read what a job has to do; the catalogue is the one its run froze."""
    competitor = next(one for one in catalogue.competitors if one.id == job.key)
    wanted = [watch for watch in catalogue.watches_of(job.key) if watch.match is not MatchState.REJECTED]
    worth = {product.sku: worth_of(product) for product in catalogue.products}
    watches = in_turn(wanted, unit.observations.last_tried(job.key, job.run_id), worth)
    memory = {sku: Memory(name, currency) for sku, (name, currency) in unit.observations.remembered(job.key).items()}
    run = unit.runs.get(job.run_id)
    today = unit.now.date() if run is None else run.local_date
    known = Known.of(unit.shops.facts(job.key), today)
    todo = Assignment(job, competitor, watches, timedelta(0), memory, known, today)
    delay = _delay(unit.shops.robots(todo.robots_url, MAX_AGE), agent)
    return replace(todo, crawl_delay=delay, closed_until=None if run is None else _closed_until(unit, run, competitor))


def _closed_until(unit: Unit, run: Run, competitor: Competitor) -> datetime | None:
    """Return the end of the quiet hours that this night will not see."""
    until = competitor.quiet_hours.until(unit.now) if competitor.quiet_windows else None
    return until if until is not None and until >= run.deadline_at else None


def _delay(known: RobotsVerdict | None, agent: str) -> timedelta:
    return timedelta(0) if known is None else known.crawl_delay(agent)

"""What one competitor's job has to do, read once when it is claimed."""

from dataclasses import dataclass
from datetime import timedelta

from monitor.domain.catalogue import Catalogue, Competitor, MatchState, Watch
from monitor.domain.reading import Memory
from monitor.domain.robots import MAX_AGE, RobotsVerdict, robots_url
from monitor.domain.run import Job
from monitor.domain.visit import in_turn
from monitor.ports.store import Unit


@dataclass(frozen=True, slots=True)
class Assignment:
    """A competitor, its watches in turn and what earlier nights know of them."""

    job: Job
    competitor: Competitor
    watches: tuple[Watch, ...]
    crawl_delay: timedelta  #: asked by a robots.txt that is known already
    memory: dict[str, Memory]  #: by SKU

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


def assignment_of(unit: Unit, job: Job, catalogue: Catalogue, agent: str) -> Assignment:
    """Read what a job has to do; the catalogue is the one its run froze."""
    competitor = next(one for one in catalogue.competitors if one.id == job.key)
    wanted = [watch for watch in catalogue.watches_of(job.key) if watch.match is not MatchState.REJECTED]
    watches = in_turn(wanted, unit.observations.last_tried(job.key, job.run_id))
    memory = {sku: Memory(name, currency) for sku, (name, currency) in unit.observations.remembered(job.key).items()}
    todo = Assignment(job, competitor, watches, timedelta(0), memory)
    known = unit.shops.robots(todo.robots_url, MAX_AGE)
    return Assignment(job, competitor, watches, _delay(known, agent), memory)


def _delay(known: RobotsVerdict | None, agent: str) -> timedelta:
    return timedelta(0) if known is None else known.crawl_delay(agent)

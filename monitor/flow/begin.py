"""Begin a night: one run per local date, whoever asks and however often.

The run freezes plan and catalogue (as blobs named by their hash, so that equal nights share them) and creates one
job per enabled competitor that has a watch, all in one transaction. Two schedulers, the hour that comes
twice, a restart and a second click all get the same run.
"""

from dataclasses import replace
from datetime import date, timedelta

from monitor.domain.catalogue import Catalogue, MatchState
from monitor.domain.match import with_matches
from monitor.domain.night import Night, latest_due, night_of
from monitor.domain.plan import NightPlan
from monitor.domain.run import JobState, Run, RunState
from monitor.domain.snapshot import catalogue_to_bytes, plan_to_json
from monitor.errors import CannotSucceed
from monitor.ports.jobs import NewRun
from monitor.ports.store import Store, Unit

#: A run that begins after its report deadline, by hand or late, still gets this long.
GRACE = timedelta(hours=3, minutes=30)


class NobodyToVisit(CannotSucceed):
    """A run for one competitor was asked for that no night would visit."""

    def __init__(self, competitor: str) -> None:
        super().__init__(
            f"{competitor!r} is no competitor that a night visits; nothing was begun. It must stand in "
            "competitors.toml, be enabled and have a watch."
        )
        self.competitor = competitor


def begin(
    store: Store,
    plan: NightPlan,
    catalogue: Catalogue,
    *,
    origin: str,
    day: date | None = None,
    only: str | None = None,
) -> tuple[Run, bool]:
    """Begin the night of `day`, or return the run there is.

    Args:
        store: where the run is kept.
        plan: frozen into the run.
        catalogue: frozen into the run.
        origin: what asked: `schedule`, `manual`, `api`.
        day: the local date; by default that of the latest due instant.
        only: the one competitor to visit. Such a run stands beside the night of its date, once per date, and decides
            from the newest readings of all competitors; while that night is still to visit the competitor, it is
            returned instead, so that nobody is visited twice.

    Raises:
        NobodyToVisit: `only` is no competitor that a night would visit.

    Returns:
        The run, and whether this call created it. The sweep rings for its jobs.
    """
    with store.write() as unit:
        night = latest_due(unit.now, plan.schedule) if day is None else night_of(day, plan.schedule)
        known = unit.runs.of_date(plan.schedule.name, night.local_date)
        if known is not None and (only is None or _visits(unit, known, only)):
            return known, False
        if only is not None:
            plan = replace(plan, schedule=replace(plan.schedule, name=f"{plan.schedule.name}-{only}"))
            extra = unit.runs.of_date(plan.schedule.name, night.local_date)
            if extra is not None:
                return extra, False
        catalogue = with_matches(catalogue.for_sale(), unit.matches.decided())
        run, is_new = unit.runs.begin(_new_run(unit, plan, catalogue, night, origin, only))
        if is_new:
            _record_own_prices(unit, run, catalogue)
        return run, is_new


def _visits(unit: Unit, night: Run, competitor: str) -> bool:
    """Say whether a night under way still visits a competitor."""
    job = unit.jobs.find(night.id, competitor) if night.state is RunState.COLLECTING else None
    return job is not None and job.state in (JobState.QUEUED, JobState.RUNNING)


def _new_run(
    unit: Unit, plan: NightPlan, catalogue: Catalogue, night: Night, origin: str, only: str | None = None
) -> NewRun:
    watched = {watch.competitor for watch in catalogue.watches if watch.match is not MatchState.REJECTED}
    budgets = {
        competitor.id: competitor.tool_calls
        for competitor in catalogue.competitors
        if competitor.enabled and competitor.id in watched and only in (None, competitor.id)
    }
    if only is not None and not budgets:
        raise NobodyToVisit(only)
    return NewRun(
        schedule=plan.schedule,
        night=night,
        origin=origin,
        catalogue_hash=unit.blobs.put(catalogue_to_bytes(catalogue)),
        settings_hash=unit.blobs.put(plan_to_json(plan).encode()),
        token_cap=plan.budgets.tokens,
        competitors=budgets,
        grace=GRACE,
    )


def _record_own_prices(unit: Unit, run: Run, catalogue: Catalogue) -> None:
    for product in catalogue.products:
        unit.observations.record_own(run.id, product.sku, product.price, product.currency, unit.now)

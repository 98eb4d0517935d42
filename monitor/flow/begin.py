"""Begin a night: one run per local date, whoever asks and however often.

The run freezes plan and catalogue (as blobs named by their hash, so that equal nights share them) and creates one
job per enabled competitor that has a watch, all in one transaction. Two schedulers, the hour that comes
twice, a restart and a second click all get the same run. Only somebody who asks for it gets a night again that has
ended: as a run with a name of its own, so that nothing of the first is written over.
"""

from dataclasses import replace
from datetime import date, timedelta

from monitor.domain.catalogue import Catalogue, MatchState
from monitor.domain.match import with_matches
from monitor.domain.message import Alert, AlertKind
from monitor.domain.night import NIGHTS_AHEAD, Night, again_name, latest_due, may_begin, night_of
from monitor.domain.plan import NightPlan, Schedule
from monitor.domain.run import AGAIN, ENDED_RUN, JobState, Run, RunState
from monitor.domain.snapshot import catalogue_to_bytes, plan_to_json
from monitor.errors import CannotSucceed, Misconfigured
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


class NothingToVisit(Misconfigured):
    """A night was to begin that would visit nobody; it is not used up."""

    def __init__(self, day: date, catalogue: Catalogue) -> None:
        shops = sum(shop.enabled for shop in catalogue.competitors)
        super().__init__(
            [
                f"The night of {day} has nothing to visit: no enabled competitor has a watch of a product for sale "
                f"(competitors enabled: {shops}, watches: {len(catalogue.watches)}). Nothing was begun, so the night "
                "can still run. Name a shop in competitors.toml and in watches.csv the page that shows your product, "
                "or let pages be found: monitor discover. What is missing: monitor doctor"
            ]
        )
        self.day = day


def tell_idle(store: Store, nothing: NothingToVisit) -> None:
    """Raise an alert, once per night, that a night was due and had nothing to visit."""
    words = f"{nothing} It begins by itself when there is something, as long as it may: night.catch_up_h."
    with store.write() as unit:
        unit.alerts.raise_once(Alert(f"idle:{nothing.day}", AlertKind.DEADLINE, None, words, unit.now))


class NotThisNight(Misconfigured):
    """A night was asked for that is over or far away."""

    def __init__(self, day: date, latest: Night) -> None:
        last = latest.local_date + timedelta(days=NIGHTS_AHEAD)
        why = (
            "is over: a run now would store the prices of today as those of that night"
            if day < latest.local_date
            else f"is more than {NIGHTS_AHEAD} nights away"
        )
        super().__init__(
            [
                f"--date {day}: that night {why}. Nothing was begun. Accepted are {latest.local_date}, which is the "
                f"latest that was due and needs no --date, the nights to come until {last}, and without --again "
                "any night that was begun: monitor runs"
            ]
        )
        self.day = day


def check_day(store: Store, schedule: Schedule, day: date, *, again: bool = False) -> None:
    """Refuse a night that may not begin now and has nothing to resume or to show; raises NotThisNight."""
    with store.read() as unit:
        known, _ = _newest(unit, schedule.name, day)
        begins = known is None or (again and known.state in ENDED_RUN)
        if begins and not may_begin(day, unit.now, schedule):
            raise NotThisNight(day, latest_due(unit.now, schedule))


def ended(store: Store, schedule: Schedule, day: date | None) -> Run | None:
    """Return the run of `day` (default: the latest due night) when it has ended, so that only --again runs it."""
    with store.read() as unit:
        wanted = latest_due(unit.now, schedule).local_date if day is None else day
        run, _ = _newest(unit, schedule.name, wanted)
    return run if run is not None and run.state in ENDED_RUN else None


def begin(
    store: Store,
    plan: NightPlan,
    catalogue: Catalogue,
    *,
    origin: str,
    day: date | None = None,
    only: str | None = None,
    again: bool = False,
) -> tuple[Run, bool]:
    """Begin the night of `day`, or return the newest run there is of it.

    Args:
        store: where the run is kept.
        plan: frozen into the run.
        catalogue: frozen into the run.
        origin: what asked: `schedule`, `manual`, `api`.
        day: the local date; by default that of the latest due instant.
        only: the one competitor to visit. Such a run stands beside the night of its date, once per date, and decides
            from the newest readings of all competitors; while that night is still to visit the competitor, it is
            returned instead, so that nobody is visited twice.
        again: begin a night anew that has ended, beside what it left; one under way is returned.

    Raises:
        NobodyToVisit: `only` is no competitor that a night would visit.
        NothingToVisit: no competitor would be visited at all.

    Returns:
        The run, and whether this call created it. The sweep rings for its jobs.
    """
    with store.write() as unit:
        night = latest_due(unit.now, plan.schedule) if day is None else night_of(day, plan.schedule)
        known, times = _newest(unit, plan.schedule.name, night.local_date)
        if again and known is not None and known.state in ENDED_RUN:
            plan, origin = _named(plan, again_name(plan.schedule.name, times + 1)), AGAIN
        elif known is not None and (only is None or _visits(unit, known, only)):
            return known, False
        elif only is not None:
            plan = _named(plan, f"{plan.schedule.name}-{only}")
            extra = unit.runs.of_date(plan.schedule.name, night.local_date)
            if extra is not None:
                return extra, False
        catalogue = with_matches(catalogue.for_sale(), unit.matches.decided())
        run, is_new = unit.runs.begin(_new_run(unit, plan, catalogue, night, origin, only))
        if is_new:
            _record_own_prices(unit, run, catalogue)
        return run, is_new


def _named(plan: NightPlan, name: str) -> NightPlan:
    return replace(plan, schedule=replace(plan.schedule, name=name))


def _newest(unit: Unit, name: str, day: date) -> tuple[Run | None, int]:
    """Return the last run of a night and how often the night was begun."""
    run, times = unit.runs.of_date(name, day), 0
    while run is not None:
        times += 1
        following = unit.runs.of_date(again_name(name, times + 1), day)
        if following is None:
            break
        run = following
    return run, times


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
    if not budgets:
        raise NothingToVisit(night.local_date, catalogue) if only is None else NobodyToVisit(only)
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

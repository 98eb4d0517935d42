"""Replay stored nights under other rules; read only, nothing is stored.

Each night is decided from the catalogue it froze, the observations it made and the history that was known then, by the
same code that decides the night to come. A night whose frozen catalogue is gone is left out and named.
"""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Any

from monitor.domain.catalogue import Catalogue
from monitor.domain.observation import OWN, Span
from monitor.domain.pricing import Rules
from monitor.domain.pricing.replay import PastNight, known_before, replayed
from monitor.domain.pricing.simulation import Simulation, simulated
from monitor.domain.run import Run, RunState
from monitor.domain.snapshot import catalogue_from_json
from monitor.ports.store import Store, Unit

#: More nights than anybody keeps.
_EVERY_NIGHT = 100_000


def simulate(store: Store, rules: Rules, *, since: date | None = None) -> dict[str, Any]:
    """Return what the rules would have proposed in the stored nights.

    Args:
        store: only read.
        rules: instead of the ones that each night froze.
        since: the first local date; by default every night that is stored.

    Returns:
        JSON values, see `monitor.domain.pricing.simulation`, and `left_out`: nights whose catalogue is gone.
    """
    total = Simulation()
    with store.read() as unit:
        runs = _runs(unit, since)
        left_out = [run.id for run in runs if unit.blobs.get(run.catalogue_hash) is None]
        kept = [run for run in runs if run.id not in left_out]
        own = unit.observations.histories(OWN)
        nights = _nights(unit, kept)
        first = next(_nights(unit, kept[:1]), None)
        newest = {run.local_date: run.id for run in kept}  # a night that was run once more counts as it ended
        for one in replayed(nights, rules, own=own, before=known_before(_spans(unit, first), first)):
            if newest[one.night.run.local_date] == one.night.run.id:
                total.add(simulated(one, _proposed(unit, one.night.run)))
    return total.as_json() | {"left_out": left_out}


def _runs(unit: Unit, since: date | None) -> list[Run]:
    """Return the nights that have decided something, oldest first."""
    oldest_first = reversed(unit.runs.latest(_EVERY_NIGHT))
    return [
        run for run in oldest_first if run.state is RunState.REPORTED and (since is None or run.local_date >= since)
    ]


def _nights(unit: Unit, runs: list[Run]) -> Iterator[PastNight]:
    for run in runs:
        body = unit.blobs.get(run.catalogue_hash)
        if body is not None:
            yield PastNight(run, _catalogue(body), unit.observations.of_run(run.id))


def _spans(unit: Unit, first: PastNight | None) -> Iterator[Span]:
    for competitor in first.catalogue.competitors if first is not None else ():
        for spans in unit.observations.histories(competitor.id).values():
            yield from spans


def _proposed(unit: Unit, run: Run) -> dict[str, Decimal]:
    return {action.proposal.sku: action.proposal.new_price for action in unit.actions.of_run(run.id)}


@lru_cache(maxsize=2)
def _catalogue(body: bytes) -> Catalogue:
    return catalogue_from_json(body.decode())

"""What the newest night holds, and a person's word that it is right all the same."""

from typing import Any

from monitor.domain.anomaly import held_from
from monitor.domain.holds import acceptance, acceptance_name, hold_name
from monitor.domain.run import StepState
from monitor.errors import CannotSucceed
from monitor.ports.store import Store, Unit

#: Accepts every held reading of a shop.
EVERY = "*"
#: Nights looked back for one that decided something.
_NIGHTS_BACK = 30


class NothingHeld(CannotSucceed):
    """A reading was to be accepted that the newest night does not hold."""

    def __init__(self, competitor: str, sku: str) -> None:
        super().__init__(
            f"The newest night holds no reading {competitor}/{sku}; nothing was accepted. "
            "`monitor readings held` lists what is held."
        )
        self.competitor, self.sku = competitor, sku


def held_readings(store: Store) -> list[dict[str, Any]]:
    """Return the held readings of the newest night that has decided, as its checkpoint keeps them."""
    with store.read() as unit:
        return _held(unit)


def accept(store: Store, competitor: str, sku: str, *, by: str) -> list[dict[str, Any]]:
    """Remember that a held price is right; the next night uses it as long as the shop shows it.

    Args:
        competitor: a competitor's id.
        sku: one of our products, or `EVERY`.
        by: who says so.

    Raises:
        NothingHeld: the newest night holds no such reading.
    """
    with store.write() as unit:
        found = [one for one in _held(unit) if one["competitor"] == competitor and sku in (EVERY, one["sku"])]
        for one in found:
            unit.shops.learn(competitor, acceptance_name(one["sku"]), acceptance(held_from(one), by=by, at=unit.now))
            unit.shops.learn(competitor, hold_name(one["sku"]), {})
    if not found:
        raise NothingHeld(competitor, sku)
    return found


def _held(unit: Unit) -> list[dict[str, Any]]:
    for run in unit.runs.latest(_NIGHTS_BACK):
        job = unit.jobs.find(run.id, "")
        steps = unit.jobs.steps(job.id) if job is not None else ()
        for step in steps:
            if step.state is StepState.DONE and step.result and "held" in step.result:
                return list(step.result["held"])
    return []

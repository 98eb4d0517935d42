"""Whether approved prices reach the shop at the moment, for the pages on which that must not be overlooked."""

from dataclasses import dataclass

from monitor.domain.lock import WriteStop
from monitor.domain.report.clean import clean
from monitor.ports.store import Store
from monitor.web.context import Context
from monitor.web.review_facts import local_time


@dataclass(frozen=True, slots=True)
class Writing:
    """How writes stand."""

    level: str  #: `bad` when somebody stopped them, `` while they are off, `good` while they are on
    title: str
    words: str


def writing(context: Context) -> Writing:
    """Return how writes stand: the kill switch first, then the setting."""
    stop = _stop(context.store)
    if stop is not None:
        why = f" ({clean(stop.reason, 200)})" if stop.reason else ""
        when = local_time(stop.at, context.plan.schedule.zone)
        words = (
            f"{clean(stop.by, 80)} stopped them at {when}{why}. Approvals are kept and wait; no price reaches the shop "
            "until somebody runs: monitor writes resume"
        )
        return Writing("bad", "All writes are stopped.", words)
    if not context.plan_now.writes.enabled:
        words = (
            "Decisions are recorded, and what would be written stands under executions; no price changes in the shop."
        )
        return Writing("", "Writing to the shop is off.", words)
    return Writing("good", "Writing to the shop is on.", "To stop every write at once, run: monitor writes stop")


def _stop(store: Store) -> WriteStop | None:
    with store.read() as unit:
        return unit.holds.stop()

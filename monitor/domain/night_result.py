"""What `monitor run --json` prints of a night: the stable contract of that command."""

from collections.abc import Sequence
from typing import Any

from monitor.domain.action import Action
from monitor.domain.catalogue import Catalogue
from monitor.domain.extraction import Availability
from monitor.domain.money import amount_text
from monitor.domain.observation import Observation
from monitor.domain.run import Job, JobKind, Run


def night_result(
    run: Run, jobs: Sequence[Job], observations: Sequence[Observation], actions: Sequence[Action], catalogue: Catalogue
) -> dict[str, Any]:
    """Return the night as JSON values: counts are integers, money is a decimal string or null.

    Every watch of a visited competitor is listed; one that was never reached has the outcome `failed`.
    """
    visited = [job for job in jobs if job.kind is JobKind.COMPETITOR]
    seen = {(one.competitor, one.sku): one for one in observations}
    keys = {job.key for job in visited}
    watches = [watch for watch in catalogue.watches if watch.competitor in keys]
    return {
        "run": run.id,
        "date": run.local_date.isoformat(),
        "state": run.state.value,
        "partial": run.partial,
        "jobs": len(visited),
        "tool_calls": sum(job.calls_used for job in visited),
        "observations": len(observations),
        "proposals": len(actions),
        "watches": [
            {"sku": watch.sku, "competitor": watch.competitor, "url": watch.url}
            | _reading(seen.get((watch.competitor, watch.sku)))
            for watch in watches
        ],
    }


def _reading(one: Observation | None) -> dict[str, Any]:
    if one is None:
        return {
            "outcome": "failed",
            "reason": "not_reached",
            "price": None,
            "currency": None,
            "list_price": None,
            "availability": Availability.UNKNOWN.value,
        }
    return {
        "outcome": one.outcome.value,
        "reason": one.reason,
        "price": None if one.price is None else amount_text(one.price, one.currency),
        "currency": one.currency,
        "list_price": None if one.list_price is None else amount_text(one.list_price, one.currency),
        "availability": one.availability.value,
    }

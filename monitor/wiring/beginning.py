"""What is told when a night begins, or when one is owed and has nothing to visit."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import structlog

from monitor.domain.message import Alert, AlertKind
from monitor.domain.run import Run
from monitor.flow.begin import NothingToVisit, tell_idle
from monitor.flow.sweep import owed_night
from monitor.ports.store import Store

if TYPE_CHECKING:
    from monitor.wiring.app import App

_log = structlog.get_logger("monitor")


def log_begun(run: Run, robots_reasons: Mapping[str, str]) -> None:
    """Log that a run has begun, and whose robots.txt it ignores."""
    _log.info("run_begun", run=run.id, origin=run.origin, jobs=run.open_jobs)
    for competitor, reason in robots_reasons.items():
        _log.warning("robots_ignored", run=run.id, competitor=competitor, reason=reason)


def tell_old_files(store: Store, run: Run, refused: str) -> None:
    """Raise an alert, in the report of the night, that the files cannot be used and what it began with instead."""
    words = (
        f"The night of {run.local_date} began with the configuration that was read before, because the files cannot be "
        f"used now: {refused}. Correct them; the next night reads them again, and `monitor run --again` at once."
    )
    with store.write() as unit:
        unit.alerts.raise_once(Alert(f"files:{run.id}", AlertKind.FILES, run.id, words, unit.now))


def begin_owed(app: "App") -> Run | None:
    """Begin the night that is due and has no run yet, or return None.

    One that would visit nobody is told once and not begun. It is tried again when a file of the configuration changes.
    """
    night = owed_night(app.store, app.plan.schedule, app.clock.now())
    if night is None or (night.local_date in app.idle_nights and not app.files.have_changed):
        return None
    try:
        return app.begin("schedule", night.local_date)
    except NothingToVisit as nothing:
        app.idle_nights.add(night.local_date)
        tell_idle(app.store, nothing)
        _log.error("nothing_to_visit", night=night.local_date.isoformat(), words=str(nothing))
        return None

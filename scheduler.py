"""The cron process: begins a night when it is due and sweeps; it decides nothing.

APScheduler is only a hint: it fires twice when 02:00 strikes twice, and not at all for a night that passed while
no process ran. So each trigger asks `begin_owed`, which knows the due instant and begins a night once.
`monitor scheduler` is the same from an installed wheel; `monitor up` runs these triggers beside its other threads.
"""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from zoneinfo import ZoneInfo

from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.schedulers.base import BaseScheduler
from apscheduler.triggers.cron import CronTrigger

from monitor.errors import MonitorError
from monitor.wiring import App, Working, open_app
from monitor.wiring.leaving import leaving_on_sigterm, until_asked

#: Run however late, and once for all that was missed: APScheduler drops what is 1 s late by default.
_LATE_IS_FINE = {"misfire_grace_time": None, "coalesce": True, "max_instances": 1}


def add_triggers(scheduler: BaseScheduler, app: App) -> None:
    """Ask for the owed night at the hour of the schedule, at once and then every minute."""
    schedule = app.plan.schedule
    at = CronTrigger(hour=schedule.at.hour, minute=schedule.at.minute, timezone=ZoneInfo(schedule.zone))
    scheduler.add_job(app.begin_owed, at, id="night", **_LATE_IS_FINE)
    scheduler.add_job(app.begin_owed, "interval", minutes=1, id="catch-up", **_LATE_IS_FINE)
    scheduler.add_job(app.begin_owed, id="start", **_LATE_IS_FINE)


@contextmanager
def in_background(app: App) -> Iterator[None]:
    """Run the triggers in threads of this process; leaving waits for one that is beginning a night."""
    scheduler = BackgroundScheduler(timezone="UTC")
    add_triggers(scheduler, app)
    scheduler.start()
    try:
        yield
    finally:
        scheduler.shutdown()


def main() -> None:
    """Run until SIGTERM or SIGINT."""
    with suppress(KeyboardInterrupt), leaving_on_sigterm(), ExitStack() as leaving:
        app = open_app(role="scheduler")
        leaving.callback(app.close)
        working = Working(app)
        leaving.callback(working.stop)
        working.start()
        leaving.enter_context(in_background(app))
        until_asked()


if __name__ == "__main__":
    try:
        main()
    except MonitorError as refused:  # words, and no stack trace around them
        sys.exit(str(refused))

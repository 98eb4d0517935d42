"""Which alerts go to the channels of `[notify]`, when, and in which words.

A state that lasts is told when it begins and when it changes, not every night: a budget that is spent again, a
coverage that is as low as the night before. An event (a write that failed, a night without a report) is always told.
"""

import re
from collections.abc import Iterable
from datetime import datetime, timedelta

from monitor.domain.message import Alert, AlertKind
from monitor.domain.plan import NotifyPlan
from monitor.domain.quiet_hours import QuietHours

#: Kinds that tell of a state, which the next night finds again while it lasts.
LASTING = frozenset({AlertKind.BUDGET, AlertKind.COVERAGE, AlertKind.JOB, AlertKind.FILES})
#: A state told again within so long lasts since then; nights are a day apart, and one may be late.
REPEATS_WITHIN = timedelta(hours=36)
#: Alerts older than this are no news.
NEWS = timedelta(hours=24)

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def is_wanted(alert: Alert, all_alerts: Iterable[Alert], plan: NotifyPlan, now: datetime) -> bool:
    """Say whether an alert goes to the channels: fresh, of a wanted kind, and no repeat of one that stands.

    One about a notice that did not go out is for the mail and the pages; a channel telling of itself would breed more.
    """
    is_fresh = now - alert.raised_at < NEWS
    return (
        is_fresh and alert.kind in plan.kinds and "mail:notify:" not in alert.key and not is_repeat(alert, all_alerts)
    )


def is_repeat(alert: Alert, others: Iterable[Alert]) -> bool:
    """Say whether the night before said the same."""
    return alert.kind in LASTING and any(
        timedelta(0) < alert.raised_at - other.raised_at < REPEATS_WITHIN and _gist(other) == _gist(alert)
        for other in others
    )


def leaves_at(plan: NotifyPlan, zone: str, now: datetime) -> datetime:
    """Return when a notice may leave: now, or when the quiet hours end."""
    return QuietHours.of(plan.quiet_hours, zone).until(now) or now


def _gist(alert: Alert) -> tuple[AlertKind, str]:
    """Return what an alert says apart from which night it is about."""
    words = alert.words.replace(alert.run_id, "") if alert.run_id else alert.words
    return alert.kind, _DATE.sub("", words)

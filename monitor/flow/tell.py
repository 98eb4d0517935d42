"""Stage tell: an alert reaches people through a second channel too, so that a mail that is held is not held in silence.

Every alert of the last day is told once. It is claimed before it is told and given back when the channel does not
take it: a process that dies in between leaves one alert untold there, which the pages and the mail show all the same.
"""

from datetime import timedelta

from monitor.domain.plan import NightPlan
from monitor.domain.report.subject import ALERT_HEADLINES
from monitor.errors import RetryLater
from monitor.ports.messages import Channel
from monitor.ports.store import Store

#: Alerts older than this are no news.
_NEWS = timedelta(hours=24)
#: Claims outlive the news.
_KEPT = timedelta(hours=48)
_MAX_ALERTS = 50
#: How soon a channel that did not take an alert is asked again.
PAUSE = timedelta(minutes=5)
_PAUSED = "channel"


def tell_channel(store: Store, channel: Channel, plan: NightPlan) -> int:
    """Tell what is new; return how many alerts the channel took."""
    with store.read() as unit:
        if unit.access.blocked_until(_PAUSED) is not None:
            return 0
        fresh = [alert for alert in unit.alerts.latest(_MAX_ALERTS) if unit.now - alert.raised_at < _NEWS]
    told = 0
    for alert in fresh:
        key = f"told:{alert.key}"
        with store.write() as unit:
            is_ours = unit.access.allow(key, _KEPT)
        if not is_ours:
            continue
        try:
            channel.tell(f"[{plan.mail.brand}] {ALERT_HEADLINES[alert.kind]}", alert.words)
        except RetryLater:
            with store.write() as unit:
                unit.access.succeeded(key)
                unit.access.allow(_PAUSED, PAUSE)
            return told
        told += 1
    return told

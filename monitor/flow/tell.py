"""Stage tell: alerts reach people through channels besides the mail, and programs hear that a run has ended.

Both are put into the outbox, which sends each once per channel, tries again what was not taken, holds what may have
been taken when its sender died, and raises an alert about what it gave up. So a channel that fails is seen in the mail
and on the pages. Nothing is sent here; `post` does.
"""

import json
from datetime import timedelta

from monitor.domain.message import Alert
from monitor.domain.notices import is_wanted, leaves_at
from monitor.domain.plan import NightPlan
from monitor.domain.report.subject import ALERT_HEADLINES
from monitor.domain.run import Run, RunState
from monitor.ports.store import Store, Unit

#: Newest alerts that are looked at; the others are older than a day, or so many that the pages are the place.
_MAX_ALERTS = 200
_MAX_RUNS = 5
#: Runs that ended before are no news, so that switching the webhook on does not tell of last week.
_NEWS = timedelta(hours=24)
#: Where `run.finished` goes.
RUN_WEBHOOK = "webhook:run.finished"


def tell_alerts(store: Store, plan: NightPlan, channels: int) -> int:
    """Put what is new into the outbox, once for each of so many channels; return how many notices were added."""
    with store.read() as unit:
        alerts = unit.alerts.latest(_MAX_ALERTS)
        wanted = [alert for alert in alerts if is_wanted(alert, alerts, plan.notify, unit.now)]
        missing = [
            (alert, f"notify:{number}")
            for alert in reversed(wanted)
            for number in range(1, channels + 1)
            if unit.mails.get(_key(f"notify:{number}", alert)) is None
        ]
    if not missing:
        return 0
    with store.write() as unit:
        return sum(_post(unit, plan, alert, recipient) for alert, recipient in missing)


def notice(title: str, words: str) -> bytes:
    """Return the bytes of a notice."""
    return json.dumps({"title": title, "words": words}, ensure_ascii=False).encode()


def tell_finished(store: Store, plan: NightPlan) -> int:
    """Put `run.finished` into the outbox, once per run that ended in the last day; return how many were added."""
    with store.read() as unit:
        ended = [run for run in unit.runs.latest(_MAX_RUNS) if run.state in (RunState.REPORTED, RunState.FAILED)]
        news = [run for run in ended if run.ended_at is not None and unit.now - run.ended_at < _NEWS]
        missing = [run for run in news if unit.mails.get(f"run.finished:{run.id}") is None]
    if not missing:
        return 0
    with store.write() as unit:
        return sum(_announce(unit, plan, run) for run in reversed(missing))


def _key(recipient: str, alert: Alert) -> str:
    return f"{recipient}:{alert.key}"


def _post(unit: Unit, plan: NightPlan, alert: Alert, recipient: str) -> bool:
    title = f"[{plan.mail.brand}] {ALERT_HEADLINES[alert.kind]}"
    return unit.mails.post(
        dedupe_key=_key(recipient, alert),
        run_id=None,
        recipient=recipient,
        subject=title,
        content=notice(title, alert.words),
        message_id=_key(recipient, alert),
        not_before=leaves_at(plan.notify, plan.schedule.zone, unit.now),
    )


def _announce(unit: Unit, plan: NightPlan, run: Run) -> bool:
    seen = unit.observations.of_run(run.id)
    told = {
        "run": run.id,
        "date": run.local_date.isoformat(),
        "state": run.state.value,
        "partial": run.partial,
        "started_at": run.started_at.isoformat(),
        "ended_at": None if run.ended_at is None else run.ended_at.isoformat(),
        "observations": len(seen),
        "proposals": len(unit.actions.of_run(run.id)),
        "url": f"{plan.review.public_url}/runs/{run.id}",
    }
    event = {"type": "run.finished", "timestamp": unit.now.isoformat(), "data": told}
    return unit.mails.post(
        dedupe_key=f"run.finished:{run.id}",
        run_id=None,
        recipient=RUN_WEBHOOK,
        subject=f"run.finished {run.id}",
        content=json.dumps(event).encode(),
        message_id=f"run.finished_{run.id}",
        not_before=unit.now,
    )

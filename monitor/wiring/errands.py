"""What a working process does every second beside the sweep: write what is approved, send what waits, expire what ends.

These are slow things that must not delay the sweep, and each is done although one before it fails: a shop that cannot
be written to does not keep the morning's mail.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from monitor.domain.message import Alert, AlertKind, Carrier
from monitor.flow import post, submit, sweep, tell

if TYPE_CHECKING:
    from monitor.wiring.app import App


def errands_of(app: "App") -> "Iterator[Callable[[], object]]":
    """Yield what is to be done once, in order: what is told before it is sent."""
    store, plan, me = app.store, app.plan_now, app.me.id
    yield lambda: _expire(app)
    yield lambda: _tell_overdue(app)
    yield lambda: submit.submit_due(store, app.shop, plan, me, app.clock)
    if app.channels:
        channels = app.channels
        yield lambda: tell.tell_alerts(store, plan, len(channels))
        yield lambda: post.post_due(store, channels, owner=me, carrier=Carrier.NOTIFY)
    if app.events is not None:
        events = app.events
        yield lambda: tell.tell_finished(store, plan)
        yield lambda: post.post_due(store, events, owner=me, carrier=Carrier.WEBHOOK)
    if app.mailer is not None:
        mailer = app.mailer
        yield lambda: post.mail_alerts(store, app.renderer, plan)
        yield lambda: post.post_due(store, mailer, owner=me)


def _expire(app: "App") -> None:
    with app.store.write() as unit:
        unit.actions.expire(sweep.LIMIT)
        unit.links.prune(sweep.LIMIT)
        unit.access.prune(sweep.LIMIT)


def _tell_overdue(app: "App") -> None:
    keys = app.files.overdue()
    if not keys:
        return
    words = (
        f"monitor.toml says otherwise than when this process started, and {', '.join(keys)} {_counts(keys)} only when "
        "the monitor is started again. Until then it works as before."
    )
    with app.store.write() as unit:
        key = f"restart:{app.me.id}:{':'.join(keys)}"
        unit.alerts.raise_once(Alert(key, AlertKind.FILES, None, words, unit.now))


def _counts(keys: Sequence[str]) -> str:
    return "counts" if len(keys) == 1 else "count"

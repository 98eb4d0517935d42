"""Alerts on channels besides the mail, and the event of a run's end: each once, retried, never failing in silence."""

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count

import pytest

from monitor.adapters.db.store import SqlStore
from monitor.adapters.http import Client
from monitor.adapters.notify import AppriseChannels, EventWebhook
from monitor.domain.message import Alert, AlertKind, Carrier, Mail, MailState
from monitor.domain.notices import is_repeat
from monitor.domain.plan import NightPlan, NotifyPlan
from monitor.domain.run import RunState
from monitor.errors import CannotSucceed, Misconfigured, RetryLater
from monitor.flow.post import LEASE, post_due
from monitor.flow.tell import RUN_WEBHOOK, tell_alerts, tell_finished
from tests.core_scene import SetClock, begun, opened
from tests.receiver import SECRET, is_signed

AT = datetime(2026, 11, 29, 5, 30, tzinfo=UTC)
PLAN = NightPlan()


@dataclass
class Chat:
    """A carrier that keeps what it was given."""

    told: list[Mail] = field(default_factory=list)
    is_down: bool = False

    def send(self, mail: Mail) -> None:
        if self.is_down:
            raise RetryLater("channel 1 did not take the notice")
        self.told.append(mail)


@dataclass
class Night:
    """A store whose alerts are told to chats."""

    store: SqlStore
    clock: SetClock
    plan: NightPlan = PLAN
    chat: Chat = field(default_factory=Chat)

    def alert(self, key: str = "write:1", kind: AlertKind = AlertKind.WRITE, words: str = "not written") -> None:
        with self.store.write() as unit:
            unit.alerts.raise_once(Alert(key, kind, None, words, unit.now))

    def tell(self, channels: int = 1) -> int:
        """Put what is new into the outbox and send what is due; return how many were taken."""
        tell_alerts(self.store, self.plan, channels)
        return post_due(self.store, self.chat, carrier=Carrier.NOTIFY)

    def message(self, key: str) -> Mail:
        with self.store.read() as unit:
            found = unit.mails.get(key)
        assert found is not None
        return found

    def alerts(self) -> list[str]:
        with self.store.read() as unit:
            return sorted(alert.key for alert in unit.alerts.latest(100))


@pytest.fixture
def night(own_sqlite_url: str) -> Iterator[Night]:
    clock = SetClock(AT)
    store = opened(own_sqlite_url, clock)
    yield Night(store, clock)
    store.close()


def test_every_channel_is_told_of_an_alert_once(night: Night) -> None:
    night.alert()

    assert [night.tell(channels=2) for _ in range(3)] == [2, 0, 0]
    assert [mail.recipient for mail in night.chat.told] == ["notify:1", "notify:2"]
    title = "[Price monitor] A price was not written as approved"
    assert json.loads(night.chat.told[0].content) == {"title": title, "words": "not written"}


def test_notices_and_mails_wait_for_their_own_carrier(night: Night) -> None:
    night.alert()
    tell_alerts(night.store, night.plan, 1)

    assert post_due(night.store, night.chat) == 0
    assert post_due(night.store, night.chat, carrier=Carrier.WEBHOOK) == 0
    assert post_due(night.store, night.chat, carrier=Carrier.NOTIFY) == 1


def test_a_channel_that_fails_is_asked_again_and_after_four_times_the_mail_says_so(night: Night) -> None:
    night.alert()
    night.chat.is_down = True
    for _ in range(6):
        night.tell()
        night.clock.at = max(night.clock.at, night.message("notify:1:write:1").not_before)

    assert night.alerts() == ["mail:notify:1:write:1:late", "write:1"]
    night.chat.is_down = False
    assert night.tell() == 1
    assert [mail.dedupe_key for mail in night.chat.told] == ["notify:1:write:1"]  # it does not tell of itself


def test_a_sender_that_died_leaves_a_held_notice_and_an_alert_and_nothing_is_told_twice(night: Night) -> None:
    night.alert()
    tell_alerts(night.store, night.plan, 1)
    with night.store.write() as unit:
        assert unit.mails.claim(unit.mails.due(1, Carrier.NOTIFY)[0], LEASE) is not None
    night.clock.at += LEASE

    assert night.tell() == 0
    assert night.message("notify:1:write:1").state is MailState.UNKNOWN
    assert "mail:notify:1:write:1:unknown" in night.alerts()


def test_in_quiet_hours_nothing_leaves_and_at_their_end_everything(night: Night) -> None:
    night.plan = replace(PLAN, notify=NotifyPlan(quiet_hours=("22:00-07:00",)))
    night.alert()

    assert night.tell() == 0
    night.clock.at = datetime(2026, 11, 29, 6, 59, tzinfo=UTC)
    assert night.tell() == 0
    night.clock.at = datetime(2026, 11, 29, 7, 0, tzinfo=UTC)
    assert night.tell() == 1


def test_kinds_that_nobody_wants_and_old_alerts_are_not_told(night: Night) -> None:
    night.plan = replace(PLAN, notify=NotifyPlan(kinds=(AlertKind.STOCK,)))
    night.alert()
    assert night.tell() == 0

    night.plan = PLAN
    night.clock.forward(hours=24)
    assert night.tell() == 0


_KEYS = count()


def coverage(day: int, read: int, kind: AlertKind = AlertKind.COVERAGE) -> Alert:
    """Return the alert of one night of November."""
    run, at = f"nightly-2026-11-{day}", datetime(2026, 11, day, 5, tzinfo=UTC)
    return Alert(f"coverage:{next(_KEYS)}", kind, run, f"{run}: {read} of 10 in the night of 2026-11-{day}", at)


@pytest.mark.parametrize(
    ("before", "tonight", "repeats"),
    [
        (coverage(28, 4), coverage(29, 4), True),  # as low as the night before
        (coverage(28, 4), coverage(29, 3), False),  # it changed
        (coverage(26, 4), coverage(29, 4), False),  # it was well in between
        (coverage(28, 4, AlertKind.WRITE), coverage(29, 4, AlertKind.WRITE), False),  # an event, not a state
        (coverage(28, 4, AlertKind.BUDGET), coverage(29, 4), False),  # about something else
    ],
)
def test_a_state_that_lasts_is_told_when_it_begins_and_when_it_changes(
    before: Alert, tonight: Alert, repeats: bool
) -> None:
    assert is_repeat(tonight, (tonight, before)) is repeats


class Hook(ThreadingHTTPServer):
    """A receiver that answers with the statuses it is given, then 204, and keeps what it got."""

    daemon_threads = True

    def __init__(self, *statuses: int) -> None:
        super().__init__(("127.0.0.1", 0), _Call)
        self.statuses, self.got = list(statuses), list[tuple[dict[str, str], bytes]]()
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


class _Call(BaseHTTPRequestHandler):
    server: Hook

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.got.append(({name.lower(): value for name, value in self.headers.items()}, body))
        self.send_response(self.server.statuses.pop(0) if self.server.statuses else 204)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def test_a_channel_is_reached_over_http_and_one_that_refuses_is_said(night: Night) -> None:
    night.alert()
    with Hook(500) as hook:
        channels = AppriseChannels([f"json://127.0.0.1:{hook.server_port}/hook"])
        tell_alerts(night.store, night.plan, len(channels))
        assert post_due(night.store, channels, carrier=Carrier.NOTIFY) == 0
        assert "did not take" in str(night.message("notify:1:write:1").error)
        night.clock.forward(minutes=1)
        assert post_due(night.store, channels, carrier=Carrier.NOTIFY) == 1

    told = json.loads(hook.got[1][1])
    assert (told["title"], told["message"]) == ("[Price monitor] A price was not written as approved", "not written")


def test_the_doctor_names_services_and_an_address_that_is_not_understood_by_its_place_only() -> None:
    assert AppriseChannels(["json://127.0.0.1/hook", "ntfys://ntfy.sh/x"]).probe() == "2 channels: 1 JSON, 2 ntfy"
    with pytest.raises(Misconfigured, match="address 2 of 2") as refused:
        AppriseChannels(["json://127.0.0.1/hook", "secret-word"]).probe()
    assert "secret-word" not in str(refused.value)
    with pytest.raises(CannotSucceed, match="no channel 3"):
        AppriseChannels(["json://127.0.0.1/hook"]).tell(3, "a", "b")


# The end of a run


def ended(night: Night) -> str:
    run = begun(night.store)
    with night.store.write() as unit:
        unit.runs.start_synthesis(run.id, partial=False)
        unit.runs.close(run.id, RunState.REPORTED)
    return run.id


def test_a_run_that_ends_is_told_once_signed_and_with_the_same_id_on_every_try(night: Night) -> None:
    with Hook(503) as hook:
        events = EventWebhook(f"http://127.0.0.1:{hook.server_port}/", (SECRET,), Client(), _Now(), agent="tests")
        assert tell_finished(night.store, night.plan) == 0
        run = ended(night)
        assert [tell_finished(night.store, night.plan) for _ in range(2)] == [1, 0]
        assert post_due(night.store, events, carrier=Carrier.WEBHOOK) == 0
        night.clock.forward(minutes=1)
        assert post_due(night.store, events, carrier=Carrier.WEBHOOK) == 1

    (first, body), (second, again) = hook.got
    assert body == again
    assert is_signed(second, again)
    assert first["webhook-id"] == second["webhook-id"] == f"run.finished_{run}"
    event = json.loads(body)
    assert (event["type"], event["data"]["run"], event["data"]["state"]) == ("run.finished", run, "reported")
    assert tell_finished(night.store, night.plan) == 0


class _Now:
    def now(self) -> datetime:
        return datetime.now(UTC)


def test_an_event_whose_sender_died_is_sent_again_because_its_id_tells_a_repeat(night: Night) -> None:
    run = ended(night)
    tell_finished(night.store, night.plan)
    with night.store.write() as unit:
        unit.mails.claim(unit.mails.due(1, Carrier.WEBHOOK)[0], LEASE)
    night.clock.at += LEASE

    assert post_due(night.store, night.chat, carrier=Carrier.WEBHOOK) == 1
    assert [(mail.recipient, mail.message_id) for mail in night.chat.told] == [(RUN_WEBHOOK, f"run.finished_{run}")]
    assert night.alerts() == []


def test_a_receiver_that_refuses_for_good_is_not_asked_again_and_an_alert_says_so(night: Night) -> None:
    run = ended(night)
    tell_finished(night.store, night.plan)
    with Hook(410) as hook:
        events = EventWebhook(f"http://127.0.0.1:{hook.server_port}/", (SECRET,), Client(), _Now(), agent="tests")
        assert post_due(night.store, events, carrier=Carrier.WEBHOOK) == 0

    assert night.message(f"run.finished:{run}").state is MailState.FAILED
    assert night.alerts() == [f"mail:run.finished:{run}:failed"]


def test_runs_of_last_week_are_not_told_when_the_webhook_is_switched_on(night: Night) -> None:
    ended(night)
    night.clock.at += timedelta(days=7)

    assert tell_finished(night.store, night.plan) == 0

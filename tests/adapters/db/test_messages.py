"""The outbox, the alerts and the stored reports, on both databases.

PostgreSQL tells its own time, so a lease that has ended here is one that was taken for no time at all.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from monitor.adapters.db.store import SqlStore
from monitor.domain.message import Alert, AlertKind, Carrier, Mail, MailState
from monitor.errors import LeaseLost
from monitor.ports.messages import StoredReport
from tests.core_scene import begun, opened

_NOW = datetime.now(UTC)
_HOUR = timedelta(hours=1)


@pytest.fixture
def store(migrated_url: str) -> Iterator[SqlStore]:
    store = opened(migrated_url)
    yield store
    store.close()


def posted(store: SqlStore, key: str = "report:n:anna", **changes: Any) -> bool:
    mail: dict[str, Any] = {
        "dedupe_key": key,
        "run_id": "n",
        "recipient": "anna@acme.example",
        "subject": "Night",
        "content": b"From: a\r\n\r\nhello \xff\r\n",
        "message_id": "<1@acme.example>",
        "not_before": _NOW - _HOUR,
    }
    with store.write() as unit:
        return unit.mails.post(**(mail | changes))


def claimed(store: SqlStore, lease: timedelta = _HOUR, key: str = "report:n:anna") -> Mail:
    with store.write() as unit:
        mail = unit.mails.get(key)
        assert mail is not None
        taken = unit.mails.claim(mail.id, lease)
    assert taken is not None
    return taken


def stored(store: SqlStore, key: str = "report:n:anna") -> Mail:
    with store.read() as unit:
        mail = unit.mails.get(key)
    assert mail is not None
    return mail


def test_a_mail_is_stored_once_per_key_and_its_bytes_never_change(store: SqlStore) -> None:
    assert posted(store)
    assert not posted(store, content=b"another")

    mail = stored(store)
    assert mail.content == b"From: a\r\n\r\nhello \xff\r\n"
    assert (mail.state, mail.attempts, mail.fence, mail.run_id) == (MailState.PENDING, 0, 0, "n")


def test_only_mails_whose_time_has_come_are_due_the_longest_waiting_first(store: SqlStore) -> None:
    posted(store, "late", not_before=_NOW - _HOUR)
    posted(store, "early", not_before=_NOW - 2 * _HOUR)
    posted(store, "tomorrow", not_before=_NOW + 24 * _HOUR)

    early, late, tomorrow = (stored(store, key).id for key in ("early", "late", "tomorrow"))
    with store.write() as unit:
        assert unit.mails.due(10) == (early, late)
        assert unit.mails.due(1) == (early,)
        assert unit.mails.claim(tomorrow, _HOUR) is None


def test_a_mail_is_claimed_by_one_of_many_senders(store: SqlStore) -> None:
    posted(store)
    mail_id = stored(store).id

    def claim(_n: int) -> Mail | None:
        with store.write() as unit:
            return unit.mails.claim(mail_id, _HOUR)

    with ThreadPoolExecutor(8) as threads:
        taken = [mail for mail in threads.map(claim, range(16)) if mail is not None]

    assert [(mail.state, mail.fence, mail.attempts) for mail in taken] == [(MailState.SENDING, 1, 1)]


@pytest.mark.parametrize("state", [MailState.SENT, MailState.FAILED, MailState.UNKNOWN])
def test_a_claimed_mail_is_closed_as_it_ended(store: SqlStore, state: MailState) -> None:
    posted(store)
    error = None if state is MailState.SENT else "550 refused"

    taken = claimed(store)
    with store.write() as unit:
        unit.mails.close(taken, state, error)

    mail = stored(store)
    assert (mail.state, mail.error) == (state, error)
    assert (mail.sent_at is not None) == (state is MailState.SENT)


def test_a_mail_cannot_be_closed_as_something_that_is_no_end(store: SqlStore) -> None:
    posted(store)
    mail = claimed(store)

    with store.write() as unit, pytest.raises(ValueError, match="sent, failed or unknown"):
        unit.mails.close(mail, MailState.PENDING)


def test_a_retried_mail_waits_and_whoever_had_it_before_cannot_close_it_any_more(store: SqlStore) -> None:
    posted(store)
    first = claimed(store)
    with store.write() as unit:
        unit.mails.retry(first, _NOW - _HOUR, "451 busy")
    assert (stored(store).state, stored(store).error) == (MailState.PENDING, "451 busy")

    second = claimed(store)
    assert (second.fence, second.attempts) == (2, 2)
    with store.write() as unit, pytest.raises(LeaseLost):
        unit.mails.close(first, MailState.SENT)
    with store.write() as unit, pytest.raises(LeaseLost):
        unit.mails.retry(first, _NOW, "again")
    assert stored(store).state is MailState.SENDING


def test_a_mail_whose_sender_died_is_found_once_and_held(store: SqlStore) -> None:
    posted(store)
    posted(store, "alive")
    mail = claimed(store, lease=timedelta(0))
    claimed(store, key="alive")

    with store.write() as unit:
        assert [lost.id for lost in unit.mails.lost(10)] == [mail.id]
        assert unit.mails.lost(10) == ()
        assert unit.mails.due(10) == ()

    held = stored(store)
    assert held.state is MailState.UNKNOWN
    assert "held" in str(held.error)


def test_a_sender_that_was_only_slow_may_still_say_that_the_mail_was_sent(store: SqlStore) -> None:
    posted(store)
    mail = claimed(store, lease=timedelta(0))
    with store.write() as unit:
        unit.mails.lost(10)
        unit.mails.close(mail, MailState.SENT)

    assert stored(store).state is MailState.SENT
    with store.write() as unit, pytest.raises(LeaseLost):
        unit.mails.close(mail, MailState.FAILED, "no")


def test_mails_of_a_run_come_in_the_order_they_were_posted(store: SqlStore) -> None:
    posted(store, "b")
    posted(store, "a")
    posted(store, "other", run_id="m")

    with store.read() as unit:
        assert [mail.dedupe_key for mail in unit.mails.of_run("n")] == ["b", "a"]


def test_an_alert_is_raised_once_per_key_and_keeps_its_first_words(store: SqlStore) -> None:
    def an_alert(key: str, words: str, minutes: int) -> Alert:
        return Alert(key, AlertKind.BUDGET, "n", words, _NOW + timedelta(minutes=minutes))

    with store.write() as unit:
        assert unit.alerts.raise_once(an_alert("second", "later", 2))
        assert unit.alerts.raise_once(an_alert("first", "acme spent its calls", 1))
        assert not unit.alerts.raise_once(an_alert("first", "other words", 3))

    with store.read() as unit:
        assert [(alert.key, alert.words) for alert in unit.alerts.of_run("n")] == [
            ("first", "acme spent its calls"),
            ("second", "later"),
        ]
        assert [alert.key for alert in unit.alerts.latest(1)] == ["second"]
        assert unit.alerts.of_run("m") == ()


def test_the_first_report_of_a_run_stays(store: SqlStore) -> None:
    run = begun(store)
    made_at = _NOW.replace(microsecond=7)
    report = StoredReport(run.id, {"subject": "[Acme] Straße", "rows": [1]}, "<p>é</p>", "é", made_at)

    with store.write() as unit:
        assert unit.reports.get(run.id) is None
        assert unit.reports.store(report)
        assert not unit.reports.store(StoredReport(run.id, {}, "", "", made_at))

    with store.read() as unit:
        assert unit.reports.get(run.id) == report


def test_each_carrier_is_given_its_own_messages(store: SqlStore) -> None:
    for key, recipient in (("m", "anna@acme.example"), ("n", "notify:1"), ("w", "webhook:run.finished")):
        posted(store, key, recipient=recipient)

    with store.read() as unit:
        due = {carrier: unit.mails.due(10, carrier) for carrier in Carrier}
    carried = {Carrier.MAIL: "m", Carrier.NOTIFY: "n", Carrier.WEBHOOK: "w"}
    assert due == {carrier: (stored(store, key).id,) for carrier, key in carried.items()}


def test_an_event_whose_sender_died_is_given_back_and_a_notice_is_held(store: SqlStore) -> None:
    for key, recipient in (("n", "notify:1"), ("w", "webhook:run.finished")):
        posted(store, key, recipient=recipient)
        claimed(store, timedelta(0), key)

    with store.write() as unit:
        assert [mail.dedupe_key for mail in unit.mails.lost(10)] == ["n"]
    assert (stored(store, "n").state, stored(store, "w").state) == (MailState.UNKNOWN, MailState.PENDING)

"""Errands on a real config directory: what is broken costs itself only."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import cast

import pytest

from monitor.adapters.render import JinjaRenderer
from monitor.domain.action import Actor, Verb
from monitor.domain.message import Alert, AlertKind, Mail
from monitor.domain.review import Choice
from monitor.flow.review import decide
from monitor.settings import create
from monitor.web.serve import context_of
from monitor.wiring import App, open_app
from tests.review_scene import a_proposal, a_run


@dataclass
class Postman:
    """A mail server that takes everything."""

    taken: list[str] = field(default_factory=list)

    def send(self, mail: Mail) -> None:
        self.taken.append(mail.subject)


class NoInk:
    """Renders nothing."""

    def alert(self, alert: Alert, _brand: str, _zone: str) -> None:
        raise ValueError(f"{alert.key} cannot be rendered")


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> App:
    """A process that has a report to send and an alert of last night."""
    for name in ("MONITOR_CONFIG", "MONITOR_DATABASE_URL", "MONITOR_REDIS_URL", "MONITOR_SMTP_URL"):
        monkeypatch.delenv(name, raising=False)
    create(tmp_path / "shop")
    app = open_app(tmp_path / "shop")
    with app.store.write() as unit:
        unit.alerts.raise_once(Alert("deadline:n", AlertKind.DEADLINE, None, "It is late.", unit.now))
        unit.mails.post(
            dedupe_key="report:n",
            run_id=None,
            recipient="anna@acme.example",
            subject="Night",
            content=b"Subject: Night\r\n\r\nmorning",
            message_id="<1@a>",
            not_before=unit.now,
        )
    return app


def test_an_alert_that_cannot_be_rendered_does_not_keep_the_report(app: App) -> None:
    """It would have kept every mail of a day, until the alert was no news any more."""
    postman = Postman()
    toml = app.settings.config_dir / "monitor.toml"
    toml.write_text(toml.read_text("utf-8").replace("recipients = []", 'recipients = ["anna@acme.example"]'), "utf-8")
    broken = replace(app, mailer=postman, renderer=cast("JinjaRenderer", NoInk()))

    with pytest.raises(ValueError, match="deadline:n cannot be rendered"):
        broken.errands()

    assert postman.taken == ["Night"]
    app.close()


def test_writes_that_are_switched_off_in_the_file_stop_in_a_process_that_works(tmp_path: Path, app: App) -> None:
    """`monitor doctor` and `monitor approve` read the file and say dry run; the old process wrote all the same."""
    home = tmp_path / "shop"
    toml = (home / "monitor.toml").read_text("utf-8").replace("undo_window_s = 120", "undo_window_s = 0")
    on = toml.replace("[writes]\nenabled = false", "[writes]\nenabled = true")
    (home / "monitor.toml").write_text(on, "utf-8")
    (home / "var/prices.csv").write_text("sku,price,currency\nA-1,27.90,EUR\n", "utf-8")
    app.close()
    works = open_app(home)
    later = datetime.now(UTC) + timedelta(days=2)
    with works.store.write() as unit:
        a_run(unit)
        action, _ = unit.actions.propose(a_proposal("A-1", "27.90", "26.90", expires_at=later))

    (home / "monitor.toml").write_text(toml, "utf-8")
    (home / "catalogue.csv").write_text("not,right\n", "utf-8")  # another file's mistake holds nobody's hand
    choice = Choice(action.id, 1, action.content_hash, Verb.APPROVE)
    decide(works.store, works.plan, Actor("user", "anna"), [choice])
    works.errands()
    off = (home / "var/prices.csv").read_text("utf-8")
    (home / "monitor.toml").write_text("[writes]\nenabled = maybe\n", "utf-8")
    works.errands()
    unclear = (home / "var/prices.csv").read_text("utf-8")
    (home / "monitor.toml").write_text(on, "utf-8")
    works.errands()
    works.close()

    assert "A-1,27.90,EUR" in off
    assert unclear == off
    assert "A-1,26.90,EUR" in (home / "var/prices.csv").read_text("utf-8")


def test_who_is_taken_out_of_the_mail_is_out_at_once(tmp_path: Path, app: App) -> None:
    """Alerts and fresh links went to the old addresses until the process was started again."""
    app.close()
    toml = tmp_path / "shop" / "monitor.toml"
    both = toml.read_text("utf-8").replace("recipients = []", 'recipients = ["anna@acme.example", "bo@acme.example"]')
    toml.write_text(both, "utf-8")
    works = open_app(tmp_path / "shop")
    web = context_of(works)
    before = web.plan_now.mail.recipients

    toml.write_text(both.replace(', "bo@acme.example"', ""), "utf-8")

    assert before == ("anna@acme.example", "bo@acme.example")
    assert works.plan_now.mail.recipients == web.plan_now.mail.recipients == ("anna@acme.example",)
    works.close()


def test_what_counts_only_in_a_new_process_is_told_when_nobody_starts_one(
    tmp_path: Path, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Doctor speaks of the shop that the file names, while the process writes to the one that it opened."""
    toml = tmp_path / "shop" / "monitor.toml"
    text = toml.read_text("utf-8")
    toml.write_text(text.replace('at = "02:00"', 'at = "03:00"').replace("tool_calls = 12", "tool_calls = 9"), "utf-8")
    app.errands()
    with app.store.read() as unit:
        at_once = unit.alerts.latest(9)
    monkeypatch.setattr("monitor.wiring.night_files.PATIENCE_S", 0.0)
    app.errands()
    app.errands()
    with app.store.read() as unit:
        told = [alert.words for alert in unit.alerts.latest(9) if alert.kind is AlertKind.FILES]
    app.close()

    assert all(alert.kind is not AlertKind.FILES for alert in at_once)
    assert len(told) == 1
    assert "night.at counts only when the monitor is started again" in told[0]
    assert "budget" not in told[0]


def test_what_was_set_back_is_not_told(tmp_path: Path, app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    toml = tmp_path / "shop" / "monitor.toml"
    text = toml.read_text("utf-8")
    toml.write_text(text.replace('at = "02:00"', 'at = "03:00"'), "utf-8")
    app.errands()
    toml.write_text(text, "utf-8")
    monkeypatch.setattr("monitor.wiring.night_files.PATIENCE_S", 0.0)
    app.errands()
    overdue = app.files.overdue()
    app.close()

    assert overdue == ()

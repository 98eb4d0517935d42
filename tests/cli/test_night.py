"""`monitor run` as a person meets it: warnings, the summary and the ways it ends. Nights without a competitor."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from monitor.cli import command_line, night
from monitor.domain.message import Alert, AlertKind, Mail, MailState
from monitor.domain.plan import MailPlan, NightPlan, Schedule
from monitor.domain.run import Run
from monitor.wiring import App, run_night

MODULES = ("setup", "night")
TOMORROW = (datetime.now(UTC) + timedelta(days=2)).date().isoformat()
AT = datetime(2026, 11, 29, 3, 0, tzinfo=UTC)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("MONITOR_CONFIG", "MONITOR_DATABASE_URL", "MONITOR_REDIS_URL", "MONITOR_SMTP_URL"):
        monkeypatch.delenv(name, raising=False)
    config = tmp_path / "shop"
    assert CliRunner().invoke(command_line(MODULES), ["init", str(config), "--zone", "Europe/Berlin"]).exit_code == 0
    return config


def run(home: Path, *words: str) -> Result:
    return CliRunner().invoke(command_line(MODULES), ["run", "--config", str(home), *words])


def a_mail(state: MailState = MailState.PENDING, not_before: datetime = AT) -> Mail:
    return Mail(1, "report", "a@b.example", "S", b"", "<1@b>", state, 0, not_before, 0, None, AT, None)


def a_plan(*recipients: str) -> NightPlan:
    return NightPlan(schedule=Schedule(zone="Europe/Berlin"), mail=MailPlan(recipients=recipients))


def test_a_night_that_is_not_due_begins_with_a_warning_on_standard_error(home: Path) -> None:
    first = run(home, "--date", TOMORROW, "--json")
    again = run(home, "--date", TOMORROW)

    assert first.exit_code == 0
    assert f"the night of {TOMORROW} is not due until {TOMORROW} 02:00 +0" in first.stderr
    assert "it will not begin again then" in first.stderr
    assert json.loads(first.stdout)["date"] == TOMORROW
    assert "not due" not in again.stderr, "it has begun already"


def test_a_night_that_is_due_begins_without_a_word(home: Path) -> None:
    result = run(home)

    assert result.exit_code == 0
    assert "Warning" not in result.stderr
    assert "mail: none set (mail.recipients in monitor.toml)" in result.stdout


def test_the_summary_prints_the_alerts_of_the_night(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def with_alert(app: App, day: date | None, on_tick: Callable[[Run], None]) -> Run:
        done = run_night(app, day, on_tick=on_tick)
        with app.store.write() as unit:
            unit.alerts.raise_once(Alert("k", AlertKind.COVERAGE, done.id, "Only 40 % were read.", unit.now))
        return done

    monkeypatch.setattr(night, "run_night", with_alert)

    assert "  alert: Only 40 % were read." in run(home).stdout


def test_ctrl_c_says_how_to_go_on(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(night, "run_night", interrupted)
    result = run(home)

    assert (result.exit_code, result.stdout) == (130, "")
    assert "Stopped. `monitor run` goes on from here." in result.stderr
    assert "`monitor run --date 2026-11-20` goes on" in run(home, "--date", "2026-11-20").stderr


def test_a_date_in_another_form_is_answered_with_the_form(home: Path) -> None:
    result = run(home, "--date", "28.11.2026")

    assert result.exit_code == 2
    assert "write it as 2026-11-29" in result.stderr


@pytest.mark.parametrize(
    ("mails", "told"),
    [
        ((a_mail(), a_mail()), "2 mails wait until 06:30 +0100; `monitor up` sends"),
        ((a_mail(not_before=AT + timedelta(days=1)),), "1 mail waits until 2026-11-30 04:00 +0100;"),
        ((a_mail(MailState.SENT), a_mail(MailState.SENT), a_mail(MailState.UNKNOWN)), "2 sent, 1 unknown"),
        ((), "none for this night"),
    ],
)
def test_the_summary_says_when_mails_leave(mails: tuple[Mail, ...], told: str) -> None:
    early = tuple(
        replace(mail, not_before=AT + timedelta(hours=2, minutes=30)) if mail.not_before == AT else mail
        for mail in mails
    )

    assert night.mail_words(early, a_plan("a@b.example"), AT, sends=True).startswith(told)


def test_mails_that_cannot_leave_say_what_they_wait_for() -> None:
    assert "for the mail server" in night.mail_words((a_mail(),), a_plan("a@b.example"), AT, sends=True)
    assert "MONITOR_SMTP_URL" in night.mail_words((a_mail(),), a_plan("a@b.example"), AT, sends=False)

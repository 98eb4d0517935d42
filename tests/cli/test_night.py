"""`monitor run` as a person meets it: warnings, the summary and the ways it ends. One small shop on loopback."""

import json
import re
import socket
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from monitor.cli import command_line, night
from monitor.cli.telling import telling
from monitor.domain.catalogue import Catalogue
from monitor.domain.message import Alert, AlertKind, Mail, MailState
from monitor.domain.plan import MailPlan, NightPlan, Schedule
from monitor.domain.report.wording import day
from monitor.domain.run import Run
from monitor.domain.unread import Rest
from monitor.errors import Misconfigured
from monitor.wiring import App, Working, open_app, run_night
from monitor.wiring.frozen import frozen_catalogue, frozen_plan
from tests.market import Market

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


@pytest.fixture
def market() -> Iterator[Market]:
    with Market(shops=1, pages=1) as opened:
        yield opened


@pytest.fixture
def visiting(home: Path, market: Market) -> Path:
    """A configuration whose nights have something to visit."""
    (shop,) = market.open
    (home / "competitors.toml").write_text(
        f'[[competitor]]\nid = "acme"\nbase_url = "{shop.url}"\ndelay_s = 0\nplatform = "pages"\n'
        f'allow_addresses = ["{shop.address}"]\n'
    )
    (home / "catalogue.csv").write_text("sku,title,price\nA,Mug,15.00\n")
    (home / "watches.csv").write_text(f"sku,competitor,url\nA,acme,{shop.url}{next(iter(shop.goods))}\n")
    return home


def run(home: Path, *words: str) -> Result:
    return CliRunner().invoke(command_line(MODULES), ["run", "--config", str(home), *words])


def a_mail(state: MailState = MailState.PENDING, not_before: datetime = AT) -> Mail:
    return Mail(1, "report", "a@b.example", "S", b"", "<1@b>", state, 0, not_before, 0, None, AT, None)


def a_plan(*recipients: str) -> NightPlan:
    return NightPlan(schedule=Schedule(zone="Europe/Berlin"), mail=MailPlan(recipients=recipients))


def test_a_night_that_is_not_due_begins_with_a_warning_on_standard_error(visiting: Path) -> None:
    first = run(visiting, "--date", TOMORROW, "--json")
    again = run(visiting, "--date", TOMORROW)

    assert first.exit_code == 0
    assert f"the night of {TOMORROW} is not due until {TOMORROW} 02:00 +0" in first.stderr
    assert "it will not begin again then" in first.stderr
    assert json.loads(first.stdout)["date"] == TOMORROW
    assert "not due" not in again.stderr, "it has begun already"


def test_a_night_that_is_due_begins_without_a_word(visiting: Path) -> None:
    result = run(visiting)

    assert result.exit_code == 0
    assert "Warning" not in result.stderr
    assert "mail: none set (mail.recipients in monitor.toml)" in result.stdout


def test_a_night_that_has_its_report_says_so_and_how_to_look_again(visiting: Path, market: Market) -> None:
    first = json.loads(run(visiting, "--json").stdout)
    over = run(visiting)
    hits = market.hits.copy()
    again = run(visiting, "--again", "--json")

    assert over.exit_code == 0
    assert f"The night of {first['date']} has its report already, since" in over.stderr
    assert "nothing was visited now. The next night begins 20" in over.stderr
    assert "monitor run --again" in over.stderr
    assert "monitor check URL" in over.stderr
    assert set(hits.values()) == {1}
    assert again.exit_code == 0
    assert "nothing was visited" not in again.stderr
    second = json.loads(again.stdout)
    assert (second["run"], second["state"], second["jobs"]) == (f"nightly.2-{first['date']}", "reported", 1)
    assert second["watches"] == first["watches"]
    assert f"nightly.2-{first['date']}: reported" in run(visiting).stdout, "the newest is what is shown"


def test_the_summary_names_the_shops_of_which_nothing_was_read(visiting: Path, market: Market) -> None:
    """A shop that was switched off was summed up as "1 robots", and the night looked like any other."""
    with socket.socket() as nobody:  # bound, so that no other test takes the port, and not listened on
        nobody.bind(("127.0.0.1", 0))
        (shop,) = market.open
        down = f"127.0.0.1:{nobody.getsockname()[1]}"
        for file in (visiting / "competitors.toml", visiting / "watches.csv"):
            file.write_text(file.read_text().replace(shop.address, down))
        told = run(visiting).output

    assert "watches: 1 robots.txt unreachable" in told
    assert "nothing read of: acme (robots.txt unreachable)" in told


def test_a_night_that_has_its_report_is_shown_also_while_another_process_works(visiting: Path) -> None:
    """`monitor up` runs the errands; nothing is asked of this command but to show."""
    run(visiting)
    up = open_app(visiting, role="up")
    working = Working(up, threads=1)
    working.start()
    try:
        shown, again = run(visiting), run(visiting, "--again")
    finally:
        working.stop()
        up.close()

    assert shown.exit_code == 0
    assert "has its report already" in shown.stderr
    assert ": reported" in shown.stdout
    assert "another working process" in str(again.exception)


def test_a_refused_night_leaves_no_price_file_without_the_products_that_come_later(visiting: Path) -> None:
    """The file is the shop: a product without a row in it is never written."""
    catalogue, watches = ((visiting / name).read_text("utf-8") for name in ("catalogue.csv", "watches.csv"))
    for name, text in (("catalogue.csv", catalogue), ("watches.csv", watches)):
        (visiting / name).write_text(text.splitlines()[0] + "\n", encoding="utf-8")
    refused = run(visiting)
    was_made = (visiting / "var/prices.csv").exists()
    (visiting / "catalogue.csv").write_text(catalogue, encoding="utf-8")
    (visiting / "watches.csv").write_text(watches, encoding="utf-8")

    assert run(visiting).exit_code == 0
    assert "has nothing to visit" in str(refused.exception)
    assert not was_made
    assert "A,15.00,EUR," in (visiting / "var/prices.csv").read_text("utf-8")


def test_a_night_that_is_over_is_refused_with_the_accepted_ones(visiting: Path, market: Market) -> None:
    past = (datetime.now(UTC) - timedelta(days=9)).date().isoformat()

    result = run(visiting, "--date", past)

    assert isinstance(result.exception, Misconfigured)
    assert f"--date {past}: that night is over" in str(result.exception)
    assert "Nothing was begun. Accepted are" in str(result.exception)
    assert not market.hits


def test_a_night_with_nothing_to_visit_is_refused_and_can_run_later(home: Path) -> None:
    result = run(home)

    assert isinstance(result.exception, Misconfigured)
    assert "has nothing to visit: no enabled competitor has a watch" in str(result.exception)
    assert "Nothing was begun, so the night can still run." in str(result.exception)


def test_an_owed_night_with_nothing_to_visit_is_told_once_and_begins_when_there_is_something(
    visiting: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watches = (visiting / "watches.csv").read_text()
    (visiting / "watches.csv").write_text("sku,competitor,url\n")
    at_three = datetime(2026, 11, 29, 3, 0, tzinfo=UTC)
    monkeypatch.setattr("monitor.adapters.clock.SystemClock.now", lambda _clock: at_three)
    app = open_app(visiting, role="up")
    try:
        assert [app.begin_owed() for _ in range(3)] == [None, None, None]
        with app.store.read() as unit:
            (alert,) = unit.alerts.latest(9)
            assert unit.runs.latest(1) == ()
        (visiting / "watches.csv").write_text(watches)
        begun = app.begin_owed()
    finally:
        app.close()
    assert "(competitors enabled: 1, watches: 0). Nothing was begun" in alert.words
    assert begun is not None
    assert begun.id == "nightly-2026-11-29"


def test_a_process_that_works_for_months_begins_each_night_with_the_files_of_that_night(visiting: Path) -> None:
    """An import, a recipe and a budget count from the next night on; what the process works by does not change."""
    app = open_app(visiting, role="up")
    try:
        (visiting / "catalogue.csv").write_text("sku,title,price\nA,Mug,15.00\nB,Jug,25.00\n")
        with (visiting / "competitors.toml").open("a") as file:
            file.write('[competitor.recipe]\nprice = ".now"\n')
        _edit(visiting, ("tool_calls = 12", "tool_calls = 7"), ('name = "nightly"', 'name = "other"'))
        _edit(visiting, ("enabled = false", "enabled = true"))
        night = app.begin("manual")
        frozen, plan = _frozen(app, night)
    finally:
        app.close()

    assert [product.sku for product in frozen.products] == ["A", "B"]
    assert frozen.competitors[0].recipe is not None
    assert plan.budgets.tool_calls == 7
    assert night.id.startswith("nightly-")
    assert not plan.writes.enabled


def test_files_that_are_wrong_when_a_night_begins_cost_no_night_and_are_told(visiting: Path) -> None:
    app = open_app(visiting, role="up")
    try:
        (visiting / "catalogue.csv").write_text('sku,title,price\nA,Mug,"15,00"\n')
        night = app.begin("manual")
        with app.store.read() as unit:
            (alert,) = unit.alerts.of_run(night.id)
        frozen, _ = _frozen(app, night)
        (visiting / "catalogue.csv").write_text("sku,title,price\nA,Cup,15.00\n")
        settings, refused = app.files.now()
    finally:
        app.close()

    assert [product.title for product in frozen.products] == ["Mug"]
    assert "began with the configuration that was read before" in alert.words
    assert "catalogue.csv, line 2, price: '15,00' is not an amount" in alert.words
    assert refused is None
    assert settings.catalogue.products[0].title == "Cup"


def test_another_currency_of_the_shop_needs_a_new_start(visiting: Path) -> None:
    app = open_app(visiting, role="up")
    try:
        _edit(visiting, ('currency = "EUR"', 'currency = "CHF"'))
        settings, refused = app.files.now()
    finally:
        app.close()

    assert refused == "shop.currency is CHF now; start the monitor again"
    assert settings.catalogue.products[0].currency == "EUR"


def _edit(home: Path, *changes: tuple[str, str]) -> None:
    file = home / "monitor.toml"
    text = file.read_text("utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    file.write_text(text, "utf-8")


def _frozen(app: App, night: Run) -> tuple[Catalogue, NightPlan]:
    with app.store.read() as unit:
        return frozen_catalogue(unit, night), frozen_plan(unit, night)


def test_the_summary_prints_the_alerts_of_the_night(visiting: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def with_alert(app: App, day: date | None, *, again: bool) -> Run:
        done = run_night(app, day, again=again)
        with app.store.write() as unit:
            unit.alerts.raise_once(Alert("k", AlertKind.COVERAGE, done.id, "Only 40 % were read.", unit.now))
        return done

    monkeypatch.setattr(night, "run_night", with_alert)

    assert "  alert: Only 40 % were read." in run(visiting).stdout


def test_ctrl_c_says_how_to_go_on(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(night, "run_night", interrupted)
    result = run(home)

    assert (result.exit_code, result.stdout) == (130, "")
    assert "Stopped. `monitor run` goes on from here." in result.stderr
    assert f"`monitor run --date {TOMORROW}` goes on" in run(home, "--date", TOMORROW).stderr


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


def test_a_person_is_told_of_a_night_in_lines_of_its_own_zone(
    visiting: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    app = open_app(visiting, role="run")
    try:
        with telling(app) as told:
            ended = run_night(app, on_tick=told.tick)
        with telling(app) as again:
            again.tick(ended)
    finally:
        app.close()
    lines = [line for line in capsys.readouterr().err.splitlines() if line.strip() and "[info" not in line]

    at = r"^[0-2][0-9]:[0-5][0-9] "
    assert [re.sub(at, "", line) for line in lines if re.match(at, line)] == [
        f"The night of {day(ended.local_date)} begins: 1 competitor, 1 watch.",
        "acme: 1 of 1 read",
        "The report is being made.",
    ]
    assert all(len(line) <= 80 for line in lines)


def test_a_night_that_was_interrupted_is_said_to_go_on_and_a_long_wait_has_its_end(
    visiting: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    app = open_app(visiting, role="run")
    try:
        begun = app.begin("manual", None)
        with telling(app) as told:
            told.began = begun.started_at + timedelta(hours=1)
            told.tick(begun)
            with app.store.read() as unit:
                (job,) = unit.jobs.of_run(begun.id)
            rest = Rest(asked=2, read=1)
            soon, late = (replace(job, run_at=AT + timedelta(seconds=wait)) for wait in (3, 600))
            shown = [told.under_way(each, rest, AT) for each in (soon, late)]
    finally:
        app.close()

    assert "goes on where it stopped: 0 of 1 competitor done." in capsys.readouterr().err
    assert shown == ["      acme: 1 of 1 read, waits 3 s", "      acme: 1 of 1 read, waits until 04:10"]


def test_programs_get_the_log_and_a_person_who_asks_for_it_too(
    visiting: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Standard error is no terminal here; the lines for people are for terminals only."""
    told = run(visiting, "--log")

    assert "job_left" in told.stderr + capfd.readouterr().err
    assert "begins: 1 competitor" not in told.stderr

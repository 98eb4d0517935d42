"""What pages show when the night is not over, went wrong or never was, in real Chromium: none is an accident.

Each is looked at on a desk in light and on a phone in the dark, is accessible, and fits.
"""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from monitor.adapters.charts import Artist
from monitor.adapters.db.store import SqlStore
from monitor.adapters.signing import LinkSigner
from monitor.domain.access import Role
from monitor.domain.message import Alert, AlertKind, MailState
from monitor.domain.run import JobState
from monitor.flow.begin import begin
from monitor.flow.review import issue_link
from monitor.web.app import create_app
from tests.browser.conftest import ANNA, RULES
from tests.core_scene import SetClock
from tests.nights import PLAN
from tests.review_scene import KEY
from tests.web.conftest import QUICK, context_of
from tests.web.people import PASSWORD
from tests.web.running import running
from tests.years import Size, write_years

NOW = datetime(2026, 11, 29, 1, 20, tzinfo=UTC)
VARIANTS = [(1200, "light"), (390, "dark")]
LEASE = timedelta(minutes=30)


class Board:
    """A running dashboard over a database of its own."""

    def __init__(self, file: Path, artist: Artist) -> None:
        self.url = f"sqlite:///{file}"
        self.store = SqlStore(self.url, SetClock(NOW))
        self.plan, self.signer = replace(PLAN, mail=replace(PLAN.mail, brand="Acme")), LinkSigner([KEY])
        behind: Any = SimpleNamespace(store=self.store, plan=self.plan, signer=self.signer, run=None)
        self.app = create_app(context_of(behind, charts=artist))
        self.base = ""
        self.link = ""

    def add(self, name: str, role: Role) -> None:
        """Add somebody who may sign in."""
        with self.store.write() as unit:
            unit.access.add_user(name, role, QUICK.hashed(PASSWORD))


@pytest.fixture(scope="module")
def first_day(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory, artist: Artist) -> Iterator[Board]:
    """Installed a minute ago: nobody can sign in, no night has run."""
    file = tmp_path_factory.mktemp("first") / "monitor.sqlite3"
    shutil.copyfile(migrated_sqlite, file)
    board = Board(file, artist)
    with running(board.app) as board.base:
        yield board
    board.store.close()


@pytest.fixture(scope="module")
def trouble(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory, artist: Artist) -> Iterator[Board]:
    """In the middle of a night: a shop failed, one waits, a mail is held, somebody stopped all writes."""
    file = tmp_path_factory.mktemp("trouble") / "monitor.sqlite3"
    shutil.copyfile(migrated_sqlite, file)
    board = Board(file, artist)
    catalogue = write_years(
        board.store,
        Size(products=12, competitors=4, rivals_each=3, nights=3, last=NOW.date() - timedelta(days=1)),
        PLAN,
    )
    run, _ = begin(board.store, board.plan, catalogue, origin="schedule", day=NOW.date())
    _under_way(board, run.id)
    board.add("anna", Role.APPROVER)
    board.add("vera", Role.VIEWER)
    with running(board.app) as board.base:
        yield board
    board.store.close()


def _under_way(board: Board, run_id: str) -> None:
    with board.store.write() as unit:
        jobs = unit.jobs.of_run(run_id)
        for job, state in zip(jobs, (JobState.DONE, JobState.FAILED), strict=False):
            claim = unit.jobs.claim(job.id, "w1", LEASE)
            assert claim is not None
            unit.jobs.start(claim, 1, "page", {"url": f"https://{job.key}.example/p/one"}, 1, LEASE)
            unit.jobs.finish(claim, 1, result={"outcome": "ok"}, error=None, requests=2, lease=LEASE)
            error = (
                "the shop's certificate is not valid for its name; nothing was asked of it"
                if state is JobState.FAILED
                else None
            )
            unit.jobs.end(claim, state, error)
        words = "Shop 02: the budget of 12 tool calls was spent with 3 watches unread. They come first tomorrow."
        unit.alerts.raise_once(Alert("budget", AlertKind.BUDGET, run_id, words, unit.now))
        unit.holds.throw(is_stopped=True, by="ben", reason="prices look odd")
        unit.mails.post(
            dedupe_key="report",
            run_id=run_id,
            recipient=ANNA,
            subject="[Acme] 7 price decisions, EUR 1240/wk at stake - Sat 28 Nov",
            content=b"mail",
            message_id="<1@acme>",
            not_before=unit.now,
        )
    long_ago = SqlStore(board.url, SetClock(NOW - timedelta(days=30)))
    with long_ago.write() as unit:
        link = issue_link(unit, board.plan.review, "nightly-2026-11-28", ANNA, None, signer=board.signer)
        board.link = link.url.removeprefix(board.plan.review.public_url)
    long_ago.close()
    with board.store.write() as unit:
        mail = unit.mails.claim(unit.mails.due(1)[0], LEASE)
        assert mail is not None
        unit.mails.close(mail, MailState.UNKNOWN, "mail.acme.example did not answer after it had the whole message")


@pytest.fixture(params=VARIANTS, ids=["desk-light", "phone-dark"])
def page(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Page]:
    width, theme = request.param
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=theme)
    yield context.new_page()
    context.close()


def _looked_at(page: Page, artefacts: Path, name: str) -> None:
    """Keep a picture, and find nothing that a person would stumble over."""
    width = page.viewport_size["width"] if page.viewport_size else 0
    page.screenshot(path=str(artefacts / f"{name}-{width}.png"), full_page=True)
    found: dict[str, Any] = Axe().run(page, options=RULES).response
    assert [f"{one['id']}: {node['html'][:160]}" for one in found["violations"] for node in one["nodes"]] == [], name
    assert page.evaluate("document.documentElement.scrollWidth") <= width, name
    assert page.locator("h1").count() == 1, name


def test_on_the_first_day_every_page_says_what_will_stand_there(first_day: Board, page: Page, artefacts: Path) -> None:
    for name in ("", "queue", "products", "competitors", "matches", "executions", "audit", "runs", "settings"):
        page.goto(f"{first_day.base}/{name}")
        _looked_at(page, artefacts, f"first-day-{name or 'tonight'}")


def _sign_in(page: Page, board: Board, name: str) -> None:
    page.goto(f"{board.base}/sign-in")
    page.fill("input[name=name]", name)
    page.fill("input[name=password]", PASSWORD)
    page.press("input[name=password]", "Enter")
    page.wait_for_url(f"{board.base}/")


def test_a_night_under_way_shows_its_progress_and_what_went_wrong(trouble: Board, page: Page, artefacts: Path) -> None:
    _sign_in(page, trouble, "anna")
    assert page.get_by_text("All writes are stopped.").is_visible()
    assert page.get_by_role("button", name="Send it again").is_visible()
    _looked_at(page, artefacts, "tonight-under-way")
    page.goto(f"{trouble.base}/queue")
    _looked_at(page, artefacts, "queue-stopped")
    page.goto(f"{trouble.base}/settings")
    _looked_at(page, artefacts, "settings-stopped")


def test_every_refusal_is_a_page_with_a_way_on(
    trouble: Board, page: Page, artefacts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.goto(trouble.base + trouble.link)
    _looked_at(page, artefacts, "error-link-over")
    _sign_in(page, trouble, "vera")
    page.goto(f"{trouble.base}/nothing/here")
    _looked_at(page, artefacts, "error-404")
    page.goto(f"{trouble.base}/queue")
    page.evaluate(
        "() => { const form = document.createElement('form'); form.method = 'post'; form.action = '/queue';"
        "document.body.append(form); form.submit(); }"
    )
    page.get_by_role("heading", name="Not for you to decide").wait_for()
    _looked_at(page, artefacts, "error-403")
    monkeypatch.setattr("monitor.web.status.durability", lambda _store: 1 / 0)
    answer = page.goto(trouble.base)
    assert answer is not None
    assert answer.status == 500
    _looked_at(page, artefacts, "error-500")

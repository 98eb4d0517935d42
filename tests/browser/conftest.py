"""Real Chromium over the dashboard of a brand that has used the monitor for a fortnight.

CI must have a browser (`.ci/run` installs one); elsewhere these tests are skipped when there is none.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright

from monitor.adapters.charts import Artist
from monitor.adapters.db.store import SqlStore
from monitor.adapters.signing import LinkSigner
from monitor.domain.access import Role
from monitor.domain.plan import MailPlan, NightPlan, ReviewPlan, Schedule, WritePlan
from monitor.flow.review import issue_link
from monitor.settings.sections import MonitorToml
from monitor.settings.shown import shown_settings
from monitor.web.app import create_app
from tests.core_scene import SetClock
from tests.review_scene import KEY
from tests.web.conftest import QUICK, context_of
from tests.web.people import PASSWORD
from tests.web.running import running
from tests.years import Size, write_years

#: What axe looks for: WCAG 2.2, levels A and AA.
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
NOW = datetime(2026, 11, 28, 8, tzinfo=UTC)
RUN = "nightly-2026-11-28"
ANNA = "anna@acme.example"
_NAMES = ("chromium", "chromium-browser", "google-chrome")
#: Nothing that reaches for a network, which there may be none of.
_ARGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every test here starts a browser."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.slow)


def _executable() -> str:
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)
    if found:
        return found
    if os.environ.get("CI"):
        pytest.fail("no Chromium was found; .ci/run installs it, or set CHROMIUM to its path")
    pytest.skip("no Chromium was found on this machine; install it, or set CHROMIUM to its path")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    executable = _executable()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=list(_ARGS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def artist() -> Iterator[Artist]:
    """The drawing process, which takes a second or two to start, shared by all."""
    artist = Artist(idle_s=300)
    yield artist
    artist.close()


@dataclass
class Brand:
    """A running dashboard and what is behind it."""

    base: str
    store: SqlStore
    plan: NightPlan
    link: str  #: the path of Anna's review link

    def waiting(self) -> list[str]:
        """Return the SKUs that wait for a decision."""
        with self.store.read() as unit:
            return [action.proposal.sku for action in unit.actions.pending()]


@pytest.fixture(scope="session")
def brand(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory, artist: Artist) -> Iterator[Brand]:
    file = tmp_path_factory.mktemp("brand") / "monitor.sqlite3"
    shutil.copyfile(migrated_sqlite, file)
    store, signer = SqlStore(f"sqlite:///{file}", SetClock(NOW)), LinkSigner([KEY])
    plan = NightPlan(
        schedule=Schedule(zone="Europe/Berlin"),
        mail=MailPlan(recipients=(ANNA,), sender="monitor@acme.example", brand="Acme"),
        review=ReviewPlan(),
        writes=WritePlan(enabled=True),
    )
    write_years(store, Size(products=60, competitors=4, rivals_each=3, nights=14), plan)
    with store.write() as unit:
        unit.access.add_user("anna", Role.ADMIN, QUICK.hashed(PASSWORD))
        link = issue_link(unit, plan.review, RUN, ANNA, None, signer=signer)
    shown = shown_settings(MonitorToml())
    behind: Any = SimpleNamespace(store=store, plan=plan, signer=signer, run=None)
    with running(create_app(context_of(behind, charts=artist, settings=shown))) as base:
        yield Brand(base, store, plan, link.url.removeprefix(plan.review.public_url))
    store.close()


@dataclass
class Window:
    """One browser window, and what went wrong in it."""

    brand: Brand
    page: Page
    artefacts: Path
    complaints: list[str] = field(default_factory=list)

    def go(self, path: str) -> Page:
        """Load a page of the dashboard."""
        answer = self.page.goto(self.brand.base + path)
        assert answer is not None
        assert answer.status == 200, path
        return self.page

    def sign_in(self) -> None:
        """Sign in as Anna by the form."""
        self.go("/sign-in")
        self.page.fill("input[name=name]", "anna")
        self.page.fill("input[name=password]", PASSWORD)
        self.page.press("input[name=password]", "Enter")
        self.page.wait_for_url(self.brand.base + "/")

    def shoot(self, name: str) -> None:
        """Keep a picture of the whole page."""
        self.page.screenshot(path=str(self.artefacts / f"{name}.png"), full_page=True)


@pytest.fixture(scope="session")
def artefacts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pictures are kept: MONITOR_SCREENSHOTS, else pytest's own folder."""
    named = os.environ.get("MONITOR_SCREENSHOTS")
    folder = Path(named) if named else tmp_path_factory.mktemp("screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


class Windows:
    """Opens windows and closes them after the test."""

    def __init__(self, browser: Browser, brand: Brand, artefacts: Path) -> None:
        self._browser, self._brand, self._artefacts = browser, brand, artefacts

    @contextmanager
    def open(
        self, *, width: int = 1200, height: int = 900, theme: Any = "light", scripts: bool = True
    ) -> Iterator[Window]:
        """Open a window that has never been here."""
        context: BrowserContext = self._browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=theme, java_script_enabled=scripts
        )
        window = Window(self._brand, context.new_page(), self._artefacts)
        window.page.on("console", lambda message: _note(window, message))
        window.page.on("pageerror", lambda error: window.complaints.append(str(error)))
        yield window
        context.close()
        assert window.complaints == []


def _note(window: Window, message: ConsoleMessage) -> None:
    if message.type in ("error", "warning"):
        window.complaints.append(f"{window.page.url}: {message.text}")


@pytest.fixture
def windows(browser: Browser, brand: Brand, artefacts: Path) -> Windows:
    return Windows(browser, brand, artefacts)

"""The manager's morning in real Chromium: from the mail's link to the price in the shop, by mouse and by keyboard."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal
from email import message_from_bytes, policy
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from monitor.adapters.charts import Artist
from monitor.adapters.db.store import SqlStore
from monitor.adapters.render import JinjaRenderer, Templates
from monitor.adapters.shops.price_file import PriceFile
from monitor.adapters.signing import LinkSigner
from monitor.domain.action import ActionState
from monitor.domain.money import Money
from monitor.domain.plan import NightPlan, ReviewPlan, WritePlan
from monitor.flow.report import report
from monitor.flow.review import issue_link
from monitor.flow.submit import submit_due
from monitor.resources import find_all
from monitor.web.app import create_app
from tests.core_scene import SetClock
from tests.flow.test_report import ANNA, TWO, Night
from tests.nights import BEGAN, RUN
from tests.review_scene import KEY
from tests.web.conftest import context_of
from tests.web.running import running

SKUS = ("TJ-40", "TJ-41", "TJ-42")


@dataclass
class Morning:
    """A night whose mail has been made, the shop, and the running web."""

    base: str
    store: SqlStore
    plan: NightPlan
    shop: PriceFile
    clock: SetClock
    mail: str  #: the plain text of Anna's mail

    @property
    def link(self) -> str:
        """The address that stands in the mail."""
        found = re.search(r"http\S+/a/\S+", self.mail)
        assert found is not None
        return found.group()

    def execute(self) -> None:
        """Let the executor run once."""
        self.clock.at += timedelta(seconds=1)
        submit_due(self.store, self.shop, self.plan, "worker", self.clock)

    def prices(self) -> dict[str, Decimal]:
        """Return what the shop charges."""
        return {sku: found.price.amount for sku, found in self.shop.prices().items()}

    def states(self) -> dict[str, ActionState]:
        """Return where each proposal is."""
        with self.store.read() as unit:
            return {one.proposal.sku: one.state for one in unit.actions.of_run(RUN)}


@pytest.fixture
def morning(own_sqlite_url: str, tmp_path: Path, artist: Artist) -> Iterator[Morning]:
    clock = SetClock(BEGAN)
    store, signer = SqlStore(own_sqlite_url, clock), LinkSigner([KEY])
    shop = PriceFile(tmp_path / "prices.csv", clock)
    behind: Any = type("Behind", (), {"store": store, "signer": signer, "run": None, "plan": TWO})()
    context = context_of(behind, charts=artist)
    app = create_app(context)
    with running(app) as base:
        plan = replace(
            TWO,
            review=ReviewPlan(public_url=base, large_change_pct=TWO.review.large_change_pct * 9),
            writes=WritePlan(enabled=True, undo_window=timedelta(0)),
        )
        object.__setattr__(context, "plan", plan)  # its address is known only now
        night = Night(store, clock, plan, renderer=JinjaRenderer(Templates(find_all("templates"))))
        night.collect(*SKUS)
        with store.read() as unit:
            proposals = [one.proposal for one in unit.actions.of_run(RUN)]
        shop.create((one.sku, Money(one.old_price, one.currency)) for one in proposals)
        issue = partial(issue_link, signer=signer)
        assert report(store, night.renderer, RUN, issue_link=issue, charts=artist)
        message = message_from_bytes(night.mails()[ANNA].content, policy=policy.default)
        text = message.get_body(("plain",))  # type: ignore[attr-defined]
        yield Morning(base, store, plan, shop, clock, text.get_content())
    store.close()


def _new_prices(morning: Morning) -> dict[str, Decimal]:
    with morning.store.read() as unit:
        return {one.proposal.sku: one.proposal.new_price for one in unit.actions.of_run(RUN)}


def _page(browser: Browser, **given: Any) -> Page:
    page = browser.new_context(**given).new_page()
    page.set_default_timeout(20_000)
    return page


@pytest.mark.parametrize(("width", "scripts"), [(1200, True), (390, False)])
def test_a_price_is_approved_by_mouse_and_reaches_the_shop_once(
    browser: Browser, morning: Morning, artefacts: Path, width: int, scripts: bool
) -> None:
    before, wanted = morning.prices(), _new_prices(morning)
    page = _page(browser, viewport={"width": width, "height": 800}, java_script_enabled=scripts)
    page.goto(morning.link)
    first, second, third = SKUS
    for sku, word in ((first, "Approve"), (second, "Reject")):
        page.locator("fieldset", has_text=sku).get_by_text(word, exact=True).click()
    page.get_by_role("button", name="Send decisions").click()
    page.get_by_text("Approved:").wait_for()
    page.screenshot(path=str(artefacts / f"morning-result-{width}-{scripts}.png"), full_page=True)

    morning.execute()
    assert morning.prices() == before | {first: wanted[first]}
    assert morning.states() == {
        first: ActionState.APPLIED,
        second: ActionState.REJECTED,
        third: ActionState.PENDING,
    }
    page.go_back()
    page.reload()
    page.get_by_text("1 price change to review").first.wait_for()
    morning.execute()
    assert morning.prices() == before | {first: wanted[first]}
    page.context.close()


def test_all_prices_are_approved_by_keyboard_alone(browser: Browser, morning: Morning) -> None:
    wanted = _new_prices(morning)
    page = _page(browser)
    page.goto(morning.link)
    for _ in range(200):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.name") == "all":
            break
    page.keyboard.press("Space")
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.type") == "submit":
            break
    page.keyboard.press("Enter")
    page.get_by_text("Approved:").first.wait_for()
    morning.execute()
    assert morning.prices() == wanted
    page.context.close()


def test_opening_the_link_over_and_over_decides_nothing(browser: Browser, morning: Morning) -> None:
    before = morning.prices()
    page = _page(browser)
    for _ in range(3):
        page.goto(morning.link)
    morning.execute()
    assert morning.prices() == before
    assert set(morning.states().values()) == {ActionState.PENDING}
    page.context.close()

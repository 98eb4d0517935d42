"""The morning mail as a person sees it: every width, light and dark, with its pictures and without."""

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from monitor.adapters.charts import Artist
from monitor.adapters.render import JinjaRenderer, Templates
from monitor.domain.picture import Chart, Form, comparables, mail_size, png_size, portfolio_tables, strip_tables
from monitor.domain.report import NightFacts, build
from monitor.domain.standing import Portfolio
from monitor.ports.messages import Picture
from monitor.resources import find_all
from tests.browser.conftest import RULES
from tests.nights import MADE, NIGHTS

#: A phone, a reading pane, a desk.
WIDTHS = (320, 600, 1200)


@dataclass(frozen=True)
class Link:
    url: str = "https://prices.acme.example/a/eyJyIjoibmlnaHRseS0yMDI2LTExLTI5IiwidiI6MX0.aSpkLw.9fYwq0r7bX2uVn4Kc1Tz"
    code: str = "482913"


@pytest.fixture(scope="module")
def drawn(artist: Artist) -> tuple[Picture, ...]:
    """The two pictures of a mail, drawn by the real child process."""
    facts = NIGHTS["full"]
    made = build(facts, now=MADE)
    by_id = {action.id: comparables(action) for action in facts.actions}
    rows = [(row, by_id[row.action_id] or _rivals(row.old_price)) for row in made.needs.rows]
    tables = {Chart.STRIP: strip_tables(rows), Chart.PORTFOLIO: portfolio_tables(_trend())}
    return tuple(
        Picture(chart.value, f"The {chart} chart in words.", *png_size(body), body)
        for chart, shown in tables.items()
        for width, height in [mail_size(chart, len(rows))]
        for body in [artist.draw(chart, shown, Form.PNG, width=width, height=height)]
    )


def _rivals(own: Decimal) -> tuple[tuple[str, Decimal], ...]:
    return (("Globex", own * Decimal("0.92")), ("Initech", own * Decimal("1.04")))


def _trend() -> list[tuple[date, Portfolio]]:
    return [
        (
            date(2026, 11, 1) + timedelta(days=day),
            Portfolio(40, 31, Decimal(101 + day % 5), None, Decimal(30 + day), Decimal(12), 2, 155, 120),
        )
        for day in range(28)
    ]


@pytest.fixture(scope="module")
def renderer() -> JinjaRenderer:
    return JinjaRenderer(Templates(find_all("templates")))


def _with_bodies(html: str, pictures: tuple[Picture, ...]) -> str:
    """Put the pictures where a mail program would, which a browser does not."""
    for one in pictures:
        html = html.replace(f"cid:{one.name}", f"data:image/png;base64,{base64.b64encode(one.body).decode()}")
    return html


@pytest.fixture(params=["light", "dark"])
def theme(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture
def page(browser: Browser, theme: Any) -> Iterator[Page]:
    """A window, after which nothing was asked of a network."""
    context = browser.new_context(color_scheme=theme)
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    yield page
    context.close()
    assert [url for url in asked if not url.startswith(("data:", "cid:"))] == []


def _html(renderer: JinjaRenderer, facts: NightFacts, pictures: tuple[Picture, ...]) -> str:
    made = build(facts, now=MADE)
    return renderer.mail(made, Link() if made.needs.total else None, pictures if made.needs.total else ()).html


@pytest.mark.timeout(180)
@pytest.mark.parametrize("night", ["full", "quiet", "partial"])
def test_a_mail_fits_and_is_readable_with_pictures_and_without(
    renderer: JinjaRenderer, drawn: tuple[Picture, ...], page: Page, artefacts: Path, night: str, theme: str
) -> None:
    html = _html(renderer, NIGHTS[night], drawn)
    for kind, shown in {"pictures": _with_bodies(html, drawn), "images-off": html}.items():
        page.set_content(shown)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            page.screenshot(path=str(artefacts / f"mail-{night}-{width}-{theme}-{kind}.png"), full_page=True)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (kind, width)
            assert _cut_off(page, width) == [], (kind, width)
            if night != "quiet":
                _assert_can_be_acted_on(page, width)
        _assert_pictures(page, are_on=kind == "pictures")
    assert _violations(page) == []


def _cut_off(page: Page, width: int) -> list[str]:
    """Return the words whose boxes end outside the window."""
    found: list[str] = page.evaluate(
        """(width) => [...document.querySelectorAll("td, th, p, h1, h2, a, img")]
        .filter((one) => one.getClientRects().length)
        .filter((one) => { const box = one.getBoundingClientRect(); return box.left < 0 || box.right > width + 0.5 })
        .map((one) => `${one.tagName} ${one.className} ${one.textContent.slice(0, 60)}`)""",
        width,
    )
    return found


def _assert_can_be_acted_on(page: Page, width: int) -> None:
    """The button and the code are there, large enough to be hit and read, and the whole button is the link."""
    button, cell = page.locator("td.button a"), page.locator("td.button")
    link, ground = button.bounding_box(), cell.bounding_box()
    assert link is not None
    assert ground is not None
    assert link["height"] >= 44
    assert link["width"] >= ground["width"] - 1
    assert page.locator(".code").inner_text() == Link.code
    code = page.locator(".code").bounding_box()
    assert code is not None
    assert code["height"] >= 18
    assert code["x"] + code["width"] <= width


def _assert_pictures(page: Page, *, are_on: bool) -> None:
    for picture in page.locator("td.picture img").all():
        assert picture.evaluate("(one) => one.complete && one.naturalWidth > 0") is are_on
        assert (picture.get_attribute("alt") or "").endswith("words.")


def _violations(page: Page) -> list[str]:
    found: dict[str, Any] = Axe().run(page, options=RULES).response
    return [f"{one['id']}: {node['html'][:160]}" for one in found["violations"] for node in one["nodes"]]


def test_the_words_of_a_mail_are_large_enough_to_read(renderer: JinjaRenderer, page: Page) -> None:
    page.set_viewport_size({"width": 320, "height": 900})
    page.set_content(_html(renderer, NIGHTS["full"], ()))
    small: list[str] = page.evaluate(
        """() => [...document.querySelectorAll("td, th, p, h1, h2, a, span, b")]
        .filter((one) => parseFloat(getComputedStyle(one).fontSize) < 14)
        .filter((one) => [...one.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim()))
        .map((one) => one.textContent.slice(0, 60))"""
    )
    assert small == []

"""Every page in real Chromium: accessible, complete without scripts, drawn under the content policy, phone width."""

import re
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.conftest import RULES, RUN, Brand, Window, Windows

#: Every page of the dashboard, and its state.
PAGES = {
    "tonight": "/",
    "queue": "/queue",
    "products": "/products",
    "nothing-found": "/products?q=nothing+like+it",
    "product": "/products/SKU-0001",
    "competitors": "/competitors",
    "competitor": "/competitors/shop-01",
    "matches": "/matches",
    "executions": "/executions",
    "audit": "/audit",
    "runs": "/runs",
    "settings": "/settings",
    "run": f"/runs/{RUN}",
    "job": f"/runs/{RUN}/jobs/shop-01",
    "account": "/account",
}


def _violations(window: Window) -> list[str]:
    found: dict[str, Any] = Axe().run(window.page, options=RULES).response
    return [f"{one['id']}: {node['html'][:160]}" for one in found["violations"] for node in one["nodes"]]


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("width", "theme"), [(1200, "light"), (390, "dark")])
def test_no_page_breaks_a_rule_of_wcag_or_is_wider_than_a_phone(
    windows: Windows, brand: Brand, width: int, theme: str
) -> None:
    broken, wide = {}, []
    with windows.open(theme=theme, width=width) as window:
        window.go("/sign-in")
        broken["sign-in"] = _violations(window)
        window.go(brand.link)
        broken["review"] = _violations(window)
        window.shoot(f"review-{width}-{theme}")
        window.sign_in()
        for name, path in PAGES.items():
            window.go(path)
            _until_drawn(window)
            broken[name] = _violations(window)
            window.shoot(f"{name}-{width}-{theme}")
            wide += [(name, narrow) for narrow in {width, min(width, 320)} if _spills(window, narrow)]
            window.page.set_viewport_size({"width": width, "height": 900})
    assert {name: found for name, found in broken.items() if found} == {}
    assert wide == []


def _spills(window: Window, width: int) -> bool:
    """Say whether a page has to be scrolled sideways in a window of this width."""
    window.page.set_viewport_size({"width": width, "height": 900})
    return bool(window.page.evaluate("document.documentElement.scrollWidth") > width)


def _until_drawn(window: Window) -> None:
    window.page.wait_for_selector("figure[data-chart]:not([data-drawn])", state="detached", timeout=60_000)


def test_without_scripts_every_chart_is_a_picture(windows: Windows) -> None:
    with windows.open(scripts=False) as window:
        window.sign_in()
        window.go("/products/SKU-0001")
        pictures = window.page.locator("figure[data-chart] img")
        assert pictures.count() == 2
        for picture in pictures.all():
            picture.scroll_into_view_if_needed()
            window.page.wait_for_load_state("networkidle")
            assert picture.evaluate("(one) => one.complete && one.naturalWidth") > 600
        window.shoot("product-without-scripts")


def test_the_history_answers_to_the_mouse(windows: Windows) -> None:
    with windows.open() as window:
        window.sign_in()
        window.go("/products/SKU-0001?days=30")
        _until_drawn(window)
        canvas = window.page.locator("figure[data-chart=history] canvas")
        box = canvas.bounding_box()
        assert box is not None
        tooltip = window.page.locator("#vg-tooltip-element.visible")
        for step in range(1, 120):
            window.page.mouse.move(box["x"] + box["width"] * (step % 12 + 1) / 14, box["y"] + 4 + step * 2.3)
            if tooltip.count():
                break
        told = tooltip.inner_text()
        assert "EUR" in told
        assert re.search(r"first seen\s+\d\d [A-Z][a-z]{2} \d{4}", told)
        window.shoot("product-tooltip")


def test_the_first_chart_is_seen_before_the_next_is_asked_for(windows: Windows) -> None:
    seen = "new MutationObserver((found) => found.forEach((one) => performance.mark(one.target.dataset.chart)))"
    with windows.open() as window:
        window.sign_in()
        window.page.add_init_script(f"{seen}.observe(document, {{ subtree: true, attributeFilter: ['data-drawn'] }})")
        window.go("/products/SKU-0001")
        _until_drawn(window)
        order = window.page.evaluate(
            "performance.getEntries().filter((one) => one.entryType == 'mark' || one.name.includes('/charts/'))"
            ".map((one) => one.name.replace(/.*charts.([a-z]+).*/, '$1 asked for'))"
        )
    assert order == ["history asked for", "history", "standing asked for", "standing"]

"""The dashboard over three weeks of nights: every page, what it leaves out, and that all of them tell the same."""

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import func, select, update

from monitor.adapters.db import schema
from monitor.adapters.db.store import SqlStore
from monitor.adapters.signing import LinkSigner
from monitor.domain.action import WriteState
from monitor.domain.catalogue import Catalogue, Competitor
from monitor.domain.extraction import Outcome
from monitor.domain.pacing import SHOPIFY_BUCKET
from monitor.domain.past import ShopNight
from monitor.domain.picture import Chart, Form, Tables, Theme
from monitor.domain.report.wording import clock, money, rate
from monitor.domain.run import JobKind, JobState, StepState
from monitor.ports.charts import ChartFailed
from monitor.settings.sections import MonitorToml
from monitor.settings.shown import shown_settings
from monitor.web.app import create_app
from monitor.web.dashboard.competitors import level_of, shop_page
from monitor.web.dashboard.learnt import learnt_of, set_platform
from tests.core_scene import SetClock
from tests.nights import PLAN
from tests.review_scene import KEY
from tests.web.conftest import TestClient, context_of
from tests.years import Size, write_years

NOW = datetime(2026, 11, 28, 8, tzinfo=UTC)


class Drawing:
    """Draws nothing, and remembers what it was asked for; drawing itself is tested with the real child process."""

    def __init__(self) -> None:
        self.asked: list[tuple[Chart, Tables, Theme]] = []
        self.is_broken = False

    def draw(
        self, chart: Chart, tables: Tables, form: Form, *, theme: Theme = Theme.LIGHT, width: int = 0, height: int = 0
    ) -> bytes:
        """Return an empty picture."""
        if self.is_broken:
            raise ChartFailed(chart, "no memory")
        self.asked.append((chart, tables, theme))
        return b"<svg xmlns='http://www.w3.org/2000/svg'/>"


@dataclass
class Board:
    """The dashboard and what is behind it."""

    client: Any
    store: SqlStore
    catalogue: Catalogue
    drawing: Drawing

    def page(self, path: str) -> str:
        """Return the text of a page that must be there, without tags."""
        answer = self.client.get(path)
        assert answer.status_code == 200, (path, answer.text)
        return " ".join(unescape(re.sub(r"<[^>]+>", " ", answer.text)).split())


def _board(store: SqlStore, catalogue: Catalogue) -> Board:
    drawing = Drawing()
    behind: Any = SimpleNamespace(store=store, plan=PLAN, signer=LinkSigner([KEY]), run=None)
    context = context_of(behind, begin=lambda _origin: pytest.fail("a page began a night"), charts=drawing)
    return Board(TestClient(create_app(context), base_url="http://localhost"), store, catalogue, drawing)


@pytest.fixture(scope="module")
def board(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Board]:
    file = shutil.copyfile(migrated_sqlite, tmp_path_factory.mktemp("years") / "monitor.sqlite3")
    store = SqlStore(f"sqlite:///{file}", SetClock(NOW))
    yield _board(store, write_years(store, Size(products=60, competitors=4, rivals_each=3, nights=21), PLAN))
    store.close()


@pytest.fixture
def first_day(own_sqlite_url: str) -> Iterator[Board]:
    store = SqlStore(own_sqlite_url, SetClock(NOW))
    yield _board(store, Catalogue((), (), ()))
    store.close()


PAGES = ("/", "/products", "/products/SKU-0001", "/competitors", "/competitors/shop-01", "/executions")


@pytest.mark.parametrize("path", PAGES)
def test_every_page_is_complete_without_scripts_and_loads_nothing_from_elsewhere(board: Board, path: str) -> None:
    answer = board.client.get(path)
    assert answer.status_code == 200
    assert "<h1" in answer.text
    assert not re.search(r"""(?:src|href|srcset)=["'](?:https?:)?//(?!shop-)""", answer.text)
    assert "<script>" not in answer.text
    assert " style=" not in answer.text
    assert "'unsafe" not in answer.headers["content-security-policy"]


@pytest.mark.parametrize("path", ["/", "/products", "/competitors", "/executions"])
def test_before_the_first_night_a_page_says_what_will_stand_there(first_day: Board, path: str) -> None:
    words = first_day.page(path)
    assert re.search(r"No run yet|No night has been decided|No competitor is known|Nothing has been approved", words)


@pytest.mark.parametrize(
    "path", ["/products/NOBODY", "/competitors/nobody", "/runs/nightly-2026-11-28/jobs/nobody", "/charts/nothing.svg"]
)
def test_what_is_not_there_is_not_found(board: Board, path: str) -> None:
    assert board.client.get(path).status_code == 404


def test_a_product_shows_the_figures_that_the_api_gives(board: Board) -> None:
    for sku in ("SKU-0001", "SKU-0007"):
        given = board.client.get(f"/api/products/{sku}/history").json()
        words = board.page(f"/products/{sku}")
        standing = given["standing"]
        assert f"{standing['index']} (the rivals' median is 100)" in words
        assert f"{standing['position']} of {standing['usable_offers'] + 1}" in words
        latest = {offer["seller"]: offer for offer in given["offers"]}
        for offer in (one for seller, one in latest.items() if seller):
            assert f"{offer['name']} {offer['price']} {offer['currency']}" in words
        row = next(line for line in _lines(board) if f" {sku} " in line)
        assert f"{standing['own']} EUR {standing['lowest']} EUR" in row


def test_the_api_looks_back_as_far_as_it_is_asked_and_refuses_what_it_cannot(board: Board) -> None:
    far, near = (board.client.get(f"/api/products/SKU-0001/history?days={days}").json() for days in (730, 3))
    assert (far["days"], near["days"]) == (730, 3)
    assert len(near["nights"]) < len(far["nights"])
    for days in (0, -5, 3651):
        assert board.client.get(f"/api/products/SKU-0001/history?days={days}").status_code == 422


def _lines(board: Board) -> list[str]:
    found: list[str] = []
    for page in (1, 2):
        text = board.client.get(f"/products?by=title&page={page}").text
        found += [
            " ".join(unescape(re.sub(r"<[^>]+>", " ", row)).split()) for row in re.findall(r"<tr>.*?</tr>", text, re.S)
        ]
    return found


def test_the_list_has_every_product_once_over_its_pages(board: Board) -> None:
    skus = re.findall(r"SKU-\d{4}", " ".join(_lines(board)))
    assert sorted(skus) == [product.sku for product in board.catalogue.products]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("q=SKU-0007", "1 product"),
        ("q=oak+mug", "product"),
        ("q=nothing+like+it", "No product is like that."),
        ("zone=red", "Red zone"),
        ("page=99999&by=rubbish&zone=rubbish", "Products"),
        ("q=%25%5F%00%E2%80%AE", "No product is like that."),
        ("page=-1&page=2", "60 products"),
    ],
)
def test_the_list_answers_whatever_it_is_asked(board: Board, query: str, words: str) -> None:
    assert words in board.page(f"/products?{query}")


def test_a_picture_is_drawn_of_the_tables_that_the_browser_gets(board: Board) -> None:
    for name, query in (("history", "?sku=SKU-0001&days=30"), ("standing", "?sku=SKU-0001"), ("portfolio", "")):
        told = board.client.get(f"/charts/{name}.json{query}").json()
        picture = board.client.get(f"/charts/{name}.svg{query}{'&' if query else '?'}theme=dark")
        assert picture.headers["content-type"] == "image/svg+xml"
        chart, tables, theme = board.drawing.asked[-1]
        assert (chart, theme) == (name, Theme.DARK)
        assert json.loads(json.dumps(tables)) == told
        assert any(told.values())


def test_a_chart_that_cannot_be_drawn_says_so_in_its_place(board: Board) -> None:
    board.drawing.is_broken = True
    try:
        answer = board.client.get("/charts/spread.svg")
    finally:
        board.drawing.is_broken = False
    assert answer.status_code == 503
    assert "could not be drawn" in answer.text


def test_the_run_page_shows_its_timeline_and_each_job_its_steps(board: Board) -> None:
    page = board.client.get("/runs/nightly-2026-11-28").text
    for competitor in board.catalogue.competitors:
        assert f"/runs/nightly-2026-11-28/jobs/{competitor.id}" in page
        assert competitor.name in board.page(f"/runs/nightly-2026-11-28/jobs/{competitor.id}")
    assert page.count("<rect") == len(board.catalogue.competitors)


def test_the_progress_of_a_run_that_has_ended_is_one_event(board: Board) -> None:
    answer = board.client.get("/api/runs/nightly-2026-11-28/events")
    assert answer.headers["content-type"].startswith("text/event-stream")
    kind, data = answer.text.strip().split("\n")
    assert kind == "event: end"
    assert json.loads(data.removeprefix("data: "))["run"] == "nightly-2026-11-28"
    assert board.client.get("/api/runs/nothing/events").status_code == 404


def test_files_are_served_with_their_version_and_compressed_when_asked(board: Board) -> None:
    page = board.client.get("/products/SKU-0001").text
    addresses = re.findall(r'(?:src|href)="(/static/[^"]+)"', page)
    assert {address.partition("?")[0].rpartition("/")[2] for address in addresses} == {
        "style.css",
        "vega.js",
        "charts.js",
    }
    for address in addresses:
        answer = board.client.get(address, headers={"Accept-Encoding": "gzip"})
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert answer.headers["content-encoding"] == "gzip"
        plain = board.client.get(address, headers={"Accept-Encoding": "identity"})
        assert plain.content == answer.content
    assert board.client.get("/static/nothing.js").status_code == 404
    assert board.client.get("/static/..%2Fstyle.css").status_code == 404


def test_the_settings_are_shown_with_where_they_come_from_and_without_secrets(board: Board) -> None:
    shown = shown_settings(
        MonitorToml.model_validate({"night": {"zone": "Europe/Berlin"}, "writes": {"enabled": True}})
    )
    behind: Any = SimpleNamespace(store=board.store, plan=PLAN, signer=LinkSigner([KEY]), run=None)
    client = TestClient(create_app(context_of(behind, settings=shown)), base_url="http://localhost")
    words = " ".join(unescape(re.sub(r"<[^>]+>", " ", client.get("/settings").text)).split())
    assert "zone Europe/Berlin monitor.toml" in words
    assert "at 02:00 default" in words
    assert "undo_window_s 120 default" in words
    assert "enabled true monitor.toml" in words
    assert "[writes] and [mail] count at once" in words


def test_a_held_reading_is_marked_in_the_chart_and_says_why(board: Board) -> None:
    rival = next(watch.competitor for watch in board.catalogue.watches if watch.sku == "SKU-0002")
    held = {"competitor": rival, "sku": "SKU-0002", "words": "ten times the price of the night before"}
    with board.store.writer.begin() as connection:
        job = {"run_id": "nightly-2026-11-28", "kind": JobKind.SYNTHESIS, "key": "", "state": JobState.DONE}
        number = connection.execute(
            schema.jobs.insert().returning(schema.jobs.c.id), job | {"run_at": NOW, "calls_limit": 0}
        ).scalar_one()
        step = {"job_id": number, "seq": 1, "fence": 1, "tool": "propose", "args": {}, "state": StepState.DONE}
        times = {"attempts": 1, "cost": 0, "started_at": NOW, "result": {"held": [held]}}
        connection.execute(schema.steps.insert(), step | times)

    drawn = board.client.get("/charts/history.json?sku=SKU-0002").json()["stretches"]
    name = next(one.name for one in board.catalogue.competitors if one.id == rival)
    assert [one["seller"] for one in drawn if one["kind"] == "held"] == [name]
    assert "held, feeds nothing: ten times the price of the night before" in board.page("/products/SKU-0002")


@pytest.mark.parametrize(
    ("state", "read", "asked", "level"),
    [
        (JobState.QUEUED, 0, 0, "open"),
        (JobState.RUNNING, 0, 0, "open"),
        (JobState.RUNNING, 0, 3, "bad"),
        (JobState.DONE, 9, 10, "good"),
        (JobState.DONE, 8, 10, "warn"),
        (JobState.LATE, 1, 10, "bad"),
        (JobState.FAILED, 0, 0, "bad"),
    ],
)
def test_a_shop_that_still_waits_is_not_called_good(state: JobState, read: int, asked: int, level: str) -> None:
    outcomes = {Outcome.OK: read, Outcome.FAILED: asked - read}
    one = ShopNight("r", NOW.date(), "shop", state, outcomes, 0, 12, 0, None, None, None)

    assert level_of(one, round(read * 100 / asked) if asked else 0) == level


def test_a_competitor_that_is_left_alone_says_so_and_how_long(board: Board) -> None:
    assert "Left alone" not in board.page("/competitors/shop-03")
    with board.store.write() as unit:
        unit.shops.cool("shop-03.example", NOW + timedelta(minutes=40), "it asked for 3600 s")
        unit.shops.cool(SHOPIFY_BUCKET, NOW + timedelta(minutes=20), "HTTP 430")
        unit.shops.learn("shop-04", "platform", {"name": "shopify", "evidence": [], "found_on": "2026-11-20"})

    assert "Left alone for 40 min more: it asked for 3600 s." in board.page("/competitors/shop-03")
    assert "Left alone for 20 min more: HTTP 430." in board.page("/competitors/shop-04")
    assert "Left alone" not in board.page("/competitors/shop-01")


def test_a_competitor_whose_feed_was_entered_is_said_to_be_asked_for_it() -> None:
    shop = Competitor("acme", "Acme", "https://acme.example")

    assert (set_platform(None), set_platform(shop)) == ("auto", "auto")
    assert set_platform(replace(shop, feed="https://acme.example/f.xml")) == "feed"
    assert learnt_of({}, "feed", "acme.example").facts == {"Platform": "feed, as competitors.toml says"}


def test_a_competitor_says_once_for_each_cause_what_helps(board: Board) -> None:
    page = shop_page(board.store, "shop-01")
    assert page is not None
    with board.store.write() as unit:
        seen = unit.observations.of_run(page.nights[0].path.rpartition("/")[2], "shop-01")
        for one in seen[:2]:
            unit.observations.record(replace(one, outcome=Outcome.FAILED, reason="tls", price=None))
        unit.observations.record(replace(seen[2], outcome=Outcome.SKIPPED_BUDGET, reason="budget", price=None))

    words = board.page("/competitors/shop-01")

    assert words.count("only the shop can put its certificate right") == 1
    assert "skipped for budget it comes first in the next night; raise tool_calls" in words


def test_a_competitor_shows_what_was_learnt_of_it_and_a_recipe_to_try(board: Board) -> None:
    assert "Platform not recognised; its pages are read one by one" in board.page("/competitors/shop-02")
    with board.store.write() as unit:
        seen = {
            "name": "shopify",
            "evidence": ["cdn.shopify.com"],
            "page": "https://shop-02.example/",
            "found_on": "2026-11-20",
        }
        suggested = {"price": ".tarif", "currency": "EUR"}
        fact = {
            "page": "https://shop-02.example/p",
            "price": "19.90 EUR",
            "recipe": suggested,
            "found_on": "2026-11-28",
        }
        unit.shops.learn("shop-02", "platform", seen)
        unit.shops.learn(
            "shop-02", "catalogue", {"platform": "shopify", "ids": {"sku:SKU-0001": "1", "sku:SKU-0002": "2"}}
        )
        unit.shops.learn("shop-02", "recipe", fact)
        unit.shops.learn("shop-02", "held:SKU-0001", {})

    words = board.page("/competitors/shop-02")

    assert "Platform shopify, found 2026-11-20, told by cdn.shopify.com" in words
    assert "the shop's own numbers of 2 watched products are known" in words
    assert "gave no price on 2026-11-28. If 19.90 EUR is right there" in words
    assert '[competitor.recipe] price = ".tarif" currency = "EUR"' in words
    assert "Held until accepted" not in words

    with board.store.write() as unit:
        unit.shops.learn("shop-02", "recipe", fact | {"found_on": "2026-11-27"})
    assert "[competitor.recipe]" not in board.page("/competitors/shop-02"), "the night after, the page had a price"


def test_a_price_that_was_written_after_the_night_is_our_price_now_and_its_margin_too(board: Board) -> None:
    with board.store.writer.begin() as connection:
        row = connection.execute(select(schema.writes).where(schema.writes.c.state == WriteState.APPLIED)).first()
        assert row is not None
        at = {"finished_at": NOW - timedelta(minutes=10)}
        connection.execute(update(schema.writes).where(schema.writes.c.id == row.id).values(at))
    product = next(one for one in board.catalogue.products if one.sku == row.sku)
    assert product.cost is not None
    margin = rate((row.target_price - product.cost) / row.target_price * 100)
    since = clock(at["finished_at"], PLAN.schedule.zone, seen_from=NOW)

    words = board.page(f"/products/{row.sku}")

    assert f"Our price {money(row.target_price, 'EUR')}, since {since}" in words
    assert f"Margin {margin}".replace("\u00a0", " ") in words.replace("\u00a0", " ")


def test_a_recipe_that_fails_is_told_where_one_looks_first(board: Board) -> None:
    """The state of a job says that it ended; what came of it stands beside, on the first page and on the shop's."""
    words = "the recipe's price selector '.now' matches nothing on the page"
    failing = (schema.observations.c.run_id == "nightly-2026-11-28", schema.observations.c.competitor == "shop-03")
    with board.store.writer.begin() as connection:
        failed = {"outcome": Outcome.NO_PRICE, "reason": "recipe_no_match", "words": words, "price": None}
        connection.execute(update(schema.observations).where(*failing).values(failed))
        count = connection.execute(select(func.count()).select_from(schema.observations).where(*failing)).scalar_one()
    told = f"{count} of {count} not read: {words}"

    first, page, job = board.page("/"), board.page("/competitors/shop-03"), board.client.get("/api/status").json()

    assert "nothing read" in first
    assert told in first
    assert told in [one["unread_words"] for one in job["run"]["jobs"]]
    assert page.count(words) == count
    assert "the recipe fails" in page
    assert "One box a night, the newest right" in page
    assert "failing, 0 of" in page

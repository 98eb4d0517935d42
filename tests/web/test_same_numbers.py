"""One night, told by mail, report page, dashboard, API and exports: every number of it is the same number.

The night is stored once; nothing is computed twice here. Each test takes the numbers from one place and looks for them
in the others.
"""

import csv
import io
import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from email import message_from_bytes, policy
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from openpyxl import load_workbook

from monitor.adapters.db.store import SqlStore
from monitor.adapters.render import JinjaRenderer
from monitor.adapters.signing import LinkSigner
from monitor.domain.plan import MailPlan, NightPlan, ReviewPlan, Schedule
from monitor.domain.report import Report
from monitor.domain.report.view import Row
from monitor.flow.report import report
from monitor.flow.review import issue_link
from monitor.web.app import create_app
from tests.core_scene import SetClock
from tests.nights import an_action
from tests.review_scene import KEY
from tests.web.conftest import TEMPLATES, TestClient, context_of
from tests.years import Size, write_years

NOW = datetime(2026, 11, 28, 3, tzinfo=UTC)
RUN = "nightly-2026-11-28"
ANNA = "anna@acme.example"


@dataclass
class Morning:
    """Everything that tells of one night."""

    client: Any
    report: Report  #: the stored view model
    html: str  #: words of the mail
    text: str
    page: str  #: words of the stored report page

    def words(self, path: str) -> str:
        """Return the words of a page."""
        answer = self.client.get(path)
        assert answer.status_code == 200, (path, answer.text)
        return _words(answer.text)

    def api(self, path: str) -> Any:
        """Return what the API answers."""
        answer = self.client.get(path)
        assert answer.status_code == 200, (path, answer.text)
        return answer.json()

    def export(self, kind: str) -> list[dict[str, str]]:
        """Return the rows of an export of the night, in which CSV, XLSX and JSON lines must agree on every cell."""
        table = self.client.get(f"/exports/{kind}.csv?run={RUN}").content.decode("utf-8-sig")
        lines = self.client.get(f"/exports/{kind}.jsonl?run={RUN}").text.splitlines()
        book = load_workbook(io.BytesIO(self.client.get(f"/exports/{kind}.xlsx?run={RUN}").content))
        names, *cells = list(book.active.values)
        rows = list(csv.DictReader(io.StringIO(table)))
        assert [list(row.values()) for row in rows] == [_texts(row) for row in cells]
        assert [list(row.values()) for row in rows] == [_texts(json.loads(line).values()) for line in lines]
        assert list(rows[0]) == list(names) == list(json.loads(lines[0]))
        return rows


def _texts(cells: Any) -> list[str]:
    """Return cells as CSV writes them."""
    return ["" if cell is None else str(cell) for cell in cells]


def _words(html: str) -> str:
    body = re.sub(r"<(style|head|script)\b.*?</\1>", " ", html, flags=re.S)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())


@pytest.fixture(scope="module")
def morning(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Morning]:
    file = shutil.copyfile(migrated_sqlite, tmp_path_factory.mktemp("morning") / "monitor.sqlite3")
    store, signer = SqlStore(f"sqlite:///{file}", SetClock(NOW)), LinkSigner([KEY])
    plan = NightPlan(
        schedule=Schedule(zone="Europe/Berlin"),
        mail=MailPlan(recipients=(ANNA,), sender="monitor@acme.example", brand="Acme"),
        review=ReviewPlan(),
    )
    catalogue = write_years(store, Size(products=140, competitors=4, rivals_each=3, nights=14), plan)
    with store.write() as unit:
        taken = {action.proposal.sku for action in unit.actions.of_run(RUN)}
        free = next(product for product in catalogue.products if product.sku not in taken)
        unit.actions.propose(an_action(free.sku, run_id=RUN).proposal)

    def issue(unit: Any, rules: ReviewPlan, run: str, to: str, due: datetime) -> Any:
        return issue_link(unit, rules, run, to, due, signer=signer)

    assert report(store, JinjaRenderer(TEMPLATES), RUN, issue_link=issue)
    with store.read() as unit:
        stored, (mail,) = unit.reports.get(RUN), unit.mails.of_run(RUN)
    assert stored is not None
    message: Any = message_from_bytes(mail.content, policy=policy.default)
    behind: Any = SimpleNamespace(store=store, plan=plan, signer=signer, run=None)
    yield Morning(
        client=TestClient(create_app(context_of(behind)), base_url="http://localhost"),
        report=Report.from_json(stored.model),
        html=_words(message.get_body(("html",)).get_content()),
        text=" ".join(message.get_body(("plain",)).get_content().split()),
        page=_words(stored.html),
    )
    store.close()


def test_the_night_has_something_of_everything_that_is_compared(morning: Morning) -> None:
    made = morning.report
    assert made.needs.total > 2
    assert made.market.total > 0
    assert made.place is not None
    assert made.trust.read > 100
    assert any(row.margin_after_pct is not None for row in made.needs.rows)


def test_the_figures_over_all_products_are_those_of_the_products_page(morning: Morning) -> None:
    place = morning.report.place
    assert place is not None
    products = morning.words("/products")
    assert f"Price index {place.index}" in products
    assert f"Lowest {place.lowest_pct} % of {place.compared} compared" in products
    assert f"Red zone {place.red_pct} %" in products
    assert f"Compared {place.compared} of {place.products} products" in products
    for told in (morning.html, morning.page, morning.text):
        assert f"Price index {place.index}" in told
        assert f"lowest on {_rate(place.lowest_pct)}" in told
        assert f"above the lowest on {_rate(place.red_pct)} of {place.compared} products" in told


def test_every_proposal_is_the_same_in_mail_page_queue_api_and_export(morning: Morning) -> None:
    needs = morning.report.needs
    exported = {int(row["id"]): row for row in morning.export("proposals")}
    given = {one["id"]: one for one in morning.api(f"/api/actions?run={RUN}&limit=1000")["actions"]}
    queue = morning.words("/queue")
    assert needs.total == len(needs.rows) + needs.more == len(exported) == len(given)
    for row in needs.rows:
        _assert_told(morning, row)
        assert _prices(exported[row.action_id]) == _prices(given[row.action_id]) == (row.old_price, row.new_price)
        assert exported[row.action_id]["currency"] == given[row.action_id]["currency"] == row.currency
        assert f"{row.new_price:.2f}" in queue
        if row.margin_after_pct is not None:
            assert f"{row.margin_after_pct} %" in queue


def _prices(row: Any) -> tuple[Decimal, Decimal]:
    return Decimal(row["old_price"]), Decimal(row["new_price"])


def _rate(value: Decimal | None) -> str:
    return f"{value} %"


def _assert_told(morning: Morning, row: Row) -> None:
    change = f"{row.old_price:.2f} → {row.new_price:.2f} {row.currency}"
    for told in (morning.html, morning.page):
        assert f"{row.title} {change}" in told
    assert f"{row.old_price:.2f}" in morning.text
    for told in (morning.html, morning.page, morning.text):
        assert row.why in told
        if row.margin_before_pct is not None:
            assert f"margin {row.margin_before_pct} % → {row.margin_after_pct} %" in told.replace("->", "→")


def test_how_much_was_read_is_the_same_in_mail_status_api_and_export(morning: Morning) -> None:
    trust = morning.report.trust
    counted = Counter(row["outcome"] for row in morning.export("observations"))
    given = morning.api(f"/api/runs/{RUN}")
    assert counted["ok"] + counted["unchanged"] == trust.read
    assert Counter(given["observations"]) == counted
    status = morning.words(f"/runs/{RUN}")
    assert given["readings"]["read"] == trust.read
    told = {one.words: one.count for one in trust.unread if one.words != "not reached"}
    assert {kind: count for kind, count in given["readings"].items() if kind != "read"} == told
    for kind, count in given["readings"].items():
        assert f"{kind} {count}" in status
    for told in (morning.html, morning.page, morning.text):
        assert f"{trust.read} / {trust.expected} watches read" in told
        assert f"{trust.competitors_ok} / {trust.competitors} competitors fine" in told


def test_the_count_of_proposals_is_the_same_everywhere(morning: Morning) -> None:
    total = morning.report.needs.total
    given = morning.api(f"/api/runs/{RUN}")["proposals"]
    listed = next(one for one in morning.api("/api/runs")["runs"] if one["run"] == RUN)["proposals"]
    assert sum(given.values()) == total
    assert listed in (given, total)
    assert f"{total} proposals," in morning.html
    assert f"{total} proposals" in morning.words("/")


def test_where_a_product_stands_is_the_same_on_page_list_and_api(morning: Morning) -> None:
    listed = " ".join(morning.words(f"/products?by=title&page={page}") for page in (1, 2, 3))
    for row in morning.report.needs.rows[:5]:
        standing = morning.api(f"/api/products/{row.sku}/history")["standing"]
        page = morning.words(f"/products/{row.sku}")
        assert standing["own"] in page
        assert f"{standing['index']} (the rivals' median is 100)" in page
        assert f"{row.sku} {standing['own']} {row.currency} {standing['lowest']} {row.currency}" in listed


def test_what_moved_is_what_the_exported_history_says(morning: Morning) -> None:
    rows = list(csv.DictReader(io.StringIO(morning.client.get("/exports/history.csv").content.decode("utf-8-sig"))))
    newest = {(row["sku"], Decimal(row["price"]), row["currency"]) for row in rows if row["first_run"] == RUN}
    for move in (one for one in morning.report.market.moves if one.before != one.now):
        assert (move.sku, move.now, move.currency) in newest
        for told in (morning.html, morning.page):
            assert f"{move.now:.2f} {move.currency}" in told

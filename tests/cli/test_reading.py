"""`monitor extract` prints the contract; `monitor check` explains."""

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from monitor.cli import reading
from monitor.domain.extraction import Hints, Outcome
from monitor.domain.page import FetchRules, Miss, MissReason, Page

URL = "https://shop.example/p/mug"
MUG = b"""<html lang="en-IE"><h1>Mug</h1><p class="price"><s>\xe2\x82\xac15.00</s> <b>\xe2\x82\xac12.5</b></p>
<button>Add to cart</button></html>"""
CONTRACT = [
    "outcome",
    "reason",
    "price",
    "currency",
    "list_price",
    "availability",
    "name",
    "brand",
    "sku",
    "gtin",
    "evidence",
]


@pytest.fixture
def app() -> typer.Typer:
    made = typer.Typer()
    reading.register(made)
    return made


@pytest.fixture
def mug(tmp_path: Path) -> Path:
    file = tmp_path / "mug.html"
    file.write_bytes(MUG)
    return file


class OneShop:
    """A fetcher that gives one answer and remembers what it was asked."""

    def __init__(self, answer: Page | Miss) -> None:
        self.answer, self.asked = answer, []

    def fetch(self, url: str, rules: FetchRules) -> Page | Miss:
        self.asked.append((url, rules))
        return self.answer


def a_page(body: bytes = MUG, status: int = 200) -> Page:
    return Page(URL, URL, status, {"content-type": "text/html; charset=utf-8"}, body, 1)


def test_extract_prints_exactly_the_contract_and_nothing_else(app, mug):
    result = CliRunner().invoke(app, ["extract", str(mug), "--url", URL, "--json"])
    facts = json.loads(result.stdout)

    assert result.exit_code == 0
    assert list(facts) == CONTRACT
    assert (facts["outcome"], facts["price"], facts["currency"], facts["list_price"]) == ("ok", "12.50", "EUR", "15.00")
    assert set(facts["evidence"][0]) == {"source", "text", "amount", "currency", "role", "verdict", "reason"}


def test_extract_ends_with_0_when_there_is_no_price(app, tmp_path):
    (tmp_path / "e.html").write_bytes(b"")
    result = CliRunner().invoke(app, ["extract", str(tmp_path / "e.html"), "--url", URL, "--json"])

    assert (result.exit_code, json.loads(result.stdout)["outcome"]) == (0, "no_price")


def test_check_shows_the_answer_every_candidate_and_a_recipe(app, mug):
    result = CliRunner().invoke(app, ["check", str(mug), "--url", URL], env={"COLUMNS": "200"})

    assert result.exit_code == 0
    for shown in (
        "12.50 EUR",
        "15.00",
        "chosen",
        "rejected",
        "struck through",
        "[competitor.recipe]",
        'currency = "EUR"',
    ):
        assert shown in result.stdout


def test_check_ends_with_1_when_a_page_gives_no_price_and_says_why(app, tmp_path):
    (tmp_path / "e.html").write_bytes(b"<p>hello</p>")
    result = CliRunner().invoke(app, ["check", str(tmp_path / "e.html"), "--url", URL])

    assert result.exit_code == 1
    assert "no_price" in result.stdout


@pytest.mark.parametrize(
    "arguments",
    [["check", "no-such-file.html"], ["check", "x", "--currency", "EURO"], ["extract", "none.html", "--url", URL]],
)
def test_wrong_usage_ends_with_2(app, arguments):
    assert CliRunner().invoke(app, arguments).exit_code == 2


@pytest.mark.parametrize("command", ["check", "extract"])
def test_help_has_an_example(app, command):
    assert f"Example: monitor {command}" in CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "200"}).stdout


def test_an_address_is_fetched_once_and_redirects_stay_on_its_site():
    shop = OneShop(a_page())
    checked = reading.read_target(URL, None, Hints(), lambda: shop)
    ((asked, rules),) = shop.asked

    assert (asked, rules.hosts, rules.allow_addresses) == (URL, ("shop.example",), frozenset())
    assert (checked.found.outcome, str(checked.found.price)) == (Outcome.OK, "12.5")


def test_a_loopback_shop_is_allowed_by_its_exact_address():
    assert reading.rules_for("http://127.0.0.1:8123/p/mug").allow_addresses == {"127.0.0.1:8123"}


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (Miss(URL, MissReason.DNS, "the name does not resolve", 1, False), Outcome.FAILED),
        (a_page(status=404), Outcome.NOT_FOUND),
    ],
)
def test_an_address_without_a_page_says_why(answer, outcome):
    checked = reading.read_target(URL, None, Hints(), lambda: OneShop(answer))

    assert checked.found.outcome is outcome
    assert checked.found.words

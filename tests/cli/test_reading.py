"""`monitor extract` prints the contract; `monitor check` explains."""

import json
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest
import typer
from rich.console import Console
from typer.testing import CliRunner

from monitor.cli import reading
from monitor.cli.visiting import known_of, rules_for
from monitor.domain.extraction import IN_PIECES, Evidence, Extraction, Hints, Outcome, Role, Verdict
from monitor.domain.page import FetchRules, Miss, MissReason, Page
from monitor.settings import create, load

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


@pytest.mark.parametrize("command", ["check", "extract"])
def test_what_a_page_says_steers_no_terminal(app, tmp_path, command):
    (tmp_path / "e.html").write_text(
        '<script type="application/ld+json">{"@type":"Product","name":"Mug \\u001b[2J\\u202e","offers":'
        '{"@type":"Offer","price":"9.50\\u001b[31m","priceCurrency":"EUR"}}</script>'
    )
    result = CliRunner().invoke(app, [command, str(tmp_path / "e.html"), "--url", URL])

    assert "Mug" in result.stdout
    assert not set(result.stdout) & set("\x1b\u202e")


def test_check_ends_with_1_when_a_page_gives_no_price_and_says_why(app, tmp_path):
    (tmp_path / "e.html").write_bytes(b"<p>hello</p>")
    result = CliRunner().invoke(app, ["check", str(tmp_path / "e.html"), "--url", URL])

    assert result.exit_code == 1
    assert "no_price" in result.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "no-such-file.html"],
        ["check", "x", "--currency", "EURO"],
        ["check", "x", "--language", "?"],
        ["extract", "none.html", "--url", URL],
    ],
)
def test_wrong_usage_ends_with_2(app, arguments):
    assert CliRunner().invoke(app, arguments).exit_code == 2


@pytest.mark.parametrize("command", ["check", "extract"])
def test_help_has_an_example(app, command):
    assert f"Example: monitor {command}" in CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "200"}).stdout


def a_config(tmp_path: Path, more: str = "") -> Path:
    """A config directory whose only competitor is the shop of URL."""
    home = tmp_path / "config"
    create(home)
    lines = f'[[competitor]]\nid = "shop"\nname = "Shop"\nbase_url = "https://shop.example"\n{more}'
    (home / "competitors.toml").write_text(lines, "utf-8")
    return home


def read(target, url, known, open_fetcher):
    """Read by the one thing that is known of an address."""
    (checked,) = reading.read_target(target, url, known, open_fetcher)
    return checked


def test_robots_txt_is_asked_first_and_then_the_page_once():
    shop = OneShop(a_page())
    checked = read(URL, None, known_of(URL, None, Hints()), lambda: shop)
    (robots, _), (asked, rules) = shop.asked

    assert (robots, asked) == ("https://shop.example/robots.txt", URL)
    assert (rules.hosts, rules.allow_addresses) == (("shop.example",), frozenset())
    assert rules.robots is not None, "redirects obey it too"
    assert (checked.found.outcome, str(checked.found.price)) == (Outcome.OK, "12.5")


def test_a_page_that_robots_txt_closes_is_not_asked_for():
    shop = OneShop(a_page(b"User-agent: *\nDisallow: /p/"))
    checked = read(URL, None, known_of(URL, None, Hints()), lambda: shop)

    assert len(shop.asked) == 1
    assert checked.found.outcome is Outcome.ROBOTS
    assert "robots.txt closes this page to us" in checked.found.words
    assert str(reading.hint_of(checked)).startswith("ask the shop whether it may be read")


def test_robots_txt_is_followed_to_another_host_as_at_night():
    shop = OneShop(a_page())
    read(URL, None, known_of(URL, None, Hints()), lambda: shop)
    (_, robots_rules), (_, page_rules) = shop.asked

    assert (robots_rules.any_host, page_rules.any_host) == (True, False)


def test_a_price_at_another_address_than_the_one_that_was_asked_for_is_none():
    home = replace(a_page(), final_url="https://shop.example/")
    checked = read(URL, None, known_of(URL, None, Hints()), lambda: OneShop(home))

    assert (checked.found.outcome, checked.found.price) == (Outcome.NOT_FOUND, None)
    assert "redirected to the shop's home page" in checked.found.words


def test_what_a_shop_shows_instead_of_a_page_is_called_as_at_night():
    closed = a_page(b"<title>Maintenance</title><h1>Maintenance</h1>")
    checked = read(URL, None, known_of(URL, None, Hints()), lambda: OneShop(closed))

    assert (checked.found.outcome, checked.found.reason) == (Outcome.FAILED, "maintenance")


def test_an_address_that_is_none_is_named_as_it_was_given():
    refused = Miss(
        f"{URL[:20]}/robots.txt", MissReason.REFUSED_URL, "'https://shop.example/robots.txt' is not", 0, False
    )
    checked = read(URL, None, known_of(URL, None, Hints()), lambda: OneShop(refused))

    assert checked.found.words == f"'{URL}' is not"


def test_a_robots_txt_that_is_itself_refused_is_mentioned_and_closes_nothing(capsys):
    shop = OneShop(a_page(status=403))
    checked = read(URL, None, known_of(URL, None, Hints()), lambda: shop)
    reading.explain(checked, Console(width=200))

    assert [url for url, _ in shop.asked] == ["https://shop.example/robots.txt", URL]
    assert "robots.txt itself is refused (HTTP 403); that closes nothing" in capsys.readouterr().out


def test_a_competitor_lends_what_is_set_for_it(tmp_path):
    more = 'currency = "SEK"\nlanguage = "sv"\n[competitor.recipe]\nprice = ".price b"\n'
    settings = load(a_config(tmp_path, more), {})
    (known,) = known_of(URL, settings, Hints())

    assert (known.hints.currency, known.hints.language, known.hints.recipe) == ("SEK", "sv", {"price": ".price b"})
    assert known.rules.accept_language == "sv"
    assert known.words == "competitor shop of competitors.toml, currency SEK, language sv, its recipe (price)"
    assert known_of(URL, settings, Hints(currency="EUR", language="de"))[0].hints.currency == "EUR"
    assert known_of("https://other.example/p", settings, Hints())[0].competitor is None


def test_a_shop_of_the_browser_is_checked_in_a_browser_and_its_robots_txt_is_not(tmp_path):
    settings = load(a_config(tmp_path, 'fetch = "browser"\nrequest_cap = 20\n'), {})
    (known,), shop = known_of(URL, settings, Hints()), OneShop(a_page())
    read(URL, None, (known,), lambda: shop)
    (_, robots), (_, page) = shop.asked

    assert (robots.browser, page.browser, page.max_requests) == (False, True, 20)
    assert page.deadline >= timedelta(seconds=30)
    assert 'its pages shown by a browser (fetch = "browser")' in known.words


SHELL = b"<html><title>Rope</title><h1>Rope</h1><div id='root'></div><script src='/app.js'></script></html>"


def test_a_plain_page_that_scripts_draw_has_a_hint_and_one_from_the_browser_another(tmp_path, capsys):
    (stranger,) = known_of(URL, None, Hints())
    checked = read(URL, None, (stranger,), lambda: OneShop(a_page(SHELL)))
    reading.explain(checked, Console(width=300))

    words = "the page looks drawn by scripts (scripts fill its empty element #root); if its price appears in a browser"
    assert words in capsys.readouterr().out
    settings = load(a_config(tmp_path, 'fetch = "browser"\n'), {})
    shown = read(URL, None, known_of(URL, settings, Hints()), lambda: OneShop(a_page(SHELL)))
    assert "scripts" not in str(reading.hint_of(shown))


SILENT = b"<title>Rope</title><main><h1>Rope</h1><p class=a>%s</p><button>Add to cart</button></main>"


def test_a_saved_page_of_unknown_address_is_no_front_page_and_has_a_recipe_as_hint(tmp_path):
    saved = tmp_path / "rope.html"
    saved.write_bytes(SILENT % b"123.41")

    checked = read(str(saved), None, known_of(URL, None, Hints()), lambda: OneShop(a_page(b"")))

    assert (checked.found.outcome, checked.found.reason) == (Outcome.NO_PRICE, "no_clear_price")
    assert str(reading.hint_of(checked)).endswith("name its element in a recipe: docs/recipes.md")


@pytest.mark.parametrize("answer", [a_page(status=404), a_page(status=403)])
def test_nothing_is_said_of_the_stock_of_a_page_that_was_not_read(answer, capsys):
    checked = read(URL, None, known_of(URL, None, Hints()), lambda: OneShop(answer))
    reading.explain(checked, Console(width=200))

    assert "availability" not in capsys.readouterr().out


def test_every_amount_is_shown_with_its_currency(mug, capsys):
    (known,) = known_of(URL, None, Hints())
    reading.explain(read(str(mug), URL, (known,), lambda: OneShop(a_page())), Console(width=200))

    assert "list price    15.00 EUR" in capsys.readouterr().out


@pytest.mark.parametrize("address", ["foo", "shop.example/p", "https://", "ftp://shop.example/p"])
@pytest.mark.parametrize("command", ["extract", "check"])
def test_an_address_that_is_none_is_refused_with_the_form_of_one(app, mug, address, command):
    ended = CliRunner().invoke(app, [command, str(mug), "--url", address], env={"COLUMNS": "200"})

    assert ended.exit_code == 2
    assert f"'{address}' is no address; write it as https://shop.example/products/mug" in ended.output


def test_a_directory_is_told_from_a_file_that_is_not_there(app, tmp_path):
    ended = CliRunner().invoke(app, ["check", str(tmp_path)], env={"COLUMNS": "300"})

    assert ended.exit_code == 2
    assert "is a directory; name the saved pages in it" in ended.output


def test_robots_txt_is_not_asked_when_the_competitor_ignores_it(tmp_path):
    settings = load(a_config(tmp_path, 'robots = "ignore"\nrobots_reason = "They agreed in writing."\n'), {})
    shop = OneShop(a_page())
    read(URL, None, known_of(URL, settings, Hints()), lambda: shop)

    assert [url for url, _ in shop.asked] == [URL]


def test_the_paths_that_a_competitor_refuses_and_allows_hold_for_a_check_too(tmp_path):
    shop = OneShop(a_page(b"User-agent: *\nDisallow: /p/"))
    allowing = load(a_config(tmp_path / "a", 'allow = ["/p/"]\nrobots_reason = "They agreed."\n'), {})
    read(URL, None, known_of(URL, allowing, Hints()), lambda: shop)
    assert [url for url, _ in shop.asked] == ["https://shop.example/robots.txt", URL]

    shop = OneShop(a_page(b""))
    refusing = load(a_config(tmp_path / "r", 'refuse = ["/p/"]\n'), {})
    (known,) = known_of(URL, refusing, Hints())
    checked = read(URL, None, (known,), lambda: shop)

    assert URL not in [url for url, _ in shop.asked]
    assert (checked.found.outcome, checked.found.reason) == (Outcome.ROBOTS, "refused_by_setting")
    assert "the paths that it refuses (/p/)" in (known.words or "")


def test_an_address_with_several_watches_is_asked_once_and_read_for_each(tmp_path, capsys):
    """The first of them was taken, and nothing said which: a price of the other variant looked wrong."""
    home = a_config(tmp_path)
    (home / "catalogue.csv").write_text("sku,title,price,currency\nS,Mug small,15.00,EUR\nL,Mug large,18.00,EUR\n")
    (home / "watches.csv").write_text(f"sku,competitor,url,their_sku\nS,shop,{URL},MUG-S\nL,shop,{URL},MUG-L\n")
    offers = [
        {"@type": "Offer", "sku": sku, "price": price, "priceCurrency": "EUR", "availability": "InStock"}
        for sku, price in (("MUG-S", "12.50"), ("MUG-L", "15.00"))
    ]
    product = json.dumps({"@context": "https://schema.org", "@type": "Product", "name": "Mug", "offers": offers})
    page = f'<h1>Mug</h1><script type="application/ld+json">{product}</script><button>Add to cart</button>'
    shop = OneShop(a_page(page.encode()))

    small, large = reading.read_target(URL, None, known_of(URL, load(home, {}), Hints()), lambda: shop)

    assert [url for url, _ in shop.asked] == ["https://shop.example/robots.txt", URL]
    assert (small.found.price, large.found.price) == (Decimal("12.50"), Decimal("15.00"))
    assert [reading._check_facts(each)["watch"] for each in (small, large)] == ["S", "L"]
    reading.explain(large, Console(width=200))
    assert "the watch of L" in capsys.readouterr().out


def test_check_says_what_the_configuration_lends(app, mug, tmp_path):
    home = a_config(tmp_path, 'currency = "EUR"\n')
    arguments = ["check", str(mug), "--url", URL, "--config", str(home)]
    shown = CliRunner().invoke(app, arguments, env={"COLUMNS": "200"})

    assert "known: competitor shop of competitors.toml, currency EUR" in shown.stdout
    assert json.loads(CliRunner().invoke(app, [*arguments, "--json"]).stdout)[0]["competitor"] == "shop"


def test_a_page_without_a_price_is_shown_with_recipes_for_its_amounts(tmp_path):
    body = b'<html><h1>Mug</h1><p class="a-price">EUR 12.50</p></html>'
    amount = Evidence("visible", "EUR 12.50", Decimal("12.50"), "EUR", Role.OTHER, Verdict.REJECTED, "not sure")
    found = Extraction(Outcome.NO_PRICE, "undecided", "No price.", evidence=(amount, amount))
    (suggested,) = reading.recipes(reading.Checked(URL, URL, body, "text/html", found))

    words, recipe = suggested
    assert words == "if 12.50 EUR is the price, a recipe to start from:"
    assert recipe == {"price": ".a-price", "currency": "EUR"}


def test_a_recipe_that_fails_is_answered_with_one_that_reads_the_page(tmp_path, capsys):
    """The documentation sends people here with it, and nothing but its own words was shown."""
    home = a_config(tmp_path, '[competitor.recipe]\nprice = ".gone"\n')

    checked = read(URL, None, known_of(URL, load(home, {}), Hints()), lambda: OneShop(a_page()))
    reading.explain(checked, Console(width=200))
    shown = capsys.readouterr().out

    assert checked.found.reason == "recipe_no_match"
    assert "correct its recipe in competitors.toml, or take it out" in shown
    assert "without its recipe the page is read as 12.50 EUR; one that reads this too:" in shown
    assert [recipe for _, recipe in reading.recipes(checked)] == [
        {"price": ".price b", "currency": "EUR", "list_price": ".price"}
    ]


def test_a_price_in_pieces_has_no_recipe_and_says_why():
    """A recipe reads the text of one element: for `€ <b>149</b><b>9</b>` one that reads 149 was proposed."""
    answer = a_page(SILENT.replace(b"<p class=a>%s</p>", b"<p class=buy>&euro; <b>149</b><b>9</b></p>"))

    checked = read(URL, None, known_of(URL, None, Hints()), lambda: OneShop(answer))

    assert checked.found.reason == IN_PIECES
    assert list(reading.recipes(checked)) == []
    assert "a recipe reads the text of one element" in str(reading.hint_of(checked))


def test_a_loopback_shop_is_allowed_by_its_exact_address():
    assert rules_for("http://127.0.0.1:8123/p/mug").allow_addresses == {"127.0.0.1:8123"}


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (Miss(URL, MissReason.DNS, "the name does not resolve", 1, False), Outcome.FAILED),
        (a_page(status=404), Outcome.NOT_FOUND),
    ],
)
def test_an_address_without_a_page_says_why(answer, outcome):
    checked = read(URL, None, known_of(URL, None, Hints()), lambda: OneShop(answer))

    assert checked.found.outcome is outcome
    assert checked.found.words

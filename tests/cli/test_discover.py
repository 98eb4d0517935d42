# ruff: noqa: F811 - config and run are fixtures
"""`monitor discover` as a person uses it, against a shop on loopback."""

import re
import threading
import time

import pytest

from monitor.settings import load
from tests.catalogue_scene import CatalogueShop, Served
from tests.cli.test_setup import config, run  # noqa: F401 - fixtures

pytestmark = pytest.mark.slow


@pytest.fixture
def shop():
    with Served(CatalogueShop("woocommerce", 230)) as served:
        yield served


@pytest.fixture
def configured(config, run, shop, tmp_path):
    """A config directory with that competitor and three products of ours."""
    table = f'[[competitor]]\nid = "rival"\nbase_url = "{shop.shop.origin}{shop.shop.path(0)}"\n'
    table += f'platform = "woocommerce"\ndelay_s = 0\nallow_addresses = ["{shop.address}"]\n'
    (config / "competitors.toml").write_text(table)
    (config / "watches.csv").write_text("competitor,sku,url\n")
    products = "sku,title,price\nT-7,Thing,10.00\nT-9,Other,20.00\nMINE,Thing 12,30.00\n"
    (tmp_path / "products.csv").write_text(products)
    run("catalogue", "import", tmp_path / "products.csv", "--config", config)
    return config


def test_proposals_are_listed_written_and_taken_by_watches_import(configured, run, shop, tmp_path):
    found = run("discover", "rival", "--config", configured, "--json", "--csv", tmp_path / "found.csv").facts

    assert (found["platform"], found["source"], found["complete"], found["calls"]) == ("woocommerce",) * 2 + (True, 3)
    assert len(found["products"]) == 230
    assert found["products"][7] == {
        "url": f"{shop.shop.origin}/p/thing-7/",
        "name": "Thing 7",
        "variant": None,
        "their_sku": "T-7",
        "their_gtin": None,
        "price": "10.07",
        "currency": "EUR",
        "list_price": None,
        "availability": "in_stock",
    }
    assert [(one["sku"], one["by"], one["match"]) for one in found["proposed"]] == [
        ("T-7", "sku", "suggested"),
        ("T-9", "sku", "suggested"),
    ]

    taken = run("watches", "import", tmp_path / "found.csv", "--config", configured)

    assert taken.code == 0
    assert {watch.sku: watch.match.value for watch in load(configured).catalogue.watches} == {
        "T-7": "suggested",
        "T-9": "suggested",
    }
    again = run("discover", "rival", "--config", configured)
    assert "0 watches proposed, 2 of the products found are watched already." in again.out


@pytest.mark.parametrize("option", ["--csv", "--products"])
def test_a_file_that_cannot_be_written_is_named_with_its_option(configured, run, tmp_path, option):
    ended = run("discover", "rival", "--config", configured, option, tmp_path / "nowhere" / "found.csv")

    assert ended.code == 2
    assert f"cannot be written (No such file or directory); name another file with {option}" in ended.err


def test_every_product_can_be_handed_to_match_suggest(configured, run, tmp_path):
    run("discover", "rival", "--config", configured, "--products", tmp_path / "all.csv")

    told = run("match", "suggest", tmp_path / "all.csv", "--competitor", "rival", "--config", configured, "--json")

    assert told.code == 0


def test_matches_are_suggested_from_what_the_shop_itself_sells(configured, run, shop):
    told = run("match", "suggest", "--competitor", "rival", "--config", configured, "--json")

    assert (told.code, told.facts["listings"], told.facts["notes"]) == (0, 230, [])
    assert told.facts["new"] == 1
    (pair,) = run("match", "list", "--config", configured, "--json").facts["matches"]
    assert (pair["sku"], pair["url"], pair["state"]) == ("MINE", f"{shop.shop.origin}/p/thing-12/", "suggested")
    assert pair["their_price"] == "10.12"


def test_a_look_for_matches_keeps_the_budget_and_says_what_it_did_not_see(configured, run):
    ended = run("match", "suggest", "--competitor", "rival", "--calls", "1", "--config", configured)

    assert "100 listings of rival" in ended.out
    assert "note: rival: not everything it sells was seen (1 tool call" in ended.err
    assert ended.code == 0


def test_the_budget_is_kept_and_told(configured, run):
    ended = run("discover", "rival", "--calls", "1", "--config", configured)

    assert "100 products found in its woocommerce catalogue, not all of them." in ended.out
    assert "1 tool call and" in ended.err
    assert ended.code == 0


def test_a_shop_without_products_is_a_problem_with_its_reason(configured, run, shop):
    shop.shop.broken["/"] = 404

    ended = run("discover", "rival", "--config", configured)

    assert ended.code == 1
    assert "nothing was found" in ended.err
    assert "robots.txt names no sitemap, and none lies at /sitemap.xml or /sitemap_index.xml" in ended.err


def test_of_a_shop_that_is_known_by_its_sitemap_no_price_is_spoken_of(configured, run, shop):
    """ "no price" stood behind every product of it, although a sitemap could not name one."""
    place, said = f"{shop.shop.origin}/p/rope", shop.shop.respond
    sitemap = f"<urlset><url><loc>{place}</loc></url></urlset>".encode()
    shop.shop.respond = lambda method, target, body=b"": (
        (200, {"Content-Type": "application/xml"}, sitemap) if target == "/sitemap.xml" else said(method, target, body)
    )
    table = (configured / "competitors.toml").read_text()
    (configured / "competitors.toml").write_text(table.replace('"woocommerce"', '"pages"'))

    ended = run("discover", "rival", "--config", configured)

    assert f"  rope  {place}\n" in ended.out
    assert "1 product found in its sitemap, all of them." in ended.out


def test_what_is_asked_is_said_and_a_shop_that_lets_answers_drip_is_left_after_the_second(configured, run, shop):
    """With every answer at its own deadline a look took minutes, without a word."""
    settings = re.sub(r"page_deadline_s = \d+", "page_deadline_s = 1", (configured / "monitor.toml").read_text())
    (configured / "monitor.toml").write_text(settings)
    table = (configured / "competitors.toml").read_text()
    (configured / "competitors.toml").write_text(table.replace('"woocommerce"', '"auto"'))
    said, over = shop.shop.respond, threading.Event()
    shop.shop.respond = lambda method, target, body=b"": (
        said(method, target, body) if target == "/robots.txt" else (over.wait(20), (200, {}, b""))[1]
    )

    begun = time.monotonic()
    ended = run("discover", "rival", "--config", configured)
    took = time.monotonic() - begun
    over.set()

    assert took < 8
    asked = [line.removeprefix("  asking ") for line in ended.err.splitlines() if line.startswith("  asking ")]
    assert asked == [
        f"{shop.shop.origin}/robots.txt",
        f"{shop.shop.origin}/p/thing-0 (tool call 1 of 12)",
        f"{shop.shop.origin}/sitemap.xml (tool call 2 of 12)",
    ]
    assert "had not answered completely after 1 s, as an answer before it was; nothing more was asked" in ended.err


def test_an_unknown_competitor_is_named_with_the_nearest(configured, run):
    ended = run("discover", "rivals", "--config", configured)

    assert ended.code == 2
    assert "Did you mean 'rival'?" in ended.err

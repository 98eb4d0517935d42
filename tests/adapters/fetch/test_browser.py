"""Pages that scripts make, in a real Chromium whose every connection goes through our guard."""

import os
import re
import subprocess
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from monitor.adapters.fetch import HttpFetcher
from monitor.adapters.fetch.browser import BrowserFetcher
from monitor.adapters.fetch.chromium import BrowserLimits, executable
from monitor.adapters.fetch.memory import resident_bytes, tree_of
from monitor.adapters.http import Client
from monitor.domain.page import FetchRules, Miss, MissReason, Page
from monitor.domain.robots import RobotsKind, RobotsVerdict
from tests.rawshop import RawShop, answer, moved

pytestmark = pytest.mark.slow

SCRIPT = b"""fetch('/api/price').then(r => r.json()).then(p => {
  document.querySelector('#root').innerHTML = '<h1>Rope 60</h1><p class="price">' + p.price + ' EUR</p>'
    + '<img src="/rope.png"><link rel="stylesheet" href="/late.css">';
});"""
SHELL = b"""<!doctype html><html><head><title>Rope</title><link rel="stylesheet" href="/style.css">
<link rel="preload" as="font" href="/font.woff2" crossorigin></head><body><div id="root"></div>
<img src="/logo.png"><script src="/app.js"></script>
<script src="http://127.0.0.1:1/tracker.js"></script><script src="http://169.254.169.254/latest/meta-data/"></script>
<video src="/film.mp4"></video></body></html>"""


@pytest.fixture(scope="module")
def browser() -> Iterator[BrowserFetcher]:
    made = BrowserFetcher("pricebot/1.0 (+https://brand.example/bot)")
    yield made
    made.close()


def rules(shop: RawShop, **changes: object) -> FetchRules:
    usual = {
        "hosts": (shop.authority,),
        "allow_addresses": frozenset({shop.authority}),
        "deadline": timedelta(seconds=30),
        "max_requests": 24,
    }
    return FetchRules(**usual | changes)  # type: ignore[arg-type]


def asked(shop: RawShop) -> list[str]:
    return [request.split(b" ", 2)[1].decode() for request in shop.requests]


def script_shop(shop: RawShop) -> None:
    shop.routes["/p"] = answer(SHELL)
    shop.routes["/app.js"] = answer(SCRIPT, headers={"Content-Type": "text/javascript"})
    shop.routes["/api/price"] = answer(b'{"price": "149.00"}', headers={"Content-Type": "application/json"})


def missed(got: Page | Miss) -> Miss:
    assert isinstance(got, Miss), got
    return got


def test_a_page_that_scripts_make_comes_as_they_left_it_and_nothing_else_is_loaded(
    browser: BrowserFetcher, shop: RawShop
) -> None:
    script_shop(shop)
    got = browser.fetch(shop.url("/p"), rules(shop, accept_language="de-AT"))

    assert isinstance(got, Page), got
    assert b'<p class="price">149.00 EUR</p>' in got.body
    assert (got.status, got.content_type, got.final_url) == (200, "text/html; charset=utf-8", shop.url("/p"))
    assert sorted(asked(shop)) == ["/api/price", "/app.js", "/p"]  # no image, style, font or film
    assert got.requests == 3
    head = shop.requests[0].lower()
    assert b"user-agent: pricebot/1.0 (+https://brand.example/bot)" in head
    assert b"accept-language: de-at" in head


def test_the_requests_of_a_visit_are_the_most_that_leave(browser: BrowserFetcher, shop: RawShop) -> None:
    script_shop(shop)
    got = browser.fetch(shop.url("/p"), rules(shop, max_requests=2))

    assert isinstance(got, Page), got
    assert b"149.00" not in got.body
    assert len(shop.requests) == 2


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://127.0.0.1:{other}/", MissReason.REFUSED_URL),
        ("http://localhost/", MissReason.REFUSED_ADDRESS),
        ("http://169.254.169.254/latest/meta-data/", MissReason.REFUSED_ADDRESS),
        ("http://[::1]/", MissReason.REFUSED_ADDRESS),
        ("http://2130706433/", MissReason.REFUSED_ADDRESS),
        ("https://10.0.0.1/", MissReason.REFUSED_ADDRESS),
    ],
)
@pytest.mark.parametrize("how", ["asked", "redirected"])
def test_no_address_of_our_own_network_is_reached(
    url: str, reason: MissReason, how: str, browser: BrowserFetcher, shop: RawShop
) -> None:
    """Hosts are opened as wide as they go, so that only the addresses are judged."""
    with RawShop() as other:
        to = url.replace("{other}", str(other.port))
        hosts = (shop.authority, "localhost", "169.254.169.254", "::1", "127.0.0.1", "2130706433", "10.0.0.1")
        shop.routes["/p"] = moved(to)
        got = missed(browser.fetch(to if how == "asked" else shop.url("/p"), rules(shop, hosts=hosts)))
        assert other.connections == 0

    assert got.reason in (reason, MissReason.REFUSED_ADDRESS, MissReason.BROWSER), got.words


def test_a_redirect_to_another_shop_is_not_followed(browser: BrowserFetcher, shop: RawShop) -> None:
    with RawShop() as other:
        shop.routes["/p"] = moved(other.url("/q"))
        allowed = frozenset({shop.authority, other.authority})
        got = missed(browser.fetch(shop.url("/p"), rules(shop, allow_addresses=allowed)))
        assert other.connections == 0

    assert got.reason is MissReason.REDIRECTED_AWAY


def test_robots_txt_holds_where_scripts_lead(browser: BrowserFetcher, shop: RawShop) -> None:
    robots = RobotsVerdict(RobotsKind.RULES, "read", "User-agent: *\nDisallow: /closed")
    shop.routes["/p"] = answer(b"<script>location = '/closed'</script>")
    browser.fetch(shop.url("/p"), rules(shop, robots=robots))

    assert asked(shop) == ["/p"]


def test_a_script_without_end_is_ended_at_the_deadline_and_the_next_page_comes(
    browser: BrowserFetcher, shop: RawShop
) -> None:
    script_shop(shop)
    shop.routes["/loop"] = answer(b"<h1>x</h1><script>while (true) {}</script>")
    started = time.monotonic()
    got = missed(browser.fetch(shop.url("/loop"), rules(shop, deadline=timedelta(seconds=4))))
    assert got.reason is MissReason.DEADLINE
    assert time.monotonic() - started < 60

    again = browser.fetch(shop.url("/p"), rules(shop))
    assert isinstance(again, Page), again
    assert b"149.00 EUR" in again.body


def test_a_page_that_eats_memory_is_ended(shop: RawShop) -> None:
    shop.routes["/p"] = answer(
        b"<script>const kept=[]; setInterval(() => kept.push(new Uint8Array(2e7).fill(7)), 5)</script>"
    )
    frugal = BrowserFetcher("pricebot/1.0", BrowserLimits(memory_bytes=900_000_000))
    try:
        got = missed(frugal.fetch(shop.url("/p"), rules(shop)))
    finally:
        frugal.close()

    assert got.reason in (MissReason.TOO_LARGE, MissReason.BROWSER), got.words


# --- a browser that runs already --------------------------------------------------------------------------------


@pytest.fixture
def running(tmp_path: Path) -> Iterator[str]:
    """A Chromium that somebody else started, by the address of its DevTools."""
    flags = ["--headless=new", "--remote-debugging-port=0", f"--user-data-dir={tmp_path}", "--no-first-run"]
    flags += ["--no-sandbox"] if os.geteuid() == 0 else []
    with subprocess.Popen([executable(""), *flags, "about:blank"], stderr=subprocess.PIPE, text=True) as chromium:
        assert chromium.stderr is not None
        said = (re.search(r"listening on (ws://\S+)", line) for line in chromium.stderr)
        yield next(found.group(1) for found in said if found)
        chromium.terminate()


def test_a_browser_that_runs_already_shows_pages_under_the_same_rules(running: str, shop: RawShop) -> None:
    """Its own network is not ours to set up, so that each visit brings the guarded way out with it."""
    script_shop(shop)
    joined = BrowserFetcher("pricebot/1.0 (+https://brand.example/bot)", BrowserLimits(url=running))
    try:
        got = joined.fetch(shop.url("/p"), rules(shop))
        loaded = sorted(asked(shop))
        with RawShop() as other:
            shop.routes["/q"] = moved(other.url("/secret"))
            hosts = (shop.authority, other.authority, "169.254.169.254")
            away = missed(joined.fetch(shop.url("/q"), rules(shop, hosts=hosts)))
            metadata = missed(joined.fetch("http://169.254.169.254/latest/", rules(shop, hosts=hosts)))
            assert other.connections == 0
    finally:
        joined.close()

    assert isinstance(got, Page), got
    assert b'<p class="price">149.00 EUR</p>' in got.body
    assert loaded == ["/api/price", "/app.js", "/p"]  # no image, style, font or film
    assert b"user-agent: pricebot/1.0 (+https://brand.example/bot)" in shop.requests[0].lower()
    assert away.reason in (MissReason.REFUSED_URL, MissReason.BROWSER), away.words
    assert metadata.reason is MissReason.REFUSED_ADDRESS, metadata.words


def test_nothing_is_left_of_a_browser_that_was_closed(shop: RawShop) -> None:
    script_shop(shop)
    made = BrowserFetcher("pricebot/1.0")
    assert isinstance(made.fetch(shop.url("/p"), rules(shop)), Page)
    root = made.root_pid
    assert root is not None
    assert resident_bytes(root) > 10_000_000
    made.close()

    assert resident_bytes(root) == 0
    assert tree_of(root) == [root]


def test_a_browser_that_is_not_there_is_named(shop: RawShop) -> None:
    missing = BrowserFetcher("pricebot/1.0", BrowserLimits(executable="/nowhere/chromium"))
    got = missed(missing.fetch(shop.url("/p"), rules(shop)))
    missing.close()

    assert got.reason is MissReason.BROWSER
    assert "/nowhere/chromium is no program; install one, or name it in monitor.toml: browser.executable" in got.words


def test_the_fetcher_of_the_night_shows_a_page_in_a_browser_where_its_rules_say_so(shop: RawShop) -> None:
    script_shop(shop)
    client = Client()
    fetcher = HttpFetcher(client, "pricebot/1.0")
    try:
        plain = fetcher.fetch(shop.url("/p"), rules(shop))
        shown = fetcher.fetch(shop.url("/p"), rules(shop, browser=True))
    finally:
        fetcher.close()
        client.close()

    assert isinstance(plain, Page)
    assert isinstance(shown, Page)
    assert (b"149.00" in plain.body, b"149.00" in shown.body) == (False, True)

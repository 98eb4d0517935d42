"""A Chromium that ends, is killed or is led about: the next page comes, and nobody is reached who should not be."""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator
from datetime import timedelta

import pytest

from monitor.adapters.fetch import browser as life
from monitor.adapters.fetch.browser import BrowserFetcher
from monitor.adapters.fetch.memory import end_tree, resident_bytes, tree_of
from monitor.domain.answer import classify
from monitor.domain.extraction import Outcome
from monitor.domain.page import FetchRules, Miss, MissReason, Page
from tests.rawshop import RawShop, answer, moved

pytestmark = pytest.mark.slow

PRICE = b"<h1>Rope</h1><p id=p></p><script>document.getElementById('p').textContent = '149.00 EUR'</script>"


def rules(shop: RawShop, **changes: object) -> FetchRules:
    usual = {
        "hosts": (shop.authority,),
        "allow_addresses": frozenset({shop.authority}),
        "deadline": timedelta(seconds=20),
        "max_requests": 8,
    }
    return FetchRules(**usual | changes)  # type: ignore[arg-type]


@pytest.fixture
def browser() -> Iterator[BrowserFetcher]:
    made = BrowserFetcher("pricebot/1.0")
    yield made
    made.close()


@pytest.fixture(scope="module")
def shared() -> Iterator[BrowserFetcher]:
    made = BrowserFetcher("pricebot/1.0")
    yield made
    made.close()


@pytest.fixture
def priced(shop: RawShop) -> RawShop:
    shop.routes["/p"] = answer(PRICE)
    return shop


def shows(browser: BrowserFetcher, shop: RawShop) -> bool:
    got = browser.fetch(shop.url("/p"), rules(shop))
    return isinstance(got, Page) and b">149.00 EUR<" in got.body


# --- its life ---------------------------------------------------------------------------------------------------


def test_the_page_after_the_last_of_a_browser_is_shown_by_the_next(
    browser: BrowserFetcher, priced: RawShop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was taken from the queue and never shown, and a minute later called too slow: every fifty-first page."""
    monkeypatch.setattr(life, "_MOST_PAGES", 2)

    assert [shows(browser, priced) for _ in range(4)] == [True] * 4


def test_a_page_that_is_asked_for_while_the_browser_ends_is_shown(
    browser: BrowserFetcher, priced: RawShop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(life, "_IDLE_S", 0.3)
    shown = []
    for n in range(6):
        shown.append(shows(browser, priced))
        time.sleep(0.29 + n * 0.01)

    assert shown == [True] * 6


def test_a_browser_that_was_killed_costs_the_page_it_showed_and_no_other(
    browser: BrowserFetcher, priced: RawShop
) -> None:
    priced.routes["/slow"] = lambda _connection: priced.stopped.wait(10)
    assert shows(browser, priced)

    threading.Timer(1, lambda: end_tree(browser.root_pid)).start()
    in_between = browser.fetch(priced.url("/slow"), rules(priced))

    assert isinstance(in_between, Miss)
    assert (in_between.reason, in_between.may_pass) == (MissReason.BROWSER, True), in_between.words
    assert shows(browser, priced)

    end_tree(browser.root_pid)  # while nobody asks it for anything

    assert shows(browser, priced)


def test_a_browser_that_stands_still_is_ended_and_the_next_page_comes(browser: BrowserFetcher, priced: RawShop) -> None:
    assert shows(browser, priced)
    assert browser.root_pid is not None
    for pid in tree_of(browser.root_pid):
        with contextlib.suppress(ProcessLookupError):  # a renderer that ends just now
            os.kill(pid, signal.SIGSTOP)

    late = browser.fetch(priced.url("/p"), rules(priced, deadline=timedelta(seconds=2)))

    assert isinstance(late, Miss)
    assert late.reason is MissReason.DEADLINE
    assert shows(browser, priced)


def test_an_empty_page_is_not_counted_as_a_gigabyte(browser: BrowserFetcher, priced: RawShop) -> None:
    """What its ten processes share was counted for each of them, so that a page of 6 MB was too much."""
    assert shows(browser, priced)

    assert 50_000_000 < resident_bytes(browser.root_pid) < 750_000_000


# --- where a page leads -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("location = 'http://{other}/secret'", MissReason.REDIRECTED_AWAY),
        ("location = 'http://169.254.169.254/latest/'", MissReason.REDIRECTED_AWAY),
        ("location = URL.createObjectURL(new Blob(['<p>1.00 EUR'], {type: 'text/html'}))", MissReason.REFUSED_URL),
        ("location.reload()", MissReason.REQUEST_CAP),
        ("document.querySelector('form').submit()", MissReason.REFUSED_URL),
        ("document.body.innerHTML += '<iframe src=/top></iframe>'", MissReason.REDIRECTED_AWAY),
    ],
)
def test_a_page_that_leads_away_gives_no_price_and_reaches_nobody(
    script: str, reason: MissReason, shared: BrowserFetcher, priced: RawShop
) -> None:
    """It came as the browser's own error page, with status 200 and a quarter of a megabyte of text."""
    with RawShop() as other:
        form = b"<form method=post action=/buy><input name=a></form><script>"
        priced.routes["/led"] = answer(
            PRICE + form + script.replace("{other}", other.authority).encode() + b"</script>"
        )
        priced.routes["/top"] = answer(f"<script>top.location = 'http://{other.authority}/'</script>".encode())
        got = shared.fetch(priced.url("/led"), rules(priced))
        assert other.connections == 0

    assert isinstance(got, Miss), got
    assert got.reason is reason, got.words
    assert not [request for request in priced.requests if request.startswith(b"POST")]
    assert len(priced.requests) <= 8


def scripted(priced: RawShop, script: str) -> str:
    """Serve a page with a price and a script, and a file beside it; return the page's address."""
    named = {"Content-Type": "application/zip", "Content-Disposition": "attachment; filename=manual.zip"}
    priced.routes["/led"] = answer(PRICE + f"<script>{script}</script>".encode())
    priced.routes["/file"] = answer(b"PK" + bytes(20_000), headers=named)
    return priced.url("/led")


@pytest.mark.parametrize("script", ["location = '/file'", "location.replace('/file')"])
def test_a_page_that_leads_to_a_file_is_given_up_at_once(script: str, shared: BrowserFetcher, priced: RawShop) -> None:
    """The browser waited for a document in its place until the deadline."""
    began = time.monotonic()

    got = shared.fetch(scripted(priced, script), rules(priced))

    assert time.monotonic() - began < 8
    assert isinstance(got, Page), got
    assert classify(got) == (
        Outcome.FAILED,
        "not_a_page",
        "the answer is a file to download (application/zip), not a page",
    )


@pytest.mark.parametrize(
    "script",
    [
        "alert('Welcome!'); confirm('Cookies?'); prompt('Your age?'); print()",
        "setInterval(() => alert('Are you still there?'), 10)",
        "open().alert('Newsletter'); open('/p').alert('Newsletter')",
        "onbeforeunload = event => event.preventDefault(); onload = () => alert(document.title)",
        "const a = document.createElement('a'); a.href = '/file'; a.download = 'manual.zip'; a.click()",
        "document.body.innerHTML += '<iframe src=/file></iframe>'",
    ],
)
def test_dialogs_and_files_beside_a_page_cost_no_time(script: str, shared: BrowserFetcher, priced: RawShop) -> None:
    began = time.monotonic()

    got = shared.fetch(scripted(priced, script), rules(priced))

    assert isinstance(got, Page), got
    assert b">149.00 EUR<" in got.body
    assert time.monotonic() - began < 8


@pytest.mark.parametrize(
    "script",
    [
        "for (let i = 0; i < 40; i++) window.open('/w' + i)",
        "for (let i = 0; i < 40; i++) new WebSocket('ws://' + location.host + '/w' + i)",
        "for (let i = 0; i < 40; i++) fetch('/hop?' + i)",
        "for (let i = 0; i < 40; i++) fetch('/w', {method: 'DELETE'})",
        "new Worker(URL.createObjectURL(new Blob([`for (let i = 0; i < 40; i++) fetch('${location.origin}/w' + i)`])))",
    ],
)
def test_no_way_of_asking_gets_past_the_requests_of_a_visit(
    script: str, shared: BrowserFetcher, priced: RawShop
) -> None:
    """Web sockets and redirects of scripts were not counted: 200 requests left where 24 were allowed."""
    priced.routes |= {f"/hop?{n}": moved(f"/hop?{n + 1}") for n in range(80)}
    priced.routes["/led"] = answer(PRICE + f"<script>{script}</script>".encode())

    got = shared.fetch(priced.url("/led"), rules(priced))

    assert isinstance(got, Page), got
    assert b">149.00 EUR<" in got.body
    assert len(priced.requests) <= 8
    assert not [request for request in priced.requests if request.startswith(b"DELETE")]


# --- what is taken of a page ------------------------------------------------------------------------------------


def test_a_price_that_comes_after_a_pause_is_waited_for(shared: BrowserFetcher, shop: RawShop) -> None:
    shop.routes["/p"] = answer(
        b"<h1>Rope</h1><p id=p></p><script>setTimeout(() => fetch('/api').then(r => r.text())"
        b".then(t => document.getElementById('p').textContent = t), 1500)</script>"
    )
    shop.routes["/api"] = answer(b"149.00 EUR", headers={"Content-Type": "text/plain"})

    assert shows(shared, shop)


@pytest.mark.parametrize("given", ["{length: 'x'}", "'x'.repeat(9)", "(() => { throw 1 })()"])
def test_a_page_is_read_although_its_scripts_lie_about_it(given: str, shared: BrowserFetcher, shop: RawShop) -> None:
    lie = f"Object.defineProperty(Element.prototype, 'outerHTML', {{get() {{ return {given} }}}})"
    shop.routes["/p"] = answer(PRICE + f"<script>{lie}</script>".encode())

    assert shows(shared, shop)


@pytest.mark.parametrize(
    ("said", "status", "kind"),
    [
        (answer(b"%PDF-1.4", headers={"Content-Type": "application/pdf"}), 200, "application/pdf"),
        (answer(b"x" * 99, headers={"Content-Type": "application/zip"}), 200, "application/zip"),
        (answer(b"no", status=401, headers={"WWW-Authenticate": "Basic realm=x"}), 401, "text/html; charset=utf-8"),
    ],
)
def test_an_answer_that_is_no_page_comes_as_what_it_is(
    said: bytes, status: int, kind: str, shared: BrowserFetcher, shop: RawShop
) -> None:
    shop.routes["/p"] = said

    got = shared.fetch(shop.url("/p"), rules(shop))

    assert isinstance(got, Page), got
    assert (got.status, got.content_type, got.body) == (status, kind, b"")


def test_a_shop_that_closes_without_an_answer_is_named_for_that(shared: BrowserFetcher, shop: RawShop) -> None:
    shop.routes["/p"] = lambda _connection: None

    got = shared.fetch(shop.url("/p"), rules(shop))

    assert isinstance(got, Miss)
    assert (got.reason, got.may_pass) == (MissReason.INCOMPLETE, True), got.words


def test_a_shop_that_thinks_for_five_seconds_is_waited_for_and_a_silent_one_is_named(
    shared: BrowserFetcher, shop: RawShop
) -> None:
    """It was cut off after the four seconds that a connection may take."""
    shop.routes["/p"] = shop.drip([b"", answer(PRICE)], every_s=5)
    shop.routes["/silent"] = lambda _connection: shop.stopped.wait(15)

    assert shows(shared, shop)

    silent = shared.fetch(shop.url("/silent"), rules(shop))
    assert isinstance(silent, Miss)
    assert (silent.reason, silent.words) == (MissReason.DEADLINE, "127.0.0.1 was silent for 10 s")


def test_a_large_question_of_a_script_arrives_whole(shared: BrowserFetcher, shop: RawShop) -> None:
    ask = b"fetch('/graphql', {method: 'POST', body: 'q'.repeat(300000)}).then(r => r.text())"
    shop.routes["/p"] = answer(b"<p id=p></p><script>" + ask + b".then(t => p.textContent = t)</script>")
    shop.routes["/graphql"] = answer(b"149.00 EUR", headers={"Content-Type": "text/plain"})

    assert shows(shared, shop)
    assert max(map(len, shop.requests)) > 300_000

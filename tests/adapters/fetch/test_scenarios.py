"""Whole nights on shops that behave as real ones did to other tools: what is asked, what is kept, what is said.

Real sockets, the real client and reader, a real database; only names and the clock are the test's own.
"""

import gzip
import socket
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal

import brotli
import pytest
import zstandard

from monitor.domain.catalogue import Competitor, Watch
from monitor.domain.pacing import SHOPIFY_BUCKET, Slot
from monitor.domain.report.withheld import withheld
from tests.adapters.fetch.certificates import serving, trusting
from tests.adapters.fetch.test_what_came_back import CHALLENGE, ROBOT_CHECK
from tests.core_scene import SetClock, opened
from tests.rawshop import RawShop, moved
from tests.visits import PATH, Visits, page, product_page, visits

GOOD = page(product_page())
PRICE = Decimal("149.00")


# --- challenges -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (page(CHALLENGE, status=403, headers={"Cf-Mitigated": "challenge"}), "Cloudflare challenge"),
        (page(ROBOT_CHECK), "of unknown make, a captcha"),
    ],
)
def test_a_challenge_ends_the_visit_and_is_one_notice_every_night(said: bytes, words: str, scene: Visits) -> None:
    scene.watch("/p/rope-70", "/p/rope-80")
    scene.say("/p/rope-70", GOOD)
    scene.say("/p/rope-80", GOOD)
    scene.say(PATH, said)
    nights = [scene.night(price_first="149.00"), scene.night(), scene.night()]

    for night in nights:
        assert (night.asked.count(PATH), night.asked[-1]) == (1, PATH)  # nothing is asked after a wall
        assert words in night.seen.words
        walled = [seen for seen in night.every.values() if seen.outcome.value == "blocked"]
        assert walled
        assert all(seen.price is None for seen in walled)
        assert {head.get("user-agent") for head in night.heads} == {"pricebot/1.0 (+https://brand.example/bot)"}
    assert [str(span.price) for span in scene.history] == ["149"]


# --- withdrawn products -----------------------------------------------------------------------------------------


def test_a_redirect_that_keeps_the_product_is_read(scene: Visits) -> None:
    scene.watches = (Watch("alpkontor", "ROPE-60", f"http://alpkontor.example{PATH}", their_sku="AK-1"),)
    scene.say(PATH, moved("http://www.alpkontor.example/en/p/rope-60", status=301))
    scene.say("/en/p/rope-60", page(product_page(head=f'<link rel="canonical" href="{PATH}">')))
    night = scene.night(price_first="149.00")

    assert (night.told[0], night.seen.price) == ("ok", PRICE)
    assert len(scene.history) == 1


# --- robots.txt -------------------------------------------------------------------------------------------------

ROBOTS = b"""\xef\xbb\xbfUser-agent: *
Disallow: /internal/
Allow: /internal/feed.xml
Disallow: /*?sort_by=
Disallow: /cart

User-agent: otherbot
Disallow: /
Crawl-delay: 20

User-agent: PriceBot
User-agent: *
Crawl-delay: 3
"""


def test_robots_txt_with_every_trap_in_it_is_obeyed(scene: Visits) -> None:
    scene.watch("/internal/x", "/internal/feed.xml", "/ropes?sort_by=price", "/cart.js", "/p/rope-70")
    scene.say("/robots.txt", page(ROBOTS, headers={"Content-Type": "text/plain"}))
    for path in (PATH, "/internal/feed.xml", "/p/rope-70"):
        scene.say(path, GOOD)
    night = scene.night()

    closed = {sku for sku, seen in night.every.items() if seen.outcome.value == "robots"}
    assert closed == {"X", "ROPES?SORT_BY=PRICE", "CART.JS"}
    assert sorted(night.asked) == ["/internal/feed.xml", PATH, "/p/rope-70"]
    assert night.job.calls_used == 3  # what is closed costs nothing
    assert night.waits == [timedelta(seconds=3)] * 3  # ours, not the 20 s of otherbot
    assert "robots.txt closes this page" in night.every["CART.JS"].words


def test_the_crawl_delay_holds_across_workers(scene: Visits) -> None:
    """Another worker, here: another connection to the database, finds the slot taken."""
    scene.say("/robots.txt", page(ROBOTS))
    scene.say(PATH, GOOD)
    scene.night()
    with opened(str(scene.store.url), scene.clock).write() as unit:
        assert unit.shops.take_slot(Slot("alpkontor.example", timedelta(0)), 99) == timedelta(seconds=3)


@pytest.mark.parametrize(
    ("said", "told", "asked"),
    [
        (page("", status=404), ("ok", "declared_and_shown"), 1),
        (page("", status=410), ("ok", "declared_and_shown"), 1),
        (page("", status=401), ("ok", "declared_and_shown"), 1),
        (page("", status=403), ("ok", "declared_and_shown"), 1),
        (page("", status=500), ("robots", "visit_ended"), 0),
        (page("", status=503), ("robots", "visit_ended"), 0),
        (page("", status=429), ("robots", "visit_ended"), 0),
        (page(b"<!doctype html><html>Disallow: /</html>"), ("ok", "declared_and_shown"), 1),
        (
            page(b"User-agent: *\nDisallow: /x\n" + b"#\n" * 300_000 + b"Disallow: /p/\n"),
            ("ok", "declared_and_shown"),
            1,
        ),
        (page(b"User-agent: *\nDisallow: /p/\n" + b"#\n" * 3_000_000), ("robots", "robots_rules"), 0),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\nUser-agent: *", ("robots", "visit_ended"), 0),
    ],
    ids=["404", "410", "401", "403", "500", "503", "429", "html", "past 500 kB", "6 MB", "broken off"],
)
def test_what_stands_in_for_robots_txt(said: bytes, told: tuple[str, str], asked: int, scene: Visits) -> None:
    scene.say("/robots.txt", lambda connection: connection.sendall(said))
    scene.say(PATH, GOOD)
    night = scene.night()

    assert (night.told[0], len(night.asked)) == (told[0], asked), night.seen.words
    if told[0] == "robots":
        assert "robots.txt" in night.seen.words
    if told[1] == "visit_ended":
        assert "robots.txt unreachable" in night.seen.words
        assert "closes" not in night.seen.words


@pytest.mark.parametrize(
    "stumble",
    [page("", status=502), b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\nUser-agent: *", b""],
    ids=["502", "broken off", "hung up"],
)
@pytest.mark.parametrize("rules", [b"", b"User-agent: *\nDisallow: /p/\n"])
def test_a_robots_txt_that_stumbles_is_asked_for_once_more(stumble: bytes, rules: bytes, scene: Visits) -> None:
    """The night has this one request to lose, and the whole shop with it."""
    answers = [stumble, page(rules)]

    def say(connection: socket.socket) -> None:
        connection.sendall(answers.pop(0))

    scene.say("/robots.txt", say)
    scene.say(PATH, GOOD)
    night = scene.night()

    assert night.told == (("robots", "robots_rules") if rules else ("ok", "declared_and_shown"))
    assert (answers, [step.tool for step in night.steps][:2]) == ([], ["robots", "robots"])


def test_a_robots_txt_that_stumbles_twice_closes_the_shop_for_tonight(scene: Visits) -> None:
    scene.say("/robots.txt", page("", status=500))
    scene.say(PATH, GOOD)
    night = scene.night()

    assert (night.told[0], night.asked, [step.tool for step in night.steps]) == ("robots", [], ["robots", "robots"])
    assert night.job.requests_used == 2


@pytest.mark.parametrize("status", [401, 403])
def test_a_robots_txt_that_is_itself_refused_is_told_in_the_report_every_night(status: int, scene: Visits) -> None:
    scene.say("/robots.txt", page("", status=status))
    scene.say(PATH, GOOD)
    for night in (scene.night(), scene.night()):  # the second is within a day: the copy in the store tells it too
        with scene.store.read() as unit:
            told = list(withheld(unit.jobs.results(night.job.run_id, "robots"), scene.catalogue))

        assert night.told[0] == "ok"
        assert [notice.words for notice in told] == [
            f"{scene.competitor.name}: robots.txt itself is refused (HTTP {status}), so it closes nothing to us "
            "(RFC 9309). `refuse` in competitors.toml can."
        ]


def test_a_robots_txt_that_is_not_there_is_no_news(scene: Visits) -> None:
    scene.say("/robots.txt", page("", status=404))
    scene.say(PATH, GOOD)
    night = scene.night()
    with scene.store.read() as unit:
        assert not list(withheld(unit.jobs.results(night.job.run_id, "robots"), scene.catalogue))


def test_robots_txt_is_followed_through_five_redirects_to_another_shop(scene: Visits) -> None:
    """RFC 9309, section 2.3.1.2: also across hosts; the rules count for the host that was asked."""
    for number in range(3):
        scene.say(f"/r{number}", moved(f"/r{number + 1}"))
    scene.say("/robots.txt", moved("/r0"))
    scene.say("/r3", moved("http://rival.test/rules"))
    scene.say("/rules", page(b"User-agent: *\nDisallow: /p/"))
    scene.say(PATH, GOOD)
    night = scene.night()

    assert night.told == ("robots", "robots_rules")


def test_a_copy_is_not_made_younger_by_being_used(scene: Visits) -> None:
    """Each night that used it wrote it down anew, so that a robots.txt once read was never read again."""
    scene.say(PATH, GOOD)
    scene.say("/robots.txt", page("User-agent: *\nDisallow: /cart"), page("User-agent: *\nDisallow: /"))

    outcomes = [scene.night().told[0] for _ in range(3)]

    assert outcomes == ["ok", "ok", "robots"]


def test_a_copy_younger_than_a_day_serves_while_robots_txt_is_unreachable(scene: Visits) -> None:
    scene.say("/robots.txt", page(b"User-agent: *\nDisallow: /x"), page("", status=503))
    scene.say(PATH, GOOD)
    scene.night()
    scene.clock.forward(hours=-1)
    night = scene.night()

    assert night.told[0] in ("ok", "robots")
    with scene.store.read() as unit:
        age = unit.shops.robots("http://alpkontor.example/robots.txt", timedelta(hours=24))
    assert (night.told[0] == "ok") == (age is not None)


# --- redirects that never end -----------------------------------------------------------------------------------


def test_a_cookie_that_opens_the_page_lives_for_this_visit_and_this_host(scene: Visits) -> None:
    setting = moved(PATH, headers={"Set-Cookie": "region=eu; Path=/"})
    scene.say(PATH, setting, GOOD, setting, GOOD)
    first, second = scene.night(), scene.night()

    for night in (first, second):
        assert night.seen.price == PRICE
        assert night.asked == [PATH, PATH]
        assert [head.get("cookie") for head in night.heads] == [None, "region=eu"]


def test_a_cookie_of_one_shop_is_not_seen_by_another(scene: Visits) -> None:
    scene.more = (Competitor("rival", "Rival", "http://rival.test", delay=timedelta(0), jitter=0.0),)
    scene.watches = (*scene.watches, Watch("rival", "ROPE-60", "http://rival.test/q"))
    scene.say(PATH, page(product_page(), headers={"Set-Cookie": "region=eu; Path=/; Domain=test"}))
    scene.say("/q", GOOD)
    night = scene.night()
    scene.shop.requests.clear()
    scene.work_on(night.seen.run_id, "rival")

    assert scene.shop.requests
    assert not any(b"cookie:" in request.lower() for request in scene.shop.requests)


def test_there_and_back_between_http_and_https_is_a_loop(secure_scene: Visits) -> None:
    assert secure_scene.tls is not None
    secure_scene.say(PATH, moved(f"https://alpkontor.example{PATH}", status=301))
    secure_scene.tls.routes[PATH] = moved(f"http://alpkontor.example{PATH}", status=301)
    night = secure_scene.night()

    assert night.told == ("failed", "redirects")
    assert "redirect loop" in night.seen.words
    assert f"http://alpkontor.example{PATH} → https://alpkontor.example{PATH}" in night.seen.words  # the chain is named


def test_every_hop_counts_against_the_requests_of_the_night(scene: Visits) -> None:
    scene.watch(*(f"/p/{n}" for n in range(8)))
    for path in (PATH, *(f"/p/{n}" for n in range(8))):
        scene.say(path, moved(f"/hop{path}"))
        scene.say(f"/hop{path}", moved(f"/end{path}"))
        scene.say(f"/end{path}", moved(f"/really{path}"))
        scene.say(f"/really{path}", GOOD)
    night = scene.night()

    assert len(night.asked) + 1 == night.job.requests_used == 24
    assert any(seen.reason == "request_cap" for seen in night.every.values())


# --- unchanged pages --------------------------------------------------------------------------------------------


def etagged(shop: RawShop, etag: str, body: bytes) -> Callable[[socket.socket], None]:
    """Answer 304 to whoever offers this very tag, else the page."""

    def say(connection: socket.socket) -> None:
        offered = f"if-none-match: {etag}".encode() in shop.requests[-1].lower()
        connection.sendall(page("", status=304) if offered else page(body, headers={"ETag": etag}))

    return say


def test_a_304_never_confirms_what_was_not_read_from_that_body(scene: Visits) -> None:
    """Four nights: read, changed and unreadable, the same again, and a recipe that can read it."""
    unreadable = (
        b"<html><body><h1>Rope 60</h1><script type='application/ld+json'>{\"price\": </script><i>139</i></body>"
    )
    scene.say(PATH, etagged(scene.shop, '"v7"', product_page()))
    first = scene.night()
    scene.say(PATH, etagged(scene.shop, '"v8"', unreadable))
    second, third = scene.night(), scene.night()
    scene.set(recipe={"price": "i"}, currency="EUR")
    fourth = scene.night()

    assert (first.told[0], first.seen.price) == ("ok", PRICE)
    assert second.heads[0]["if-none-match"] == '"v7"'
    for night in (second, third):
        assert night.seen.outcome.value != "ok"
        assert night.seen.price is None
    assert "if-none-match" not in third.heads[0]
    assert (fourth.told[0], fourth.seen.price) == ("ok", Decimal("139")), fourth.seen.words
    assert [night.job.calls_used for night in (first, second, third, fourth)] == [1, 1, 1, 1]


def test_an_unchanged_page_is_one_call_and_a_good_reading(scene: Visits) -> None:
    scene.say(PATH, etagged(scene.shop, '"v7"', product_page()))
    scene.night()
    night = scene.night()

    assert night.heads[0]["if-none-match"] == '"v7"'
    assert (night.told[0], night.seen.price, night.job.calls_used) == ("ok", PRICE, 1)
    assert "unchanged" in night.seen.words


def test_validators_are_offered_at_the_address_that_gave_them_only(scene: Visits) -> None:
    scene.say(PATH, moved("/en/p/rope-60"))
    scene.say("/en/p/rope-60", etagged(scene.shop, '"v7"', product_page()))
    scene.night()
    night = scene.night()

    assert [head.get("if-none-match") for head in night.heads] == [None, '"v7"']
    assert night.seen.price == PRICE


@pytest.mark.parametrize("changed", [{"language": "de-AT"}, {"currency": "CHF"}, {"recipe": {"price": ".price"}}])
def test_a_changed_setting_drops_the_validators(changed: dict[str, object], scene: Visits) -> None:
    scene.say(PATH, etagged(scene.shop, '"v7"', product_page()))
    scene.night()
    scene.set(**changed)

    assert "if-none-match" not in scene.night().heads[0]


# --- bodies that are not what they say --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        ("gzip", gzip.compress(bytes(60_000_000))),
        ("br", brotli.compress(bytes(60_000_000))),
        ("zstd", zstandard.compress(bytes(60_000_000))),
    ],
    ids=["gzip", "br", "zstd"],
)
def test_a_page_that_grows_is_too_large_and_is_not_tried_again(coding: str, body: bytes, scene: Visits) -> None:
    scene.say(PATH, page(body, headers={"Content-Encoding": coding}))
    night = scene.night(price_first="149.00")

    assert night.told == ("failed", "too_large")
    assert night.asked == [PATH]


def test_half_an_answer_is_tried_once_more_and_then_read(scene: Visits) -> None:
    packed = gzip.compress(product_page())
    whole = page(packed, headers={"Content-Encoding": "gzip"})

    def half(connection: socket.socket) -> None:
        connection.sendall(whole[: -len(packed) // 2])

    scene.say(PATH, half, whole)
    night = scene.night()

    assert (night.seen.price, night.asked) == (PRICE, [PATH, PATH])


def test_plain_html_under_a_gzip_header_is_read(scene: Visits) -> None:
    scene.say(PATH, page(product_page(), headers={"Content-Encoding": "gzip"}))

    assert scene.night().seen.price == PRICE


# --- shops that ask for time ------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [429, 430, 503])
def test_a_shop_that_asks_for_time_gets_it_without_a_thread_being_held(status: int, scene: Visits) -> None:
    scene.say(PATH, page("", status=status, headers={"Retry-After": "90"}), GOOD)
    night = scene.night()

    assert (night.seen.price, night.waits) == (PRICE, [timedelta(seconds=90)])


def test_an_hour_asked_for_ends_the_visit_and_cools_the_host_down(scene: Visits) -> None:
    scene.watch("/p/rope-70")
    scene.say(PATH, page("", status=429, headers={"Retry-After": "3600"}))
    night = scene.night()

    assert night.told == ("blocked", "rate_limited")
    assert len(night.asked) == 1
    with scene.store.read() as unit:
        cooling = unit.shops.cooling("alpkontor.example")
        assert unit.shops.cooling(SHOPIFY_BUCKET) is None
    assert cooling is not None
    assert cooling[0] - scene.clock.at == timedelta(hours=1)


def test_a_shopify_shop_that_is_asked_too_often_cools_all_shopify_shops_down(scene: Visits) -> None:
    scene.say(PATH, page("", status=430, headers={"Retry-After": "600"}))
    scene.night()

    with scene.store.write() as unit:
        assert unit.shops.cooling(SHOPIFY_BUCKET) is not None
        another = Slot("other.example", timedelta(0), SHOPIFY_BUCKET, timedelta(0))
        assert unit.shops.take_slot(another, 99) == timedelta(seconds=600)
        assert unit.shops.take_slot(Slot("no-shopify.example", timedelta(0)), 99) == timedelta(0)


# --- certificates and silence -----------------------------------------------------------------------------------


def test_a_bad_certificate_is_named_and_nothing_is_asked(own_sqlite_url: str) -> None:
    clock = SetClock()
    store = opened(own_sqlite_url, clock)
    with visits(store, clock, trusting(), tls=serving("expired.pem")) as made:
        made.watches = (Watch("alpkontor", "ROPE-60", f"https://alpkontor.example{PATH}"),)
        made.set(base_url="https://alpkontor.example")
        night = made.night()
        assert made.tls is not None
        assert made.tls.requests == []
    store.close()

    assert night.seen.price is None
    assert "certificate of alpkontor.example:443 is not valid: certificate has expired" in night.seen.words


def test_an_answer_that_drips_ends_at_the_deadline(scene: Visits) -> None:
    scene.limits = type(scene.limits)("pricebot", page_deadline=timedelta(seconds=0.4))
    scene.say(PATH, scene.shop.drip([b"HTTP/1.1 200 OK\r\nX: ", *[b"."] * 400], every_s=0.05))
    night = scene.night()

    assert night.told == ("failed", "deadline")
    assert "had not answered completely after 0.4 s" in night.seen.words

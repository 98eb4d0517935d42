"""Shops that do what no shop should: the night says what came, and invents nothing.

Every case is a night after one on which 149.00 EUR was read, over a real socket, into the real database.
"""

import gzip
import socket
import zlib
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from email.utils import format_datetime
from typing import Any

import brotli
import pytest
import zstandard

from monitor.adapters.http import Client, Unanswered
from monitor.domain.page import MissReason
from tests.adapters.fetch.test_what_came_back import Case
from tests.rawshop import Names, RawShop, moved
from tests.visits import PATH, Visits, page, product_page

GOOD = product_page()
ELSEWHERE = "/en/p/rope-60"
SAME = page(product_page(head=f'<link rel="canonical" href="{PATH}">'))


def raw(*pieces: bytes) -> Any:
    """Say exactly these bytes and hang up."""

    def say(connection: socket.socket) -> None:
        for piece in pieces:
            connection.sendall(piece)

    return say


def coded(body: bytes, coding: str) -> bytes:
    """The answer with this body under this Content-Encoding."""
    return page(body, headers={"Content-Encoding": coding})


def raw_deflate(body: bytes) -> bytes:
    """Deflate without the header that the standard asks for."""
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


def location(*lines: bytes) -> bytes:
    """A redirect with these Location lines."""
    return (
        b"HTTP/1.1 302 Found\r\n"
        + b"".join(b"Location: %s\r\n" % line for line in lines)
        + b"Content-Length: 0\r\n\r\n"
    )


OK = ("ok", "declared_and_shown")

#: Answers that still are the product's page.
READ: dict[str, Case] = {
    "every redirect that there is": Case(
        {
            PATH: moved("/1", status=301),
            "/1": moved("/2", status=302),
            "/2": moved("/3", status=303),
            "/3": moved("/4", status=307),
            "/4": moved(ELSEWHERE, status=308),
            ELSEWHERE: SAME,
        },
        OK,
        "",
        6,
    ),
    "a host in capitals": Case({PATH: moved(f"HTTP://ALPKONTOR.EXAMPLE{ELSEWHERE}"), ELSEWHERE: SAME}, OK, "", 2),
    "a host with its last dot": Case(
        {PATH: moved(f"http://alpkontor.example.{ELSEWHERE}"), ELSEWHERE: SAME}, OK, "", 2
    ),
    "dots in a path": Case({PATH: moved("./../en/./p/rope-60#buy"), ELSEWHERE: SAME}, OK, "", 2),
    "the port of the scheme": Case({PATH: moved(f"//alpkontor.example:80{ELSEWHERE}"), ELSEWHERE: SAME}, OK, "", 2),
    "one Location said twice": Case({PATH: location(b"/en/p/rope-60", b"/en/p/rope-60"), ELSEWHERE: SAME}, OK, "", 2),
    "a Location in UTF-8": Case({PATH: location("/büro/rope-60".encode()), "/b%C3%BCro/rope-60": SAME}, OK, "", 2),
    "a Location in Latin-1": Case(
        {PATH: location("/büro/rope-60".encode("latin-1")), "/b%FCro/rope-60": SAME}, OK, "", 2
    ),
    "a Location that is no redirect": Case(
        {PATH: page(GOOD, headers={"Location": "/", "Refresh": "0; url=/"})}, OK, ""
    ),
    "hints before the answer": Case(
        {PATH: raw(b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", page(GOOD))},
        OK,
        "",
    ),
    "no reason phrase": Case({PATH: raw(page(GOOD).replace(b"200 Said", b"200"))}, OK, ""),
    "HTTP 1.0 without a length": Case({PATH: raw(b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n", GOOD)}, OK, ""),
    "chunks of one byte": Case(
        {
            PATH: raw(
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
                b"".join(b"1;ext=x\r\n%c\r\n" % one for one in GOOD),
                b"0\r\nX-Trailer: y\r\n\r\n",
            )
        },
        OK,
        "",
    ),
    "two codings on top of each other": Case({PATH: coded(brotli.compress(gzip.compress(GOOD)), "gzip, br")}, OK, ""),
    "three codings": Case(
        {PATH: coded(gzip.compress(zstandard.compress(brotli.compress(GOOD))), "BR,ZSTD , x-gzip")}, OK, ""
    ),
    "deflate without its header": Case({PATH: coded(raw_deflate(GOOD), "deflate")}, OK, ""),
    "something after the last gzip member": Case(
        {PATH: coded(gzip.compress(GOOD) + b"<!-- cached -->", "gzip")}, OK, ""
    ),
    "a charset for a coding": Case({PATH: coded(GOOD, "utf-8")}, OK, ""),
    "no coding by another name": Case({PATH: coded(GOOD, "none")}, OK, ""),
    "gzip that is none": Case({PATH: coded(GOOD, "gzip")}, OK, ""),
    "a picture that is a page": Case({PATH: page(GOOD, headers={"Content-Type": "image/webp"})}, OK, ""),
    "no type": Case({PATH: raw(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(GOOD), GOOD)}, OK, ""),
    "a type that is no type": Case({PATH: page(GOOD, headers={"Content-Type": "; charset=, text/html;;"})}, OK, ""),
    "UTF-16": Case(
        {PATH: page(GOOD.decode().encode("utf-16"), headers={"Content-Type": "text/html; charset=utf-8"})}, OK, ""
    ),
}

#: Answers that are not, and what the night calls them.
UNREAD: dict[str, Case] = {
    "a fragment is the same page": Case({PATH: moved("#buy")}, ("failed", "redirects"), "redirect loop", 2),
    "two places at once": Case(
        {PATH: location(b"/a", b"/b"), "/a, /b": page("x")}, ("not_found", "http_404"), "gone", 2
    ),
    "a choice of places": Case(
        {PATH: moved(ELSEWHERE, status=300), ELSEWHERE: SAME}, ("failed", "http_300"), "HTTP 300"
    ),
    "a proxy instead": Case({PATH: moved(ELSEWHERE, status=305), ELSEWHERE: SAME}, ("failed", "http_305"), "HTTP 305"),
    "an empty Location": Case({PATH: moved("  ")}, ("failed", "http_302"), "HTTP 302"),
    "another port": Case(
        {PATH: moved("http://alpkontor.example:8080/p")}, ("failed", "refused_url"), "port 8080 is not allowed"
    ),
    "a look-alike host": Case(
        {PATH: location("http://\u0430lpkontor.example/p".encode())}, ("failed", "redirected_away"), "xn--lpkontor-06g"
    ),
    "a host inside a host": Case(
        {PATH: moved("http://alpkontor.example.rival.test/p")}, ("failed", "redirected_away"), "rival.test"
    ),
    "our own machine, as one number": Case(
        {PATH: moved("http://2130706433/p")}, ("failed", "redirected_away"), "2130706433"
    ),
    "our own machine, in octal": Case(
        {PATH: moved("http://0177.0.0.01/p")}, ("failed", "redirected_away"), "0177.0.0.01"
    ),
    "our own machine behind a name of the shop": Case(
        {PATH: moved("http://inside.alpkontor.example/p")}, ("failed", "refused_address"), "loopback"
    ),
    "a link-local neighbour with its zone": Case(
        {PATH: moved("http://[fe80::1%25eth0]/p")}, ("failed", "refused_url"), "zone"
    ),
    "a user name": Case({PATH: moved("http://alpkontor.example@127.0.0.1/")}, ("failed", "refused_url"), "user name"),
    "half a bracket": Case({PATH: moved("http://[::1/p")}, ("failed", "refused_url"), "cannot be read"),
    "an endless address": Case({PATH: moved("/" + "a" * 9_000)}, ("failed", "refused_url"), "longer than 8000"),
    "a file": Case({PATH: moved("file:///etc/passwd")}, ("failed", "refused_url"), "its scheme is file"),
    "a denial with a number of its own": Case({PATH: page("no", status=999)}, ("blocked", "refused"), "HTTP 999"),
    "a wall that asks for time": Case(
        {PATH: page("x", status=429, headers={"X-Vercel-Mitigated": "challenge"})}, ("blocked", "vercel"), "bot wall"
    ),
    "no content": Case({PATH: raw(b"HTTP/1.1 204 No Content\r\n\r\n")}, ("failed", "http_204"), "HTTP 204"),
    "start again": Case({PATH: page("", status=205)}, ("failed", "http_205"), "HTTP 205"),
    "unchanged, though nothing was offered": Case(
        {PATH: raw(b"HTTP/1.1 304 Not Modified\r\n\r\n")}, ("failed", "not_modified"), "no copy", 2
    ),
    "another protocol": Case(
        {PATH: raw(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n")},
        ("failed", "protocol"),
        "does not answer in HTTP",
    ),
    "a radio": Case({PATH: raw(b"ICY 200 OK\r\n\r\n149.00 EUR")}, ("failed", "protocol"), "does not answer in HTTP"),
    "a negative length": Case(
        {PATH: raw(b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n", GOOD)}, ("failed", "protocol"), "HTTP"
    ),
    "two lengths": Case(
        {PATH: raw(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 9\r\n\r\n", GOOD)},
        ("failed", "protocol"),
        "HTTP",
    ),
    "a chunk of no size": Case(
        {PATH: raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n149.00\r\n")},
        ("failed", "incomplete"),
        "ended before",
        2,
    ),
    "a chunk that is never sent": Case(
        {PATH: raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFF\r\n149.00 EUR")},
        ("failed", "incomplete"),
        "ended before",
        2,
    ),
    "a line that is no header": Case(
        {PATH: raw(b"HTTP/1.1 200 OK\r\nNonsense\r\n\r\n")}, ("failed", "protocol"), "(illegal header line: 'Nonsense')"
    ),
    "a flood of headers": Case(
        {PATH: raw(b"HTTP/1.1 200 OK\r\n", b"X-Pad: 0123456789\r\n" * 9_000, b"\r\n", GOOD)},
        ("failed", "protocol"),
        "does not answer in HTTP",
    ),
    "hints without end": Case(
        {PATH: raw(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 130_000)},
        ("failed", "protocol"),
        "and no answer",
    ),
    "four codings": Case({PATH: coded(GOOD, "gzip, gzip, gzip, gzip")}, ("failed", "encoding"), "gzip, gzip"),
    "a coding on top that is not there": Case(
        {PATH: coded(gzip.compress(GOOD), "gzip, br")}, ("failed", "unreadable"), "and is not"
    ),
    "half a brotli stream": Case(
        {PATH: coded(brotli.compress(GOOD)[:-9], "br")}, ("failed", "incomplete"), "ends before its end", 2
    ),
    "half a zstd frame": Case(
        {PATH: coded(zstandard.compress(GOOD)[:-9], "zstd")}, ("failed", "incomplete"), "ends before its end", 2
    ),
    "half a page under two codings": Case(
        {PATH: coded(gzip.compress(brotli.compress(GOOD)[:-9]), "br, gzip")}, ("failed", "incomplete"), "ends before", 2
    ),
    "a charset for a coding, over bytes": Case({PATH: coded(b"\x00\x01", "utf-8")}, ("failed", "encoding"), "'utf-8'"),
    "a film": Case(
        {PATH: page(b"\x00\x00\x00\x18ftypmp42 149.00 EUR", headers={"Content-Type": "video/mp4"})},
        ("failed", "not_a_page"),
        "video/mp4",
    ),
    "zeros": Case({PATH: page(bytes(20_000))}, ("no_price", "empty"), ""),
}


@pytest.mark.parametrize("name", [*READ, *UNREAD])
def test_whatever_a_shop_does_the_night_says_what_came(name: str, scene: Visits) -> None:
    case = (READ | UNREAD)[name]
    scene.names.table |= {"alpkontor.example.": "93.184.216.34", "inside.alpkontor.example": "127.0.0.1"}
    scene.shop.routes.update(case.routes)  # type: ignore[arg-type]
    night = scene.night(price_first="149.00")

    assert (night.told, night.seen.words) == (case.told, night.seen.words)
    assert case.words.lower() in night.seen.words.lower()
    assert (len(night.asked), night.seen.price) == (case.asked, Decimal(149) if name in READ else None)
    (span,) = scene.history
    assert (str(span.price), span.last_seen_at < scene.clock.at) == ("149", name in UNREAD)


def test_http_that_moved_to_https_is_followed_there(secure_scene: Visits) -> None:
    assert secure_scene.tls is not None
    secure_scene.say(PATH, moved(f"https://alpkontor.example{ELSEWHERE}", status=308))
    secure_scene.tls.routes[ELSEWHERE] = SAME
    night = secure_scene.night()

    assert (night.told[0], night.seen.price, night.job.requests_used) == ("ok", Decimal(149), 3)


# --- markets by cookie ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "cookie",
    [
        "cart_currency=USD; path=/",
        "localization=US; path=/",
        "currency=USD; path=/",
        "aelia_cs_selected_currency=USD; Path=/",
        "wmc_current_currency=USD; path=/",
        "store=us; path=/",
        "market_id=us; path=/",
        "GlobalE_Data=%7B%22currencyCode%22%3A%22USD%22%7D; path=/",
    ],
)
def test_a_cookie_that_chooses_a_market_is_not_sent_back(cookie: str, scene: Visits) -> None:
    """On the way to the page the shop pins its visitor to dollars; who does not repeat that sees euros."""

    def say(connection: socket.socket) -> None:
        is_pinned = b"cookie:" in scene.shop.requests[-1].lower().replace(b"cookie: session=1\r\n", b"")
        connection.sendall(page(product_page("179.00", currency="USD")) if is_pinned else SAME)

    scene.say(PATH, moved(ELSEWHERE, headers={"Set-Cookie": cookie}))
    scene.say(ELSEWHERE, say)
    night = scene.night(price_first="149.00")

    assert (night.told[0], night.seen.price, night.seen.currency) == ("ok", Decimal(149), "EUR")


# --- asking for time --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("0", 0),
        ("2", 2),
        ("90", 90),
        ("-5", 60),
        ("1.5", 60),
        ("soon", 60),
        ("", 60),
        ("1e3", 60),
        ("٣", 60),
        ("90, 90", 60),
    ],
)
def test_a_wish_for_time_is_kept_however_it_is_written(header: str, seconds: int, scene: Visits) -> None:
    scene.say(PATH, page("later", status=429, headers={"Retry-After": header}), page(GOOD))
    night = scene.night()

    assert night.told[0] == "ok"
    assert sum(night.waits, timedelta(0)) == timedelta(seconds=seconds)


@pytest.mark.parametrize(("ahead", "waits"), [(-3_600, 0), (100, 100)])
def test_a_wish_for_time_may_be_a_date(ahead: int, waits: int, scene: Visits) -> None:
    def say(connection: socket.socket) -> None:
        until = format_datetime(scene.clock.at + timedelta(seconds=ahead), usegmt=True)
        connection.sendall(page("later", status=503, headers={"Retry-After": until}))

    scene.say(PATH, say, page(GOOD))
    night = scene.night()

    assert night.told[0] == "ok"
    assert abs(sum(night.waits, timedelta(0)) - timedelta(seconds=waits)) < timedelta(seconds=1)


@pytest.mark.parametrize(
    "header", ["121", "999999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT", "18446744073709551616"]
)
def test_a_wish_for_too_much_time_ends_the_visit_for_a_day_at_most(header: str, scene: Visits) -> None:
    scene.say(PATH, page("later", status=503, headers={"Retry-After": header}))
    night = scene.night()

    assert (night.told, len(night.asked)) == (("failed", "unavailable"), 1)
    assert "nothing more is asked of it tonight" in night.seen.words


# --- names ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("addresses", "reason"),
    [
        (["2606:4700::1111"], None),
        (["::ffff:93.184.216.34"], None),
        ([*(f"93.184.216.{n}" for n in range(200)), "10.0.0.1"], MissReason.REFUSED_ADDRESS),
        (["64:ff9b::5db8:d822"], MissReason.REFUSED_ADDRESS),
        (["::ffff:10.1.2.3"], MissReason.REFUSED_ADDRESS),
        (["fe80::1%eth0"], MissReason.REFUSED_ADDRESS),
        (["not an address"], MissReason.REFUSED_ADDRESS),
        (["0177.0.0.1"], MissReason.REFUSED_ADDRESS),
        ([], MissReason.DNS),
    ],
)
def test_a_name_is_visited_when_every_address_it_has_is_public(
    addresses: list[str], reason: MissReason | None, client: Client, names: Names, shop: RawShop
) -> None:
    names.table["many.test"] = addresses
    shop.routes["/"] = page("hello")
    got = client.send("GET", "http://many.test/")

    assert (got.reason if isinstance(got, Unanswered) else None) is reason
    assert shop.connections == (1 if reason is None else 0)


# --- feeds have caps of their own -------------------------------------------------------------------------------


def feed(padding: int) -> bytes:
    """A merchant feed with two products and so many bytes of nothing."""
    items = "".join(
        f"<item><g:id>{n}</g:id><title>Rope {n}</title><link>http://alpkontor.example/p/rope-{n}</link>"
        f"<g:price>{n + 89}.00 EUR</g:price><g:availability>in stock</g:availability></item>"
        for n in (60, 70)
    )
    head = '<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel>'
    return f"{head}<!--{'x' * padding}-->{items}</channel></rss>".encode()


@pytest.mark.parametrize("coding", ["", "gzip"])
def test_a_feed_may_be_larger_than_a_page(coding: str, scene: Visits) -> None:
    scene.watch("/p/rope-70")
    scene.set(feed="http://alpkontor.example/feed.xml")
    scene.say(PATH, page(GOOD))
    scene.say("/feed.xml", coded(gzip.compress(feed(6_000_000)), "gzip") if coding else page(feed(6_000_000)))
    night = scene.night()

    assert night.asked == [PATH, "/feed.xml"]
    assert night.every["ROPE-70"].price == Decimal(159)
    assert "read from the shop's catalogue" in night.every["ROPE-70"].words


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (page(feed(90_000)), "sent more than 50,000 bytes"),
        (raw(b"HTTP/1.1 200 OK\r\n\r\n", feed(90_000)), "sent more than 50,000 bytes"),
        (coded(gzip.compress(feed(90_000)), "gzip"), "larger than 50,000 bytes when decoded"),
    ],
    ids=["announced", "endless", "decoded"],
)
def test_a_feed_over_its_own_cap_is_not_read_and_pages_go_on(answer: Any, words: str, scene: Visits) -> None:
    scene.watch("/p/rope-70")
    scene.limits = replace(scene.limits, max_feed_bytes=50_000)
    scene.set(feed="http://alpkontor.example/feed.xml")
    scene.say(PATH, page(GOOD))
    scene.say("/p/rope-70", page(product_page("59.00", name="Rope 70", sku="AK-2")))
    scene.say("/feed.xml", answer)
    night = scene.night()

    assert night.every["ROPE-70"].price == Decimal(59)
    told = [str((step.result or {}).get("words")) for step in night.steps if step.tool == "catalogue"]
    assert told
    assert [one for one in told if words not in one] == []

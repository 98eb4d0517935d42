"""The first night at a shop, when no earlier reading stands beside what comes: half a page, an address written anew."""

import socket
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from monitor.domain.catalogue import Watch
from tests.rawshop import moved
from tests.visits import PATH, Visits, page, product_page

PRICE = Decimal("149.00")
GOOD = product_page()
#: A page that declares nothing, with its price in boxes.
SHOWN = (
    b"<!doctype html><html lang=en><head><title>Rope 60 - Alpkontor</title></head>"
    b"<body><div class=main><h1>Rope 60</h1><div class=price>EUR <b>149.00</b></div>"
    b"<button>Add to cart</button></div></body></html>"
)


def unannounced(body: bytes) -> Any:
    """Send a page without its length, and end it with the connection."""

    def say(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + body)

    return say


def in_pieces(body: bytes) -> bytes:
    """Return an answer in two chunks, with the last one that says that this was all."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n"
    parts = (body[:100], body[100:], b"")
    return head + b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts)


def up_to(body: bytes, mark: bytes) -> bytes:
    """Return the body as far as the first of these bytes, and with them."""
    return body[: body.index(mark) + len(mark)]


# --- half a page ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "cut",
    [
        up_to(SHOWN, b"EUR <b>1"),
        up_to(SHOWN, b"EUR <b>14"),
        up_to(SHOWN, b"149.00</b>"),  # it ends with a tag, but within two boxes
        up_to(GOOD, b'"price": "14'),  # what mends broken JSON would make a price of it
        up_to(GOOD, b'"price": "149.00"'),
        SHOWN.partition(b"</div>")[0] + b"<b>Fatal error</b>: Allowed memory size of 134217728 bytes exhausted",
    ],
)
def test_a_page_that_ends_in_the_middle_is_asked_for_once_more_and_gives_no_price(cut: bytes, scene: Visits) -> None:
    """An answer that ends with its connection does not tell that something is missing: 149.00 was read as 1."""
    scene.say(PATH, unannounced(cut))

    night = scene.night()

    assert night.told == ("failed", "incomplete")
    assert "the page ends in the middle" in night.seen.words
    assert night.asked == [PATH, PATH]


def test_a_length_that_counts_characters_cuts_the_page_and_gives_no_price(scene: Visits) -> None:
    scene.say(PATH, page(up_to(SHOWN, b"EUR <b>1")))

    assert scene.night().told == ("failed", "incomplete")


@pytest.mark.parametrize(
    "whole",
    [
        SHOWN.removesuffix(b"</body></html>"),  # as tools write it that leave out what may be left out
        SHOWN + b"\n<!-- " + b"made by a cache " * 900 + b"-->",
        SHOWN.upper().replace(b"ROPE", b"Rope"),
        SHOWN.removesuffix(b"</html>") + b"served by 3",
    ],
)
def test_a_page_that_is_closed_in_another_way_is_whole(whole: bytes, scene: Visits) -> None:
    scene.say(PATH, unannounced(whole))

    night = scene.night()

    assert (night.told[0], night.seen.price) == ("ok", PRICE)


#: As a shop writes it that closes neither its pages nor every box.
NEVER_CLOSED = SHOWN.removesuffix(b"</div></body></html>")


@pytest.mark.parametrize("body", [NEVER_CLOSED, NEVER_CLOSED + b"Powered by Ropes & More"])
@pytest.mark.parametrize("is_in_pieces", [False, True])
def test_a_shop_that_never_closes_its_pages_is_read_when_their_end_was_announced_and_came(
    body: bytes, is_in_pieces: bool, scene: Visits
) -> None:
    """It could never be read: each night its pages were said to end in the middle."""
    scene.say(PATH, in_pieces(body) if is_in_pieces else page(body))

    night = scene.night()

    assert (night.told[0], night.seen.price, night.asked) == ("ok", PRICE, [PATH])


def test_a_program_that_dies_within_an_amount_gives_no_price_although_its_answer_has_an_end(scene: Visits) -> None:
    scene.say(PATH, in_pieces(up_to(SHOWN, b"EUR <b>1")))

    assert scene.night().told == ("failed", "incomplete")


# --- an address written anew ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "to",
    ["/P/Rope-60", "/p/rope-60.html", "/p/rope%2D60", "/p/rope-60;jsessionid=A1B2", "/en/p/rope-60/;jsessionid=A1"],
)
def test_another_way_of_writing_the_address_is_the_same_page(to: str, scene: Visits) -> None:
    """With no reading to compare with it was another product, that night and every one after it."""
    scene.say(PATH, moved(to))
    scene.say(to, page(GOOD))

    night = scene.night()

    assert (night.told[0], night.seen.price) == ("ok", PRICE)


def test_an_address_in_letters_beyond_ascii_is_the_one_that_was_asked_for(scene: Visits) -> None:
    scene.watches = (replace(scene.watches[0], url="http://alpkontor.example/p/seil-\u00e4"),)
    scene.say("/p/seil-%C3%A4", page(GOOD))

    assert scene.night().told[0] == "ok"


@pytest.mark.parametrize("to", ["/p/rope-60-v2", "/p/rope-60.v2", "/p/", "/p/rope-60/set"])
def test_an_address_that_says_something_else_may_be_another_product(to: str, scene: Visits) -> None:
    scene.watches = (Watch("alpkontor", "ROPE-60", f"http://alpkontor.example{PATH}"),)
    scene.say(PATH, moved(to))
    scene.say(to, page(GOOD))

    assert scene.night().told == ("not_found", "redirected")


def test_a_header_that_sends_visitors_on_is_told_where_the_page_gives_no_price(scene: Visits) -> None:
    scene.say(PATH, page("<html><body>Moved</body></html>", headers={"Refresh": "0; url=/p/rope-61"}))

    night = scene.night()

    assert night.told == ("failed", "sent_on")
    assert "sends visitors on to /p/rope-61" in night.seen.words

"""What one call does when the other side is slow, endless, broken, lying, or gone."""

import gzip
import itertools
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest

from monitor.adapters.http import Answer, CallRules, Client, Resolver, Unanswered
from monitor.domain.page import MissReason
from tests.adapters.fetch.certificates import serving, trusting
from tests.rawshop import Elsewhere, Names, RawShop, answer, gzipped, moved

URL = "http://alpkontor.example/p"


def quick(seconds: float = 0.3, **changes: object) -> CallRules:
    return CallRules(deadline=timedelta(seconds=seconds), **changes)  # type: ignore[arg-type]


def bomb() -> Iterator[bytes]:
    """Yield a gzip stream of endless zeros, about 1 kB per megabyte."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    zeros = bytes(1_000_000)
    yield packer.compress(zeros) + packer.flush(zlib.Z_FULL_FLUSH)
    yield from itertools.repeat(packer.compress(zeros) + packer.flush(zlib.Z_FULL_FLUSH))


def chunked(parts: list[bytes], *, end: bool = True) -> bytes:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    body = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts)
    return head + body + (b"0\r\n\r\n" if end else b"")


def missed(got: Answer | Unanswered) -> Unanswered:
    assert isinstance(got, Unanswered), got
    return got


def answered(got: Answer | Unanswered) -> Answer:
    assert isinstance(got, Answer), got
    return got


# --- deadline ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "first",
    [
        pytest.param(b"", id="status line and headers"),
        pytest.param(b"HTTP/1.1 200 OK\r\nX-Pad: ", id="one endless header"),
        pytest.param(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", id="body"),
        pytest.param(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", id="chunk size"),
    ],
)
def test_an_answer_that_drips_ends_at_the_deadline(first: bytes, client: Client, shop: RawShop) -> None:
    """Every byte comes well within the read timeout, so only a total deadline ends this."""
    letters = itertools.repeat(b"0")
    say = first or b"HTTP/1.1 200 OK\r\n"
    pieces = itertools.chain((bytes([one]) for one in say), letters)
    shop.routes["/p"] = shop.drip(pieces)

    started = time.monotonic()
    got = missed(client.send("GET", URL, rules=quick()))

    assert (got.reason, got.sent, got.may_pass) == (MissReason.DEADLINE, True, False)
    assert time.monotonic() - started < 1.0
    assert "after 0.3 s" in got.words


def test_a_server_that_never_answers_ends_at_the_deadline(client: Client, shop: RawShop) -> None:
    shop.routes["/p"] = lambda _: shop.stopped.wait(5) and None

    assert missed(client.send("GET", URL, rules=quick())).reason is MissReason.DEADLINE


def test_silence_ends_before_the_deadline(client: Client, shop: RawShop) -> None:
    shop.routes["/p"] = lambda _: shop.stopped.wait(5) and None

    got = missed(client.send("GET", URL, rules=quick(5.0, silence=timedelta(seconds=0.1))))

    assert got.reason is MissReason.DEADLINE
    assert "silent for 0.1 s" in got.words


def test_a_handshake_that_hangs_ends_at_the_deadline(client: Client) -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        hung = Client(resolver=Resolver(Names(alpkontor_example="93.184.216.34")), network=Elsewhere(_port(deaf)))
        got = missed(hung.send("GET", "https://alpkontor.example/", rules=quick()))
        hung.close()

    assert (got.reason, got.sent) == (MissReason.DEADLINE, False)


def _port(listener: socket.socket) -> int:
    return int(listener.getsockname()[1])


def test_a_look_up_that_hangs_ends_at_the_deadline_and_holds_up_nobody(elsewhere: Elsewhere, shop: RawShop) -> None:
    release = threading.Event()

    def lookup(host: str, port: int) -> list[str]:
        if host == "slow.example":
            release.wait(5)
        return ["93.184.216.34"]

    shop.routes["/p"] = answer(b"fine")
    client = Client(resolver=Resolver(lookup), network=elsewhere)
    try:
        got = missed(client.send("GET", "http://slow.example/p", rules=quick(0.1)))
        assert (got.reason, got.sent, got.may_pass) == (MissReason.DNS, False, True)
        assert answered(client.send("GET", URL)).body == b"fine"
    finally:
        release.set()
        client.close()


def test_dripping_shops_do_not_delay_a_healthy_one(client: Client, shop: RawShop) -> None:
    shop.routes["/slow"] = shop.drip(itertools.repeat(b"x"))
    shop.routes["/p"] = answer(b"fine")
    slow = [
        threading.Thread(target=client.send, args=("GET", "http://rival.test/slow"), kwargs={"rules": quick(1.0)})
        for _ in range(10)
    ]
    for thread in slow:
        thread.start()

    started = time.monotonic()
    for _ in range(20):
        assert answered(client.send("GET", URL)).body == b"fine"
    assert time.monotonic() - started < 0.9
    for thread in slow:
        thread.join()


# --- size -------------------------------------------------------------------------------------------------------


def test_endless_headers_are_cut_off(client: Client, shop: RawShop) -> None:
    def say(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\n")
        for number in itertools.count():
            connection.sendall(b"X-%d: y\r\n" % number * 100)

    shop.routes["/p"] = say

    assert missed(client.send("GET", URL)).reason in (MissReason.PROTOCOL, MissReason.TOO_LARGE)


def test_an_announced_length_over_the_cap_is_not_even_read(client: Client, shop: RawShop) -> None:
    shop.routes["/p"] = lambda connection: connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 6000000\r\n\r\n")

    got = missed(client.send("GET", URL))

    assert (got.reason, got.status) == (MissReason.TOO_LARGE, 200)
    assert "6,000,000" in got.words


def test_a_body_of_exactly_the_cap_is_taken_and_one_byte_more_is_not(client: Client, shop: RawShop) -> None:
    shop.routes["/p"] = [gzipped(b"x" * 1000), gzipped(b"x" * 1001), answer(b"x" * 1001)]
    rules = quick(5.0, max_body_bytes=1000)

    assert answered(client.send("GET", URL, rules=rules)).body == b"x" * 1000
    assert missed(client.send("GET", URL, rules=rules)).reason is MissReason.TOO_LARGE
    assert missed(client.send("GET", URL, rules=rules)).reason is MissReason.TOO_LARGE


def test_a_longer_body_may_be_cut_when_the_rules_say_so(client: Client, shop: RawShop) -> None:
    shop.routes["/p"] = answer(b"x" * 5000)

    got = answered(client.send("GET", URL, rules=quick(5.0, max_body_bytes=1000, max_wire_bytes=2000, may_cut=True)))

    assert got.body == b"x" * 1000


# --- complete ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "said",
    [
        pytest.param(answer(b"half", headers={"Content-Length": "400"}), id="shorter than announced"),
        pytest.param(chunked([b"<html>"], end=False), id="chunks without an end"),
        pytest.param(
            b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + gzip.compress(b"x" * 9000)[:-8],
            id="gzip without its end",
        ),
        pytest.param(
            answer(gzip.compress(b"x" * 9000)[:30], headers={"Content-Encoding": "gzip"}), id="half a gzip stream"
        ),
        pytest.param(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f", id="half a gzip magic"),
    ],
)
def test_an_answer_that_ends_too_early_is_incomplete(said: bytes, client: Client, shop: RawShop) -> None:
    shop.routes["/p"] = lambda connection: connection.sendall(said)

    got = missed(client.send("GET", URL))

    assert (got.reason, got.status, got.sent) == (MissReason.INCOMPLETE, 200, True)


def test_a_broken_gzip_stream_is_unreadable(client: Client, shop: RawShop) -> None:
    packed = bytearray(gzip.compress(b"price" * 900))
    packed[14:20] = b"\xff" * 6
    shop.routes["/p"] = answer(bytes(packed), headers={"Content-Encoding": "gzip"})

    got = missed(client.send("GET", URL))

    assert (got.reason, got.may_pass) == (MissReason.UNREADABLE, False)


@pytest.mark.parametrize(
    ("said", "body"),
    [
        pytest.param(gzipped(b"<p>149.00</p>"), b"<p>149.00</p>", id="gzip"),
        pytest.param(
            answer(gzip.compress(b"ab") + gzip.compress(b"cd"), headers={"Content-Encoding": "gzip"}),
            b"abcd",
            id="two gzip members",
        ),
        pytest.param(
            answer(gzip.compress(b"ab") + b"\0" * 16, headers={"Content-Encoding": "x-gzip"}), b"ab", id="padding"
        ),
        pytest.param(answer(b"<html>", headers={"Content-Encoding": "gzip"}), b"<html>", id="gzip that is HTML"),
        pytest.param(answer(b"", headers={"Content-Encoding": "gzip"}), b"", id="gzip of nothing"),
        pytest.param(answer(b"x", headers={"Content-Encoding": "identity"}), b"x", id="identity"),
        pytest.param(chunked([b"ab", b"c"]), b"abc", id="chunked"),
        pytest.param(b"HTTP/1.0 200 OK\r\n\r\nold", b"old", id="HTTP 1.0, ends with the connection"),
    ],
)
def test_a_complete_body_arrives_decoded(said: bytes, body: bytes, client: Client, shop: RawShop) -> None:
    def say(connection: socket.socket) -> None:
        connection.sendall(said)

    shop.routes["/p"] = say

    assert answered(client.send("GET", URL)).body == body


def test_a_gzip_header_over_something_else_is_unreadable(client: Client, shop: RawShop) -> None:
    shop.routes["/p"] = answer(b"\x00\x01\x02\x03", headers={"Content-Encoding": "gzip"})

    got = missed(client.send("GET", URL))

    assert (got.reason, got.may_pass) == (MissReason.UNREADABLE, False)


@pytest.mark.parametrize(
    "said", [b"SSH-2.0-OpenSSH_9.6\r\n\r\n", b"<html>no head</html>\r\n\r\n", b"\x15\x03\x01\x00\x02\x02"]
)
def test_an_answer_that_is_not_http_is_named(said: bytes, client: Client, shop: RawShop) -> None:
    shop.routes["/p"] = lambda connection: connection.sendall(said)

    got = missed(client.send("GET", URL))

    assert got.reason is MissReason.PROTOCOL
    assert got.sent


# --- sent or not sent -------------------------------------------------------------------------------------------


def test_a_write_that_nobody_took_was_not_sent(client: Client, elsewhere: Elsewhere) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        elsewhere.port = _port(listener)

    got = missed(client.send("POST", URL, body=b"{}"))

    assert (got.reason, got.sent, got.may_pass) == (MissReason.CONNECT, False, True)


@pytest.mark.parametrize(
    ("say", "status"),
    [
        (lambda connection: None, None),
        (lambda connection: connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"), 200),
    ],
)
def test_a_write_without_a_complete_answer_is_ambiguous(
    say: Callable[[socket.socket], None], status: int | None, client: Client, shop: RawShop
) -> None:
    shop.routes["/p"] = say

    got = missed(client.send("POST", URL, headers={"Idempotency-Key": "k1"}, body=b'{"price":"9.90"}'))

    assert (got.reason, got.sent, got.status) == (MissReason.INCOMPLETE, True, status)
    assert len(shop.requests) == 1
    assert shop.requests[0].endswith(b'\r\n\r\n{"price":"9.90"}')
    assert b"idempotency-key: k1\r\n" in shop.requests[0]


def test_a_write_that_times_out_was_sent(client: Client, shop: RawShop) -> None:
    shop.routes["/p"] = lambda _: shop.stopped.wait(5) and None

    got = missed(client.send("POST", URL, body=b"{}", rules=quick()))

    assert (got.reason, got.sent) == (MissReason.DEADLINE, True)


def test_an_answer_to_a_write_is_given_back_whatever_its_status(client: Client, shop: RawShop) -> None:
    """A redirect of a write is not followed: following could write twice or somewhere else."""
    shop.routes["/p"] = [moved("/elsewhere", status=307), answer(b"no", status=409)]

    assert [answered(client.send("POST", URL, body=b"{}")).status for _ in range(2)] == [307, 409]
    assert len(shop.requests) == 2


def test_a_header_that_would_smuggle_is_not_sent(client: Client, shop: RawShop) -> None:
    got = missed(client.send("GET", URL, headers={"X-Note": "a\r\nX-Evil: 1"}))

    assert (got.reason, got.sent) == (MissReason.PROTOCOL, False)
    assert shop.requests == []


# --- connections ------------------------------------------------------------------------------------------------


def test_a_connection_is_used_again_for_its_own_host_only(client: Client, shop: RawShop) -> None:
    shop.routes["/p"] = answer(b"fine")
    for host in ("alpkontor.example", "alpkontor.example", "other.example", "alpkontor.example", "rival.test"):
        answered(client.send("GET", f"http://{host}/p"))

    assert shop.connections == 3
    assert [line.split(b"\r\n")[1] for line in shop.requests][2] == b"Host: other.example"


@pytest.mark.parametrize(
    "said",
    [
        pytest.param(answer(b"fine") + answer(b"9.00 EUR"), id="an answer nobody asked for"),
        pytest.param(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine and more", id="a body longer than it says"),
        pytest.param(b"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello", id="a body where there is none"),
        pytest.param(b"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\nhello", id="an unchanged body"),
    ],
)
def test_what_comes_after_an_answer_is_not_taken_for_the_next(said: bytes, client: Client, shop: RawShop) -> None:
    shop.routes |= {"/p": said, "/q": answer(b"12.00 EUR")}
    answered(client.send("GET", URL))

    assert answered(client.send("GET", "http://alpkontor.example/q")).body == b"12.00 EUR"
    assert shop.connections == 2


def test_a_read_meets_a_connection_the_shop_has_closed_and_opens_a_new_one(client: Client, shop: RawShop) -> None:
    """The close races with our next request, so it is repeated once, and only when nothing had come back."""
    seen = threading.Event()

    def hang_up(connection: socket.socket) -> None:
        seen.set()

    shop.routes["/p"] = answer(b"fine")
    shop.routes["/q"] = hang_up
    answered(client.send("GET", URL))

    got = missed(client.send("GET", "http://alpkontor.example/q"))

    assert seen.is_set()
    assert (got.reason, got.may_pass) == (MissReason.INCOMPLETE, True)
    assert (len(shop.requests), shop.connections) == (3, 2)


def test_a_write_never_uses_a_connection_opened_before(client: Client, shop: RawShop) -> None:
    shop.routes["/p"] = answer(b"fine")
    for method in ("GET", "POST", "POST", "GET"):
        answered(client.send(method, URL))

    assert shop.connections == 3


def test_threads_that_have_ended_leave_no_connection_open(client: Client, shop: RawShop) -> None:
    shop.routes["/p"] = answer(b"fine")
    for _ in range(6):
        thread = threading.Thread(target=client.send, args=("GET", URL))
        thread.start()
        thread.join()

    assert len(client._owned) == 1


# --- TLS --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "certificate", "trust", "words"),
    [
        ("alpkontor.example", "expired.pem", trusting, "expired"),
        ("other.example", "shop.pem", trusting, "not valid for 'other.example'"),
        ("alpkontor.example", "shop.pem", ssl.create_default_context, "unable to get local issuer"),
    ],
)
def test_a_bad_certificate_is_named_and_nothing_is_sent(
    host: str, certificate: str, trust: Callable[[], ssl.SSLContext], words: str, names: Names
) -> None:
    with RawShop(tls=serving(certificate)) as shop:
        client = Client(resolver=Resolver(names), network=Elsewhere(shop.port), ssl_context=trust())
        got = missed(client.send("POST", f"https://{host}/", body=b"{}"))
        client.close()

    assert (got.reason, got.sent, got.may_pass) == (MissReason.TLS, False, False)
    assert words in got.words
    assert shop.requests == []


def test_a_good_certificate_is_checked_for_the_name_though_the_address_is_pinned(names: Names) -> None:
    with RawShop(tls=serving("shop.pem")) as shop:
        shop.routes["/p"] = answer(b"safe")
        client = Client(resolver=Resolver(names), network=Elsewhere(shop.port), ssl_context=trusting())
        got = answered(client.send("GET", "https://alpkontor.example/p"))
        client.close()

    assert got.body == b"safe"
    assert b"Host: alpkontor.example\r\n" in shop.requests[0]


def test_a_server_that_speaks_plain_http_on_the_tls_port_is_named(client: Client, shop: RawShop) -> None:
    shop.routes["/p"] = answer(b"plain")

    got = missed(client.send("GET", "https://alpkontor.example/p", rules=quick()))

    assert got.reason in (MissReason.TLS, MissReason.DEADLINE)
    assert not got.sent


def test_headers_arrive_in_lower_case_and_cookies_one_by_one(client: Client, shop: RawShop) -> None:
    shop.routes["/p"] = (
        b"HTTP/1.1 200 OK\r\nX-One: a\r\nx-one: b\r\nX-Name: \xc3\xbc\r\nX-Old: \xfc\r\n"
        b"Set-Cookie: a=1, 2; Path=/\r\nSet-Cookie: b=2\r\nContent-Length: 0\r\n\r\n"
    )

    got = answered(client.send("GET", URL))

    assert (got.headers["x-one"], got.headers["x-name"], got.headers["x-old"]) == ("a, b", "ü", "ü")
    assert got.set_cookies == ("a=1, 2; Path=/", "b=2")

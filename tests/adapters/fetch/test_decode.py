"""Bodies in every coding that is asked for: read right, cut off in time, and never larger in memory than the cap."""

import gzip
import itertools
import socket
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import brotli
import pytest
import zstandard
from hypothesis import example, given
from hypothesis import strategies as st

from monitor.adapters.http import Answer, CallRules, Client, Unanswered
from monitor.adapters.http.call import Stopped
from monitor.adapters.http.decode import read_body
from monitor.domain.page import MissReason
from tests.rawshop import RawShop, answer

URL = "http://alpkontor.example/p"
HUGE = 512 * 1024 * 1024


def deflated(body: bytes, bits: int = 15) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, bits)
    return packer.compress(body) + packer.flush()


def raw_deflated(body: bytes) -> bytes:
    return deflated(body, -15)


def twice(body: bytes) -> bytes:
    return gzip.compress(brotli.compress(body))


PACKED: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("gzip", gzip.compress),
    ("x-gzip", gzip.compress),
    ("deflate", deflated),
    ("deflate", raw_deflated),
    ("br", brotli.compress),
    ("zstd", zstandard.compress),
    ("br, gzip", twice),
    ("identity, GZIP", gzip.compress),
]
IDS = ["gzip", "x-gzip", "zlib", "raw deflate", "brotli", "zstd", "brotli in gzip", "odd case"]


def read(coded: bytes, coding: str, cap: int = 5_000_000, cut: int = 997, *, may_cut: bool = False) -> bytes:
    pieces = (coded[at : at + cut] for at in range(0, len(coded), cut))
    return read_body(pieces, coding, cap=cap, may_cut=may_cut, place="shop.example:80")


def stopped(coded: bytes, coding: str, cap: int = 5_000_000) -> MissReason:
    with pytest.raises(Stopped) as stop:
        read(coded, coding, cap)
    return stop.value.reason


@pytest.mark.parametrize(("coding", "pack"), PACKED, ids=IDS)
@given(body=st.binary(max_size=3000), cut=st.integers(1, 400))
@example(body=b"\xad\xc0", cut=1)  # which raw deflate packs as `[{` and two zeros
def test_every_coding_is_undone_however_the_wire_cuts_it(
    coding: str, pack: Callable[[bytes], bytes], body: bytes, cut: int
) -> None:
    assert read(pack(body), coding, cut=cut) == body


@pytest.mark.parametrize(("coding", "pack"), PACKED, ids=IDS)
def test_a_stream_that_ends_before_its_end_is_incomplete(coding: str, pack: Callable[[bytes], bytes]) -> None:
    coded = pack(bytes(range(256)) * 400)

    assert stopped(coded[:-6], coding) is MissReason.INCOMPLETE
    assert stopped(coded[: len(coded) // 2], coding) is MissReason.INCOMPLETE


@pytest.mark.parametrize(("coding", "pack"), PACKED, ids=IDS)
def test_a_body_of_exactly_the_cap_is_taken_and_one_byte_more_is_not(
    coding: str, pack: Callable[[bytes], bytes]
) -> None:
    assert read(pack(b"x" * 200_000), coding, cap=200_000) == b"x" * 200_000
    assert stopped(pack(b"x" * 200_001), coding, cap=200_000) is MissReason.TOO_LARGE
    assert read(pack(b"x" * 200_001), coding, cap=200_000, may_cut=True) == b"x" * 200_000


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_a_header_over_plain_html_is_read_as_html_and_over_anything_else_is_unreadable(coding: str) -> None:
    page = b"\n<!DOCTYPE html><html><body>149.00</body></html>"

    assert read(page, coding) == page
    assert read(b"", coding) == b""
    assert stopped(b"\x00\x01\x02\xff\xfe\xfd" * 40, coding) in (MissReason.UNREADABLE, MissReason.INCOMPLETE)
    assert stopped(b"\xff" * 400, coding) is MissReason.UNREADABLE


@pytest.mark.parametrize("coding", ["compress", "gzip, sdch", "aes128gcm", "br;q=1", "gzip, gzip, gzip, gzip"])
def test_a_coding_that_was_not_asked_for_is_refused_by_name(coding: str) -> None:
    with pytest.raises(Stopped, match="only gzip, deflate, br, zstd were asked for") as stop:
        read(b"\x1f\x8b", coding)
    assert stop.value.reason is MissReason.ENCODING


def test_members_and_frames_may_follow_each_other() -> None:
    assert read(gzip.compress(b"ab") + gzip.compress(b"cd") + bytes(16), "gzip", cut=3) == b"abcd"
    assert read(zstandard.compress(b"ab") + zstandard.compress(b"cd"), "zstd", cut=3) == b"abcd"


def test_a_stage_that_swallows_everything_and_gives_nothing_ends_too() -> None:
    """Empty gzip members without end, in brotli: nothing ever arrives, and the inner stage alone is a bomb."""
    assert stopped(brotli.compress(gzip.compress(b"") * 400_000), "gzip, br", cap=1_000_000) is MissReason.TOO_LARGE


def test_a_zstd_window_that_would_need_much_memory_is_refused() -> None:
    wide = zstandard.ZstdCompressionParameters(window_log=27, enable_ldm=True)
    packer = zstandard.ZstdCompressor(compression_params=wide).compressobj()

    assert stopped(packer.compress(b"x" * 100_000) + packer.flush(), "zstd") is MissReason.UNREADABLE


# --- bombs over a real socket -----------------------------------------------------------------------------------


def gzip_zeros(inner: int = HUGE) -> Iterator[bytes]:
    """One member; its blocks are packed once and repeated, which a full flush allows."""
    packer, zeros = zlib.compressobj(9, zlib.DEFLATED, 31), bytes(1024 * 1024)
    yield packer.compress(zeros) + packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(zeros) + packer.flush(zlib.Z_FULL_FLUSH)
    yield from itertools.repeat(block, inner // len(zeros))


def zstd_zeros() -> Iterator[bytes]:
    """One frame of RLE blocks: four bytes each, 128 kB inside."""
    yield b"\x28\xb5\x2f\xfd\x00\x38"  # one megabyte of window
    block = ((131_072 << 3) | (1 << 1)).to_bytes(3, "little") + b"\x00"
    for _ in range(HUGE // 131_072 // 64):
        yield block * 64


BROTLI_ZEROS = brotli.compress(bytes(HUGE // 4))
BOMBS: dict[str, tuple[str, Callable[[], Iterable[bytes]]]] = {
    "gzip": ("gzip", gzip_zeros),
    "raw deflate": ("deflate", lambda: [raw_deflated(bytes(HUGE // 8))]),
    "zlib": ("deflate", lambda: [deflated(bytes(HUGE // 8))]),
    "brotli": ("br", lambda: [BROTLI_ZEROS]),
    "zstd": ("zstd", zstd_zeros),
    "zstd, honest frame": ("zstd", lambda: [zstandard.compress(bytes(HUGE // 8), 19)]),
    "brotli in gzip": ("br, gzip", lambda: [gzip.compress(BROTLI_ZEROS)]),
    "gzip in gzip": ("gzip, gzip", lambda: [gzip.compress(b"".join(gzip_zeros(HUGE // 4)))]),
    "gzip in gzip in brotli": (
        "gzip, gzip, br",
        lambda: [brotli.compress(gzip.compress(gzip.compress(bytes(HUGE // 8))))],
    ),
    "endless plain": ("", lambda: (bytes(65_536) for _ in range(HUGE // 65_536))),
    "many members": ("gzip", lambda: [gzip.compress(bytes(100_000)) * 600]),
}


def in_memory(name: str) -> int:
    """Return a figure of this process in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))


CRUMBS = {
    "zstd frames to skip": ("zstd", [b"\x50\x2a\x4d\x18\x00\x00\x00\x00" * 600_000], None),
    "gzip members of one byte": ("gzip", [gzip.compress(b"x") * 200_000], None),
    "chunks of two bytes": ("", [b"2\r\nxx\r\n" * 600_000, b"0\r\n\r\n"], "in 50,001 pieces of"),
}


@pytest.mark.parametrize("name", CRUMBS)
def test_a_flood_of_crumbs_costs_little_memory(name: str, client: Client, shop: RawShop) -> None:
    """Each costs the sender a few bytes; kept one by one they took fifty megabytes."""
    coding, pieces, words = CRUMBS[name]

    def say(connection: socket.socket) -> None:
        framing = f"Content-Encoding: {coding}" if coding else "Transfer-Encoding: chunked"
        connection.sendall(f"HTTP/1.1 200 OK\r\n{framing}\r\n\r\n".encode())
        for piece in pieces:
            connection.sendall(piece)

    shop.routes["/p"] = say
    Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here
    before = in_memory("VmRSS")
    got = client.send("GET", URL)

    assert in_memory("VmHWM") - before < 20_000_000
    assert (words is None) is isinstance(got, Answer)
    assert isinstance(got, Answer) or (got.reason, words in got.words) == (MissReason.PROTOCOL, True)


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_too_large_and_costs_little_memory_and_time(name: str, client: Client, shop: RawShop) -> None:
    coding, made = BOMBS[name]
    pieces = list(made()) if name != "endless plain" else made()

    def say(connection: socket.socket) -> None:
        connection.sendall(f"HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\n\r\n".encode())
        for piece in pieces:
            connection.sendall(piece)

    shop.routes["/p"] = say
    Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here
    before, started = in_memory("VmRSS"), time.process_time()
    got = client.send("GET", URL)
    spent, grown = time.process_time() - started, in_memory("VmHWM") - before

    assert isinstance(got, Unanswered)
    assert (got.reason, got.may_pass) == (MissReason.TOO_LARGE, False)
    assert grown < 20_000_000, f"{grown / 1e6:.1f} MB, {spent:.2f} s"


def test_what_is_asked_for_is_what_can_be_read(client: Client, shop: RawShop) -> None:
    shop.routes["/p"] = answer(brotli.compress(b"149.00"), headers={"Content-Encoding": "br"})

    got = client.send("GET", URL, rules=CallRules())

    assert isinstance(got, Answer)
    assert got.body == b"149.00"
    assert b"accept-encoding: gzip, deflate, br, zstd\r\n" in shop.requests[0].lower()

"""A response body within its cap, whatever its content coding claims.

Counting decoded chunks is too late: one chunk of a good compressor can be hundreds of megabytes. So every decoder is
asked for small pieces only, and what each stage of a nested coding gives is counted against the same cap, so that a
stage which swallows everything and gives nothing cannot be fed for ever either.

Sources: RFC 9110, section 8.4; RFC 1952 (several members may follow each other); RFC 8878 (a zstd block gives at most
128 kB, whatever its size). Measured without bounds: 1 kB of brotli took 1,066 MB.
"""

import re
import zlib
from collections.abc import Callable, Iterable, Iterator

import brotli  # type: ignore[import-untyped]  # it ships no types
import zstandard

from monitor.adapters.http.call import Stopped
from monitor.domain.page import MissReason

#: What is asked for; the decoders below.
ACCEPTED = "gzip, deflate, br, zstd"
#: Most codings on top of each other; more is nobody's web server.
MOST_CODINGS = 3
#: Bytes asked of a decoder at once.
PIECE = 262_144
_SMALL = 1_024

_GZIP = 31  # zlib's window bits for a gzip header
_ZLIB, _RAW = 15, -15
_GZIP_MAGIC, _ZSTD_MAGIC = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
#: Bytes given to zstd at once: each four of them may be a block of 128 kB.
_ZSTD_SLICE = 64
_ZSTD_WINDOW = 8 * 1024 * 1024
_PLAIN = re.compile(
    rb"\s*(?:\xef\xbb\xbf)?\s*(?:<!doctype|<html|<head|<body|<\?xml|<!--|<rss|<urlset|\{\s*\"|\[\s*[\{\"])",
    re.IGNORECASE,
)
_NO_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_START = 64  # bytes looked at to tell plain text from a coding


class Full(Exception):
    """The cap is reached; what was read is in `Bounded.body`."""


class Incomplete(Exception):
    """A coding ends before its end."""


class Broken(Exception):
    """The bytes are not in the coding they are announced as."""


class Bounded:
    """Collects decoded bytes up to a cap."""

    def __init__(self, cap: int) -> None:
        self.cap = cap
        self._parts: list[bytes] = []
        self._loose = bytearray()  # small parts together: each on its own would take a multiple of its size
        self._size = 0

    def add(self, part: bytes) -> None:
        """Keep a part; raises Full when it does not fit, after keeping what does."""
        room = self.cap - self._size
        if len(part) < _SMALL:
            self._loose += part[:room]
        else:
            self._gather()
            self._parts.append(part[:room])
        if len(self._loose) > PIECE:
            self._gather()
        self._size += min(len(part), room)
        if len(part) > room:
            raise Full

    def _gather(self) -> None:
        if self._loose:
            self._parts.append(bytes(self._loose))
            self._loose.clear()

    def body(self) -> bytes:
        """Return everything kept."""
        self._gather()
        return b"".join(self._parts)


def read_body(chunks: Iterable[bytes], coding: str, *, cap: int, may_cut: bool, place: str) -> bytes:
    """Return the decoded body.

    Args:
        chunks: as they come from the wire.
        coding: the Content-Encoding header, "" when there is none.
        cap: most bytes after decoding.
        may_cut: return the first `cap` bytes of a longer body instead of refusing it.
        place: who sent it, for words.

    Raises:
        Stopped: too large, a coding that was not asked for, or a stream that is broken or cut off.
    """
    kept = Bounded(cap)
    codings, pieces = _to_undo(coding, iter(chunks), place)
    try:
        for part in _decoded(pieces, codings, cap):
            kept.add(part)
    except Full:
        if not may_cut:
            words = f"the body from {place} is larger than {cap:,} bytes when decoded; it was not read further"
            raise Stopped(MissReason.TOO_LARGE, words) from None
    except Incomplete:
        words = f"the {coding.strip()} stream from {place} ends before its end"
        raise Stopped(MissReason.INCOMPLETE, words) from None
    except Broken:
        words = f"the body from {place} is announced as {coding.strip()[:40]} and is not; nothing of it was read"
        raise Stopped(MissReason.UNREADABLE, words) from None
    return kept.body()


def _to_undo(header: str, chunks: Iterator[bytes], place: str) -> tuple[list[str], Iterator[bytes]]:
    """Return the codings to undo, the outermost first, and the chunks whole.

    Some servers name a charset, or "none", where a coding belongs; plain text under such a name is plain text.
    """
    named = [name.strip().lower().removeprefix("x-") for name in header.split(",")]
    named = [name for name in named if name not in ("", "identity")]
    if len(named) <= MOST_CODINGS:
        if all(name in _STAGES for name in named):
            return named[::-1], chunks
        start, chunks = _peeked(chunks)
        if _is_plain(start):
            return [], chunks
    words = f"{place} sent the content coding {header[:40]!r}; only {ACCEPTED} were asked for"
    raise Stopped(MissReason.ENCODING, words)


def _decoded(chunks: Iterator[bytes], codings: list[str], cap: int) -> Iterator[bytes]:
    if not codings:
        return chunks
    start, chunks = _peeked(chunks)
    if not start:
        return iter(())
    if len(codings) == 1 and not _is_coded(codings[0], start) and _is_plain(start):
        return chunks  # a header over a body that is not coded: seen at real shops behind a confused cache
    for name in codings[:-1]:
        chunks = _counted(_STAGES[name](chunks), cap)
    return _STAGES[codings[-1]](chunks)


def _peeked(chunks: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    start = b""
    for chunk in chunks:
        start += chunk
        if len(start) >= _START:
            break
    return start[:_START], _chained(start, chunks)


def _chained(start: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield start
    yield from rest


def _is_plain(start: bytes) -> bool:
    """Say whether a body begins like a page or a file; a few coded bytes may too, but hold what no text has."""
    return _PLAIN.match(start) is not None and _NO_TEXT.search(start) is None


def _is_coded(coding: str, start: bytes) -> bool:
    """Say whether the first bytes are those of the coding, where it has such."""
    magic = {"gzip": _GZIP_MAGIC, "zstd": _ZSTD_MAGIC}.get(coding)
    return magic is not None and start.startswith(magic)


def _counted(parts: Iterator[bytes], cap: int) -> Iterator[bytes]:
    size = 0
    for part in parts:
        size += len(part)
        if size > cap:
            raise Full
        yield part


def _gunzip(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Undo gzip, member after member; what follows the last one and is not gzip is dropped."""
    decoder = zlib.decompressobj(_GZIP)
    between = b""
    for chunk in chunks:
        left = chunk
        while left:
            if decoder.eof:
                between += left
                if len(between) < len(_GZIP_MAGIC):
                    break
                if not between.startswith(_GZIP_MAGIC):
                    return
                decoder, left, between = zlib.decompressobj(_GZIP), between, b""
            yield _inflated(decoder, left)
            left = decoder.unused_data if decoder.eof else decoder.unconsumed_tail
    if not decoder.eof:
        raise Incomplete


def _inflate(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Undo deflate: the zlib format, as the standard says, or the raw one, as some servers do."""
    start, chunks = _peeked(chunks)
    is_zlib = len(start) > 1 and start[0] & 0x0F == 8 and (start[0] << 8 | start[1]) % 31 == 0
    decoder = zlib.decompressobj(_ZLIB if is_zlib else _RAW)
    for chunk in chunks:
        left = chunk
        while left and not decoder.eof:
            yield _inflated(decoder, left)
            left = decoder.unconsumed_tail
    if not decoder.eof:
        raise Incomplete


def _inflated(decoder: "zlib._Decompress", data: bytes) -> bytes:
    try:
        return decoder.decompress(data, PIECE)
    except zlib.error:
        raise Broken from None


def _unbrotli(chunks: Iterator[bytes]) -> Iterator[bytes]:
    decoder = brotli.Decompressor()
    for chunk in chunks:
        left, part = chunk, b""
        while left or len(part) >= PIECE or not decoder.can_accept_more_data():
            if decoder.is_finished():
                return
            try:
                part = decoder.process(left, output_buffer_limit=PIECE)
            except brotli.error:
                raise Broken from None
            yield part
            left = b""
    if not decoder.is_finished():
        raise Incomplete


def _unzstd(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Undo zstd, frame after frame, in slices so small that what they can grow to is bounded."""
    made = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW)
    decoder, is_open = made.decompressobj(), False
    for chunk in chunks:
        for at in range(0, len(chunk), _ZSTD_SLICE):
            left = chunk[at : at + _ZSTD_SLICE]
            while left:
                if decoder.eof:
                    decoder = made.decompressobj()
                try:
                    part = decoder.decompress(left)
                except zstandard.ZstdError:
                    raise Broken from None
                yield part
                left, is_open = decoder.unused_data, not decoder.eof
    if is_open:
        raise Incomplete


_STAGES: dict[str, Callable[[Iterator[bytes]], Iterator[bytes]]] = {
    "gzip": _gunzip,
    "deflate": _inflate,
    "br": _unbrotli,
    "zstd": _unzstd,
}

"""A response body within its cap, whatever its content coding claims.

Counting decoded chunks is too late: one chunk of a good compressor can be hundreds of megabytes. So the
decoder is asked for no more bytes than the cap still allows. Only gzip is asked for, and only gzip is taken;
other codings are refused by name.

Source: RFC 9110, section 8.4; RFC 1952 (several members may follow each other).
"""

import zlib
from collections.abc import Iterable, Iterator

from monitor.adapters.http.call import Stopped
from monitor.domain.page import MissReason

_GZIP = 31  # zlib's window bits for a gzip header
_MAGIC = b"\x1f\x8b"
_PLAIN_STARTS = (b"<", b"{", b"[", b"\xef\xbb\xbf")


class Full(Exception):
    """The cap is reached; what was read is in `Bounded.body`."""


class Bounded:
    """Collects decoded bytes up to a cap."""

    def __init__(self, cap: int) -> None:
        self.cap = cap
        self._parts: list[bytes] = []
        self._size = 0

    @property
    def room(self) -> int:
        """Bytes that still fit."""
        return self.cap - self._size

    def add(self, part: bytes) -> None:
        """Keep a part; raises Full when it does not fit, after keeping what does."""
        room = self.room
        self._parts.append(part[:room])
        self._size += min(len(part), room)
        if len(part) > room:
            raise Full

    def body(self) -> bytes:
        """Return everything kept."""
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
        Stopped: too large, a coding that was not asked for, or a gzip stream that is broken or cut off.
    """
    kept, chunks = Bounded(cap), iter(chunks)
    try:
        if coding.strip().lower() in ("", "identity"):
            for chunk in chunks:
                kept.add(chunk)
        elif coding.strip().lower() in ("gzip", "x-gzip"):
            _gunzip(chunks, kept, place)
        else:
            raise Stopped(
                MissReason.ENCODING, f"{place} sent the content coding {coding[:40]!r}; only gzip was asked for"
            )
    except Full:
        if not may_cut:
            words = f"the body from {place} is larger than {cap:,} bytes when decoded; it was not read further"
            raise Stopped(MissReason.TOO_LARGE, words) from None
    return kept.body()


def _gunzip(chunks: Iterator[bytes], kept: Bounded, place: str) -> None:
    decoder: _Members | None = None
    start = b""
    for chunk in chunks:
        if decoder:
            decoder.feed(chunk)
            continue
        start += chunk
        if len(start) < len(_MAGIC):
            continue
        if not start.startswith(_MAGIC):
            _take_plain(start, chunks, kept, place)
            return
        decoder = _Members(kept, place)
        decoder.feed(start)
    if decoder:
        decoder.finish()
    elif start:
        raise _broken(place)


def _take_plain(start: bytes, chunks: Iterator[bytes], kept: Bounded, place: str) -> None:
    """A header that says gzip over a body that is not: seen at real shops behind a confused cache."""
    if not start.lstrip().startswith(_PLAIN_STARTS):
        raise _broken(place)
    kept.add(start)
    for chunk in chunks:
        kept.add(chunk)


class _Members:
    """Decodes gzip members one after the other; what follows the last one and is not gzip is dropped."""

    def __init__(self, kept: Bounded, place: str) -> None:
        self._kept, self._place = kept, place
        self._decoder = zlib.decompressobj(_GZIP)
        self._between = b""
        self._is_over = False

    def feed(self, chunk: bytes) -> None:
        while chunk and not self._is_over:
            if self._decoder.eof:
                chunk = self._next_member(self._between + chunk)
                continue
            try:
                part = self._decoder.decompress(chunk, self._kept.room + 1)
            except zlib.error:
                raise _broken(self._place) from None
            self._kept.add(part)
            chunk = self._decoder.unused_data if self._decoder.eof else self._decoder.unconsumed_tail

    def _next_member(self, following: bytes) -> bytes:
        if len(following) < len(_MAGIC):
            self._between = following
            return b""
        self._between = b""
        if not following.startswith(_MAGIC):
            self._is_over = True
            return b""
        self._decoder = zlib.decompressobj(_GZIP)
        return following

    def finish(self) -> None:
        if not self._decoder.eof:
            raise Stopped(MissReason.INCOMPLETE, f"the gzip stream from {self._place} ends before its end")


def _broken(place: str) -> Stopped:
    words = f"the body from {place} is announced as gzip and is not"
    return Stopped(MissReason.INCOMPLETE, words, may_pass=False)

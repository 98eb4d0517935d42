"""The bytes of a feed or a sitemap as they are meant to be read: unpacked, and in the encoding that they name."""

import codecs
import re
import zlib
from collections.abc import Iterator

CHUNK = 65_536
MAX_UNPACKED = 500_000_000  #: bytes that a gzip file may unpack to, streamed
MAX_REPAIRED = 60_000_000  #: bytes of a file that is repaired; it is held whole for that
GZIP = b"\x1f\x8b"

_DECLARED = re.compile(rb"^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{2,40})[\"']")


class UnreadableXml(ValueError):
    """A file that is no XML, or not well formed beyond what leaves no doubt."""

    def __init__(self, cause: str, line: int | None = None, *, may_be_meant: bool = False) -> None:
        super().__init__(cause if line is None else f"line {line}: {cause}")
        self.cause, self.line = cause, line
        self.may_be_meant = may_be_meant  #: the fault may be a bare ampersand or an HTML entity


def encoding_of(body: bytes) -> str | None:
    """Return the declared encoding when it is another one than UTF-8."""
    head = next(unpacked(body), b"") if body.startswith(GZIP) else body[:400]
    for mark, name in ((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16")):
        if head.startswith(mark):
            return name
    declared = _DECLARED.match(head.removeprefix(codecs.BOM_UTF8))
    try:
        name = codecs.lookup(declared.group(1).decode()).name if declared else "utf-8"
        "".encode(name)
    except (LookupError, ValueError):
        return None
    return None if name in ("utf-8", "ascii") else name


def unpacked(body: bytes, most: int = MAX_UNPACKED) -> Iterator[bytes]:
    """Yield what a gzip file holds, piece by piece, also when a shop and then its server packed it.

    Raises:
        UnreadableXml: it is damaged, cut off, or holds more than `most` bytes.
    """
    pieces = _inflated(body, most)
    first = next(pieces, b"")
    if not first.startswith(GZIP):
        yield first
        yield from pieces
        return
    inner = bytearray(first)
    for piece in pieces:
        inner += piece
        if len(inner) > MAX_REPAIRED:
            raise UnreadableXml(f"the gzip file holds another one of more than {MAX_REPAIRED:,} bytes")
    yield from _inflated(bytes(inner), most)


def _inflated(body: bytes, most: int) -> Iterator[bytes]:
    left = most
    while body.startswith(GZIP):
        unpack = zlib.decompressobj(47)
        piece = body
        while not unpack.eof:
            try:
                out = unpack.decompress(piece, CHUNK)
            except zlib.error as error:
                raise UnreadableXml(f"the gzip file is damaged ({error})") from None
            piece = unpack.unconsumed_tail
            left -= len(out)
            if left < 0:
                raise UnreadableXml(f"the gzip file holds more than {most:,} bytes")
            if out:
                yield out
            elif not piece and not unpack.eof:
                raise UnreadableXml("the gzip file is cut off")
        body = unpack.unused_data

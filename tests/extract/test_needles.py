"""The quick search finds what Python's own does, on whatever processor the tests run."""

from hypothesis import given
from hypothesis import strategies as st

from monitor.extract.needles import count, every, holds

_PIECES = st.lists(st.sampled_from([b"<", b"</", b"a", b"item", b"itemtype", b"\xc3\xa9", b"\xff", b" " * 63]))
MARKUP = _PIECES.map(b"".join)
NEEDLE = st.sampled_from([b"<", b"</", b"a", b"item", b"itemtype", b"tem", b"\xa9", b"  "])
PLACE = st.integers(0, 400)


def _found(text: bytes, needle: bytes, end: int) -> list[int]:
    return [at for at in range(len(text)) if text.startswith(needle, at) and at + len(needle) <= end]


@given(MARKUP, NEEDLE, PLACE)
def test_every_place_is_found_up_to_an_offset(markup: bytes, needle: bytes, end: int) -> None:
    assert list(every(markup, needle)) == _found(markup, needle, len(markup))
    assert list(every(markup, needle, end)) == _found(markup, needle, end)


@given(MARKUP, NEEDLE)
def test_a_text_holds_a_piece_that_stands_in_it(markup: bytes, needle: bytes) -> None:
    assert holds(markup, needle) is (needle in markup)


@given(MARKUP, NEEDLE, PLACE, PLACE)
def test_pieces_are_counted_between_two_offsets(markup: bytes, needle: bytes, start: int, end: int) -> None:
    assert count(markup, needle) == markup.count(needle)
    assert count(markup, needle, start, end) == markup.count(needle, start, end)


def test_letters_of_a_text_are_found_by_their_number() -> None:
    assert list(every("é ean é ean", "ean")) == [2, 8]
    assert list(every("aaa", "aa")) == [0, 1]
    assert list(every("", "ean")) == []

"""What is UTF-8 is passed on as it came; what is not becomes it, and nothing raises."""

from hypothesis import given
from hypothesis import strategies as st

from monitor.extract.charset import CHECKED, as_utf8

#: Letters of one to four bytes, pieces of them, and stretches that put them across the end of what is checked at once.
_PIECES = st.sampled_from(
    [
        b"a",
        "é".encode(),
        "€".encode(),
        "😀".encode(),
        b"\xc3",
        b"\xe2\x82",
        b"\xff",
        b"x" * (CHECKED - 1),
        "é".encode() * 2_047,
    ]
)
BODIES = st.lists(_PIECES, max_size=12).map(b"".join)


@given(BODIES)
def test_a_page_is_kept_as_it_came_where_it_is_utf_8_and_becomes_it_elsewhere(body: bytes) -> None:
    got = as_utf8(body)

    got.decode()
    try:
        body.decode()
    except UnicodeDecodeError:
        assert got != body
    else:
        assert got == body

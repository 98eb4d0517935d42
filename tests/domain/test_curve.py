"""A history drawn with characters: what is where, and never outside."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from monitor.domain.curve import OURS, drawn
from monitor.domain.observation import OWN, Span
from tests.nights import a_span

UNTIL = datetime(2026, 11, 29, 6, tzinfo=UTC)
SINCE = UNTIL - timedelta(days=10)


def between(first: int, last: int, price: str, seller: str = "acme", currency: str = "EUR") -> Span:
    """Return a span seen from so many days ago until so many days ago."""
    at = (UNTIL - timedelta(days=first), UNTIL - timedelta(days=last))
    return a_span(
        price, days_ago=0, competitor=seller, currency=currency, first_seen_at=at[0], last_seen_at=at[1], sku="A"
    )


def test_prices_are_steps_ours_above_the_others_and_the_edges_are_labelled() -> None:
    spans = [between(10, 6, "20.00"), between(5, 0, "10.00"), between(10, 0, "15.00", OWN)]

    curve = drawn(spans, "EUR", SINCE, UNTIL, width=10, height=3)

    assert [cells for _, cells in curve.lines] == ["aaaaaa", OURS * 10, "     aaaaa"]
    assert [price for price, _ in curve.lines] == [Decimal(20), Decimal(15), Decimal(10)]
    assert curve.marks == ((OURS, OWN), ("a", "acme"))


def test_nights_that_saw_nothing_leave_a_gap() -> None:
    curve = drawn([between(10, 8, "9.00"), between(3, 0, "9.00")], "EUR", SINCE, UNTIL, width=10, height=3)

    assert curve.lines[1] == (Decimal(9), "aaa    aaa")


def test_another_currency_and_an_empty_window_draw_nothing() -> None:
    spans = [between(10, 0, "9.00", currency="SEK"), between(40, 30, "9.00")]

    assert drawn(spans, "EUR", SINCE, UNTIL, width=10, height=3).lines == ()


@given(
    st.lists(
        st.tuples(
            st.integers(0, 30), st.integers(0, 30), st.integers(1, 10**6), st.sampled_from([OWN, "acme", "globex"])
        ),
        min_size=1,
        max_size=20,
    ),
    st.integers(1, 80),
    st.integers(2, 30),
)
def test_whatever_was_seen_the_drawing_keeps_its_size(
    rows: list[tuple[int, int, int, str]], width: int, height: int
) -> None:
    spans = sorted(
        (between(max(a, b), min(a, b), str(price), seller) for a, b, price, seller in rows),
        key=lambda span: span.first_seen_at,
    )

    curve = drawn(spans, "EUR", SINCE, UNTIL, width=width, height=height)

    assert len(curve.lines) in (0, height)
    assert all(len(cells) <= width for _, cells in curve.lines)
    if curve.lines:
        marks = {mark for mark, _ in curve.marks}
        assert {cell for _, cells in curve.lines for cell in cells} - {" "} <= marks

"""Where our price stands: the figures of a product and of all of them, exactly as they are defined."""

from dataclasses import replace
from decimal import Decimal

import pytest

from monitor.domain.standing import Portfolio, Standing, packed, portfolio, unpacked


def _of(own: str, lowest: str | None = None, median: str | None = None, units: str | None = None) -> Standing:
    def exact(amount: str | None) -> Decimal | None:
        return None if amount is None else Decimal(amount)

    return Standing(
        run_id="nightly-2026-11-29",
        sku=own,
        title="Mug",
        currency="EUR",
        own=Decimal(own),
        lowest=exact(lowest),
        median=exact(median),
        usable=0 if lowest is None else 2,
        tracked=2,
        weekly_units=exact(units),
    )


@pytest.mark.parametrize(
    ("standing", "index", "above", "is_lowest", "is_red", "is_cheap"),
    [
        (_of("11", "10", "10"), "110.0", "10.0", False, False, False),
        (_of("11.01", "10", "10"), "110.1", "10.1", False, True, False),
        (_of("10", "10", "10"), "100.0", "0.0", True, False, False),
        (_of("9.50", "10", "12"), "79.2", "-5.0", True, False, False),
        (_of("9.49", "10", "12"), "79.1", "-5.1", True, False, True),
        (_of("9.49"), None, None, False, False, False),
    ],
)
def test_a_products_figures(
    standing: Standing, index: str | None, above: str | None, is_lowest: bool, is_red: bool, is_cheap: bool
) -> None:
    shown = [None if each is None else str(each) for each in (standing.index, standing.above_lowest_pct)]
    assert shown == [index, above]
    assert (standing.is_lowest, standing.is_red, standing.is_cheap) == (is_lowest, is_red, is_cheap)


def test_the_portfolio_weighs_by_revenue_and_counts_only_what_can_be_compared() -> None:
    found = portfolio([_of("120", "100", "100", "1"), _of("10", "10", "10", "108"), _of("8", "10", "10"), _of("5")])
    assert found == Portfolio(
        products=4,
        compared=3,
        index=Decimal("102.0"),  # 120 and 1,080 of weekly revenue: (120 * 120 + 1080 * 100) / 1200
        index_plain=Decimal("100.0"),
        lowest_pct=Decimal("66.7"),
        red_pct=Decimal("33.3"),
        cheap=1,
        tracked=8,
        usable=6,
    )


def test_a_portfolio_of_nothing_has_no_figures() -> None:
    found = portfolio([])
    assert (found.index, found.index_plain, found.lowest_pct, found.red_pct) == (None, None, None, None)


def test_packed_standings_come_back_to_the_last_digit() -> None:
    rows = [_of("120.0000", "100.50", "100", "0.5"), replace(_of("5"), title='Tasse für "Ä"', reason="NO_RULE")]
    back = list(unpacked(packed(rows)))

    assert [str(row) for row in back] == [str(row) for row in rows]
    assert list(unpacked(packed([]))) == []

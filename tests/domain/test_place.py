"""Where we stand, and opportunities: named, in order of revenue, and never one that we could not use."""

from dataclasses import replace
from decimal import Decimal

import pytest

from monitor.domain.catalogue import Catalogue, MatchState
from monitor.domain.extraction import Availability
from monitor.domain.observation import Span
from monitor.domain.report.place import MAX_OPPORTUNITIES, opportunities_of, place_of
from monitor.domain.report.view import OpportunityKind
from monitor.domain.standing import Portfolio, Standing
from tests.nights import RUN, a_catalogue, a_span

SKUS = tuple(f"S{n:02}" for n in range(12))
RIVALS = ("acme", "globex", "initech")


def _standing(sku: str, own: str, lowest: str | None, units: str | None = "10") -> Standing:
    return Standing(
        run_id=RUN,
        sku=sku,
        title=f"Kettle {sku}",
        currency="EUR",
        own=Decimal(own),
        lowest=None if lowest is None else Decimal(lowest),
        lowest_seller="globex",
        median=Decimal(10),
        usable=2,
        tracked=3,
        weekly_units=None if units is None else Decimal(units),
    )


def _catalogue(**changes: object) -> Catalogue:
    made = a_catalogue(SKUS, RIVALS)
    return replace(made, products=tuple(replace(one, **changes) for one in made.products))  # type: ignore[arg-type]


def _spans(sku: str, *gone: str) -> tuple[Span, ...]:
    return tuple(
        a_span(
            "10.00",
            days_ago=0,
            sku=sku,
            competitor=rival,
            availability=Availability.OUT_OF_STOCK if rival in gone else Availability.IN_STOCK,
        )
        for rival in RIVALS
    )


def test_a_price_far_below_everybody_is_an_opportunity_and_says_how_far() -> None:
    found = opportunities_of((_standing("S00", "9.00", "10.00"), _standing("S01", "9.60", "10.00")), (), _catalogue())
    assert [(one.kind, one.sku) for one in found.rows] == [(OpportunityKind.CHEAP, "S00")]
    assert found.rows[0].words == "10.0 % below the lowest, Globex at 10.00 EUR"


@pytest.mark.parametrize(
    ("gone", "stock", "kinds"),
    [
        (("acme", "globex"), 5, [OpportunityKind.SOLD_OUT]),
        (("acme", "globex"), None, [OpportunityKind.SOLD_OUT]),
        (("acme", "globex"), 0, []),
        (("acme",), 5, []),
        ((), 5, []),
    ],
)
def test_rivals_sold_out_are_an_opportunity_when_we_have_it(
    gone: tuple[str, ...], stock: int | None, kinds: list[OpportunityKind]
) -> None:
    found = opportunities_of((_standing("S00", "10", "10"),), _spans("S00", *gone), _catalogue(stock=stock))
    assert [one.kind for one in found.rows] == kinds


def test_only_confirmed_watches_count_as_rivals() -> None:
    made = _catalogue()
    suggested = replace(made, watches=tuple(replace(one, match=MatchState.SUGGESTED) for one in made.watches))
    assert opportunities_of((_standing("S00", "10", "10"),), _spans("S00", *RIVALS), suggested).total == 0


def test_the_largest_revenue_comes_first_unknown_last_and_the_rest_is_counted() -> None:
    standings = [_standing(sku, "9.00", "10.00", str(n)) for n, sku in enumerate(SKUS[:-1])]
    unknown = _standing(SKUS[-1], "9.00", "10.00", None)
    found = opportunities_of((unknown, *standings), (), _catalogue())
    assert [one.sku for one in found.rows] == [*reversed(SKUS[:-1])][:MAX_OPPORTUNITIES]
    assert (found.total, found.more) == (12, 12 - MAX_OPPORTUNITIES)


def test_without_anything_to_compare_there_is_no_place() -> None:
    assert place_of(None) is None
    assert place_of(Portfolio(3, 0, None, None, None, None, 0, 0, 0)) is None
    plain = place_of(Portfolio(3, 2, None, Decimal("101.5"), Decimal("50.0"), Decimal("0.0"), 0, 4, 4))
    assert plain is not None
    assert (plain.index, plain.is_weighted) == (Decimal("101.5"), False)

"""The breakers of a night: what makes its proposals need a second look, and which of them."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.domain.pricing import BreakerCode, Coverage, Decision, Rules, decide, facts_of, read_rules
from monitor.domain.pricing.breakers import Movement, tripped
from monitor.domain.pricing.derivation import derivation
from monitor.domain.pricing.guards import Circumstances, guarded
from tests.domain.pricing.builders import SEEN, a_product, an_offer

RULE: Mapping[str, object] = {"id": "match", "priority": 10, "target": {"reference": "lowest"}}
BREAKER = {
    "competitor_pct": "50",
    "market_pct": "30",
    "down_pct": "30",
    "median_change_pct": "8",
    "coverage_drop_points": "20",
    "least_prices": 10,
}


def rules(rule: Mapping[str, object] = RULE, **breaker: object) -> Rules:
    """One rule and the breakers; those that are given replace the ones above."""
    return read_rules({"rules": [rule], "run": {"breaker": breaker or BREAKER}}, where="rules.toml")


def night(
    *rivals: str,
    asked: Rules,
    moved: Mapping[str, Movement] | None = None,
    coverage: Coverage = Coverage(),  # noqa: B008 - frozen
) -> list[Decision]:
    """Decide products at 100.00, each against one rival of Acme at these prices, and ask the guards."""
    products = [a_product(sku=f"P{n}", price="100.00", cost="50.00") for n in range(len(rivals))]
    decided = [
        decide(product, [an_offer(rival)] if rival else [], asked)
        for product, rival in zip(products, rivals, strict=True)
    ]
    facts = Circumstances(day=date(2026, 11, 29), now=SEEN, moved=moved or {}, coverage=coverage)
    return guarded(decided, asked, facts)


def codes(found: list[Decision]) -> list[list[str]]:
    return [[one.code.value for one in each.second_look] for each in found]


@pytest.mark.parametrize(
    ("moved", "marks"),
    [
        ({"acme": Movement(10, 5), "cedar": Movement(90, 0)}, []),  # exactly the share
        ({"acme": Movement(10, 6), "cedar": Movement(90, 0)}, ["COMPETITOR_BREAKER"]),
        ({"acme": Movement(9, 9), "cedar": Movement(90, 0)}, []),  # too few prices to tell
        ({"cedar": Movement(10, 10), "acme": Movement(90, 0)}, []),  # of a shop that this price does not rest on
        ({"acme": Movement(10, 1), "cedar": Movement(90, 30)}, ["MARKET_BREAKER"]),
        ({"acme": Movement(10, 9), "cedar": Movement(90, 30)}, ["MARKET_BREAKER", "COMPETITOR_BREAKER"]),
        ({}, []),
    ],
)
def test_too_many_prices_moving_at_once_mark_what_rests_on_them(moved: dict[str, Movement], marks: list[str]) -> None:
    (found,) = night("99.00", asked=rules(), moved=moved)

    assert found.is_proposal, "a breaker takes nothing away"
    assert codes([found]) == [marks]


def test_a_price_by_cost_alone_rests_on_no_market() -> None:
    by_cost = RULE | {"target": {"reference": "cost", "adjust_percent": "90"}}

    (found,) = night("99.00", asked=rules(by_cost), moved={"acme": Movement(100, 100)})

    assert (found.is_proposal, codes([found])) == (True, [[]])


@pytest.mark.parametrize(("down", "is_marked"), [(3, False), (4, True)])
def test_too_large_a_share_of_products_moving_down_marks_the_whole_night(down: int, is_marked: bool) -> None:
    """Of ten products with offers; those without an offer are not counted."""
    rivals = ["99.00"] * down + ["101.00"] + ["100.00"] * (9 - down) + [""] * 10

    found = night(*rivals, asked=rules())

    assert codes(found) == [["DOWN_BREAKER"] if is_marked else []] * (down + 1) + [[]] * (19 - down)
    if is_marked:
        (one,) = tripped(found)
        assert one.words == "4 of 10 products with offers would move down, more than 30 %"


@pytest.mark.parametrize(
    ("rivals", "middle"),
    [
        (["108.00"] * 10, None),  # exactly the limit
        (["108.01"] * 10, "+8.0"),
        (["91.00"] * 6 + ["99.00"] * 5, "-9.0"),
        (["91.00"] * 5 + ["99.00"] * 5, None),  # an even number: the mean of the middle two, -5
        (["110.00"] * 9, None),  # too few changes
    ],
)
def test_a_median_change_that_is_too_large_marks_the_whole_night(rivals: list[str], middle: str | None) -> None:
    found = night(*rivals, asked=rules(median_change_pct="8"))

    assert codes(found) == [["STEP_BREAKER"] if middle else []] * len(rivals)
    if middle:
        assert tripped(found)[0].words == f"The median of {len(rivals)} changes is {middle} %, beyond 8 %"


@pytest.mark.parametrize(
    ("read", "before", "is_marked"),
    [
        (75, ("95.0", "96.0", "90.0", "95.0", "95.0", "20.0", "99.0"), False),  # exactly 20 points
        (74, ("95.0", "96.0", "90.0", "95.0", "95.0", "20.0", "99.0"), True),
        (10, ("95.0", "96.0"), False),  # two nights have no middle
        (100, ("95.0", "96.0", "90.0"), False),
    ],
)
def test_far_fewer_watches_read_than_usual_mark_the_whole_night(
    read: int, before: tuple[str, ...], is_marked: bool
) -> None:
    coverage = Coverage(read, 100, tuple(map(Decimal, before)))

    found = night("99.00", "100.00", asked=rules(), coverage=coverage)

    assert codes(found) == [["COVERAGE_BREAKER"] if is_marked else [], []]
    if is_marked:
        words = "74.0 % of the watches were read, against 95.0 % in the middle of the last 7 nights"
        assert tripped(found)[0].words.startswith(words)


def test_limits_that_are_not_written_are_off() -> None:
    found = night(
        *["50.00"] * 40,
        asked=read_rules({"rules": [RULE]}, where="rules.toml"),
        moved={"acme": Movement(40, 40)},
        coverage=Coverage(0, 100, (Decimal(100),) * 7),
    )

    assert tripped(found) == ()


def test_a_mark_is_kept_with_the_proposal_and_ends_its_derivation() -> None:
    (found,) = night("99.00", asked=rules(), moved={"acme": Movement(10, 9)})

    words = "Acme moved 9 of 10 prices at once, more than 30 %"
    assert facts_of(found)["second_look"][0] == {
        "code": "MARKET_BREAKER",
        "words": words.replace("Acme", "All shops together"),
    }
    assert derivation(found, rules())[-1].words == f"COMPETITOR_BREAKER: {words.replace('30', '50')}."


@given(st.lists(st.integers(60, 140), min_size=1, max_size=30), st.randoms(use_true_random=False))
def test_marks_do_not_depend_on_the_order_and_take_nothing_away(prices: list[int], random) -> None:
    rivals = [f"{price}.00" for price in prices]
    shuffled = list(rivals)
    random.shuffle(shuffled)
    asked, moved = rules(), {"acme": Movement(len(prices), sum(price != 100 for price in prices))}
    found, other = night(*rivals, asked=asked, moved=moved), night(*shuffled, asked=asked, moved=moved)

    assert tripped(found) == tripped(other)
    assert all(one.is_proposal == (price != 100) for one, price in zip(found, prices, strict=True))
    assert {one.code for each in found for one in each.second_look} <= set(BreakerCode)

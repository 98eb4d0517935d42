"""Remarks on a proposal: the law on reductions, minimum advertised prices, readings without a history."""

from datetime import timedelta
from decimal import Decimal

import pytest

from monitor.domain.catalogue import MatchState
from monitor.domain.extraction import Availability
from monitor.domain.observation import OWN, Span
from monitor.domain.pricing import decide, proposal_of, remarks_on
from monitor.domain.pricing.flags import FlagCode, Remarks
from monitor.domain.pricing.own import decreases, lowest_of_30_days
from tests.domain.pricing.builders import SEEN, a_product, an_offer, rules


def a_span(price: str, days_ago: float, currency: str = "EUR") -> Span:
    at = SEEN - timedelta(days=days_ago)
    return Span(OWN, "MUG-1", Decimal(price), currency, None, Availability.UNKNOWN, at, at)


def remarks(
    *own: Span,
    rival: str = "24.00",
    first: tuple[str, ...] = (),
    rule: dict[str, object] | None = None,
    **product: object,
) -> Remarks:
    offers = [an_offer(rival)]
    asked = rules(**(rule or {}))
    decision = decide(a_product(**product), offers, asked)
    return remarks_on(decision, own=own, offers=offers, rates={}, now=SEEN, first=first)


def codes(found: Remarks) -> list[FlagCode]:
    return [flag.code for flag in found.flags]


@pytest.mark.parametrize(
    ("own", "lowest"),
    [
        ([("30.00", 40), ("20.00", 31), ("30.00", 29.5)], "20.00"),  # the price in force thirty days ago counts
        ([("20.00", 60), ("30.00", 31)], "30.00"),  # one that had ended before does not
        ([("30.00", 5), ("25.00", 3), ("30.00", 1)], "25.00"),
        ([("30.00", 0)], "30.00"),
        ([], None),
    ],
)
def test_the_lowest_price_of_thirty_days_comes_from_our_own_history(
    own: list[tuple[str, float]], lowest: str | None
) -> None:
    found = lowest_of_30_days([a_span(price, days) for price, days in own], SEEN)

    assert found == (None if lowest is None else Decimal(lowest))


def test_a_price_below_the_lowest_of_thirty_days_is_flagged() -> None:
    assert codes(remarks(a_span("25.00", 10), a_span("30.00", 5))) == [FlagCode.NEW_LOW_30_DAYS]
    assert codes(remarks(a_span("24.00", 10), a_span("30.00", 5))) == []
    assert remarks(a_span("25.00", 10)).lowest_30_days == Decimal("25.00")
    assert remarks() == Remarks()


def test_a_history_in_another_currency_says_nothing() -> None:
    assert remarks(a_span("1.00", 3, "USD")).lowest_30_days is None


def test_a_struck_through_price_above_the_lowest_is_flagged() -> None:
    sale = {"guardrails": {"skip_on_sale": False}}

    found = remarks(a_span("24.00", 10), rule=sale, compare_at="40.00")

    assert codes(found) == [FlagCode.COMPARE_AT_ABOVE_30_DAYS]
    assert "40.00 is above your lowest price of 30 days (24.00)" in found.flags[0].words


def test_our_own_and_others_minimum_advertised_prices_are_flagged() -> None:
    below = remarks(rule={"guardrails": {"respect_map": False}}, map="28.00")
    respected = remarks(map="28.00")

    assert codes(below) == [FlagCode.BELOW_MAP, FlagCode.RIVAL_BELOW_MAP]
    assert codes(respected) == [FlagCode.RIVAL_BELOW_MAP]
    assert respected.flags[0].words == "Acme advertises below your minimum advertised price 28.00"


@pytest.mark.parametrize(
    "offer",
    [
        an_offer("20.00", match=MatchState.SUGGESTED),
        an_offer("20.00", condition="used"),
        an_offer("20.00", held=True),
        an_offer("20.00", currency="USD"),  # without a rate
        an_offer("28.00"),
    ],
)
def test_only_a_confirmed_new_offer_that_can_be_compared_breaks_a_minimum(offer) -> None:
    decision = decide(a_product(map="28.00", price="35.00"), [an_offer("30.00", "birch")], rules())

    found = remarks_on(decision, own=(), offers=[offer], rates={}, now=SEEN)

    assert codes(found) == []


def test_a_first_reading_says_what_it_lacks_in_the_line_that_explains() -> None:
    decision = decide(a_product(), [an_offer("24.00")], rules())
    found = remarks_on(decision, own=(), offers=[], rates={}, now=SEEN, first=["acme"])

    proposal = proposal_of(decision, run_id="r", channel="shop", expires_at=SEEN, remarks=found)

    assert proposal is not None
    assert proposal.words.endswith("(seen 02:04). Acme: first reading, no history to compare it with.")
    assert proposal.facts["flags"] == [
        {"code": "FIRST_READING", "words": "Acme: first reading, no history to compare it with"}
    ]


def test_a_new_low_is_kept_with_the_proposal_and_not_said_every_time() -> None:
    decision = decide(a_product(), [an_offer("24.00")], rules())
    found = remarks_on(decision, own=[a_span("30.00", 3)], offers=[], rates={}, now=SEEN)

    proposal = proposal_of(decision, run_id="r", channel="shop", expires_at=SEEN, remarks=found)

    assert proposal is not None
    assert "30 days" not in proposal.words
    assert [flag["code"] for flag in proposal.facts["flags"]] == ["NEW_LOW_30_DAYS"]
    assert proposal.facts["lowest_30_days"] == "30.00"


@pytest.mark.parametrize(
    ("prices", "count"),
    [((), 0), (("30",), 0), (("30", "29", "28"), 2), (("28", "29", "28"), 1), (("30", "28", "29"), 0)],
)
def test_decreases_count_back_from_the_newest_price(prices: tuple[str, ...], count: int) -> None:
    history = [a_span(price, 10 - n) for n, price in enumerate(prices)]

    assert len(decreases(history)) == count

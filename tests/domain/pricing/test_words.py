"""A decision in one line: what the rule did, on which offer, and what bound it."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from zoneinfo import ZoneInfo

import pytest

from monitor.domain.catalogue import MatchState, Product
from monitor.domain.pricing import (
    Decision,
    Offer,
    OfferCode,
    Reason,
    change_pct,
    decide,
    facts_of,
    ignored_in_words,
    in_words,
    largest_first,
    margin_pct,
    proposal_of,
    weekly_effect,
)
from tests.domain.pricing.builders import SEEN, a_product, an_offer, rules


def words(product: Product, *offers: Offer, **rule: object) -> str:
    return in_words(decide(product, offers, rules(**rule)))


def test_a_raised_match_says_offer_time_and_limit() -> None:
    line = words(a_product(min_price="25.00"), an_offer("24.90"))

    assert line == "Match the lowest in-stock rival: Acme 24.90 EUR (seen 02:04); raised to your minimum 25.00."


def test_the_time_is_said_in_the_zone_asked_for() -> None:
    decision = decide(a_product(), [an_offer("24.90")], rules())

    assert "(seen 21:04)" in in_words(decision, zone=ZoneInfo("America/New_York"))


def test_an_offer_of_unknown_stock_is_not_called_in_stock() -> None:
    line = words(a_product(), an_offer("24.90", in_stock=None))

    assert line == "Match the lowest rival: Acme 24.90 EUR (seen 02:04, stock not stated)."


@pytest.mark.parametrize(
    ("product", "rule", "said"),
    [
        (
            {},
            {"target": {"reference": "lowest", "adjust_amount": "-0.50"}},
            "Go 0.50 below the lowest in-stock rival: Acme 20.00 EUR (seen 02:04); that is 19.50.",
        ),
        (
            {},
            {"target": {"reference": "nth", "n": 2}},
            "Match the 2nd lowest in-stock rival: Birch 24.00 EUR (seen 02:04).",
        ),
        (
            {},
            {"target": {"reference": "median", "adjust_percent": "-3"}},
            "Go 3 % below the median of 3 rivals: 24.00 EUR; that is 23.28.",
        ),
        ({}, {"target": {"reference": "seller", "seller": "birch"}}, "Match Birch: 24.00 EUR (seen 02:04)."),
        (
            {"cost": "10.00"},
            {"target": {"reference": "cost", "adjust_percent": "62.5"}},
            "Go 62.5 % above your cost: 10.00 EUR; that is 16.25.",
        ),
        (
            {},
            {"target": {"reference": "average", "band": {"low": "95", "high": "105"}}},
            "Come down to 105 % of the average of 3 rivals: 24.00 EUR; that is 25.20.",
        ),
        (
            {},
            {"guardrails": {"max_decrease_pct": "10"}},
            "Match the lowest in-stock rival: Acme 20.00 EUR (seen 02:04); "
            "held at 27.00, at most 10 % down in one change.",
        ),
        (
            {"map": "22.00"},
            {"rounding": {"endings": ["0.95"]}},
            "Match the lowest in-stock rival: Acme 20.00 EUR (seen "
            "02:04); raised to the minimum advertised price 22.00; price ending 22.95.",
        ),
        (
            {"cost": "15.00"},
            {"guardrails": {"min_margin_pct": "40"}},
            "Match the lowest in-stock rival: Acme 20.00 EUR (seen 02:04); raised to 25.00 to keep a margin of 40 %.",
        ),
        (
            {"price": "15.00", "msrp": "18.00"},
            {},
            "Match the lowest in-stock rival: Acme 20.00 EUR (seen 02:04); capped at the suggested retail price 18.00.",
        ),
    ],
)
def test_a_proposal_says_what_the_rule_did(product: dict[str, str], rule: dict[str, object], said: str) -> None:
    offers = [an_offer("24.00", "birch"), an_offer("28.00", "cedar"), an_offer("20.00", "acme")]

    assert words(a_product(**product), *offers, **rule) == said


def test_a_foreign_offer_says_what_it_comes_to() -> None:
    dear = an_offer("20.00", currency="USD", shipping="5.00")
    decision = decide(a_product(shipping="0"), [dear], rules(compare="landed"), rates={"USD": Fraction(4, 5)})

    assert in_words(decision) == (
        "Match the lowest in-stock rival: Acme 20.00 USD plus 5.00 delivery (seen 02:04), comparable 20.00 EUR."
    )


@pytest.mark.parametrize(
    ("facts", "rule", "said"),
    [
        ({}, {"enabled": False}, "No rule is for this product; widen the scope of one in rules.toml or add one."),
        ({"locked": True}, {}, "A person locked this price."),
        ({"stock": 0}, {}, "You have none in stock."),
        ({"compare_at": "40.00"}, {}, "On sale at 30.00, was 40.00; rule match leaves sale prices alone."),
        (
            {},
            {"guardrails": {"min_margin_pct": "1"}},
            "The catalogue has no cost for this product, and rule match needs it.",
        ),
        (
            {"min_price": "9.00", "msrp": "8.00"},
            {},
            "Your minimum 9.00 is above the suggested retail price 8.00; correct the catalogue or the rule.",
        ),
        (
            {},
            {"offers": {"min_coverage_pct": "60"}},
            "Only 1 of 2 tracked offers can be trusted tonight, fresh and not held; rule match asks for 60 %.",
        ),
        ({}, {"offers": {"min_offers": 2}}, "1 usable offer, 1 ignored; rule match asks for 2."),
        (
            {},
            {"target": {"reference": "seller", "seller": "globex"}},
            "globex has no usable offer, and rule match follows only that seller.",
        ),
        ({}, {"target": {"reference": "nth", "n": 3}}, "1 usable offer; rule match follows the 3rd lowest."),
        (
            {"price": "20.40"},
            {"target": {"reference": "median", "band": {"low": "95", "high": "105"}}},
            "Your price is 102 % of the median of 1 rival (20.00), inside 95 to 105 %.",
        ),
        (
            {"min_price": "21.00"},
            {"guardrails": {"below_floor": "skip"}},
            "The lowest in-stock rival (Acme) is at 20.00, "
            "below your minimum 21.00; rule match does not follow the market there.",
        ),
        (
            {"max_price": "25.00"},
            {"guardrails": {"max_decrease_pct": "10"}},
            "No price keeps every limit: the limit of 27.00 for one change is above your maximum 25.00.",
        ),
        ({"price": "20.00"}, {}, "The lowest in-stock rival (Acme) is at 20.00, which leads to the price you have."),
        (
            {"min_price": "30.00"},
            {},
            "The lowest in-stock rival (Acme) is at 20.00, but your minimum 30.00 keeps your price where it is.",
        ),
        (
            {},
            {"guardrails": {"direction": "up"}},
            "The lowest in-stock rival (Acme) is at 20.00; rule match moves prices only "
            "up, and not from 30.00 to 20.00.",
        ),
        (
            {"price": "20.10"},
            {"guardrails": {"min_change_pct": "1"}},
            "A change from 20.10 to 20.00 is too small for rule match, which asks for 1 %.",
        ),
    ],
)
def test_a_decision_against_a_proposal_says_why(facts: dict[str, object], rule: dict[str, object], said: str) -> None:
    stale = an_offer("5.00", "birch", age=timedelta(hours=60))

    assert words(a_product(**facts), an_offer("20.00"), stale, **rule) == said


def test_the_cool_down_says_how_long_a_price_rests() -> None:
    resting = rules(guardrails={"cooldown_hours": "72"})
    decision = decide(a_product(), [an_offer()], resting, since_change=timedelta(hours=71, minutes=59))

    assert in_words(decision) == "Your price changed less than 72 hours ago; rule match lets it rest."


def test_every_code_of_an_ignored_offer_has_words() -> None:
    offers = [
        an_offer("20.00", "acme", match=MatchState.SUGGESTED),
        an_offer("20.00", "birch", age=timedelta(hours=60)),
        an_offer("20.00", "cedar", currency="USD"),
        an_offer("20.00", "dogwood", condition="used"),
    ]

    decision = decide(a_product(), offers, rules())

    assert [ignored_in_words(one) for one in decision.ignored] == [
        "Acme 20.00 EUR: nobody has confirmed that it is the same product",
        "Birch 20.00 EUR: seen 60 hours ago, too old",
        "Cedar 20.00 USD: no exchange rate for USD",
        "Dogwood 20.00 EUR: not new but used",
    ]
    assert {one.code for one in decision.ignored} < set(OfferCode)


def a_decision(**facts: object) -> Decision:
    return decide(a_product(**facts), [an_offer("24.00", evidence="sha-1")], rules())


def test_money_at_stake_orders_proposals_with_unknown_volume_last() -> None:
    small = a_decision(sku="SMALL", weekly_units="1")
    large = a_decision(sku="LARGE", weekly_units="10.5")
    unknown = a_decision(sku="UNKNOWN")
    quiet = a_decision(sku="QUIET", price="24.00")

    assert weekly_effect(large) == Decimal("-63.000")
    assert [one.product.sku for one in largest_first([unknown, quiet, small, large])] == ["LARGE", "SMALL", "UNKNOWN"]


def test_margin_and_change_are_in_percent_with_one_decimal() -> None:
    assert margin_pct(a_product(cost="5.00"), Decimal("7.15")) == Decimal("30.1")
    assert margin_pct(a_product(), Decimal("7.15")) is None
    assert change_pct(a_decision()) == Decimal("-20.0")


def test_a_proposal_is_stored_with_everything_that_a_person_is_shown() -> None:
    expires = datetime(2026, 11, 30, tzinfo=UTC)
    decision = a_decision(cost="12.00", max_price="40.00", weekly_units="3")

    proposal = proposal_of(decision, run_id="2026-11-29", channel="file", expires_at=expires)

    assert proposal is not None
    assert (proposal.old_price, proposal.new_price, proposal.rule_id) == (Decimal("30.00"), Decimal("24.00"), "match")
    assert proposal.words == "Match the lowest in-stock rival: Acme 24.00 EUR (seen 02:04)."
    facts = proposal.facts
    assert (facts["margin_pct_before"], facts["margin_pct"], facts["weekly_effect"]) == ("60.0", "50.0", "-18.00")
    assert facts["limits"] == {
        "lower": {"code": "MIN_PRICE", "amount": "0.01"},
        "upper": {"code": "MAX_PRICE", "amount": "40.00"},
    }
    assert facts["evidence"] == ["sha-1"]
    assert facts["observed_at"] == SEEN.isoformat()
    assert facts["reference"]["offers"][0]["name"] == "Acme"


def test_a_decision_without_a_proposal_stores_none_but_has_facts() -> None:
    quiet = a_decision(price="24.00")

    assert proposal_of(quiet, run_id="r", channel="file", expires_at=SEEN) is None
    assert facts_of(quiet)["reason"] == Reason.NO_CHANGE.value
    assert facts_of(quiet)["price"] is None

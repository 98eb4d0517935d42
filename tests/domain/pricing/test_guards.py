"""The guards of a night: each takes proposals away for its own reason, and says so."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.domain.catalogue import Product
from monitor.domain.extraction import Availability
from monitor.domain.observation import OWN, Span
from monitor.domain.pricing import GUARDS, Decision, Reason, Rules, decide, facts_of, in_words, read_rules
from monitor.domain.pricing.guards import Circumstances, guarded
from monitor.errors import Misconfigured
from tests.domain.pricing.builders import SEEN, a_product, an_offer

DAY = date(2026, 11, 29)
RULE: Mapping[str, object] = {"id": "match", "priority": 10, "target": {"reference": "lowest"}}


def rules(**tables: object) -> Rules:
    """One rule for every product, and guards as `rules.toml` says them."""
    return read_rules({"rules": [RULE], **tables}, where="rules.toml")


def a_span(price: str, *, days_ago: float, sku: str = "MUG-1", currency: str = "EUR") -> Span:
    at = SEEN - timedelta(days=days_ago)
    return Span(OWN, sku, Decimal(price), currency, None, Availability.UNKNOWN, at, at)


def a_history(*prices: str, days_ago: float = 10, sku: str = "MUG-1") -> dict[str, tuple[Span, ...]]:
    """Our prices, one a day, the last of them the newest."""
    return {sku: tuple(a_span(price, days_ago=days_ago - n, sku=sku) for n, price in enumerate(prices))}


def after(product: Product, asked: Rules, *, rival: str = "24.00", held: bool = False, **night: Any) -> Decision:
    """Decide one product against one rival, and ask the guards."""
    offers = [an_offer(rival), an_offer("99.00", "birch", held=held)]
    (found,) = guarded([decide(product, offers, asked)], asked, Circumstances(**{"day": DAY, "now": SEEN, **night}))
    return found


def test_without_guards_every_proposal_stays() -> None:
    assert after(a_product(), rules()).is_proposal


@pytest.mark.parametrize(
    "listed", [{"skus": ["MUG-1"]}, {"brands": ["Ridge"]}, {"categories": ["Mugs"]}, {"tags": ["x", "core"]}]
)
def test_a_product_on_the_list_is_not_touched(listed: dict[str, list[str]]) -> None:
    product = a_product(brand="Ridge", category="Mugs", tags=("core",))

    found = after(product, rules(do_not_touch=listed))

    assert found.reason is Reason.DO_NOT_TOUCH
    assert "do_not_touch" in in_words(found)
    assert after(
        replace(product, sku="OTHER", brand=None, category=None, tags=()), rules(do_not_touch=listed)
    ).is_proposal


def test_a_product_on_the_list_is_none_of_the_manager_s_business_either() -> None:
    """It would be an exception otherwise, every night."""
    alone = decide(a_product(), [], Rules())
    asked = rules(do_not_touch={"skus": ["MUG-1"]})

    (found,) = guarded([alone], asked, Circumstances(day=DAY, now=SEEN))

    assert (alone.reason, found.reason) == (Reason.NO_RULE, Reason.DO_NOT_TOUCH)


EMERGENCY = {"id": "storm", "from": date(2026, 11, 20), "until": date(2026, 11, 29), "max_increase_pct": "10"}


@pytest.mark.parametrize(
    ("rival", "day", "reason"),
    [
        ("33.00", DAY, None),  # the ceiling itself, 10 % above 30.00
        ("33.01", DAY, Reason.EMERGENCY_CAP),
        ("40.00", date(2026, 11, 20), Reason.EMERGENCY_CAP),  # both days are included
        ("40.00", date(2026, 11, 19), None),
        ("40.00", date(2026, 11, 30), None),
        ("20.00", DAY, None),  # a cut is no raise
    ],
)
def test_an_emergency_stops_raises_above_its_ceiling_on_its_days(rival: str, day: date, reason: Reason | None) -> None:
    asked = rules(emergencies=[EMERGENCY])

    found = after(a_product(), asked, rival=rival, day=day, own=a_history("30.00", days_ago=20))

    assert found.reason is reason


def test_the_ceiling_counts_from_the_price_before_the_emergency() -> None:
    """Small raises one after the other must not climb over it."""
    own = {"MUG-1": (a_span("20.00", days_ago=20), a_span("30.00", days_ago=3))}

    found = after(a_product(), rules(emergencies=[EMERGENCY]), rival="31.00", own=own)

    assert found.reason is Reason.EMERGENCY_CAP
    assert "22.00, the ceiling of emergency storm until 2026-11-29: 10 % above 20.00" in in_words(found)


def test_an_emergency_is_for_its_scope_only() -> None:
    water = EMERGENCY | {"scope": {"tags": ["water"]}}

    assert after(a_product(), rules(emergencies=[water]), rival="50.00").is_proposal
    assert not after(a_product(tags=("water",)), rules(emergencies=[water]), rival="50.00").is_proposal


def test_no_raise_is_proposed_while_a_rival_is_held() -> None:
    up, down = (
        after(a_product(), rules(), rival="40.00", held=True),
        after(a_product(), rules(), rival="20.00", held=True),
    )

    assert (up.reason, down.reason) == (Reason.RIVAL_HELD, None)
    assert "Birch" in in_words(up)


WAR = {"price_war": {"decreases": 3, "days": 14}}


@pytest.mark.parametrize(
    ("prices", "rival", "reason"),
    [
        (("40.00", "38.00", "36.00", "34.00"), "33.00", Reason.PRICE_WAR),
        (("40.00", "38.00", "36.00"), "33.00", None),  # two decreases
        (("40.00", "38.00", "39.00", "36.00", "34.00"), "33.00", None),  # a raise in between
        (("40.00", "38.00", "36.00", "34.00"), "50.00", None),  # a raise ends it
        (("30.00",), "20.00", None),
        ((), "20.00", None),
    ],
)
def test_a_fourth_decrease_in_a_row_is_a_price_war(prices: tuple[str, ...], rival: str, reason: Reason | None) -> None:
    found = after(a_product(price="34.00"), rules(run=WAR), rival=rival, own=a_history(*prices))

    assert found.reason is reason
    if reason:
        assert "3 times in a row within 14 days (40.00, 38.00, 36.00, 34.00)" in in_words(found)


def test_decreases_of_long_ago_are_no_price_war() -> None:
    own = a_history("40.00", "38.00", "36.00", "34.00", days_ago=16)

    assert after(a_product(price="34.00"), rules(run=WAR), own=own).is_proposal


def many(*changes: tuple[str, str], weekly_units: str | None = None, asked: Rules) -> list[Decision]:
    """Products at 100.00 whose rival asks these prices, after the guards."""
    decided = [
        decide(a_product(sku=sku, price="100.00", weekly_units=weekly_units or "1"), [an_offer(rival)], asked)
        for sku, rival in changes
    ]
    return guarded(decided, asked, Circumstances(day=DAY, now=SEEN))


def told(found: list[Decision]) -> dict[str, str]:
    return {one.product.sku: one.reason.value if one.reason else "proposed" for one in found}


def test_a_night_proposes_the_largest_changes_up_to_its_number() -> None:
    found = many(("A", "99.00"), ("B", "80.00"), ("C", "130.00"), ("D", "70.00"), asked=rules(run={"max_proposals": 2}))

    assert told(found) == {"A": "RUN_CAP", "B": "RUN_CAP", "C": "proposed", "D": "proposed"}
    assert [one.product.sku for one in found] == ["A", "B", "C", "D"]
    assert found[1].result == Decimal("80.00")
    assert "at most 2 changes" in in_words(found[1])


def test_an_earlier_rule_comes_first_whatever_the_change() -> None:
    first = RULE | {"id": "first", "priority": 1, "scope": {"skus": ["A"]}}
    asked = read_rules({"rules": [RULE, first], "run": {"max_proposals": 1}}, where="rules.toml")

    assert told(many(("A", "99.00"), ("B", "50.00"), asked=asked)) == {"A": "proposed", "B": "RUN_CAP"}


def test_a_night_moves_no_more_weekly_margin_than_it_may() -> None:
    found = many(("A", "70.00"), ("B", "110.00"), ("C", "85.00"), asked=rules(run={"max_weekly_effect": "45.00"}))

    assert told(found) == {"A": "proposed", "B": "EFFECT_CAP", "C": "proposed"}
    assert "55.00, above max_weekly_effect 45.00" in in_words(found[1])


def test_unknown_volume_is_left_to_the_number_of_proposals() -> None:
    asked = rules(run={"max_weekly_effect": "1.00"})
    unknown = decide(a_product(sku="A", price="100.00"), [an_offer("50.00")], asked)

    (found,) = guarded([unknown], asked, Circumstances(day=DAY, now=SEEN))

    assert found.is_proposal


def test_effects_in_two_currencies_are_not_added() -> None:
    asked = rules(run={"max_weekly_effect": "30.00"})
    euros = decide(a_product(sku="A", price="100.00", weekly_units="1"), [an_offer("75.00")], asked)
    dollars = decide(
        a_product(sku="B", price="100.00", weekly_units="1", currency="USD"), [an_offer("75.00", currency="USD")], asked
    )

    assert all(one.is_proposal for one in guarded([euros, dollars], asked, Circumstances(day=DAY, now=SEEN)))


def test_what_a_guard_stopped_keeps_its_derivation() -> None:
    found = after(a_product(), rules(do_not_touch={"skus": ["MUG-1"]}))

    assert (found.price, found.result) == (None, Decimal("24.00"))
    assert facts_of(found)["reason"] == "DO_NOT_TOUCH"


CHANGES = st.lists(st.integers(50, 150), min_size=1, max_size=12)


@given(CHANGES, st.integers(1, 5), st.integers(1, 120), st.randoms(use_true_random=False))
def test_the_caps_hold_whatever_the_night_and_whatever_its_order(changes, most, effect, random) -> None:
    asked = rules(run={"max_proposals": most, "max_weekly_effect": str(effect)})
    pairs = [(f"P{n}", f"{price}.00") for n, price in enumerate(changes)]
    found = many(*pairs, asked=asked)
    shuffled = list(pairs)
    random.shuffle(shuffled)

    kept = [one for one in found if one.is_proposal]
    assert len(kept) <= most
    assert sum(abs(one.price - 100) for one in kept) <= effect
    assert told(many(*shuffled, asked=asked)) == told(found)
    assert {one.reason for one in found if one.guard} <= set(GUARDS)


def test_days_begin_in_the_zone_of_the_night() -> None:
    own = {
        "MUG-1": (
            replace(a_span("20.00", days_ago=0), first_seen_at=datetime(2026, 11, 19, 23, 30, tzinfo=ZoneInfo("UTC"))),
        )
    }
    berlin = after(a_product(), rules(emergencies=[EMERGENCY]), rival="22.00", zone=ZoneInfo("Europe/Berlin"), own=own)

    assert berlin.is_proposal


@pytest.mark.parametrize(
    ("tables", "problem"),
    [
        ({"run": {"max_proposals": 0}}, "rules.toml: run.max_proposals is the number 0; write a whole number"),
        ({"run": {"max_weekly_effect": 5}}, "rules.toml: run.max_weekly_effect is the number 5; write a quoted amount"),
        ({"run": {"max_proposal": 5}}, "rules.toml: run.max_proposal is not a known key; did you mean max_proposals?"),
        ({"run": {"breaker": {"market": "30"}}}, "run.breaker.market is not a known key; did you mean market_pct?"),
        ({"run": {"price_war": {"days": "14"}}}, "run.price_war.days is '14'; write a whole number"),
        ({"emergencies": [{"id": "storm"}]}, "emergency 'storm': from is missing; write a date without quotes"),
        ({"emergencies": [EMERGENCY | {"until": date(2026, 1, 1)}]}, "until is 2026-01-01; it must not be before from"),
        ({"emergencies": [EMERGENCY, EMERGENCY]}, "emergency 'storm': id is used by 2 emergencies"),
        ({"do_not_touch": {"sku": ["A"]}}, "do_not_touch.sku is not a known key; did you mean skus?"),
        ({"anomalies": {"step_factor": "0.5"}}, "anomalies.step_factor is '0.5'; write a quoted factor above 1"),
        ({"anomalies": {"second_look_min": 120}}, "anomalies.second_look_min is the number 120; write a quoted number"),
        ({"anomaly": {}}, "rules.toml: anomaly is not a known key; did you mean anomalies?"),
    ],
)
def test_what_is_wrong_with_a_guard_is_named_with_its_key_and_the_accepted_forms(
    tables: dict[str, object], problem: str
) -> None:
    with pytest.raises(Misconfigured) as refused:
        rules(**tables)

    assert problem in "\n".join(refused.value.problems)

"""What the executor decides, for any prices."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.domain.action import PriceWrite, WriteState
from monitor.domain.money import Money
from monitor.domain.rails import Rails, rails_of, refusal
from monitor.domain.shop_price import CompareAtAction, ShopPrice
from monitor.domain.submit import (
    MAX_CALLS,
    Judgement,
    Verdict,
    classify,
    confirmed,
    ends,
    is_for_a_person,
    judged,
    next_try,
    outcome_of,
    settled,
    too_late,
    unsettled,
)
from tests.contracts.test_shop import a_write

WIDE = Rails(max_step_pct=Decimal(1000))
AT = datetime(2026, 11, 29, 6, 30, tzinfo=UTC)

amounts = st.decimals(min_value="0.01", max_value="99999", places=2)
currencies = st.sampled_from(["EUR", "USD", "JPY"])
prices = st.builds(ShopPrice, st.builds(Money, amounts, currencies))


def _eur(text: str) -> ShopPrice:
    return ShopPrice(Money(Decimal(text), "EUR"))


def _beside(price: str, compare_at: str | None, **other: Any) -> ShopPrice:
    beside = None if compare_at is None else Decimal(compare_at)
    return ShopPrice(Money(Decimal(price), "EUR"), beside, tells_compare_at=True, **other)


def _write(old: str, new: str, before: str | None, change: str = "keep") -> PriceWrite:
    """Return a write whose decision knew the compare-at price and keeps it, clears it or sets it to an amount."""
    action = CompareAtAction(change) if change in ("keep", "clear") else CompareAtAction.SET
    return replace(
        a_write(new=new, old=old),
        compare_at_action=action,
        compare_at=Decimal(change) if action is CompareAtAction.SET else None,
        is_compare_at_known=True,
        expected_compare_at=None if before is None else Decimal(before),
        attempts=0,
    )


@pytest.mark.parametrize(
    ("current", "verdict"),
    [
        (_eur("27.90"), Verdict.GO),
        (_eur("27.9000"), Verdict.GO),  # one price, written otherwise
        (_eur("24.9"), Verdict.NOOP),
        (_eur("24.904"), Verdict.CONFLICT),  # not rounded to what we would like to see
        (ShopPrice(Money(Decimal("24.90"), "USD")), Verdict.CONFLICT),
        (None, Verdict.GONE),
    ],
)
def test_the_shop_s_price_is_compared_exactly_and_with_its_currency(current, verdict):
    assert classify(a_write(), current) is verdict


@given(expected=amounts, target=amounts, current=st.none() | prices)
def test_only_the_expected_price_gives_the_go_ahead(expected, target, current):
    write = replace(a_write(), expected_price=expected, target_price=target)
    old, new = ShopPrice(Money(expected, "EUR")), ShopPrice(Money(target, "EUR"))

    verdict = classify(write, current)

    assert (verdict is Verdict.GO) == (current == old and current != new)
    assert (verdict is Verdict.NOOP) == (current == new)


@given(new=amounts, old=amounts, current=st.none() | prices, step=st.decimals(min_value=0, max_value=300, places=1))
def test_nothing_is_written_beyond_the_rails(new, old, current, step):
    write = replace(a_write(), target_price=new, expected_price=old)

    judgement = judged(write, current, Rails(step))

    if judgement.state is WriteState.CALLING:
        assert current == ShopPrice(Money(old, "EUR"))
        assert abs(new - old) * 100 <= step * old


@pytest.mark.parametrize(
    ("new", "is_allowed"),
    [("13.95", True), ("13.94", False), ("41.85", True), ("41.86", False), ("27.90", True)],
)
def test_a_step_is_measured_exactly_from_the_price_decided_on(new, is_allowed):
    assert (refusal(a_write(new=new), _eur("27.90"), Rails(Decimal(50))) is None) == is_allowed


@pytest.mark.parametrize("new", ["0", "-1"])
def test_a_price_that_is_not_above_zero_is_refused(new):
    assert "not above zero" in (refusal(a_write(new=new), _eur("27.90"), WIDE) or "")


def test_limits_come_from_the_facts_of_the_decision_and_include_their_ends():
    facts = {"limits": {"lower": {"code": "min_price", "amount": "24.90"}, "upper": {"code": "map", "amount": "30.00"}}}
    rails = rails_of(facts, Decimal(1000))

    assert rails == Rails(Decimal(1000), Decimal("24.90"), Decimal("30.00"))
    assert refusal(a_write(new="24.90"), None, rails) is None
    assert refusal(a_write(new="30.00"), None, rails) is None
    assert refusal(a_write(new="24.89"), None, rails) is not None
    assert refusal(a_write(new="30.01"), None, rails) is not None


@pytest.mark.parametrize("facts", [{}, {"limits": None}, {"limits": {"lower": None, "upper": None}}])
def test_a_decision_without_limits_has_only_the_step(facts):
    assert rails_of(facts, Decimal(50)) == Rails(Decimal(50))


@given(attempts=st.integers(1, 9), current=st.none() | prices)
def test_an_unknown_write_is_sent_again_at_most_three_times(attempts, current):
    write = replace(a_write(), attempts=attempts)

    judgement = settled(write, current)

    assert judgement.state in (
        WriteState.APPLIED,
        WriteState.CONFLICT,
        WriteState.TARGET_GONE,
        WriteState.QUEUED,
        WriteState.FAILED,
    )
    assert (judgement.state is WriteState.QUEUED) == (current == _eur("27.90") and attempts < MAX_CALLS)
    assert (judgement.state is WriteState.APPLIED) == (current == _eur("24.90"))
    assert unsettled(write).state is (WriteState.QUEUED if attempts < MAX_CALLS else WriteState.FAILED)


@given(current=st.none() | prices)
def test_only_the_new_price_read_back_confirms_a_write(current):
    assert (confirmed(a_write(), current, "set").state is WriteState.APPLIED) == (current == _eur("24.90"))


def test_a_noop_after_a_call_of_ours_is_ours():
    write = a_write()

    assert judged(replace(write, attempts=0), _eur("24.90"), WIDE).state is WriteState.APPLIED_NOOP
    assert judged(replace(write, attempts=1), _eur("24.90"), WIDE).state is WriteState.APPLIED


def test_what_expired_is_called_unwritten_only_when_that_is_known():
    sent, unsent = replace(a_write(), attempts=1), replace(a_write(), attempts=0)

    assert too_late(unsent, AT, is_readable=False).state is WriteState.EXPIRED
    assert too_late(sent, AT, is_readable=True).state is WriteState.EXPIRED
    assert too_late(sent, AT, is_readable=False).state is WriteState.FAILED


@given(tries=st.integers(0, 10_000))
def test_the_wait_grows_and_stays_bounded(tries):
    assert timedelta(seconds=15) <= next_try(AT, tries) - AT <= timedelta(minutes=15)
    assert next_try(AT, tries) <= next_try(AT, tries + 1)


def test_whatever_ends_unlike_it_was_approved_is_shown_to_a_person():
    quiet = {WriteState.APPLIED, WriteState.APPLIED_NOOP, WriteState.CANCELLED}

    assert {state for state in WriteState if ends(state) and not is_for_a_person(state)} == quiet
    assert {outcome_of(state).value for state in quiet} == {state.value for state in quiet}


@pytest.mark.parametrize(
    ("write", "current", "state"),
    [
        (_write("100.00", "120.00", "120.00", "clear"), _beside("100.00", "120.00"), WriteState.CALLING),
        (_write("100.00", "120.00", "120.00", "clear"), _beside("120.00", None), WriteState.APPLIED_NOOP),
        # the price is there already, but the bogus sale still is too
        (_write("120.00", "120.00", "130.00", "clear"), _beside("120.00", "130.00"), WriteState.CALLING),
        (_write("50.00", "48.00", "60.00"), _beside("50.00", "60.00"), WriteState.CALLING),
        (_write("50.00", "48.00", "60.00"), _beside("48.00", "60.00"), WriteState.APPLIED_NOOP),
        (_write("30.00", "33.00", None), _beside("30.00", None), WriteState.CALLING),
        (_write("30.00", "25.00", None, "30.00"), _beside("30.00", None), WriteState.CALLING),
        # somebody began, changed or ended a sale since it was proposed
        (_write("30.00", "25.00", None), _beside("30.00", "40.00"), WriteState.CONFLICT),
        (_write("50.00", "48.00", "60.00"), _beside("50.00", None), WriteState.CONFLICT),
        (_write("50.00", "48.00", "60.00"), _beside("48.00", None), WriteState.CONFLICT),
        # a shop that does not tell it cannot contradict
        (_write("50.00", "48.00", "60.00"), _eur("50.00"), WriteState.CALLING),
        # at or above a kept compare-at price
        (_write("50.00", "60.00", "60.00"), _beside("50.00", "60.00"), WriteState.FAILED),
        (_write("50.00", "61.00", "60.00"), _beside("50.00", "60.00"), WriteState.FAILED),
        (_write("50.00", "59.99", "60.00"), _beside("50.00", "60.00"), WriteState.CALLING),
        # a compare-at price that is not above the new price is no former price
        (_write("30.00", "25.00", None, "25.00"), _beside("30.00", None), WriteState.FAILED),
    ],
)
def test_a_compare_at_price_is_kept_set_or_cleared_and_compared_like_the_price(write, current, state):
    assert judged(write, current, WIDE).state is state


def test_a_price_held_under_a_kept_compare_at_price_says_what_to_do():
    words = judged(_write("50.00", "60.00", "60.00"), _beside("50.00", "60.00"), WIDE).words

    assert words == (
        "the new price 60.00 EUR would be at or above the compare-at price 60.00 EUR, which was to be kept; decide "
        "again and clear or set it. Nothing was sent"
    )


@pytest.mark.parametrize(
    ("current", "state"),
    [
        (_beside("48.00", "60.00"), WriteState.APPLIED),
        (_beside("48.00", None), WriteState.CONFLICT),  # the shop ended the sale by itself
        (_beside("48.00", "0.00"), WriteState.CONFLICT),
        (_beside("50.00", "60.00"), WriteState.UNKNOWN),
    ],
)
def test_a_kept_compare_at_price_must_still_be_there_when_read_back(current, state):
    assert confirmed(_write("50.00", "48.00", "60.00"), current, "set").state is state


@pytest.mark.parametrize(
    ("approved", "stated", "is_refused"),
    [(True, True, False), (True, False, True), (False, True, True), (None, False, False), (True, None, False)],
)
def test_a_price_is_refused_where_the_shop_states_its_prices_with_another_tax(approved, stated, is_refused):
    write = replace(a_write(), tax_included=approved)

    judgement = judged(write, replace(_eur("27.90"), tax_included=stated), WIDE)

    assert (judgement.state is WriteState.FAILED) == is_refused
    assert is_refused == ("tax" in judgement.words)


def test_a_shop_that_changed_its_currency_is_told_apart_from_one_that_changed_its_price():
    judgement = judged(a_write(), ShopPrice(Money(Decimal("27.90"), "CHF")), WIDE)

    assert judgement.state is WriteState.FAILED
    assert judgement.words.startswith("the shop's currency changed since the proposal: it sells in CHF")


def test_what_a_shop_itself_would_not_do_is_not_tried():
    judgement = judged(a_write(), _eur("27.90"), WIDE, "a sale is under way")

    assert judgement == Judgement(WriteState.FAILED, "a sale is under way. Nothing was sent")

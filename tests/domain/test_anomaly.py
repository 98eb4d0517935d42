"""Odd readings wait for a second night; what is normal is never held."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.domain.anomaly import MOST_STEP, Held, held_now
from monitor.domain.extraction import Availability
from monitor.domain.observation import Span
from tests.nights import a_span

OWN = {"TJ-40": (Decimal("129.00"), "EUR")}


def nights(*prices: str | None) -> tuple[Span, ...]:
    """Read these prices in as many nights, and return the history made of them; None is a night without a reading."""
    spans: list[Span] = []
    for night, price in enumerate(prices):
        run = f"n{night}"
        if price is None:
            continue
        if spans and spans[-1].price == Decimal(price):
            spans[-1] = replace(spans[-1], last_run_id=run)
        else:
            spans.append(a_span(price, days_ago=len(prices) - night, first_run_id=run, last_run_id=run))
    return tuple(spans)


def held(spans: Sequence[Span], own: dict[str, tuple[Decimal, str]] | None = None) -> list[Held]:
    return list(held_now({("globex", "TJ-40"): tuple(spans)}, OWN if own is None else own))


@pytest.mark.parametrize(
    ("prices", "code"),
    [
        (("118.90",), None),  # a first price near ours
        (("118.90", "118.90"), None),
        (("118.90", "99.00"), None),  # an ordinary sale
        (("118.90", "160.00"), None),  # 1.346 times
        (("118.90", "161.00"), "STEP"),  # 1.354 times
        (("118.90", "11.89"), "STEP"),  # a decimal slip
        (("118.90", "11890"), "STEP"),  # cents as euros
        (("11.89",), "IMPLAUSIBLE"),  # the slip in the very first night
        (("11.89", "11.89"), None),  # a second night confirms it
        (("118.90", "49.00", "49.00"), None),  # a real sale costs one night
        (("118.90", "49.00", "49.20"), None),  # within 1 %
        (("118.90", "49.00", "49.20", "55.00"), None),  # so 49.20 is what the next step is measured from
        (("118.90", "49.00", "55.00"), "STEP"),  # odd again, and not the same
        (("118.90", "11.89", "118.90"), None),  # a glitch that is over holds nothing up
        (("118.90", "11.89", None, "118.90"), None),
        (("118.90", "11.89", None), "STEP"),  # not read since: still held
        (("118.90", "11.89", "115.00"), None),  # over, at another ordinary price
        (("11.89", "118.90"), None),  # a first glitch is no measure either
        (("118.90", "49.00", "49.00", "118.90"), "STEP"),  # the sale was confirmed; its end is a step again
    ],
)
def test_a_price_is_held_when_it_is_odd_and_new(prices: tuple[str, ...], code: str | None) -> None:
    assert [one.code for one in held(nights(*prices))] == ([] if code is None else [code])


def test_asking_again_in_the_same_night_confirms_nothing() -> None:
    spans = nights("118.90", "11.89")

    assert held(spans) == held(spans) != []


def test_a_stock_that_changes_while_a_price_is_held_does_not_hide_the_second_night() -> None:
    *before, odd = nights("118.90", "49.00")
    sold_out = replace(odd, availability=Availability.OUT_OF_STOCK, first_run_id="n2", last_run_id="n2")

    assert held([*before, odd, sold_out]) == []


def test_another_currency_is_never_compared_with_ours_or_with_history() -> None:
    (euros,) = nights("118.90")
    yen = a_span("16000", days_ago=0, currency="JPY", first_run_id="n1", last_run_id="n1")

    assert held([euros, yen]) == []


def test_without_a_price_of_our_own_a_first_price_is_taken_as_it_is() -> None:
    assert held(nights("11.89"), own={}) == []


def test_nothing_is_held_of_what_was_never_read() -> None:
    assert held_now({("globex", "TJ-40"): ()}, OWN) == ()


def test_the_words_name_both_prices_in_full() -> None:
    (one,) = held(nights("118.90", "11.9"))

    assert (one.competitor, one.sku) == ("globex", "TJ-40")
    assert "11.90 EUR after 118.90" in one.words


prices_of_a_life = st.lists(
    st.integers(500, 50_000).map(lambda cents: str(Decimal(cents) / 100)), min_size=2, max_size=8
)


@given(prices_of_a_life)
def test_no_price_is_held_two_nights_running(life: list[str]) -> None:
    assert held(nights(*life, life[-1])) == []


@given(prices_of_a_life)
def test_a_step_within_the_limit_of_a_confirmed_price_is_never_held(life: list[str]) -> None:
    last = Decimal(life[-1])
    near = (last * MOST_STEP).quantize(Decimal("0.01"), rounding="ROUND_DOWN")

    assert held(nights(*life, str(last), str(near))) == []

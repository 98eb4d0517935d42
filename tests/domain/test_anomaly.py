"""Odd readings wait for a second night; what is normal is never held."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.domain.anomaly import Doubts, Held, HoldCode, Knowledge, held_now
from monitor.domain.extraction import Availability
from monitor.domain.observation import Span
from tests.nights import a_span

OWN = {"TJ-40": (Decimal("129.00"), "EUR")}
DOUBTS = Doubts()


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


def held(
    spans: Sequence[Span], own: dict[str, tuple[Decimal, str]] | None = None, doubts: Doubts = DOUBTS, **known: Any
) -> list[Held]:
    knowledge = Knowledge(own=OWN if own is None else own, **known)
    return list(held_now({("globex", "TJ-40"): tuple(spans)}, knowledge, doubts))


@pytest.mark.parametrize(
    ("prices", "code"),
    [
        (("118.90",), None),  # a first price near ours
        (("118.90", "118.90"), None),
        (("118.90", "99.00"), None),  # an ordinary sale
        (("118.90", "160.00"), None),  # 1.346 times
        (("118.90", "161.00"), "STEP"),  # 1.354 times
        (("118.90", "11.89"), "SCALE"),  # a decimal slip
        (("118.90", "11890"), "SCALE"),  # cents as euros
        (("118.90", "118900"), "SCALE"),  # a separator of thousands for the point
        (("118.90", "11.60"), "SCALE"),  # within 3 % of a tenth
        (("118.90", "11.40"), "STEP"),  # and not
        (("118.90", "99.92"), "TAX"),  # 19 % taken off
        (("118.90", "142.68"), "TAX"),  # 20 % put on
        (("118.90", "143.87"), "TAX"),  # 21 % put on, to the cent
        (("118.90", "142.80"), None),  # near it, and an ordinary raise
        (("100.00", "119.00"), "TAX"),
        (("59.99", "49.99"), None),  # 20 % apart to the cent, and a step between two chosen prices
        (("118.90", "99.92", "99.92"), None),  # the second night confirms it
        (("11.89",), "IMPLAUSIBLE"),  # the slip in the very first night
        (("11.89", "11.89"), None),  # a second night confirms it
        (("118.90", "49.00", "49.00"), None),  # a real sale costs one night
        (("118.90", "49.00", "49.20"), None),  # within 1 %
        (("118.90", "49.00", "49.20", "55.00"), None),  # so 49.20 is what the next step is measured from
        (("118.90", "49.00", "55.00"), "STEP"),  # odd again, and not the same
        (("118.90", "11.89", "118.90"), None),  # a glitch that is over holds nothing up
        (("118.90", "11.89", None, "118.90"), None),
        (("118.90", "11.89", None), "SCALE"),  # not read since: still held
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


def in_yen(run: str = "n1", price: str = "16000") -> Span:
    return a_span(price, days_ago=0, currency="JPY", first_run_id=run, last_run_id=run)


def test_another_currency_than_before_is_held_until_a_second_night_reads_it() -> None:
    (euros,) = nights("118.90")

    assert [one.code for one in held([euros, in_yen()])] == [HoldCode.CURRENCY]
    assert held([euros, in_yen(), in_yen("n2", "16010")]) == []


def test_the_old_amount_in_another_currency_is_held_though_the_page_names_the_old_one() -> None:
    """A shop that guesses the visitor's country shows dollars and still says euros."""
    worth = {("EUR", "USD"): Decimal("1.16"), ("USD", "EUR"): 1 / Decimal("1.16")}
    spans = nights("118.90", "137.98")  # 1.1605 times

    assert [(one.code, "in USD" in one.words) for one in held(spans, worth=worth)] == [(HoldCode.CURRENCY, True)]
    assert held(spans) == []


@pytest.mark.parametrize(
    ("price", "is_held"),
    [("102.52", True), ("102.90", False), ("101.99", False), ("100.00", False), ("102.50", True)],
)
def test_a_sale_of_the_size_of_an_exchange_rate_is_a_sale(price: str, is_held: bool) -> None:
    """116.50 at 0.88 is 102.52; at the same distance a sale ends in a 0, 5 or 9."""
    worth = {("EUR", "GBP"): Decimal("0.88")}
    first = "116.48" if price == "102.50" else "116.50"  # 102.5024

    assert bool(held(nights(first, price), worth=worth)) is is_held


def test_a_first_price_in_another_currency_is_compared_by_the_exchange_rate() -> None:
    worth = {("EUR", "JPY"): Decimal(180)}
    first = nights("16000")[0]
    yen = replace(first, currency="JPY")

    assert held([yen], worth=worth) == []
    assert [one.code for one in held([replace(yen, price=Decimal(1600))], worth=worth)] == [HoldCode.IMPLAUSIBLE]
    assert held([yen]) == []  # without a rate its offer does not count anyway


@pytest.mark.parametrize("price", ["0", "0.01", "1", "9999", "99999.99"])
def test_an_amount_that_fills_the_place_of_a_price_is_never_confirmed(price: str) -> None:
    assert [one.code for one in held(nights("118.90", price))] == [HoldCode.PLACEHOLDER]
    assert [one.code for one in held(nights("118.90", price, price, price))] == [HoldCode.PLACEHOLDER]
    assert [one.code for one in held(nights(price))] == [HoldCode.PLACEHOLDER]


def test_a_filler_is_no_measure_for_the_price_after_it() -> None:
    assert held(nights("118.90", "9999", "9999", "118.90")) == []
    assert [one.code for one in held(nights("118.90", "1", "1", "59.00"))] == [HoldCode.STEP]


def test_an_amount_that_looks_like_a_filler_is_a_price_where_ours_is_near_it() -> None:
    own = {"TJ-40": (Decimal("9500.00"), "EUR")}

    assert held(nights("9800", "9999"), own=own) == []
    assert held(nights("9999"), own=own) == []


def test_an_accepted_price_is_held_no_longer_and_only_that_one() -> None:
    accepted = {("globex", "TJ-40"): (Decimal("9999"), "EUR")}

    assert held(nights("118.90", "9999"), accepted=accepted) == []
    assert [one.code for one in held(nights("118.90", "99999"), accepted=accepted)] == [HoldCode.PLACEHOLDER]


def test_a_hold_that_needs_a_person_outlasts_the_nights_that_read_the_same_price() -> None:
    known = held(nights("118.90", "89.00", "89.00"))
    standing = Held(
        "globex",
        "TJ-40",
        HoldCode.VARIANT,
        "another size",
        Decimal("89.00"),
        "EUR",
        a_span("1", days_ago=0).first_seen_at,
    )
    by_hand = {("globex", "TJ-40"): standing}

    assert known == []
    assert held(nights("118.90", "89.00", "89.00"), standing=by_hand) == [standing]
    assert held(nights("118.90", "89.00", "118.90"), standing=by_hand) == []
    assert [one.code for one in held(nights("118.90", "89.00", "89.00", "80.00"), standing=by_hand)] == [HoldCode.STEP]


def test_a_second_look_hours_later_confirms_in_the_same_night() -> None:
    *before, odd = nights("118.90", "49.00")
    again = replace(odd, last_seen_at=odd.first_seen_at + timedelta(hours=2))
    soon = replace(odd, last_seen_at=odd.first_seen_at + timedelta(minutes=30))

    assert held([*before, again]) == []
    assert [one.code for one in held([*before, soon])] == [HoldCode.STEP]
    assert [one.code for one in held([*before, again], doubts=Doubts(second_look=timedelta(0)))] == [HoldCode.STEP]


def test_a_second_look_that_reads_the_old_price_forgets_the_glitch() -> None:
    *before, glitch = nights("118.90", "11.89")
    back = replace(glitch, price=Decimal("118.90"), first_seen_at=glitch.first_seen_at + timedelta(hours=2))

    assert held([*before, glitch, back]) == []


def test_a_flat_history_has_no_spread_and_holds_no_ordinary_step() -> None:
    assert held(nights(*["118.90"] * 15, "99.00")) == []
    assert held(nights(*["118.90"] * 15, "118.91")) == []


def a_life(*prices: str) -> tuple[Span, ...]:
    """A history with a span for every night, seen in two runs each, so that all of it is confirmed."""
    return tuple(
        a_span(price, days_ago=len(prices) - night, first_run_id=f"n{night}", last_run_id=f"n{night}b")
        for night, price in enumerate(prices)
    )


def test_a_history_that_moves_a_little_holds_a_price_far_outside_it() -> None:
    calm = a_life(*["100.00", "101.00", "99.00", "100.50", "99.50"] * 3)
    odd = a_span("80.00", days_ago=0, first_run_id="now", last_run_id="now")

    assert [one.code for one in held([*calm, odd])] == [HoldCode.UNUSUAL]
    assert held([*calm, replace(odd, price=Decimal("97.00"))]) == []
    assert held([*calm[-4:], odd]) == []  # too few nights for statistics


def test_a_new_price_far_from_three_other_shops_is_held() -> None:
    peers = {"TJ-40": {shop: (Decimal("120"), "EUR") for shop in ("acme", "hooli", "initech")}}
    two = {"TJ-40": {shop: (Decimal("120"), "EUR") for shop in ("acme", "hooli")}}

    assert [one.code for one in held(nights("71.00"), peers=peers)] == [HoldCode.PEERS]
    assert held(nights("71.00"), peers=two) == []
    assert held(nights("73.00"), peers=peers) == []
    assert held(nights("71.00", "71.00"), peers=peers) == []


def a_shop(count: int, factor: str, others: int = 0) -> dict[tuple[str, str], tuple[Span, ...]]:
    """A shop of which so many prices moved by a factor tonight, and others by none of it."""
    moved = {("globex", f"M{n}"): nights("100.00", str(Decimal("100.00") * Decimal(factor))) for n in range(count)}
    return {
        key: tuple(replace(span, sku=key[1]) for span in spans)
        for key, spans in (
            moved | {("globex", f"O{n}"): nights("100.00", f"{97 - 3 * n}.00") for n in range(others)}
        ).items()
    }


@pytest.mark.parametrize(
    ("count", "compared", "is_held"),
    [(4, 7, True), (4, 8, False), (3, 3, False), (10, 12, True)],
)
def test_a_shop_most_of_whose_prices_moved_by_one_factor_is_held(count: int, compared: int, is_held: bool) -> None:
    knowledge = Knowledge(run_id="n1", compared={"globex": compared})

    found = held_now(a_shop(count, "0.9", others=2), knowledge, DOUBTS)

    assert [one.code for one in found] == [HoldCode.SITE_SHIFT] * (count if is_held else 0)


def test_a_shift_of_another_night_is_not_looked_for_again() -> None:
    assert held_now(a_shop(6, "0.9"), Knowledge(run_id="n2", compared={"globex": 6}), DOUBTS) == ()


def test_without_a_price_of_our_own_a_first_price_is_taken_as_it_is() -> None:
    assert held(nights("11.89"), own={}) == []


def test_nothing_is_held_of_what_was_never_read() -> None:
    assert held_now({("globex", "TJ-40"): ()}, Knowledge(own=OWN), DOUBTS) == ()


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


@given(prices_of_a_life.map(lambda life: life[:6]))
def test_a_step_within_the_limit_of_a_confirmed_price_is_never_held(life: list[str]) -> None:
    """With too few nights for a habit, and with amounts that are not taken for another tax."""
    last = Decimal(life[-1])
    near = (last * DOUBTS.step_factor).quantize(Decimal("0.01"), rounding="ROUND_DOWN")

    assert held(nights(*life, str(last), str(near)), doubts=Doubts(tax_pct=())) == []

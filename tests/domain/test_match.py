"""Telling whether a rival's listing is our product: numbers, quantities, traits, and the pairs as a whole."""

from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum import ean

from monitor.domain.catalogue import Catalogue, Competitor, MatchState, Product, Watch
from monitor.domain.intake import Asked
from monitor.domain.match import LEAST_SCORE, Basis, Listing, Match, suggestions, with_matches
from monitor.domain.match.gtin import NoGtin, Relation, expanded_upc_e, read_gtin, relation
from monitor.domain.match.quantity import read_quantity
from monitor.domain.match.rival_file import read_rivals
from monitor.domain.match.traits import read_traits
from tests.match_pairs import PAIRS, SECOND, Pair

NOW = datetime(2026, 11, 29, 6, tzinfo=UTC)


# The pairs


@pytest.mark.parametrize(
    "pair", [p for p in PAIRS + SECOND if not p.is_same], ids=lambda p: f"{p.own.title} / {p.rival.title}"
)
def test_another_product_is_never_suggested(pair: Pair):
    assert pair.verdict.vetoes or pair.verdict.score < LEAST_SCORE


def test_nearly_every_pair_of_one_product_is_suggested():
    same = [pair for pair in PAIRS + SECOND if pair.is_same]
    found = [pair for pair in same if pair.verdict.is_possible and pair.verdict.score >= LEAST_SCORE]

    assert len(found) / len(same) >= 0.95


@pytest.mark.parametrize("pair", PAIRS[:60], ids=lambda p: p.own.title)
def test_nothing_speaks_against_a_pair_of_one_product(pair: Pair):
    assert pair.verdict.vetoes == ()


# GTIN


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("4006381333931", "04006381333931"),
        ("036000291452", "00036000291452"),
        ("0036000291452", "00036000291452"),
        ("36000291452", "00036000291452"),  # a spreadsheet dropped the zero
        ("4006381333931.0", "04006381333931"),
        ("4006381 333931", "04006381333931"),
        ("'4006381333931", "04006381333931"),
        ("96385074", "00000096385074"),
        ("14006381333938", "14006381333938"),
    ],
)
def test_a_gtin_in_any_length_is_the_same_number(text, digits):
    assert read_gtin(text).digits == digits


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("4006381333932", "wrong check digit"),
        ("4.00638E+12", "rounded by a spreadsheet"),
        ("0000000000000", "all zeros"),
        ("2000000000008", "given out by one shop"),
        ("0200000000004", "given out by one shop"),
        ("9900000000004", "coupon"),
        ("none", "not 8, 12, 13 or 14 digits"),
        ("٤٠٠٦٣٨١٣٣٣٩٣١", "not 8, 12, 13 or 14 digits"),
    ],
)
def test_what_identifies_nothing_elsewhere_is_no_gtin(text, reason):
    with pytest.raises(NoGtin, match=reason):
        read_gtin(text)


def test_a_case_of_an_item_is_never_the_item():
    item, case, other = (read_gtin(text) for text in ("4006381333931", "14006381333938", "4006381333948"))

    assert (relation(item, item), relation(item, case), relation(item, other)) == (
        Relation.SAME,
        Relation.PACK,
        Relation.OTHER,
    )


@given(st.integers(min_value=1, max_value=8), st.integers(min_value=10**11, max_value=10**12 - 1))
def test_every_indicator_makes_a_pack_of_the_same_item(indicator, number):
    body = f"4{number:012d}"[:12]
    item = f"0{body}" + ean.calc_check_digit(f"0{body}")
    case = f"{indicator}{body}" + ean.calc_check_digit(f"{indicator}{body}")

    assert relation(read_gtin(item), read_gtin(case)) is Relation.PACK


def test_a_upc_e_is_expanded_only_when_it_checks():
    assert expanded_upc_e("01234565") == "012345000065"
    assert expanded_upc_e("01234567") is None


# Quantities


@pytest.mark.parametrize(
    ("title", "sizes", "packs", "pieces"),
    [
        ("Cola 12 x 330 ml", {("ml", 330)}, 12, set()),
        ("Cola 330ml (12 pack)", {("ml", 330)}, 12, set()),
        ("pack of 12", set(), 12, set()),
        ("Pads 12 ct", set(), 12, set()),
        ("2-pack of 6", set(), 12, set()),
        ("6er-Pack Becher", set(), 6, set()),
        ("lot de 3 savons 100 g", {("g", 100)}, 3, set()),
        ("confezione da 6 x 500 g", {("g", 500)}, 6, set()),
        ("набор из 3 кружек", set(), 3, set()),
        ("Doppelpack", set(), 2, set()),
        ("2x Mug", set(), 2, set()),
        ("Wasser 1,5 L", {("ml", 1500)}, None, set()),
        ("Öl 1.000 ml", {("ml", 1000)}, None, set()),
        ("wine 0.75l", {("ml", 750)}, None, set()),
        ("flour 500g + 20% free", {("g", 600)}, None, set()),
        ("cable 6 × 1 m", {("mm", 1000)}, 6, set()),
        ("60 Kapseln", set(), None, {60}),
        ("Seife 100 г", {("g", 100)}, None, set()),
        ("crab 3-5 lb", set(), None, set()),
        ("photo 10 x 15 cm", set(), None, set()),
        ("Levi's 501", set(), None, set()),
        ("7UP", set(), None, set()),
        ("WD-40", set(), None, set()),
        ("3-in-1 shampoo", set(), None, set()),
        ("Lamp", set(), None, set()),
    ],
)
def test_a_title_says_how_much_there_is(title, sizes, packs, pieces):
    read = read_quantity(title)

    assert ({(each.kind, each.amount) for each in read.sizes}, read.packs, set(read.pieces)) == (sizes, packs, pieces)


def test_factors_between_systems_are_exact():
    (pounds,) = read_quantity("1 lb 4 oz").sizes
    (gallon,) = read_quantity("½ gal").sizes

    assert pounds.amount == Fraction("453.59237") + 4 * Fraction("28.349523125")
    assert gallon.amount == 64 * Fraction("29.5735295625")


@given(st.text(max_size=120))
def test_any_title_can_be_taken_apart(title):
    read_traits(title, (), None)


@given(st.integers(1, 24), st.integers(1, 900), st.sampled_from(["g", "ml"]))
def test_packs_and_size_come_back_from_either_order(packs, size, unit):
    one, other = read_quantity(f"Thing {packs} x {size} {unit}"), read_quantity(f"Thing {size}{unit} x {packs}")

    assert (one.sizes, one.packs) == (other.sizes, other.packs)


def test_colours_and_sizes_of_several_languages_are_one():
    one = read_traits("Tee blau, Größe M", (), None)
    other = read_traits("Tee", ("Blue", "M"), None)

    assert (one.colours, one.sizes) == (other.colours, other.sizes) == (frozenset({"blue"}), frozenset({"m"}))


# Suggestions


def a_product(sku: str, title: str, **facts) -> Product:
    return Product(sku=sku, title=title, currency="EUR", price=Decimal(20), brand="Ridge", **facts)


def test_of_one_page_only_the_likeliest_product_is_suggested():
    products = [a_product("A", "Trail Mug blue"), a_product("B", "Trail Mug"), a_product("C", "Camp Stove")]
    found = suggestions(products, "acme", [Listing("https://acme.example/1", "Ridge Trail Mug blue")])

    assert [(each.sku, each.basis) for each in found] == [("A", Basis.TITLE)]


def test_equals_are_both_suggested_with_a_doubt():
    products = [a_product("A", "Trail Mug blue"), a_product("B", "Trail Mug red")]
    found = suggestions(products, "acme", [Listing("https://acme.example/1", "Ridge Trail Mug")])

    assert [each.sku for each in found] == ["A", "B"]
    assert "as like B" in found[0].doubts


def test_the_same_gtin_is_found_whatever_the_title_says():
    found = suggestions(
        [a_product("A", "Handmühle", gtin="036000291452")],
        "acme",
        [Listing("https://acme.example/1", "Coffee grinder", gtin="0036000291452")],
    )

    assert [(each.sku, each.basis, each.reason.split(";")[0]) for each in found] == [("A", Basis.GTIN, "the same GTIN")]


def test_a_price_far_from_ours_is_a_doubt():
    (found,) = suggestions(
        [a_product("A", "Trail Mug")],
        "acme",
        [Listing("https://acme.example/1", "Ridge Trail Mug", price=Decimal(99), currency="EUR")],
    )

    assert "its price is 4.95 times ours" in found.doubts


# What a night works on


def a_match(state: MatchState, url: str = "https://acme.example/a", *, decided: bool = True) -> Match:
    return Match(
        id=1,
        competitor="acme",
        sku="A",
        url=url,
        state=state,
        score=90,
        basis=Basis.TITLE,
        reason="",
        title="Mug",
        by="ada",
        suggested_at=NOW,
        decided_at=NOW if decided else None,
    )


def a_catalogue(*watches: Watch) -> Catalogue:
    return Catalogue((a_product("A", "Mug"),), (Competitor("acme", "Acme", "https://acme.example"),), watches)


def test_only_a_confirmed_match_becomes_a_watch():
    for state, count in ((MatchState.CONFIRMED, 1), (MatchState.SUGGESTED, 0), (MatchState.REJECTED, 0)):
        watches = with_matches(a_catalogue(), [a_match(state)]).watches
        assert [watch.match for watch in watches] == [MatchState.CONFIRMED] * count


def test_a_watch_that_a_person_entered_stays_and_keeps_a_second_page_out():
    entered = Watch("acme", "A", "https://acme.example/entered")

    assert with_matches(a_catalogue(entered), [a_match(MatchState.CONFIRMED)]).watches == (entered,)


@pytest.mark.parametrize("state", [MatchState.CONFIRMED, MatchState.REJECTED])
def test_a_decision_about_a_suggested_watch_holds(state):
    watch = Watch("acme", "A", "https://acme.example/a", MatchState.SUGGESTED)

    assert with_matches(a_catalogue(watch), [a_match(state)]).watches[0].match is state


def test_a_suggestion_does_not_take_a_confirmed_watch_away():
    watch = Watch("acme", "A", "https://acme.example/a")

    assert with_matches(a_catalogue(watch), [a_match(MatchState.SUGGESTED, decided=False)]).watches == (watch,)


def test_a_match_of_a_competitor_or_product_that_is_gone_adds_nothing():
    empty = Catalogue((), (), ())

    assert with_matches(empty, [a_match(MatchState.CONFIRMED)]).watches == ()


# What a competitor sells


ASKED = Asked(currency="EUR", today=NOW.date())


def test_a_simple_table_of_a_competitor_is_read():
    text = "Link,Name,EAN,Price,Currency\n/p/1,Trail Mug,4006381333931,19.90,EUR\n"
    listings, problems = read_rivals(text.encode(), "acme.csv", "https://acme.example", ASKED)

    assert problems == ()
    assert listings == (
        Listing("https://acme.example/p/1", "Trail Mug", gtin="4006381333931", price=Decimal("19.9"), currency="EUR"),
    )


def test_a_shopify_export_of_a_competitor_gives_the_pages_of_its_handles():
    text = "Handle,Title,Option1 Value,Variant Price,Vendor\nmug,Mug,Blue,9,Ridge\n"
    (listing,), _ = read_rivals(text.encode(), "acme.csv", "https://acme.example", ASKED)

    assert (listing.url, listing.options, listing.brand) == ("https://acme.example/products/mug", ("Blue",), "Ridge")


def test_a_table_with_a_gap_is_refused_whole():
    listings, problems = read_rivals(b"url,title\n/p/1,\n/p/2,Mug\n", "acme.csv", "https://acme.example", ASKED)

    assert (listings, problems) == ((), ("acme.csv, line 2: url and title are both needed in every row",))

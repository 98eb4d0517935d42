"""What holds for every product, every market and every rule, tried on thousands of them."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st

from monitor.domain.catalogue import MatchState, Product
from monitor.domain.money import digits
from monitor.domain.pricing import Decision, Offer, Rules, decide
from monitor.domain.pricing.guards import Circumstances, guarded
from monitor.domain.pricing.rule import (
    Band,
    BelowFloor,
    Compare,
    Direction,
    EndingBand,
    Guardrails,
    Mode,
    OfferFilter,
    PriceWar,
    ReferenceKind,
    Rounding,
    Rule,
    RunGuards,
    Stock,
    Target,
)

CURRENCIES = ("USD", "JPY", "KWD")
SELLERS = ("acme", "birch", "cedar", "dogwood", "elm")
PERCENTS = st.integers(0, 400).map(lambda tenths: Decimal(tenths) / 10)
UNITS, AGES, YES_OR_NO = st.integers(1, 3), st.integers(0, 40), st.booleans()
MATCHES = st.sampled_from([MatchState.CONFIRMED] * 4 + [MatchState.SUGGESTED])
IN_STOCK, HELD = st.sampled_from([True, True, None, False]), st.sampled_from([False] * 5 + [True])
TAXES = st.sampled_from([Decimal(0), Decimal(19), Decimal("7.7")])


@cache
def maybe(strategy: st.SearchStrategy) -> st.SearchStrategy:
    return st.none() | strategy


@cache
def amounts(currency: str, least: int = 1, most: int = 30_000) -> st.SearchStrategy[Decimal]:
    """Amounts in the minor unit of a currency, close enough to each other to meet."""
    return st.integers(least, most).map(lambda units: Decimal(units).scaleb(-digits(currency)))


@cache
@st.composite
def products(draw: st.DrawFn, currency: str) -> Product:
    some = maybe(amounts(currency))
    return Product(
        sku="A",
        title="",
        currency=currency,
        price=draw(amounts(currency)),
        cost=draw(amounts(currency)),
        min_price=draw(some),
        max_price=draw(some),
        map=draw(some),
        msrp=draw(some),
        compare_at=draw(some),
        shipping=draw(maybe(amounts(currency, 0, 900))),
        units=draw(UNITS),
    )


@cache
@st.composite
def offers(draw: st.DrawFn, currency: str) -> tuple[Offer, ...]:
    sellers = draw(st.lists(st.sampled_from(SELLERS), unique=True))
    return tuple(
        Offer(
            seller=seller,
            price=draw(amounts(currency)),
            currency=currency,
            age=timedelta(hours=draw(AGES)),
            match=draw(MATCHES),
            shipping=draw(maybe(amounts(currency, 0, 900))),
            in_stock=draw(IN_STOCK),
            units=draw(UNITS),
            tax_included_pct=draw(TAXES),
            held=draw(HELD),
        )
        for seller in sellers
    )


@cache
@st.composite
def targets(draw: st.DrawFn, currency: str) -> Target:
    kind = draw(st.sampled_from(ReferenceKind))
    target = Target(kind, n=2 if kind is ReferenceKind.NTH else None, seller="acme")
    shapes = ["plain", "amount", "percent"] + (["band"] if kind is not ReferenceKind.COST else [])
    shape = draw(st.sampled_from(shapes))
    if shape == "amount":
        return replace(target, adjust_amount=draw(amounts(currency, -500, 500)))
    if shape == "percent":
        return replace(target, adjust_percent=draw(PERCENTS) - 20)
    if shape == "band":
        return replace(target, band=Band(100 - draw(PERCENTS), 100 + draw(PERCENTS)))
    return target


@cache
@st.composite
def limits(draw: st.DrawFn, currency: str) -> Guardrails:
    return Guardrails(
        min_margin_pct=draw(maybe(PERCENTS)),
        max_decrease_pct=draw(maybe(PERCENTS)),
        max_increase_pct=draw(maybe(PERCENTS)),
        respect_map=draw(YES_OR_NO),
        below_floor=draw(st.sampled_from(BelowFloor)),
        direction=draw(st.sampled_from([Direction.BOTH, Direction.BOTH, Direction.DOWN, Direction.UP])),
        min_change_amount=draw(amounts(currency, 0, 300)),
        min_change_pct=draw(st.sampled_from([Decimal(0), Decimal(1), Decimal(5)])),
        skip_on_sale=draw(YES_OR_NO),
    )


@cache
@st.composite
def roundings(draw: st.DrawFn, currency: str) -> Rounding:
    """Endings without leading zeros: those of any currency scale by moving the point."""
    unit = Decimal(1).scaleb(-digits(currency))
    endings = st.lists(st.sampled_from([10, 49, 95, 99, 900, 4995]).map(lambda n: n * unit), min_size=1, unique=True)
    bands = draw(st.sampled_from(["none", "one", "two"]))
    last = EndingBand(tuple(draw(endings)))
    first = EndingBand(tuple(draw(endings)), below=draw(amounts(currency)))
    mode = draw(st.sampled_from(Mode))
    return Rounding(mode, {"none": (), "one": (last,), "two": (first, last)}[bands])


@cache
@st.composite
def a_rule(draw: st.DrawFn, currency: str) -> Rule:
    return Rule(
        id="r",
        priority=1,
        target=draw(targets(currency)),
        compare=draw(st.sampled_from(Compare)),
        offers=OfferFilter(
            out_of_stock=draw(st.sampled_from(Stock)),
            unknown_stock=draw(st.sampled_from(Stock)),
            ignore_below_map=draw(YES_OR_NO),
            outlier_pct=draw(maybe(PERCENTS)),
            min_coverage_pct=draw(st.sampled_from([Decimal(0), Decimal(50)])),
        ),
        guardrails=draw(limits(currency)),
        rounding=draw(roundings(currency)),
    )


@cache
@st.composite
def situations(draw: st.DrawFn) -> tuple[Product, tuple[Offer, ...], Rule]:
    currency = draw(st.sampled_from(CURRENCIES))
    return draw(products(currency)), draw(offers(currency)), draw(a_rule(currency))


def broken(decision: Decision) -> list[str]:
    """Name every guardrail that a proposal breaks, worked out from the rule's own words."""
    product, rule = decision.product, decision.rule
    assert decision.price is not None
    assert rule is not None
    limits, price, own = rule.guardrails, Fraction(decision.price), Fraction(product.price)
    change = abs(price - own)

    def share(percent: Decimal) -> Fraction:
        return Fraction(percent) / 100

    kept = {
        "above zero": price > 0,
        "in the minor unit": (price * 10 ** digits(product.currency)).denominator == 1,
        "min_price": product.min_price is None or price >= product.min_price,
        "max_price": product.max_price is None or price <= product.max_price,
        "msrp": product.msrp is None or price <= product.msrp,
        "map": not limits.respect_map or product.map is None or price >= product.map,
        "margin": limits.min_margin_pct is None
        or product.cost is None
        or price - Fraction(product.cost) >= price * share(limits.min_margin_pct),
        "decrease": limits.max_decrease_pct is None or own - price <= own * share(limits.max_decrease_pct),
        "increase": limits.max_increase_pct is None or price - own <= own * share(limits.max_increase_pct),
        "direction": limits.direction is Direction.BOTH or (price > own) == (limits.direction is Direction.UP),
        "a change": price != own,
        "large enough": change >= limits.min_change_amount and change >= own * share(limits.min_change_pct),
        "sale": not limits.skip_on_sale or product.compare_at is None or product.compare_at <= product.price,
    }
    return [name for name, is_kept in kept.items() if not is_kept]


@settings(max_examples=200, deadline=None)
@given(situations())
def test_a_proposal_keeps_every_guardrail_at_once(situation: tuple[Product, tuple[Offer, ...], Rule]) -> None:
    product, found, rule = situation

    decision = decide(product, found, Rules((rule,)))

    assert (decision.price is None) == (decision.reason is not None)
    assert decision.price is None or broken(decision) == []


@settings(max_examples=80, deadline=None)
@given(situations(), st.randoms(use_true_random=False))
def test_a_decision_never_depends_on_the_order_of_offers(situation, random) -> None:
    product, found, rule = situation
    shuffled = list(found)
    random.shuffle(shuffled)

    assert decide(product, shuffled, Rules((rule,))) == decide(product, found, Rules((rule,)))


@settings(max_examples=80, deadline=None)
@given(situations())
def test_an_approved_price_is_not_proposed_again_without_limits_on_one_change(situation) -> None:
    """With no band, and no step limit to go on from, the same market leads to the same price."""
    product, found, rule = situation
    guardrails = replace(rule.guardrails, max_decrease_pct=None, max_increase_pct=None, skip_on_sale=False)
    steady = Rules((replace(rule, target=replace(rule.target, band=None), guardrails=guardrails),))
    first = decide(product, found, steady)

    if first.price is not None:
        again = decide(replace(product, price=first.price), found, steady)
        assert again.reason == "NO_CHANGE"


def scaled(amount: Decimal | None, places: int) -> Decimal | None:
    return None if amount is None else amount.scaleb(places)


def in_another_currency(product: Product, found: tuple[Offer, ...], rule: Rule, currency: str):
    """The same situation with every amount moved to the exponent of another currency."""
    by = digits(product.currency) - digits(currency)
    money = ("price", "cost", "min_price", "max_price", "map", "msrp", "compare_at", "shipping")
    product = replace(product, currency=currency, **{key: scaled(getattr(product, key), by) for key in money})
    found = tuple(
        replace(one, currency=currency, price=one.price.scaleb(by), shipping=scaled(one.shipping, by)) for one in found
    )
    bands = tuple(
        EndingBand(tuple(ending.scaleb(by) for ending in band.endings), scaled(band.below, by))
        for band in rule.rounding.bands
    )
    rule = replace(
        rule,
        target=replace(rule.target, adjust_amount=scaled(rule.target.adjust_amount, by)),
        guardrails=replace(rule.guardrails, min_change_amount=rule.guardrails.min_change_amount.scaleb(by)),
        rounding=Rounding(rule.rounding.mode, bands),
    )
    return by, product, found, rule


def with_wide_endings(rule: Rule, currency: str) -> Rule:
    """Endings below 1.00 repeat every 1.00 whatever the currency; only longer ones move with the point."""
    least = 100 * Decimal(1).scaleb(-digits(currency))
    bands = tuple(
        replace(band, endings=tuple(one if one >= least else one * 100 for one in band.endings))
        for band in rule.rounding.bands
    )
    return replace(rule, rounding=Rounding(rule.rounding.mode, bands))


@settings(max_examples=120, deadline=None)
@given(situations(), st.sampled_from(CURRENCIES))
def test_moving_all_money_to_another_exponent_changes_nothing_else(situation, currency) -> None:
    product, found, rule = situation
    rule = with_wide_endings(rule, product.currency)
    by, moved_product, moved_offers, moved_rule = in_another_currency(product, found, rule, currency)

    here = decide(product, found, Rules((rule,)))
    there = decide(moved_product, moved_offers, Rules((moved_rule,)))

    assert (there.reason, there.trail) == (here.reason, here.trail)
    assert [(one.offer.seller, one.code) for one in there.ignored] == [
        (one.offer.seller, one.code) for one in here.ignored
    ]
    assert there.price == scaled(here.price, by)


@settings(max_examples=80, deadline=None)
@given(situations(), st.data())
def test_one_more_fresh_offer_never_makes_an_invalid_proposal(situation, draw) -> None:
    product, found, rule = situation
    newcomer = Offer(
        seller="newcomer",
        price=draw.draw(amounts(product.currency)),
        currency=product.currency,
        age=timedelta(0),
        match=MatchState.CONFIRMED,
        shipping=Decimal(0),
        in_stock=True,
        units=product.units,
    )

    before = decide(product, found, Rules((rule,)))
    after = decide(product, (*found, newcomer), Rules((rule,)))

    assert after.price is None or broken(after) == []
    if before.is_proposal:
        assert after.reason not in {"COVERAGE_LOW", "TOO_FEW_OFFERS", "BOUNDS_CONFLICT", "GUARDRAIL_CONFLICT"} or (
            rule.offers.outlier_pct is not None
        )


@settings(max_examples=60, deadline=None)
@given(situations(), st.data())
def test_fresher_readings_of_the_same_offers_never_make_an_invalid_proposal(situation, draw) -> None:
    """A stale or held offer that is read again, at any price, leads to a valid proposal or to none."""
    product, found, rule = situation
    again = tuple(
        replace(one, price=draw.draw(amounts(product.currency)), age=timedelta(0), held=False) for one in found
    )

    before, after = decide(product, found, Rules((rule,))), decide(product, again, Rules((rule,)))

    assert after.price is None or broken(after) == []
    assert before.reason in {"COVERAGE_LOW", "TOO_FEW_OFFERS"} or after.reason != "COVERAGE_LOW"


@settings(max_examples=60, deadline=None)
@given(st.lists(situations(), min_size=1, max_size=5), st.integers(1, 3), st.randoms(use_true_random=False))
def test_guards_only_take_away_and_what_stays_keeps_every_guardrail(several, most, random) -> None:
    """Also when the products come in another order: a guard looks at the night and not at the list."""
    decided = [
        decide(replace(product, sku=f"P{n}", weekly_units=Decimal(n)), found, Rules((rule,)))
        for n, (product, found, rule) in enumerate(several)
    ]
    guards = RunGuards(max_proposals=most, max_weekly_effect=Decimal(50), price_war=PriceWar())
    night = Circumstances(day=date(2026, 11, 29), now=datetime(2026, 11, 29, tzinfo=UTC))

    kept = guarded(decided, Rules(guards=guards), night)
    shuffled = list(decided)
    random.shuffle(shuffled)

    for before, after in zip(decided, kept, strict=True):
        assert after.price in (None, before.price)
        assert after.price is None or broken(after) == []
    by_sku = {one.product.sku: (one.price, one.reason) for one in kept}
    assert {
        one.product.sku: (one.price, one.reason) for one in guarded(shuffled, Rules(guards=guards), night)
    } == by_sku
    assert guarded(kept, Rules(guards=guards), night) == kept


@settings(max_examples=120, deadline=None)
@given(situations())
def test_whole_ticks_decide_as_fractions_of_a_unit_do(situation) -> None:
    """The reference of a market, worked out here with fractions of the unit alone."""
    product, found, rule = situation
    decision = decide(product, found, Rules((rule,)))

    for one in decision.usable:
        offer = one.offer
        price = Fraction(offer.price)
        if rule.compare is Compare.LANDED:
            price += Fraction(offer.shipping or 0)
        assert one.amount == price / (1 + Fraction(offer.tax_included_pct) / 100) / offer.units * product.units
    amounts_seen = [one.amount for one in decision.usable]
    assert amounts_seen == sorted(amounts_seen)
    if decision.reference is not None and rule.target.reference is ReferenceKind.AVERAGE:
        assert decision.reference.amount == sum(amounts_seen) / len(amounts_seen)

"""What a run froze comes back exactly, and equal content has one text."""

import json
from dataclasses import replace
from datetime import time, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.domain import json_text
from monitor.domain.catalogue import Catalogue, Competitor, MatchState, Product, RobotsPolicy, Watch
from monitor.domain.plan import Budgets, CodeRule, MailPlan, NightPlan, ReviewPlan, Schedule, WritePlan
from monitor.domain.snapshot import (
    UnreadableSnapshot,
    catalogue_from_bytes,
    catalogue_from_json,
    catalogue_to_json,
    plan_from_json,
    plan_to_json,
    to_plain,
)

_TEXT = st.text(max_size=12)
_AMOUNT = st.decimals(min_value=0, max_value=Decimal("99999999999999"), places=4)
_MAYBE = st.none() | _AMOUNT
_DURATION = st.timedeltas(min_value=timedelta(0), max_value=timedelta(days=400))
_SHARE = st.floats(min_value=0, max_value=1)

_PRODUCTS = st.builds(
    Product,
    sku=_TEXT,
    title=_TEXT,
    currency=st.sampled_from(["EUR", "JPY", "KWD"]),
    price=_AMOUNT,
    brand=st.none() | _TEXT,
    tags=st.lists(_TEXT, max_size=3).map(tuple),
    compare_at=_MAYBE,
    cost=_MAYBE,
    min_price=_MAYBE,
    weekly_units=_MAYBE,
    units=st.integers(1, 99),
    stock=st.none() | st.integers(0, 10_000),
    locked=st.booleans(),
)
_COMPETITORS = st.builds(
    Competitor,
    id=_TEXT,
    name=_TEXT,
    base_url=_TEXT,
    language=st.none() | _TEXT,
    delay=_DURATION,
    jitter=_SHARE,
    robots=st.sampled_from(RobotsPolicy),
    allow_addresses=st.lists(_TEXT, max_size=2).map(tuple),
    recipe=st.dictionaries(_TEXT, _TEXT, max_size=3),
)
_WATCHES = st.builds(
    Watch,
    competitor=_TEXT,
    sku=_TEXT,
    url=_TEXT,
    match=st.sampled_from(MatchState),
    variant=st.none() | _TEXT,
)
_CATALOGUES = st.builds(
    Catalogue,
    products=st.lists(_PRODUCTS, max_size=3).map(tuple),
    competitors=st.lists(_COMPETITORS, max_size=3).map(tuple),
    watches=st.lists(_WATCHES, max_size=3).map(tuple),
)
_PLANS = st.builds(
    NightPlan,
    schedule=st.builds(Schedule, name=_TEXT, zone=_TEXT, at=st.times(), deadline=st.times(), catch_up=_DURATION),
    budgets=st.builds(Budgets, tool_calls=st.integers(1, 99), tokens=st.integers(0, 10**9)),
    mail=st.builds(MailPlan, recipients=st.lists(_TEXT, max_size=3).map(tuple), reply_to=st.none() | _TEXT),
    review=st.builds(
        ReviewPlan,
        link_lifetime=_DURATION,
        require_code=st.sampled_from(CodeRule),
        large_change_pct=_AMOUNT,
    ),
    writes=st.builds(WritePlan, enabled=st.booleans(), undo_window=_DURATION, max_step_pct=_AMOUNT),
    rules=_TEXT,
)


@given(_PLANS)
def test_a_plan_comes_back_as_it_was(plan):
    text = plan_to_json(plan)

    assert plan_from_json(text) == plan
    assert plan_to_json(plan_from_json(text)) == text


@given(_CATALOGUES)
def test_a_catalogue_comes_back_as_it_was(catalogue):
    text = catalogue_to_json(catalogue)

    assert catalogue_from_json(text) == catalogue
    assert catalogue_to_json(catalogue_from_json(text)) == text


@given(_CATALOGUES)
def test_a_catalogue_is_written_item_by_item_as_it_would_be_as_a_whole(catalogue):
    whole = json.dumps(to_plain(catalogue), ensure_ascii=False, sort_keys=True, separators=(",", ":"))

    assert catalogue_to_json(catalogue) == whole


@pytest.mark.parametrize(
    "written",
    [
        json.dumps,
        lambda stored: json.dumps({"since": 2, **stored}, separators=(",", ":")),
        lambda stored: json.dumps({**stored, "wholesalers": [{"id": "x"}]}, separators=(",", ":")),
    ],
)
def test_a_catalogue_that_another_version_wrote_can_still_be_read(written):
    assert catalogue_from_json(written(json.loads(catalogue_to_json(a_catalogue())))) == a_catalogue()


def a_catalogue(**changes):
    product = Product(sku="A-1", title="Löffel", currency="EUR", price=Decimal("12.90"))
    shop = Competitor(id="acme", name="Acme", base_url="https://acme.example", recipe={"price": ".p", "name": "h1"})
    watch = Watch(competitor="acme", sku="A-1", url="https://acme.example/a")
    return replace(Catalogue(products=(product,), competitors=(shop,), watches=(watch,)), **changes)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Decimal("12.90"), Decimal("12.9")),
        (Decimal("1E+2"), Decimal("100.00")),
        (Decimal("0.00"), Decimal("-0")),
    ],
)
def test_the_same_amount_written_differently_gives_the_same_text(one, other):
    texts = {
        catalogue_to_json(a_catalogue(products=(Product(sku="A", title="", currency="EUR", price=price),)))
        for price in (one, other)
    }

    assert len(texts) == 1


def test_the_order_of_a_recipe_does_not_change_the_text():
    swapped = replace(a_catalogue().competitors[0], recipe={"name": "h1", "price": ".p"})

    assert catalogue_to_json(a_catalogue(competitors=(swapped,))) == catalogue_to_json(a_catalogue())


def test_amounts_are_written_as_strings_and_umlauts_as_themselves():
    text = catalogue_to_json(a_catalogue())

    assert '"price":"12.9"' in text
    assert "Löffel" in text


def test_a_run_begun_by_another_version_can_still_be_read():
    """A deploy in the middle of the night adds a field or takes one away."""
    stored = json.loads(plan_to_json(NightPlan(schedule=Schedule(zone="Europe/Berlin", at=time(3)))))
    del stored["min_coverage_pct"]
    stored["from_the_future"] = {"x": 1}

    assert plan_from_json(json.dumps(stored)) == NightPlan(schedule=Schedule(zone="Europe/Berlin", at=time(3)))


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda text: text[:-1], "delimiter"),
        (lambda text: text.replace('"12.9"', "12.9"), "expected str, found 12.9"),
        (lambda text: text.replace('"12.9"', '"cheap"'), "ConversionSyntax"),
        (lambda text: text.replace('"sku":"A-1",', "", 1), "Product.sku is missing"),
        (lambda text: text.replace('"obey"', '"maybe"'), "maybe"),
        (lambda text: text.replace('"enabled":true', '"enabled":1'), "expected bool"),
        (lambda text: "[]", "expected dict"),
    ],
)
def test_a_damaged_snapshot_is_refused_with_its_reason(damage, reason):
    with pytest.raises(UnreadableSnapshot, match="The stored catalogue cannot be read") as refused:
        catalogue_from_json(damage(catalogue_to_json(a_catalogue())))

    assert reason in str(refused.value)


def test_an_amount_that_is_no_number_is_never_stored():
    with pytest.raises(ValueError, match="NaN"):
        catalogue_to_json(a_catalogue(products=(Product(sku="A", title="", currency="EUR", price=Decimal("NaN")),)))


@pytest.mark.parametrize("piece", [1, 2, 3, 7, 64])
def test_a_catalogue_is_read_in_pieces_of_any_size(monkeypatch: pytest.MonkeyPatch, piece: int) -> None:
    monkeypatch.setattr(json_text, "_PIECE", piece)
    whole = replace(a_catalogue(), products=(replace(a_catalogue().products[0], title="Größe „Ä“ \U0001f455"),) * 3)

    assert catalogue_from_bytes(catalogue_to_json(whole).encode()) == whole
    assert catalogue_from_bytes(catalogue_to_json(Catalogue((), (), ())).encode()) == Catalogue((), (), ())

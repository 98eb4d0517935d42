"""The scenarios of approval and writing that begin at the shop, each named by its number and the report it comes from.

S1 clicking twice, S2 ending a discount, S3 the sale price that vanished, S4 half of a batch failed, S5 wrong currency,
S7 the manual price, S8 one cent off. What a page shows of them, and S6 (two schedulers), is tested where pages and
nights are. Shops are the real adapters on faithful local servers that count every logical change.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from monitor.adapters.clock import SystemClock
from monitor.adapters.http import Client
from monitor.adapters.shops import FixedToken, ShopifyApi, ShopifyShop, WooApi, WooShop, WriteMode
from monitor.domain.action import ActionState, Actor, PriceWrite, Verb, WriteState
from monitor.domain.money import rounded
from monitor.domain.review import Choice, RowOutcome
from monitor.domain.shop_price import CLEAR, CompareAt, set_to
from monitor.flow.review import decide
from monitor.ports.shop import Shop
from tests.fake_shop import Fault
from tests.fake_shopify import TOKEN, FakeShopify
from tests.fake_woo import KEY, SECRET, FakeWoo
from tests.review_scene import a_proposal
from tests.write_scene import ANNA, WriteScene


@contextmanager
def shopify(store: FakeShopify) -> Iterator[Shop]:
    with store.serve() as server:
        api = ShopifyApi(server.url, FixedToken(TOKEN), Client(), SystemClock(), deadline=timedelta(seconds=2))
        yield ShopifyShop(api)


@contextmanager
def woo(store: FakeWoo, mode: WriteMode = WriteMode.REGULAR) -> Iterator[Shop]:
    with store.serve() as server:
        api = WooApi(server.url, KEY, SECRET, Client(), SystemClock(), deadline=timedelta(seconds=2))
        yield WooShop(api, mode)


def _facts(before: str | None, change: CompareAt | None = None) -> dict[str, Any]:
    known: dict[str, Any] = {"compare_at": before}
    return known if change is None else known | {"compare_at_change": change.as_json("EUR")}


def _until_settled(scene: WriteScene, shop: Shop, rounds: int = 6) -> None:
    for _ in range(rounds):
        scene.submit(shop)
        scene.pass_time(seconds=61)


# S1: opencollective/opencollective#351


def test_s1_clicking_approve_twice_is_one_decision_one_write_and_one_change(scene: WriteScene) -> None:
    store = FakeShopify()
    store.sell("A-1", "27.90")
    later = scene.clock.now() + timedelta(hours=48)
    with scene.store.write() as unit:
        action, _ = unit.actions.propose(a_proposal("A-1", "27.90", "24.90", expires_at=later))
    asked = Choice(action.id, action.version, action.content_hash, Verb.APPROVE)
    with shopify(store) as shop:
        (first,) = decide(scene.store, scene.plan, ANNA, [asked])
        (second,) = decide(scene.store, scene.plan, Actor("link", "anna@example.com"), [asked])
        scene.submit(shop)
        (third,) = decide(scene.store, scene.plan, ANNA, [asked])
        scene.submit(shop)

    assert [row.outcome for row in (first, second, third)] == [
        RowOutcome.DECIDED,
        RowOutcome.ALREADY,
        RowOutcome.ALREADY,
    ]
    assert {row.at for row in (first, second, third)} == {first.at}
    with scene.store.read() as unit:
        assert len(unit.writes.of_action(action.id)) == 1
    assert store.changes == [("A-1", "24.90", None)]


# S2: nozzlegear/ShopifySharp#577


def test_s2_a_discount_is_ended_in_one_call_and_other_compare_at_prices_are_not_touched(scene: WriteScene) -> None:
    store = FakeShopify()
    store.sell("V", "100.00", compare_at="120.00")
    store.sell("W", "50.00", compare_at="60.00")
    store.sell("X", "30.00")
    writes = [
        scene.approve("V", "100.00", "120.00", facts=_facts("120.00", CLEAR)),
        scene.approve("W", "50.00", "48.00", facts=_facts("60.00")),
        scene.approve("X", "30.00", "33.00", facts=_facts(None)),
    ]
    with shopify(store) as shop:
        scene.submit(shop)

    assert [scene.state(write) for write in writes] == [WriteState.APPLIED] * 3
    sent = {one["id"]: one for call in store.mutations for one in call["variants"]}
    assert sent[store.of("V").gid] == {"id": store.of("V").gid, "price": "120.00", "compareAtPrice": None}
    assert sent[store.of("W").gid] == {"id": store.of("W").gid, "price": "48.00"}
    assert sent[store.of("X").gid] == {"id": store.of("X").gid, "price": "33.00"}
    kept = {sku: (store.of(sku).price, store.of(sku).compare_at) for sku in "VWX"}
    assert kept == {"V": ("120.00", None), "W": ("48.00", "60.00"), "X": ("33.00", None)}


@pytest.mark.parametrize("new", ["60.00", "65.00"])
def test_s2_a_price_at_or_above_a_kept_compare_at_price_is_held_with_an_explanation(
    scene: WriteScene, new: str
) -> None:
    store = FakeShopify()
    store.sell("W", "50.00", compare_at="60.00")
    scene.approve("W", "50.00", new, facts=_facts("60.00"))
    with shopify(store) as shop:
        (result,) = scene.submit(shop)

    assert (result.state, store.mutations) == (WriteState.FAILED, [])
    assert "at or above the compare-at price 60.00 EUR, which was to be kept; decide again" in result.words


def test_s2_a_sale_that_somebody_began_since_the_proposal_is_a_conflict(scene: WriteScene) -> None:
    store = FakeShopify()
    store.sell("X", "30.00", compare_at="45.00")
    write = scene.approve("X", "30.00", "28.00", facts=_facts(None))
    with shopify(store) as shop:
        scene.submit(shop)

    assert (scene.state(write), store.mutations) == (WriteState.CONFLICT, [])


# S3: woocommerce/woocommerce#33785 and #13536


@pytest.mark.parametrize("old", ["35.00", "40.00"])
def test_s3a_lowering_the_regular_price_below_an_active_sale_is_refused_before_any_call(
    scene: WriteScene, old: str
) -> None:
    store = FakeWoo()
    store.sell("A-1", "40.00", "35.00")
    scene.approve("A-1", old, "34.00")
    with woo(store) as shop:
        (result,) = scene.submit(shop)

    assert (result.state, store.writes) == (WriteState.FAILED, [])
    assert result.words.startswith("a sale is on (35.00 EUR, compare-at 40.00 EUR)")
    assert store.of("A-1").sale == "35.00"


def test_s3b_the_price_of_a_variation_is_written_to_it_and_never_to_its_parent(scene: WriteScene) -> None:
    store = FakeWoo()
    store.sell("SHIRT", "", kind="variable", number=42)
    store.sell("SHIRT-M", "27.90", parent=42, number=421)
    store.sell("SHIRT-L", "27.90", parent=42, number=422)
    write = scene.approve("SHIRT-M")
    with woo(store) as shop:
        scene.submit(shop)

    assert scene.state(write) is WriteState.APPLIED
    assert [path for _, path, _ in store.writes] == ["/products/42/variations/421"]
    assert store.changes == [("SHIRT-M", "24.90", "")]


@pytest.mark.parametrize("sale", ["", "35.00"])
def test_s3c_a_sale_price_that_is_not_below_the_regular_price_is_refused_before_any_call(
    scene: WriteScene, sale: str
) -> None:
    store = FakeWoo()
    store.sell("A-1", "40.00", sale)
    scene.approve("A-1", "35.00", "40.00")
    with woo(store, WriteMode.SALE) as shop:
        (result,) = scene.submit(shop)

    assert (result.state, store.writes) == (WriteState.FAILED, [])
    assert "a sale price must be below the regular price" in result.words


def test_s3_a_200_is_never_taken_as_proof(scene: WriteScene) -> None:
    store = FakeWoo()
    store.sell("A-1", "27.90")
    store.faults.extend([Fault.SILENT_NOOP] * 3)
    write = scene.approve()
    with woo(store) as shop:
        (result,) = scene.submit(shop)
        _until_settled(scene, shop)

    assert result.state is WriteState.UNKNOWN
    assert result.words.startswith("not confirmed: the shop answered")
    assert scene.state(write) is WriteState.FAILED
    assert all(isinstance(price, str) for _, _, sent in store.writes for price in sent.values())


# S4: XiaoFaye/WooCommerce.NET#492


@pytest.mark.parametrize("landed", [False, True])
def test_s4_each_item_of_a_batch_has_its_own_outcome_and_only_the_unsettled_one_is_sent_again(
    scene: WriteScene, landed: bool
) -> None:
    store = FakeWoo()
    skus = ["A", "B", "C", "GONE", "LOST"]
    for sku in skus:
        store.sell(sku, "27.90")
    writes = {sku: scene.approve(sku) for sku in skus}
    with woo(store) as shop:
        shop.read_many(skus)
        gone = store.of("GONE")
        store.faults.append(Fault.FORGOTTEN)
        first = {result.sku: result for result in scene.submit(_reading_gone(shop, store, gone))}
        if landed:
            store._store({"id": store.of("LOST").number, "regular_price": "24.90"})
        _until_settled(scene, shop, 4)

    assert {sku: first[sku].state for sku in "ABC"} == dict.fromkeys("ABC", WriteState.APPLIED)
    assert (first["GONE"].state, first["LOST"].state) == (WriteState.TARGET_GONE, WriteState.UNKNOWN)
    assert "WooCommerce has no GONE any more" in first["GONE"].words
    assert scene.state(writes["LOST"]) is WriteState.APPLIED
    again = [path for _, path, _ in store.writes[1:]]
    assert again == ([] if landed else [f"/products/{store.of('LOST').number}"])
    assert len(store.changes) == 4


def _reading_gone(shop: Shop, store: FakeWoo, gone: Any) -> Shop:
    """Return the shop with one product that is deleted between the reading and the batch."""
    read, write = shop.read_many, shop.write_many

    def reading(skus: Any) -> Any:
        store.items[gone.number] = gone
        return read(skus)

    def writing(writes: Any) -> Any:
        store.items[gone.number] = replace(gone, parent=9)
        return write(writes)

    shop.read_many = reading  # type: ignore[method-assign]  # the moment is what the scenario is about
    shop.write_many = writing  # type: ignore[method-assign]
    return shop


# S5: microsoft/BCApps#8561


@pytest.mark.parametrize("make", [FakeShopify, FakeWoo])
def test_s5_a_shop_that_changed_its_currency_since_the_proposal_gets_no_price(
    scene: WriteScene, make: Callable[[], FakeShopify | FakeWoo]
) -> None:
    store = make()
    store.sell("A-1", "27.90")
    write = scene.approve()
    store.currency = "CHF"
    opened = shopify(store) if isinstance(store, FakeShopify) else woo(store)
    with opened as shop:
        (result,) = scene.submit(shop)

    assert scene.state(write) is WriteState.FAILED
    assert result.words.startswith("the shop's currency changed since the proposal: it sells in CHF")
    assert store.changes == []
    assert (store.mutations if isinstance(store, FakeShopify) else store.writes) == []


# S7: seakee/CPA-Manager-Plus#682


@pytest.mark.parametrize(
    ("by_hand", "state", "words"),
    [
        ("26.50", WriteState.CONFLICT, "the shop has 26.50 EUR, but 27.90 EUR was decided on"),
        ("24.90", WriteState.APPLIED_NOOP, "the shop had 24.90 EUR already"),
    ],
)
def test_s7_a_price_set_by_hand_is_not_overwritten(
    scene: WriteScene, by_hand: str, state: WriteState, words: str
) -> None:
    store = FakeShopify()
    store.sell("A-1", "27.90")
    write = scene.approve()
    store.sell("A-1", by_hand)
    with shopify(store) as shop:
        (result,) = scene.submit(shop)

    assert (scene.state(write), store.mutations, store.of("A-1").price) == (state, [], by_hand)
    assert result.words.startswith(words)


def test_s7_a_fresh_proposal_on_the_price_of_today_is_a_new_version_with_its_own_approval(scene: WriteScene) -> None:
    store = FakeShopify()
    store.sell("A-1", "27.90")
    write = scene.approve()
    store.sell("A-1", "26.50")
    with shopify(store) as shop:
        scene.submit(shop)
        action = scene.action(write)
        (asked,) = decide(
            scene.store, scene.plan, ANNA, [Choice(action.id, action.version, action.content_hash, Verb.RENEW)]
        )
        fresh = scene.action(write)
        scene.submit(shop)
        assert store.mutations == []
        decide(scene.store, scene.plan, ANNA, [Choice(fresh.id, fresh.version, fresh.content_hash, Verb.APPROVE)])
        scene.submit(shop)

    assert asked.outcome is RowOutcome.DECIDED
    assert (fresh.version, fresh.state, fresh.proposal.old_price) == (2, ActionState.PENDING, Decimal("26.50"))
    assert store.changes == [("A-1", "24.90", None)]


# S8: odoo/odoo#9417


@pytest.mark.parametrize(
    ("currency", "price", "text"),
    [("EUR", "3999.90", "3999.90"), ("JPY", "5980", "5980"), ("KWD", "12.345", "12.345"), ("EUR", "0.10", "0.10")],
)
def test_s8_the_approved_figure_is_what_is_sent_stored_and_read_back(
    scene: WriteScene, currency: str, price: str, text: str
) -> None:
    """Gross stays gross: nothing is divided by a tax rate or rounded on the way."""
    store = FakeShopify(currency=currency)
    store.sell("A-1", str(rounded(Decimal(price) * 2, currency)))
    old = store.of("A-1").price
    write = scene.approve("A-1", old, price, currency=currency, facts={"tax_included": True})
    with shopify(store) as shop:
        scene.submit(shop)

    assert scene.state(write) is WriteState.APPLIED
    assert [call["variants"][0]["price"] for call in store.mutations] == [text]
    assert Decimal(store.of("A-1").price) == Decimal(price)


def test_s8_a_shop_with_another_tax_mode_than_the_proposal_gets_no_price(scene: WriteScene) -> None:
    store = FakeShopify(taxes_included=False)
    store.sell("A-1", "27.90")
    write: PriceWrite = scene.approve(facts={"tax_included": True})
    with shopify(store) as shop:
        (result,) = scene.submit(shop)

    assert (scene.state(write), store.mutations) == (WriteState.FAILED, [])
    assert "approved including tax, the shop states its prices without tax" in result.words


def test_a_sale_begun_by_a_decision_is_written_in_one_call(scene: WriteScene) -> None:
    store = FakeShopify()
    store.sell("A-1", "30.00")
    write = scene.approve("A-1", "30.00", "25.00", facts=_facts(None, set_to(Decimal("30.00"))))
    with shopify(store) as shop:
        scene.submit(shop)

    assert scene.state(write) is WriteState.APPLIED
    assert store.changes == [("A-1", "25.00", "30.00")]

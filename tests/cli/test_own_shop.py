"""A Shopify and a WooCommerce shop from the settings: doctor, pulling the catalogue, a night's prices, and a write."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from monitor.cli import command_line
from monitor.domain.action import ActionState, Actor, Verb
from monitor.domain.review import Choice
from monitor.flow.review import decide
from monitor.wiring import open_app
from monitor.wiring.own_shop import catalogue_now
from tests.fake_shopify import TOKEN, FakeShopify
from tests.fake_woo import KEY, SECRET, FakeWoo
from tests.review_scene import a_proposal, a_run

MODULES = ("setup", "catalogue", "doctor", "writing", "locking")
ANNA = Actor("cli", "anna")


@pytest.fixture(autouse=True)
def nothing_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MONITOR_CONFIG", "MONITOR_DATABASE_URL", "MONITOR_REDIS_URL", "MONITOR_SMTP_URL"):
        monkeypatch.delenv(name, raising=False)


def said(home: Path, *words: str) -> Result:
    return CliRunner().invoke(command_line(MODULES), [*words, "--config", str(home)])


@contextmanager
def a_home(tmp_path: Path, store: FakeShopify | FakeWoo, **keys: str) -> Iterator[Path]:
    """Serve a shop and yield a config directory that names it."""
    home = tmp_path / "shop"
    assert CliRunner().invoke(command_line(MODULES), ["init", str(home)]).exit_code == 0
    kind = "shopify" if isinstance(store, FakeShopify) else "woocommerce"
    with store.serve() as server:
        shop = f'[shop]\nkind = "{kind}"\nurl = "{server.url}"\ntax_included = true\n'
        writes = "[writes]\nenabled = true\nundo_window_s = 0\n"
        (home / "monitor.toml").write_text(shop + writes, encoding="utf-8")
        secrets = (home / ".env").read_text("utf-8")
        given = {"MONITOR_SHOPIFY_TOKEN": TOKEN, "MONITOR_WOOCOMMERCE_KEY": KEY, "MONITOR_WOOCOMMERCE_SECRET": SECRET}
        lines = "".join(f"{name}={value}\n" for name, value in (given | keys).items())
        (home / ".env").write_text(secrets + lines, encoding="utf-8")
        yield home


def _stocked() -> list[FakeShopify | FakeWoo]:
    shopify, woo = FakeShopify(), FakeWoo()
    shopify.sell("A-1", "27.90", compare_at="35.00", cost="11.50", stock=4, title="Red")
    shopify.sell("OLD", "9.90", status="ARCHIVED")
    woo.sell("A-1", "27.90", stock=4, cost="11.50")
    return [shopify, woo]


@pytest.mark.parametrize("which", [0, 1], ids=["shopify", "woocommerce"])
def test_the_catalogue_is_pulled_once_and_again_changes_nothing(tmp_path: Path, which: int) -> None:
    with a_home(tmp_path, _stocked()[which]) as home:
        rehearsed = said(home, "catalogue", "pull", "--dry-run")
        assert "A-1" not in (home / "catalogue.csv").read_text("utf-8")
        first, again = said(home, "catalogue", "pull"), said(home, "catalogue", "pull", "--json")
        opened = open_app(home)
        product = opened.settings.catalogue.product("A-1")
        opened.close()

    assert rehearsed.exit_code == first.exit_code == again.exit_code == 0, first.output
    assert "added    A-1" in rehearsed.output
    assert "added    A-1" in first.output
    assert "OLD" not in [row.partition(",")[0] for row in (home / "catalogue.csv").read_text("utf-8").splitlines()]
    assert product is not None
    assert (product.price, product.cost, product.stock) == (Decimal("27.90"), Decimal("11.50"), 4)
    assert product.compare_at == (Decimal("35.00") if which == 0 else None)
    assert json.loads(again.stdout)["added"] == []


def test_a_shop_without_a_listing_says_how_products_come_in(tmp_path: Path) -> None:
    home = tmp_path / "shop"
    assert CliRunner().invoke(command_line(MODULES), ["init", str(home)]).exit_code == 0

    result = said(home, "catalogue", "pull")

    assert 'shop.kind = "price_file" lists no products; import a file with: monitor catalogue import' in str(
        result.exception
    )


@pytest.mark.parametrize("which", [0, 1], ids=["shopify", "woocommerce"])
def test_the_doctor_names_the_shop_and_what_it_may_do(tmp_path: Path, which: int) -> None:
    with a_home(tmp_path, _stocked()[which]) as home:
        said(home, "catalogue", "pull")
        checks = {each["name"]: each for each in json.loads(said(home, "doctor", "--json").stdout)["checks"]}

    words = checks["shop"]["words"]
    assert checks["shop"]["verdict"] == "ok", words
    assert words.startswith(("Brand answers: EUR, prices include tax, API 2026-10", "WooCommerce answers: EUR"))
    assert "A-1 costs 27.90 EUR" in words


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"currency": "CHF"}, "the shop sells in CHF, but shop.currency is EUR; no price would be written"),
        ({"taxes_included": False}, "the prices of the shop do not include tax, and shop.tax_included says otherwise"),
        ({"scopes": []}, "give it the scope write_products"),
        ({"tokens": set()}, "the access token is not accepted; check MONITOR_SHOPIFY_TOKEN"),
    ],
)
def test_the_doctor_says_what_no_write_would_pass(tmp_path: Path, change: dict[str, object], words: str) -> None:
    store = FakeShopify()
    store.sell("A-1", "27.90")
    with a_home(tmp_path, store) as home:
        said(home, "catalogue", "pull")
        for name, value in change.items():
            setattr(store, name, value)
        checks = {each["name"]: each for each in json.loads(said(home, "doctor", "--json").stdout)["checks"]}

    assert checks["shop"]["verdict"] == "fail"
    assert words in checks["shop"]["words"]
    assert TOKEN not in checks["shop"]["words"]


@pytest.mark.parametrize("which", [0, 1], ids=["shopify", "woocommerce"])
def test_a_night_begins_with_the_shop_s_prices_and_an_approved_one_is_written(tmp_path: Path, which: int) -> None:
    store = _stocked()[which]
    with a_home(tmp_path, store) as home:
        said(home, "catalogue", "pull")
        store.sell("A-1", "26.00")
        opened = open_app(home)
        product = catalogue_now(opened.shop, opened.settings.catalogue, opened.store).product("A-1")
        assert product is not None
        facts = {"compare_at": None if product.compare_at is None else str(product.compare_at), "tax_included": True}
        with opened.store.write() as unit:
            a_run(unit)
            proposal = a_proposal(
                "A-1", "26.00", "25.00", expires_at=datetime.now(UTC) + timedelta(days=2), facts=facts
            )
            action, _ = unit.actions.propose(proposal)
        decide(opened.store, opened.plan, ANNA, [Choice(action.id, 1, action.content_hash, Verb.APPROVE)])
        opened.errands()
        with opened.store.read() as unit:
            after = unit.actions.get(action.id)
            kept = unit.refs.get("shop", ["A-1"])
        opened.close()
        listed = json.loads(said(home, "writes", "list", "--json").stdout)

    assert product.price == Decimal("26.00")
    assert after is not None
    assert after.state is ActionState.APPLIED
    assert [change[:2] for change in store.changes] == [("A-1", "25.00")]
    assert list(kept) == ["A-1"]
    assert (listed["writing"], listed["writes"][0]["state"], listed["writes"][0]["new_price"]) == (
        "on",
        "applied",
        "25.00",
    )


def test_the_kill_switch_is_thrown_and_thrown_back_from_the_command_line(tmp_path: Path) -> None:
    with a_home(tmp_path, FakeShopify()) as home:
        assert "Writes are on." in said(home, "writes", "list").output
        stopped = json.loads(said(home, "writes", "stop", "--reason", "odd", "--by", "anna", "--json").stdout)
        shown = said(home, "writes", "list").output
        resumed = said(home, "writes", "resume").output

    assert (stopped["writing"], stopped["stopped"]["by"], stopped["stopped"]["reason"]) == ("stopped", "anna", "odd")
    assert "All writes are stopped by anna since" in shown
    assert "`monitor writes resume` lets them go on" in shown
    assert "Writes are on." in resumed


def test_a_locked_product_is_frozen_for_the_night_and_listed_until_it_is_unlocked(tmp_path: Path) -> None:
    store = FakeShopify()
    store.sell("A-1", "27.90")
    with a_home(tmp_path, store) as home:
        said(home, "catalogue", "pull")
        day = (datetime.now(UTC) + timedelta(days=6)).date().isoformat()
        locked = said(home, "lock", "A-1", "--until", day, "--reason", "campaign", "--by", "zoe")
        opened = open_app(home)
        frozen = catalogue_now(opened.shop, opened.settings.catalogue, opened.store).product("A-1")
        opened.close()
        (listed,) = json.loads(said(home, "locks", "--json").stdout)["locks"]
        unlocked = said(home, "unlock", "A-1")
        empty = said(home, "locks").output

    assert "locked by zoe until" in locked.output
    assert "campaign" in locked.output
    assert frozen is not None
    assert frozen.locked
    assert (listed["sku"], listed["by"], listed["reason"]) == ("A-1", "zoe", "campaign")
    assert "A-1 is unlocked" in unlocked.output
    assert "No product is locked." in empty


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("lock", "Z-9"), "'Z-9' is not in catalogue.csv"),
        (("unlock", "A-1"), "'A-1' has no lock"),
        (("lock", "A-1", "--until", "5.12.2026"), "is no day; write it as 2026-11-29"),
        (("lock", "A-1", "--until", "2020-01-01"), "2020-01-01 is over"),
    ],
)
def test_what_cannot_be_locked_says_why(tmp_path: Path, words: tuple[str, ...], expected: str) -> None:
    store = FakeShopify()
    store.sell("A-1", "27.90")
    with a_home(tmp_path, store) as home:
        said(home, "catalogue", "pull")
        result = said(home, *words)

    assert expected in f"{result.output}{result.stderr}{result.exception}".replace("\n", " ")
    assert result.exit_code != 0

"""What a competitor's job works on is exactly its share of what the run froze."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from monitor.adapters.db.migrate import migrate
from monitor.adapters.db.store import SqlStore
from monitor.domain.run import Run
from monitor.flow.begin import begin
from monitor.wiring.frozen import frozen_catalogue, frozen_plan, frozen_share
from tests.core_scene import opened
from tests.nights import PLAN, a_catalogue

SHOPS = tuple(f"shop-{n}" for n in range(4))


@pytest.fixture
def begun(tmp_path: Path) -> Iterator[tuple[SqlStore, Run]]:
    url = f"sqlite:///{tmp_path / 'monitor.sqlite3'}"
    migrate(url)
    store = opened(url)
    whole = a_catalogue(skus=("A", "B", "C"), competitors=SHOPS)
    watches = tuple(watch for watch in whole.watches if (watch.competitor, watch.sku) not in {("shop-1", "B")})
    run, _ = begin(store, PLAN, replace(whole, watches=watches), origin="manual")
    yield store, run
    store.close()


def test_a_share_holds_one_shop_its_watches_and_their_products(begun: tuple[SqlStore, Run]) -> None:
    store, run = begun
    with store.read() as unit:
        whole = frozen_catalogue(unit, run)
        shares = {shop: frozen_share(unit, run, shop) for shop in SHOPS}
        assert frozen_plan(unit, run) == PLAN

    for shop, share in shares.items():
        assert share.competitors == tuple(one for one in whole.competitors if one.id == shop)
        assert share.watches == whole.watches_of(shop)
        assert [one.sku for one in share.products] == [watch.sku for watch in share.watches]
        assert all(one == whole.product(one.sku) for one in share.products)
    assert [len(share.watches) for share in shares.values()] == [3, 2, 3, 3]


def test_a_shop_that_the_run_does_not_know_is_refused_by_name(begun: tuple[SqlStore, Run]) -> None:
    store, run = begun
    with store.read() as unit, pytest.raises(LookupError, match="has no competitor 'nobody'"):
        frozen_share(unit, run, "nobody")


def test_a_catalogue_that_is_gone_is_named(begun: tuple[SqlStore, Run]) -> None:
    store, run = begun
    with store.read() as unit, pytest.raises(LookupError, match=r"blob 0000\) is not in the database"):
        frozen_catalogue(unit, replace(run, catalogue_hash="0000"))

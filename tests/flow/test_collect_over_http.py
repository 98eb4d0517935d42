"""The same nights over real sockets: a shop on loopback, the guarded client, and what four hundred watches cost."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from monitor.adapters.fetch import HttpFetcher
from monitor.adapters.http import Client
from monitor.domain.catalogue import RobotsPolicy
from tests.catalogue_scene import CatalogueShop, Served, Visits
from tests.core_scene import SetClock, opened

pytestmark = pytest.mark.slow


@pytest.fixture
def scene(own_sqlite_url: str) -> Iterator[Visits]:
    store = opened(own_sqlite_url, clock := SetClock(datetime(2026, 11, 28, 0, 0, tzinfo=UTC)))
    client = Client()
    yield Visits(store, clock, CatalogueShop("pages"), fetcher=HttpFetcher(client, "pricebot/1.0"))
    client.close()
    store.close()


@pytest.mark.parametrize(
    ("platform", "products", "watches", "first_at_most", "later_at_most"),
    [
        ("shopify", 2_000, 400, 10, 10),
        ("woocommerce", 2_000, 400, 6, 6),
        ("magento", 2_000, 400, 6, 6),
        ("bigcommerce", 500, 100, 12, 12),
        ("feed", 2_000, 400, 2, 1),
    ],
)
def test_a_watch_list_costs_few_calls_of_a_shop_that_listens(
    scene: Visits, platform: str, products: int, watches: int, first_at_most: int, later_at_most: int
) -> None:
    shop = scene.shop = CatalogueShop(platform, products)
    with Served(shop) as served:
        scene.settings = {"allow_addresses": (served.address,), "robots": RobotsPolicy.OBEY}
        scene.with_watches(*range(0, products, products // watches))
        first, second = scene.night(), scene.night()

    for night, most in ((first, first_at_most), (second, later_at_most)):
        assert night.calls <= most
        assert {seen.outcome.value for seen in night.seen.values()} == {"ok"}
        assert all(seen.price == shop.price(int(sku[1:])) for sku, seen in night.seen.items())
        assert len(night.asked) <= night.calls + 1  # robots.txt is no call

"""How long a visit looks for what gives the shop's platform away."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from monitor.domain.catalogue import Competitor
from monitor.extract.platforms import ADAPTERS
from monitor.extract.platforms.marks import Detected
from monitor.flow.collect import read
from monitor.flow.collect.platform_search import PlatformSearch
from tests.catalogue_scene import CatalogueShop, Visits
from tests.core_scene import SetClock, opened

SURE = {name: Detected(name, 3, ("a mark",)) for name in ("woocommerce", "prestashop")}
WEAK = Detected("shopify", 1, ("cdn.shopify.com",))
RIVAL = Competitor("rival", "Rival", "https://rival.example")


def asked_for(shown: list[Detected | None], known: str | None = None, competitor: Competitor = RIVAL) -> list[str]:
    search = PlatformSearch(competitor, known, ADAPTERS)
    asked = []
    for one in shown:
        asked.append(search.next)
        search.saw(one if asked[-1] == "auto" else None)
    return asked


@pytest.mark.parametrize(
    ("shown", "known", "asked"),
    [
        ([None, WEAK, None, None, None], None, ["auto", "auto", "auto", "pages", "pages"]),
        ([None, None, SURE["woocommerce"], None], None, ["auto", "auto", "auto", "auto"]),  # its adapter learns on
        ([SURE["prestashop"], None], None, ["auto", "pages"]),  # no adapter, so there is nothing to learn
        ([None, None], "prestashop", ["pages", "pages"]),
        ([None] * 5, "woocommerce", ["auto"] * 5),
    ],
)
def test_pages_are_looked_at_until_the_platform_is_known_or_three_times_in_vain(
    shown: list[Detected | None], known: str | None, asked: list[str]
) -> None:
    assert asked_for(shown, known) == asked


@pytest.mark.parametrize(
    ("settings", "asked"),
    [
        ({"platform": "magento"}, "magento"),
        ({"platform": "pages"}, "pages"),
        ({"feed": "https://rival.example/feed.xml"}, "feed"),
    ],
)
def test_what_the_operator_says_is_not_looked_for(settings: dict[str, str], asked: str) -> None:
    assert asked_for([None], "woocommerce", Competitor("rival", "Rival", "https://rival.example", **settings)) == [
        asked
    ]


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Every page that is looked at."""
    pages: list[bytes] = []
    real = read.detected

    def counted(markup: bytes, headers: dict[str, str]) -> Detected | None:
        pages.append(markup)
        return real(markup, headers)

    monkeypatch.setattr(read, "detected", counted)
    return pages


@pytest.fixture
def visits(own_sqlite_url: str) -> Iterator[Callable[[CatalogueShop], Visits]]:
    """Open nights at a shop with eight watches."""
    store = opened(own_sqlite_url, clock := SetClock(datetime(2026, 11, 28, 0, 0, tzinfo=UTC)))
    yield lambda shop: Visits(store, clock, shop).with_watches(*range(8))
    store.close()


def test_a_shop_without_a_platform_is_looked_at_three_times_a_night(
    visits: Callable[[CatalogueShop], Visits], looked: list[bytes]
) -> None:
    scene = visits(CatalogueShop("pages"))

    first, second = scene.night(), scene.night()

    assert [len(night.ways) for night in (first, second)] == [8, 8]
    assert len(looked) == 6


def test_every_page_tells_its_id_where_the_catalogue_is_not_trusted(
    visits: Callable[[CatalogueShop], Visits], looked: list[bytes]
) -> None:
    """The catalogue leaves out the tax, so all pages are read; each still teaches what the next nights may need."""
    scene = visits(CatalogueShop("woocommerce", tax=Decimal("1.19")))

    scene.night()

    assert len(looked) == 8

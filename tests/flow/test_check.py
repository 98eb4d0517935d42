"""One page of a competitor on demand: politely, within a budget and a deadline, and without a trace in history."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from decimal import Decimal

import pytest

from monitor.adapters.db.store import SqlStore
from monitor.domain.catalogue import Catalogue, Showing
from monitor.domain.extraction import Outcome
from monitor.flow.check import Checked, Checks, ChecksSpent, NotInTime, NotOurs
from tests.core_scene import SetClock, opened
from tests.fakes import FakeFetcher
from tests.nights import a_catalogue

PAGE = b"""<!doctype html><html><head><title>Trail jacket</title><script type="application/ld+json">
{"@context": "https://schema.org", "@type": "Product", "name": "Trail jacket", "offers": {"@type": "Offer",
"price": "26.90", "priceCurrency": "EUR", "availability": "https://schema.org/InStock"}}</script></head>
<body><h1>Trail jacket</h1><p class="price">26.90 EUR</p></body></html>"""
ALLOWED = b"User-agent: *\nDisallow: /private/\n"
SECOND = timedelta(seconds=1)


@dataclass
class Scene:
    """A shop in memory and a clock that waiting moves."""

    store: SqlStore
    clock: SetClock
    catalogue: Catalogue = field(default_factory=lambda: a_catalogue(skus=("A",), competitors=("acme",)))
    fetcher: FakeFetcher = field(default_factory=FakeFetcher)
    waited: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.url = self.catalogue.watches[0].url
        self.site = self.url.split("/", 3)[0] + "//" + self.url.split("/")[2]
        self.fetcher.serve(f"{self.site}/robots.txt", ALLOWED, headers={"content-type": "text/plain"})
        self.fetcher.serve(self.url, PAGE, headers={"content-type": "text/html"})

    def wait(self, seconds: float) -> None:
        self.waited.append(seconds)
        self.clock.forward(seconds=seconds)

    def shop(self, **changes: object) -> None:
        (shop,) = self.catalogue.competitors
        self.catalogue = replace(self.catalogue, competitors=(replace(shop, **changes),))  # type: ignore[arg-type]

    def check(self, url: str | None = None, deadline: timedelta = 20 * SECOND, sku: str | None = None) -> Checked:
        checks = Checks(
            self.store,
            self.fetcher,
            lambda: self.catalogue,
            "price-monitor",
            1_000_000,
            pause=self.wait,
            clock=lambda: self.clock.at.timestamp(),
        )
        return checks.check(url or self.url, deadline, sku=sku)


@pytest.fixture
def scene(own_sqlite_url: str) -> Iterator[Scene]:
    clock = SetClock()
    store = opened(own_sqlite_url, clock)
    yield Scene(store, clock)
    store.close()


def test_a_page_is_read_after_robots_txt_with_the_shops_delay_between(scene: Scene) -> None:
    found = scene.check()

    assert (found.found.outcome, found.found.price, found.found.currency) == (Outcome.OK, Decimal("26.90"), "EUR")
    assert (found.competitor, found.sku, found.requests) == ("acme", "A", 2)
    assert scene.fetcher.visited == [f"{scene.site}/robots.txt", scene.url]
    assert scene.waited == [3.0]


def test_of_several_products_on_one_page_the_one_that_is_asked_for_is_read(scene: Scene) -> None:
    """Another variant's price under its name would be a wrong price; without a name no variant is taken."""
    (watch,) = scene.catalogue.watches
    blue, red = replace(watch, variant="blue"), replace(watch, sku="B", variant="red")
    scene.catalogue = replace(scene.catalogue, watches=(blue, red))
    offers = [
        {"@type": "Product", "sku": key, "name": "Trail jacket", "offers": {"price": price, "priceCurrency": "EUR"}}
        for key, price in (("blue", "26.90"), ("red", "31.90"))
    ]
    group = {"@context": "https://schema.org", "@type": "ProductGroup", "name": "Trail jacket", "hasVariant": offers}
    sizes = f'<script type="application/ld+json">{json.dumps(group)}</script><h1>Trail jacket</h1>'.encode()
    scene.fetcher.serve(scene.url, sizes, headers={"content-type": "text/html"})

    found = [scene.check(sku=sku) for sku in ("A", "B", None)]

    assert [(one.sku, one.found.price) for one in found] == [
        ("A", Decimal("26.90")),
        ("B", Decimal("31.90")),
        (None, None),
    ]


def test_a_browser_shows_the_page_where_it_does_at_night(scene: Scene) -> None:
    scene.shop(fetch=Showing.BROWSER, request_cap=20)
    scene.check()

    assert [(rules.browser, rules.max_requests) for rules in scene.fetcher.rules] == [(False, 6), (True, 20)]


def test_a_page_that_is_no_watch_and_leads_home_gives_no_price(scene: Scene) -> None:
    gone = f"{scene.site}/p/gone"
    scene.fetcher.serve(gone, status=302, headers={"location": "/"})
    scene.fetcher.serve(f"{scene.site}/", PAGE, headers={"content-type": "text/html"})

    found = scene.check(gone).found

    assert (found.outcome, found.reason, found.price) == (Outcome.NOT_FOUND, "redirected", None)


def test_a_second_check_waits_its_turn_and_asks_robots_txt_no_more(scene: Scene) -> None:
    scene.check()
    scene.check()

    assert scene.fetcher.visited == [f"{scene.site}/robots.txt", scene.url, scene.url]
    assert scene.waited == [3.0, 3.0]


def test_nothing_of_a_check_is_in_history(scene: Scene) -> None:
    scene.check()

    with scene.store.read() as unit:
        assert unit.observations.current() == ()
        assert unit.observations.readings("A") == ()


def test_a_shop_whose_turn_comes_after_the_deadline_is_not_asked(scene: Scene) -> None:
    scene.check()
    before = list(scene.fetcher.visited)

    with pytest.raises(NotInTime, match="acme may be asked in 3 s, after the deadline") as late:
        scene.check(deadline=2 * SECOND)

    assert late.value.not_before is not None
    assert scene.fetcher.visited == before


def test_the_rest_of_the_deadline_is_all_that_the_page_gets(scene: Scene) -> None:
    scene.check(deadline=10 * SECOND)

    assert [rules.deadline for rules in scene.fetcher.rules] == [10 * SECOND, 7 * SECOND]


def test_the_checks_of_a_day_are_as_many_as_the_tool_calls_of_a_night(scene: Scene) -> None:
    scene.shop(tool_calls=2)
    scene.check()
    scene.check()
    with pytest.raises(ChecksSpent, match="the 2 checks of a day are spent"):
        scene.check()

    scene.clock.forward(hours=24)
    assert scene.check().found.outcome is Outcome.OK


def test_quiet_hours_are_kept(scene: Scene) -> None:
    scene.shop(quiet_windows=("00:00-12:00", "12:00-23:59", "23:59-00:00"))

    with pytest.raises(NotInTime):
        scene.check()
    assert scene.fetcher.visited == []


def test_a_page_that_robots_txt_closes_is_not_asked_for(scene: Scene) -> None:
    found = scene.check(f"{scene.site}/private/1")

    assert found.found.outcome is Outcome.ROBOTS
    assert scene.fetcher.visited == [f"{scene.site}/robots.txt"]


@pytest.mark.parametrize(
    "url", ["https://elsewhere.example/p", "http://169.254.169.254/latest", "file:///etc/passwd", "x"]
)
def test_an_address_of_no_competitor_is_not_asked_for(scene: Scene, url: str) -> None:
    with pytest.raises(NotOurs, match=r"[Nn]othing was asked for"):
        scene.check(url)
    assert scene.fetcher.visited == []


def test_a_shop_that_asks_for_time_is_left_alone_by_everybody(scene: Scene) -> None:
    scene.fetcher.say_only(scene.url, [])
    scene.fetcher.serve(scene.url, b"slow down", status=429, headers={"retry-after": "120"})

    assert scene.check().found.outcome is not Outcome.OK
    with pytest.raises(NotInTime):
        scene.check()

"""Competitors' jobs against a market in memory: what is asked, what is kept, what is named as unread.

The store, the loop and the reader are the real ones; the shops are fakes and the clock is set.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from monitor.adapters.db.store import SqlStore
from monitor.domain.catalogue import Catalogue, Competitor, MatchState, Product, RobotsPolicy, Watch
from monitor.domain.extraction import Extraction, Outcome
from monitor.domain.message import AlertKind
from monitor.domain.observation import Observation
from monitor.domain.page import FetchRules, Miss, MissReason, Page
from monitor.domain.plan import NightPlan, Schedule
from monitor.domain.reading import trusted
from monitor.domain.run import Job, JobState, Step
from monitor.domain.visit import CATALOGUE, PAGE
from monitor.durable import Ending, Incarnation, Plan, Tool, work
from monitor.flow import collect
from monitor.flow.begin import begin
from monitor.ports.store import Unit
from tests.core_scene import SetClock, opened
from tests.fakes import FakeFetcher

SHOP = "https://alpkontor.example"
PLAN = NightPlan(schedule=Schedule(zone="Europe/Berlin"))
EVERYONE = b"User-agent: *\nDisallow: /internal/\n"
CLOUDFLARE = b"<html><head><title>Just a moment...</title></head><body>Orders over 899</body></html>"


def a_page(
    price: str = "149.00", *, name: str = "Rope 60", currency: str = "EUR", shopify: bool = False, sku: str = ""
) -> bytes:
    """A product page that declares its price; a Shopify shop's page gives itself away."""
    offer = {"@type": "Offer", "price": price, "priceCurrency": currency, "availability": "https://schema.org/InStock"}
    product = {"@context": "https://schema.org", "@type": "Product", "name": name, "sku": sku, "offers": offer}
    mark = f'<script>Shopify.shop="a.myshopify.com";Shopify.currency={{"active":"{currency}"}}</script>'
    head = f'<script type="application/ld+json">{json.dumps(product)}</script>{mark if shopify else ""}'
    return f"<html><head><title>{name}</title>{head}</head><body><h1>{name}</h1></body></html>".encode()


def a_list(*handles: str, price: str = "99.00") -> bytes:
    """One page of `products.json`: the first product costs what its page says, the others what no page says."""
    variant = {"title": "Default Title", "available": True}
    prices = [(h, "149.00" if h == "a" else price) for h in handles]
    products = [
        {"id": n, "handle": h, "title": h, "variants": [variant | {"id": n, "price": paid}]}
        for n, (h, paid) in enumerate(prices, 1)
    ]
    return json.dumps({"products": products}).encode()


@dataclass
class Market:
    """Nights of one competitor, with everything that a test may look at or change."""

    store: SqlStore
    clock: SetClock
    fetcher: FakeFetcher = field(default_factory=FakeFetcher)
    shop: Competitor = field(
        default_factory=lambda: Competitor(
            "alpkontor", "Alpkontor", SHOP, delay=timedelta(0), jitter=0.0, robots=RobotsPolicy.IGNORE
        )
    )
    watches: tuple[Watch, ...] = ()
    day: date = date(2026, 11, 28)
    during: Callable[[str], None] = lambda _url: None

    def watch(self, *paths: str, **known: Any) -> None:
        """Watch these pages, each for the product named like its last part."""
        made = (Watch("alpkontor", path.rsplit("/", 1)[-1].upper(), SHOP + path, **known) for path in paths)
        self.watches = (*self.watches, *made)

    def serve(self, path: str, body: bytes = b"", **how: Any) -> None:
        """Answer at this path."""
        self.fetcher.serve(SHOP + path, body, **how)

    def robots(self, text: bytes = EVERYONE, status: int = 200) -> None:
        """Obey this robots.txt."""
        self.shop = replace(self.shop, robots=RobotsPolicy.OBEY)
        self.serve("/robots.txt", text, status=status)

    def fetch(self, url: str, rules: FetchRules) -> Page | Miss:
        """Fetch, and let the test act while it lasts."""
        self.during(url)
        return self.fetcher.fetch(url, rules)

    def open_job(self, unit: Unit, job: Job) -> tuple[Plan, Mapping[str, Tool]]:
        """Open a job as the wiring does."""
        todo = collect.assignment_of(unit, job, self.catalogue, "pricebot")
        return collect.Collecting(todo), collect.Visitor(todo, self.store, self, collect.Limits("pricebot")).tools()

    @property
    def catalogue(self) -> Catalogue:
        skus = dict.fromkeys(watch.sku for watch in self.watches)
        products = tuple(Product(sku, sku, "EUR", Decimal(150)) for sku in skus)
        return Catalogue(products, (self.shop,), self.watches)

    def night(self) -> "Night":
        """Let the next night pass and return what came of it."""
        self.day += timedelta(days=1)
        due = datetime(self.day.year, self.day.month, self.day.day, 1, 0, tzinfo=UTC)
        self.clock.at = max(due, self.clock.at)
        self.fetcher.visited.clear()
        run, _ = begin(self.store, PLAN, self.catalogue, origin="schedule", day=self.day)
        waits = self.work_on(run.id)
        return Night(self.store, run.id, list(self.fetcher.visited), waits)

    def work_on(self, run_id: str) -> list[timedelta]:
        """Work until the job has ended; return how long it waited in between."""
        waits: list[timedelta] = []
        while True:
            job = self.job(run_id)
            ending = work(job.id, store=self.store, me=Incarnation("test"), open_job=self.open_job)
            if ending is not Ending.DEFERRED:
                assert ending is Ending.ENDED
                return waits
            run_at = self.job(run_id).run_at
            waits.append(run_at - self.clock.at)
            self.clock.at = run_at

    def job(self, run_id: str) -> Job:
        with self.store.read() as unit:
            job = unit.jobs.find(run_id, "alpkontor")
        assert job is not None
        return job


@dataclass
class Night:
    """What came of one night."""

    store: SqlStore
    run_id: str
    visited: list[str]
    waits: list[timedelta]

    @property
    def seen(self) -> dict[str, Observation]:
        with self.store.read() as unit:
            return {seen.sku: seen for seen in unit.observations.of_run(self.run_id)}

    @property
    def told(self) -> dict[str, tuple[str, str]]:
        """Outcome and reason by SKU."""
        return {sku: (seen.outcome.value, seen.reason) for sku, seen in self.seen.items()}

    @property
    def paths(self) -> list[str]:
        return [url.removeprefix(SHOP) for url in self.visited]

    @property
    def steps(self) -> tuple[Step, ...]:
        with self.store.read() as unit:
            return unit.jobs.steps(self.job.id)

    @property
    def job(self) -> Job:
        with self.store.read() as unit:
            job = unit.jobs.find(self.run_id, "alpkontor")
        assert job is not None
        return job

    def alerts(self) -> list[tuple[AlertKind, str]]:
        with self.store.read() as unit:
            return [(alert.kind, alert.words) for alert in unit.alerts.of_run(self.run_id)]


@pytest.fixture
def market(own_sqlite_url: str) -> Iterator[Market]:
    clock = SetClock(datetime(2026, 11, 28, 0, 0, tzinfo=UTC))
    store = opened(own_sqlite_url, clock)
    yield Market(store, clock)
    store.close()


def test_a_page_becomes_an_observation_with_its_evidence(market: Market) -> None:
    market.robots()
    market.watch("/p/rope-60")
    market.serve("/p/rope-60", a_page())

    night = market.night()

    seen = night.seen["ROPE-60"]
    assert night.paths == ["/robots.txt", "/p/rope-60"]
    assert (seen.outcome, seen.price, seen.currency, seen.name) == (Outcome.OK, Decimal(149), "EUR", "Rope 60")
    assert (night.job.state, night.job.calls_used, night.job.requests_used) == (JobState.DONE, 1, 2)
    with market.store.read() as unit:
        evidence = json.loads(unit.blobs.get(seen.evidence or "") or b"{}")
    assert evidence["price"] == "149.00"
    assert [one["verdict"] for one in evidence["candidates"]].count("chosen") == 1


def test_one_call_reads_every_watch_of_one_page(market: Market) -> None:
    market.watch("/p/rope-60")
    market.watches = (*market.watches, Watch("alpkontor", "SECOND", f"{SHOP}/p/rope-60"))
    market.serve("/p/rope-60", a_page())

    night = market.night()

    assert night.paths == ["/p/rope-60"]
    assert {sku: seen.price for sku, seen in night.seen.items()} == {"ROPE-60": Decimal(149), "SECOND": Decimal(149)}


def test_a_watch_that_a_person_rejected_is_not_visited(market: Market) -> None:
    market.watch("/p/rope-60")
    market.watch("/p/other", match=MatchState.REJECTED)
    market.serve("/p/rope-60", a_page())

    assert list(market.night().told) == ["ROPE-60"]


# robots.txt


def test_a_page_closed_by_robots_txt_costs_no_call_and_is_no_error_of_the_shop(market: Market) -> None:
    market.robots()
    market.watch("/internal/x", "/p/rope-60")
    market.serve("/p/rope-60", a_page())

    night = market.night()

    assert night.paths == ["/robots.txt", "/p/rope-60"]
    assert night.told["X"] == ("robots", "robots_rules")
    assert "robots.txt" in night.seen["X"].words
    assert night.told["ROPE-60"][0] == "ok"
    assert night.job.calls_used == 1


def test_each_host_of_a_shop_is_asked_for_its_own_robots_txt(market: Market) -> None:
    market.robots(b"User-agent: *\nDisallow: /p/\n")
    market.fetcher.serve("https://www.alpkontor.example/robots.txt", EVERYONE)
    market.watch("/p/a")
    market.watches = (*market.watches, Watch("alpkontor", "B", "https://www.alpkontor.example/p/b"))
    market.fetcher.serve("https://www.alpkontor.example/p/b", a_page(name="b"))

    night = market.night()

    assert night.told == {"A": ("robots", "robots_rules"), "B": ("ok", "declared_only")}
    assert [url for url in night.visited if url.endswith("robots.txt")] == [
        f"{SHOP}/robots.txt",
        "https://www.alpkontor.example/robots.txt",
    ]


def test_nothing_is_asked_of_a_shop_whose_robots_txt_is_unreachable(market: Market) -> None:
    market.robots(b"", status=503)
    market.watch("/p/rope-60", "/p/rope-80")
    market.serve("/p/rope-60", a_page())

    night = market.night()

    assert night.paths == ["/robots.txt"]
    assert set(night.told.values()) == {("robots", "robots_unreachable")}


def test_a_fresh_copy_of_robots_txt_is_used_and_an_old_one_is_not(market: Market) -> None:
    market.robots()
    market.watch("/p/rope-60")
    market.serve("/p/rope-60", a_page())
    first = market.night()
    market.clock.forward(hours=25)
    second = market.night()
    third = market.night()

    assert [night.paths.count("/robots.txt") for night in (first, second, third)] == [1, 1, 0]


def test_a_path_that_the_operator_refuses_costs_no_request(market: Market) -> None:
    market.watch("/p/rope-60", "/outlet/rope-60-b")
    market.robots()
    market.shop = replace(market.shop, refuse=("/outlet/",))
    market.serve("/p/rope-60", a_page())
    night = market.night()

    assert night.told == {"ROPE-60": ("ok", "declared_only"), "ROPE-60-B": ("robots", "refused_by_setting")}
    assert night.visited == [f"{SHOP}/robots.txt", f"{SHOP}/p/rope-60"]


def test_a_refused_path_stays_refused_where_robots_txt_is_ignored(market: Market) -> None:
    market.watch("/p/rope-60")
    market.shop = replace(market.shop, refuse=("/",))
    night = market.night()

    assert night.told == {"ROPE-60": ("robots", "refused_by_setting")}
    assert night.visited == []


def test_a_path_that_the_operator_allows_is_asked_for_although_robots_txt_closes_it(market: Market) -> None:
    market.watch("/internal/rope-60", "/internal/other")
    market.robots()
    market.shop = replace(market.shop, allow=("/internal/rope",))
    market.serve("/internal/rope-60", a_page())
    night = market.night()

    assert night.told == {"ROPE-60": ("ok", "declared_only"), "OTHER": ("robots", "robots_rules")}


def test_a_visit_waits_for_the_end_of_the_quiet_hours(market: Market) -> None:
    """A night that begins at 02:00 in Berlin and may be as late as 05:30."""
    market.watch("/p/rope-60")
    market.serve("/p/rope-60", a_page())
    market.shop = replace(market.shop, quiet_windows=("22:00-04:00",), quiet_zone="Europe/Berlin")
    night = market.night()

    assert night.waits == [timedelta(hours=2)]
    assert night.told == {"ROPE-60": ("ok", "declared_only")}


def test_quiet_hours_past_the_deadline_are_named_and_nothing_is_asked(market: Market) -> None:
    market.watch("/p/rope-60")
    market.shop = replace(market.shop, quiet_windows=("22:00-06:00",), quiet_zone="Europe/Berlin")
    night = market.night()

    assert (night.waits, night.visited) == ([], [])
    assert night.told == {"ROPE-60": ("skipped_budget", "quiet_hours")}
    assert "last until 2026-11-29 05:00 UTC" in night.seen["ROPE-60"].words


def test_the_crawl_delay_of_robots_txt_widens_the_space_also_between_redirects(market: Market) -> None:
    market.robots(b"User-agent: *\nCrawl-delay: 7\n")
    market.watch("/p/rope-60", "/p/rope-80")
    market.serve("/p/rope-60", a_page())
    market.serve("/p/rope-80", a_page(name="Rope 80"))

    night = market.night()

    assert night.waits == [timedelta(seconds=7)] * 2  # after robots.txt too
    assert [rules.hop_delay for rules in market.fetcher.rules[1:]] == [timedelta(seconds=7)] * 2


# failures


def test_a_server_error_is_retried_once_and_keeps_its_reason(market: Market) -> None:
    market.watch("/p/a", "/p/b")
    market.serve("/p/a", status=500)
    market.serve("/p/b", a_page())

    night = market.night()

    assert night.paths == ["/p/a", "/p/b", "/p/a"]
    assert night.told == {"A": ("failed", "server_error"), "B": ("ok", "declared_only")}
    assert night.job.calls_used == 3


def test_a_server_error_that_passes_is_read_the_second_time(market: Market) -> None:
    market.watch("/p/a")
    market.serve("/p/a", status=502)
    market.serve("/p/a", a_page())

    night = market.night()

    assert (night.paths, night.told["A"][0]) == (["/p/a", "/p/a"], "ok")


def test_a_competitor_costs_two_retries_at_most(market: Market) -> None:
    market.watch("/p/a", "/p/b", "/p/c", "/p/d")
    for path in "abcd":
        market.serve(f"/p/{path}", status=500)

    night = market.night()

    assert night.paths == ["/p/a", "/p/b", "/p/c", "/p/d", "/p/a", "/p/b"]
    assert set(night.told.values()) == {("failed", "server_error")}


def test_a_host_that_is_gone_costs_one_call_a_page(market: Market) -> None:
    market.watch("/p/a", "/p/b")

    night = market.night()

    assert set(night.told.values()) == {("failed", "dns")}
    assert night.job.calls_used == 2


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"body": CLOUDFLARE, "status": 403, "headers": {"Cf-Mitigated": "challenge"}}, "cloudflare"),
        ({"status": 403}, "refused"),
    ],
)
def test_a_blocking_shop_is_left_alone_and_its_other_watches_say_so(
    market: Market, answer: dict[str, Any], reason: str
) -> None:
    market.watch("/p/a", "/p/b", "/p/c")
    market.serve("/p/a", **answer)
    market.serve("/p/b", a_page())

    night = market.night()

    assert night.paths == ["/p/a"]
    assert night.told == {
        "A": ("blocked", reason),
        "B": ("blocked", "visit_ended"),
        "C": ("blocked", "visit_ended"),
    }
    assert all("nothing more was asked" in night.seen[sku].words for sku in "BC")
    assert all(seen.price is None for seen in night.seen.values())


def test_a_page_that_is_walled_every_night_does_not_starve_the_others(market: Market) -> None:
    market.watch("/p/a", "/p/b", "/p/c")
    market.serve("/p/a", status=403)
    for path in "bc":
        market.serve(f"/p/{path}", a_page(name=path))

    market.night()
    second = market.night()

    assert second.paths == ["/p/b", "/p/c", "/p/a"]


def test_a_shop_that_asks_for_time_is_asked_once_more_after_it(market: Market) -> None:
    market.watch("/p/a", "/p/b")
    market.serve("/p/a", status=429, headers={"Retry-After": "90"})
    market.serve("/p/a", a_page())
    market.serve("/p/b", a_page())

    night = market.night()

    assert night.waits == [timedelta(seconds=90)]
    assert {outcome for outcome, _ in night.told.values()} == {"ok"}
    assert night.job.calls_used == 3


@pytest.mark.parametrize(("status", "outcome"), [(429, "blocked"), (503, "failed")])
def test_a_shop_that_asks_for_time_twice_is_left_alone(market: Market, status: int, outcome: str) -> None:
    market.watch("/p/a", "/p/b", "/p/c")
    for path in "ab":
        market.serve(f"/p/{path}", status=status, headers={"Retry-After": "30"})

    night = market.night()

    assert night.paths == ["/p/a", "/p/b"]
    assert night.waits == [timedelta(seconds=30)]
    assert night.told["C"] == (outcome, "visit_ended")
    assert night.told["A"][0] == night.told["B"][0] == outcome


def test_a_shop_that_asks_for_more_than_two_minutes_is_left_alone_at_once(market: Market) -> None:
    market.watch("/p/a", "/p/b")
    market.serve("/p/a", status=429, headers={"Retry-After": "121"})

    night = market.night()

    assert (night.paths, night.waits) == (["/p/a"], [])
    with market.store.read() as unit:
        cooling = unit.shops.cooling("alpkontor.example")
    assert cooling is not None
    assert cooling[0] - market.clock.at == timedelta(seconds=121)


# redirects (the pages of F2)


@pytest.mark.parametrize(
    ("path", "body", "reason"),
    [
        ("/ropes/", a_page("9.90", name="Ropes"), "redirected"),
        ("/", a_page("19.00", name="Product of the day"), "redirected"),
        ("/p/rope-60-v2", a_page("179.00", name="Rope 60 v2", sku="AK-9"), "redirected"),
    ],
)
def test_a_withdrawn_product_keeps_its_last_price_and_stores_no_other(
    market: Market, path: str, body: bytes, reason: str
) -> None:
    market.watch("/p/rope-60")
    market.serve("/p/rope-60", a_page())
    market.serve("/p/rope-60", status=301, headers={"Location": path})
    market.serve(path, body)
    market.night()
    second = market.night()

    assert second.told["ROPE-60"] == ("not_found", reason)
    with market.store.read() as unit:
        (span,) = unit.observations.spans("ROPE-60", "alpkontor")
    assert (span.price, span.last_run_id) == (Decimal(149), "nightly-2026-11-29")


def test_a_redirect_to_the_same_product_in_another_language_is_read(market: Market) -> None:
    market.watch("/p/rope-60", their_sku="AK-1")
    market.serve("/p/rope-60", status=302, headers={"Location": "/en/p/rope-60"})
    market.serve("/en/p/rope-60", a_page(name="Rope, 60 m", sku="AK-1"))

    night = market.night()

    assert night.seen["ROPE-60"].price == Decimal(149)
    assert night.job.requests_used == 2


def test_a_changed_currency_is_not_recorded_until_the_operator_settles_it(market: Market) -> None:
    market.watch("/p/rope-60")
    market.serve("/p/rope-60", a_page())
    market.serve("/p/rope-60", a_page("169.00", currency="USD"))
    market.night()

    second = market.night()
    market.shop = replace(market.shop, currency="USD")
    third = market.night()

    assert second.told["ROPE-60"] == ("ambiguous", "currency_changed")
    assert (third.seen["ROPE-60"].price, third.seen["ROPE-60"].currency) == (Decimal(169), "USD")


# budgets


# --- pages that did not change ----------------------------------------------------------------------------------


def test_an_unchanged_page_is_confirmed_and_moves_the_history(market: Market) -> None:
    market.watch("/p/rope-60")
    market.serve("/p/rope-60", a_page(), headers={"ETag": '"v7"'})
    assert market.night().told == {"ROPE-60": ("ok", "declared_only")}
    second = market.night()

    seen = second.seen["ROPE-60"]
    assert (seen.outcome, seen.price) == (Outcome.OK, Decimal("149.00"))
    assert "unchanged since 2026-11-29 (HTTP 304)" in seen.words
    assert second.steps[0].result is not None
    assert second.steps[0].result["status"] == 304
    assert second.job.calls_used == 1
    with market.store.read() as unit:
        (span,) = unit.observations.spans("ROPE-60", "alpkontor")
    assert span.last_seen_at > span.first_seen_at


def test_a_confirmation_after_a_night_without_a_price_confirms_nothing(market: Market) -> None:
    """thp/urlwatch#292: the page changed, could not be read, and from then on counted as unchanged."""
    market.watch("/p/rope-60")
    market.serve("/p/rope-60", a_page(), headers={"ETag": '"v7"'})
    market.serve("/p/rope-60", b"<html><h1>Rope 60</h1><b class='now'>Call us</b>", headers={"ETag": '"v8"'})
    market.night()
    second, third = market.night(), market.night()

    assert [night.told["ROPE-60"][0] for night in (second, third)] == ["no_price", "no_price"]
    assert [night.steps[0].result["status"] for night in (second, third) if night.steps[0].result] == [200, 200]
    assert market.fetcher.rules[-1].kept is None


def test_a_changed_setting_asks_for_the_page_whole(market: Market) -> None:
    market.watch("/p/rope-60")
    market.serve("/p/rope-60", a_page(), headers={"ETag": '"v7"'})
    market.night()
    market.shop = replace(market.shop, language="de-AT")
    assert market.night().seen["ROPE-60"].price == Decimal("149.00")
    assert market.fetcher.rules[-1].kept is None
    market.night()
    assert market.fetcher.rules[-1].kept is not None


def test_after_a_week_a_page_is_asked_for_whole_once(market: Market) -> None:
    market.watch("/p/rope-60")
    market.serve("/p/rope-60", a_page(), headers={"ETag": '"v7"'})
    offered = []
    for _ in range(10):
        market.night()
        offered.append(market.fetcher.rules[-1].kept is not None)

    assert offered == [False, *[True] * 6, False, True, True]


def test_a_confirmation_of_a_page_that_was_lost_is_asked_for_again_whole(market: Market) -> None:
    market.watch("/p/rope-60")
    market.serve("/p/rope-60", a_page(), headers={"ETag": '"v7"'})
    market.night()
    with market.store.writer.begin() as connection:
        connection.exec_driver_sql("DELETE FROM blobs")
    assert market.night().seen["ROPE-60"].price == Decimal("149.00")


def test_a_shop_that_confirms_what_nobody_offered_is_asked_once_more(market: Market) -> None:
    market.watch("/p/rope-60")
    market.serve("/p/rope-60", status=304)
    market.serve("/p/rope-60", status=304)
    market.serve("/p/rope-60", a_page())
    first, second = market.night(), market.night()

    assert first.told == {"ROPE-60": ("failed", "not_modified")}
    assert first.job.calls_used == 2
    assert second.seen["ROPE-60"].price == Decimal("149.00")


@pytest.mark.parametrize(
    "headers",
    [{}, {"ETag": '"v7"', "Cache-Control": "private, no-store"}, {"ETag": "v7\x00"}, {"ETag": "x" * 600}],
)
def test_a_page_that_offers_no_validator_is_not_kept(market: Market, headers: dict[str, str]) -> None:
    market.watch("/p/rope-60")
    market.serve("/p/rope-60", a_page(), headers=headers)
    market.night()
    market.night()

    assert market.fetcher.rules[-1].kept is None


def test_the_budget_names_what_it_skips_and_alerts_once(market: Market) -> None:
    market.shop = replace(market.shop, tool_calls=2)
    market.watch("/p/a", "/p/b", "/p/c", "/p/d")
    for path in "abcd":
        market.serve(f"/p/{path}", a_page(name=path))

    first = market.night()
    second = market.night()

    assert first.paths == ["/p/a", "/p/b"]
    assert first.told["C"] == first.told["D"] == ("skipped_budget", "budget")
    ((kind, words),) = first.alerts()
    assert kind is AlertKind.BUDGET
    assert "2 watches unread" in words
    assert second.paths == ["/p/c", "/p/d"]  # those come first tomorrow


def test_the_request_cap_counts_redirects_and_ends_the_visit_with_an_alert(market: Market) -> None:
    market.shop = replace(market.shop, request_cap=5)
    market.watch("/p/a", "/p/b", "/p/c", "/p/d")
    for path in "abcd":
        market.serve(f"/p/{path}", status=302, headers={"Location": f"/x/p/{path}"})
        market.serve(f"/x/p/{path}", a_page(name=path))

    night = market.night()

    assert len(night.visited) == 5
    assert night.job.requests_used == 5
    assert night.told == {
        "A": ("ok", "declared_only"),
        "B": ("ok", "declared_only"),
        "C": ("failed", "cut_off"),
        "D": ("skipped_budget", "request_cap"),
    }
    assert [kind for kind, _ in night.alerts()] == [AlertKind.BUDGET]


def test_a_page_of_too_many_hops_costs_itself_and_not_the_visit(market: Market) -> None:
    market.watch("/p/a", "/p/b")
    for hop in range(9):
        market.serve("/p/a" if hop == 0 else f"/h{hop}", status=302, headers={"Location": f"/h{hop + 1}"})
    market.serve("/p/b", a_page())

    night = market.night()

    assert night.told["A"][0] == "failed"
    assert night.told["B"][0] == "ok"


# Shopify's product list


def a_twin(handle: str, hundredths: int = 14900) -> bytes:
    """The `.js` of one product."""
    variant = {"id": 7, "title": "Default Title", "price": hundredths, "available": True}
    return json.dumps({"id": 70, "handle": handle, "title": handle, "variants": [variant]}).encode()


def a_shopify_market(market: Market, *handles: str) -> None:
    """A shop whose list is as dear as its pages, told by the twin of the first product."""
    market.watch(*(f"/products/{handle}" for handle in handles))
    market.serve(TWIN, a_twin("a"))
    for handle in handles:
        market.serve(f"/products/{handle}", a_page(name=handle, shopify=True))


LIST = "/products.json?limit=250&page="
TWIN = "/products/a.js"


def test_one_page_and_one_list_answer_a_whole_shopify_shop(market: Market) -> None:
    a_shopify_market(market, "a", "b", "c", "d")
    market.serve(f"{LIST}1", a_list("a", "b", "c", "d"))

    night = market.night()

    assert night.paths == ["/products/a", TWIN, f"{LIST}1"]
    assert {sku: (seen.price, seen.currency) for sku, seen in night.seen.items()} == {
        "A": (Decimal(149), "EUR"),
        "B": (Decimal(99), "EUR"),
        "C": (Decimal(99), "EUR"),
        "D": (Decimal(99), "EUR"),
    }
    assert [step.tool for step in night.steps] == [PAGE, CATALOGUE, CATALOGUE]
    assert night.steps[2].args["currency"] == "EUR"


def test_what_the_list_does_not_have_is_asked_for_by_its_handle_and_then_as_a_page(market: Market) -> None:
    a_shopify_market(market, "a", "b", "c", "d", "e")
    market.serve(f"{LIST}1", a_list("a", "b", "c"))
    market.serve(f"{LIST}2", a_list())
    market.serve("/products/d.js", a_twin("d", 9900))

    night = market.night()

    assert night.paths[2:] == [f"{LIST}1", f"{LIST}2", "/products/d.js", "/products/e.js", "/products/e"]
    assert night.seen["D"].price == Decimal(99)
    assert night.seen["E"].price == Decimal(149)


@pytest.mark.parametrize(
    ("answer", "calls"),
    [
        ({"status": 404}, 1),
        ({"status": 401}, 1),
        ({"body": a_page()}, 1),
        ({"body": b'{"errors":"no"}'}, 1),
        ({"status": 500}, 2),
        ({"body": b'{"products":[{'}, 2),
    ],
)
def test_a_switched_off_list_costs_one_call_and_a_broken_one_two_and_pages_go_on(
    market: Market, answer: dict[str, Any], calls: int
) -> None:
    a_shopify_market(market, "a", "b", "c")
    market.serve(f"{LIST}1", **answer)

    night = market.night()

    assert night.paths == ["/products/a", TWIN, *[f"{LIST}1"] * calls, "/products/b", "/products/c"]
    assert {outcome for outcome, _ in night.told.values()} == {"ok"}


def test_a_wall_before_the_list_ends_the_visit(market: Market) -> None:
    a_shopify_market(market, "a", "b", "c")
    market.serve(f"{LIST}1", CLOUDFLARE, status=403, headers={"Cf-Mitigated": "challenge"})

    night = market.night()

    assert night.paths == ["/products/a", TWIN, f"{LIST}1"]
    assert night.told["B"] == night.told["C"] == ("blocked", "visit_ended")


def test_a_list_that_asks_for_time_gets_it(market: Market) -> None:
    a_shopify_market(market, "a", "b", "c")
    market.serve(f"{LIST}1", status=429, headers={"Retry-After": "20"})
    market.serve(f"{LIST}1", a_list("a", "b", "c"))

    night = market.night()

    assert night.waits == [timedelta(seconds=20)]
    assert {outcome for outcome, _ in night.told.values()} == {"ok"}


def test_a_list_in_another_currency_than_so_far_records_nothing(market: Market) -> None:
    a_shopify_market(market, "a", "b", "c")
    market.serve(f"{LIST}1", a_list("a", "b", "c"))
    market.night()
    market.fetcher = FakeFetcher()
    for handle in ("a", "b", "c"):
        market.serve(f"/products/{handle}", a_page(name=handle, shopify=True, currency="USD"))
    market.serve(f"{LIST}1", a_list("a", "b", "c", price="120.00"))

    second = market.night()

    assert set(second.told.values()) == {("ambiguous", "currency_changed")}
    assert len(second.visited) == 2  # the list says it for all of them
    with market.store.read() as unit:
        assert {span.currency for span in unit.observations.current()} == {"EUR"}


def test_robots_txt_may_close_the_list_alone(market: Market) -> None:
    market.robots(b"User-agent: *\nDisallow: /products.json?\nDisallow: /*.js$\n")
    a_shopify_market(market, "a", "b", "c")

    night = market.night()

    assert night.paths == ["/robots.txt", "/products/a", "/products/b", "/products/c"]


# crashes and poison


@pytest.mark.parametrize("dies_at", range(1, 8))
def test_a_killed_visit_goes_on_at_the_request_it_died_in(market: Market, dies_at: int) -> None:
    """The same pages in the same order, each once more at most, and the same readings."""
    market.robots()
    a_shopify_market(market, "a", "b", "c", "e")
    market.serve(f"{LIST}1", a_list("a", "b"))
    calls: list[str] = []

    def die(url: str) -> None:
        calls.append(url.removeprefix(SHOP))
        if len(calls) == dies_at:
            raise KeyboardInterrupt

    market.during = die
    with pytest.raises(KeyboardInterrupt):
        market.night()
    market.clock.forward(seconds=16)  # its lease ends
    market.work_on("nightly-2026-11-29")

    night = Night(market.store, "nightly-2026-11-29", [], [])
    catalogue = [TWIN, f"{LIST}1", "/products/c.js"]
    unbroken = ["/robots.txt", "/products/a", *catalogue, "/products/c", "/products/e"]
    assert calls == [*unbroken[:dies_at], *unbroken[dies_at - 1 :]]
    assert {sku: seen.price for sku, seen in night.seen.items()} == {
        "A": Decimal(149),
        "B": Decimal(99),
        "C": Decimal(149),
        "E": Decimal(149),
    }
    assert night.job.calls_used == 6 + (dies_at > 1)  # robots.txt is free, a repeat is paid


def test_a_page_of_broken_text_is_kept_like_any_other(market: Market) -> None:
    market.watch("/p/rope-60")
    market.serve("/p/rope-60", a_page(name="Ro\\ud800pe").replace(b"\\\\ud800", b"\\ud800\\u0000"))

    night = market.night()

    assert night.seen["ROPE-60"].name == "Ro\ufffd\ufffdpe"
    assert [step.attempts for step in night.steps] == [1]


def test_a_judgement_that_breaks_on_one_page_costs_that_watch(market: Market, monkeypatch: pytest.MonkeyPatch) -> None:
    market.watch("/p/a", "/p/b")
    market.serve("/p/a", a_page(name="poison"))
    market.serve("/p/b", a_page())

    def breaks(found: Extraction, *args: Any) -> Extraction:
        if found.name == "poison":
            raise RecursionError("too deep")
        return trusted(found, *args)

    monkeypatch.setattr("monitor.flow.collect.tools.trusted", breaks)

    night = market.night()

    assert night.told["A"] == ("failed", "step_failed")
    assert "RecursionError" in night.seen["A"].words
    assert night.told["B"][0] == "ok"


def test_a_page_without_a_price_leaves_a_recipe_to_try_and_reads_nothing_by_it(market: Market) -> None:
    """Two prices that nothing tells apart: a person may say by a recipe which one it is."""
    market.watch("/p/rope")
    rows = "".join(f'<div class="{name}">{price} EUR</div>' for name, price in (("tarif", "149.00"), ("abo", "139.00")))
    market.serve("/p/rope", f"<html><head><title>Rope</title></head><body><h1>Rope</h1>{rows}</body></html>".encode())

    night = market.night()

    assert night.told["ROPE"][0] in ("ambiguous", "no_price")
    with market.store.read() as unit:
        fact = unit.shops.facts("alpkontor")["recipe"]
    assert (fact["page"], fact["found_on"]) == (f"{SHOP}/p/rope", "2026-11-29")
    assert fact["price"] in ("149.00 EUR", "139.00 EUR")
    assert fact["recipe"]["price"] in (".tarif", ".abo")
    assert night.seen["ROPE"].price is None


def test_a_miss_keeps_the_fetchers_words(market: Market) -> None:
    market.watch("/p/a")
    market.fetcher.say(f"{SHOP}/p/a", MissReason.TOO_LARGE)

    night = market.night()

    assert night.told["A"] == ("failed", "too_large")
    assert "too_large" in night.seen["A"].words

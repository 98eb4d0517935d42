"""What every Fetcher promises: the fake of the flow tests and the real one against a real socket."""

from collections.abc import Iterator, Mapping
from typing import Protocol

import pytest

from monitor.adapters.fetch import HttpFetcher
from monitor.adapters.http import Client, Resolver
from monitor.domain.page import FetchRules, Miss, MissReason, Page
from monitor.domain.robots import RobotsKind, RobotsVerdict
from monitor.ports import Fetcher
from tests.fakes import FakeFetcher
from tests.rawshop import Elsewhere, Names, RawShop, answer

SHOP = "http://alpkontor.example"
RULES = FetchRules(hosts=("alpkontor.example",))


class Market(Protocol):
    """A shop that can be told what to say, and the fetcher that visits it."""

    fetcher: Fetcher

    def serve(self, path: str, body: bytes = b"", *, status: int = 200, headers: Mapping[str, str] = {}) -> None: ...
    def resolve(self, host: str, address: str) -> None: ...
    def fail(self, path: str) -> None: ...
    def requests(self) -> int: ...


class FakeMarket:
    def __init__(self) -> None:
        self.fetcher = self._fake = FakeFetcher()
        self._fake.serve(f"{SHOP}/", b"home")

    def serve(self, path: str, body: bytes = b"", *, status: int = 200, headers: Mapping[str, str] = {}) -> None:
        self._fake.serve(f"{SHOP}{path}", body, status=status, headers=headers)

    def resolve(self, host: str, address: str) -> None:
        self._fake.addresses[host] = address

    def fail(self, path: str) -> None:
        self._fake.say(f"{SHOP}{path}", MissReason.INCOMPLETE)

    def requests(self) -> int:
        return len(self._fake.visited)


class RealMarket:
    def __init__(self, shop: RawShop) -> None:
        self._shop, self._names = shop, Names(alpkontor_example="93.184.216.34")
        self.client = Client(resolver=Resolver(self._names), network=Elsewhere(shop.port))
        self.fetcher = HttpFetcher(self.client, "pricebot/1.0")

    def serve(self, path: str, body: bytes = b"", *, status: int = 200, headers: Mapping[str, str] = {}) -> None:
        said = self._shop.routes.setdefault(path, [])
        assert isinstance(said, list)
        said.append(answer(body, status=status, headers=headers))

    def resolve(self, host: str, address: str) -> None:
        self._names.table[host] = address

    def fail(self, path: str) -> None:
        self._shop.routes[path] = lambda connection: connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")

    def requests(self) -> int:
        return len(self._shop.requests)


@pytest.fixture(params=["fake", "http"])
def market(request: pytest.FixtureRequest) -> Iterator[Market]:
    if request.param == "fake":
        yield FakeMarket()
        return
    with RawShop() as shop:
        real = RealMarket(shop)
        yield real
        real.client.close()


def fetched(market: Market, path: str, rules: FetchRules = RULES) -> Page:
    got = market.fetcher.fetch(f"{SHOP}{path}", rules)
    assert isinstance(got, Page), got
    return got


def missed(market: Market, url: str, rules: FetchRules = RULES) -> Miss:
    got = market.fetcher.fetch(url if "//" in url else f"{SHOP}{url}", rules)
    assert isinstance(got, Miss), got
    assert got.url == (url if "//" in url else f"{SHOP}{url}")
    assert got.words
    return got


def test_a_page_comes_back_as_it_was_sent(market: Market) -> None:
    market.serve("/p", b"<h1>Rope</h1>", headers={"X-Shop": "Alp", "Content-Type": "text/html; charset=latin-1"})

    got = fetched(market, "/p")

    assert (got.url, got.final_url, got.status, got.body) == (f"{SHOP}/p", f"{SHOP}/p", 200, b"<h1>Rope</h1>")
    assert (got.headers["x-shop"], got.content_type) == ("Alp", "text/html; charset=latin-1")
    assert (got.requests, got.hops) == (1, ())


@pytest.mark.parametrize("status", [304, 403, 404, 410, 429, 500, 503])
def test_an_error_of_the_shop_is_a_page_with_its_status(market: Market, status: int) -> None:
    market.serve("/p", b"" if status == 304 else b"sorry", status=status)

    assert fetched(market, "/p").status == status


def test_a_path_nobody_knows_is_a_404(market: Market) -> None:
    assert fetched(market, "/nothing").status == 404


def test_each_visit_sees_the_next_answer(market: Market) -> None:
    market.serve("/p", b"one")
    market.serve("/p", b"two")

    assert [fetched(market, "/p").body for _ in range(3)] == [b"one", b"two", b"two"]


def test_redirects_are_followed_and_counted(market: Market) -> None:
    market.serve("/a", status=301, headers={"Location": "/b"})
    market.serve("/b", status=307, headers={"Location": f"{SHOP}/c?x=1"})
    market.serve("/c?x=1", b"there")

    got = fetched(market, "/a")

    assert (got.url, got.final_url, got.body) == (f"{SHOP}/a", f"{SHOP}/c?x=1", b"there")
    assert (got.requests, got.hops) == (3, (f"{SHOP}/a", f"{SHOP}/b"))


def test_a_loop_ends(market: Market) -> None:
    market.serve("/a", status=302, headers={"Location": "/b"})
    market.serve("/b", status=302, headers={"Location": "/a"})

    assert missed(market, "/a").reason is MissReason.REDIRECTS
    assert market.requests() == 2


def test_a_redirect_to_itself_is_tried_once_more(market: Market) -> None:
    market.serve("/a", status=302, headers={"Location": "/a"})

    assert (missed(market, "/a").reason, market.requests()) == (MissReason.REDIRECTS, 2)


def test_more_than_five_redirects_are_too_many(market: Market) -> None:
    for number in range(9):
        market.serve(f"/{number}", status=302, headers={"Location": f"/{number + 1}"})

    got = missed(market, "/0", FetchRules(hosts=("alpkontor.example",), max_requests=20))

    assert (got.reason, got.requests) == (MissReason.REDIRECTS, 6)


def test_the_cap_of_requests_holds(market: Market) -> None:
    market.serve("/a", status=302, headers={"Location": "/b"})

    assert missed(market, "/a", FetchRules(hosts=(), max_requests=1)).reason is MissReason.REQUEST_CAP
    assert missed(market, "/a", FetchRules(hosts=(), max_requests=0)).requests == 0
    assert market.requests() == 1


def test_a_redirect_to_somebody_else_is_not_followed(market: Market) -> None:
    market.serve("/a", status=302, headers={"Location": "http://other.example/"})

    assert (missed(market, "/a").reason, market.requests()) == (MissReason.REDIRECTED_AWAY, 1)


def test_a_redirect_that_robots_txt_closes_is_not_followed(market: Market) -> None:
    market.serve("/a", status=302, headers={"Location": "/closed/b"})
    closed = RobotsVerdict(RobotsKind.RULES, "read", "User-agent: *\nDisallow: /closed/")

    got = missed(market, "/a", FetchRules(hosts=(), robots=closed))

    assert (got.reason, market.requests()) == (MissReason.ROBOTS, 1)


@pytest.mark.parametrize(
    "url", ["ftp://alpkontor.example/", "http://me@alpkontor.example/", "http://alpkontor.example:81/", "p", "http://"]
)
def test_a_url_that_is_no_shop_is_refused(market: Market, url: str) -> None:
    got = market.fetcher.fetch(url, RULES)

    assert isinstance(got, Miss)
    assert (got.reason, got.requests, market.requests()) == (MissReason.REFUSED_URL, 0, 0)


def test_a_name_that_leads_inside_is_refused(market: Market) -> None:
    market.resolve("inside.example", "192.168.1.1")

    got = missed(market, "http://inside.example/")

    assert (got.reason, got.requests, market.requests()) == (MissReason.REFUSED_ADDRESS, 0, 0)


def test_a_name_that_does_not_exist_is_said_so(market: Market) -> None:
    assert missed(market, "http://nowhere.example/").reason is MissReason.DNS


def test_a_body_over_the_cap_is_a_miss_unless_it_may_be_cut(market: Market) -> None:
    market.serve("/p", b"x" * 2000)
    small = FetchRules(hosts=(), max_body_bytes=1000)

    assert (missed(market, "/p", small).reason, market.requests()) == (MissReason.TOO_LARGE, 1)
    cut = fetched(market, "/p", FetchRules(hosts=(), max_body_bytes=1000, may_cut=True))
    assert cut.body == b"x" * 1000


def test_an_incomplete_answer_may_pass(market: Market) -> None:
    market.fail("/p")

    got = missed(market, "/p")

    assert (got.reason, got.may_pass, got.requests) == (MissReason.INCOMPLETE, True, 1)

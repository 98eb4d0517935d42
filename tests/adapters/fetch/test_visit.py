"""One visit and its redirects, as real shops do them."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from monitor.adapters.fetch import HttpFetcher, user_agent
from monitor.adapters.fetch.cookies import Jar
from monitor.adapters.http import Client, Resolver
from monitor.domain.address import target
from monitor.domain.page import FetchRules, Miss, MissReason, Page
from monitor.domain.robots import RobotsKind, RobotsVerdict
from tests.adapters.fetch.certificates import serving, trusting
from tests.rawshop import Elsewhere, Names, RawShop, answer, moved

Rules = Callable[..., FetchRules]
URL = "http://alpkontor.example/p/rope-60"
PAGE = answer(b"<h1>Rope 60</h1> 149.00 EUR")


def paged(got: Page | Miss) -> Page:
    assert isinstance(got, Page), got
    return got


def missed(got: Page | Miss) -> Miss:
    assert isinstance(got, Miss), got
    return got


def lines(shop: RawShop, name: bytes) -> list[bytes]:
    """Return the value of one header in each request, b"" where it is missing."""
    heads = [dict(line.split(b": ", 1) for line in one.lower().split(b"\r\n")[1:] if line) for one in shop.requests]
    return [head.get(name, b"") for head in heads]


def test_a_redirect_that_sets_a_cookie_is_followed_to_the_same_url(
    fetcher: HttpFetcher, shop: RawShop, rules: Rules
) -> None:
    shop.routes["/p/rope-60"] = [moved("/p/rope-60", headers={"Set-Cookie": "region=eu; Path=/"}), PAGE]

    got = paged(fetcher.fetch(URL, rules()))

    assert (got.requests, got.hops, got.final_url) == (2, (URL,), URL)
    assert lines(shop, b"cookie") == [b"", b"region=eu"]


def test_a_cookie_is_forgotten_after_the_visit_and_unknown_to_other_hosts(
    fetcher: HttpFetcher, shop: RawShop, rules: Rules
) -> None:
    shop.routes["/p/rope-60"] = answer(b"x", headers={"Set-Cookie": "market=us; Domain=example; Path=/"})
    shop.routes["/away"] = moved("http://www.alpkontor.example/p/rope-60", headers={"Set-Cookie": "a=1; Path=/"})
    for url in (URL, URL, "http://rival.test/p/rope-60", "http://alpkontor.example/away"):
        paged(fetcher.fetch(url, rules()))

    assert lines(shop, b"cookie") == [b""] * 5


def test_the_same_request_twice_is_a_loop(fetcher: HttpFetcher, shop: RawShop, rules: Rules) -> None:
    shop.routes["/p/rope-60"] = moved("/p/rope-60")

    got = missed(fetcher.fetch(URL, rules()))

    assert (got.reason, got.requests, got.may_pass) == (MissReason.REDIRECTS, 2, False)
    assert got.words.startswith("redirect loop")
    assert f"{URL} → {URL}" in got.words


def test_a_chain_that_never_ends_stops_after_five_redirects(fetcher: HttpFetcher, shop: RawShop, rules: Rules) -> None:
    for number in range(9):
        shop.routes["/p/rope-60" + (f"?r={number}" if number else "")] = moved(f"/p/rope-60?r={number + 1}")

    got = missed(fetcher.fetch(URL, rules(max_requests=20)))

    assert (got.reason, got.requests, len(shop.requests)) == (MissReason.REDIRECTS, 6, 6)
    assert "too many redirects" in got.words


def test_there_and_back_is_a_loop(fetcher: HttpFetcher, shop: RawShop, rules: Rules) -> None:
    shop.routes["/p/rope-60"] = moved("http://www.alpkontor.example/w")
    shop.routes["/w"] = moved(URL)

    got = missed(fetcher.fetch(URL, rules()))

    assert (got.reason, got.requests) == (MissReason.REDIRECTS, 2)


def test_five_redirects_are_still_fine(fetcher: HttpFetcher, shop: RawShop, rules: Rules) -> None:
    for number in range(5):
        shop.routes[f"/{number}"] = moved(f"/{number + 1}", status=(301, 302, 303, 307, 308)[number])
    shop.routes["/5"] = PAGE

    got = paged(fetcher.fetch("http://alpkontor.example/0", rules()))

    assert (got.requests, got.url, got.final_url) == (6, "http://alpkontor.example/0", "http://alpkontor.example/5")
    assert len(got.hops) == 5


@pytest.mark.parametrize(
    "location",
    [
        "http://other.example/p", "//other.example/p", "http://alpkontor.example.evil.test/p",
        "http://evilalpkontor.example/p", "http://rival.test/alpkontor.example",
    ],
)  # fmt: skip
def test_a_redirect_to_another_shop_is_not_followed(
    location: str, fetcher: HttpFetcher, shop: RawShop, rules: Rules
) -> None:
    shop.routes["/p/rope-60"] = moved(location)

    got = missed(fetcher.fetch(URL, rules()))

    assert (got.reason, got.requests) == (MissReason.REDIRECTED_AWAY, 1)


@pytest.mark.parametrize("host", ["www.alpkontor.example", "shop.de.alpkontor.example", "cdn.rival.test"])
def test_a_redirect_within_the_competitors_hosts_is_followed(
    host: str, fetcher: HttpFetcher, shop: RawShop, rules: Rules, names: Names
) -> None:
    names.table[host] = "93.184.216.34"
    shop.routes["/p/rope-60"] = moved(f"http://{host}/there")
    shop.routes["/there"] = PAGE

    got = paged(fetcher.fetch(URL, rules(hosts=("alpkontor.example", "cdn.rival.test"))))

    assert got.final_url == f"http://{host}/there"


@pytest.mark.parametrize(
    ("location", "reason"),
    [
        ("http://user@www.alpkontor.example/", MissReason.REFUSED_URL),
        ("http://www.alpkontor.example:8080/", MissReason.REFUSED_URL),
        ("ftp://www.alpkontor.example/", MissReason.REFUSED_URL),
        ("file:///etc/passwd", MissReason.REFUSED_URL),
        ("http:\\\\www.alpkontor.example/", MissReason.REFUSED_URL),
        ("http://gone.alpkontor.example/", MissReason.DNS),
        ("http://inside.alpkontor.example/", MissReason.REFUSED_ADDRESS),
    ],
)
def test_every_hop_is_judged_like_the_first_url(
    location: str, reason: MissReason, fetcher: HttpFetcher, shop: RawShop, rules: Rules, names: Names
) -> None:
    names.table["inside.alpkontor.example"] = "10.0.0.5"
    shop.routes["/p/rope-60"] = moved(location)

    got = missed(fetcher.fetch(URL, rules()))

    assert (got.reason, got.requests, shop.connections) == (reason, 1, 1)


def test_https_is_not_given_up_for_http(names: Names, rules: Rules) -> None:
    with RawShop(tls=serving("shop.pem")) as shop:
        shop.routes["/p"] = moved("http://alpkontor.example/p")
        client = Client(resolver=Resolver(names), network=Elsewhere(shop.port), ssl_context=trusting())
        got = missed(HttpFetcher(client, "pricebot/1.0").fetch("https://alpkontor.example/p", rules()))
        client.close()

    assert (got.reason, got.requests, shop.connections) == (MissReason.REFUSED_URL, 1, 1)
    assert "from https to http" in got.words


def test_an_odd_location_is_read_as_browsers_do(fetcher: HttpFetcher, shop: RawShop, rules: Rules) -> None:
    shop.routes["/p/rope-60"] = moved("/straße und seil?q=ü#top")
    shop.routes["/stra%C3%9Fe%20und%20seil?q=%C3%BC"] = PAGE

    assert paged(fetcher.fetch(URL, rules())).final_url.endswith("/stra%C3%9Fe%20und%20seil?q=%C3%BC")


def test_a_redirect_without_a_location_is_the_answer(fetcher: HttpFetcher, shop: RawShop, rules: Rules) -> None:
    shop.routes["/p/rope-60"] = answer(b"", status=302)

    assert paged(fetcher.fetch(URL, rules())).status == 302


def test_each_hop_waits_for_the_hosts_delay(
    fetcher: HttpFetcher, shop: RawShop, rules: Rules, pauses: list[float]
) -> None:
    shop.routes["/p/rope-60"] = moved("/b")
    shop.routes["/b"] = moved("/c")
    shop.routes["/c"] = PAGE

    paged(fetcher.fetch(URL, rules(hop_delay=timedelta(seconds=3))))

    assert pauses == [3.0, 3.0]


def test_the_request_cap_ends_a_chain(fetcher: HttpFetcher, shop: RawShop, rules: Rules) -> None:
    shop.routes["/p/rope-60"] = moved("/b")
    shop.routes["/b"] = moved("/c")
    shop.routes["/c"] = PAGE

    got = missed(fetcher.fetch(URL, rules(max_requests=2)))

    assert (got.reason, got.requests, len(shop.requests)) == (MissReason.REQUEST_CAP, 2, 2)


def test_one_deadline_covers_the_whole_chain(fetcher: HttpFetcher, shop: RawShop, rules: Rules) -> None:
    for number in range(6):
        said = moved(f"/{number + 1}")
        shop.routes[f"/{number}"] = shop.drip([b"", said], every_s=0.1)

    got = missed(fetcher.fetch("http://alpkontor.example/0", rules(deadline=timedelta(seconds=0.25))))

    assert got.reason is MissReason.DEADLINE
    assert got.requests <= 3


def test_what_is_sent_is_honest_and_asked_for(fetcher: HttpFetcher, shop: RawShop, rules: Rules) -> None:
    shop.routes["/p/rope-60"] = PAGE
    paged(fetcher.fetch(URL, rules(accept_language="de-AT", headers={"X-Shop-Api": "1"})))

    sent = shop.requests[0].lower()
    assert sent.startswith(b"get /p/rope-60 http/1.1\r\nhost: alpkontor.example\r\n")
    assert lines(shop, b"user-agent") == [b"pricebot/1.0 (+https://brand.example/bot)"]
    assert lines(shop, b"accept-language") == [b"de-at"]
    assert lines(shop, b"x-shop-api") == [b"1"]
    assert lines(shop, b"cookie") == [b""]


# --- robots on the way ------------------------------------------------------------------------------------------

OPEN = RobotsVerdict(RobotsKind.RULES, "read", "User-agent: *\nDisallow: /internal/")


def test_a_redirect_into_a_closed_path_is_not_followed(fetcher: HttpFetcher, shop: RawShop, rules: Rules) -> None:
    shop.routes["/p/rope-60"] = moved("/internal/rope")

    got = missed(fetcher.fetch(URL, rules(robots=OPEN)))

    assert (got.reason, got.requests) == (MissReason.ROBOTS, 1)
    assert "robots.txt of alpkontor.example closes" in got.words


def test_the_robots_file_of_another_host_is_read_before_going_there_and_then_remembered(
    fetcher: HttpFetcher, shop: RawShop, rules: Rules, pauses: list[float]
) -> None:
    shop.routes["/p/rope-60"] = moved("http://www.alpkontor.example/p")
    shop.routes["/q"] = moved("http://www.alpkontor.example/closed")
    shop.routes["/p"] = PAGE
    shop.routes["/robots.txt"] = answer(b"User-agent: pricebot\nDisallow: /closed")
    obeying = rules(robots=OPEN, hop_delay=timedelta(seconds=1))

    first = paged(fetcher.fetch(URL, obeying))
    second = missed(fetcher.fetch("http://alpkontor.example/q", obeying))

    assert (first.requests, pauses[:2]) == (3, [1.0, 1.0])
    assert (second.reason, second.requests) == (MissReason.ROBOTS, 1)
    assert sum(b"/robots.txt" in one for one in shop.requests) == 1


def test_a_host_whose_robots_file_cannot_be_read_is_not_visited(
    fetcher: HttpFetcher, shop: RawShop, rules: Rules
) -> None:
    shop.routes["/p/rope-60"] = moved("http://www.alpkontor.example/p")
    shop.routes["/robots.txt"] = answer(status=503)

    got = missed(fetcher.fetch(URL, rules(robots=OPEN)))

    assert (got.reason, got.requests) == (MissReason.ROBOTS, 2)
    assert "unreachable" in got.words


def test_reading_another_hosts_robots_file_counts_against_the_cap(
    fetcher: HttpFetcher, shop: RawShop, rules: Rules
) -> None:
    shop.routes["/p/rope-60"] = moved("http://www.alpkontor.example/p")

    got = missed(fetcher.fetch(URL, rules(robots=OPEN, max_requests=1)))

    assert (got.reason, got.requests, len(shop.requests)) == (MissReason.REQUEST_CAP, 1, 1)


def test_a_loopback_shop_is_visited_when_named_exactly(shop: RawShop) -> None:
    shop.routes["/p"] = PAGE
    client = Client()
    fetcher = HttpFetcher(client, user_agent("1.0", ""))
    allowed = FetchRules(hosts=(shop.authority,), allow_addresses=frozenset({shop.authority}))

    got = fetcher.fetch(shop.url("/p"), allowed)
    refused = fetcher.fetch(shop.url("/p"), FetchRules(hosts=(shop.authority,)))
    client.close()

    assert paged(got).body.startswith(b"<h1>")
    assert missed(refused).reason is MissReason.REFUSED_URL


def test_a_page_that_comes_over_the_line_in_half_may_be_asked_again(
    shop: RawShop, fetcher: HttpFetcher, rules: Rules
) -> None:
    shop.routes["/p/rope-60"] = lambda connection: connection.sendall(PAGE[:-5])

    got = missed(fetcher.fetch(URL, rules()))

    assert (got.reason, got.may_pass, got.requests) == (MissReason.INCOMPLETE, True, 1)


def test_nothing_is_counted_when_nothing_was_sent(names: Names, elsewhere: Elsewhere, rules: Rules) -> None:
    fetcher = HttpFetcher(Client(resolver=Resolver(names), network=elsewhere), "pricebot/1.0")

    assert missed(fetcher.fetch("http://nowhere.test/", rules())).requests == 0


# --- cookies ----------------------------------------------------------------------------------------------------

NOW = datetime(2026, 11, 29, 2, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("line", "url", "sent"),
    [
        ("a=1", "https://alpkontor.example/p/other", "a=1"),
        ("a=1", "https://alpkontor.example/q", ""),  # default path is the directory of the page
        ("a=1; Path=/", "https://alpkontor.example/q", "a=1"),
        ("a=1; Path=/p", "https://alpkontor.example/password", ""),  # a path ends at a slash
        ("a=1; Path=/; Secure", "http://alpkontor.example/", ""),
        ("a=1; Path=/; Domain=.example", "https://www.alpkontor.example/", ""),  # host-only, whatever it says
        ("a=1; Path=/; Max-Age=0", "https://alpkontor.example/", ""),
        ("a=1; Path=/; Expires=Thu, 01-Jan-1970 00:00:00 GMT", "https://alpkontor.example/", ""),
        ("a=1; Path=/; Expires=Thu, 01 Jan 2037 00:00:00 GMT", "https://alpkontor.example/", "a=1"),
        ("a=b=c; Path=/", "https://alpkontor.example/", "a=b=c"),
        ("nonsense", "https://alpkontor.example/p/", ""),
        ("=x; Path=/", "https://alpkontor.example/", ""),
        ("a=" + "x" * 5000, "https://alpkontor.example/p/", ""),
    ],
)
def test_a_cookie_goes_back_where_it_came_from_only(line: str, url: str, sent: str) -> None:
    jar = Jar()
    jar.keep(target("https://alpkontor.example/p/rope"), (line,), now=NOW)

    assert jar.header(target(url)) == sent


def test_a_shop_can_take_its_cookie_back_and_cannot_fill_the_jar() -> None:
    jar, shop = Jar(), target("https://alpkontor.example/")
    jar.keep(shop, ("a=1; Path=/",), now=NOW)
    jar.keep(shop, ("a=; Path=/; Max-Age=-1",), now=NOW)
    assert jar.header(shop) == ""

    jar.keep(shop, tuple(f"c{number}=1; Path=/" for number in range(500)), now=NOW)
    assert jar.header(shop).count("=") == 50


@pytest.mark.parametrize("contact", ["a\r\nX: y", "me (at) home", "ü@brand.example"])
def test_a_contact_that_cannot_stand_in_a_header_is_refused(contact: str) -> None:
    with pytest.raises(ValueError, match="cannot stand"):
        user_agent("1.0", contact)


def test_a_product_token_is_one_that_robots_files_can_name() -> None:
    with pytest.raises(ValueError, match="not a product token"):
        user_agent("1.0", "", product="price monitor")
    assert user_agent("1.0", "", product="brandbot") == "brandbot/1.0"

"""Questions that are sent as the body of a POST, as catalogue queries are, and what a redirect makes of them."""

from collections.abc import Callable

import pytest

from monitor.adapters.fetch import HttpFetcher
from monitor.domain.page import FetchRules, Page
from monitor.domain.robots import RobotsKind, RobotsVerdict
from tests.rawshop import RawShop, answer, moved

Rules = Callable[..., FetchRules]
URL = "http://alpkontor.example/graphql"
QUESTION = b'{"query":"{products{items{sku}}}"}'


def test_a_question_is_posted_with_its_headers(fetcher: HttpFetcher, shop: RawShop, rules: Rules) -> None:
    shop.routes["/graphql"] = answer(b"{}")

    got = fetcher.fetch(URL, rules(post=QUESTION, headers={"content-type": "application/json"}))

    assert isinstance(got, Page)
    head, _, body = shop.requests[0].partition(b"\r\n\r\n")
    assert head.startswith(b"POST /graphql ")
    assert b"content-type: application/json" in head.lower()
    assert body == QUESTION


@pytest.mark.parametrize(
    ("status", "asked"),
    [(301, b"GET"), (302, b"GET"), (303, b"GET"), (307, b"POST"), (308, b"POST")],
)
def test_only_a_redirect_that_keeps_the_method_is_asked_the_question_again(
    fetcher: HttpFetcher, shop: RawShop, rules: Rules, status: int, asked: bytes
) -> None:
    shop.routes["/graphql"] = moved("/de/graphql", status=status)
    shop.routes["/de/graphql"] = answer(b"{}")

    fetcher.fetch(URL, rules(post=QUESTION))

    assert [request.split(b" ", 1)[0] for request in shop.requests] == [b"POST", asked]
    assert (QUESTION in shop.requests[1]) is (asked == b"POST")


def test_the_robots_file_of_another_host_is_not_posted_to(fetcher: HttpFetcher, shop: RawShop, rules: Rules) -> None:
    shop.routes["/graphql"] = moved("http://www.alpkontor.example/graphql", status=308)
    shop.routes["/robots.txt"] = answer(b"User-agent: *\nDisallow: /x\n")

    fetcher.fetch(URL, rules(post=QUESTION, robots=RobotsVerdict(RobotsKind.ABSENT, "none")))

    assert [request.split(b" ", 2)[:2] for request in shop.requests if b"robots" in request] == [
        [b"GET", b"/robots.txt"]
    ]

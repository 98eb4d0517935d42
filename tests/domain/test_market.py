"""One catalogue answers for one market, and an address tells which that is."""

import pytest

from monitor.domain.catalogue import Watch
from monitor.domain.market import main_market, market_of


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("https://shop.example/p/1", "https://www.shop.example/p/2", True),
        ("https://shop.example/p/1", "http://Shop.Example/de/p/1", True),  # another language only
        ("https://shop.example/p/1", "https://de.shop.example/p/1", False),
        ("https://shop.example/p/1", "https://shop.example/de-at/p/1", False),
        ("https://shop.example/de-at/p/1", "https://shop.example/DE_AT", False),
        ("https://shop.example/de-at/p/1", "https://shop.example/de-AT/p/2", True),
        ("https://shop.example/de-at/p/1", "https://shop.example/de-ch/p/1", False),
        ("https://shop.example/t-shirts/1", "https://shop.example/1", True),
        ("https://shop.example:8443/p", "https://shop.example/p", False),
        ("//[", "https://shop.example/p", False),
    ],
)
def test_host_and_region_tell_a_market(one: str, other: str, same: bool) -> None:
    assert (market_of(one) == market_of(other)) is same


def test_the_main_market_has_most_watches() -> None:
    places = ("https://a.example/p/1", "https://b.example/p/1", "https://www.b.example/p/2")

    assert main_market(Watch("rival", "X", url) for url in places) == "b.example"
    assert main_market(()) == ""

"""A shop on loopback and a client whose public names lead to it."""

import ssl
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest

from monitor.adapters.fetch import HttpFetcher
from monitor.adapters.http import Client, Resolver
from monitor.adapters.http.client import trusting_context
from monitor.domain.page import FetchRules
from tests.adapters.fetch.certificates import serving, trusting
from tests.core_scene import SetClock, opened
from tests.rawshop import Elsewhere, Names, RawShop
from tests.visits import Visits, visits

PUBLIC = "93.184.216.34"


@pytest.fixture
def shop() -> Iterator[RawShop]:
    """A shop that says what `shop.routes` tells it."""
    with RawShop() as running:
        yield running


@pytest.fixture
def names() -> Names:
    """Names with public addresses."""
    return Names(
        alpkontor_example=PUBLIC, www_alpkontor_example=PUBLIC, other_example="93.184.216.35", rival_test=PUBLIC
    )


@pytest.fixture
def elsewhere(shop: RawShop) -> Elsewhere:
    """The network below the guard."""
    return Elsewhere(shop.port)


@pytest.fixture(scope="session")
def trust() -> ssl.SSLContext:
    """What the program trusts; loading it takes 40 ms, so once."""
    return trusting_context()


@pytest.fixture
def client(names: Names, elsewhere: Elsewhere, trust: ssl.SSLContext) -> Iterator[Client]:
    """A client that is closed after the test."""
    made = Client(resolver=Resolver(names), network=elsewhere, ssl_context=trust)
    yield made
    made.close()


@pytest.fixture
def pauses() -> list[float]:
    """The seconds the fetcher wanted to wait."""
    return []


@pytest.fixture
def fetcher(client: Client, pauses: list[float]) -> HttpFetcher:
    """A fetcher that does not really wait."""
    return HttpFetcher(client, "pricebot/1.0 (+https://brand.example/bot)", pause=pauses.append)


@pytest.fixture
def rules() -> Callable[..., FetchRules]:
    """Rules of the competitor alpkontor.example, with what a test changes."""

    def make(**changes: object) -> FetchRules:
        return FetchRules(**{"hosts": ("alpkontor.example",), **changes})  # type: ignore[arg-type]

    return make


@pytest.fixture
def scene(own_sqlite_url: str, trust: ssl.SSLContext) -> Iterator[Visits]:
    """Nights of a watched shop on http."""
    clock = SetClock(datetime(2026, 11, 28, 0, 0, tzinfo=UTC))
    store = opened(own_sqlite_url, clock)
    with visits(store, clock, trust) as made:
        yield made
    store.close()


@pytest.fixture
def secure_scene(own_sqlite_url: str) -> Iterator[Visits]:
    """The same with a shop on https beside it, whose certificate is good."""
    clock = SetClock(datetime(2026, 11, 28, 0, 0, tzinfo=UTC))
    store = opened(own_sqlite_url, clock)
    with visits(store, clock, trusting(), tls=serving("shop.pem")) as made:
        yield made
    store.close()

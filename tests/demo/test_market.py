"""The demo's market says what it is meant to say: its pages are read as they were meant, its moves happen."""

from datetime import UTC, datetime
from decimal import Decimal
from http.client import HTTPConnection
from itertools import product

import pytest

from monitor.demo.market import Fault, Market, MarketServer, Shop, market_of
from monitor.demo.market.moves import GLITCH_NIGHT, NIGHTS
from monitor.demo.market.pages import address, product_list, product_page
from monitor.demo.market.shops import SHOPS, Style
from monitor.domain.extraction import Availability, Hints, Outcome
from monitor.domain.listing import Answer
from monitor.extract import extract
from monitor.extract.platforms import ADAPTERS


def get(server: MarketServer, shop: str, path: str) -> tuple[int, str]:
    connection = HTTPConnection("127.0.0.1", server.ports[shop], timeout=10)
    connection.request("GET", path)
    answer = connection.getresponse()
    found = answer.status, answer.read().decode()
    connection.close()
    return found


def the(market: Market, fault: Fault) -> Shop:
    return next(shop for shop in market.shops if shop.fault is fault)


@pytest.fixture(scope="module")
def market() -> Market:
    return market_of(1)


def test_the_market_has_thirty_shops_and_about_sixty_products_on_two_hundred_pages(market):
    assert len(market.shops) == 30
    assert len({shop.id for shop in market.shops}) == 30
    assert len(market.goods) == 60
    assert 190 <= market.watches() <= 230
    assert market.shops[16].id == "globex"


@pytest.mark.parametrize("seed", range(1, 9))
def test_every_product_has_one_leader_who_asks_our_price_and_nobody_asks_less_at_rest(seed):
    market = market_of(seed)
    worths = {"EUR": Decimal(1), "USD": Decimal("0.8612"), "GBP": Decimal("1.1405"), "SEK": Decimal("0.0912")}

    for good in market.goods:
        asked = [
            market.rest[shop.id][good.sku].price * worths[shop.currency]
            for shop in market.shops
            if good.sku in market.rest[shop.id] and shop.currency in worths
        ]
        assert min(asked) == good.price
        assert asked.count(good.price) == 1


@pytest.mark.parametrize("seed", range(1, 9))
def test_the_same_kinds_of_things_happen_for_every_seed_and_never_twice_to_one_product(seed):
    moves = market_of(seed).moves

    assert {move.kind for move in moves} == {"cheaper", "sale", "sold out", "glitch", "new lowest"}
    assert len({move.sku for move in moves}) == len(moves)
    assert [move.first for move in moves if move.kind == "glitch"] == [GLITCH_NIGHT]


def test_a_seed_always_gives_the_same_market_and_another_seed_another():
    assert market_of(3) == market_of(3)
    assert market_of(3).moves != market_of(4).moves


def test_a_sale_shows_the_former_price_and_ends(market):
    sale = next(move for move in market.moves if move.kind == "sale" and move.last < NIGHTS)
    before, during, after = (
        market.offer(sale.shop, sale.sku, night) for night in (sale.first - 1, sale.first, sale.last + 1)
    )

    assert during.price < before.price
    assert during.list_price == before.price
    assert after == before


def test_a_new_lowest_rival_asks_less_than_we_do(market):
    prices = {good.sku: good.price for good in market.goods}

    for move in (move for move in market.moves if move.kind == "new lowest"):
        assert market.offer(move.shop, move.sku, move.first).price < prices[move.sku]
        assert market.offer(move.shop, move.sku, move.first - 1).price > prices[move.sku]


def test_every_page_of_every_style_is_read_as_it_was_meant(market):
    """All shops on a quiet night and on that of the glitch; a page that is misread would break the demo's story."""
    goods = {good.sku: good for good in market.goods}
    for shop, night in product(market.shops, (1, GLITCH_NIGHT)):
        for sku in market.rest[shop.id]:
            shown = market.offer(shop.id, sku, night)
            page = product_page(shop, goods[sku], shown, [good for good in market.goods if good.sku != sku][:4])
            url = f"http://127.0.0.1:8000{address(shop, goods[sku])}"
            read = extract(page.encode(), url, "text/html; charset=utf-8", hints=Hints(currency=shop.currency))

            if shown.is_gone:
                assert read.outcome is Outcome.NOT_FOUND
                continue
            assert (read.outcome, read.price, read.currency) == (Outcome.OK, shown.price, shop.currency), (shop.id, sku)
            assert read.list_price == shown.list_price
            assert read.availability is (Availability.IN_STOCK if shown.in_stock else Availability.OUT_OF_STOCK)


def test_a_product_list_holds_what_the_shop_sells(market):
    shop = next(shop for shop in market.shops if shop.style is Style.SHOPIFY)
    sold = market.rest[shop.id]
    goods = [good for good in market.goods if good.sku in sold]

    body = product_list(shop, [(good, sold[good.sku]) for good in goods]).encode()
    items = ADAPTERS["shopify"].read(Answer(body, datetime(2026, 11, 29, tzinfo=UTC))).items

    assert {item.slug: item.variants[0].price for item in items} == {g.slug: sold[g.sku].price for g in goods}


def test_each_fault_answers_in_its_own_way_and_every_request_is_counted(market):
    goods = {good.sku: good for good in market.goods}

    with MarketServer(market) as server:

        def first_page(shop: Shop) -> tuple[int, str]:
            return get(server, shop.id, address(shop, goods[next(iter(market.rest[shop.id]))]))

        wall, quiet, broken = (the(market, fault) for fault in (Fault.WALL, Fault.QUIET_WALL, Fault.BROKEN))
        assert first_page(wall)[0] == 403
        assert first_page(quiet)[0] == 200
        assert first_page(broken)[0] == 500
        assert "Disallow: /" in get(server, the(market, Fault.CLOSED).id, "/robots.txt")[1]
        assert "Disallow:\n" in get(server, "globex", "/robots.txt")[1]
        assert first_page(the(market, Fault.SOFT_404))[0] == 200
        assert get(server, "globex", "/p/no-such-product")[0] == 404
        server.night = 2
        first_page(wall)

        assert sum(server.hits(1).values()) == 7
        assert list(server.hits(2).values()) == [1]


def test_a_held_page_waits_until_it_is_released_or_its_reader_is_gone(market):
    shop = next(shop for shop in SHOPS if shop.id == "globex")
    goods = {good.sku: good for good in market.goods}
    first, second = list(market.rest["globex"])[:2]

    with MarketServer(market) as server:
        hold = server.hold("globex", 2)
        get(server, "globex", address(shop, goods[first]))
        assert not hold.reached.is_set()
        waiting = HTTPConnection("127.0.0.1", server.ports["globex"], timeout=10)
        waiting.request("GET", address(shop, goods[second]))
        assert hold.reached.wait(10)
        server.release()

        assert waiting.getresponse().status == 200
        waiting.close()

"""Answers that real shops send and no document describes: floats, quotes, dates, second prices, second packings."""

import gzip
import json
import resource
import time
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from monitor.domain.catalogue import Watch
from monitor.domain.extraction import Extraction
from monitor.domain.listing import Answer, Listing, Problem
from monitor.extract.platforms import ADAPTERS
from monitor.extract.platforms.matching import Shelf, find
from monitor.extract.platforms.sitemap import product_pages, read_sitemap

NIGHT = datetime(2026, 11, 30, 2, 0, tzinfo=UTC)
HERE = "https://rival.example/p/lamp"


def read(platform: str, body: bytes | str) -> Listing:
    return ADAPTERS[platform].read(Answer(body if isinstance(body, bytes) else body.encode(), NIGHT))


def found(platform: str, body: bytes | str, url: str = HERE, currency: str | None = None, **known: Any) -> Extraction:
    listing = read(platform, body)
    assert listing.problem is None, listing.words
    watch = Watch("rival", "OUR-1", url, **known)
    got = find(Shelf(listing.items), watch, currency, platform=platform, slug=ADAPTERS[platform].slug_of(url))
    assert got is not None
    return got


# --- numbers in JSON --------------------------------------------------------------------------------------------


def magento(value: str, currency: str = "EUR") -> str:
    money = f'{{"value":{value},"currency":"{currency}"}}'
    prices = f'{{"minimum_price":{{"final_price":{money},"regular_price":{money}}}}}'
    item = f'{{"uid":"MQ==","sku":"L","name":"Lamp","url_key":"lamp","price_range":{prices}}}'
    return f'{{"data":{{"products":{{"items":[{item}]}}}}}}'


def bigcommerce(value: str, currency: str = "EUR") -> str:
    money = f'{{"value":{value},"currencyCode":"{currency}"}}'
    node = f'{{"entityId":7,"name":"Lamp","path":"/p/lamp/","prices":{{"price":{money}}}}}'
    return f'{{"data":{{"site":{{"p0":{{"node":{node}}}}}}}}}'


WARNING = (
    "<br />\n<b>Warning</b>:  Undefined array key &quot;vat&quot; in <b>/srv/shop/vat.php</b> on line <b>31</b><br />\n"
)


@pytest.mark.parametrize("said", ["", WARNING, WARNING + WARNING.replace("Warning", "Deprecated")])
def test_what_php_complains_of_before_its_answer_is_passed_over(said: str) -> None:
    assert found("magento", said + magento("29.90")).price == Decimal("29.90")


@pytest.mark.parametrize(
    "body",
    [
        WARNING + "<html><body>29.90 €</body></html>",
        WARNING.replace("Warning", "Fatal error") + magento("29.90"),  # what stands behind it is no whole answer
        "<br />" * 50_000 + magento("29.90"),
    ],
)
def test_what_else_stands_before_an_answer_makes_it_none(body: str) -> None:
    assert read("magento", body).problem is Problem.OFF


@pytest.mark.parametrize("platform", ["magento", "bigcommerce"])
@pytest.mark.parametrize(
    ("value", "price"),
    [
        ("29.899999999999999", "29.90"),  # what PHP writes for 29.9
        ("29.900000000000002", "29.90"),
        ("33.613445378151262", "33.61"),  # 40.00 without 19 % tax, which the shop rounds when it shows it
        ("33.6134", "33.6134"),
        ("1.0E+2", "100"),
        ('"29.90"', "29.90"),
        ("0", None),
        ("null", None),
        ("1e9999999999", None),
        ("1e-9999999999", None),
        ("-3", None),
    ],
)
def test_a_number_of_a_shops_program_is_the_price_it_means(platform: str, value: str, price: str | None) -> None:
    body = {"magento": magento, "bigcommerce": bigcommerce}[platform](value)

    assert found(platform, body).price == (None if price is None else Decimal(price))


def test_a_number_of_ten_bytes_does_not_become_ten_gigabytes() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    for value in ("1e99999999", "1e-99999999", "1e9999999999"):
        assert found("magento", magento(value)).price is None
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 30_000  # kilobytes


@pytest.mark.parametrize(
    ("amount", "unit", "price"),
    [
        ("1990", "2", "19.90"),  # a proxy that writes every number as a text
        ("1990", 0, "1990"),
        ("33613445", 6, "33.6134"),  # the finest that is kept
        ("1990", "two", None),
        ("1990", 2.5, None),
        ("1990", True, None),
    ],
)
def test_the_unit_of_a_shop_may_be_a_text_and_is_never_guessed(amount: str, unit: Any, price: str | None) -> None:
    prices = {"price": amount, "currency_code": "EUR", "currency_minor_unit": unit}
    body = json.dumps([{"id": 7, "name": "Mug", "slug": "lamp", "permalink": HERE, "prices": prices}])

    assert found("woocommerce", body).price == (None if price is None else Decimal(price))


@pytest.mark.parametrize(
    ("escaped", "title"),
    [
        (r"Mug \ud83d", "Mug \ufffd"),  # cut in the middle of an emoji
        (r"Mug \ud83d\ude00", "Mug \U0001f600"),
        (r"Mug \\ud83d", r"Mug \ud83d"),
    ],
)
def test_half_a_character_is_replaced(escaped: str, title: str) -> None:
    (item,) = read("shopify", f'{{"products":[{{"id":1,"handle":"mug","title":"{escaped}","variants":[]}}]}}').items

    assert item.title == title


@pytest.mark.parametrize("platform", ["shopify", "woocommerce", "magento", "bigcommerce"])
def test_an_empty_answer_is_called_empty(platform: str) -> None:
    assert read(platform, b" \n").words == "the catalogue's answer is empty"


# --- feeds ------------------------------------------------------------------------------------------------------


def rss(facts: str, *, head: str = "<?xml version='1.0'?>") -> str:
    item = f"<item><g:id>1</g:id><g:title>T</g:title><g:link>{HERE}</g:link>{facts}</item>"
    return f"{head}<rss xmlns:g='http://base.google.com/ns/1.0'><channel>{item}</channel></rss>"


def priced(text: str) -> str:
    return rss(f"<g:price>{text}</g:price>")


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("19.90 EUR", "19.90"),
        ("19.9000 EUR", "19.90"),
        ("149.12345 EUR", "149.12"),
        ("1.299,00 EUR", "1299"),
        ("8.125 KWD", "8.125"),
        ("1,299 JPY", "1299"),
        ("1.299 EUR", None),  # a feed's dot is a decimal one, and nobody has thousandths of a cent
        ("from 19.90 EUR", None),
        ("ab 19,90 EUR", None),
        ("19.90 - 29.90 EUR", None),
        ("-19.90 EUR", None),
        ("24.90 EUR 19.90 EUR", None),  # one of them is the former price, and nobody says which
        ("19.90 EUR inkl. 19 % MwSt.", "19.90"),
        ("19.90 EUR/kg", None),
        ("9,95 € pro 100 g", None),
        ("9,95 € pro Stück", "9.95"),
        ("1990 PTS", None),  # points
        ("19.90 XXX", None),
    ],
)
def test_a_feeds_price_is_read_where_it_has_one_reading(text: str, amount: str | None) -> None:
    got = found("feed", priced(text))

    assert got.price == (None if amount is None else Decimal(amount))
    assert amount is not None or repr(text) in got.words


@pytest.mark.parametrize(
    ("text", "setting", "price"),
    [
        ("$19.90", "USD", "19.90"),
        ("19.90 $", "CAD", "19.90"),
        ("$19.90", "EUR", None),
        ("199 kr", "SEK", "199"),
        ("199 kr", "EUR", None),
        ("$19.90", None, None),
        ("19.90", "EUR", "19.90"),
        ("£19.90", "EUR", "19.90"),  # in pounds
    ],
)
def test_a_sign_of_several_currencies_means_the_one_set_only_where_it_can(
    text: str, setting: str | None, price: str | None
) -> None:
    got = found("feed", priced(text), currency=setting)

    assert got.price == (None if price is None else Decimal(price))
    assert got.currency == (None if price is None else "GBP" if "£" in text else setting)
    assert price is not None or "has a sign that does not tell" in got.words


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"PK\x03\x04feed", "the feed is a ZIP archive, which is not read; plain or gzip is"),
        (b"BZh91AY", "the feed is a bzip2 file, which is not read; plain or gzip is"),
        (b"\xfd7zXZ\x00", "the feed is an xz file, which is not read; plain or gzip is"),
        (b'[{"id": 1, "price": "19.90 EUR"}]', "the feed is JSON, which is not read; XML and tables are"),
        (b"<!-- cached --><html><body>Log in</body></html>", "a page came instead of the feed"),
    ],
)
def test_what_is_no_feed_is_called_what_it_is(body: bytes, words: str) -> None:
    refused = read("feed", body)

    assert (refused.problem, refused.words) == (Problem.OFF, words)


@pytest.mark.parametrize(
    ("dates", "paid"),
    [
        ("2026-11-30T03:30+0100/2026-12-05T00:00+0100", "19.90"),  # begins at half past two
        ("2026-11-30T02:30+0100/2026-12-05T00:00+0100", "14.90"),
        ("2026-11-29T18:30:00-0800/2026-12-10T00:00:00-0800", "19.90"),
        ("2026-11-20t00:00z / 2026-12-10t00:00z", "14.90"),
        ("2026-11-20T00:00/2026-12-10T00:00", "14.90"),  # no zone, and every zone says the same
        ("2026-10-20/2026-10-25", "19.90"),
        ("2026-11-30T00:00/2026-12-10T00:00", None),  # has begun in Auckland and not in Honolulu
        ("2026-11-20/2026-11-29", None),
        ("2026-11-20/2026-11-28", "19.90"),
        ("2026-11-20T00:00+0100/", "14.90"),
        ("/2026-12-10T00:00+0100", "14.90"),
        ("2026-12-10T00:00+0100/", "19.90"),
        ("soon", None),
        ("/", None),
    ],
)
def test_a_sale_counts_where_its_dates_say_so_and_no_price_counts_where_they_do_not_tell(
    dates: str, paid: str | None
) -> None:
    facts = "<g:price>19.90 EUR</g:price><g:sale_price>14.90 EUR</g:sale_price>"
    got = found("feed", rss(f"{facts}<g:sale_price_effective_date>{dates}</g:sale_price_effective_date>"))

    assert got.price == (None if paid is None else Decimal(paid))
    assert paid is not None or "nobody can tell whether its sale price 14.90 counts now" in got.words


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ("<g:price>19.90 EUR</g:price><g:price>29.90 EUR</g:price>", "said twice"),
        ("<g:price>19.90 EUR</g:price><g:price>19.90 USD</g:price>", "said twice"),
        ("<g:price>19.90 EUR</g:price><g:price>19,90 EUR</g:price>", ""),
        ("<price>24.90</price><g:price>19.90 EUR</g:price>", ""),  # a merchant feed's names come first
    ],
)
def test_a_price_that_is_said_twice_and_otherwise_is_none(facts: str, words: str) -> None:
    got = found("feed", rss(facts))

    assert got.price == (None if words else Decimal("19.90"))
    assert words in got.words


def test_the_id_of_a_merchant_feed_comes_before_the_id_of_the_atom_around_it() -> None:
    entry = f"<entry><id>urn:9</id><g:id>1</g:id><link href='{HERE}'/><g:price>9.90 EUR</g:price></entry>"
    atom = f"<feed xmlns='http://www.w3.org/2005/Atom' xmlns:g='http://base.google.com/ns/1.0'>{entry}</feed>"

    assert found("feed", atom, their_sku="1").sku == "1"


def test_the_address_of_a_row_chooses_it_whatever_its_id() -> None:
    body = f"id,link,price,item_group_id\na_1,{HERE}?variant=44,9.90 EUR,g\na_2,{HERE}?variant=45,12.90 EUR,g\n"

    assert found("feed", body, f"{HERE}?variant=45").price == Decimal("12.90")


@pytest.mark.parametrize(
    "flood",
    ["<!--" * 250_000, "<!-- <![CDATA[" * 70_000, "".join(f"<p{n}:a>x</p{n}:a>" for n in range(60_000))],
    ids=["comments", "sections", "prefixes"],
)
def test_a_file_of_a_megabyte_takes_seconds_at_most(flood: str) -> None:
    """What is opened and never closed was looked for again from each place: minutes for a file of five megabytes."""
    began = time.process_time()
    listing = read("feed", f"<rss>{flood}</rss>")

    assert time.process_time() - began < 4
    assert len(listing.words) + sum(map(len, listing.warnings)) < 3_000


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (rss("<g:price>19.90 EUR</g:price>", head="<?xml version='1.0' encoding='utf-16'?>").encode("utf-16"), ""),
        (priced("19,90 €").encode("cp1252"), "line 1: not in UTF-8"),
        (priced("19.90 EUR").replace("T<", "T\x0b<").encode(), "control characters"),
        (gzip.compress(gzip.compress(priced("19.90 EUR").encode())), ""),
    ],
)
def test_a_feed_with_one_fault_that_leaves_no_doubt_is_read_and_the_fault_is_told(body: bytes, told: str) -> None:
    listing = read("feed", body)

    assert [(v.price, v.currency) for item in listing.items for v in item.variants] == [(Decimal("19.90"), "EUR")]
    assert told in " | ".join(listing.warnings)
    assert bool(told) is bool(listing.warnings)


HEADS = ("id", "title", "link", "price")


def table(separator: str, *rows: tuple[str, ...]) -> str:
    return "\n".join(separator.join(row) for row in (HEADS, *rows)) + "\n"


ONE, TWO = ("1", "T", HERE, "19.90 EUR"), ("2", "Z", f"{HERE}2", "29.90 EUR")


@pytest.mark.parametrize(
    ("body", "read_rows", "told"),
    [
        (table("\t", ("0", '"Best lamp', f"{HERE}0", "9.90 EUR"), ONE, TWO), 3, "read line by line"),
        (table("\t", ("0", '"Best', f"{HERE}0", "9.90 EUR"), ONE, ("2", '"Z', f"{HERE}2", "29 EUR")), 3, "by line"),
        (table("\t", ("0", '"Best', f"{HERE}0", "9 EUR"), ONE, ("2", 'Z"', f"{HERE}2", "29 EUR")), 3, "by line"),
        (table(",", ("0", '"Best lamp', f"{HERE}0", "9.90 EUR"), ONE, TWO), 2, "read line by line"),
        (table("\t", ("0", 'TV 24" flat', f"{HERE}0", "9.90 EUR"), ONE), 2, ""),
        (table(",", ("0", '"two\nlines, and a ""quote"""', f"{HERE}0", "9.90 EUR"), ONE), 2, ""),
        (table("~", ONE, TWO), 2, ""),
        ("sep=;\r\n" + table(";", ONE, TWO), 2, ""),
        ("\r\n\r\n" + table("|", ONE), 1, ""),
        (table("\t", ONE, TWO).replace("\n", "\r"), 2, ""),
        (table(",", (*ONE, ""), TWO), 2, ""),
    ],
)
def test_a_table_is_read_with_its_own_separator_and_no_quote_moves_a_row(body: str, read_rows: int, told: str) -> None:
    listing = read("feed", body)

    assert sum(len(item.variants) for item in listing.items) == read_rows
    assert told in " | ".join(listing.warnings)
    assert bool(told) is bool(listing.warnings)
    assert found("feed", body).price == Decimal("19.90")


def test_a_table_of_which_no_row_can_be_read_says_which_and_why() -> None:
    listing = read("feed", table(",", ("1", "T", "19.90 EUR")))

    assert (
        listing.words
        == "the answer is no feed: none of its rows can be read: line 2: 3 cells, the header has 4; left out"
    )


# --- sitemaps ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "pages", "children"),
    [
        ("<!--" + "x" * 3_000 + f"--><sitemapindex><sitemap><loc>{HERE}</loc></sitemap></sitemapindex>", 0, 1),
        (f"<rss><channel><link>x</link><item><link>{HERE}</link></item></channel></rss>", 1, 0),
        (f"<feed><link href='x'/><entry><link href='{HERE}'/></entry></feed>", 1, 0),
        (gzip.compress(gzip.compress(f"<urlset><url><loc>{HERE}</loc></url></urlset>".encode())), 1, 0),
    ],
)
def test_a_sitemap_may_be_an_index_late_or_a_feed_or_packed_twice(body: Any, pages: int, children: int) -> None:
    found = read_sitemap(body if isinstance(body, bytes) else body.encode())

    assert (len(found.pages), len(found.children), found.problem) == (pages, children, "")


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("<?xml version='1.0'?><!DOCTYPE html><html/>", "a page came instead of a sitemap"),
        ("<products><product/></products>", "the answer is no sitemap"),
    ],
)
def test_what_is_no_sitemap_is_not_called_an_empty_one(body: str, problem: str) -> None:
    assert read_sitemap(body.encode()).problem == problem


def test_an_address_that_is_none_is_no_product_page() -> None:
    assert product_pages(["https://[bad", "", HERE], of_products=False) == (HERE,)

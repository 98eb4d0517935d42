"""Merchant feeds, as XML and as tables."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.domain.intake import Asked, Kind, read_catalogue_file

TODAY = date(2026, 11, 29)


def read(text: str | bytes, **asked):
    body = text if isinstance(text, bytes) else text.encode()
    return read_catalogue_file(body, "feed.xml", Asked(**{"currency": "SEK", "today": TODAY, **asked}))


def rss(*items: str) -> str:
    inside = "".join(f"<item>{item}</item>" for item in items)
    return (
        '<?xml version="1.0"?><rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel><title>Shop</title>'
        f"{inside}</channel></rss>"
    )


def item(price: str = "500.00 SEK", more: str = "", key: str = "A") -> str:
    return f"<g:id>{key}</g:id><g:title>Lamp</g:title><g:price>{price}</g:price>{more}"


def test_an_item_of_a_google_feed_becomes_a_product():
    more = (
        "<g:sale_price>349.00 SEK</g:sale_price><g:brand>Lux</g:brand><g:gtin>4006381333931</g:gtin><g:mpn>L-1</g:mpn>"
        "<g:link>https://shop.example/lamp</g:link><g:availability>in stock</g:availability><g:color>Blue</g:color>"
        "<g:cost_of_goods_sold>120.00 SEK</g:cost_of_goods_sold><g:auto_pricing_min_price>300 "
        "SEK</g:auto_pricing_min_price>"
        "<g:product_type>Home &gt; Light</g:product_type>"
    )
    (each,) = read(rss(item(more=more))).listed

    assert (each.key, each.not_sold) == ("A", None)
    assert each.facts == {
        "currency": "SEK",
        "price": Decimal(349),
        "compare_at": Decimal(500),
        "title": "Lamp",
        "options": ("Blue",),
        "brand": "Lux",
        "category": "Light",
        "mpn": "L-1",
        "gtin": "4006381333931",
        "cost": Decimal(120),
        "min_price": Decimal(300),
        "stock": None,
        "url": "https://shop.example/lamp",
    }


def test_the_price_of_a_delivery_is_not_that_of_the_product():
    more = "<g:shipping><g:country>SE</g:country><g:price>49.00 SEK</g:price><g:id>X</g:id></g:shipping>"
    (each,) = read(rss(f"{more}{item()}")).listed

    assert (each.key, each.facts["price"]) == ("A", Decimal(500))


def test_a_sale_price_that_is_not_lower_is_flagged_and_makes_no_list_price():
    (each,) = read(rss(item("839 SEK", "<g:sale_price>1349 SEK</g:sale_price>"))).listed

    assert (each.facts["price"], each.facts["compare_at"]) == (Decimal(839), None)
    assert each.remarks == ("sale price 1349 is not below the price 839, so it was not taken for a sale",)


@pytest.mark.parametrize(
    ("dates", "price"),
    [
        ("2026-11-01T00:00+01:00/2026-12-01T00:00+01:00", 349),
        ("2026-12-01T00:00+01:00/2026-12-24T00:00+01:00", 500),
        ("2026-10-01/2026-11-01", 500),
    ],
)
def test_a_dated_sale_counts_while_it_is_on(dates, price):
    more = f"<g:sale_price>349 SEK</g:sale_price><g:sale_price_effective_date>{dates}</g:sale_price_effective_date>"

    assert read(rss(item(more=more))).listed[0].facts["price"] == Decimal(price)


def test_a_price_without_currency_takes_ours_and_never_that_of_the_delivery():
    feed = (
        "<products><product><id>A</id><title>Lamp</title><price>6900</price><shipping_cost>49 NOK</shipping_cost>"
        "</product></products>"
    )
    intake = read(feed)

    assert intake.listed[0].facts["currency"] == "SEK"
    assert intake.notes == ("1 of 1 prices name no currency and were taken as SEK, that of our shop",)


def test_a_currency_can_have_its_own_element():
    feed = (
        "<products><product><id>A</id><name>Lamp</name><price>2999.0"
        "</price><currency>NOK</currency></product></products>"
    )

    assert read(feed).listed[0].facts["currency"] == "NOK"
    assert read(feed.replace("NOK", "kr")).problems == (
        "feed.xml, line 1, currency: 'kr' is not an ISO 4217 code such as EUR",
    )


def test_a_currency_out_of_use_is_kept_and_told():
    intake = read(rss(item("47.00 BGN")))

    assert intake.listed[0].facts["currency"] == "BGN"
    assert intake.notes[0].startswith("BGN has been replaced by the euro since 2026-01-01 (1 EUR = 1.95583 BGN)")
    assert read(rss(item("47.00 BGN")), today=date(2025, 12, 31)).notes == ()
    assert read(rss(item("47.00 DEM"))).notes[0].startswith("DEM is out of use since")


@pytest.mark.parametrize(
    ("feed", "words"),
    [
        (rss(item()).replace("Lamp", "Lamp & Co"), "a bare & must be written &amp;"),
        (rss(item()).replace("Lamp", "Lamp&nbsp;Co"), "is one of HTML, in XML write the character itself"),
        ("<!DOCTYPE html>\n<html><body>Sign in<br></body></html>", "feed.xml is a web page and no feed"),
        (rss(item())[:-40], "the feed is not well formed"),
        ("<!DOCTYPE a [<!ENTITY x 'y'>]>" + rss(item()).removeprefix('<?xml version="1.0"?>'), "declares an entity"),
        ("<rss><channel><title>Shop</title></channel></rss>", "no item, entry, product or offer in it"),
        ("<products><product><title>Lamp</title><price>5</price></product></products>", "the item has no id"),
    ],
)
def test_a_feed_that_cannot_be_read_whole_is_refused_whole(feed, words):
    intake = read(feed)

    assert any(words in problem for problem in intake.problems)


def test_a_fault_names_its_line():
    (problem,) = read("<products>\n<product>\n<id>A & B</id></product></products>").problems

    assert problem.startswith(
        "feed.xml, line 3, column 8: the feed is not well formed (not well-formed (invalid token))"
    )


def test_a_prefix_that_is_never_declared_does_no_harm_and_is_told():
    feed = (
        "<products>\n<product><id>A</id><title>L</title><price>5 SEK</price>\n"
        "<g:shipping><g:price>1 SEK</g:price></g:shipping></product></products>"
    )
    intake = read(feed)

    assert (intake.problems, intake.listed[0].facts["price"]) == ((), Decimal(5))
    assert (
        intake.notes[0]
        == "feed.xml, line 3: the prefix 'g' is used and never declared (xmlns:g); it was read all the same"
    )


@pytest.mark.parametrize("word", ["out of stock", "out_of_stock", "OutOfStock", "https://schema.org/OutOfStock"])
def test_out_of_stock_has_many_spellings(word):
    assert read(rss(item(more=f"<g:availability>{word}</g:availability>"))).listed[0].facts["stock"] == 0


def test_used_goods_are_listed_and_not_for_sale_beside_new_ones():
    (each,) = read(rss(item(more="<g:condition>used</g:condition>"))).listed

    assert each.not_sold == "is used, and rivals' new goods are no measure for it"


def test_a_tab_separated_feed_has_quoted_fields_all_the_same():
    text = (
        'id\ttitle\tprice\titem_group_id\tcolor\tsize\r\n1\t"""Big"" '
        'Tee"\t28.00 USD\tg\tRed\tL\r\n2\tCup\t6.00 USD\t\t\t\r\n'
    )
    intake = read(text)

    assert (intake.kind, intake.problems) == (Kind.MERCHANT, ())
    assert [(each.key, each.facts["title"], each.facts["options"]) for each in intake.listed] == [
        ("1", '"Big" Tee', ("Red", "L")),
        ("2", "Cup", ()),
    ]


def test_quotes_that_mean_nothing_in_a_tab_separated_feed_stay_in_the_text():
    intake = read('id\ttitle\tprice\n1\t"Holy" Wood\t5 SEK\n2\tWheel 28"\t6 SEK\n')

    assert [each.facts["title"] for each in intake.listed] == ['"Holy" Wood', 'Wheel 28"']
    assert intake.notes[0].startswith("feed.xml: its quotes are part of the text")


def test_a_decimal_comma_in_a_feed_is_seen():
    assert read(rss(item("15,50 EUR"))).listed[0].facts["price"] == Decimal("15.5")


@given(st.binary(max_size=400))
def test_any_bytes_give_an_intake_and_never_an_error(body):
    intake = read(body)

    assert intake.problems or intake.listed


@given(st.text(alphabet='<>/&;"=,.\n\tgidtlepricSEK0159: ', max_size=200))
def test_any_text_gives_an_intake_and_never_an_error(text):
    assert read(text).problems or read(text).listed

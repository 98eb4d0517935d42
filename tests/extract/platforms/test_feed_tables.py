"""Feeds that are tables: what their header and their quotes mean, and what the worst of them costs."""

import time
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from monitor.domain.listing import Answer, Listing, Problem
from monitor.extract.platforms import ADAPTERS

NIGHT = datetime(2026, 11, 30, 2, 0, tzinfo=UTC)
HERE = "https://rival.example/p/lamp"
HEADER = "id,title,link,price\n"


def read(text: str, wanted: frozenset[str] | None = None) -> Listing:
    return ADAPTERS["feed"].read(Answer(text.encode(), NIGHT, wanted=wanted))


@pytest.mark.parametrize(
    "table",
    [
        f'"id" , "title" , "link" , "price"\n1,Lamp,{HERE},19.90 EUR\n',
        f'"id" , "title" , "link" , "price"\n"1" , "Lamp, red" , "{HERE}" , "19.90 EUR"\n',
        f'id, title, link, price\n1, "Lamp, red", {HERE}, "19.90 EUR"\n',
        f'"id" ; "title" ; "link" ; "price"\n"1" ; "Lamp; red" ; {HERE} ; "19,90 EUR"\n',
        f'"id"\t "title" \t"link" \t "price"\n1 \t "Lamp" \t{HERE}\t "19.90 EUR" \n',
        f"ID|Item Title|g:title|LINK |Price\n1|a|Lamp|{HERE}|19.90 EUR\n",
    ],
)
def test_blanks_beside_the_quotes_of_a_table_belong_to_nothing(table: str) -> None:
    listing = read(table)

    assert [(item.url, item.variants[0].price) for item in listing.items] == [(HERE, Decimal("19.90"))]
    assert listing.items[0].title.startswith("Lamp")


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (
            f"Export of 2026-11-30;;;\nid;title;link;price\n1;Lamp;{HERE};19,90 EUR\n",
            "its first line names neither the id nor the link of a product: export_of_2026-11-30",
        ),
        (f"1,Lamp,{HERE},19.90 EUR\n", "its first line names neither"),
        ("id," * 2_000 + "\n", "its first line has more than 1,000 cells"),
        (HEADER + "1,Lamp\n" * 20_000, "most of its lines are no rows: line 2: 2 cells"),
        ("id,title\n", "it has no products"),
    ],
)
def test_a_table_without_rows_is_refused_in_words(table: str, words: str) -> None:
    listing = read(table)

    assert listing.problem is Problem.OFF
    assert words in listing.words


def test_a_feed_that_holds_none_of_the_watches_says_what_it_holds_instead() -> None:
    listing = read(HEADER + f"1,Lamp,{HERE},19.90 EUR\n", frozenset({"rival.example/p/kettle"}))

    assert listing.problem is None
    assert listing.warnings == (f"of its products, 1 in all, none is watched; its first is {HERE}",)


def test_a_last_row_that_may_be_cut_off_is_left_out_where_nothing_tells_the_end() -> None:
    rows = HEADER + f"1,Lamp,{HERE},19.90 EUR\n2,Kettle,{HERE}-2,1"
    cut = read(rows)
    whole = ADAPTERS["feed"].read(Answer(rows.encode(), NIGHT, headers={"content-length": str(len(rows))}))

    assert [item.title for item in cut.items] == ["Lamp"]
    assert cut.loss == "its last line has no end and may be cut off; left out"
    assert [item.title for item in whole.items] == ["Lamp", "Kettle"]


@pytest.mark.parametrize(
    "table",
    [
        HEADER + ",,,\n" * 1_250_000,
        HEADER + "1\n" * 2_500_000,
        HEADER + '"""1,",2\n' * 500_000,
        "id," * 1_600_000,
        "\t,;|~" * 1_000_000,
        HEADER + f"1,Lamp,{HERE},19.90 EUR\n" * 100_000,
    ],
    ids=["empty cells", "short lines", "quotes", "columns", "separators", "rows"],
)
def test_a_table_of_five_megabytes_takes_a_second_or_two_at_most(table: str) -> None:
    begun = time.process_time()
    read(table, frozenset({"rival.example/p/kettle"}))

    assert time.process_time() - begun < 2  # the worst took eight, the usual table one and a half

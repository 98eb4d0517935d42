"""The operator's CSV files: what is read, and that everything wrong is named with its line."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.domain.catalogue import MatchState, Product, Watch
from monitor.domain.catalogue_file import PRODUCTS, WATCHES, read_products, read_watches
from monitor.domain.csv_merge import Difference, changes, merged_text
from monitor.domain.csv_table import Form, read_table, table_text


def products(text: str | bytes):
    return read_products(text if isinstance(text, bytes) else text.encode(), "catalogue.csv", "EUR")


def watches(text: str):
    return read_watches(text.encode(), "watches.csv")


def test_a_full_row_becomes_a_product():
    header = ",".join(PRODUCTS.columns)
    row = (
        'TR-41,"Boot, 41",Grat,Boots,core;outdoor,4006381333931,GR-1,CHF,129.00,139.00,61.505,99,149.00,110.00,159.00,'
        "4.90,2,pair,3.5,-2,https://brand.example/b,boots,yes,Brown;41,no"
    )

    read = products(f"{header}\n{row}\n")

    assert read.problems == ()
    assert [row.value for row in read.values] == [
        Product(
            sku="TR-41",
            title="Boot, 41",
            brand="Grat",
            category="Boots",
            tags=("core", "outdoor"),
            gtin="4006381333931",
            mpn="GR-1",
            currency="CHF",
            price=Decimal(129),
            compare_at=Decimal(139),
            cost=Decimal("61.505"),
            min_price=Decimal(99),
            max_price=Decimal(149),
            map=Decimal(110),
            msrp=Decimal(159),
            shipping=Decimal("4.90"),
            units=2,
            unit_kind="pair",
            weekly_units=Decimal("3.5"),
            stock=-2,
            url="https://brand.example/b",
            price_group="boots",
            locked=True,
            options=("Brown", "41"),
            active=False,
        )
    ]


def test_empty_cells_take_the_defaults_and_the_currency_of_the_shop():
    read = products("sku,title,price,currency,units,locked\nA,Boot,5,,,\n")

    assert [row.value for row in read.values] == [Product(sku="A", title="Boot", currency="EUR", price=Decimal(5))]


@pytest.mark.parametrize("prefix", [b"", b"\xef\xbb\xbf"], ids=["plain", "with byte order mark"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_utf8_is_read_with_or_without_a_byte_order_mark(prefix, newline):
    read = products(prefix + newline.join(["sku,title,price", "A,Löffel,5", ""]).encode())

    assert (read.problems, read.values[0].value.title) == ((), "Löffel")


@pytest.mark.parametrize(
    ("typed", "title"),
    [
        ("Trail\u00adBoot 5\u00a0kg", "TrailBoot 5 kg"),  # a soft hyphen and a space that does not break
        ("\ufeffBoot\u200b \u202e41", "Boot 41"),
        ("Mug \U0001f468\u200d\U0001f469", "Mug \U0001f468\u200d\U0001f469"),  # one sign, joined
        ("\u0645\u06cc\u200c\u062e\u0648", "\u0645\u06cc\u200c\u062e\u0648"),
    ],
)
def test_what_nobody_sees_in_a_title_is_left_out_and_what_joins_its_letters_stays(typed, title):
    read = products(f"sku,title,price\nA,{typed},5\n")

    assert (read.problems, read.values[0].value.title) == ((), title)


def test_line_breaks_inside_quotes_and_blank_lines_keep_the_line_numbers_right():
    read = products('sku,title,price\nA,"a\nb\nc",1\n\nB,b,"x"\n')

    assert read.values[0].value.title == "a b c"
    assert read.problems == (
        "catalogue.csv, line 6, price: 'x' is not an amount; write digits with a dot before the decimals and no "
        "thousands separator, for example 1249.90",
    )


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ('A,t,"12,90"', "line 2, price: '12,90' is not an amount"),
        ("A,t,12,90", "line 2: 4 cells where the header names 3 columns"),
        ("A,t", "line 2: 2 cells where the header names 3 columns"),
        ("A,t,1.234", "price: 1.234 has more decimals than EUR has (2)"),
        ("A,t,0", "price: 0 is not above zero"),
        ("A,t,-5", "price: -5 is not above zero"),
        ("A,t,1e3", "'1e3' is not an amount"),
        ("A,t,12 €", "'12 €' is not an amount"),
        ("A,t,", "price: the cell is empty"),
        (",t,5", "sku: the cell is empty"),
        ("A,t\x07,5", "holds characters that cannot be printed"),
        ("A,\u200b,5", "holds characters that cannot be printed"),
        ("A\u200b,t,5", "is not a key"),
    ],
)
def test_a_wrong_row_is_named_with_what_is_accepted(row, expected):
    (problem,) = products(f"sku,title,price\n{row}\n").problems

    assert expected in problem


@pytest.mark.parametrize(
    ("column", "cell", "expected"),
    [
        ("currency", "€", "'€' is not a currency; write its ISO 4217 code"),
        ("currency", "eur", "'eur' is not a currency, did you mean 'EUR'?"),
        ("gtin", "4006381333932", "write 8, 12, 13 or 14 digits with a right check digit"),
        ("gtin", "4.00638E+12", "was rounded by a spreadsheet and its digits are lost"),
        ("gtin", "36000291452", "did a spreadsheet drop the zero of '036000291452'?"),
        ("units", "0", "'0' is not a whole number from 1"),
        ("units", "1.5", "'1.5' is not a whole number"),
        ("stock", "many", "'many' is not a whole number"),
        ("locked", "maybe", "'maybe' is neither true nor false"),
        ("url", "brand.example", "'brand.example' is not a web address"),
        ("url", "https://me@brand.example", "holds a user name"),
        ("cost", "-1", "cost: -1 is below zero"),
        ("min_price", "11", "min_price: 11 is above max_price 10"),
        ("compare_at", "10.999", "compare_at: 10.999 has more decimals"),
    ],
)
def test_a_wrong_cell_is_named_with_its_column(column, cell, expected):
    extra = ",max_price\n" if column == "min_price" else "\n"
    value = ",10\n" if column == "min_price" else "\n"
    (problem,) = products(f"sku,title,price,{column}{extra}A,t,5,{cell}{value}").problems

    assert problem.startswith(f"catalogue.csv, line 2, {column}: ")
    assert expected in problem


def test_yen_have_no_decimals_and_dinars_have_three():
    read = products("sku,title,price,currency\nA,a,100.5,JPY\nB,b,1.005,KWD\nC,c,100.00,JPY\n")

    assert [problem.partition(": ")[0] for problem in read.problems] == ["catalogue.csv, line 2, price"]


def test_everything_wrong_with_a_file_is_named_at_once():
    read = products('sku,title,price,gtin,locked\nA,a,5,,\nA,b,"5,5",123,x\n,c,,,\n')

    assert [problem.split(": ")[0] for problem in read.problems] == [
        "catalogue.csv, line 3, price",
        "catalogue.csv, line 3, gtin",
        "catalogue.csv, line 3, locked",
        "catalogue.csv, line 3, sku",
        "catalogue.csv, line 4, sku",
        "catalogue.csv, line 4, price",
    ]
    assert "'A' is already in line 2" in read.problems[3]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"", "line 1: the file is empty; its first line must name the columns, at least sku, title, price"),
        (b"sku;title;price\n", "line 1: the columns are separated by ';'"),
        (b"sku,titel,title,price\n", "unknown column 'titel', did you mean 'title'?"),
        (b"sku,title\n", "the column 'price' is missing"),
        (b"sku,title,price,sku\n", "the column 'sku' is there twice"),
        ("sku,title,price\nA,Löffel,5\n".encode("cp1252"), "line 2: the file is not UTF-8 (byte 0xf6"),
        ("sku,title,price\n".encode("utf-16"), "the file is UTF-16; save it as UTF-8"),
        (b'sku,title,price\nA,a,5\nB,"b,5\n', "line 3: the quotes of this record are not right"),
        (b"sku,title,price\nA,a\x00,5\n", "line 2, title: 'a\\x00' holds characters that cannot be printed"),
    ],
)
def test_a_file_that_is_no_such_table_is_refused_with_the_reason(body, expected):
    assert expected in products(body).problems[0]


def test_a_watch_that_a_person_entered_is_confirmed():
    read = watches("competitor,sku,url\nacme,A,https://acme.example/a\n")

    assert [row.value for row in read.values] == [Watch("acme", "A", "https://acme.example/a", MatchState.CONFIRMED)]


def test_a_product_is_watched_once_per_competitor():
    header = ",".join(WATCHES.columns)
    read = watches(
        f"{header}\nacme,A,https://a.example,sugested,,,\nacme,A,https://b.example,,,,12\nglobex,A,https://c.example,,,,\n"
    )

    assert [problem.split(";")[0] for problem in read.problems] == [
        "watches.csv, line 2, match: 'sugested' is not a match state, did you mean 'suggested'?",
        "watches.csv, line 3, their_gtin: '12' is not a GTIN",
        "watches.csv, line 3, competitor: 'acme/A' is already in line 2",
    ]


_CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00\r"), max_size=8)


@given(st.lists(st.tuples(_CELLS, _CELLS), max_size=4))
def test_what_is_written_as_a_table_is_read_back(pairs):
    form = Form(("a", "b"), ("a",))
    rows = [{"a": a.strip(), "b": b.strip()} for a, b in pairs if a.strip() or b.strip()]

    table = read_table(table_text(form.columns, rows).encode(), "t.csv", form)

    assert table.problems == ()
    assert [dict(row.cells) for row in table.rows] == rows


def test_a_lone_carriage_return_in_a_cell_does_not_break_its_row():
    table = read_table(table_text(("a", "b"), [{"a": "x\ry", "b": "1"}]).encode(), "t.csv", Form(("a", "b"), ()))

    assert [dict(row.cells) for row in table.rows] == [{"a": "x\ny", "b": "1"}]


def merged(current: str, incoming: str) -> str:
    tables = [read_table(text.encode(), "t.csv", PRODUCTS) for text in (current, incoming)]
    return merged_text(*tables, ("sku",), PRODUCTS.columns)


def test_a_merge_keeps_what_it_does_not_mention_and_puts_new_rows_last():
    text = merged(
        "sku,title,price,cost\nA,a,5,2\nB,b,6,3\n",
        "sku,title,price,brand\nC,c,7,Grat\nA,a,5.50,\n",
    )

    assert text == "sku,title,price,cost,brand\nA,a,5.50,2,\nB,b,6,3,\nC,c,7,,Grat\n"


def test_an_empty_cell_overwrites_and_a_missing_column_does_not():
    text = merged("sku,title,price,cost,brand\nA,a,5,2,Grat\n", "sku,title,price,cost\nA,a,5,\n")

    assert text == "sku,title,price,cost,brand\nA,a,5,,Grat\n"


def test_merging_twice_is_merging_once():
    current, incoming = "sku,title,price\nA,a,5\n", "sku,title,price,cost\nB,b,6,1\nA,x,4,\n"

    once = merged(current, incoming)

    assert merged(once, incoming) == once


def test_the_same_amount_written_differently_is_no_change():
    def values(text: str):
        return {row.value.sku: row.value for row in products(text).values}

    before = values("sku,title,price\nA,a,5.00\nB,b,6\nD,d,1\n")
    after = values("sku,title,price\nA,a,5\nB,b,7\nC,c,8\nD,d,1\n")

    found = changes(before, after, ["A", "B", "C"])

    assert (found.added, found.unchanged) == (("C",), ("A",))
    assert found.changed == {"B": (Difference("price", Decimal(6), Decimal(7)),)}
    assert not found.is_empty

"""Shop exports as tables: encodings, separators, amounts, and what an export of each program says."""

import codecs
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.domain.intake import Asked, Kind, read_catalogue_file
from monitor.domain.intake.amounts import UnclearAmount, amount, decimal_sign, stated
from monitor.domain.intake.sheet import normal, read_sheet

TODAY = date(2026, 11, 29)


def read(text: str | bytes, **asked):
    body = text if isinstance(text, bytes) else text.encode()
    return read_catalogue_file(body, "export.csv", Asked(**{"currency": "EUR", "today": TODAY, **asked}))


def keys(intake):
    return [each.key for each in intake.listed]


def prices(intake):
    return [each.facts.get("price") for each in intake.listed]


SHOPIFY = (
    "Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price,Variant Compare At Price,Image Src,Status\n"
)
CURRENT = "Title,URL handle,Status,SKU,Option1 name,Option1 value,Price,Compare-at price,Cost per item\n"
WOO = "ID,Type,SKU,Name,Published,In stock?,Stock,Sale price,Regular price,Categories,Parent\n"


# Shopify


def test_rows_of_one_handle_share_what_stands_on_its_first_row():
    intake = read(SHOPIFY + "cup,Cup,Size,S,CUP-S,9.50,,,active\ncup,,,L,CUP-L,11,12.00,https://i.example/2.jpg,\n")

    assert (intake.problems, intake.kind, "legacy" in intake.form) == ((), Kind.SHOPIFY, True)
    assert [(each.key, each.record, each.facts["title"], each.facts["options"]) for each in intake.listed] == [
        ("CUP-S", 2, "Cup", ("S",)),
        ("CUP-L", 3, "Cup", ("L",)),
    ]
    assert [(each.facts["price"], each.facts["compare_at"]) for each in intake.listed] == [
        (Decimal("9.5"), None),
        (Decimal(11), Decimal(12)),
    ]


def test_the_current_headers_are_the_other_generation():
    intake = read(CURRENT + "Cup,cup,Active,CUP-S,Size,S,9.50,,4.10\n,cup,,CUP-L,,L,11,,\n")

    assert "current" in intake.form
    assert [(each.key, each.facts["title"], each.facts.get("cost")) for each in intake.listed] == [
        ("CUP-S", "Cup", Decimal("4.1")),
        ("CUP-L", "Cup", None),
    ]


def test_a_row_with_only_an_image_is_no_variant():
    intake = read(
        SHOPIFY + "cup,Cup,Title,Default Title,,9,,https://i.example/1.jpg,active\ncup,,,,,,,https://i.example/2.jpg,\n"
    )

    assert (keys(intake), intake.image_rows) == (["cup"], 1)


def test_a_row_that_says_nothing_is_left_out_by_name():
    (row,) = read(SHOPIFY + "cup,Cup,Title,Default Title,,9,,,active\ncup,,,,,,,,\n").left_out

    assert (row.record, row.name, row.reason) == (3, "cup", "has neither price, SKU nor option")


def test_without_a_sku_handle_and_option_are_the_key():
    intake = read(SHOPIFY + "cup,Cup,Size,S,,9,,,active\ncup,,,L,,9,,,\npot,Pot,Title,Default Title,,5,,,active\n")

    assert keys(intake) == ["cup/S", "cup/L", "pot"]


def test_a_sku_that_several_share_is_nobodys_key():
    intake = read(SHOPIFY + "a,A,,Red,'111,9,,,active\nb,B,,Red,'111,9,,,active\nc,C,,Red,X1,9,,,active\n")

    assert keys(intake) == ["a/Red", "b/Red", "X1"]
    assert any("2 variants share the SKU '111'" in note for note in intake.notes)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("cup,Cup,,S,A,9,,,draft", "is a draft"),
        ("cup,Cup,,S,A,9,,,Archived", "is archived"),
        ("cup,Cup,,S,A,0.00,9.00,,active", "costs 0.00 EUR: given away, not a price to compete with"),
        ("cup,Cup,,S,A,,,,active", "has no price"),
    ],
)
def test_what_nobody_can_buy_is_listed_with_the_reason(row, reason):
    (each,) = read(SHOPIFY + row + "\n").listed

    assert each.not_sold == reason


def test_variants_inherit_that_their_product_is_archived():
    intake = read(SHOPIFY + "cup,Cup,,S,A,9,,,archived\ncup,,,L,B,9,,,\n")

    assert [each.not_sold for each in intake.listed] == ["is archived", "is archived"]


def test_without_a_status_column_nothing_is_a_draft():
    intake = read("Handle,Title,Option1 Value,Variant Price\ncup,Cup,S,9\n")

    assert [each.not_sold for each in intake.listed] == [None]


def test_an_unknown_status_is_a_problem():
    (problem,) = read(SHOPIFY + "cup,Cup,,S,A,9,,,sold\n").problems

    assert (
        problem
        == "export.csv, line 2, Status: 'sold' is no status of Shopify; write active, draft, archived or unlisted"
    )


def test_prices_of_other_markets_are_not_the_price():
    text = "Handle,Title,Option1 Value,Variant Price,Price / Sweden,Compare At Price / Sweden\ncup,Cup,S,9,99.00,120\n"
    intake = read(text)

    assert prices(intake) == [Decimal(9)]
    assert "2 columns of market prices were not read (Price / Sweden and so on)" in intake.notes


def test_a_compare_at_price_of_zero_is_none():
    assert read(SHOPIFY + "cup,Cup,,S,A,9,0.00,,active\n").listed[0].facts["compare_at"] is None


def test_a_spreadsheets_apostrophe_is_no_part_of_a_barcode():
    header = "Handle,Title,Option1 Value,Variant SKU,Variant Price,Variant Barcode\n"
    intake = read(header + "cup,Cup,S,A,9,'4006381333931\npot,Pot,S,B,9,12345\n")

    assert [each.facts.get("gtin") for each in intake.listed] == ["4006381333931", None]
    assert intake.listed[1].remarks[0].startswith("barcode not taken: '12345' is not a GTIN")


@pytest.mark.parametrize(
    ("policy", "tracker", "stock"), [("deny", "shopify", 0), ("continue", "shopify", None), ("deny", "", None)]
)
def test_stock_counts_only_where_it_ends_the_sale(policy, tracker, stock):
    header = (
        "Handle,Title,Option1 Value,Variant Price,Variant Inventory "
        "Qty,Variant Inventory Policy,Variant Inventory Tracker\n"
    )

    assert read(header + f"cup,Cup,S,9,0,{policy},{tracker}\n").listed[0].facts["stock"] == stock


def test_html_and_line_breaks_in_cells_break_nothing():
    text = (
        "Handle,Title,Body (HTML),Option1 Value,Variant Price\r\ncup,"
        '"Cup &amp; <b>Co</b>","<p>a\n\n""b"", c</p>",S,9\r\n'
    )
    intake = read(text)

    assert (intake.listed[0].facts["title"].split(), prices(intake)) == (["Cup", "&", "Co"], [Decimal(9)])


def test_a_handle_of_any_length_gives_a_key_that_fits():
    intake = read(SHOPIFY + f"{'h' * 200},Cup,,S,,9,,,active\n{'h' * 200},,,L,,9,,,\n")

    assert [len(key) for key in keys(intake)] == [100, 100]
    assert len(set(keys(intake))) == 2


# WooCommerce


def test_a_variation_takes_from_its_parent_what_it_leaves_empty():
    intake = read(
        WOO
        + "10,variable,TEE,Tee,1,1,,,,Clothing > Tees,\n11,variation,TEE-R,Tee - Red,1,1,3,8,10,,TEE\n"
        + '12,variation,,Tee - Blue,1,0,,,"10",,id:10\n20,grouped,G,All,1,1,,,,,\n'
    )

    assert [(each.key, each.facts["category"], each.facts["stock"]) for each in intake.listed] == [
        ("TEE-R", "Tees", 3),
        ("12", "Tees", 0),
    ]
    assert [(each.facts["price"], each.facts["compare_at"]) for each in intake.listed] == [
        (Decimal(8), Decimal(10)),
        (Decimal(10), None),
    ]
    assert [(row.name, row.reason) for row in intake.left_out] == [
        ("Tee", "is the frame of its variations"),
        ("All", "is a group of other products"),
    ]


def test_a_variation_of_an_unpublished_product_is_not_for_sale():
    intake = read(
        WOO + "10,variable,TEE,Tee,-1,1,,,,,\n11,variation,A,Tee - Red,1,1,,,10,,id:10\n12,simple,B,Cup,'-1,1,,,3,,\n"
    )

    assert [each.not_sold for each in intake.listed] == ["is a draft (not published)"] * 2


def test_a_type_can_be_a_list_and_an_external_product_is_sold():
    intake = read(WOO + '1,"simple, downloadable, virtual",A,Song,1,1,,,3,,\n2,external,B,Gift,1,1,,,30,,\n')

    assert prices(intake) == [Decimal(3), Decimal(30)]


@pytest.mark.parametrize(
    "header",
    [
        "ID,Typ,Artikelnummer,Name,Veröffentlicht,Vorrätig?,Bestand,Angebotspreis,Regulärer "
        "Preis,Kategorien,Übergeordnetes Produkt",
        "ID,Type,UGS,Nom,Publié,En stock ?,Stock,Tarif promo,Tarif régulier,Catégories,Parent",
        "ID,Tipo,SKU,Nombre,Publicado,¿En inventario?,Inventario,Precio rebajado,Precio normal,Categorías,Superior",
        "ID,Tipo,COD,Nome,Pubblicato,In stock?,Magazzino,Prezzo in offerta,Prezzo di listino,Categorie,Genitore",
        "ID,Type,Artikelnummer,Naam,Gepubliceerd,Op voorraad?,Voorraad,Actieprijs,Reguliere prijs,Categorieën,Hoofd",
        "ID,Тип,Артикул,Имя,Опубликован,В наличии?,Запасы,Акционная цена,Базовая цена,Категории,Родительский",
        "ID,Typ,SKU,Nazwa,Opublikowano,Na stanie?,Magazyn,Cena promocyjna,Cena regularna,Kategorie,Rodzic",
        "ID,Rodzaj,SKU,Nazwa,Opublikowano,W magazynie?,Stan magazynowy,Cena promocyjna,Cena,Kategorie,"
        "Element nadrzędny",
        "ID,Typ,Artikelnummer (SKU),Name,Veröffentlicht,Vorrätig?,Lager,Angebotspreis,Regulärer Preis,Kategorien,"
        "Übergeordnet",
        "ID,Tipo,REF,Nome,Publicado,Em estoque?,Estoque,Preço promocional,Preço,Categorias,Produto ascendente",
    ],
    ids=["de", "fr", "es", "it", "nl", "ru", "pl", "pl-cena", "de-sku", "pt-br"],
)
def test_headers_are_known_in_the_language_of_the_shop(header):
    intake = read(f'{header}\n5,simple,A-1,Tasse,1,1,4,"7,5","12,95",Küche > Tassen,\n')

    assert intake.problems == ()
    assert (keys(intake), prices(intake), intake.listed[0].facts["compare_at"]) == (
        ["A-1"],
        [Decimal("7.5")],
        Decimal("12.95"),
    )
    assert (intake.listed[0].facts["category"], intake.listed[0].facts["stock"]) == ("Tassen", 4)


def test_a_column_of_just_prices_gives_way_to_the_regular_price():
    intake = read("ID,SKU,Název,Cena,Běžná cena\n5,A-1,Hrnek,7,12\n")

    assert (intake.problems, prices(intake)) == ((), [Decimal(12)])


def test_a_header_that_begins_like_an_archive_is_none():
    assert read("PK,SKU,Name,Regular price\n1,A,Cup,5\n").problems == ()


def test_a_header_in_another_language_is_named_by_whoever_imports():
    text = "ID,Cineál,SKU,Ainm,Gnáthphraghas\n5,simple,A-1,Cup,12.95\n"

    assert "columns are of no form that is known" in read(text).problems[0]
    intake = read(text, columns={"name": "Ainm", "regular_price": "Gnáthphraghas", "type": "Cineál"})
    assert (intake.problems, keys(intake), prices(intake)) == ((), ["A-1"], [Decimal("12.95")])


def test_each_column_has_its_own_decimal_sign():
    intake = read(
        'ID,SKU,Name,Regular price,Meta: _cost_per_item\n1,A,Cup,"5,5",3.03\n2,B,Pot,"742,50",\n3,C,Lid,12,1.5\n'
    )

    assert prices(intake) == [Decimal("5.5"), Decimal("742.5"), Decimal(12)]
    assert [each.facts.get("cost") for each in intake.listed] == [Decimal("3.03"), None, Decimal("1.5")]


def test_amounts_that_can_be_read_in_two_ways_are_asked_about():
    text = 'ID,SKU,Name,Regular price\n1,A,Cup,"1.234"\n'

    assert read(text).problems[0] == (
        "export.csv, line 2, regular_price, sale_price: '1.234' can be read in two ways; say --decimal comma or "
        "--decimal point"
    )
    assert prices(read(text, decimal=",")) == [Decimal(1234)]


def test_two_signs_in_one_column_name_both_lines():
    (problem,) = read('ID,SKU,Name,Regular price\n1,A,Cup,"5,5"\n2,B,Pot,5.5\n').problems

    assert "'5,5' in line 2 and '5.5' in line 3 use different decimal signs" in problem


def test_a_price_finer_than_its_currency_is_no_price_of_a_shop_window():
    (each,) = read("ID,SKU,Name,Regular price\n1,A,Cup,8.403361\n").listed

    assert each.not_sold == "its price 8.403361 has more decimals than EUR has; a price without tax?"


@pytest.mark.parametrize(
    ("start", "end", "price"),
    [
        ("", "", 8),
        ("2026-11-29", "2026-11-29", 8),
        ("2026-11-30", "", 10),
        ("", "2026-11-28 23:59:59", 10),
    ],
)
def test_a_sale_counts_on_its_days(start, end, price):
    header = "ID,SKU,Name,Date sale price starts,Date sale price ends,Sale price,Regular price\n"

    assert prices(read(header + f"1,A,Cup,{start},{end},8,10\n")) == [Decimal(price)]


def test_a_day_that_cannot_be_read_limits_no_sale_and_is_told():
    header = "ID,SKU,Name,Date sale price starts,Date sale price ends,Sale price,Regular price\n"
    (each,) = read(header + "1,A,Cup,2026-11-01,28.11.2026,8,10\n").listed

    assert each.facts["price"] == Decimal(8)
    assert each.remarks == ("'28.11.2026' is no day of the form 2026-12-05, so the sale was taken to be on",)


@pytest.mark.parametrize(("column", "is_told"), [("Ab wann", True), ("Datum, an dem der Angebotspreis beginnt", False)])
def test_sales_without_a_known_column_of_days_are_told(column, is_told):
    notes = read(f'ID,SKU,Name,"{column}",Sale price,Regular price\n1,A,Cup,,8,10\n').notes

    assert any("no column of it is known to hold the days of sales" in note for note in notes) is is_told


def test_a_barcode_in_the_column_of_prices_is_no_price():
    (each,) = read("ID,SKU,Name,Regular price\n1,A,Cup,840222306876\n").listed

    assert each.not_sold == "its price 840222306876 is as long as a barcode; is it in the right column?"


def test_a_sale_price_that_is_not_lower_is_none():
    (each,) = read("ID,SKU,Name,Sale price,Regular price\n1,A,Cup,12,10\n").listed

    assert (each.facts["price"], each.facts["compare_at"]) == (Decimal(10), None)
    assert each.remarks == ("sale price 12 is not below the regular 10, so it was not taken for a sale",)


def test_options_of_a_variation_stand_in_its_attribute_columns():
    header = (
        "ID,Type,SKU,Name,Regular price,Parent,Download 1 name,Download 1 URL,Attribute 1 name,Attribute 1 value(s),"
        "Attribute 1 visible,Attribute 1 global,Attribute 2 name,Attribute 2 value(s),Attribute 2 visible,Attribute "
        "2 global\n"
    )
    intake = read(header + '1,variation,A,Tee,10,,,,Colour,Red,1,1,Note,"Soft\\, light",1,0\n')

    assert intake.listed[0].facts["options"] == ("Red", "Soft, light")


def test_ids_and_skus_that_look_like_numbers_stay_text():
    assert keys(read("ID,SKU,Name,Regular price\n1,077533394623,Cup,5\n2,0042950e0824,Pot,5\n")) == [
        "077533394623",
        "0042950e0824",
    ]


def test_a_row_with_neither_sku_nor_id_is_a_problem():
    (problem,) = read("ID,SKU,Name,Regular price\n,,Cup,5\n").problems

    assert problem.startswith("export.csv, line 2: neither a SKU that is unique nor an ID")


# Tables


def test_a_byte_order_mark_after_blank_space_is_found_as_well():
    assert keys(read("\n\t\ufeffID,SKU,Name,Regular price\n40,,Cup,5\n")) == ["40"]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_the_separator_is_seen_from_the_header(separator, ends):
    rows = ["ID,SKU,Name,Regular price", "1,A,Löffel,5.50"]
    sheet = read_sheet(ends.join(rows).replace(",", separator).encode(), "t", None)

    assert (sheet.separator, sheet.records[0].cells, sheet.problems) == (separator, ("1", "A", "Löffel", "5.50"), ())


def test_a_spreadsheets_sep_line_is_no_header():
    assert prices(read('sep=;\nID;SKU;Name;Regular price\n1;A;Cup;"5,50"\n')) == [Decimal("5.5")]


@pytest.mark.parametrize(
    "body",
    [
        codecs.BOM_UTF16_LE + "ID,SKU,Name,Regular price\n1,A,Löffel,5\n".encode("utf-16-le"),
        codecs.BOM_UTF16_BE + "ID,SKU,Name,Regular price\n1,A,Löffel,5\n".encode("utf-16-be"),
        codecs.BOM_UTF8 + "ID,SKU,Name,Regular price\n1,A,Löffel,5\n".encode(),
        "ID,SKU,Name,Regular price\n1,A,Löffel,5\n".encode("cp1252"),
    ],
    ids=["utf-16-le", "utf-16-be", "utf-8-sig", "windows-1252"],
)
def test_encodings_that_can_be_told_are_told(body):
    assert read(body).listed[0].facts["title"] == "Löffel"


def test_windows_1252_is_noted_with_a_word_to_check():
    notes = read("ID,SKU,Name,Regular price\n1,A,Löffel,5\n".encode("cp1252")).notes

    assert (
        notes[0] == "export.csv is not UTF-8 and was read as Windows-1252 ('Löffel'); if that is wrong, say --encoding"
    )


def test_an_encoding_that_cannot_be_told_is_asked_for():
    body = "ID,SKU,Name,Regular price\n1,A,Ложка,5\n".encode("cp1251")

    assert "line 2: the file is not UTF-8" in read(body).problems[0]
    assert read(body, encoding="windows-1251").listed[0].facts["title"] == "Ложка"
    assert "there is no encoding 'klingon'" in read(body, encoding="klingon").problems[0]


@pytest.mark.parametrize("form", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_asked_for_by_the_name_that_fits(form):
    body = "ID,SKU,Name,Regular price\n1,A,Löffel,5\n".encode(form)

    (problem,) = read(body).problems[:1]
    assert problem.endswith(f"say --encoding {form}")
    assert read(body, encoding=form).listed[0].facts["title"] == "Löffel"


@pytest.mark.parametrize("word", ["Półka", "Kłódka na żyłkę", "Stolička s poťahom žltá", "Małe krzesło"])
def test_polish_and_slovak_in_windows_1250_are_not_taken_for_western_words(word):
    body = f"ID,SKU,Name,Regular price\n1,A,{word},5\n".encode("cp1250")

    assert "--encoding windows-1250" in read(body).problems[0]
    assert read(body, encoding="windows-1250").listed[0].facts["title"] == word


def test_a_missing_last_cell_is_empty_and_two_are_a_fault():
    header = "ID,SKU,Name,Regular price,Categories,Tags\n"

    assert read(header + "1,A,Cup,5,Kitchen\n2,B,Pot,5,Kitchen,new\n").problems == ()
    assert read(header + "1,A,Cup,5\n2,B,Pot,5,Kitchen,new\n").problems == (
        "export.csv, line 2: 4 cells where the header names 6 columns",
    )


@pytest.mark.parametrize(
    ("cut", "words"),
    [
        (
            "1,A,Cup,5,Kitchen,new\n2,B,Pot,5",
            "line 3: 4 cells where the header names 6 columns; the file seems to be cut off",
        ),
        ('1,A,Cup,5,Kitchen,new\n2,B,"Pot', "line 3: the record that begins here does not end as it should"),
    ],
)
def test_a_file_that_was_cut_off_is_refused_whole(cut, words):
    problems = read("ID,SKU,Name,Regular price,Categories,Tags\n" + cut).problems

    assert any(words in problem for problem in problems)


def test_cells_beyond_the_header_are_a_fault_unless_empty():
    assert read("ID,SKU,Name,Regular price\n1,A,Cup,5,,\n").problems == ()
    assert "5 cells where the header names 4" in read("ID,SKU,Name,Regular price\n1,A,Cup,5,90\n").problems[0]


def test_everything_wrong_is_named_at_once():
    problems = read(SHOPIFY + "cup,Cup,,S,A,nine,,,active\n,Pot,,S,B,5,,,active\nlid,Lid,,S,C,5,,,gone\n").problems

    assert sorted(problem.split(": ")[0] for problem in problems) == [
        "export.csv, line 2, price",
        "export.csv, line 3, Handle",
        "export.csv, line 4, Status",
    ]


def test_a_key_that_stands_twice_with_other_content_names_both_lines():
    text = SHOPIFY + "cup,Cup,,S,,9,,,active\ncup,,,S,,8,,,\n"

    assert read(text).problems == (
        "export.csv, line 3: 'cup/S' is already in line 2, with other content; keep one of the two",
    )


def test_a_file_of_no_known_form_names_the_forms():
    (problem,) = read("colour,taste\nred,sweet\n").problems

    assert problem.startswith("export.csv, line 1: the columns are of no form that is known: 'colour', 'taste'.")


def test_two_columns_of_one_price_are_a_problem_and_two_of_a_plug_in_are_not():
    twice = "ID,SKU,Name,Regular price,Regulärer Preis\n1,A,Cup,5,6\n"
    metas = "ID,SKU,Name,Regular price,Meta: _ean,Meta: _gtin\n1,A,Cup,5,4006381333931,\n"

    assert read(twice).problems == (
        "export.csv, line 1: 'Regulärer Preis' and 'Regular price' mean the same; remove one of them",
    )
    assert read(metas).listed[0].facts["gtin"] == "4006381333931"


def test_our_own_form_keeps_its_own_strict_reader():
    assert read("sku,title,price\nA,Cup,5.00\n").kind is Kind.OWN
    assert "unknown column 'titel', did you mean 'title'?" in read("sku,titel,price\nA,Cup,5.00\n").problems[0]


@pytest.mark.parametrize(
    ("text", "number", "currency"),
    [
        ("15.00 USD", "15.00", "USD"),
        ("EUR 15,00", "15,00", "EUR"),
        ("7900 SEK", "7900", "SEK"),
        ("1 299,00 €", "1299,00", "EUR"),
        ("1’299.50CHF", "1299.50", "CHF"),
        ("-5", "-5", None),
    ],
)
def test_an_amount_can_name_its_currency(text, number, currency):
    assert (stated(text).number, stated(text).currency) == (number, currency)


@pytest.mark.parametrize("text", ["nine", "5 XQQ", "5.00.", "1e3", "$5", "5 EUR USD", "٣", "1 29,00"])
def test_what_is_no_amount_is_refused(text):
    with pytest.raises(UnclearAmount):
        stated(text)


@given(st.decimals(min_value=0, max_value=10**9, places=2), st.sampled_from([".", ","]), st.booleans())
def test_an_amount_written_with_a_sign_comes_back_exactly(value, sign, grouped):
    text = f"{value:,.2f}" if grouped else f"{value:.2f}"
    text = text.translate(str.maketrans(",.", ".,")) if sign == "," else text

    assert decimal_sign([(2, text)], None) == sign
    assert amount(text, sign) == value


def test_a_header_is_compared_without_what_programs_change():
    assert normal("\ufeffRegular  price ") == "regular price"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"PK\x03\x04\x14\x00\x06\x00", "a workbook or a zip archive; save the sheet as CSV (UTF-8), or unpack it"),
        (b"\x1f\x8b\x08\x00", "packed with gzip; unpack it first"),
        (b"%PDF-1.4\n%\xe2\xe3", "a PDF; export a CSV or a feed instead"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "an old workbook (.xls); save the sheet as CSV (UTF-8)"),
        (b"", "empty; export it again"),
        (b"\n\n", "empty; export it again"),
    ],
)
def test_what_is_no_table_at_all_is_called_by_its_name_and_no_more_is_said(body, said):
    assert read(body).problems == (f"export.csv is {said}",)


def test_a_byte_that_stands_in_no_text_is_named_with_its_line():
    (problem,) = read(b"ID,SKU,Name,Regular price\n1,A,C\0p,5\n").problems

    assert problem == "export.csv, line 2: a byte is 0, which stands in no text. Export the file again"


def test_a_price_below_zero_is_not_called_free():
    (each,) = read("ID,SKU,Name,Regular price\n1,A,Cup,-3\n").listed

    assert each.not_sold == "its price -3.00 EUR is below zero"

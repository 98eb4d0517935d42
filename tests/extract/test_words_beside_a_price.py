"""The words beside a second amount tell what it is: one payment of several, a former price, the same in other money."""

import pytest

from monitor.domain.extraction import Extraction
from monitor.extract import extract

PAGE = """<!DOCTYPE html><html lang="{language}"><head><title>Blue vase</title></head>
<body><main><h1>Blue vase</h1><div>{amounts}</div><button>Add to cart</button></main></body></html>"""


def read(language: str, *amounts: str) -> Extraction:
    lines = "".join(f"<p>{amount}</p>" for amount in amounts)
    page = PAGE.format(language=language, amounts=lines)
    return extract(page.encode(), "https://vase.example/products/blue-vase", "text/html; charset=utf-8")


@pytest.mark.parametrize(
    ("language", "price", "payment"),
    [
        ("ro", "2.199,99 Lei", "sau 12 rate de 183,33 Lei"),
        ("ro", "2.199,99 Lei", "Rate de la 183,33 Lei / luna"),
        ("pl", "2 199,99 zł", "Rata od 83,30 zł"),
        ("it", "499,90 €", "3 rate senza interessi da 166,63 €"),
        ("it", "499,90 €", "Paga in 3 rate con 166,63 €"),
        ("es", "499,90 €", "o 3 pagos de 166,63 €"),
        ("es", "4,999 MXN", "Paga 208 MXN quincenales"),
        ("fr", "499,90 €", "Payez en 4x : 124,98 €"),
        ("fr", "499,90 €", "4 paiements de 124,98 €"),
        ("de", "499,90 €", "ab 23,50 € mtl."),
        ("de", "499,90 €", "oder 24 Raten à 23,50 €"),
        ("de", "499,90 €", "Ratenzahlung ab 23,50 €"),
        ("nl", "499,90 €", "of in 3 delen van € 166,63"),
        ("pt", "R$ 1.299,00", "ou 10 parcelas de R$ 129,90"),
        ("tr", "12.999 TL", "aylık 1.199 TL'den başlayan taksitlerle"),
        ("sr", "49.990 RSD", "12 rata po 4.165 RSD"),
        ("sr", "49.990 RSD", "ili 4.165 RSD mesečno"),
        ("hr", "499,90 €", "već od 23,50 €/mj"),
        ("sl", "499,90 €", "12 obrokov po 41,66 €"),
        ("sl", "499,90 €", "že od 23,50 €/mesec"),
        ("uk", "12 999 ₴", "від 1 083 ₴/міс"),
        ("uk", "12 999 ₴", "12 платежів по 1 083 ₴"),
        ("ru", "12 999 ₽", "4 платежа по 3 249 ₽"),
        ("en", "£499.00", "Pay in 3: £166.33"),
        ("th", "฿12,990", "ผ่อน 10 เดือน ฿1,299"),
    ],
)
def test_one_payment_of_several_is_no_price(language: str, price: str, payment: str) -> None:
    alone = read(language, price)
    assert alone.price is not None

    for found in (read(language, price, payment), read(language, payment, price)):
        assert (found.price, found.list_price) == (alone.price, None)


def test_a_warranty_in_months_makes_no_payment_of_the_price() -> None:
    assert read("th", "รับประกัน 12 เดือน ฿790").price == 790


def test_what_begins_at_an_amount_is_not_counted_in_francs() -> None:
    found = read("sv", "fr. 219 kr/mån", "4 999 kr")

    assert (found.price, found.currency) == (4999, "SEK")
    assert read("de", "Fr. 219.00").currency == "CHF"


@pytest.mark.parametrize(
    ("language", "words", "sign"),
    [
        *(("de", words, "€") for words in ("Neupreis", "Ehemaliger Preis", "Originalpreis:", "Ladenpreis")),
        *(("de", words, "€") for words in ("Herstellerpreis", "unverb. Preisempf.:")),
        *(("nl", words, "€") for words in ("Nieuwprijs", "Normaal", "Oorspronkelijke prijs")),
        *(("fr", words, "€") for words in ("PVC :", "Prix de vente conseillé", "Prix public conseillé", "Avant")),
        *(("fr", words, "€") for words in ("Prix neuf", "Prix de référence :")),
        *(("it", words, "€") for words in ("Prima", "era", "Listino:")),
        ("es", "Precio recomendado:", "€"),
        ("pt", "Preço recomendado:", "€"),
        ("pl", "było", "zł"),
        *(("cs", words, "Kč") for words in ("MOC", "Původně", "bylo", "Před slevou", "Cena před slevou:")),
        ("sk", "Pôvodne", "€"),
        ("hu", "Akció előtti ár", "Ft"),
        ("ro", "Pret intreg", "Lei"),
        *(("sv", words, "kr") for words in ("Förut", "Ord.pris:")),
        ("fi", "Ennen", "€"),
        *(("sr", words, "RSD") for words in ("Redovna cena:", "Ranija cena")),
        ("hr", "Prijašnja cijena", "€"),
        *(("sl", words, "€") for words in ("PMPC", "Prej")),
        *(("ru", words, "₽") for words in ("Было", "до скидки")),
        *(("uk", words, "₴") for words in ("Було", "Ціна без знижки")),
        ("lt", "Buvo", "€"),
        ("lv", "Bija", "€"),
        *(("et", words, "€") for words in ("Enne", "Täishind", "Soovituslik hind")),
        *(("en", words, "€") for words in ("Typical price:", "Non-sale price", "Price when new", "Street price")),
        ("en", "Don’t pay", "€"),
        ("ja", "元の価格", "円"),
        *(("zh", words, "RMB") for words in ("指导价", "零售价", "建議價", "牌價")),
        ("id", "sebelumnya", "EUR"),
        ("ar", "كان", "EUR"),
    ],
)
def test_a_word_of_the_past_or_of_the_maker_names_the_list_price(language: str, words: str, sign: str) -> None:
    found = read(language, f"4990 {sign}", f"{words} 6990 {sign}")

    assert (found.price, found.list_price) == (4990, 6990)


@pytest.mark.parametrize(
    ("language", "price", "other"),
    [
        ("de", "49,90 €", "1 l = 12,90 €"),
        ("fr", "49,90 €", "le kg : 9,98 €"),
        ("it", "49,90 €", "al kg 9,98 €"),
        ("nl", "€ 49,90", "per 100 gram € 0,99"),
        ("sv", "499 kr", "Jämförpris: 99,80 kr"),
        ("sv", "499 kr", "Jmfr pris 99,80 kr"),
        ("da", "499 DKK", "Pr. kg 99,80 DKK"),
        ("el", "49,90 €", "9,98 €/κιλό"),
        ("ko", "49,900원", "100g당 998원"),
        ("cs", "499 Kč", "Recyklační poplatek 5 Kč"),
        ("de", "49,90 €", "Garantieverlängerung 9,99 €"),
        ("el", "49,90 €", "Αντικαταβολή 2,00 €"),
        ("en", "£49.90", "Add a 2-year warranty for £9.99"),
        ("en", "£49.90", "Click & collect £1.50"),
        ("es", "49,90 €", "Canon digital 0,50 €"),
        ("es", "49,90 €", "Garantía extendida 9,99 €"),
        ("fi", "49,90 €", "pantti 0,15 €"),
        ("fr", "49,90 €", "Garantie 2 ans 9,99 €"),
        ("fr", "49,90 €", "Éco-part. : 0,50 €"),
        ("hu", "4 990 Ft", "betétdíj 50 Ft"),
        ("it", "49,90 €", "Contributo RAEE 0,50 €"),
        ("ja", "4,990円", "代引き手数料 330円"),
        ("ja", "4,990円", "長期保証 5年保証 249円"),
        ("nl", "€ 49,90", "Verwijderingsbijdrage € 0,50"),
        ("pl", "49,90 zł", "kaucja 0,50 zł"),
        ("ro", "49,90 Lei", "timbru verde 0,50 Lei"),
        ("ru", "4 990 ₽", "Предоплата 500 ₽"),
        ("nl", "€ 49,90", "Verzendkosten € 4,95"),
        ("ar", "499.00 AED", "التوصيل 15.00 AED"),
        ("ar", "499.00 AED", "شحن مجاني للطلبات فوق 200 AED"),
        ("tr", "499,90 TL", "600 TL üzeri kargo bedava"),
        ("de", "49,90 €", "Du sparst 20 €"),
        ("el", "49,90 €", "Κερδίζετε 20,00 €"),
        ("he", "₪499", "חיסכון ₪200"),
        ("pt", "49,90 €", "Poupa 20,00 €"),
        ("ro", "49,90 Lei", "Economisesti 20,00 Lei"),
        ("ru", "4 990 ₽", "Вы экономите 2 000 ₽"),
        ("sv", "499 kr", "Du sparar 200 kr"),
        ("tr", "499,90 TL", "Kazancınız 200 TL"),
        ("uk", "4 990 ₴", "Вигода 2 000 ₴"),
        ("vi", "499.000₫", "Giảm 200.000₫"),
        ("de", "49,90 €", "30-Tage-Bestpreis: 45,00 €"),
        ("tr", "499,90 TL", "Son 30 günün en düşük fiyatı 450 TL"),
        ("fi", "49,90 €", "Alv 0% 40,24 €"),
        ("cs", "499 Kč", "Klubová cena 449 Kč"),
        ("el", "49,90 €", "Με κωδικό 44,91 €"),
        ("en", "£49.90", "Student price £44.91"),
        ("fr", "49,90 €", "Prix adhérent 44,90 €"),
        ("he", "₪499", "מחיר מועדון ₪449"),
        ("hu", "4 990 Ft", "Kuponnal 4 491 Ft"),
        ("ko", "49,900원", "카드할인가 45,900원"),
        ("ko", "49,900원", "나의 할인가 45,900원"),
        ("pl", "49,90 zł", "Cena klubowa 44,90 zł"),
        ("pt", "49,90 €", "Com cartão 44,90 €"),
        ("pt", "49,90 €", "Aderente: 44,90 €"),
        ("uk", "4 990 ₴", "З карткою 4 490 ₴"),
        ("vi", "499.000₫", "Giá thành viên 449.000₫"),
        ("vi", "499.000₫", "449.000₫ là giá tốt nhất đã áp dụng mã giảm giá"),
        ("cs", "499 Kč", "Použité od 299 Kč"),
        ("fi", "49,90 €", "Käytetty alk. 29,90 €"),
        ("nl", "€ 49,90", "Tweedekans vanaf € 39,00"),
        ("ro", "49,90 Lei", "Resigilat de la 39,90 Lei"),
        ("en", "£49.90", "2 for £90"),
        ("en", "£49.90", "Ext price £499.00"),
        ("ja", "4,990円", "4,491円相当"),
    ],
)
def test_a_part_a_saving_or_a_price_for_some_is_not_the_price(language: str, price: str, other: str) -> None:
    alone = read(language, price)
    assert alone.price is not None

    for found in (read(language, price, other), read(language, other, price)):
        assert (found.price, found.list_price) == (alone.price, None)


@pytest.mark.parametrize(
    ("language", "price", "line"),
    [
        ("en", "£49.90", "Free delivery"),
        ("en", "£49.90", "Shipping included"),
        ("de", "49,90 €", "Kostenloser Versand"),
        ("de", "49,90 €", "Versandkostenfrei"),
        ("de", "49,90 €", "inkl. Versand"),
        ("de", "49,90 €", "Nur noch 3 Stück"),
        ("nl", "€ 49,90", "Gratis verzending"),
        ("fr", "49,90 €", "Livraison offerte"),
        ("it", "49,90 €", "Spedizione gratuita"),
        ("es", "49,90 €", "Envío gratis"),
        ("pt", "49,90 €", "Portes grátis"),
        ("pl", "49,90 zł", "Darmowa dostawa"),
        ("cs", "499 Kč", "Doprava zdarma"),
        ("sv", "499 kr", "Fri frakt"),
        ("hu", "4 990 Ft", "Ingyenes szállítás"),
        ("ro", "49,90 Lei", "Livrare gratuita"),
        ("ru", "4 990 ₽", "Бесплатная доставка"),
        ("tr", "499,90 TL", "Ücretsiz kargo"),
        ("ar", "499.00 AED", "شحن مجاني"),
        ("ja", "4,990円", "送料無料"),
        ("ko", "49,900원", "무료배송"),
    ],
)
def test_a_line_about_free_delivery_is_no_label_of_the_price_below_it(language: str, price: str, line: str) -> None:
    assert read(language, line, price).price == read(language, price).price is not None


@pytest.mark.parametrize("line", ["Delivery", "Free delivery on orders over", "Free shipping above"])
def test_what_delivery_costs_or_what_makes_it_free_is_no_price(line: str) -> None:
    assert read("en", line, "£49.90").price is None


@pytest.mark.parametrize(
    ("amounts", "price", "list_price", "currency"),
    [
        (("45,00 лв. / 23,01 €",), "45.00", None, "BGN"),
        (("23,01 € / 45,00 лв.",), "23.01", None, "EUR"),
        (("39,00 лв. / 19,94 €", "<del>59,00 лв. / 30,17 €</del>"), "39.00", "59.00", "BGN"),
        (("339,05 kn (45,00 €)",), "339.05", None, "HRK"),
        (("45,00 лв. / 31,00 €",), None, None, None),
    ],
)
def test_a_price_and_what_it_is_in_euros_are_one(
    amounts: tuple[str, ...], price: str | None, list_price: str | None, currency: str | None
) -> None:
    found = read("bg", *amounts)

    assert tuple(map(str, (found.price, found.list_price, found.currency))) == tuple(
        map(str, (price, list_price, currency))
    )


@pytest.mark.parametrize(
    ("address", "title"),
    [
        ("/wishlist", "x"),
        ("/favorieten", "x"),
        ("/wunschliste/", "x"),
        ("/account/1", "My Wishlist (1) | Shop"),
        ("/account/1", "Mijn favorieten"),
        ("/account/1", "Mes favoris - Boutique"),
        ("/account/1", "Mi lista de deseos"),
        ("/account/1", "Избранное"),
    ],
)
def test_a_wish_list_of_one_product_is_a_list(address: str, title: str) -> None:
    page = (
        f"<html><head><title>{title}</title></head><body><h1>{title}</h1><div><a>Blue vase</a><span>€ 39,99</span>"
        "<button>Add to cart</button><button>Remove</button></div></body></html>"
    )
    found = extract(page.encode(), f"https://vase.example{address}", "text/html; charset=utf-8")
    assert (str(found.outcome), found.price) == ("listing", None)
    at_product = extract(page.encode(), "https://vase.example/products/favorites", "text/html; charset=utf-8")
    assert str(at_product.price) == "39.99"


@pytest.mark.parametrize("line", ["Gravur 44,00 €", "Auch bei der Konkurrenz zu haben für 44,00 €"])
def test_an_amount_that_its_line_calls_something_else_is_not_the_price_before_a_higher_one(line: str) -> None:
    """Nor is the higher one, unless more says so: the words may announce a deal that nobody here knows."""
    assert read("de", line, "49,90 €").price is None
    assert str(read("de", line, '<b class="price">49,90 €</b>').price) == "49.90"


@pytest.mark.parametrize(
    "line",
    ["Zubehörset 12,00 €", "Polierservice: 12,00 €", "2 Jahre zusätzlicher Schutz 12,00 €", "Im Sparpaket 79,90 €"],
)
def test_an_amount_without_words_is_the_price_beside_one_that_is_too_far_from_it_to_be_its_deal(line: str) -> None:
    assert str(read("de", line, "49,90 €").price) == "49.90"
    assert str(read("de", "49,90 €", line).price) == "49.90"


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("de", "44,00 € mit Code SOMMER"), ("de", "Mitgliederpreis 44,00 €"), ("de", "Ab 3 Stück: 44,00 €"),
        ("pl", "Cena dla klubowiczów 44,00 zł"), ("ru", "Клубная цена 44,00 руб."),
        ("ru", "Минимальная цена за 30 дней: 44,00 руб."), ("de", "ermäßigt 44,00 €"),
        ("fr", "Tarif réduit : 44,00 €"), ("en", "Concessions 44,00 €"),
    ],
)  # fmt: skip
def test_words_for_some_count_more_than_a_class_that_calls_all_of_a_block_former(language: str, line: str) -> None:
    price = {"pl": "49,90 zł", "ru": "49,90 руб."}.get(language, "49,90 €")
    block = f'<div class="regular-price"><div>{line}</div><div>{price}</div></div>'
    assert str(read(language, block).price) == "49.90"
    assert str(read(language, line, price).price) == "49.90"


@pytest.mark.parametrize(
    ("language", "line"),
    [("fr", "(12,45 € le kg)"), ("fr", "4,20 € le litre"), ("es", "12,45 € el kilo"), ("pt", "12,45 € o kg")],
)
def test_what_a_measure_costs_behind_an_article_is_not_the_price(language: str, line: str) -> None:
    assert str(read(language, line, "49,90 €").price) == "49.90"
    assert str(read(language, "49,90 €", line).price) == "49.90"


@pytest.mark.parametrize("line", ["Geschenkverpackung 4,90 €", "Passende Hülle 9,90 €"])
def test_a_regular_price_is_the_price_although_something_else_is_offered_below_it(line: str) -> None:
    assert str(read("de", "Regulärer Preis 49,90 €", line).price) == "49.90"


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "£44.00 with trade-in"), ("de", "44,00 € bei Inzahlungnahme"), ("fr", "44,00 € après reprise"),
        ("pl", "44,00 zł przy odkupie"), ("es", "44,00 € con plan renove"), ("nl", "€ 44,00 bij inruil"),
    ],
)  # fmt: skip
def test_what_only_those_pay_who_give_an_old_one_is_not_the_price(language: str, line: str) -> None:
    price = {"en": "£49.90", "pl": "49,90 zł"}.get(language, "49,90 €")
    assert str(read(language, price, line).price) == "49.90"


@pytest.mark.parametrize("line", ["Nur 44,00 €", "Aktionspreis 44,00 €", "-12% 44,00 €", "44,00 €"])
def test_an_amount_that_its_line_leaves_the_price_has_its_former_one_behind(line: str) -> None:
    found = read("de", line, "49,90 €")
    assert (str(found.price), str(found.list_price)) == ("44.00", "49.90")


def test_a_badge_that_tells_by_how_many_per_cent_makes_no_saving_of_the_price_below_it() -> None:
    assert read("de", "15% Rabatt", "49,90 €").price == read("de", "49,90 €").price is not None


@pytest.mark.parametrize(
    ("language", "price", "delivered"),
    [
        ("pl", "359,00 zł", "368,99 zł z dostawą"),
        ("cs", "359 Kč", "448 Kč s dopravou"),
        ("uk", "359 грн", "429 грн з доставкою"),
        ("en", "$35.90", "$41.85 with shipping"),
    ],
)
def test_the_price_with_delivery_is_no_former_one(language, price, delivered):
    found = read(language, price, delivered)

    assert str(found.price).replace(".", ",") in price.replace(".", ",")
    assert found.list_price is None


@pytest.mark.parametrize(
    "label",
    [
        "Cena za kg", "Cena za 1 kg", "Jednotková cena", "Цена за 1 кг", "Ціна за літр", "Precio unitario por kg",
        "Jmf-pris", "Kilónkénti ár", "Preț pe kg", "Preț/kg", "Cijena po kg", "Cena na kg", "Kg fiyatı", "Birim fiyat",
        "Τιμή μονάδας", "Τιμή ανά κιλό", "Preço por kg", "100gあたり", "每100克", "Giá/kg",
        "ל-100 גרם", "Kaina už kg", "Cena par kg",
    ],
)  # fmt: skip
def test_a_label_that_names_a_measure_is_that_of_a_price_per_unit(label: str) -> None:
    assert str(read("de", f"{label}: € 20,00", "€ 79,90").price) == "79.90"
    assert str(read("de", "€ 79,90", f"{label} € 20,00").price) == "79.90"
    assert str(read("de", "€ 79,90", f"<b>{label}</b></p><p>€ 45,00").price) == "79.90"


@pytest.mark.parametrize("label", ["Preisvorteil", "Voordeel"])
def test_a_saving_is_known_by_the_words_before_it(label: str) -> None:
    assert str(read("de", f"{label}: € 20,00", "€ 79,90").price) == "79.90"


@pytest.mark.parametrize(
    "name", ["Men's Full Zip Hoodie", "Linen Apron", "Undated Monthly Planner", "Kids Club Tee", "Delivery Bike"]
)
def test_the_name_said_again_before_the_price_is_no_label_of_it(name):
    page = PAGE.format(language="en", amounts=f"<span>{name}</span> <span>£45.00</span>").replace("Blue vase", name)
    found = extract(page.encode(), "https://vase.example/products/blue-vase", "text/html; charset=utf-8")

    assert str(found.price) == "45.00"


@pytest.mark.parametrize(
    "line",
    ["Linen apron £19.00", "Half-zip fleece £19.00", "Apricot jam £19.00", "Face primer £19.00", "Viper torch £19.00"],
)
def test_the_names_of_other_things_are_no_words_for_instalments_or_members(line):
    found = extract(PAGE.format(language="en", amounts=f"<p>{line}</p>").encode(), "https://vase.example/vase", None)

    assert {e.role.value for e in found.evidence} == {"current"}


@pytest.mark.parametrize("line", ["Add 2-year protection plan $25.00", "Matching case $25.00"])
def test_what_is_sold_beside_a_price_that_a_class_calls_former_is_not_the_price(line: str) -> None:
    assert str(read("en-US", line, "<b class='old-price'>$100.00</b>").price) in ("100.00", "None")


def test_an_amount_that_stands_in_no_element_is_judged_like_any_other() -> None:
    page = "<html lang=en-US><title>Blue vase</title><h1>Blue vase</h1>Members pay $25.00 with card<p>$30.00</p>"
    found = extract(page.encode(), "https://vase.example/products/blue-vase", "text/html; charset=utf-8")
    assert found.reason != "unreadable"


@pytest.mark.parametrize(
    ("language", "price", "condition"),
    [
        ("sl", "12,50 €", "Domač med. Pri nakupu 6 kosov cena 10,90 € za kos."),
        ("pl", "12,50 zł", "Przy zakupie 6 sztuk cena 10,90 zł"),
        ("cs", "125 Kč", "Při nákupu 6 kusů cena 109 Kč"),
        ("et", "69,00 €", "Püsikliendi hind: 65,55 €"),
        ("bg", "12,90 лв.", "Клубна цена: 11,61 лв."),
        ("tr", "6.860,00 TL", "Sepette %5: 6.517,00 TL"),
        ("it", "1.090 €", "Acconto 30%: 327 €"),
        ("ja", "都度購入 2,980円", "定期購入 2,682円"),
        ("ja", "通常購入 2,980円", "初回限定 980円"),
        ("hu", "9 990 Ft", "Klubtag ár: 8 990 Ft"),
        ("sr", "7.990 RSD", "Cena za gotovinu 7.590 RSD"),
        ("th", "590 บาท", "ส่วนลด 200 บาท"),
    ],
)
def test_what_only_some_pay_is_no_price(language: str, price: str, condition: str) -> None:
    alone = read(language, price)
    assert alone.price is not None

    for found in (read(language, price, condition), read(language, condition, price)):
        assert (found.price, found.list_price) == (alone.price, None)


def test_two_prices_and_the_same_two_in_euros_are_a_price_and_its_former_one() -> None:
    found = read("bg", "<b class='price'>189,00 лв. / 96,63 €</b> <i class='price'>229,00 лв. / 117,09 €</i>")

    assert (str(found.price), found.currency, str(found.list_price)) == ("189.00", "BGN", "229.00")


def test_a_thai_price_is_lowered_to_what_follows() -> None:
    found = read("th", "ราคา 790 บาท ลดเหลือ 590 บาท")

    assert (str(found.price), str(found.list_price)) == ("590", "790")


def test_a_chinese_price_and_what_it_is_lowered_to() -> None:
    found = read("zh-CN", "价格 ¥688.00", "促销价 ¥458.00")

    assert (str(found.price), str(found.list_price)) == ("458.00", "688.00")


def test_what_is_declared_in_other_money_is_no_former_price() -> None:
    declared = (
        '<script type="application/ld+json">{"@type": "Product", "name": "Blue vase", "offers":'
        '{"@type": "Offer", "price": "158.00", "priceCurrency": "USD"}}</script>'
    )
    found = read("en", "€145.00", f'{declared}<i class="display-none">$158.00</i>')

    assert (str(found.price), found.currency, found.list_price) == ("145.00", "EUR", None)


@pytest.mark.parametrize(
    ("language", "amounts", "price", "former"),
    [
        ("ja", ["<b>1,500円</b> <i>(税込1,650円)</i>"], "1650", None),
        ("ja", ["会員価格 1,425円（税込1,567円）", "販売価格 1,500円（税込1,650円）"], "1650", None),
        ("ja", ["通常価格 2,000円（税込2,200円）", "特価 1,500円（税込1,650円）"], "1650", "2200"),
        ("en", ["£50.00 (£60.00 inc VAT)"], "60.00", None),
        ("en", ["£60.00 (£50.00 ex VAT)"], "60.00", None),
        ("de", ["50,00 € (inkl. MwSt. 59,50 €)"], "59.50", None),
        ("bg", ["<b>12,90 лв. (6,60 €)</b>", "<i>Клубна цена: 11,61 лв. (5,94 €)</i>"], "12.90", None),
    ],
)
def test_what_stands_in_brackets_is_the_amount_before_it_with_tax_or_in_euros(
    language: str, amounts: list[str], price: str, former: str | None
) -> None:
    found = read(language, *amounts)

    assert (str(found.price), found.list_price and str(found.list_price)) == (price, former)


@pytest.mark.parametrize(
    ("host", "language", "shown", "currency"),
    [("vase.dz", "fr", "3 200 DA", "DZD"), ("vase.example", "th", "590.-", "THB")],
)
def test_a_shared_sign_is_the_money_of_the_host_or_of_the_language(
    host: str, language: str, shown: str, currency: str
) -> None:
    page = PAGE.format(language=language, amounts=f"<p>{shown}</p>")
    found = extract(page.encode(), f"https://{host}/products/blue-vase", "text/html; charset=utf-8")

    assert found.price is not None
    assert found.currency == currency


@pytest.mark.parametrize(
    ("language", "price", "others"),
    [
        (
            "ja",
            "12,800円（税込）",
            "1個あたり640円 下取り価格3,000円 買取価格8,000円 まとめ買い価格11,500円 本体価格11,637円",
        ),
        ("ja", "12,800円（税込）", "業販価格9,800円 設置費5,500円 2個で24,000円 総額15,000円 送料330円 月々1,980円"),
        ("ko", "12,800원", "배송비3,000원 설치비5,500원 세트가24,800원 월1,980원 회원가11,800원"),
        (
            "zh-CN",
            "128元",
            "运费12元 定金100元 满200减20元 押金300元 安装费50元 两件240元 套装价248元 二手价98元 省70元",
        ),
        ("th", "1280บาท", "ค่าส่ง50บาท ค่าติดตั้ง500บาท ซื้อ2ชิ้น2400บาท ส่วนลด300บาท"),
    ],
)
def test_words_without_spaces_tell_what_an_amount_beside_the_price_is(language: str, price: str, others: str) -> None:
    alone = read(language, price)
    assert alone.price is not None

    for other in others.split():
        for found in (read(language, price, other), read(language, other, price)):
            assert (found.price, found.list_price, other) == (alone.price, None, other)


@pytest.mark.parametrize(
    ("language", "price", "other"),
    [
        ("he", "₪279", "הרכבה ₪150"),
        ("id", "Rp 129.000", "Biaya pasang Rp 50.000"),
        ("id", "Rp 129.000", "Harga grosir Rp 110.000"),
        ("el", "94,50€", "Προκαταβολή 30,00€"),
        ("el", "94,50€", "Δωρεάν αποστολή άνω των 50,00€"),
        ("el", "94,50€", "Τιμή μέλους 89,00€"),
        ("hu", "9 990 Ft", "Nagyker ár 8 500 Ft"),
        ("ro", "149,00 Lei", "Montaj 99,00 Lei"),
        ("pl", "99,00 zł", "Zaliczka 30,00 zł"),
        ("cs", "999 Kč", "Velkoobchodní cena 850 Kč"),
        ("ru", "1 249 ₽", "Установка 500 ₽"),
    ],
)
def test_fitting_a_down_payment_and_what_dealers_pay_are_no_price(language: str, price: str, other: str) -> None:
    alone = read(language, price)
    assert alone.price is not None

    for found in (read(language, price, other), read(language, other, price)):
        assert (found.price, found.list_price) == (alone.price, None)

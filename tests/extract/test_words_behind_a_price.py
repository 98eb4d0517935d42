"""The words behind an amount tell what it is, or nothing at all: then it stays what it was."""

import pytest

from monitor.extract import extract

PAGE = """<!DOCTYPE html><html lang="de"><head><title>Blue vase</title></head>
<body><main><h1>Blue vase</h1><div>{amounts}</div><button>In den Warenkorb</button></main></body></html>"""

SAVINGS = (
    "saved", "saving", "back", "back in points", "cash back", "in rewards", "in store credit", "rebate", "bonus",
    "gespart", "Ersparnis", "günstiger", "zurück", "Guthaben", "Preisvorteil", "économisés", "remboursés", "offerts",
    "en bon d'achat", "de ahorro", "de regalo", "de reembolso", "di risparmio", "di cashback", "voordeel", "bespaard",
    "terug", "taniej", "oszczędności", "zwrotu", "экономия", "выгода", "бонусов", "кэшбэк", "levnější", "sparat",
    "tillbaka", "spart", "halvempi", "megtakarítás", "economisești", "отстъпка", "kazanç", "de economia", "オフ",
    "割引", "ポイント還元", "优惠", "折扣", "적립", "giảm", "ส่วนลด", "خصم", "הנחה",
)  # fmt: skip
SHIPPING = (
    "shipping", "standard delivery", "shipping fee", "Versandkosten", "Lieferung", "Porto", "de livraison",
    "de frais de port", "gastos de envío", "de envío", "di spedizione", "verzendkosten", "bezorgkosten", "dostawa",
    "kosztów wysyłki", "за доставку", "doprava", "poštovné", "frakt", "fragt", "toimitus", "szállítás", "livrare",
    "dostava", "kargo", "μεταφορικά", "de frete", "送料", "运费", "배송비", "phí vận chuyển", "ค่าส่ง", "شحن", "משלוח",
)  # fmt: skip
OTHERS = (
    "for 12 months", "monatlich", "/mese", "i månaden", "pe lună", "месечно", "τον μήνα", "每期", "개월", "ต่อเดือน",
    "weekly", "every 2 weeks", "fortnightly", "za 1 kg", "pr. kg", "na kg", "pour les membres", "per i soci",
    "voor leden", "dla klubowiczów", "med kod X", "с код X", "uz kod X", "in a language that nobody knows", "xyzzy",
)  # fmt: skip
HARMLESS = (
    "Delivery in 2 days", "Free delivery", "Delivery included", "+ delivery", "plus shipping", "Delivered tomorrow",
    "Shipping calculated at checkout", "Livraison offerte", "Livraison gratuite", "Livraison en 48h",
    "Frais de port offerts", "Versand in 2 Tagen", "Kostenloser Versand", "Versandkostenfrei", "zzgl. Versand",
    "inkl. MwSt. zzgl. Versandkosten", "Lieferzeit 2-3 Tage", "Envío gratis", "Envío en 24h", "Envío incluido",
    "Spedizione gratuita", "Spedizione in 24h", "Gratis verzending", "Morgen in huis", "Darmowa dostawa",
    "Dostawa jutro", "Бесплатная доставка", "Доставка завтра", "Doprava zdarma", "Fri frakt", "Fri fragt",
    "Ilmainen toimitus", "Ingyenes szállítás", "Livrare gratuită", "Ücretsiz kargo", "Frete grátis", "送料無料",
    "免运费", "무료배송", "Miễn phí vận chuyển", "ส่งฟรี", "شحن مجاني", "In stock", "Nur noch 3", "Save 20%", "20% off",
    "Rabat 20%", "Скидка 20%", "Выгода 20%", "each", "/ Stück", "la pièce", "/ud", "per stuk", "za sztukę", "/шт",
    "incl. VAT", "TTC", "IVA inclusa", "Earn 79 points", "+ 79 Punkte", "with free gift", "2 years warranty",
    "Back in stock", "Bestseller", "direct leverbaar", "500 ml", "Size M",
)  # fmt: skip


def price_of(amounts: str) -> str:
    page = PAGE.format(amounts=amounts)
    return str(extract(page.encode(), "https://vase.example/products/blue-vase", "text/html; charset=utf-8").price)


@pytest.mark.parametrize("words", [*SAVINGS, *SHIPPING, *OTHERS])
@pytest.mark.parametrize(
    "amounts",
    [
        "<p>€ 79,90</p><p>€ 20,00 {words}</p>",
        "<p>€ 20,00 {words}</p><p>€ 79,90</p>",
        "<span>79,90 €</span> <span>20,00 € {words}</span>",
        "<b>79,90 €</b> <i>20,00 €</i> <i>{words}</i>",
    ],
)
def test_words_behind_an_amount_tell_that_it_is_not_the_price(words: str, amounts: str) -> None:
    assert price_of(amounts.format(words=words)) == "79.90"


@pytest.mark.parametrize("words", [*SAVINGS, *SHIPPING])
def test_nor_is_it_the_price_where_it_is_half_of_it(words: str) -> None:
    assert price_of(f"<p>€ 79,90</p><p>€ 45,00 {words}</p>") == "79.90"


@pytest.mark.parametrize("words", HARMLESS)
@pytest.mark.parametrize(
    "amounts",
    [
        "<p>79,90 € {words}</p>",
        "<span>79,90 €</span> <span>{words}</span>",
        "<del>99,00 €</del> <span>79,90 €</span> <span>{words}</span>",
    ],
)
def test_what_is_said_behind_the_price_leaves_it_the_price(words: str, amounts: str) -> None:
    assert price_of(amounts.format(words=words)) == "79.90"


@pytest.mark.parametrize(
    "amounts",
    [
        "<span>€ 80,-</span> <span>(€ 160,- / l)</span>",
        "<span>€ 160,-/l</span> <span>€ 80,-</span>",
        "<span>CHF 80.-</span> <span>(CHF 160.-/l)</span>",
    ],
)
def test_whole_amounts_with_a_dash_are_read_with_what_stands_behind_it(amounts: str) -> None:
    assert price_of(amounts) == "80"

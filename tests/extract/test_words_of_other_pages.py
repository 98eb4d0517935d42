"""Carts, pages that are gone and products without a public price are told by their words, with other amounts around."""

import pytest

from monitor.domain.extraction import Extraction, Outcome
from monitor.extract import extract

PAGE = """<!DOCTYPE html><html lang="{language}"><head><title>{title}</title></head><body><main><h1>{heading}</h1>
{words}<div class="row"><span>Bowl</span>
<b class="price">€ 49,90</b> <button>{button}</button></div></main></body></html>"""


def read(
    language: str, title: str, heading: str, *, words: str = "", button: str = "OK", path: str = "x"
) -> Extraction:
    page = PAGE.format(language=language, title=title, heading=heading, words=words, button=button)
    return extract(page.encode(), f"https://vase.example/{path}/12", "text/html; charset=utf-8")


@pytest.mark.parametrize(
    "called",
    [
        *(
            "Cart (2)",
            "Secure Checkout",
            "Einkaufswagen",
            "Kasse",
            "Warenkorb (2)",
            "Panier d'achat",
            "Mi cesta",
            "Finalizar compra",
        ),
        *("Cesta de la compra", "Tramitar pedido", "Il mio carrello", "Winkelmandje", "Mijn winkelwagen"),
        *("Twój koszyk", "Váš košík", "Nákupný košík", "Kosaram", "Coș de cumpărături", "Coșul meu", "Моята количка"),
        *("Το καλάθι μου", "Kundvagn", "Din kurv", "Handlevogn", "Ostoskorisi", "Моя корзина", "Мій кошик"),
        *("Alışveriş Sepeti", "Minha sacola", "買い物かご", "我的购物车", "Giỏ hàng của bạn", "Keranjang Belanja"),
        *("Košarica", "Korpa", "ตะกร้าสินค้า", "سلة التسوق", "סל קניות", "Ostukorv", "Grozs", "Krepšelis"),
    ],
)
def test_a_page_called_a_cart_sells_nothing(called: str) -> None:
    for found in (read("en", f"{called} | Shop", called), read("en", "Shop", called)):
        assert (found.outcome, found.reason) == (Outcome.NO_PRICE, "cart")
    assert read("en", called, called, path="products").price is not None


@pytest.mark.parametrize(
    "words",
    [
        *("POA", "Ask for price", "Register to view prices", "Preise nur für registrierte Kunden", "Auf Anfrage"),
        *("Preis: auf Anfrage", "Melden Sie sich an, um Preise zu sehen", "Sur devis", "Prix : nous consulter"),
        *("Solicitar precio", "Regístrate para ver los precios"),
        *("Richiedi il prezzo", "Prezzo visibile dopo il login", "Op aanvraag", "Login voor prijs", "Zapytaj o cenę"),
        *("Cena po zalogowaniu", "Pro zobrazení ceny se přihlaste", "Ceny po přihlášení", "Cena na dopyt"),
        *("Ár egyeztetés szerint", "Az árak megtekintéséhez jelentkezzen be", "Цена по запитване"),
        *("Autentifică-te pentru a vedea prețul", "Επικοινωνήστε για τιμή", "Log ind for at se priser"),
        *("Logg inn for å se pris", "Kysy hintaa", "Kirjaudu sisään nähdäksesi hinnat", "Уточняйте цену", "По запросу"),
        *("Дізнатися ціну", "Fiyat alınız", "Faça login para ver os preços", "Consulte-nos", "要問合せ", "面議"),
        *(
            "ログインして価格を表示",
            "로그인 후 가격 확인",
            "전화문의",
            "请登录查看价格",
            "Giá: Liên hệ",
            "Cijena na upit",
        ),
        *(
            "Request a quote",
            "Preis anfragen",
            "Richiedi preventivo",
            "Offerte aanvragen",
            "Begär offert",
            "Cere ofertă",
        ),
        *(
            "Hinta pyynnöstä",
            "Kérjen ajánlatot",
            "Καλέστε για τιμή",
            "Ціну уточнюйте",
            "お問い合わせください",
            "สอบถามราคา",
        ),
        *("Hubungi kami untuk harga", "السعر عند الطلب", "מחיר לפי בקשה", "Kaina pagal užklausą", "Hind päringul"),
        "Cena pēc pieprasījuma",
    ],
)
def test_a_price_left_out_is_not_that_of_an_accessory(words: str) -> None:
    found = read("en", "Vase", "Vase", words=f"<p>{words}</p>", button="Add to cart", path="products")
    assert (found.outcome, found.price) == (Outcome.NO_PRICE, None)


@pytest.mark.parametrize("words", ["Gravur auf Anfrage möglich", "Other colours on request", "Op aanvraag ook in rood"])
def test_what_else_can_be_asked_for_leaves_the_price(words: str) -> None:
    found = read("en", "Vase", "Vase", words=f"<p>{words}</p>", button="Add to cart", path="products")
    assert found.price is not None


@pytest.mark.parametrize(
    "said",
    [
        *("Sorry, this page isn't available", "Deze pagina kon niet worden gevonden", "Stránka nebyla nalezena"),
        *("Stránka sa nenašla", "Stránka nebola nájdená", "Nincs ilyen oldal", "Pagina nu a fost gasita"),
        *("Sidan kunde inte hittas", "Siden kunne ikke findes", "Vi finner ikke siden", "Сторінка не знайдена"),
        *("Não encontramos a página", "Strani ni mogoče najti", "Stran ni bila najdena", "Такой страницы нет"),
        *("No se ha encontrado la página", "Продуктът не е намерен", "Izdelek ni bil najden"),
    ],
)
def test_a_page_that_says_so_is_gone(said: str) -> None:
    assert read("en", said, said).outcome is Outcome.NOT_FOUND


@pytest.mark.parametrize(
    "said", ["The page you were looking for has wandered off.", "Die gesuchte Seite ist umgezogen"]
)
def test_what_is_said_below_a_heading_that_is_sorry_is_enough(said: str) -> None:
    assert read("en", "Vaseshop", "Oops!", words=f"<p>{said}</p>").outcome is Outcome.NOT_FOUND


@pytest.mark.parametrize("heading", ["Lehte ei leitud", "Lehekülge ei leitud", "Seite nicht gefunden"])
def test_a_heading_that_misses_a_page_is_enough(heading: str) -> None:
    assert read("et", "Vaasipood", heading).outcome is Outcome.NOT_FOUND


@pytest.mark.parametrize(
    "called",
    ["Frequently asked questions", "Häufige Fragen (FAQ)", "Sobre nós", "Qui sommes-nous ?", "Preise und Ermäßigungen"],
)
def test_a_page_about_the_shop_sells_nothing(called: str) -> None:
    found = read("en", f"{called} - Vaseshop", called, button="Add to cart")

    assert (found.outcome, found.reason) == (Outcome.NO_PRICE, "about")


@pytest.mark.parametrize(("type_", "outcome"), [("BlogPosting", Outcome.NO_PRICE), ("WebPage", Outcome.LISTING)])
def test_what_calls_itself_an_article_to_search_engines_alone_is_one(type_: str, outcome: Outcome) -> None:
    """Two goods of other shops in it, each with a link that buys there, made a list of it."""
    declared = f'<script type="application/ld+json">{{"@type": "{type_}", "headline": "Nine vases"}}</script>'
    goods = "".join(
        f'<h2>{name}</h2><p>Costs about € {price}.</p><a href="https://out.example/{price}">Buy – € {price}</a>'
        for name, price in (("Blue vase", "49,90"), ("Green vase", "59,90"), ("Red vase", "69,90"))
    )
    page = (
        f'<html lang="en"><head><title>Nine vases we tried</title>{declared}</head><body><article>'
        f"<h1>Nine vases we tried</h1><p>By the editors</p>{goods}</article></body></html>"
    )

    assert extract(page.encode(), "https://vase.example/tried/vases", "text/html").outcome is outcome


@pytest.mark.parametrize(("over", "outcome"), [("Similar products", Outcome.NO_PRICE), ("Vases", Outcome.LISTING)])
def test_a_product_that_is_sold_out_stands_above_words_over_others(over: str, outcome: Outcome) -> None:
    cards = "".join(
        f'<div class="c{n}"><a href="/v/{n}"><p>{name} vase</p><p>€ {n}9,90</p></a></div>'
        for n, name in ((2, "Blue"), (3, "Green"), (4, "Red"))
    )
    page = (
        '<html lang="en"><head><title>Tall vase with a foot</title></head><body><h1>Tall vase with a foot</h1>'
        f"<p>Sold out</p><p>Sorry, it is not available.</p><h2>{over}</h2>{cards}</body></html>"
    )

    assert extract(page.encode(), "https://vase.example/vases/tall-vase", "text/html").outcome is outcome

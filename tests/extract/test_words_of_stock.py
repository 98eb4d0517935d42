"""Short lines and buttons tell in many languages whether a product is there; lines that deny hold words that affirm."""

import pytest

from monitor.domain.extraction import Availability
from monitor.extract import extract
from monitor.extract.availability import spoken_availability
from monitor.extract.buy_words import BUY
from monitor.extract.vocabulary import plain


@pytest.mark.parametrize(
    "line",
    [
        *("Non disponibile", "Attualmente non disponibile", "Nie je na sklade", "Vypredané", "Nu este în stoc"),
        *("Epuizat", "Ei saatavilla", "Ei ole laos", "Nema na stanju", "Rasprodato", "Немає на складі", "Розпродано"),
        *(
            "Bu ürün satılmıştır",
            "Dieser Artikel ist verkauft.",
            "Stokta bulunmamaktadır",
            "Geçici olarak temin edilemiyor",
            "No longer in stock",
            "Victime de son succès",
        ),
        *("Fuera de stock", "No hay stock", "Niet beschikbaar", "Wyprzedane", "Nem elérhető", "Kifogyott"),
        *("Jelenleg nem rendelhető", "Не е наличен", "Izpārdots", "Nav pieejams", "Nėra sandėlyje", "Prekės nėra"),
        *(
            "Trenutno ni na voljo",
            "Раскупили",
            "Sem estoque",
            "品切れ",
            "販売休止中です",
            "재고 없음",
            "缺货",
            "Tidak tersedia",
        ),
        *("Ikke tilgjengelig", "Ej tillgänglig", "Não disponível", "Pas en stock"),
        *("Slut på lager", "Brak na stanie", "Loppu varastosta", "Tuote on loppu", "Nicht bestellbar", "Hors stock"),
        *("Lipsă stoc", "Εκτός αποθέματος", "Nema na skladištu", "次回入荷未定", "판매중지", "Неналичен"),
    ],
)
def test_there_is_none(line: str) -> None:
    assert spoken_availability(line) is Availability.OUT_OF_STOCK


@pytest.mark.parametrize(
    "line",
    [
        *("Hay existencias", "Disponibilità immediata", "Direct leverbaar", "Dostupné", "Elérhető", "Наличен"),
        *("Σε απόθεμα", "Pieejams", "Em stock", "Only 3 left", "即納", "有庫存", "Tersedia", "Disponibile", "Laos"),
        *("Na sklade", "În stoc", "Saatavilla", "Na stanju", "На складі", "Stokta", "In stock"),
    ],
)
def test_there_is_one(line: str) -> None:
    assert spoken_availability(line) is Availability.IN_STOCK


@pytest.mark.parametrize(
    "line",
    [
        *("Preordine", "Prenotabile", "Przedsprzedaż", "Förhandsboka", "Forudbestil", "Forhåndsbestill"),
        *("Ennakkotilaa", "Передзамовлення", "Pré-venda", "예약판매", "预售", "預購", "Ön sipariş"),
        *("Предварительный заказ", "Предварителна поръчка", "Prednarudžba", "Prednaročilo", "Förbeställ", "예약구매"),
        *("预订", "พรีออเดอร์", "طلب مسبق", "הזמנה מראש"),
    ],
)
def test_it_can_be_ordered_before_it_is_there(line: str) -> None:
    assert spoken_availability(line) is Availability.PREORDER


@pytest.mark.parametrize(
    "line",
    [
        *("Auf Bestellung", "Disponible sur commande", "Bajo pedido", "Disponibile su ordinazione", "Op bestelling"),
        *(
            "Товар на заказ",
            "Na objednávku",
            "Beställningsvara 5-10 dagar",
            "Bestillingsvare",
            "Tilaustuote",
            "Rendelhető",
        ),
        *("La comandă", "По поръчка", "Po narudžbi", "Sipariş üzerine", "Κατόπιν παραγγελίας", "Sob encomenda"),
    ],
)
def test_it_is_ordered_for_the_shopper(line: str) -> None:
    assert spoken_availability(line) is Availability.BACKORDER


def test_what_is_given_on_an_order_says_nothing_of_the_stock() -> None:
    assert spoken_availability("Скидка 300 ₽ на заказ") is not Availability.BACKORDER


@pytest.mark.parametrize(
    "line",
    [
        *("Non più disponibile", "Nie jest już dostępny", "No longer available", "Produit arrêté", "Descatalogado"),
        *("Fuori produzione", "Uit assortiment", "Снято с производства", "Poistunut valikoimasta", "Kifutott termék"),
        *("Fora de linha", "Scos din fabricație", "Знято з виробництва", "Produktion eingestellt"),
    ],
)
def test_it_is_sold_no_more(line: str) -> None:
    assert spoken_availability(line) is Availability.DISCONTINUED


@pytest.mark.parametrize(
    "label",
    [
        *("Put in basket", "In die Einkaufstasche", "In den Korb", "Mettre au panier", "A la cesta", "Koop nu"),
        *("Voeg toe", "Bestel nu", "Kupuję", "În coș", "В количката", "Αγόρασε το", "Lägg till", "Tilføj til kurv"),
        *("Lisa korvi", "Pirkt", "U korpu", "Приобрести", "В кошик", "Satın Al", "Şimdi Al", "Colocar no carrinho"),
        *("Chọn mua", "เพิ่มลงตะกร้า", "Beli", "לרכישה"),
    ],
)
def test_a_control_that_buys(label: str) -> None:
    assert BUY.found(plain(label))


@pytest.mark.parametrize("label", ["Lägg till i favoriter", "Tilføj til favoritter", "Warenkorb"])
def test_a_control_that_does_not(label: str) -> None:
    assert not BUY.found(plain(label))


def stock_beside(button: str, text: str = "") -> Availability:
    """Return what is read of a product with a price, a button and a line of text."""
    page = (
        "<html lang='en'><head><title>Blue vase</title></head><body><h1>Blue vase</h1><p>€ 39.90</p>"
        f"<button>{button}</button><p>{text}</p></body></html>"
    )
    return extract(page.encode(), "https://vase.example/products/blue-vase", "text/html; charset=utf-8").availability


@pytest.mark.parametrize(
    "label",
    [
        *(
            "Back in stock soon",
            "Notify when available",
            "Benachrichtigen, wenn verfügbar",
            "Bei Verfügbarkeit informieren",
        ),
        *("Prévenez-moi", "Être alerté du retour en stock", "Avísame", "Avise-me quando chegar", "Avvisami"),
        *("Powiadom o dostępności", "Сообщить о поступлении", "Hlídat dostupnost", "Houd me op de hoogte"),
        *(
            "Ilmoita kun saatavilla",
            "Értesítést kérek",
            "Anunță-mă când e în stoc",
            "Gelince haber ver",
            "再入荷のお知らせ",
        ),
    ],
)
def test_a_button_that_promises_word_of_it_says_that_there_is_none(label: str) -> None:
    assert stock_beside(label) is Availability.OUT_OF_STOCK


@pytest.mark.parametrize("text", ["Avísame si baja el precio", "Prévenez-moi des nouveautés", "Powiadom o dostępności"])
def test_a_line_that_promises_word_takes_nothing_from_what_can_be_bought(text: str) -> None:
    assert stock_beside("Add to cart", text) is Availability.IN_STOCK

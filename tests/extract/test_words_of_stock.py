"""Short lines tell in many languages whether a product is there; those that deny hold the words that affirm."""

import pytest

from monitor.domain.extraction import Availability
from monitor.extract.availability import spoken_availability


@pytest.mark.parametrize(
    "line",
    [
        *("Non disponibile", "Attualmente non disponibile", "Nie je na sklade", "Vypredané", "Nu este în stoc"),
        *("Epuizat", "Ei saatavilla", "Ei ole laos", "Nema na stanju", "Rasprodato", "Немає на складі", "Розпродано"),
        *("Stokta bulunmamaktadır", "Geçici olarak temin edilemiyor", "No longer in stock", "Victime de son succès"),
        *("Fuera de stock", "No hay stock", "Niet beschikbaar", "Wyprzedane", "Nem elérhető", "Kifogyott"),
        *("Jelenleg nem rendelhető", "Не е наличен", "Izpārdots", "Nav pieejams", "Nėra sandėlyje", "Prekės nėra"),
        *("Trenutno ni na voljo", "Раскупили", "Sem estoque", "品切れ", "재고 없음", "缺货", "Tidak tersedia"),
        *("Ikke tilgjengelig", "Ej tillgänglig", "Não disponível", "Pas en stock"),
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
    ],
)
def test_it_can_be_ordered_before_it_is_there(line: str) -> None:
    assert spoken_availability(line) is Availability.PREORDER


@pytest.mark.parametrize("line", ["Non più disponibile", "Nie jest już dostępny", "No longer available"])
def test_it_is_sold_no_more(line: str) -> None:
    assert spoken_availability(line) is Availability.DISCONTINUED

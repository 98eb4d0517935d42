"""Accuracy on the pages of a corpus after another amount or number has been put directly before or behind the price.

    python benchmarks/extraction_beside.py CORPUS [--kind NAME]

A corpus is what `extraction.py` reads. Shops write much beside a price: what it was, what members pay, a monthly rate,
a service. Each page of a product that is read right although all that it declares has been taken out is asked again
with one such amount in a block of its own, without a telling name, in the words of the page's language where they are
known here, in English elsewhere; and with numbers that are no money, on the line of the price. The price is the same as
before; any other one is wrong.

Prints one JSON object per kind and side: how many pages were asked, how many were read right, wrong, or not at all.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from extraction import Labelled, corpus_pages, ours
from extraction_bare import TAKEN, written

from monitor.extract.charset import as_utf8

LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pl", "ru")
SIDES = ("before", "behind")
MOST = 6  #: places of one page where its price stands
#: Parts of the price that the other amount is.
_PARTS = {"hi": Decimal("1.25"), "lo": Decimal("0.9"), "q": Decimal("0.25")}
#: In the order of LANGUAGES.
KINDS = {
    "former price": ("Was {hi}", "Statt {hi}", "Au lieu de {hi}", "Antes {hi}", "Prezzo precedente {hi}",
                     "Van {hi}", "Poprzednia cena {hi}", "Старая цена {hi}"),
    "recommended price": ("RRP {hi}", "UVP {hi}", "Prix conseillé {hi}", "PVP recomendado {hi}",
                          "Prezzo consigliato {hi}", "Adviesprijs {hi}", "Cena katalogowa {hi}", "РРЦ {hi}"),
    "struck price": ("<del>{hi}</del>",) * 8,
    "lowest price of 30 days": ("Lowest price in the last 30 days: {lo}", "Niedrigster Preis der letzten 30 Tage: {lo}",
                                "Prix le plus bas des 30 derniers jours : {lo}",
                                "Precio más bajo de los últimos 30 días: {lo}",
                                "Prezzo più basso degli ultimi 30 giorni: {lo}",
                                "Laagste prijs van de afgelopen 30 dagen: {lo}",
                                "Najniższa cena z 30 dni przed obniżką: {lo}", "Минимальная цена за 30 дней: {lo}"),
    "saving": ("You save {q}", "Sie sparen {q}", "Vous économisez {q}", "Ahorras {q}",
               "Risparmi {q}", "Je bespaart {q}", "Oszczędzasz {q}", "Вы экономите {q}"),
    "instalments": ("or 4 interest-free payments of {q}", "oder 4 Raten zu je {q}", "ou 4x {q} sans frais",
                    "o 4 cuotas de {q}", "o 4 rate da {q}", "of 4 termijnen van {q}",
                    "lub 4 raty po {q}", "или 4 платежа по {q}"),
    "monthly rate": ("from {q}/month", "ab {q} / Monat", "dès {q}/mois", "desde {q}/mes",
                     "da {q}/mese", "vanaf {q} per maand", "już od {q}/mies.", "от {q}/мес"),
    "price by weight": ("({q} per kg)", "(Grundpreis {q}/kg)", "({q} le kg)", "({q} por kg)",
                        "({q} al kg)", "(prijs per kilo {q})", "(cena za kg: {q})", "(цена за кг: {q})"),
    "delivery": ("Delivery {q}", "zzgl. Versand {q}", "Livraison {q}", "Envío {q}",
                 "Spedizione {q}", "Verzendkosten {q}", "Dostawa {q}", "Доставка {q}"),
    "free delivery from": ("Free delivery on orders over {hi}", "Kostenlose Lieferung ab {hi}",
                           "Livraison offerte dès {hi}", "Envío gratis desde {hi}", "Spedizione gratuita da {hi}",
                           "Gratis verzending vanaf {hi}", "Darmowa dostawa od {hi}", "Бесплатная доставка от {hi}"),
    "price without tax": ("{lo} ex VAT", "{lo} exkl. MwSt.", "{lo} HT", "{lo} sin IVA", "{lo} IVA esclusa",
                          "{lo} excl. btw", "{lo} netto", "{lo} без НДС"),
    "members": ("Members pay {lo}", "Mitgliederpreis {lo}", "Prix membre {lo}", "Precio socios {lo}",
                "Prezzo soci {lo}", "Ledenprijs {lo}", "Cena dla klubowiczów {lo}", "Цена по карте {lo}"),
    "code": ("{lo} with code SAVE10", "{lo} mit Code SAVE10", "{lo} avec le code SAVE10",
             "{lo} con el cupón SAVE10", "{lo} con codice SAVE10", "{lo} met code SAVE10", "{lo} z kodem SAVE10",
             "{lo} с промокодом SAVE10"),
    "trade-in": ("{lo} with trade-in", "{lo} bei Inzahlungnahme", "{lo} avec reprise", "{lo} con plan renove",
                 "{lo} con permuta", "{lo} met inruil", "{lo} przy odkupie", "{lo} по трейд-ин"),
    "used copy": ("Used from {lo}", "Gebraucht ab {lo}", "Occasion dès {lo}", "Usado desde {lo}", "Usato da {lo}",
                  "Tweedehands vanaf {lo}", "Używane od {lo}", "Б/у от {lo}"),
    "three or more": ("Buy 3 or more: {lo} each", "Ab 3 Stück: {lo}", "À partir de 3 : {lo}", "Desde 3 unidades: {lo}",
                      "Da 3 pezzi: {lo}", "Vanaf 3 stuks: {lo}", "Od 3 szt.: {lo}", "От 3 шт.: {lo}"),
    "set": ("Bundle price {hi}", "Im Set {hi}", "Prix du lot {hi}", "Precio del pack {hi}",
            "Prezzo del set {hi}", "Setprijs {hi}", "Cena zestawu {hi}", "Цена комплекта {hi}"),
    "warranty": ("Add 2-year protection plan {q}", "2 Jahre Garantieverlängerung {q}",
                 "Extension de garantie 2 ans {q}", "Garantía extendida 2 años {q}",
                 "Estensione di garanzia 2 anni {q}", "2 jaar extra garantie {q}",
                 "Dodatkowa gwarancja 2 lata {q}", "Дополнительная гарантия 2 года {q}"),
    "accessory": ("Matching case {q}", "Passende Hülle {q}", "Étui assorti {q}", "Funda a juego {q}",
                  "Custodia abbinata {q}", "Bijpassend hoesje {q}", "Pasujące etui {q}", "Чехол {q}"),
    "deposit": ("plus deposit {q}", "zzgl. Pfand {q}", "consigne {q}", "más fianza {q}",
                "più cauzione {q}", "plus statiegeld {q}", "plus kaucja {q}", "залог {q}"),
    "another shop": ("Also available at Amazon for {lo}", "Bei Amazon für {lo}", "Chez Amazon à {lo}",
                     "En Amazon por {lo}", "Su Amazon a {lo}", "Bij Amazon voor {lo}", "Na Amazon za {lo}",
                     "На Ozon за {lo}"),
}  # fmt: skip
#: Numbers that are no money, in an element that stands on the line of the price where that is one of a line too.
NUMBERS = {
    "mean rating": ("4.5", "4,5", "4,5", "4,5", "4,5", "4,5", "4,5", "4,5"),
    "count": ("12",) * 8,
    "count in brackets": ("(128)",) * 8,
    "ratings": ("128 ratings", "128 Bewertungen", "128 avis", "128 opiniones", "128 recensioni", "128 beoordelingen",
                "128 opinii", "128 отзывов"),
    "reduction": ("-20 %",) * 8,
    "size": ("42",) * 8,
    "content": ("500 ml",) * 8,
    "number of the article": ("No. 10234", "Art.-Nr. 10234", "Réf. 10234", "Ref. 10234", "Cod. 10234", "Art.nr. 10234",
                              "Nr kat. 10234", "Арт. 10234"),
    "quantity": ("1 x", "1 x", "1 x", "1 x", "1 x", "1 x", "1 x", "1 x"),
    "stock": ("Only 5 left", "Nur noch 5", "Plus que 5", "Quedan 5", "Solo 5 rimasti", "Nog 5", "Zostało 5",
              "Осталось 5"),
    "points": ("+79 points", "+79 Punkte", "+79 points", "+79 puntos", "+79 punti", "+79 punten", "+79 punktów",
               "+79 баллов"),
    "place in a list": ("No. 1", "Nr. 1", "N° 1", "N.º 1", "N. 1", "Nr. 1", "Nr 1", "№ 1"),
}  # fmt: skip
_SIGN = r"(?:&[a-z]{2,8};|&#\d{2,5};|[^\s\d<>&;]{1,5})"
_UNSIGNED = re.compile(r"[\d\s.,:;()–-]*")  # its sign may stand in another element


@dataclass(frozen=True, slots=True)
class Shown:
    """A page that declares nothing, as text, with the places where its price stands in an element of its own."""

    page: Labelled
    text: str
    language: int  #: its place in LANGUAGES
    places: tuple[tuple[int, int, str], ...]  #: where the element begins and ends, and the price in it with its sign
    number: str  #: the price without its sign


def shown(page: Labelled, language: str) -> Shown | None:
    """Return a page that is read right without what it declares, None for others or where the price is not found."""
    text = as_utf8(TAKEN["all that is declared"](page), page.content_type).decode("utf-8", "replace")
    outcome, price, _ = ours(text.encode(), page.url, "text/html; charset=utf-8")
    if outcome != "ok" or price is None or price not in page.prices:
        return None
    number = written(price)
    amount = rf"(?:{_SIGN}\s?)?(?<![\d.,])(?P<number>{number})(?![\d]|[.,]\d)(?:\s?{_SIGN})?"
    element = re.compile(rf"<(?P<tag>[a-zA-Z0-9]+)[^<>]*>[^<>]{{0,60}}?(?P<amount>{amount})[^<>]{{0,60}}</(?P=tag)>")
    found = [m for m in element.finditer(text) if _UNSIGNED.fullmatch(m["amount"]) is None][:MOST]
    if not found:
        return None
    places = tuple((m.start(), m.end(), m["amount"].strip()) for m in found)
    return Shown(page, text, LANGUAGES.index(language) if language in LANGUAGES else 0, places, found[0]["number"])


def with_amount(at: Shown, kind: str, side: str) -> bytes:
    """Return the page with another amount beside its price."""
    out, end = [], 0
    for begins, ends, amount in at.places:
        place = begins if side == "before" else ends
        if kind in NUMBERS:
            put = f' <span class="q7x">{NUMBERS[kind][at.language]}</span> '
        else:
            words = KINDS[kind][at.language].format(**{part: _other(at, amount, by) for part, by in _PARTS.items()})
            put = f'<div class="q7x">{words}</div>'
        out += [at.text[end:place], put]
        end = place
    return "".join([*out, at.text[end:]]).encode()


def _other(at: Shown, amount: str, by: Decimal) -> str:
    """Return another amount in the notation of the price."""
    price = next(iter(at.page.prices)) * by
    has_point = re.search(r"[.,]\d{2}$", at.number)
    number = f"{price:.2f}" if has_point or price < 100 else f"{price:.0f}"
    number = number.replace(".", ",") if has_point and "," in has_point.group() else number
    return amount.replace(at.number, number)


def asked(corpus: Path) -> Iterator[Shown]:
    """Yield the pages that can be asked."""
    rows = map(json.loads, (corpus / "labels.jsonl").open(encoding="utf-8"))
    languages = {row["url"]: row.get("lang", "en") for row in rows}
    for page in corpus_pages(corpus):
        if page.outcome == "ok" and "html" in (page.content_type or "html"):
            found = shown(page, languages[page.url])
            if found:
                yield found


def main() -> None:
    """Print one line for each kind and side."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--kind", choices=[*KINDS, *NUMBERS])
    wanted = parser.parse_args()
    pages = list(asked(wanted.corpus))
    for kind in [wanted.kind] if wanted.kind else [*KINDS, *NUMBERS]:
        for side in SIDES:
            counts: Counter[str] = Counter()
            misread = []
            for at in pages:
                outcome, price, _ = ours(with_amount(at, kind, side), at.page.url, "text/html; charset=utf-8")
                told = "silent" if outcome != "ok" else "right" if price in at.page.prices else "wrong"
                counts[told] += 1
                misread += [f"{price} {at.page.url}"] if told == "wrong" else []
            told = {name: counts[name] for name in ("right", "wrong", "silent")}
            print(json.dumps({"beside": kind, "side": side, "pages": len(pages), **told, "misread": misread}))


if __name__ == "__main__":
    main()

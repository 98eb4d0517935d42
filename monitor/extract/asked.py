"""Words with which a page leaves its price to a question, a login or the cart, or says that its product is gone.

What is shown behind them is another's price: that of an accessory or of a similar product. Asked only of a page that
declares nothing and shows an amount that would be given.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from monitor.domain.extraction import Role
from monitor.extract.anchor import stands_apart
from monitor.extract.document import Document
from monitor.extract.others import begins
from monitor.extract.standing import Anchor, Seen
from monitor.extract.vocabulary import any_of, branches

LONGEST = 120  #: characters of the line that says so
_GIVEN = frozenset({Role.CURRENT, Role.RANGE_END})  #: roles of amounts that would be given, or be told as a range

#: In the place of the price, lower case. Add languages, never sites.
_LEFT_OUT = (
    r"prices? (?:up)?on (?:request|application)|price by request|call (?:us )?for (?:a |the )?(?:price|pricing"
    r"|quote)"
    r"|(?:contact|email|ask) us for (?:a |the )?(?:price|pricing|quote)|p\.o\.a\.?(?=\s|$)"
    r"|(?:log|sign) ?in (?:to (?:see|view|show)|for) (?:the |our |your |wholesale )?pric"
    r"|(?:see|view|show) (?:our |the |final |sale )?price in (?:your )?(?:cart|bag|basket|checkout)"
    r"|too low to (?:show|display)|price (?:shown|revealed) in (?:cart|bag)"
    r"|preise? (?:nur )?auf anfrage|(?:anmelden|einloggen|login)[^\n]{0,20}preise?\b"
    r"|preise? (?:erst |nur )?nach (?:der )?(?:anmeldung|login)"
    r"|prix sur demande|prix sur devis|connectez-vous pour (?:voir|afficher|consulter) (?:le |les |nos |vos )?prix"
    r"|precio a consultar|consult[ae]r? (?:el )?precio|precio bajo (?:consulta|pedido)"
    r"|inicia sesión para ver (?:el |los )?precio"
    r"|prezzo su richiesta|prezzo a richiesta|accedi per (?:vedere|visualizzare) (?:il |i )?prezz"
    r"|prijs op aanvraag|(?:log in|inloggen) (?:voor|om) (?:de |onze )?prij"
    r"|cena na (?:zapytanie|życzenie|vyžádání|dotaz|požádání|vyžiadanie|opýtanie|upit|povpraševanje)"
    r"|zaloguj się,? (?:aby|żeby) zobaczyć cen"
    r"|pris på (?:forespørsel|forespørgsel|begäran|förfrågan)|logga in för (?:att se )?pris|hinta pyydettäessä"
    r"|ár kérésre|preț la cerere|цена по запросу|ціна за запитом|цена при запитване|τιμή (?:κατόπιν|με) "
    r"|fiyat (?:için|sorunuz|almak için)|preço sob consulta|sob consulta"
    r"|(?:ask|enquire|inquire|register|sign up) (?:for|to (?:see|view)) (?:the |our |your )?prices?\b"
    r"|preise? (?:sind )?nur für (?:registrierte|angemeldete)|melden sie sich an,? um (?:die )?preise"
    r"|prix visibles? après|solicit[ae]r? (?:el )?precio|regístrate para ver (?:el |los )?precio"
    r"|richiedi (?:il )?prezzo|prezz[io] visibil[ei] dopo|log ?in voor (?:de )?prij|zapytaj o cenę"
    r"|cena (?:dostępna |widoczna )?po (?:zalogowaniu|prihlásení)|ceny? po přihlášení"
    r"|pro zobrazení cen[yu]? se přihlaste"
    r"|cena na dopyt|ár egyeztetés|az árak? megtekintéséhez|autentifică-te pentru a vedea pre|цена по запитване"
    r"|επικοινωνήστε για τιμή|log ind for at se pris|ring for pris|logg inn for å se pris|kysy hintaa"
    r"|kirjaudu (?:sisään )?nähdäksesi hin|уточняйте цену|цену уточняйте|узнать цену|запросить цену|уточнюйте ціну"
    r"|дізнатися ціну|fiyat al[ıi]n[ıi]z|fiyatları görmek için|faça login para ver (?:o |os )?preço"
    r"|preço mediante consulta"
    r"|ログインして価格|로그인 후 가격|价格面议|登录(?:后)?查看价格|cijena na upit|cena na upit|pozovite za cenu"
    r"|価格(?:は)?(?:お)?問い?合わせ|応談|가격 ?문의|询价|詢價|liên hệ (?:để biết )?giá"
)
_SAYS_SO = re.compile(any_of(branches(_LEFT_OUT)))
#: The same where the whole line says no more; in other lines these words may speak of anything.
_WHOLE_LINE = re.compile(
    r"\n[^\w\n]*(?:(?:price|preis|prix|precio|prezzo|prijs|cena|pris|preço|цена|ціна|giá|価格|价格) ?[:：]? ?)?"
    r"(?:poa|(?:up)?on request|auf anfrage|sur (?:devis|demande)|nous consulter|a consultar|su richiesta"
    r"|op aanvraag"
    r"|request a quote|angebot anfordern|demander un devis|(?:solicitar|pedir) (?:presupuesto|orçamento)"
    r"|preis anfragen|richiedi (?:un )?preventivo|offerte aanvragen|begär offert|hinta pyynnöstä"
    r"|kérjen (?:ár)?ajánlatot|cere ofertă|καλέστε για τιμή|ціну уточнюйте|お問い合わせください|สอบถามราคา"
    r"|hubungi kami(?: untuk harga)?|السعر عند الطلب|מחיר לפי בקשה|kaina pagal užklausą|cena pēc pieprasījuma"
    r"|hind päringul"
    r"|na zapytanie|na dotaz|по запросу|за запитом|consulte-nos|liên hệ|面議|面议|電洽|要問い?合わ?せ|전화 ?문의)"
    r"[^\w\n]*(?=\n)"
)


#: The product itself is said to be gone, and no more in that line than what replaces it: that stands behind.
_GONE = re.compile(
    r"(?:this (?:product|item|article) (?:is|has been) (?:no longer available|discontinued)"
    r"|(?:dieser artikel|dieses produkt|der artikel|das produkt) (?:ist|wird) (?:leider )?nicht mehr "
    r"(?:lieferbar|verfügbar|erhältlich|produziert|hergestellt)"
    r"|(?:ce produit|cet article) n['’]est plus (?:disponible|commercialisé|en vente|vendu)"
    r"|este (?:producto|artículo) ya no (?:está disponible|está a la venta|se vende|se fabrica)"
    r"|questo (?:prodotto|articolo) non è più (?:disponibile|in vendita|in produzione)"
    r"|este produto (?:já não|não) está mais disponível|dit (?:product|artikel) is niet meer (?:leverbaar|verkrijgbaar)"
    r"|ten produkt nie jest już (?:dostępny|sprzedawany)"
    r"|tento produkt (?:již|už) (?:není|nie je) (?:v nabídce|v ponuke)"
    r"|(?:denna|den här) (?:produkt(?:en)?|vara(?:n)?|artikel(?:n)?) (?:finns inte längre|har utgått|säljs inte längre)"
    r"|(?:dette produkt|denne vare|dette produktet|denne varen) (?:er udgået|er utgått|sælges ikke længere)"
    r"|tämä tuote on poistunut(?: valikoimasta)?|этот товар (?:больше не продаётся|снят с (?:продажи|производства)))"
    r"(?:[.,;:–—-]+ (?:(?:and |it )?(?:has been|was|is) (?:replaced|succeeded) by|(?:the )?(?:successor|replacement)"
    r"|(?:der |das |unser )?(?:nachfolge|ersatz)|(?:il est )?remplacé|ha sido sustituido|(?:è stato )?sostituito"
    r"|(?:het )?(?:is )?(?:vervangen|opvolger)|zastąpion|nahrazen|nahraden|ersatt|ersätts|erstattet|korvaava)[^\n]*"
    r"|[^\w\n]*)(?=\n)"
)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Why a page has no price of its own."""

    reason: str
    words: str


ON_REQUEST = "price_on_request"  #: the reason where the page leaves it to a question
_ASKED = LeftOut(ON_REQUEST, "the page leaves its price to a question, a login or the cart")
DISCONTINUED = "discontinued"  #: the reason where the product is no longer sold, whatever else is
_REPLACED = LeftOut(DISCONTINUED, "the page says that its product is no longer sold")


def why_left_out(document: Document, anchor: Anchor, at: Seen | None, seen: Sequence[Seen]) -> LeftOut | None:
    """Return why there is no price, as a short line between the product's name and an amount behind it tells.

    Args:
        document: the page.
        anchor: where its product stands.
        at: the amount that would be given, None where several stand alike.
        seen: those that it shows; of several the first one counts.
    """
    heading = anchor.heading
    if heading is None:
        return None
    behind = [s.amount.start for s in ([at] if at else seen) if s.role in _GIVEN and s.amount.start > heading]
    if not behind:
        return None
    lower, first = document.lower, min(behind)
    for pattern, why in ((_SAYS_SO, _ASKED), (_WHOLE_LINE, _ASKED), (_GONE, _REPLACED)):
        for found in pattern.finditer(lower, heading, first):
            begin, end = lower.rfind("\n", 0, found.end()) + 1, lower.find("\n", found.end())
            if end - begin <= LONGEST and end <= first and not stands_apart(document, found.end() - 1, anchor):
                return why
    return None


def is_above_others(document: Document, anchor: Anchor, seen: Sequence[Seen]) -> bool:
    """Say whether words over other products stand between the page's heading and the first price behind it."""
    heading = anchor.heading
    behind = [s.amount.start for s in seen if heading is not None and s.role in _GIVEN and s.amount.start > heading]
    at = begins(document.lower, heading, (), min(behind)) if behind else None
    return at is not None and at < min(behind)

"""Read whether a shopper could buy the product now; missing is unknown."""

import re
from collections.abc import Iterable
from functools import lru_cache

from selectolax.lexbor import LexborNode

from monitor.domain.extraction import Availability
from monitor.extract.anchor import is_disabled, stands_apart
from monitor.extract.buy_words import says_buy
from monitor.extract.document import Document
from monitor.extract.facts import Facts
from monitor.extract.names import elsewhere, is_card
from monitor.extract.others import begins
from monitor.extract.standing import Anchor
from monitor.extract.vocabulary import Sieve, Vocabulary, plain

_DECLARED = {
    "instock": Availability.IN_STOCK, "instoreonly": Availability.IN_STOCK, "onlineonly": Availability.IN_STOCK,
    "limitedavailability": Availability.IN_STOCK, "available": Availability.IN_STOCK, "lowstock": Availability.IN_STOCK,
    "madetoorder": Availability.IN_STOCK, "outofstock": Availability.OUT_OF_STOCK, "soldout": Availability.OUT_OF_STOCK,
    "oos": Availability.OUT_OF_STOCK, "unavailable": Availability.OUT_OF_STOCK, "reserved": Availability.OUT_OF_STOCK,
    "preorder": Availability.PREORDER, "presale": Availability.PREORDER, "pending": Availability.PREORDER,
    "backorder": Availability.BACKORDER, "availablefororder": Availability.BACKORDER,
    "discontinued": Availability.DISCONTINUED,
}  # fmt: skip

#: Which of several declared availabilities speaks for all.
_BY_WEIGHT = (
    Availability.IN_STOCK, Availability.PREORDER, Availability.BACKORDER, Availability.OUT_OF_STOCK,
    Availability.DISCONTINUED,
)  # fmt: skip

_GONE = Vocabulary(
    r"no longer available|discontinued|nicht mehr lieferbar|nicht mehr verfügbar|nicht mehr erhältlich",
    r"no longer (?:sold|for sale|in production)|nicht mehr im (?:sortiment|angebot|handel)",
    r"n'est plus (?:disponible|commercialisé|en vente|vendu)|n’est plus (?:disponible|commercialisé|en vente|vendu)",
    r"niet meer in (?:het |ons )?assortiment",
    r"ya no (?:está disponible|disponible|está a la venta|se vende|se fabrica)|non più (?:in vendita|in produzione)",
    r"больше не (?:прода|выпуска|производ)|säljs inte längre|sælges ikke længere|selges ikke lenger",
    r"prodej (?:byl )?ukončen|descontinuad",
    r"nie jest już (?:dostępn|sprzedawan|produkowan)|снят с |снята с |non più disponibile|has been retired",
    r"não está mais disponível|niet meer (?:leverbaar|verkrijgbaar)|utgått|udgået|wycofan|již nedostupn",
    r"販売終了|生産終了|단종|停产|ngừng kinh doanh|üretimi durdur|produit arrêté",
    r"descatalogad|fuori produzione|uit (?:het |ons )?assortiment|снято с |знято з виробництва",
    r"výroba (?:byla )?ukončena",
    r"produktion eingestellt|artikel eingestellt|vertrieb eingestellt|poistunut valikoimasta|kifutott",
    r"megszűnt termék|fora de linha",
    r"scos din (?:fabricație|producție|ofertă)|ukinut\w* iz|καταργήθηκε",
)
_OUT = Vocabulary(
    r"out of[ -]stock|out-of[ -]stock|sold[ -]?out|currently not available|currently unavailable|currently out",
    r"temporarily unavailable|temporarily out|not available",
    r"not currently available|not in stock|unavailable|notify me|email me when|alert me when|tell me when",
    r"back in stock (?:soon|alert|notif|reminder)|when (?:it['’]?s |it is )?back in stock|back soon",
    r"listing has ended|auction has ended|bidding ended|bidding has ended|sales? (?:period )?(?:has |have )?ended",
    r"販売期間(?:は|が)?終了|受付(?:は|が|を)?終了|판매 ?종료",
    r"ausverkauft|nicht vorrätig|nicht lieferbar|nicht verfügbar|nicht auf lager|vergriffen|en rupture",
    r"rupture de stock|épuisé|indisponible|non disponible",
    r"agotado|sin stock|sin existencias|no disponible|esgotado|indisponível|esaurito|uitverkocht",
    r"niet op voorraad|niet leverbaar|slutsåld|ej i lager",
    r"udsolgt|utsolgt|ikke på lager|loppuunmyyty|niedostępn|brak w magazynie|vyprod[aá]n|není skladem",
    r"nie je skladom|nedostupn|nedá kúpiť",
    r"нет в наличии|отсутствует|распродан|нема в наявності|elfogyott|nincs raktáron|nincs készleten",
    r"stoc epuizat|indisponibil|немає в наявності|няма на склад|išparduota|nav noliktavā|läbi müüdud",
    r"غير متوفر|نفد|ناموجود|สินค้าหมด",
    r"ni na zalogi|razprodano|nema na zalihi|rasprodano",
    r"изчерпан|няма наличност|εξαντλ|tükendi|已售完|售完|缺貨|補貨中|売り切れ|在庫なし|販売休止|품절|hết hàng|אזל",
    r"sem stock|fora de estoque|plus disponible|actuellement indisponible|op dit moment niet|tijdelijk uitverkocht",
    r"slut i lager|tillfälligt slut|ei varastossa|tilapäisesti loppu|brak towaru|momentálně nedostup|aktuálně nedostup",
    r"нет на складе|нет в продаже|закончился|закінчився|очікується|ожидается поступление|uppselt|otsas",
    r"ist (?:leider )?(?:bereits |schon )?verkauft|wurde bereits verkauft|has been sold(?! by)|déjà vendu|già venduto",
    r"stokta yok|satılmıştır|stok habis|habis terjual|在庫切れ|完売|入荷待ち|일시 ?품절",
    r"无货|無庫存|售罄|已售罄|到貨通知|到货通知|tạm hết",
    r"victime de son succès|pas (?:en stock|disponible)|fuera de stock|no hay (?:stock|existencias)|non disponibile",
    r"niet beschikbaar|wyprzedan|vypredan|nie je na sklade|nem elérhető|nem rendelhető|kifogyott|nu (?:este"
    r"|e) [îi]n stoc",
    r"epuizat|няма в наличност|не е (?:наличен|в наличност)|ei saatavilla|ei ole (?:laos|saadaval)|izpārdot",
    r"nav pieejam|neturime",
    r"nėra sandėlyje|prekės nėra|ni na voljo|rasprodat|nema na stanju|раскупили|немає на складі|розпродан|sem estoque",
    r"stokta bulunmama|stokta kalmad|temin edilem|no longer in stock|品切れ|재고 ?없|매진|缺货|断货|tidak tersedia",
    r"ikke (?:tilgængelig|tilgjengelig)|inte tillgänglig|ej tillgänglig|não (?:há stock|disponível)",
    r"loppu (?:varasto|verkkokaup)|tuote (?:on )?loppu|varasto (?:on )?loppu|loppunut|myyty loppuun|toistaiseksi loppu",
    r"slut (?:på|i) (?:\w+)?lager|ej i webblager|nicht bestellbar|lieferzeit unbekannt|hors stock|brak na stanie",
    r"készlethiány|nem kapható|lipsă stoc|stoc 0\b|εκτός αποθέματος|入荷未定|在庫数[:： ]*0\b|판매 ?중지|솔드 ?아웃",
    r"nema na skladištu|nema na lageru|неналич|stoklarımızda bulunmama|نفذ المخزون|نفدت الكمية|ei tilattavissa",
    r"نفذت الكمية|غير متاح|לא במלאי|חסר במלאי|μη διαθέσιμο|nije dostupno|ni dobavljivo|nuk ka",
)
#: What a control offers where the product cannot be bought; in a text it may be about another size or a lower price.
_NOTIFIES = Vocabulary(
    r"notify when|benachrichtig\w*(?: sie)?(?: mich| uns)?,? (?:wenn|sobald|bei)|bei verfügbarkeit",
    r"wenn wieder (?:da|verfügbar|lieferbar)|javi mi|obavijesti me",
    r"prévenez-moi|me prévenir|m['’]avertir|alertez-moi|être (?:alerté|averti|prévenu)|avís[ae]me|avisarme|notifícame",
    r"avise-me|me avise|avisar-me|avvisami|notificami|powiadom|сообщить о|уведомить|повідомити|hlídat dostupnost",
    r"upozornit|upozorniť|informujte ma|houd me op de hoogte|mail (?:mij|me)|meddela mig|bevaka|besked når|varsle meg",
    r"ilmoita kun|saatavuusilmoitus|értesít|anunță-mă|notifică-mă|gelince haber|ειδοποίησ|再入荷|재입고",
)
_PRE = Vocabulary(
    r"pre-?order|vorbestell|précommand|preventa|предзаказ|пред-заказ|zamów przed|předobjedn|予約|preordin|prenotabile",
    r"przedsprzeda|förboka|förhandsbo|forudbestil|forhåndsbestil|ennakkotila|передзамов|pré-?(?:venda|encomenda)",
    r"예약 ?판매|预售|預售|預購|预购|ön sipariş|predobjedn|előrendel|precomand|προπαραγγελ|đặt trước",
    r"предварител\w+ (?:заказ|поръчка)|prednaru[čdđ]|prednaroč|förbeställ|예약 ?구매|预订|預訂|พรีออเดอร์",
    r"طلب مسبق|הזמנה מראש",
)
_BACK = Vocabulary(
    r"back-?order|on back order|nachbestell|special order|под заказ|під замовлення|na zamówienie|取り寄せ|お取寄",
    r"auf bestellung|bestellware|bestellartikel|sur commande|bajo pedido|sobre pedido|su ordinazione|sob encomenda",
    r"op bestelling(?! van)|только на заказ|товар на заказ|na objednávku|na objednanie|la comandă|pe comandă",
    r"по поръчка|po narudžbi|beställningsvara|bestillingsvare|tilaustuote|rendelésre|rendelhető",
    r"po naročilu|sipariş üzerine|κατόπιν παραγγελίας",
)
_IN = Vocabulary(
    r"in stock|in-stock|instock|available now|available online|available for|ready to ship|ships? in|ships? within",
    r"ships? today|ships? tomorrow|auf lager|an lager",
    r"sofort lieferbar|sofort verfügbar|lieferbar|vorrätig|en stock|disponible|disponível|em estoque",
    r"disponibile|op voorraad|i lager|á lager|på lager|varastossa",
    r"în stoc|in stoc|w magazynie|na sklade|на складі|на склад|tilgængelig|saatavilla|yra sandėlyje",
    r"متوفر|متاح|موجود|มีสินค้า",
    r"dostępn|na stanie|skladem|skladom|в наличии|в наявності|raktáron|készleten|na zalogi|na zalihi",
    r"в наличност|noliktavā|laos|stokta|有貨|現貨|在庫あり|còn hàng|במלאי|有货|现货|재고 있|stok tersedia|ready stock",
    r"direct leverbaar|hay existencias|disponibilità immediata|em stock|σε απόθεμα|有庫存|即納|tersedia|наличен|turime",
    r"pieejams|dostupné|elérhető|only [0-9]{1,3} (?:left|remaining)",
    r"dostupno odmah|na stanju|dobavljivo|άμεσα διαθέσιμο|διαθέσιμο|til á lager|есть в наличии|є на складі",
)
#: How a line begins that states the stock.
_STOCK_LABEL = re.compile(
    r"\W*(?:availab|stock|verfügbar|lager|dispon|dostępn|dostupn|tilg|tillg|saatav|beschikb|voorraad|készlet|stoc\b|stok"
    r"|наявн|наличи|наличн|διαθεσ|prieinam|pieejam|saadav|razpol|在庫|재고|库存|庫存|tình trạng)[^:：\n]{0,20}[:：]"
)
#: In this order a text is asked: the negative phrases contain the positive ones.
_SPOKEN = (
    (_GONE, Availability.DISCONTINUED),
    (_OUT, Availability.OUT_OF_STOCK),
    (_BACK, Availability.BACKORDER),
    (_PRE, Availability.PREORDER),
    (_IN, Availability.IN_STOCK),
)
SHORTEST = 3  #: characters of such a text with the one before it: 품절, 完売
_NOT_SOLD = frozenset({Availability.OUT_OF_STOCK, Availability.DISCONTINUED})
_SIEVE = Sieve(*(vocabulary for vocabulary, _ in _SPOKEN))


def declared_availability(texts: Iterable[str | None]) -> Availability | None:
    """Return the common answer of declared availabilities; one variant in stock means in stock."""
    found = {_declared(text) for text in texts if text}
    return next((a for a in _BY_WEIGHT if a in found), None)


@lru_cache(maxsize=1024)
def _declared(text: str) -> Availability | None:
    return _DECLARED.get(re.sub(r"[^a-z]", "", re.split(r"[/#]", text.strip())[-1].lower()))


def _spoken(document: Document, low: int, high: int, anchor: Anchor) -> list[Availability]:
    """Return what short texts between two offsets say, in order."""
    found: list[Availability] = []
    for start, end in document.runs(_SIEVE.places(document.lower, low, high)):
        if start >= low and SHORTEST <= end - start <= 90:
            kind = _said(document.lower[start + 1 : end])
            if kind and kind not in found and not stands_apart(document, start + 1, anchor):
                found.append(kind)
    return found


def _is_stated_out(document: Document, low: int, high: int, anchor: Anchor) -> bool:
    """Say whether a line between two offsets is labelled as the stock and says that there is none."""
    lower = document.lower
    return any(
        end - start <= 90
        and _said(lower[start + 1 : end]) is Availability.OUT_OF_STOCK
        and _STOCK_LABEL.match(lower, lower.rfind("\n", 0, start + 1) + 1, end)
        and not stands_apart(document, start + 1, anchor)
        for start, end in document.runs(_SIEVE.places(lower, low, high))
    )


def _is_plain(document: Document, low: int, high: int, anchor: Anchor) -> bool:
    """Say whether words that say sold out stand in elements without a name, which no style shows only at times."""
    return any(
        end - start <= 90
        and _said(document.lower[start + 1 : end]) is Availability.OUT_OF_STOCK
        and not any(document.place(start + 1).names[:2])
        and not stands_apart(document, start + 1, anchor)
        for start, end in document.runs(_SIEVE.places(document.lower, low, high))
    )


@lru_cache(maxsize=8192)
def _said(text: str) -> Availability | None:
    kind = next((kind for vocabulary, kind in _SPOKEN if vocabulary.found(text)), None)
    return None if kind is Availability.IN_STOCK and _NOTIFIES.found(text) else kind


def _buy_state(document: Document, low: int, high: int, anchor: Anchor | None = None) -> tuple[bool, bool]:
    """Return (an enabled buy control, a disabled one) near the product; the first enabled one ends the search.

    With an anchor those are passed by that stand in blocks and cards of other products.
    """
    disabled = False
    for _, control in document.controls_between(low, high):
        if anchor and _is_of_others(document, control, anchor):
            continue
        if control.tag == "button":
            label = control.text(deep=True, separator=" ")[:200]
        else:
            label = control.attrs.get("value") or ""
        is_out, buys = _control_says(label) if label else (False, False)
        off = is_out or (buys and is_disabled(control.attributes))
        if buys and not off:
            return True, disabled
        disabled = disabled or off
    return False, disabled


def _is_of_others(document: Document, control: LexborNode, anchor: Anchor) -> bool:
    place = document.place_of(control)
    for names, identity in zip(place.names[1:], place.ids[1:], strict=True):
        if identity in anchor.around:
            return False
        if elsewhere(names) or is_card(names):
            return True
    return False


@lru_cache(maxsize=4096)
def _control_says(label: str) -> tuple[bool, bool]:
    """Return (it is sold out, it buys) as a control's label says; the one excludes the other."""
    label = plain(label)
    is_out = _OUT.found(label) is not None or _NOTIFIES.found(label) is not None
    return is_out, not is_out and says_buy(label)


def availability(
    document: Document, facts: Facts, anchor: Anchor, declared: Availability | None, price_at: int | None
) -> Availability:
    """Weigh what is declared against the words and buttons beside the product."""
    meta = declared_availability(
        [facts.meta("product:availability", "og:availability", "availability", "og:product:availability")]
    )
    centre = anchor.heading if anchor.heading is not None else price_at
    said = declared or meta
    if centre is None:
        return said or Availability.UNKNOWN
    low, high = (
        max(0, min(centre, price_at if price_at is not None else centre) - 800),
        max(centre, price_at or 0) + 2000,
    )
    enabled, disabled = _buy_state(document, low, high)
    if enabled and said is Availability.IN_STOCK:
        return said
    spoken = _spoken(document, low, high, anchor)
    if enabled and not _NOT_SOLD.isdisjoint(spoken):
        others = begins(document.lower, anchor.heading, (), high)
        enabled, disabled = _buy_state(document, low, others or high, anchor)
        if _is_stated_out(document, low, high, anchor):
            return Availability.OUT_OF_STOCK
        if (
            enabled
            and said is None
            and spoken == [Availability.OUT_OF_STOCK]
            and _is_plain(document, low, high, anchor)
        ):
            return Availability.UNKNOWN  # words and button contradict each other
    near = any(centre - 500 <= b <= high + 3000 for b in anchor.buys)
    weighed = _weighed(said, spoken, (enabled, disabled), near=near, anywhere=bool(anchor.buys))
    if weighed is Availability.DISCONTINUED and said is not weighed and _NOTIFIES.found(document.lower[low:high]):
        return Availability.OUT_OF_STOCK  # a shop that promises word of it expects it back
    return weighed


def _weighed(
    said: Availability | None, spoken: list[Availability], controls: tuple[bool, bool], *, near: bool, anywhere: bool
) -> Availability:
    """Weigh what is declared, what short texts say, and the controls that buy: enabled, disabled, near, anywhere."""
    enabled, disabled = controls
    for kind in (Availability.PREORDER, Availability.BACKORDER):
        if said is kind or (
            kind in spoken and said is not Availability.IN_STOCK and said is not Availability.OUT_OF_STOCK
        ):
            return kind
    if Availability.DISCONTINUED in spoken and not enabled:
        return Availability.DISCONTINUED
    if Availability.OUT_OF_STOCK in spoken and not enabled and (disabled or not near):
        return Availability.OUT_OF_STOCK
    if said is Availability.OUT_OF_STOCK and enabled and Availability.OUT_OF_STOCK not in spoken:
        return Availability.IN_STOCK
    if said:
        return said
    if Availability.OUT_OF_STOCK in spoken and not enabled and Availability.IN_STOCK not in spoken:
        return Availability.OUT_OF_STOCK
    if enabled or anywhere or Availability.IN_STOCK in spoken:
        return Availability.IN_STOCK
    return Availability.OUT_OF_STOCK if disabled else Availability.UNKNOWN


def spoken_availability(text: str) -> Availability:
    """Return what one short text says, `unknown` when nothing."""
    return _said(plain(text[:500])) or Availability.UNKNOWN

"""Read whether a shopper could buy the product now; missing is unknown."""

import re
from collections.abc import Iterable

from monitor.domain.extraction import Availability
from monitor.extract.anchor import BUY, is_disabled
from monitor.extract.document import Document
from monitor.extract.facts import Facts
from monitor.extract.visible import Anchor
from monitor.extract.words import ELSEWHERE_CLASS

_DECLARED = {
    "instock": Availability.IN_STOCK, "instoreonly": Availability.IN_STOCK, "onlineonly": Availability.IN_STOCK,
    "limitedavailability": Availability.IN_STOCK, "available": Availability.IN_STOCK, "lowstock": Availability.IN_STOCK,
    "madetoorder": Availability.IN_STOCK, "outofstock": Availability.OUT_OF_STOCK, "soldout": Availability.OUT_OF_STOCK,
    "oos": Availability.OUT_OF_STOCK, "unavailable": Availability.OUT_OF_STOCK, "reserved": Availability.OUT_OF_STOCK,
    "preorder": Availability.PREORDER, "presale": Availability.PREORDER, "pending": Availability.PREORDER,
    "backorder": Availability.BACKORDER, "availablefororder": Availability.BACKORDER, "discontinued": Availability.DISCONTINUED,
}  # fmt: skip

_GONE = re.compile(
    r"no longer available|discontinued|nicht mehr (?:lieferbar|verfügbar|erhältlich)|n'est plus (?:disponible|commercialisé)|ya no (?:está )?disponible|снят[оа]? с (?:производства|продажи)|non più disponibile|has been retired",
    re.IGNORECASE,
)
_OUT = re.compile(
    r"\bout[ -]of[ -]stock\b|\bsold[ -]?out\b|\bcurrently (?:not available|unavailable|out)\b|\btemporarily (?:unavailable|out)\b|\bnot (?:currently )?(?:available|in stock)\b|"
    r"\bunavailable\b|(?:notify|email|alert|tell) me when|notify me|back in stock soon|(?:listing|auction|bidding) (?:has )?ended|"
    r"ausverkauft|nicht (?:vorrätig|lieferbar|verfügbar|auf lager)|vergriffen|en rupture|rupture de stock|épuisé|indisponible|non disponible|agotado|sin (?:stock|existencias)|no disponible|"
    r"esgotado|indisponível|esaurito|uitverkocht|niet (?:op voorraad|leverbaar)|slutsåld|ej i lager|udsolgt|utsolgt|ikke på lager|loppuunmyyty|niedostępn|brak w magazynie|vyprod[aá]n|není skladem|"
    r"nie je skladom|nedostupn|momentálne (?:sa )?nedá|nedá kúpiť|нет в наличии|отсутствует|распродан|нема в наявності|elfogyott|nincs (?:raktáron|készleten)|ni na zalogi|razprodano|nema na zalihi|rasprodano|"
    r"изчерпан|няма наличност|εξαντλ|tükendi|已售完|售完|缺貨|補貨中|売り切れ|在庫なし|품절|hết hàng|אזל",
    re.IGNORECASE,
)
_PRE = re.compile(
    r"\bpre-?order\b|vorbestell|précommand|preventa|reserva(?:r)? ahora|пред-?заказ|zamów przed|předobjedn|予約",
    re.IGNORECASE,
)
_BACK = re.compile(r"\bback-?order(?:ed)?\b|on back ?order|nachbestell|special order", re.IGNORECASE)
_IN = re.compile(
    r"\bin[ -]?stock\b|\bavailable (?:now|online|for)\b|\bready to ship\b|\bships? (?:in|within|today|tomorrow|same)|auf lager|an lager|sofort (?:lieferbar|verfügbar)|lieferbar|vorrätig|en stock|disponible|"
    r"disponível|em estoque|disponibile|op voorraad|i lager|på lager|varastossa|dostępn|na stanie|skladem|skladom|в наличии|есть в наличии|в наявності|raktáron|készleten|na zalogi|na zalihi|в наличност|"
    r"noliktavā|laos|stokta|有貨|現貨|在庫あり|còn hàng|במלאי",
    re.IGNORECASE,
)


def declared_availability(texts: Iterable[str | None]) -> Availability | None:
    """Return the common answer of declared availabilities; one variant in stock means in stock."""
    found = set()
    for text in texts:
        key = re.sub(r"[^a-z]", "", re.split(r"[/#]", (text or "").strip())[-1].lower())
        if key in _DECLARED:
            found.add(_DECLARED[key])
    order = (
        Availability.IN_STOCK,
        Availability.PREORDER,
        Availability.BACKORDER,
        Availability.OUT_OF_STOCK,
        Availability.DISCONTINUED,
    )
    return next((a for a in order if a in found), None)


def _hidden(document: Document, offset: int, anchor: Anchor) -> bool:
    place = document.place(offset)
    for names, identity in zip(place.names, place.ids, strict=True):
        if identity in anchor.around:
            return False
        if (
            "display-none" in names
            or "hidden-attribute" in names
            or re.search(r"(?:^|\s)(?:hidden|hide|d-none|is-hidden|visually-hidden|template)(?:\s|$)", names)
        ):
            return True
        if ELSEWHERE_CLASS.search(names):
            return True
    return False


def _spoken(document: Document, low: int, high: int, anchor: Anchor) -> list[Availability]:
    """Return what short texts between two offsets say, in order."""
    kinds = (
        (_GONE, Availability.DISCONTINUED),
        (_OUT, Availability.OUT_OF_STOCK),
        (_BACK, Availability.BACKORDER),
        (_PRE, Availability.PREORDER),
        (_IN, Availability.IN_STOCK),
    )
    window = document.text[low:high]
    found = []
    for pattern, kind in kinds:
        for match in list(pattern.finditer(window))[:8]:
            start = max(window.rfind("\x1f", 0, match.start()), window.rfind("\n", 0, match.start())) + 1
            ends = [e for e in (window.find("\x1f", match.end()), window.find("\n", match.end())) if e >= 0]
            run = min(ends, default=len(window)) - start
            if run <= 90 and not _hidden(document, low + match.start(), anchor):
                found.append(kind)
                break
    return found


def _buy_state(document: Document, low: int, high: int) -> tuple[bool, bool]:
    """Return (an enabled buy control, a disabled one) near the product."""
    enabled = disabled = False
    for offset, control in document.controls:
        if not low <= offset <= high:
            continue
        label = (
            control.text(deep=True, separator=" ")[:200]
            if control.tag == "button"
            else (control.attributes.get("value") or "")
        )
        if _OUT.search(label):
            disabled = True
        elif BUY.search(label):
            off = is_disabled(control.attributes)
            enabled, disabled = enabled or not off, disabled or off
    return enabled, disabled


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
        max(0, min(centre, price_at if price_at is not None else centre) - 400),
        max(centre, price_at or 0) + 2000,
    )
    spoken = _spoken(document, low, high, anchor)
    enabled, disabled = _buy_state(document, low, high)
    for kind in (Availability.PREORDER, Availability.BACKORDER):
        if said is kind or (
            kind in spoken and said is not Availability.IN_STOCK and said is not Availability.OUT_OF_STOCK
        ):
            return kind
    if Availability.DISCONTINUED in spoken and not enabled:
        return Availability.DISCONTINUED
    if Availability.OUT_OF_STOCK in spoken and not enabled and (disabled or not anchor.buys):
        return Availability.OUT_OF_STOCK
    if said:
        return said
    if Availability.OUT_OF_STOCK in spoken and not enabled and Availability.IN_STOCK not in spoken:
        return Availability.OUT_OF_STOCK
    if enabled or anchor.buys or Availability.IN_STOCK in spoken:
        return Availability.IN_STOCK
    return Availability.UNKNOWN


def spoken_availability(text: str) -> Availability:
    """Return what one short text says, `unknown` when nothing."""
    kinds = (
        (_GONE, Availability.DISCONTINUED),
        (_OUT, Availability.OUT_OF_STOCK),
        (_BACK, Availability.BACKORDER),
        (_PRE, Availability.PREORDER),
        (_IN, Availability.IN_STOCK),
    )
    return next((kind for pattern, kind in kinds if pattern.search(text[:500])), Availability.UNKNOWN)

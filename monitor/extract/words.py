"""The vocabulary of shop pages: what the words beside an amount mean.

English, German, French, Spanish, Portuguese, Italian, Dutch, the Nordic and Slavic languages, Hungarian,
Greek, Chinese, Korean, Japanese. Add words, never sites. All phrases are lower case and are matched against
text in lower case with single spaces (`plain`), because that is several times faster than ignoring case.
"""

import re
from collections import defaultdict
from collections.abc import Iterator


def plain(text: str) -> str:
    """Return text in lower case with single spaces, markup boundaries gone."""
    return " ".join(text.replace("\x1f", " ").lower().split())


SIEVED = 5  #: characters of a phrase that a sieve compares

_UNSPACED = r"[\W\d_぀-鿿가-힯]"
#: A word begins here: no letter before, or none behind, or a script that writes no spaces between words.
_EDGE = rf"(?:(?<![^\W\d_])|(?={_UNSPACED}))"
_ANYWHERE = re.compile(_UNSPACED)


class Vocabulary:
    """Phrases in the form of regular expression branches, each beginning with a literal."""

    def __init__(self, *lines: str, tail: str = "", head: str = "", whole: bool = True) -> None:
        self.lines = tuple(line.strip("| ") for line in lines)
        edge = _EDGE if whole and not head else ""
        self._pattern = re.compile(f"{edge}{head}(?:{'|'.join(self.lines)}){tail}")

    def found(self, text: str) -> str | None:
        """Return the first phrase that begins at the edge of a word, None when there is none."""
        match = self._pattern.search(text) if text else None
        return match.group() if match else None


class Sieve:
    """Finds where phrases of some vocabularies may begin in a long text, never missing one; fast."""

    def __init__(self, *vocabularies: Vocabulary) -> None:
        heads = {_literal_head(branch) for v in vocabularies for line in v.lines for branch in _branches(line)}
        behind: dict[str, set[str]] = defaultdict(set)
        for head in heads:
            behind[head[0]].add(head[1:SIEVED])
        branches = {
            first: f"{re.escape(first)}(?:{'|'.join(sorted(map(re.escape, rest)))})" for first, rest in behind.items()
        }
        parted = sorted(branch for first, branch in branches.items() if not _ANYWHERE.match(first))
        joined = sorted(branch for first, branch in branches.items() if _ANYWHERE.match(first))
        self._pattern = re.compile("|".join([rf"(?<![^\W\d_])(?:{'|'.join(parted)})"] * bool(parted) + joined))

    def places(self, text: str, low: int, high: int) -> Iterator[int]:
        """Yield offsets of `text` between two others at which a phrase may begin."""
        return (found.start() for found in self._pattern.finditer(text, max(0, low), high))

    def passes(self, text: str) -> bool:
        """Say whether a phrase may begin anywhere in `text`."""
        return self._pattern.search(text) is not None


def _branches(line: str) -> Iterator[str]:
    """Split a pattern at its outermost bars."""
    depth, start = 0, 0
    for at, character in enumerate(line):
        depth += (character == "(") - (character == ")")
        if character == "|" and not depth:
            yield line[start:at]
            start = at + 1
    yield line[start:]


def _literal_head(branch: str) -> str:
    """Return the characters with which everything begins that a branch matches."""
    found = re.match(r"[^\\.^$*+?{}\[\]()|]+", branch)
    head = found.group() if found else ""
    follows = branch[len(head) : len(head) + 1]
    head = head[:-1] if follows and follows in "?*{" else head
    if not head:
        raise ValueError(f"the phrase {branch!r} does not begin with a literal; write its first letters out")
    return head


#: Text just before an amount.
LIST_BEFORE = Vocabulary(
    r"was|were|market price|rrp|r\.r\.p|msrp|m\.s\.r\.p|list price|list|reg|regular price|regular|regularly"
    r"|retail price",
    r"retail|compare at",
    r"compared at|original price was|original price|original|originally|old price|previous price|previously",
    r"price before|before the sale|before",
    r"uvp|statt|vorher|bisher|bisheriger preis|ursprünglich\w*|alter preis"
    r"|unverb\w*(?: preisempfehlung(?: des herstellers)?)?"
    r"|früher|prix barré|prix conseillé|prix public|prix initial",
    r"ancien prix",
    r"au lieu de|prix de départ|antes|precio normal|precio anterior|precio de lista|pvpr?|pvp recomendado"
    r"|prezzo consigliato|prezzo di listino",
    r"prezzo precedente",
    r"prezzo originale|anziché|invece di|adviesprijs|ordinarie pris|ord\.? pris|tidligere|førpris|før|före",
    r"normalpreis|normal",
    r"normalt|normal price|normalpris|norm|usual price|usually|usual|normally|áður|verð áður|rég\.?|régulier"
    r"|prix régulier|cena regularna|cena katalogowa|cena przed obniżką|původní cena",
    r"běžná cena|bežná cena|pôvodná cena",
    r"preț vechi|pret vechi|preț întreg|prp|стара цена|stara cena|stara cijena|cena bez zniżki|παλιά τιμή"
    r"|αρχική τιμή",
    r"giá gốc|giá cũ|eski fiyat|piyasa fiyatı|senas kaina|vecā cena|vana hind|tavahind|ovh|السعر السابق|قبل",
    r"старая цена|стара ціна|цена без скидки|redna cena|redovna cijena|eredeti ár|preço de|de:",
    r"原價|原价|建議售價|市价|定価|希望小売価格|通常価格|정가|소비자가|할인 ?전(?: 판매가)?|정상가",
    tail=r"[ :.(]*$",
)
SAVING_BEFORE = Vocabulary(
    r"you save|save|saving|savings|saved|discount|rabatt|ersparnis|sie sparen|spare|sparen|économisez|économie",
    r"remise|ahorra|ahorro",
    r"descuento|risparmi|sconto|desconto|economize|economia|korting|bespaar|zniżka|rabat|oszczędzasz|sleva",
    r"zľava|ušetříte|ušetríte",
    r"скидка|экономия|выгода|prihran|ušteda|折扣|할인(?! ?전|가|판매)|cashback|бонус|earn|points",
    tail=r"[^0-9]{0,20}$",
)
SHIPPING_BEFORE = Vocabulary(
    r"shipping|delivery|postage|versand|lieferung|livraison|frais de port|envío|envio|spedizione|consegna",
    r"verzending|frete|dostawa|wysyłka",
    r"doprava|доставк|fragt|frakt|toimitus|szállítás|poštnina|dostava|運費|배송|free on|free for|orders? over",
    r"orders? of|orders? above",
    r"offerte? (?:dès|à partir)|gratuite? (?:dès|à partir)|gratis (?:vanaf|ab|desde|fra|från|od)|kostenlos ab"
    r"|(?:versandkosten|porto)?frei ab|gratuita (?:da|sopra|oltre)|darmow\w+ od|zdarma (?:od|nad)|безкоштовно від"
    r"|бесплатно от|ingyenes|ücretsiz|送料無料",
    r"s&s|s&h|p&p|spend|purchases? over|purchase of|over|above|commande|mindestbestell|bestellwert|minimum",
    tail=r"[^0-9]{0,30}$",
)
SHIPPING_AFTER = Vocabulary(
    r"shipping|delivery|postage|p&p|versand|livraison|envío|spedizione|frete|доставка|minimum order",
    r"for free shipping",
    head=r"^\W{0,2}",
)
INSTALMENT_BEFORE = Vocabulary(
    r"payments? of|instal{1,2}ments? of|instal{1,2}ments?|cuotas?|mensualit[ée]s?|raten?(?= (?:ab|von|da|od"
    r"|z)\b)|monatlich|monthly|par mois",
    r"per month|每期|分期|finanz|financ|lease|leasing|klarna|afterpay|zip|affirm|clearpay|sezzle|laybuy|paypal|raty",
    r"splátk|рассрочк",
    r"кредит|apr|deposit|anzahlung|[0-9]{1,2} ?[x×*] ?(?:de|of|à|von|per)?$",
    tail=r"[^0-9]{0,24}$",
)
INSTALMENT_AFTER = Vocabulary(
    r"/ ?mo\b|/ ?mes\b|/ ?mês\b|/ ?мес|/ ?month|/ ?monat|/ ?mois|a month|per month|pro monat|par mois|al mes",
    r"por mes|por mês|per week|a week|monthly",
    r"x ?[0-9]{1,2}\b|× ?[0-9]{1,2}\b|mensuales|mensuel|mjesečno|na mesec|в месяц",
    head=r"^[*\s]{0,3}",
)
UNIT_AFTER = Vocabulary(
    r"kg|kilo|k?g|gr?|gram|mg|l|lt|ltr|lit\w*|ml|cl|dl|m|m2|m²|m³|qm|lfm|mt|met\w*|cm|mm|ft|foot|feet|sq\.? ?ft",
    r"yd|yard|oz|fl\.? ?oz|lb",
    r"pound|count|ct|кг|л|м|wash|load|serving|sheet|tablet|capsule|dose|100\w*",
    head=r"^\)? ?(?:/|per\b|pro\b|je\b|par\b|au\b|por\b|al\b|за\b|pr\.?\b) ?(?:[0-9]+[ .,0-9]*)?",
    tail=r"\b",
    whole=False,
)
MEMBER_AROUND = Vocabulary(
    r"members?|membership|club|loyalty|subscribe|subscription|subscriber|auto-?ship|rewards exclusive|tarjeta",
    r"store card|with card|cardholder|clubcard|mitglied|abonn|plus card|exclusive|prime|vip|miembro|sócio|socio",
    r"по карте|[сc] (?:[\w-]+ )?картой|с подпиской|для участников|z kartą|s kartou|med kort|medlem|jäsen|hűségkártya",
    r"leden(?:prijs|voordeel)|carte de fidélité|avec la carte|con (?:la )?tessera|üyelere",
    r"와우|멤버십|회원|会員|會員|会员|プライム",
    r"with (?:the )?(?:code|coupon|voucher)|after coupon|price with code|mit (?:dem )?(?:code|gutschein)",
    r"avec le code|con (?:el )?(?:código|cupón)|con (?:il )?codice|com (?:o )?cupom|met (?:de )?code|z kodem|s kódem",
    r"kóddal|cu cod|по промокоду|с промокодом|s kodom|kuponla|kodla|クーポン|쿠폰|券后",
)
#: One way of paying; whoever pays so pays this.
PAYMENT_AROUND = Vocabulary(
    r"no pix|via pix|pix\b|no boleto|con transferencia|por transferencia|transferência|en efectivo|por depósito",
    r"bei vorkasse|per vorkasse|bank transfer|by wire|bankoverf|havale|eft\b",
)
FROM_BEFORE = Vocabulary(
    r"from only|from|starting at|starting from|starts at|as low as|ab|dès|à partir de|a partir de|desde|da",
    r"vanaf|fra|från|od|от|alkaen",
    tail=r"[ :]*$",
)
FROM_AFTER = Vocabulary(r"起|～|부터|-tól|-től", head=r"^ ?", whole=False)
OTHER_BEFORE = Vocabulary(
    r"plus|pack of|for both|for all|buy all|all [0-9]|brez ddv|bez pdv|без ндс|ohne mwst|exkl\w*|sans tva",
    r"senza iva|sin iva|sem iva|uden moms|nettó|χωρίς φπα|tax excl\w*|before tax",
    r"e(?:x|xc|xcl|xkl|xklusive|xclusief|xcluding|kskl)\.? ?(?:vat|tax|gst|btw|mwst|ust|iva|moms|mva)\.?",
    r"(?:zzgl\.?|plus|exkl\.?|\+) ?(?:pfand|mwst\.?|ust\.?)|pfand|statiegeld|pant|consigne|emballage|recycling\w*",
    r"éco-?part\w*|eco-?part\w*|vrg|税抜|税別|부가세 별도|dph bez|vergleichspreis|",
    r"hors taxes?|ht|netto|bez dph|bez vat|upgrade|gift wrap\w*",
    r"gift cards?|protection",
    r"warranty|assembly|value|worth|deposit|open[- ]box|total|subtotal|opening bid",
    r"starting (?:bid|price)|start price|estimate",
    r"bid increment|enter[^0-9]{0,20}|approx\w*|summe|suma|coupon|gutschein\w*|every|up to|under",
    tail=r"[ :(~≈-]*$",
)
OTHER_AFTER = Vocabulary(
    r"d['’]éco|d['’]eco|éco-?part|eco-?part|sin iva|senza iva|sans tva|uden moms|ekskl|exkl",
    r"excl?\.? ?(?:vat|tax|gst|btw|mwst|iva)|excluding (?:vat|tax|gst)|ex\.? ?(?:vat|tax|gst|btw)|hors taxe",
    r"ht\b|netto\b|bez (?:dph|vat|podatku)|\+ ?(?:vat|iva|gst|tax)|sem iva",
    r"zzgl\.? mwst|or more|off\b|rabatt|discount|voucher|gift card|cashback|credit|in savings",
    r"税抜|税別|부가세 별도",
    head=r"^[(（]? ?",
    whole=False,
)

#: The amount that follows is without tax, in the words of the same line.
NET_BEFORE = Vocabulary(
    r"nettó|netto|net price|net\b|ohne mwst|ohne ust|zzgl\.? mwst|excl?\.? (?:vat|tax|gst|btw|mwst|moms)"
    r"|ex\.? vat|hors taxe"
    r"|ht\b|sin iva|senza iva|sem iva|bez dph|bez vat|bez pdv|brez ddv|без ндс|χωρίς φπα|fără tva|税抜|税別",
    tail=r"[^0-9€$£]{0,14}$",
)
#: So many pieces must be bought for the amount that follows.
QUANTITY_BEFORE = Vocabulary(
    r"buy [0-9]+|mix (?:six|[0-9]+)|any [0-9]+|when you buy [0-9]+",
    r"[0-9]+ (?:or more|and more|pieces|units|pcs|stück|stk)|[0-9]+ ?\+|(?:[2-9]"
    r"|[1-9][0-9]+) ?[-–] ?[0-9]+ (?:pcs|units|stück)",
    r"(?:ab|bei|from|vanaf|od|från|fra|à partir de|desde|da) [0-9]+ (?:stück|stk|st|pcs|pieces|units|szt|ks|pièces"
    r"|unidades|pezzi|stuks)|ab [0-9]+",
    tail=r"[^0-9€$£]{0,16}$",
)
#: The condition of another copy of the product, in the words of the same line.
CONDITION_BEFORE = Vocabulary(
    r"used|refurbished|renewed|pre-?owned|gebraucht|generalüberholt|b-ware|d'occasion|occasion|reconditionné|usado"
    r"|reacondicionado|usato|ricondizionato|tweedehands|begagnad|brugt|używan|repasovan|б/у",
    tail=r"[^0-9]{0,14}$",
)
#: The lowest price of the last 30 days, which shops in the EU show beside a reduction: neither paid nor former.
LOWEST_BEFORE = Vocabulary(
    r"niedrigster|tiefster|bester preis der letzten|lowest|prix le plus bas|precio más bajo",
    r"precio mínimo|prezzo più basso|preço mais baixo|laagste prijs|lägsta pris|laveste pris|alin hinta"
    r"|najniższa cena",
    r"najnižší cena|najnižšia cena|nejnižší cena|legalacsonyabb ár|cel mai mic pre|prețul cel mai mic|най-ниска",
    r"najniža cijena|najnižja cena|χαμηλότερη τιμή|mažiausia kaina|zemākā cena|madalaim hind|omnibus",
    tail=r"[^€$£]{0,70}$",
)

#: Words that call a second, lower amount the one that is paid now.
PAID_BEFORE = Vocabulary(
    r"now|sale|special|our|your|today|only|new|current|final|offer|deal|price|promo|online|web|reduced|you pay",
    r"jetzt|nur|aktuell|neu|angebot|aktion|sonderpreis|unser|preis|ab sofort|ahora|oferta|por|precio|maintenant",
    r"soldes?|prix|nouveau|adesso|ora|prezzo|offerta|agora|apenas|preço|à vista|nu|nå|nyt|pris|kampanj|tilbud|hinta",
    r"teraz|cena|promocj|akcia|akční|akce|sleva|zľava|сейчас|цена|ціна|новая|акция|akcij|most|ár|akciós|τιμή|fiyat",
    r"特價|特价|促銷|現價|售價|价格|販売|価格|セール|판매가|할인가|giá",
)

#: Labels of controls and links that buy.
BUY = Vocabulary(
    r"add (?:item )?to (?:my |your |shopping )?(?:cart|bag|basket|trolley|order)|buy now|buy it now|buy$|add$",
    r"purchase|order now|place (?:a )?bid|bid now",
    r"in den waren|in den einkauf|jetzt kaufen|kaufen|bestellen|ajouter au panier|ajouter|acheter|j'achète",
    r"añadir al|añadir a la|agregar al|agregar a|comprar",
    r"adicionar|aggiungi al carrello|acquista|compra|toevoegen|winkelwagen|winkelmand|lägg i|köp|læg i|køb"
    r"|kjøp|legg i|setja í|í körfu",
    r"keranjang|beli sekarang|beli langsung|tambah ke|masukkan ke",
    r"lisää|osta\b|do koszyka|kup teraz|kupi\b|naroči|pirkti|замов",
    r"do košík|koupit|kúpiť|v košarico|dodaj|u košaricu|купить|в корзину|добав|купи|kosárba|megvesz|καλάθι",
    r"sepete|ostukorvi|grozā|krepšel",
    r"カート|かごに入れ|カゴに入れ|購入|加入購物車|立即購買|直接購買|我要購買|加入购物车",
    r"adaug[ăa]|cumpăr|cumpara|добави|додај|додати|shto në|lisa ostukorvi|pievienot|į krepšelį",
    r"أضف إلى|أضف الى|أضف لل|إضافة إلى|إضافة لل|اضف|اشتر|شراء|افزودن|خرید|जोड़ें|खरीद|หยิบใส่|ซื้อ",
    r"구매|장바구니|thêm vào|mua ngay|הוסף|קנה|pre-?order|précommander|vorbestellen",
    r"add[-_]?to[-_]?(?:cart|bag|basket)|buy[-_]?now|buybutton|buy-button",
)
BUY_SIEVE = Sieve(BUY)

"""Words beside an amount that is a part, a measure or an addition, never the whole price of a product."""

from monitor.extract.vocabulary import Vocabulary

SAVING_BEFORE = Vocabulary(
    r"you save|save|saving|savings|saved|discount|rabatt|ersparnis|sie sparen|spare|sparen|économisez|économie",
    r"remise|ahorra|ahorro|preisvorteil|voordeel|ส่วนลด|ประหยัด",
    r"descuento|risparmi|sconto|desconto|economize|economia|korting|bespaar|zniżka|rabat|oszczędzasz|sleva",
    r"zľava|ušetříte|ušetríte",
    r"скидка|экономия|выгода|prihran|ušteda|折扣|할인(?! ?전|가|판매)|cashback|бонус|earn|points(?<![0-9] points)",
    r"späť na|zpět na|zpátky na|money back|cash back|get back|zurück auf|cagnott\w*|zwrot na|retour sur",
    r"적립|포인트(?<![0-9]포인트)|ポイント(?<![0-9]ポイント)|积分|積分|puan(?<![0-9] puan)|kazan[çc]\w*|hemat",
    r"tiết kiệm|ประหยัด|وفر|توفير|חסכ|знижка|економія|έκπτωση"
    r"|κέρδος",
    r"sparst|sparar|sparer|κερδίζ\w*|חיסכון|poup[ae]|economise[sș]ti|экономите|заощад\w*|вигод\w*|giảm(?! còn| giá)",
    r"reducere|economisești|kedvezmény|megtakarítás|popust|allahindlus|nuolaida|atlaide|spara?\b|säästä|afslag"
    r"|avslag",
    tail=r"(?:[^0-9]{0,8}[0-9]{1,2}(?:[.,][0-9]+)? ?% ?[,(][^0-9]{0,10}|[^0-9]{0,20})$",
)
#: Directly behind a percentage by which a price was lowered.
SAVED_AFTER = Vocabulary(*SAVING_BEFORE.lines, r"off\b|less\b|reduced", head=r"^\W{0,3}(?:de |d['’])?", whole=False)
SHIPPING_BEFORE = Vocabulary(
    r"shipping|delivery|postage|versand|lieferung|liefer(?:kosten|gebühr)\w*|livraison|frais de port",
    r"envío|envio|spedizione|consegna",
    r"verzending|verzendk\w*|bezorg\w*|levering (?:fra|vanaf)|leveringskost\w*|التوصيل|شحن|frete|dostawa|wysyłka"
    r"|portes|transport:|livrare|poštovn|postikulu|pristatym|piegād|tarne",
    r"送料|配送料|运费|邮费|ค่าจัดส่ง|ค่าส่ง|phí vận chuyển|phí ship|ongkir|ongkos kirim|الشحن|توصيل|משלוח"
    r"|kargo|αποστολή\w*|μεταφορικ",
    r"doprava|доставк|fragt|frakt|toimitus|szállítás|poštnina|dostava|運費|배송|free on|free for|orders? over",
    r"orders? of|orders? above",
    r"offerte? (?:dès|à partir)|gratuite? (?:dès|à partir)|gratis (?:vanaf|ab|desde|fra|från|od)|kostenlos ab"
    r"|(?:versandkosten|porto)?frei ab|gratuita (?:da|sopra|oltre)|darmow\w+ od|zdarma (?:od|nad)|безкоштовно від"
    r"|бесплатно от|ingyenes|ücretsiz|送料無料",
    r"s&s|s&h|p&p|spend|purchases? over|purchase of|over\b|above|commande|mindestbestell|bestellwert|minimum",
    r"(?:pedido|compra|ordine|encomenda|comandă) m[íi]nim[oaă]|minimale bestel\w*|minsta order\w*"
    r"|minimaln\w+ (?:wartość )?zamówieni\w*|minimální objednávk\w*|минимальн\w+ (?:сумма )?зака\w+"
    r"|мінімальн\w+ (?:сума )?замов\w+|đơn (?:hàng )?từ|đơn tối thiểu|min\.? belanja|ซื้อครบ|ขั้นต่ำ|للطلبات فوق",
    tail=r"[^0-9]{0,30}$",
)
#: Of delivery, that nothing is asked for it, or that it is in the price.
FREE = Vocabulary(
    r"free|gratis|grátis|kostenlos\w*|kostenfrei|versandkostenfrei|portofrei|offerte?s?|gratuit\w*|darmow\w*"
    r"|bezpłatn\w*",
    r"zdarma|zadarmo|ücretsiz|bedava|مجاني\w*|無料|무료|免运费|免運|包邮|ingyenes|fri|fritt|δωρεάν|бесплатн\w*|ฟรี|חינם",
    r"безкоштовн\w*|besplatn\w*|nemokam\w*|bezmaksas|tasuta|ilmainen|inkl\w*|incl\w*|compris\w*",
)
#: The end of words over what must be ordered for that.
_ORDERED = ("over", "above", "minimum", "spend", "commande")
#: What must be ordered for free delivery.
ORDERED_AFTER = Vocabulary(
    r"이상 (?:구매|주문)|以上(?:の|ご|お)|以上(?:购买|購買|免)|minimum order",
    r"(?:ve )?üzeri|felett|fölött|for free (?:shipping|delivery)|free$|gratis$|kostenlos$|gratuite?$",
    head=r"^\W{0,2}",
)
#: Words that name an amount as that of its delivery, when nothing follows them.
SHIPPING_AFTER = Vocabulary(
    r"shipping|delivery|postage|p&p|versand(?:kosten)?|versandpauschale|lieferung|lieferkosten|liefergebühr|porto",
    r"livraison|frais de (?:port|livraison)|port\b|envío|gastos de envío|spedizione|spese di spedizione|frete|portes",
    r"verzending|verzendkosten|bezorg(?:ing|kosten)|dostaw[ay]|wysyłk[ai]|kosztów (?:wysyłki|dostawy)|доставк[аиу]",
    r"doprav[ay]|poštovn[éeo]|poštnina|frakt(?:kostnad)?|fragt|levering|toimitus(?:kulut|maksu)?|szállítás(?:i díj)?",
    r"livrare|transport|dostav[ae]|kargo|μεταφορικά|tarne|postikulu|pristatym\w*|piegād\w*|送料|配送料|运费|運費|邮费",
    r"with (?:delivery|shipping|postage)|z (?:dostawą|wysyłką)|s dopravou|[зс] доставко[йю]|mit (?:versand|lieferung)",
    r"avec (?:livraison|port)|con (?:envío|spedizione)|met (?:verzending|bezorging)|com (?:frete|portes)",
    r"배송비|phí (?:vận chuyển|ship)|ค่า(?:จัด)?ส่ง|ongkir|ongkos kirim|(?:ال)?شحن|(?:ال)?توصيل|משלוח",
    head=r"^(?!\W*\+)\W{0,2}(?:(?:for|as|de|di|za|за|pour|para|per|standard|express|tracked|courier|economy|home"
    r"|next[- ]day|flat[- ]rate) |d['’])*",
    tail=r"(?:[- ]?(?:fees?|costs?|charges?|rate|only|offers?|surcharge|upgrade|per (?:order|item))|\W*\(.*)?\W*$",
)
#: Words that name an amount as one by which the price was lowered, or that comes back, when nothing follows them.
SAVING_AFTER = Vocabulary(
    r"saved|savings?|back|cash ?back|rewards?|store credit|rebate|bonus|coupon|points|kickback|gift card",
    r"gespart|ersparnis|nachlass|günstiger|zurück|guthaben|preisvorteil|preisnachlass|bonus|gutschrift|sparen",
    r"économisés?|économie|remboursés?|offerts?|bon d['’]achat|de moins|moins cher|cagnottés?|récompense",
    r"ahorro|ahorrado|regalo|reembolso|devolución|menos|risparmi\w*|di meno|rimborso|in meno|bespaard|voordeel|terug",
    r"voordeliger|goedkoper|cadeaukaart|taniej|oszczędności|oszczędzasz|zwrotu|экономи[ия]|выгод[аы]|бонус\w*|кэшбэк\w*",
    r"дешевле|levnější|ušetříte|zpět|späť|sparat|spart|sparet|tillbaka|tilbage|tilbake|billigare|billigere|halvempi",
    r"säästät|takaisin|megtakarítás|visszatérítés|olcsóbb|economi[ei]|economisești|înapoi|отстъпка|спестявате|ušted[ae]",
    r"uštede|prihran(?:ek|ka)|kazanç\w*|iade|έκπτωση|όφελος|επιστροφή|de economia|de volta|вигод[аи]",
    r"економі[яї]|дешевше|オフ|割引|ポイント\w*|还|優惠|优惠|折扣|立减|省|할인|적립|캐시백|giảm|hoàn tiền|tiết kiệm",
    r"ส่วนลด|ประหยัด|diskon|hemat|خصم|توفير|כסף חזרה|הנחה|חיסכון",
    head=r"^\W{0,3}(?:(?:in|on|as|de|di|en|em|im|als|for|your|sur|op|je|du|der|of) |d['’])*",
    tail=r"(?:[^\w%]|\b(?:on|for|in|to|with|auf|sur|your|order|points?|rewards?|credit|card|today|punten|punkten|carte"
    r"|votre)\b)*$",
)
INSTALMENT_BEFORE = Vocabulary(
    r"msi(?: de)?|meses sin intereses(?: de)?",
    r"payments? of|instal{1,2}ments? of|instal{1,2}ments?|cuotas?|mensualit[ée]s?|raten?(?= (?:ab|von|da|od"
    r"|z|à|zu|je)\b)|monatlich|monthly|par mois|ratenzahlung|ratenkauf|rat[aey] (?:od|de|da|con|po|senza)",
    r"pagos de|paiements? de|delen van|parcelas de|obrok\w* po|плат[её]ж\w* по|aylık|pay in [0-9]"
    r"|ผ่อน [0-9]{1,2} เดือน",
    r"per month|每期|分期|finanz|financ|lease|leasing|klarna|afterpay|affirm|clearpay|sezzle|laybuy|paypal|raty",
    r"(?:with|via|by|and|or) zip|zip ?(?:pay|money)",
    r"splátk|рассрочк|розстрочк|delbetal|avdrag|afdrag|osamaks|termijn|kuumakse|rate a|prestaç|taksit|havi\b|részlet",
    r"вноск|δόσεις|δόση|月々|分割|分期|月供|할부|개월|월 |월$|ผ่อน|เดือนละ|trả góp|cicilan|دفعات|أقساط|قسط|תשלומים",
    r"[0-9]{1,2} ay$|кредит|emi (?:starts|starting|from|at|of)|apr\b|deposit|anzahlung"
    r"|(?:[2-9]|[1-9][0-9]) ?(?:rat[ae]? )?[x×*] ?(?:de|of|à|von|per|:)?$",
    tail=r"[^0-9]{0,24}$",
)
INSTALMENT_AFTER = Vocabulary(
    r"/ ?mo\b|/ ?mes\b|/ ?mês\b|/ ?мес|/ ?month|/ ?monat|/ ?mois|a month|per month|pro monat|im monat|par mois|al mes",
    r"por mes|por mês|per week|a week|monthly|an issue|per issue|pro ausgabe|par numéro",
    r"x ?[0-9]{1,2}\b|× ?[0-9]{1,2}\b|[xх] ?[0-9]{1,2}\b|mensuales|mensuel|quincenales|mj?esečno|na mesec|в месяц"
    r"|на месяц|на місяць",
    r"/ ?(?:mies|mj?esec|měs|міс|mj|mnd|mån|md|kk|hó|lun[aă]|mēn|mėn|kuu|μήνα|mois|maand|tháng|bulan|เดือน|ay\b|月)"
    r"|p/m\b|per maand|al mese",
    r"mtl|miesięcznie|měsíčně|mesačne|havonta|lunar|aylık|pr\.? m(?:d|åned)|i måneden|kuukaudessa|per bulan|每月"
    r"|شهري|לחודש",
    r"weekly|fortnightly|every [0-9]+ (?:weeks|months)|for [0-9]+ months|monatlich|/ ?mese\b|i månaden|pe lună|месечно",
    r"τον μήνα|每期|개월|/ ?월|월$|ต่อเดือน",
    head=r"^[*\s]{0,3}",
)
UNIT_AFTER = Vocabulary(
    r"kg|kilo|k?g|gr?|gram|mg|l|lt|ltr|lit\w*|ml|cl|dl|m|m2|m²|m³|qm|lfm|mt|met\w*|cm|mm|ft|foot|feet|sq\.? ?ft",
    r"yd|yard|oz|fl\.? ?oz|lb",
    r"pound|count|ct|кг|л|м|κιλό|wash|load|serving|sheet|tablet|capsule|dose|100\w*",
    head=r"^\)? ?(?:/|per\b|pro\b|je\b|par\b|au\b|por\b|al\b|за\b|za\b|na\b|pr\.?(?= )"
    r"|(?:le|el|o) (?=kilo|kg|lit[rt]|l\b|100))"
    r" ?(?:[0-9]+[ .,0-9]*)?",
    tail=r"\b",
    whole=False,
)
#: What it costs by measure, said before the amount: in the words of the same line.
UNIT_BEFORE = Vocabulary(
    r"(?:grund|kilo|liter)preis|jämförpris|(?:jmfr?|jfr)[ -]?pris|(?:kilo|liter|enhets|sammenlignings)pris"
    r"|pr\. (?:kg|l|liter)",
    r"(?:kilo|litra|yksikkö|vertailu)hinta|egységár|(?:prix )?(?:le|au|du) (?:kg|kilo|litre)"
    r"|(?:prezzo )?al (?:kg|litro)",
    r"precio por (?:kg|kilo|litro)|per (?:kg|kilo|liter|litre|100 ?gr?(?:am)?|100 ?ml)|(?:kilo|liter)prijs",
    r"cena za (?:kg|l|litr)|cena jednostkowa|m[eě]rná cena|jednotková cena|цена за (?:кг|литр|л|м)"
    r"|ціна за (?:кг|літр|л|м)",
    r"1 ?(?:l|kg|liter|litre|m|m2|m²) ?=|100 ?g당|100 ?g ?あたり"
    r"|1 ?[個本枚袋杯食回錠] ?(?:あたり|当たり)|每(?:公斤|100 ?克)",
    r"ל-(?:100 גרם|1 ק\"ג)|birim fiyat|kg fiyatı",
    r"(?:cena|цена|ціна|pre[țt](?:ul)?|cijena|preço|precio(?: unitario)?|kaina|hind|giá|τιμή) ?"
    r"(?:za|за|pe|par|na|po|por|už|ανά|/) ?1? ?(?:kg|кг|kilo|κιλό|l\b|л\b|lit\w+|литр|літр)|τιμή μονάδας|ühiku hind",
    r"(?:kilón|liter)kénti ár",
    tail=r"\.?[ :=(]*$",
)
#: The same in words that the law asks for beside the price of a pack: it is never what is paid.
COMPARED_BEFORE = Vocabulary(
    r"grundpreis|jämförpris|(?:jmfr?|jfr)[ -]?pris|sammenligningspris|enhetspris|(?:yksikkö|vertailu)hinta|egységár",
    r"cena jednostkowa|m[eě]rná cena|jednotková cena",
    tail=r"\.?[ :=(]*$",
)
#: The piece that is sold, not a measure of it.
PIECE_AFTER = Vocabulary(
    r"unit|item|piece|pack(?:et)?|each|ea|ud|unidad|und?|stück|stk|pièce|pieza|pezzo|stuk|szt|ks|kom|шт",
    head=r"^\)? ?(?:/|per\b|pro\b|je\b|par\b|por\b|al\b|за\b|pr\.?\b) ?",
    tail=r"\b",
    whole=False,
)
#: A fee, a deposit or an extra, in the words of the same line.
CHARGE_BEFORE = Vocabulary(
    r"consigne|recykla\w+|canon digital|(?:contributo )?raee|verwijderingsbijdrage|recupel|timbru verde|kaucja|kauce"
    r"|záloha|pantti",
    r"betétdíj|éco-?part\w*|eco-?part\w*|garantieverl\w*|garantía extendida|extensi[oó]n de (?:garantía|garantie)"
    r"|estensione (?:di |della )?garanzia",
    r"garantie [0-9] ans|garanzia|prodloužená záruka|warranty for|代引き?手数料|αντικαταβολή|nachnahme\w*|contrassegno",
    r"contre-remboursement|contrareembolso|dobírk\w*|pobranie|ramburs|предоплата|передоплата|click ?& ?collect",
    r"acconto(?: [0-9]{1,2} ?%)?|caparra(?: [0-9]{1,2} ?%)?|aanbetaling(?: [0-9]{1,2} ?%)?",
    r"handpenning(?: [0-9]{1,2} ?%)?|forudbetaling|ennakkomaksu|előleg|задаток|kapora|капаро"
    r"|προκαταβολή|avans|zaliczka|sinal",
    r"(?:core|service|handling) charge|may charge|charge of|fees?(?: of)?",
    r"(?:長期|延長|[3-9] ?年)保証|연장 ?보증|보증 ?연장|延长保修|延保|延長保固",
    tail=r"[^0-9€$£]{0,14}$",
)


def is_free(label: str) -> bool:
    """Say whether a line about delivery ends with that it is free: it names no amount, neither its cost nor another."""
    last = label.rpartition(" ")[2].strip(".!:*")
    ends = last not in _ORDERED and (FREE.found(last) or SHIPPING_BEFORE.found(last))
    return bool(ends) and FREE.found(label) is not None

"""The vocabulary of shop pages: what the words beside an amount, and the class names around it, mean.

Words are those of shops in the languages we met: English, German, French, Spanish, Portuguese, Italian,
Dutch, the Nordic and Slavic languages, Hungarian, Greek, Chinese, Korean, Japanese. Add words, never sites.
"""

import re


def _words(text: str) -> str:
    return "|".join(text.split())


#: Text just before an amount.
LIST_BEFORE = re.compile(
    r"(?:\b(?:was|were|rrp|r\.r\.p\.?|msrp|m\.s\.r\.p\.?|list(?:\s*price)?|reg\.?|regular(?:ly)?(?:\s*price)?|retail(?:\s*price)?"
    r"|compare(?:d)?\s*at|original(?:ly)?(?:\s*price)?(?:\s*was)?|old\s*price|previous(?:ly)?(?:\s*price)?|before|uvp|statt|vorher|bisher|alter\s*preis"
    r"|unverb\.?\s*preisempf\.?|prix\s*(?:barr[ée]|conseill[ée]|public|initial|de\s*d[ée]part)|ancien\s*prix|au\s*lieu\s*de|antes|precio\s*(?:normal|anterior|de\s*lista)|pvp"
    r"|prezzo\s*(?:di\s*listino|precedente|originale)|anzich[ée]|invece\s*di|van|adviesprijs|ordinarie\s*pris|tidligere|f[øo]r(?:pris)?|ord\.?\s*pris|norm(?:al)?\.?\s*(?:price|preis|pris)?"
    r"|cena\s*(?:regularna|katalogowa|przed)|p[uů]vodn[íi]\s*cena|b[ěe][žz]n[áa]\s*cena|стар(?:ая|а)\s*цена|цена\s*без\s*скидки|redna\s*cena|redovna\s*cijena|eredeti\s*[áa]r|de\s*:|por:?\s*de)"
    r"|原價|原价|建議售價|市价|定価|정가|판매가)[\s:\x1f\n.]*$",
    re.IGNORECASE,
)
SAVING_BEFORE = re.compile(
    r"(?:\b(?:you\s*)?sav(?:e|ing|ings|ed)\b|discount|\boff\b|rabatt|ersparnis|sie\s*sparen|spare|économi[se]|remise|ahorr|descuento|"
    r"risparmi|sconto|desconto|economi[sz]e|korting|bespaar|zniżk|rabat|oszcz|sleva|zľava|ušetr|скидк|экономи|выгод|prihran|ušted|折扣|할인|cashback|бонус|rewards?|earn|points?)"
    r"[^0-9\n]{0,20}$",
    re.IGNORECASE,
)
SHIPPING_BEFORE = re.compile(
    r"(?:shipping|delivery|postage|versand(?:kosten)?|lieferung|livraison|frais\s*de\s*port|env[íi]os?|spedizione|consegna|verzending|frete|"
    r"dostaw|wysyłk|doprav|доставк|fragt|frakt|toimitus|szállítás|postnina|dostava|運費|배송|free\s*(?:on|for)?|"
    r"orders?\s*(?:over|of|above|from)|spend|purchases?\s*(?:over|of)|over|above|à\s*partir\s*de\s*la\s*commande|mindestbestell\w*|bestellwert|minimum)"
    r"[^0-9\n]{0,30}$",
    re.IGNORECASE,
)
SHIPPING_AFTER = re.compile(
    r"^[\s\x1f]*(?:shipping|delivery|postage|p&p|versand|livraison|env[íi]o|spedizione|frete|доставка|minimum\s*order|for\s*free\s*shipping)",
    re.IGNORECASE,
)
INSTALMENT_BEFORE = re.compile(
    r"(?:\b[0-9]{1,2}\s*(?:x|×|\*)\s*(?:de|of|à|von|per)?|payments?\s*of|installments?\s*of|instal(?:l)?ments?|cuotas?(?:\s*\w+){0,3}\s*de|mensualit[ée]s?\s*de|rate(?:n)?\s*(?:ab|von|da|od|z)?|"
    r"monatlich|monthly|par\s*mois|as\s*low\s*as|per\s*month|每期|分期|finanz\w*|financ\w+|lease|leasing|klarna|afterpay|zip|affirm|clearpay|sezzle|laybuy|paypal|"
    r"raty|splátk\w*|рассрочк\w*|кредит\w*|от\s*[0-9]+\s*мес|apr|deposit|anzahlung)[^0-9\n]{0,24}$",
    re.IGNORECASE,
)
INSTALMENT_AFTER = re.compile(
    r"^[\s\x1f]*\*?[\s\x1f]*(?:/\s*(?:mo\b|month|monat|mois|mes\b|m[eê]s\b|мес)|(?:a|per|pro|par|al|por)\s*(?:month|monat|mois|mes\b|m[êe]s\b|week)|monthly|x\s*[0-9]+|"
    r"[×x]\s*[0-9]{1,2}\b|mensuales|mensuel|mjesečno|na\s*mesec|в\s*месяц)",
    re.IGNORECASE,
)
UNIT_AFTER = re.compile(
    r"^[\s\x1f]*\)?[\s\x1f]*(?:/|\bper\b|\bpro\b|\bje\b|\bpar\b|\bau\b|\bpor\b|\bal\b|\bза\b|\bpr\.?\b|\ba\b(?=\s*(?:kg|l)\b))[\s\x1f]*(?:[0-9]+[\s.,0-9]*)?[\s\x1f]*"
    r"(?:kg|kilo\w*|k?g|gr?|gram\w*|mg|l|lt|ltr|lit\w*|ml|cl|dl|m|m2|m²|m³|qm|lfm|mt|met\w*|cm|mm|ft|foot|feet|sq\.?\s*ft|yd|yard|oz|fl\.?\s*oz|lb|pound|"
    r"count|ct|piece|unit\w*|each\s*unit|st(?:ü|u)ck|stk|szt|ks|кг|л|м|шт|100\w*|wash|load|serving|sheet|tablet|capsule|dose)\b",
    re.IGNORECASE,
)
MEMBER_AROUND = re.compile(
    r"\b(?:members?(?:hip)?|club|loyalty|subscri(?:be|ption|ber)\w*|auto-?ship|autoship|rewards\s*(?:exclusive|member)|tarjeta|store\s*card|with\s*card|cardholders?|mitglied\w*|abonn\w*|"
    r"plus\s*card|exclusive|prime|vip|miembro|sócio|socio|по\s*карте|с\s*картой)\b",
    re.IGNORECASE,
)
FROM_BEFORE = re.compile(
    r"(?:\b(?:from|starting\s*(?:at|from)|as\s*low\s*as|ab|from\s*only|dès|à\s*partir\s*de|desde|a\s*partir\s*de|da|vanaf|fra|från|od|от|alkaen|starts?\s*at)|起|～|부터)[\s:\x1f\n]*$",
    re.IGNORECASE,
)
OTHER_BEFORE = re.compile(
    r"(?:\+|\bplus\b|\bpack\s*of\b|\bex(?:cl)?\.?\s*(?:vat|tax|gst|btw|mwst|iva)|\bhors\s*taxes?\b|\bht\b|\bnetto\b|\bbez\s*(?:dph|vat)\b|\bupgrade\b|\bgift\s*(?:wrap\w*|cards?)|\bprotection\b|"
    r"\bwarranty\b|\bassembly\b|\bvalue\b|\bworth\b|\bdeposit\b|\bopen[- ]?box\b|\bused\b|\brefurbished\b|\bmarktplaats\b|\btotal\b|\bsubtotal\b|\bopening\s*bid|\bstart(?:ing)?\s*(?:bid|price)|"
    r"\bestimate\b|\bbid\s*(?:increment|more)|\benter\b[^0-9\n]{0,20}|\bapprox\w*|\bsum(?:me|a)?\b|\bcoupon\b|\bgutschein\w*|\bretail\s*value\b|\bevery\b|\bup\s*to\b|\bunder\b)[\s:\x1f\n(~≈-]*$",
    re.IGNORECASE,
)
EX_TAX_AFTER = re.compile(
    r"^[\s\x1f]*\(?(?:ex(?:cl)?\.?(?:uding)?\s*(?:vat|tax|gst|btw|mwst|iva)|hors\s*taxe|ht\b|netto\b|bez\s*(?:dph|vat|podatku)|\+\s*(?:vat|iva|gst|tax)|sem\s*iva|zzgl\.?\s*mwst|or\s*more|off\b|"
    r"rabatt|discount|voucher|gift\s*card|cashback|credit|in\s*savings)",
    re.IGNORECASE,
)
NOW_BEFORE = re.compile(
    r"(?:\b(?:now|sale(?:\s*price)?|our\s*price|your\s*price|price|special(?:\s*price)?|today|current(?:\s*price)?(?:\s*is)?|jetzt|nur|preis|prix|precio|prezzo|preço|cena|cijena|цена|ціна|ár|hinta|pris|prijs|"
    r"ahora|oferta|agora|maintenant|buy\s*(?:it\s*)?now|current\s*bid|winning\s*bid|only)|售價|特價|團購價|판매가|価格)[\s:\x1f\n]*$",
    re.IGNORECASE,
)

#: Class, id and data-* names around an amount; matched against the joined attribute text in lower case.
_EDGE = r"(?:^|[^a-z])"
_END = r"(?:$|[^a-z])"
LIST_CLASS = re.compile(
    rf"{_EDGE}(?:old|was|rrp|uvp|msrp|list-?price|list_price|listprice|strike\w*|crossed\w*|striked|barre|barr[ée]e?|compare\w*|original\w*|previous\w*|before|ancien|vorher|antes|"
    rf"price-?old|oldprice|old-?price|wasprice|price-?was|regular-?price|price-?regular|price--regular|price-item--regular|normal-?price|retail-?price|standard-?price|prezzo-?barrato|line-?through|del)"
    rf"{_END}|oldprice|old_price|wasprice|price_?old|priceold|listprice|pricebefore|regularprice|originalprice|crossed|strikethrough|line-through|msrp|prix-?barre"
)
CURRENT_CLASS = re.compile(
    rf"{_EDGE}(?:sale|now|current|our|special|final|offer|actual|new|today|selling|promo|reduced|product-?price|price-?sales|your)[a-z]*{_END}|itemprop=price|data-price|saleprice|finalprice|currentprice|ourprice"
)
PRICE_CLASS = re.compile(
    r"pric(?:e|ing)|preis|prix|precio|prezzo|preco|preço|cena|cijena|prijs|hinta|pris\b|tsena|stoimost|amount|valor|cost|buybox|buy-box|itemprop=price|kaina|bedrag|money|fiyat"
)
SHIPPING_CLASS = re.compile(r"shipping|delivery|versand|livraison|dostav|postage|freight|shipment|lieferung")
INSTALMENT_CLASS = re.compile(
    r"instal+ment|monthly|finance|financing|klarna|afterpay|zip-?pay|affirm|paylater|pay-later|credit|leasing|per-month|splitit|sezzle|rate-?calc|paypal-?message"
)
UNIT_CLASS = re.compile(
    r"unit-?price|price-?(?:-|per-?)?unit|base-?price-?unit|per-?unit|price-?per|pangv|grundpreis|ppu|unitprice|price--unit|prix-?kilo|measure"
)
SAVING_CLASS = re.compile(
    rf"sav(?:e|ing)s?{_END}|you-?save|discount-?(?:amount|value|badge|percent)|economie|ersparnis|rebate|reward|cashback|loyalty-?points"
)
MEMBER_CLASS = re.compile(r"member|club-?price|loyalty|subscri(?:be|ption)|subsave|autoship|card-?price|vip|rewards")
ELSEWHERE_CLASS = re.compile(
    r"related|up-?sell|cross-?sell|crosssell|recommend|\breco[s_-]|similar|also-?(?:like|bought|viewed)|alsolike|bought-?together|frequently|carousel|slider|swiper|slick|owl-|glide|mini-?cart|minicart|basket|"
    r"cart-?(?:drawer|content|total|count|popup|summary|preview|items|sidebar|block)|header-?cart|top-?cart|shopping-?bag|site-?header|site-?footer|\bfooter|mega-?menu|\bmenu\b|\bnav\b|navigation|navbar|filter|facet|"
    r"refine|recently|viewed|accessor|sponsored|widget|\bbundle|combo|gift-?wrap|cookie|newsletter|review|rating|comment|\bblog|announcement|promo-?bar|top-?bar|wishlist|compare-?(?:list|drawer|table)|"
    r"suggest|other-?products|more-?products|products-?grid|product-?grid|product-?list(?:ing)?(?:$|\s)|you-?may|protection|warranty|modal|popup|lightbox|tooltip|dropdown-menu|currency-?(?:switch|select|convert)|converter"
)

"""The vocabulary of shop pages: what the words beside an amount mean.

The languages of Europe, Turkish, Ukrainian, Russian, Arabic, Hebrew, Japanese, Korean, Chinese, Thai, Vietnamese,
Indonesian, Hindi. Add words, never sites. All phrases are lower case, each beginning with a literal.
"""

from monitor.extract.vocabulary import Vocabulary

#: Text just before an amount.
LIST_BEFORE = Vocabulary(
    r"was|were|market price|rrp|r\.r\.p|msrp|m\.s\.r\.p|list price|list|reg|regular price|regular|regularly"
    r"|retail price",
    r"retail|compare at|compared at|original price(?: was| is)?|original|originally|old price",
    r"previous price|previously|price before|before the sale|before",
    r"suositushinta|ohjehinta|cena (?:sugerowana|detaliczna)|π\.?λ\.?τ\.?|προτεινόμενη (?:λιανική )?τιμή"
    r"|ajánlott (?:fogyasztói )?ár|tavsiye edilen (?:satış )?fiyat\w*|doporučená maloobchodní cena|cirkapris",
    r"uvp(?: des herstellers)?|statt|vorher|bisher|bisheriger preis|ursprünglich\w*|alter preis"
    r"|unverb\w*(?: preisempfehlung(?: des herstellers)?)?"
    r"|früher|prix barré|prix (?:[^\W\d_]+ ){0,3}conseillé|prix public|prix initial",
    r"au lieu de|prix de départ|antes|precio normal|precio anterior|precio de lista|pvpr?|pvp recomendado"
    r"|prezzo consigliato|prezzo di listino",
    r"prezzo originale|anziché|invece di|adviesprijs|ordinarie pris|ord\.? pris|tidligere|førpris|før|före",
    r"normalt|normal price|normalpris|norm|usual price|usually|usual|normally|áður|verð áður|rég\.?|régulier"
    r"|prix régulier|cena regularna|cena katalogowa|cena przed obniżką|původní cena",
    r"běžná cena|bežná cena|pôvodná cena",
    r"preț vechi|pret vechi|preț întreg|prp|стара цена|stara cena|stara cijena|cena bez zniżki|παλιά τιμή"
    r"|αρχική τιμή",
    r"giá gốc|giá cũ|eski fiyat|piyasa fiyatı|sen(?:as|oji) kaina|vecā cena|vana hind|tavahind|ovh|السعر السابق|قبل",
    r"старая цена|стара ціна|цена без скидки|redna cena|redovna cijena|eredeti ár|preço de|de:",
    r"原價|原价|建議售價|市价|定価|希望小売価格|通常価格|정가|소비자가|할인 ?전(?: 판매가)?|정상가",
    r"u\.p\.|full price|ticket price|recommended (?:retail )?price|suggested (?:retail )?price|srp|m\.?r\.?p\.?",
    r"estimated value|comp\.? value|comparable value",
    r"regulärer preis|listenpreis|streichpreis|anstatt|zuvor",
    r"prix (?:habituel|courant)|prix normal|prix d'origine|ord\.|valait",
    r"precio original|precio habitual|precio regular|precio sin descuento|p\.v\.p|preço (?:normal|original|anterior)",
    r"prezzo intero|prezzo pieno|oude prijs|normale prijs|winkelprijs|ord|rek\.? ?pris|tidigare|innan",
    r"ve(?:il|jl)\.? ?(?:udsalgs)?pris|veiledende pris|vejledende pris|normaalihinta|svh",
    r"aiempi hinta|alkuperäinen hinta",
    r"sugerowana cena|poprzednia cena|cena przed|zamiast|doporučená cena|odporúčaná cena|mpc|dmoc|namísto|cena před",
    r"mp c(?:en|ijen)a|régi ár|listaár|preț (?:recomandat|normal|inițial|de listă)|редовна цена|пцд",
    r"τιμή (?:καταλόγου|εκδότη)|λιανική τιμή",
    r"liste fiyatı|etiket fiyatı|normal fiyat|önceki fiyat|sena kaina|įprasta kaina|parastā cena|tavahind|listaverð",
    r"прежняя цена|розничная цена|обычная цена|рекомендованная цена|ррц|вместо|была|звичайна ціна|замість",
    r"السعر (?:قبل الخصم|الأصلي|القديم)|قبل الخصم|بدلا من|بدلاً من|מחיר (?:קודם|מקורי|מחירון|רגיל)|במקום|לפני הנחה",
    r"参考価格|旧価格|元値|標準価格|メーカー価格|원가|시중가|출시가|기존가|市價|市場價|市场价|定價|定价|吊牌价"
    r"|专柜价|划线价",
    r"參考價|参考价|建议零售价|ราคาปกติ|ปกติ|ราคาเดิม|ราคาเต็ม|giá niêm yết|giá thị trường|giá trước",
    r"harga (?:normal|awal|asli|coret|biasa)|sebelum|एमआरपी",
    r"(?:tidigare|gammalt|gammel|tidligere|tidl\.|førpris,|vorige|eerdere) pris|vorige prijs|früherer preis",
    r"prezzo (?:iniziale|anteriore|barrato)|prix précédent|precio antes|preço antigo|vanha hinta|předchozí cena",
    r"predošlá cena|prethodna cijena|korábbi ár|ankstesnė kaina|iepriekšējā cena|предыдущая цена|попередня ціна",
    r"предишна цена|προηγούμενη τιμή",
    r"neupreis|ehemaliger preis|unverb\.? preisempf|originalpreis|ladenpreis|herstellerpreis|nieuwprijs|normaal",
    r"oorspronkelijke prijs|pvc|prix (?:du )?neuf|avant|prix (?:de vente|public) conseillé|prix de référence",
    r"prix avant (?:remise|réduction|promo(?:tion)?)|precio recomendado|prima|listino|preço recomendado|era|było|moc",
    r"(?:cena )?(?:před slevou|pred zľavou)|původně|pôvodne|bylo|akció előtti ár|pret intreg|förut|ord\.pris|ennen",
    r"redovna cena|ranija cena|prijašnja cijena|pmpc|prej|было|до скидки|було|ціна без знижки|buvo|bija|enne",
    r"täishind|soovituslik hind|indirimsiz fiyat|typical price|non-sale price|price when new|reference price",
    r"street price|don['’]t pay|元の価格|指导价|零售价|建議價|牌價|sebelumnya|كان|ancien prix|prezzo precedente",
    r"normalpreis|normal|i\.?p\.?v\.?|in plaats van",
    tail=r"[ :：.(（*]*$",
)
#: Of these the words that speak of the past; the others may also label the only price a page has.
PAST = Vocabulary(
    r"was|were|before|old|previous|original|statt|anstatt|vorher|bisher|früher|alter|zuvor|ancien|au lieu|antes"
    r"|anterior|anzich|invece|precedente|oude|tidligere|tidigare|før|före|innan|áður|stara|poprz|przed|zamiast|i\.p\.v"
    r"|in plaats"
    r"|původ|pôvod|před"
    r"|eredeti|régi|vechi|стара|прежн|была|вместо|замість|παλι|αρχικ|eski|önceki|sena|vec|vana|قبل|السابق|بدل"
    r"|القديم|קודם"
    r"|במקום|לפני|旧|元値|原|할인 ?전|기존|cũ|gốc|trước|เดิม|awal|asli|coret|sebelum|de:"
    r"|avant|ehemalig|oorspronkelijk|prima|era|było|bylo|förut|ennen|enne|ranija|prijašnja|prej|было|було|buvo|bija|元の",
)
MEMBER_AROUND = Vocabulary(
    r"members?|membership|club|loyalty|subscribe|subscription|subscriber|auto-?ship|rewards exclusive",
    r"tarjeta|with nectar|nectar price",
    r"store card|with card|card price|premium fiyat\w*|cardholder|clubcard|mitglied|abonn|plus card|exclusive"
    r"|for pros\b|prime\b|vip\b|miembro|sócio|socio",
    r"по карте|[сc] (?:[\w-]+ )?(?:картой|кошельком)|с подпиской|для участников|z kartą|s kartou|med kort"
    r"|medlem|jäsen|hűségkártya",
    r"leden(?:prijs|voordeel)|carte de fidélité|avec la carte|con (?:la )?tessera|üyelere",
    r"s kartic\w+|(?:kliendikaardi|püsikliendi)\w*|kartico zvestobe|su kortele",
    r"plussa|korttihinta|etukort|kundenkarte|mit karte|klubbpris|klubpris|bonuskort|carta fedeltà|kartes cena|ar karti",
    r"klubová cena|cena (?:klubowa|dla klubowicz\w*)|клубн(?:а|ая) (?:цена|ціна)|klupska c(?:en|ijen)a"
    r"|sepette (?:ek )?%[0-9]+|student price|adhérents?\b|aderentes?\b",
    r"prix (?:membre|club)\w*|precio (?:club|socio)",
    r"ermäßigt|concession(?:s|ary)?|tarif réduit|tarifa reducida|(?:biglietto|intero e) ridotto|bilet ulgowy",
    r"prezzo (?:club|soci)|com (?:o )?cartão|з картк\w*|за картк\w*|giá thành viên|giá tốt nhất|מועדון"
    r"|카드 ?할인가|나의 (?:할인|구매)가|최대 ?(?:할인|혜택)가|kuponnal"
    r"|με (?:κωδικό|κουπόνι)",
    r"τιμή μ[έε]λ\w+|για μέλη|와우|멤버십|회원|会員|會員|会员|プライム"
    r"|定期(?:購入|便|購買|コース)|初回(?:限定(?![盤版仕生])|価格|特別)"
    r"|klubtag\w*|törzsvásárló\w*",
    r"(?:with|after) (?:an? )?(?:eligible )?(?:trade-?in|exchange)\b|trade-?in price|(?:mit|bei) inzahlungnahme",
    r"(?:avec|après) reprise|(?:na|met|bij) inruil|con (?:plan renove|permuta)|com retoma|con entrega de usado",
    r"przy odkupie|(?:по|с|при) (?:трейд-ин|trade-in)|innbytte|inbyte",
    r"with (?:the )?(?:code|coupon|voucher)|after coupon|price with code|mit (?:dem )?(?:code|gutschein)",
    r"avec le code|con (?:el )?(?:código|cupón)|con (?:il )?codice|com (?:o )?cupom|met (?:de )?code|z kodem|s kódem",
    r"โค้ด|คูปอง|สมาชิก|nhập mã|kode promo|kupon|كود|كوبون|קופון",
    r"(?:código|codice|code|kód|kod|koodi) [a-z]{4,}[0-9]{1,2}\b",
    r"us(?:e|ing) (?:the )?code|coupon code",
    r"kóddal|cu cod|по промокоду|с промокодом|s kodom|kuponla|kodla|クーポン|쿠폰|券后",
    r"pour les membres|avec (?:la |votre )?carte(?! (?:bancaire|bleue|de cr))|per i soci|con (?:la )?carta(?! di cr)",
    r"voor leden|met (?:je |de )?(?:klanten|voordeel|leden)?kaart|dla klubowicz\w*|med (?:rabat)?kod|cu card\w*",
    r"с код\b|uz kod|kodu ile",
)
#: Beside a subscription: whoever buys once pays this.
ONCE_BEFORE = Vocabulary(
    r"one[- ]?(?:time|off)|single (?:purchase|order)|buy once|einmal\w*|achat (?:unique|ponctuel)"
    r"|compra (?:única|unica|avulsa)",
    r"acquisto singolo|eenmalig\w*|jednorazow\w*|engångsköp|engangskøb|jednorázov\w*|разовая покупка",
    r"(?:都度|通常|単品|今回のみ)購入|1回(?:だけ|のみ)|단품 ?구매",
    tail=r"[^0-9]{0,25}$",
)
#: One way of paying; whoever pays so pays this.
PAYMENT_AROUND = Vocabulary(
    r"no pix|via pix|pix\b|no boleto|con transferencia|por transferencia|transferência|en efectivo|por depósito",
    r"bei vorkasse|per vorkasse|bank transfer|by wire|za gotovin\w+|gotovinsk\w+|bankoverf|havale|eft\b",
)
FROM_BEFORE = Vocabulary(
    r"from only|from|starting at|starting from|starts at|as low as|ab|dès|à partir de|a partir de|desde|da",
    r"vanaf|fra|från|od|от|від|alkaen|alk\.?|από|başlayan|nuo|alates|mulai|chỉ từ|ตั้งแต่|מ-|החל מ|من|starts? from",
    tail=r"[ :：]*$",
)
FROM_AFTER = Vocabulary(r"起|～|부터|-tól|-től", head=r"^ ?", whole=False)
OTHER_BEFORE = Vocabulary(
    r"plus|pack of|for both|for all|buy all|all [0-9]|brez ddv|bez pdv|без ндс|ohne mwst|exkl\w*|sans tva",
    r"senza iva|sin iva|sem iva|uden moms|nettó|χωρίς φπα|tax excl\w*|before tax",
    r"e(?:x|xc|xcl|xkl|xklusive|xclusief|xcluding|kskl)\.? ?(?:vat|tax|gst|btw|mwst|ust|iva|moms|mva)\.?",
    r"zzgl\.?|zuzüglich|(?:zzgl\.?|plus|exkl\.?|\+) ?(?:pfand|mwst\.?|ust\.?)|pfand|statiegeld|pant|consigne",
    r"emballage|recycling\w*",
    r"éco-?part\w*|eco-?part\w*|vrg|税抜|税別|부가세 별도|dph bez|vergleichspreis|",
    r"(?:in|at|from) other (?:shops|stores|sellers)|elsewhere|other sellers|average price|market average|bei anderen"
    r"|anderswo|in anderen shops|ailleurs|dans d'autres (?:magasins|boutiques)|en otras tiendas|otras tiendas"
    r"|in altri negozi|altrove|elders|andere winkels|w innych sklepach|gdzie indziej|jinde|v jiných obchodech"
    r"|v iných obchodoch|в других магазинах|в інших магазинах|diğer mağazalarda|em outras lojas",
    r"circa|cirka|ca\.|cca|etwa|(?:kostet|bei|für) rund|okolo|około|noin|cerca de|intorno a",
    r"environ|ungefähr|ongeveer|około|приблизно|приблизительно|aproximadamente|aprox\.?|yaklaşık|约|約",
    r"(?:הרכבה|התקנה|biaya (?:pasang|instalasi)|beszerelés|montaj|установка|сборка|монтаж|встановлення|установлення)",
    r"下取り?(?:価格|額)?|買取(?:価格|額)?|設置(?:費|料)|取付(?:費|工賃)|工賃|頭金|残り|予約金|卸価格|卸値|業販価格"
    r"|まとめ買い(?:価格)?|セット価格|総額|[2-9]個で|安[装裝][费費]|定金|押金|首付|二手[价價]|批[发發][价價]|套[装裝][价價]"
    r"|[两兩]件|立?[减減]|省|설치비|세트가|계약금|ค่าติดตั้ง|มัดจำ|ซื้อ ?[2-9] ?ชิ้น",
    r"即決|hors taxes?|ht|netto|bez dph|bez vat|upgrade|gift wrap\w*",
    r"gift cards?|protection|nennwert|face value|valeur faciale|cote(?: [\w]+)?|katalogwert|catalog(?:ue)? value",
    r"warranty|assembly|value|worth|trị giá|deposit|total|subtotal|ext(?:ended|\.)? price|opening bid"
    r"|vouchers? (?:of|for|over|worth)"
    r"|bons? (?:de réduction|d['’]achat) (?:de|d['’]une valeur de)|(?:vale|cupón)(?: de descuento)? (?:de|por)"
    r"|buono(?: sconto)? (?:di|da)",
    r"(?:rental|hire|rent|to rent|miete|mieten|mietpreis|location|noleggio|alquiler|huur|аренда|прокат|wynajem)",
    r"starting (?:bid|price)|start price|estimate",
    r"filt(?:er|ern|rer|rar|ra|ruj)(?: by| nach| par| por| per| op)? ?[×✕✖]? ?(?:price|preis|prix|precio|prezzo|preço"
    r"|prijs|cena)",
    r"bid increment|enter[^0-9]{0,20}|approx\w*|summe|suma|coupon|gutschein\w*|every|up to|under",
    r"highest price(?: is)?|מחיר אילת",
    r"(?:[^\W\d_]*montage|montaje|montaggio|montagem|montaż|montáž|montering|aufbau\w*|einbau\w*|altgerät\w*"
    r"|entsorgung\w*|installation|instalación|instalação|installazione|instalacja|asennus|pose"
    r"|trade-?in|inruil\w*|inzahlungnahme|(?:ritiro|permuta) usato|reprise)"
    r"(?: (?:value|up to|bis zu|bis|jusqu['’]à|hasta|fino a|tot|até|por|für|for|pour|à|ab|desde|from|per|da|od))?",
    r"sample|swatch|muster|stoff(?:muster|probe)|échantillon|muestra|campione|staal|proefstaal|tygprov|stofprøve|próbka"
    r"|vzor(?:ek|ka)|fat (?:quarter|eighth)|half (?:yard|met(?:re|er))",
    r"bis zu|jusqu['’]à|hasta|fino a|até|upp till|opp til|op til|jopa|akár|până la|έως",
    tail=r"[ :：(（~≈-]*$",
)
OTHER_AFTER = Vocabulary(
    r"d['’]éco|d['’]eco|éco-?part|eco-?part|sin iva|senza iva|sans tva|uden moms|ekskl|exkl",
    r"excl?\.? ?(?:vat|tax|gst|btw|mwst|iva)|excluding (?:vat|tax|gst)|ex\.? ?(?:vat|tax|gst|btw)|hors taxe",
    r"ht\b|netto\b|bez (?:dph|vat|podatku)|\+ ?(?:vat|iva|gst|tax)|sem iva",
    r"zzgl\.? mwst|or more|off\b|rabatt|discount|voucher|gift card|cashback|in savings"
    r"|credit(?! (?:plan|card|option|avail))",
    r"(?:korting|welkomst|(?:de )?(?:réduction|remise|descuento|desconto)|(?:di )?sconto|rabatu?\b|zniżki|slev[ay]\b"
    r"|zľav[ay]\b|kedvezmény|reducere|popusta?\b|alennus|afslag|avslag|скидк|знижк|έκπτωση|indirim|gutschein"
    r"|tegoed|bon d['’]achat)(?!\w* ?[:\-–−]? ?[0-9])",
    r"s/ ?iva|iva (?:esclus|exclu|no inclu|non (?:inclus|compres)|a parte|aparte)|(?:más|mas|mais|oltre) iva"
    r"|escl\w*\.? iva",
    r"(?:ohne|exkl\.?|zzgl\.?) (?:ust|mwst|umsatzsteuer)|(?:hors|sans) (?:tva|taxe)|tva non|htva|htt\b|exclusief btw",
    r"zonder btw|utan moms|uten m(?:va|oms)|eks\.? m(?:va|oms)|alv 0|ilman alv|veroton|be pvm|bez pvn|ilma k",
    r"(?:bez|brez) (?:pdv|ddv)|без (?:пдв|ддс|ндс)|f[ăa]r[ăa] tva|áfa nélkül|χωρίς φπα|kdv hariç|לפני מע|ללא מע",
    r"\+ ?(?:mwst|ust|btw|moms|tva|áfa|kdv|φπα|ндс|пдв|ддс|מע)|chưa (?:bao )?(?:gồm )?vat|ไม่รวม ?vat",
    r"belum termasuk p|未税|未稅|不含[税稅]|(?:vat|gst|tax) excl|without (?:vat|gst|tax)|plus (?:vat|gst|tax)",
    r"税抜|税別|부가세 별도|할인(?!가|판매)|引き|相当|deposit|down ?payment|anzahlung|d'acompte|de anticipo|zaliczki",
    r"(?:(?:one-off|joining|activation|set-?up|admin\w*|booking|service|handling|processing|sign-?up|registration"
    r"|enrol\w*) )+(?:fee|charge)|fee\b|(?:aufnahme|anmelde|bearbeitungs|aktivierungs|service|grund)gebühr"
    r"|p(?:er|ro|ar) portion|per portie|por (?:raci[oó]n|porção)|a porzione|za porcj[ęe]|na porci"
    r"|(?:de )?frais (?:de dossier|d['’](?:inscription|adhésion|activation))|(?:de )?(?:matrícula|inscripción)"
    r"|inschrijfkosten|wpisowe\w*|opłaty",
    head=r"^(?:,[-–—])?[(（]? ?",
    whole=False,
)

#: Behind an amount with tax; such a page writes its words behind, so that those before belong to another amount.
GROSS_AFTER = Vocabulary(
    r"inc(?:l|luding|lusive)?\.? ?(?:vat|tax|gst|btw|mwst|iva)|inkl\.? ?(?:mwst|ust|moms|mva)|ttc",
    r"iva (?:inclu|comp)\w*|brutto|com iva|con iva|z vat|s dph|med moms|m\. moms|με φπα|с ндс|税込",
    r"kdv dahil|su pvm|ar pvn|sis\.? alv|mit (?:mwst|ust)|cu tva|tva (?:inclus|compris)|(?:с|з) (?:пдв|ддс)|áfával",
    head=r"^[(（]? ?",
    whole=False,
)
#: The amount that follows is without tax, in the words of the same line.
NET_BEFORE = Vocabulary(
    r"alv 0 ?%|nettó|netto|net price|net\b|ohne mwst|ohne ust|zzgl\.? mwst|excl?\.? (?:vat|tax|gst|btw|mwst|moms)"
    r"|ex\.? vat|hors taxe"
    r"|ht\b|sin iva|senza iva|sem iva|bez dph|bez vat|bez pdv|brez ddv|без ндс|χωρίς φπα|f[ăa]r[ăa] tva|税抜|税別"
    r"|本体価格"
    r"|be pvm|bez pvn|без пдв|без ддс|áfa nélkül|kdv hariç|utan moms|uten mva|eks\.? m(?:va|oms)|ilman alv|veroton"
    r"|iva esclus|iva exclu|htva|hors tva|without (?:vat|tax)|sin impuestos|senza tasse|imponibile|zonder btw"
    r"|sem imposto|s/ ?iva|bez podatku|bez dan[ěe]|bez poreza|без налога|без данък|без податку|vergiler hariç|vergisiz"
    r"|fără taxe|ilman vero|ilma km|χωρίς φόρο|προ φπα|καθαρή αξία|án vsk|tanpa pajak|trước thuế|chưa vat|不含税"
    r"|不含稅|未税|未稅|세금 ?별도|공급가|بدون ضريبة|ללא מע|ไม่รวมภาษี",
    tail=r"[^0-9€$£]{0,14}$",
)
#: So many pieces must be bought for the amount that follows.
QUANTITY_BEFORE = Vocabulary(
    r"χονδρικ\w+|nagyker\w*|harga grosir|velkoobchodn\w+|veľkoobchodn\w+|veleprodajn\w+|engros\w*|tukkuhinta"
    r"|wholesale|оптом|опт(?:овая)?|hurt(?:owo)?|al por mayor|mayorista|atacado|toptan|von je|[vв]ід [0-9]+ шт"
    r"|от [0-9]+ шт"
    r"|pri (?:nakupu|kupnji|kupovini|kúpe|odbere) (?:[2-9]|1[0-9])|przy zakupie (?:[2-9]|1[0-9])"
    r"|při (?:nákupu|koupi|odběru) (?:[2-9]|1[0-9])|bij (?:aankoop|afname) van (?:[2-9]|1[0-9])"
    r"|bei (?:abnahme|kauf) von (?:[2-9]|1[0-9])|ved køb af (?:[2-9]|1[0-9])|ved kjøp av (?:[2-9]|1[0-9])"
    r"|при покупк[еиа] (?:на |от )?(?:[2-9]|1[0-9])|comprando (?:[2-9]|1[0-9])|acquistando(?:ne)? (?:[2-9]|1[0-9])"
    r"|price breaks?|staffelpreise?|buy [0-9]+|mix (?:six|[0-9]+)|any [0-9]+|when you buy [0-9]+",
    r"[2-9] (?:for|für|pour|voor|por|za|för)",
    r"sur le 2(?:e|ème|nd)|(?:2[ªa]|segunda) unidad|drug[ai] (?:sztuka|produkt)|2e (?:artikel|product)",
    r"(?<!nur )(?<!noch )[0-9]+ (?:or more|and more|pieces|units|pcs|stück|stk)|(?<![^\W\d_] )[0-9]+ ?\+|(?:[2-9]"
    r"|[1-9][0-9]+) ?[-–] ?[0-9]+ (?:pcs|units|stück)",
    r"(?:ab|bei|from|vanaf|od|från|fra|à partir de|desde|da) [0-9]+ (?:stück|stk|st|pcs|pieces|units|szt|ks|pièces"
    r"|unidades|pezzi|stuks)|ab [0-9]+",
    tail=r"[^0-9€$£]{0,16}$",
)
#: The condition of another copy of the product, in the words of the same line.
CONDITION_BEFORE = Vocabulary(
    r"open[- ]box|used|refurbished|renewed|pre-?owned|gebraucht|generalüberholt|b-ware|d'occasion|occasion"
    r"|reconditionné|usado"
    r"|reacondicionado|usato|ricondizionato|tweedehands|begagnad|brugt|używan|repasovan|б/у"
    r"|segunda mano|käytetty|brukt|použit\w*|rozbalen\w*|resigilat\w*|használt|μεταχειρισμέν\w*|retourdeal|tweedekans"
    r"|second ?hand|second chance|уценк\w*|уцінк\w*|中古|중고",
    tail=r"[^0-9]{0,20}$",
)
#: The lowest price of the last 30 days, which shops in the EU show beside a reduction: neither paid nor former.
LOWEST_BEFORE = Vocabulary(
    r"niedrigster|tiefster|bester preis der letzten|30-tage-bestpreis|en düşük fiyat\w*|lowest|prix le plus bas"
    r"|precio más bajo",
    r"m[íi]n\.? (?:de |últimos |z )?30 (?:d[íi]as|dni|dní|zile|nap)",
    r"precio mínimo|prezzo più basso|preço mais baixo|laagste prijs|lägsta pris|laveste pris|alin hinta"
    r"|najniższa cena",
    r"najnižší cena|najnižšia cena|nejnižší cena|legalacsonyabb ár|cel mai mic pre|prețul cel mai mic|най-ниска",
    r"najniža cijena|najnižja cena|χαμηλότερη τιμή|mažiausia kaina|zemākā cena|madalaim hind|omnibus",
    r"(?:минимальная|самая низкая|наименьшая) цена|найнижча ціна",
    tail=r"[^€$£]{0,70}$",
)

#: Words that call a second, lower amount the one that is paid now.
PAID_BEFORE = Vocabulary(
    r"now|sale|special|our|your|today|only|new|current|final|offer|deal|price|promo|online|web|reduced|you pay",
    r"jetzt|nur|aktuell|neu|angebot|aktion|sonderpreis|unser|preis|ab sofort|ahora|oferta|por|precio|maintenant",
    r"soldes?|prix|nouveau|adesso|ora|prezzo|offerta|agora|apenas|preço|à vista|nu|nå|nyt|pris|kampanj|tilbud|hinta",
    r"teraz|cena|promocj|akcia|akční|akce|sleva|zľava|сейчас|цена|ціна|новая|акция|akcij|most|ár|akciós|τιμή|fiyat",
    r"наша|naša|notre|nuestro|nosso|nostro|onze|vår|vores|meidän|nasza|cijena|kaina|incl|inkl|ttc|vat|mwst",
    r"特價|特价|促[銷销]|现价|現價|售價|价格|販売|価格|セール|판매가|할인가|giá|voor|por|優惠價|优惠价|商城价|เหลือ|ลด"
    r"|ราคา|harga|السعر",
    r"outlet|rebaj|saldi|black|friday|flash|clearance|bargain|liquidat|lichid|wyprzeda|výprodej|výpredaj|nedsat|udsalg",
    r"utsalg|alennet|schnäppchen|ausverkauf|destockage|déstockage|uitverkoop|leáraz|kiárus|распродаж|розпродаж|скидкой",
    r"знижкою|разпродаж|намал|sniž|zniž|rasprodaj|kampanya|super|best|top|hot",
    r"מחיר|عرض|hind|kaina|preț|indirimli|акцій|ціна|снижен|offerpris|tarjous",
)
#: Words that name an amount the page's own price, directly before it.
PRICE_LABEL = Vocabulary(
    r"(?:our |your |web |online |sale |unit |selling |current |final |special |offer |now )?price(?: now)?|now"
    r"|only|sale",
    r"(?:unser |neuer |aktueller |online-?|aktions|verkaufs|kauf|sonder|einzel)?preis|nur|jetzt|prix(?: ttc)?"
    r"|notre prix",
    r"(?:precio )?internet|(?:nuestro )?precio(?: (?:online|oferta|final|web))?|prezzo|(?:nosso )?preço|prijs"
    r"|onze prijs|voor|pris"
    r"|kampanjpris",
    r"(?:price|preis|prix|prezzo|preço|precio|prijs|cena|pris|цена) (?:inc(?:l\.?)? vat|inkl\.? mwst|ttc|co[mn] iva"
    r"|iva (?:inclus\w|inclu[ií]d\w)|incl\.? btw|z vat|brutto|s (?:dph|pdv|ddv)|inkl\.? moms|с ндс)",
    r"hinta|cena|naša cena|akční cena|akciová cena|akcijska cena|cijena|ціна|цена|наша цена|τιμή|fiyat|fiyatı",
    r"ár|akciós ár|preț|hind|kaina|価格|現在(?:価格)?|販売価格|税込|販売|판매가|할인가|판매가격|售价|售價"
    r"|優惠價|优惠价|特價"
    r"|特价|商城价|促销价|網路價",
    r"current bid|highest bid|winning bid|aktuelles gebot|höchstgebot|enchère actuelle|offre actuelle|puja actual",
    r"offerta (?:attuale|corrente)|huidig bod|hoogste bod|nuvarande bud|aktualna (?:oferta|cena)|текущая ставка",
    r"ราคา|giá|giá bán|harga|السعر|מחיר(?: אתר| מבצע| סופי)?|η τιμή μας|por|ahora|ora|adesso|nu|nå|nyt|teraz"
    r"|nyní|most",
    tail=r"(?: ?[(（][^)）]{0,20}[)）])?[ :：.(（]*$",
)

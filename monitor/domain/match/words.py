"""What sets one variant apart from another in a title, by word: colour, clothing size, scent, for whom, condition.

Words of several languages mean the same one here, so that `blau` and `blue` agree and `blau` and `red` contradict.
Data for `traits`; every list is words to one meaning, in lower case.
"""


def _meanings(*lines: str) -> dict[str, str]:
    """Return meaning by word; each line begins with the meaning."""
    return {word: words[0] for words in (line.split("|") for line in lines) for word in words}


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split("|"))


COLOURS = _meanings(
    "black|schwarz|schwarzer|schwarze|noir|noire|negro|negra|nero|nera|zwart|zwarte|czarny|czarna|черный|чёрный"
    "|черная|svart|sort|musta|černá|černý|fekete|negru|siyah|preto|preta|μαύρο|чорний|черно|黒|ブラック|黑色",
    "white|weiß|weiss|weiße|weißer|blanc|blanche|blanco|blanca|bianco|bianca|wit|witte|biały|biała|белый|белая"
    "|vit|hvid|hvit|valkoinen|bílá|bílý|fehér|alb|beyaz|branco|branca|λευκό|білий|бяло|白|ホワイト|白色",
    "red|rot|roter|rote|rouge|rojo|roja|rosso|rossa|rood|rode|czerwony|czerwona|красный|красная|röd|rød|punainen"
    "|červená|červený|piros|roșu|kırmızı|vermelho|vermelha|κόκκινο|червоний|червено|赤|レッド|红色",
    "blue|blau|blauer|blaue|bleu|bleue|azul|blu|blauw|blauwe|niebieski|niebieska|синий|синяя|голубой|blå|sininen"
    "|modrá|modrý|kék|albastru|mavi|μπλε|синій|синьо|青|ブルー|蓝色",
    "navy|marine|dunkelblau|bleu marine|azul marino|blu navy|marineblau|granatowy|тёмно-синий|темно-синий",
    "green|grün|grüner|grüne|vert|verte|verde|groen|groene|zielony|zielona|зеленый|зелёный|grön|grøn|grønn|vihreä"
    "|zelená|zelený|zöld|yeşil|πράσινο|зелений|зелено|緑|グリーン|绿色",
    "olive|oliv|kaki|khaki",
    "yellow|gelb|gelber|gelbe|jaune|amarillo|amarilla|giallo|gialla|geel|gele|żółty|żółta|желтый|жёлтый|gul"
    "|keltainen|žlutá|žlutý|sárga|galben|sarı|amarelo|κίτρινο|жовтий|жълто|黄|イエロー|黄色",
    "orange|naranja|arancione|oranje|pomarańczowy|оранжевый|oranžová|narancs|portocaliu|turuncu|laranja|オレンジ",
    "pink|rosa|rose|roze|różowy|розовый|růžová|rózsaszín|pembe|ピンク|粉色",
    "purple|violet|lila|violett|violet|morado|viola|paars|fioletowy|фиолетовый|fialová|lilla|mor|roxo|パープル|紫色",
    "brown|braun|brauner|marron|marrón|marrone|bruin|brązowy|коричневый|brun|ruskea|hnědá|barna|maro|kahverengi"
    "|marrom|ブラウン",
    "grey|gray|grau|grauer|graue|gris|grigio|grigia|grijs|szary|szara|серый|серая|grå|harmaa|šedá|šedý|szürke|gri"
    "|cinza|γκρι|сірий|グレー|灰色|anthracite|anthrazit|antracite|antraciet",
    "beige|beż|бежевый|crème|cream|creme|crema|ecru|écru|ivory|elfenbein",
    "gold|golden|goud|doré|dorado|oro|złoty|золотой|золото|guld|kulta|zlatá|arany|auriu|altın|dourado|ゴールド|金色",
    "silver|silber|argent|plata|plateado|argento|zilver|srebrny|серебро|серебряный|hopea|stříbrná|ezüst|argintiu"
    "|gümüş|prata|シルバー|银色",
    "turquoise|türkis|turquesa|turchese|turkoois|turkusowy|бирюзовый|teal|petrol",
    "burgundy|bordeaux|bordo|bordowy|бордовый|granate|maroon",
    "transparent|clear|klar|transparente|trasparente|прозрачный|przezroczysty",
    "copper|kupfer|cuivre|cobre|rame|koper|медь",
    "rose gold|rosegold|roségold|or rose|oro rosa",
)
SCENTS = _meanings(
    "lavender|lavendel|lavande|lavanda|лаванда|lawenda|levandule",
    "rose|rosen|rosenduft|damask rose|роза|róża",
    "vanilla|vanille|vainilla|vaniglia|ваниль|wanilia|vanilka|baunilha|vanilj|vanilje",
    "chocolate|schokolade|schoko|chocolat|cioccolato|шоколад|czekolada|čokoláda|choklad|chokolade|cacao|kakao|cocoa",
    "strawberry|erdbeere|fraise|fresa|fragola|aardbei|клубника|truskawka|morango",
    "raspberry|himbeere|framboise|frambuesa|lampone|малина|malina",
    "lemon|zitrone|citron|limón|limon|limone|citroen|лимон|cytryna|limão",
    "lime|limette",
    "mint|minze|menthe|menta|munt|мята|mięta|peppermint|pfefferminz|pfefferminze",
    "coconut|kokos|kokosnuss|coco|cocco|кокос",
    "rosemary|rosmarin|romarin|romero|rosmarino|розмарин",
    "apple|apfel|pomme|manzana|mela|appel|яблоко|jabłko",
    "cherry|kirsche|cerise|cereza|ciliegia|kers|вишня|wiśnia",
    "banana|banane|plátano|банан",
    "caramel|karamell|caramelo|caramello|карамель",
    "hazelnut|haselnuss|noisette|avellana|nocciola|фундук",
    "almond|mandel|amande|almendra|mandorla|миндаль|migdał",
    "eucalyptus|eukalyptus|eucalipto|эвкалипт",
    "sandalwood|sandelholz|santal|sándalo|sandalo|сандал",
    "jasmine|jasmin|jazmín|gelsomino|жасмин",
    "cinnamon|zimt|cannelle|canela|cannella|корица|cynamon",
    "ginger|ingwer|gingembre|jengibre|zenzero|имбирь|imbir",
    "unscented|ohne duft|parfumfrei|sans parfum|sin perfume|fragrance free|fragrance-free",
    "mango|манго",
    "peach|pfirsich|pêche|melocotón|pesca|персик",
    "blueberry|heidelbeere|blaubeere|myrtille|arándano|mirtillo|черника",
    "matcha|матча",
    "honey|honig|miel|miele|мёд|мед|miód",
    "olive oil|olivenöl|huile d'olive|aceite de oliva|olio d'oliva",
)
PEOPLE = _meanings(
    "men|men's|mens|man|herren|herr|homme|hommes|hombre|hombres|uomo|heren|męski|męska|męskie|мужской|мужская"
    "|мужские|herr|herre|miehet|pánské|pánský|férfi|bărbați|erkek|homem|masculino|メンズ|男士|male",
    "women|women's|womens|woman|ladies|lady|damen|dame|femme|femmes|mujer|mujeres|donna|dames|damski|damska"
    "|damskie|женский|женская|женские|dam|kvinna|naiset|dámské|dámský|női|femei|kadın|mulher|feminino|レディース"
    "|女士|female|жени|за жени",
    "kids|kid|children|child|kinder|kind|enfant|enfants|niño|niños|niña|bambino|bambini|bambina|dziecięcy"
    "|dziecięca|детский|детская|детские|barn|børn|lapset|dětské|dětský|gyerek|copii|çocuk|infantil|criança|キッズ"
    "|儿童|junior|youth|boys|girls|toddler",
    "baby|bébé|bebé|bebe|neonato|niemowlę|младенец|vauva|newborn",
    "dog|dogs|hund|hunde|chien|chiens|perro|perros|cane|cani|hond|pies|psa|для собак|собак",
    "cat|cats|katze|katzen|chat|chats|gato|gatos|gatto|gatti|kat|kot|для кошек|кошек",
)
CONDITIONS = _meanings(
    "used|gebraucht|d'occasion|occasion|usado|usada|segunda mano|usato|tweedehands|używany|używana|б/у|бу"
    "|begagnad|brugt|brukt|käytetty|použité|second hand|second-hand|pre-owned|preowned|secondhand|中古|二手",
    "refurbished|refurb|generalüberholt|wiederaufbereitet|reconditionné|reconditionne|reacondicionado|ricondizionato|"
    "gereviseerd|odnowiony|восстановленный|renewed|reconditioned|renoverad|certified renewed|rigenerato",
    "open box|open-box|b-ware|b ware|b-stock|bware|ausstellungsstück|vorführgerät|ex-display|ex display|demo unit"
    "|damaged|beschädigt|defekt|mängelexemplar|retoure|rückläufer|2. wahl|seconds",
)
#: Words of a product that is another one when only one title has them.
EDITIONS = _meanings(
    "decaf|entkoffeiniert|décaféiné|descafeinado|decaffeinato|cafeïnevrij|без кофеина",
    "pro",
    "max",
    "mini",
    "plus",
    "lite",
    "ultra",
    "deluxe",
    "xl",
    "xxl",
    "refill|nachfüllpack|nachfüller|nachfüllung|nachfüllbeutel|"
    "recharge|ricarica|recambio|navulling|wkład|наполнитель|eco-refill|nachfüll",
    "tester|testeur",
    "sample|probe|muestra|campione|échantillon|próbka|пробник|sachet sample",
    "travel|reisegröße|reisegrösse|format voyage|formato viaje|travel size|travel-size",
    "bundle|bündel|bundel|kombi|combo",
    "kit|starter kit|starter-kit|starterset|starter set",
    "gift set|geschenkset|coffret|coffret cadeau|set regalo|cofanetto|geschenkbox|подарочный набор",
    "concentrate|konzentrat|concentré",
    "se",
    "fe",
    "waterproof|wasserfest|wasserdicht|imperméable|impermeable|wodoodporny",
    "wireless|kabellos|sans fil|inalámbrico|беспроводной|bezprzewodowy|draadloos",
    "digital edition|digital",
    "left|links|linke|gauche|izquierda|sinistra|левый",
    "right|rechts|rechte|droite|derecha|destra|правый",
    "organic|bio|biologique|ecológico|biologico",
    "sport",
    "kids edition",
    "limited edition|limitierte edition|edition limitée",
    "sugar free|sugar-free|zuckerfrei|sans sucre|sin azúcar|senza zucchero|zero",
    "light",
)
#: Words of a thing that belongs to another one and is not it.
ACCESSORIES = _meanings(
    "case|hülle|schutzhülle|coque|étui|funda|custodia|cover|hoesje|etui|чехол|fodral|obal|bumper",
    "charger|ladegerät|ladekabel|chargeur|cargador|caricabatterie|oplader|ładowarka|зарядное",
    "cable|kabel|câble|cavo|кабель",
    "strap|armband|bracelet strap|correa|cinturino|ремешок|uhrenarmband",
    "screen protector|displayschutz|panzerglas|protecteur d'écran|protector de pantalla|schutzfolie|защитное стекло",
    "replacement|ersatz|ersatzteil|spare|pièce de rechange|repuesto|ricambio|запасной|spare part|vervanging",
    "cap|bottle cap|verschluss|bouchon|tapón|tappo|заглушка",
    "expansion|erweiterung|extension|expansión|espansione|add-on|addon|дополнение",
    "lid|deckel|couvercle|tapa|coperchio|крышка|deksel",
    "stand|ständer|halterung|holder|mount|support|soporte|supporto|houder|uchwyt|держатель",
    "filter|filtre|filtro|фильтр",
    "battery|akku|batterie|batería|batteria|аккумулятор",
    "bag|tasche|sac|bolsa|borsa|tas|torba|сумка",
    "compatible|kompatibel|passend für|fits|suitable for|compatible con|compatibile|совместимый",
    "poster|sticker|aufkleber|autocollant|pegatina",
)
#: Letters of clothing sizes, in one spelling.
LETTERS = _meanings(
    "xxs|2xs",
    "xs|x-small|extra small",
    "s|small|klein|petit|pequeño|mały",
    "m|medium|mittel|moyen|mediano|średni",
    "l|large|groß|gross|grand|grande|duży",
    "xl|x-large|extra large|extra-large",
    "xxl|2xl|xx-large",
    "xxxl|3xl|xxx-large",
    "4xl|xxxxl",
    "5xl",
)
#: Words that say nothing about which product it is.
FILLERS = _set(
    "the|à|au|aux|a|an|and|with|of|for|by|in|on|to|from|new|neu|original|genuine|official|best|sale|offer|free|shipping|und"
    "|mit|für|von|der|die|das|dem|den|aus|im|ohne|et|avec|de|du|des|la|le|les|pour|un|une|en|y|con|para|del|el|los"
    "|las|per|il|di|da|e|i|z|do|na|и|с|для|в|из|на|met|voor|van|het|een|op|och|med|för|og|til|colour|color|farbe"
    "|couleur|colore|size|größe|grösse|taille|talla|taglia|maat|gr|rozmiar|размер|set|pack|stk|stück|pcs|buy|online"
    "|kaufen|acheter|comprar|premium|quality|qualität"
)

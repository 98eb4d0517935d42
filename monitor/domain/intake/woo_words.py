"""The headers of WooCommerce's product export in the languages of its shops.

The exporter translates its headers to the language of the shop, so the same column has many names. The English words
are those of the exporter's source; the others are what exports and the translated importer show. A header in none of
these languages is named by whoever imports, with --column.
"""

#: Headers by field, in the form of `sheet.normal`, separated by `|`.
_WORDS = {
    "id": "id|ид|id produktu|id produktu (id)",
    "type": (
        "type|typ|rodzaj|"
        "tipo|тип|type de produit|produkttyp|típus|tip|τύπος|tyyppi|tür|tüüp|tips|tipas|タイプ|种类|類型|"
        "유형|סוג|النوع|loại|jenis|tipus"
    ),
    "sku": (
        "sku|artikelnummer|artikelnummer (sku)|art.-nr.|"
        "ugs|cod|cod.|código|artikelnr.|varenummer|artikkelnummer|артикул|"
        "артикул (sku)|κωδικός προϊόντος|tuotetunnus (sku)|tuotetunnus|katalogové číslo|katalogové číslo (sku)|"
        "cikkszám|stok kodu|stok kodu (sku)|šifra|šifra proizvoda|šifra izdelka|tootekood|prekės kodas|"
        "produkta kods|код товара|ref|ref.|referencia|sku (ref)|kod produktu|symbol|商品コード|מק״ט|sku код|"
        "número de referencia|kodas|mã sp|mã sản phẩm|referència"
    ),
    "gtin": (
        "gtin, upc, ean, or isbn|gtin, upc, ean ou isbn|gtin, upc, ean oder isbn|gtin, upc, ean o isbn|"
        "gtin, upc, ean of isbn|gtin, upc, ean lub isbn|gtin, upc, ean или isbn|gtin, upc, ean eller isbn|"
        "gtin, upc, ean nebo isbn|gtin, upc, ean alebo isbn|gtin, upc, ean tai isbn|gtin, upc, ean sau isbn|"
        "gtin, upc, ean або isbn|gtin, upc, ean vagy isbn|gtin, upc, ean veya isbn|gtin, upc, ean ή isbn|"
        "gtin, upc, ean или isbn код|gtin, upc, ean ili isbn|gtin, upc, ean ali isbn"
    ),
    "name": (
        "name|nom|nombre|nome|naam|nazwa|имя|название|наименование|назва|ім'я|namn|navn|nimi|název|názov|név|nume|"
        "име|όνομα|isim|ad|ürün adı|naziv|ime|nosaukums|pavadinimas|名前|商品名|名称|名稱|이름|שם|الاسم|tên|nama"
    ),
    "published": (
        "published|veröffentlicht|publié|publicado|pubblicato|gepubliceerd|opublikowany|opublikowano|опубликован|"
        "опубликовано|опубліковано|опублікований|publicerad|udgivet|publisert|julkaistu|publikováno|publikované|"
        "zveřejněno|közzétéve|közzétett|publicat|публикуван|публикувано|δημοσιευμένο|δημοσιεύτηκε|yayımlandı|"
        "yayınlanmış|objavljeno|avaldatud|publicēts|paskelbta|公開済み|公開|已发布|已發佈|공개됨|פורסם|منشور|"
        "đã xuất bản|diterbitkan|publicada"
    ),
    "in_stock": (
        "in stock?|vorrätig?|auf lager?|en stock?|¿en inventario?|en inventario?|existencias?|hay existencias?|"
        "in magazzino?|disponibile?|em estoque?|em stock?|op voorraad?|na stanie?|w magazynie?|в наличии?|"
        "наличие?|в наявності?|є в наявності?|i lager?|på lager?|varastossa?|skladem?|na sklade?|na skladě?|"
        "raktáron?|raktáron van?|în stoc?|налично?|в наличност?|σε απόθεμα?|διαθέσιμο?|stokta?|stokta var mı?|"
        "na zalihi?|na zalogi?|laos?|ir noliktavā?|yra sandėlyje?|在庫あり?|有货?|有庫存?|재고 있음?|במלאי?|"
        "متوفر؟|còn hàng?|ada stok?|en estoc?|in stock"
    ),
    "stock": (
        "stock|bestand|lager|lagerbestand|inventario|existencias|magazzino|scorte|estoque|inventário|voorraad|"
        "stan magazynowy|magazyn|запасы|запас|остаток|количество|запаси|lagersaldo|lagerstatus|lagerbeholdning|"
        "varasto|sklad|zásoby|skladové zásoby|készlet|stoc|наличност|απόθεμα|stok|zaliha|zalihe|zaloga|laoseis|"
        "noliktava|atsargos|在庫|库存|庫存|재고|מלאי|المخزون|tồn kho|kho hàng|estoc"
    ),
    "sale_from": (
        "date sale price starts|datum, an dem angebotspreis beginnt|datum, an dem der angebotspreis beginnt|"
        "angebotspreis gültig ab|date de début de promo|"
        "fecha de inicio de la oferta|fecha en la que comienza el precio rebajado|"
        "día en que empieza el precio rebajado|data de partenza del prezzo in saldo|"
        "data di inizio del prezzo in saldo|startdatum actieprijs|data rozpoczęcia promocji|"
        "data rozpoczęcia ceny promocyjnej|data de início da promoção|data de preço promocional começa em|"
        "дата начала действия цены распродажи|дата начала действия скидки|rea startdatum|startdatum för reapris|"
        "dato for tilbudspris start"
    ),
    "sale_to": (
        "date sale price ends|datum, an dem angebotspreis endet|datum, an dem der angebotspreis endet|"
        "angebotspreis gültig bis|date de fin de promo|fecha de fin de la oferta|"
        "fecha en la que termina el precio rebajado|día en que termina el precio rebajado|"
        "termine data del prezzo di vendita|data di fine del prezzo in saldo|einddatum actieprijs|"
        "data zakończenia promocji|data zakończenia ceny promocyjnej|data de fim da promoção|"
        "data de preço promocional termina em|дата окончания действия цены распродажи|"
        "дата окончания действия скидки|rea slutdatum|slutdatum för reapris|dato for tilbudspris slut"
    ),
    "sale_price": (
        "sale price|angebotspreis|tarif promo|prix promo|precio rebajado|precio de oferta|prezzo in offerta|"
        "prezzo scontato|preço promocional|preço de promoção|actieprijs|cena promocyjna|акционная цена|"
        "цена распродажи|цена со скидкой|ціна розпродажу|акційна ціна|reapris|tilbudspris|salgspris|alennushinta|"
        "tarjoushinta|akční cena|zlevněná cena|cena po zľave|zľavnená cena|akciós ár|preț promoțional|preț redus|"
        "промоционална цена|цена при разпродажба|τιμή έκπτωσης|τιμή προσφοράς|indirimli fiyat|snižena cijena|"
        "akcijska cijena|akcijska cena|znižana cena|soodushind|izpārdošanas cena|akcijos kaina|išpardavimo kaina|"
        "セール価格|促销价|优惠价|促銷價|特價|할인 가격|מחיר מבצע|سعر البيع|سعر التخفيض|giá khuyến mãi|"
        "harga obral|harga promo|preu rebaixat"
    ),
    "regular_price": (
        "regular price|regulärer preis|normaler preis|tarif régulier|prix régulier|precio normal|precio regular|"
        "prezzo di listino|prezzo regolare|preço|preço normal|reguliere prijs|normale prijs|cena regularna|"
        "cena podstawowa|cena|базовая цена|обычная цена|регулярная цена|звичайна ціна|базова ціна|ordinarie pris|"
        "normalpris|ordinær pris|vanlig pris|normaalihinta|hinta|běžná cena|bežná cena|normál ár|szokásos ár|"
        "alapár|preț obișnuit|preț normal|редовна цена|нормална цена|κανονική τιμή|normal fiyat|redovna cijena|"
        "redovna cena|običajna cena|tavahind|parastā cena|reguliāra cena|įprasta kaina|įprastinė kaina|通常価格|"
        "常规价格|正常价格|原價|定價|정상 가격|정가|מחיר רגיל|السعر العادي|giá bán thường|giá gốc|harga normal|"
        "harga reguler|preu normal"
    ),
    "categories": (
        "categories|kategorien|catégories|categorías|categorie|categorias|categorieën|kategorie|категории|"
        "категорії|kategorier|osastot|kategoriat|kategórie|kategóriák|categorii|κατηγορίες|kategoriler|kategorije|"
        "kategooriad|kategorijas|kategorijos|カテゴリー|分类|分類|카테고리|קטגוריות|التصنيفات|danh mục|kategori"
    ),
    "tags": (
        "tags|schlagwörter|étiquettes|etiquetas|etichette|tag|tagi|znaczniki|метки|теги|позначки|etiketter|"
        "stikord|avainsanat|štítky|značky|címkék|etichete|етикети|ετικέτες|etiketler|oznake|sildid|birkas|žymos|"
        "タグ|标签|標籤|태그|תגיות|الوسوم|thẻ|etiquetes"
    ),
    "parent": (
        "parent|übergeordnetes produkt|übergeordnet|elternprodukt|superior|padre|genitore|ascendente|pai|hoofd|"
        "hoofdproduct|rodzic|nadrzędny|element nadrzędny|produto ascendente|"
        "родитель|родительский|батьківський|батько|förälder|överordnad|forælder|"
        "overordnet|forelder|päätuote|ylätuote|nadřazené|nadřazený produkt|nadradené|nadradený produkt|szülő|"
        "părinte|родител|γονικό|γονέας|ebeveyn|üst|nadređeni|nadrejeni|vanem|vecāks|tėvinis|親|父级|上層|상위|אב|"
        "الأصل|cha|sản phẩm cha|induk|pare"
    ),
    "brands": (
        "brands|marken|marques|marcas|marchi|brand|merken|marki|бренды|бренди|varumärken|mærker|merker|"
        "tuotemerkit|brändit|značky (brands)|márkák|mărci|марки|μάρκες|markalar|brendovi|blagovne znamke|ブランド|"
        "品牌|브랜드|מותגים|thương hiệu|merek"
    ),
    "url": (
        "external url|externe url|url externe|url externa|url esterna|zewnętrzny url|внешний url|extern url|ekstern url"
    ),
    "cost": (
        "cost of goods|cost of goods sold|herstellungskosten|warenkosten|coût des marchandises|"
        "coste de los productos|costo della merce|custo das mercadorias|kostprijs|koszt własny|себестоимость"
    ),
}


def _by_header() -> dict[str, str]:
    found: dict[str, str] = {}
    for field, words in _WORDS.items():
        for word in words.split("|"):
            found.setdefault(word, field)
    return found


#: Field by header, in every language known.
HEADERS: dict[str, str] = _by_header()

#: Headers that mean the regular price in one language and any price in another.
JUST_PRICE = frozenset({"cena", "preço", "hinta"})

#: Meta columns of widespread plug-ins, by the name after the colon.
META = {
    "_cost_per_item": "meta_cost",
    "_wc_cog_cost": "meta_cost",
    "_alg_wc_cog_cost": "meta_cost",
    "_cogs_total_value": "meta_cost",
    "_purchase_price": "meta_cost",
    "yith_cog_cost": "meta_cost",
    "_global_unique_id": "meta_gtin",
    "_gtin": "meta_gtin",
    "_ean": "meta_gtin",
    "_alg_ean": "meta_gtin",
    "_wpm_gtin_code": "meta_gtin",
    "_ts_gtin": "meta_gtin",
    "hwp_product_gtin": "meta_gtin",
    "_mpn": "mpn",
    "_ts_mpn": "mpn",
}
